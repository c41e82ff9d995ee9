"""A client without a network: real packet bytes in, real packet bytes out, time by hand.

    sim = Simulation()                                   # logged in, nothing loaded
    sim.terrain(floor="stone")                           # one chunk around (0, 0), floor at y 63
    sim.teleport(0.5, 64.0, 0.5)
    sim.receive("block_change", location=(1, 64, 0), type=GAME.state("oak_log"))
    assert sim.world.block(1, 64, 0) == GAME.state("oak_log")
    sim.tick()
    sim.sent.expect_nothing()

The connection is the real one, over a transport in memory, so its codec, framing and state machine take part.
With ``body=True`` there is a real body too, and `tick` lets it act; what it sends is in `sent`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Literal
from uuid import UUID

from twisted.internet.address import IPv4Address
from twisted.internet.error import ConnectionDone
from twisted.python.failure import Failure

from numen.rules.items import ItemStack
from numen.testing import terrain
from numen.testing.clock import SteppedClock
from numen.testing.packets import EMPTY, filled, slot
from numen.testing.sent import SentLog
from numen.world import World
from numen.world.names import MENU_KINDS
from protocol import codec
from protocol.connection import Connection, ConnectionFactory, ConnectionOptions
from protocol.framing import FrameSplitter, join
from protocol.game import GAME
from protocol.link import Disconnect
from protocol.registries import DIMENSION_TYPE

if TYPE_CHECKING:
    from numen.body import Body

#: The player's own entity.
ENTITY_ID: Final = 1

_COMPRESS: Final = codec.packet_id("login", "toClient", "compress")

#: Where the simulated server has us by default.
OVERWORLD: Final = "minecraft:overworld"


class Wire:
    """The transport of a connection without a network: keeps what is written, ends when it is told to."""

    def __init__(self, written: Callable[[bytes], None], ended: Callable[[], None]) -> None:
        self._written = written
        self._ended = ended
        self.open = True

    def write(self, data: bytes) -> None:
        """Called by the connection."""
        if self.open:
            self._written(data)

    def loseConnection(self) -> None:
        """Called by the connection when it has had enough."""
        if self.open:
            self.open = False
            self._ended()

    abortConnection = loseConnection

    def setTcpNoDelay(self, enabled: bool) -> None:
        """Nothing to delay here."""


class Simulation:
    """One client. `state` says how far its login has come when the test begins.

    `world` follows what is received; `sent` has what was sent since the login, in order; `body` is there with
    ``body=True``. `registries` are sent in configuration (vanilla's are assumed), `login` is put over the
    default fields of the play login.
    """

    def __init__(
        self,
        state: Literal["login", "configuration", "play"] = "play",
        *,
        body: bool = False,
        username: str = "Tester",
        world: World | None = None,
        options: ConnectionOptions | None = None,
        registries: Mapping[str, Sequence[tuple[str, Any]]] | None = None,
        login: Mapping[str, Any] | None = None,
    ) -> None:
        self.clock = SteppedClock()
        self.sent = SentLog()
        self.world = world if world is not None else World()
        #: Why the connection ended, None while it stands.
        self.closed: Disconnect | None = None
        self._splitter = FrameSplitter()
        self._threshold = -1
        self._read: list[bytes] | None = None
        self._teleports = 0
        self._factory = _Factory(username, options or ConnectionOptions(), self.clock)
        link = self._factory.buildProtocol(IPv4Address("TCP", "simulated", 25565))
        assert link is not None  # it is the factory's first
        self.link: Connection = link
        self.link.on_closed(self._on_closed)
        self.world.attach(self.link)
        self._body: Body | None = self._make_body() if body else None
        self.wire = Wire(self._written, self._ended)
        self.link.makeConnection(self.wire)
        if state != "login":
            self._to_configuration(registries or {})
        if state == "play":
            self.receive("finish_configuration")
            self.login(**(login or {}))
            self.sent.clear()

    def _make_body(self) -> Body:
        from numen.body import Body

        return Body(self.world, self.link)

    @property
    def body(self) -> Body:
        """The body that acts on this client. AssertionError in a simulation without one."""
        assert self._body is not None, "this simulation was made without body=True"
        return self._body

    @property
    def state(self) -> str:
        """The connection's state."""
        return self.link.state

    # --- the server's side -----------------------------------------------------------------------------

    def receive(self, packet: str, /, **fields: Any) -> None:
        """Let the client receive `packet` of its current state, as real bytes.

        Play packets that tests use often take the rest of their fields from `numen.testing.packets`. Raises
        EncodeError for fields that the packet does not have, and AssertionError when handling it failed: an
        exception in a handler or bytes that the client could not decode.
        """
        __tracebackhide__ = True
        state = self.link.state
        payload = codec.encode(
            state, "toClient", packet, filled(packet, fields) if state == "play" else fields
        )
        self.receive_payload(payload)
        if (state, packet) == ("login", "compress"):
            self._threshold = self._splitter.threshold = fields["threshold"]

    def receive_payload(self, payload: bytes) -> None:
        """Let the client receive one packet, id and body, whatever they are."""
        __tracebackhide__ = True
        compress = self.link.state == "login" and payload[0] == _COMPRESS
        frame = join(payload, self._threshold)
        if self._read is not None:
            self._read.append(frame)
        else:
            self._deliver(frame)
        if compress:
            self._threshold = codec.decode("login", "toClient", payload).fields["threshold"]
            self._splitter.threshold = self._threshold

    @contextmanager
    def one_read(self) -> Iterator[None]:
        """Everything received inside arrives together, in one read of the socket."""
        __tracebackhide__ = True
        self._read = []
        try:
            yield
        finally:
            frames, self._read = self._read, None
        self._deliver(b"".join(frames))

    def _deliver(self, data: bytes) -> None:
        __tracebackhide__ = True
        failures, dropped = self.link.failures.copy(), self.link.dropped.copy()
        self.link.dataReceived(data)
        self.clock.advance(0)  # what was put off to the next turn of the loop
        for packet, count in (self.link.failures - failures).items():
            raise AssertionError(f"handling {packet} failed {count} times; see the log")
        for packet, count in (self.link.dropped - dropped).items():
            raise AssertionError(f"{packet} could not be decoded, {count} times; see the log")

    def disconnect(self) -> None:
        """The server's end of the connection goes away."""
        self.wire.loseConnection()
        self.clock.advance(0)

    # --- time ------------------------------------------------------------------------------------------

    def tick(self, n: int = 1) -> None:
        """Let `n` game ticks pass: the clock, the world, then the body."""
        for _ in range(n):
            self.clock.tick()
            self.world.tick()
            if self._body is not None:
                self._body.tick()

    # --- everyday steps --------------------------------------------------------------------------------

    def _to_configuration(self, registries: Mapping[str, Sequence[tuple[str, Any]]]) -> None:
        self.receive(
            "success",
            uuid=self.link.uuid,
            username=self.link.username,
            properties=[],
            strictErrorHandling=False,
        )
        for name, entries in registries.items():
            self.registry(name, entries)

    def registry(self, name: str, entries: Sequence[tuple[str, Any]]) -> None:
        """Send one registry (configuration only): names with their data, None for vanilla's own."""
        self.receive(
            "registry_data", id=name, entries=[{"key": key, "value": value} for key, value in entries]
        )

    def login(self, **fields: Any) -> None:
        """The play login: `fields` over the defaults, as ``worldState={"gamemode": "creative"}``."""
        self.receive("login", **{"entityId": ENTITY_ID, **fields})

    def respawn(self, dimension: str = OVERWORLD, *, kept: int = 0, **world_state: Any) -> None:
        """A respawn into `dimension`, of the type with that name. `kept`: 1 attributes, 2 metadata."""
        number = self.link.registries.id_of(DIMENSION_TYPE, dimension) or 0
        self.receive(
            "respawn", worldState={"dimension": number, "name": dimension, **world_state}, copyMetadata=kept
        )

    def teleport(self, x: float, y: float, z: float, yaw: float = 0.0, pitch: float = 0.0) -> int:
        """Put the player somewhere; returns the teleport's number, which its confirmation must name."""
        self._teleports += 1
        self.receive("position", x=x, y=y, z=z, yaw=yaw, pitch=pitch, teleportId=self._teleports)
        return self._teleports

    def chunk(
        self, cx: int, cz: int, blocks: Mapping[tuple[int, int, int], str | int] | None = None, **options: Any
    ) -> None:
        """A chunk with `blocks` by world position (names or state ids), air elsewhere.

        `options`: ``floor="stone"``, ``floor_y=63``, ``biome="minecraft:plains"``; see `terrain.column`.
        """
        dimension = self.world.dimension
        self.receive(
            "map_chunk", **terrain.column(cx, cz, blocks or {}, dimension.min_y, dimension.height, **options)
        )

    def terrain(
        self,
        blocks: Mapping[tuple[int, int, int], str | int] | None = None,
        *,
        radius: int = 0,
        around: tuple[int, int] = (0, 0),
        **options: Any,
    ) -> None:
        """The chunks within `radius` of chunk `around`, with `blocks` by world position; see `chunk`."""
        by_chunk = terrain.by_chunk(blocks or {})
        cx, cz = around
        wanted = {
            (x, z) for x in range(cx - radius, cx + radius + 1) for z in range(cz - radius, cz + radius + 1)
        }
        for x, z in sorted(wanted | set(by_chunk)):
            self.chunk(x, z, by_chunk.get((x, z)), **options)

    def layers(
        self,
        *layers: str,
        legend: Mapping[str, str | int] | None = None,
        at: tuple[int, int, int] = (0, 64, 0),
        **options: Any,
    ) -> None:
        """Chunks with a small world drawn in text; see `terrain.layers`."""
        self.terrain(terrain.layers(*layers, legend=legend, at=at), **options)

    def spawn(
        self,
        kind: str,
        x: float,
        y: float,
        z: float,
        *,
        entity_id: int,
        uuid: UUID | None = None,
        **fields: Any,
    ) -> None:
        """An entity appears: ``sim.spawn("pig", 3.5, 64, 0.5, entity_id=7)``."""
        number = GAME.entity(kind).id
        own = {} if uuid is None else {"objectUUID": uuid}
        self.receive("spawn_entity", entityId=entity_id, type=number, x=x, y=y, z=z, **own, **fields)

    def inventory(self, stacks: Mapping[int, tuple[str, int]]) -> None:
        """The whole inventory by window-0 slot: ``sim.inventory({36: ("dirt", 5)})``; other slots are
        empty."""
        self.receive("window_items", windowId=0, items=_slots(46, stacks))

    def open_menu(
        self,
        kind: str,
        own: Mapping[int, tuple[str, int]] | None = None,
        *,
        window_id: int = 1,
        size: int = 27,
        state_id: int = 1,
    ) -> None:
        """A container opens, with `size` slots of its own and the player's as the world knows them behind.

        ``sim.open_menu("generic_9x3", {0: ("bread", 7)})``, ``sim.open_menu("furnace", size=3)``
        """
        number = MENU_KINDS.index(f"minecraft:{kind.removeprefix('minecraft:')}")
        self.receive("open_window", windowId=window_id, inventoryType=number, windowTitle={"text": kind})
        items = _slots(size, own or {})
        items += [ItemStack.to_slot(stack) for stack in self.world.inventory.slots[9:45]]
        self.receive("window_items", windowId=window_id, stateId=state_id, items=items)

    # --- the wire --------------------------------------------------------------------------------------

    def _written(self, data: bytes) -> None:
        self._splitter.feed(data)
        for payload in self._splitter.packets():
            self.sent.record(codec.decode(self.link.state, "toServer", payload))

    def _ended(self) -> None:
        # As with a socket, the connection learns of its end in a later turn of the loop.
        self.clock.callLater(0, self.link.connectionLost, Failure(ConnectionDone()))

    def _on_closed(self, why: Disconnect) -> None:
        self.closed = why


def _slots(size: int, stacks: Mapping[int, tuple[str, int]]) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = [EMPTY] * size
    for place, (name, count) in stacks.items():
        items[place] = slot(GAME.item(name).id, count)
    return items


class _Factory(ConnectionFactory):
    """The real factory, with the hand-driven clock."""

    def __init__(self, username: str, options: ConnectionOptions, clock: SteppedClock) -> None:
        super().__init__("simulated", 25565, username, options, clock=clock)

    def failed(self, why: Disconnect) -> None:
        """The connection ended; nobody waits for the outcome here, so nobody misses it."""
        super().failed(why)
        if self.outcome.done():
            self.outcome.exception()
