"""A practice server without sockets, and clients whose every packet a test writes by hand.

    env = Env()                              # a flat world: grass at y 63, feet at 64
    steve = env.join("Steve")
    steve.send("block_dig", status=0, location=(1, 63, 0), face=1, sequence=1)
    env.tick(10)
    assert steve.seen("acknowledge_player_digging")

Server and clients are the real ones over memory; nothing happens but in `tick`. An exception while the
server handles a packet fails the test.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numen.rules.items import ItemStack
from numen.sandbox import space
from numen.sandbox.options import SandboxOptions
from numen.sandbox.player import Player
from numen.sandbox.server import Sandbox
from numen.testing.link import InMemoryPair
from protocol.codec import packet_names
from protocol.game import GAME

BlockPos = tuple[int, int, int]

#: Packets that nobody asks about, or whose decoding only costs time.
_NOT_RECORDED = frozenset({"map_chunk", "declare_commands", "update_time", "bundle_delimiter"})


class Env:
    """One practice server. `options` are fields of `SandboxOptions`; nobody is born by himself."""

    def __init__(self, *, seed: int = 1, **options: Any) -> None:
        settings = {
            "world": "flat",
            "mobs": False,
            "view_distance": 2,
            "daylight_cycle": False,
            "auto_tick": False,
        }
        self.sandbox = Sandbox(seed, SandboxOptions(**{**settings, **options}))
        self.world = self.sandbox.world
        self.judge = self.sandbox.judge
        self.clients: list[Client] = []

    def join(self, name: str = "Steve", *, settle: int = 3) -> Client:
        """Bring a client through login into the world, and let it stand for some ticks."""
        client = Client(self, name)
        self.clients.append(client)
        self.tick(settle)
        client.land()
        return client

    def tick(self, count: int = 1) -> None:
        """Let `count` server ticks pass; what either side wrote is carried before and after each."""
        for _ in range(count):
            self.pump()
            self.sandbox.tick()
            self.pump()

    def tick_until(self, condition: Callable[[], bool], limit: int = 400) -> int:
        """Tick until something holds and return after how many ticks. Raises AssertionError when it never
        does.
        """
        for passed in range(limit + 1):
            if condition():
                return passed
            self.tick()
        raise AssertionError(f"it did not happen within {limit} ticks")

    def pump(self) -> None:
        for client in self.clients:
            client.pair.pump()

    def block(self, at: BlockPos) -> str:
        """Name of a block, without namespace."""
        return GAME.block_of(self.world.block(*at)).name.removeprefix("minecraft:")

    def put(self, at: BlockPos, name: str, **properties: str) -> None:
        """Set a block, as /setblock would."""
        self.world.set_block(*at, GAME.state(name, **properties))


class Client:
    """One client. It confirms teleports and acknowledges columns by itself; all else is up to the test."""

    def __init__(self, env: Env, name: str) -> None:
        self.env = env
        self.name = name
        self._sequence = 0
        self._received: dict[str, list[dict[str, Any]]] = {}
        #: Names of what came, in order.
        self.order: list[str] = []
        #: Where the server put it last, moved on by `walk`.
        self.x = self.y = self.z = 0.0
        self.pair = InMemoryPair(
            username=name,
            server_options=env.sandbox.connection_options(),
            on_play=env.sandbox.join,
            attach=self._listen,
        ).join()

    def _listen(self, connection: Any) -> None:
        self._link = connection
        for packet in packet_names("play", "toClient"):
            if packet not in _NOT_RECORDED:
                connection.subscribe(packet, self._recorder(packet))
        connection.subscribe("position", self._confirm)

    def _recorder(self, packet: str) -> Callable[[dict[str, Any]], None]:
        def record(fields: dict[str, Any]) -> None:
            self._received.setdefault(packet, []).append(fields)
            self.order.append(packet)

        return record

    def _confirm(self, fields: dict[str, Any]) -> None:
        self.x, self.y, self.z = fields["x"], fields["y"], fields["z"]
        self.send("teleport_confirm", teleportId=fields["teleportId"])
        self.send("position_look", x=self.x, y=self.y, z=self.z, yaw=0.0, pitch=0.0, onGround=False)

    # --- what came --------------------------------------------------------------------------------------

    def seen(self, packet: str) -> list[dict[str, Any]]:
        """All packets of a kind since the last `forget`."""
        return list(self._received.get(packet, ()))

    def last(self, packet: str) -> dict[str, Any]:
        """The latest packet of a kind. Raises AssertionError when none came."""
        assert self._received.get(packet), f"no {packet} came, only {sorted(self._received)}"
        return self._received[packet][-1]

    def forget(self) -> None:
        """Begin to record anew."""
        self._received.clear()
        self.order.clear()

    @property
    def gone(self) -> Any:
        """Why the connection ended (a `Disconnect`), None while it stands."""
        return self.pair.ended.get("client")

    # --- the server's side of it ------------------------------------------------------------------------

    @property
    def player(self) -> Player:
        """The player as the server has it."""
        return self.env.sandbox.player(self.name)

    def give(self, name: str, count: int = 1) -> None:
        """Put something straight into the server's inventory of it."""
        self.player.inventory.add(ItemStack.of(name, count))

    def stand(self, x: float, y: float, z: float) -> None:
        """Have the server put it somewhere and let it arrive."""
        self.player.fall_distance = 0.0
        self.player.movement.teleport(x, y, z)
        self.env.tick(2)
        self.land()

    # --- acting -----------------------------------------------------------------------------------------

    def send(self, packet: str, **fields: Any) -> None:
        """Send one packet."""
        self._link.send(packet, **fields)

    def sequence(self) -> int:
        """The next sequence number."""
        self._sequence += 1
        return self._sequence

    def move(self, dx: float, dy: float = 0.0, dz: float = 0.0, *, on_ground: bool = True) -> None:
        """Say that it moved."""
        self.x, self.y, self.z = self.x + dx, self.y + dy, self.z + dz
        self.send("position", x=self.x, y=self.y, z=self.z, onGround=on_ground)

    def land(self) -> None:
        """Say that it stands on ground, where it does; after a teleport a client says that it does not."""
        below = space.box_at(self.x, self.y - 0.1, self.z, 0.6, 0.1)
        self.send("flying", onGround=not space.is_free(self.env.world, below))
        self.env.tick()

    def walk(self, dx: float, dz: float, *, pace: float = 0.21) -> None:
        """Walk over level ground, a step a tick."""
        steps = max(1, round((dx * dx + dz * dz) ** 0.5 / pace))
        for _ in range(steps):
            self.move(dx / steps, 0.0, dz / steps)
            self.env.tick()

    def dig(self, at: BlockPos, ticks: int) -> int:
        """Start digging, and say `ticks` ticks later that it is done. Returns the last sequence number."""
        self.send("block_dig", status=0, location=at, face=1, sequence=self.sequence())
        self.env.tick(ticks)
        self.send("block_dig", status=2, location=at, face=1, sequence=self.sequence())
        self.env.tick()
        return self._sequence

    def place(self, against: BlockPos, face: int = 1, *, hand: int = 0) -> int:
        """Use what is in hand on a face of a block, at its middle. Returns the sequence number."""
        cursor = {0: (0.5, 0.0, 0.5), 1: (0.5, 1.0, 0.5), 2: (0.5, 0.5, 0.0), 3: (0.5, 0.5, 1.0)}
        cursor |= {4: (0.0, 0.5, 0.5), 5: (1.0, 0.5, 0.5)}
        x, y, z = cursor[face]
        sequence = self.sequence()
        self.send(
            "block_place",
            hand=hand,
            location=against,
            direction=face,
            cursorX=x,
            cursorY=y,
            cursorZ=z,
            insideBlock=False,
            sequence=sequence,
        )
        self.env.tick()
        return sequence

    def hold(self, name: str) -> None:
        """Take a hotbar slot in hand that holds an item."""
        wanted = GAME.item(name).id
        for slot in range(9):
            stack = self.player.inventory.slots[36 + slot]
            if stack is not None and stack.item_id == wanted:
                self.send("held_item_slot", slotId=slot)
                self.env.tick()
                return
        raise AssertionError(f"no {name} in the hotbar")

    def click(self, slot: int, button: int = 0, mode: int = 0, *, window: int | None = None) -> None:
        """Click a slot and claim that nothing changed: the server then says what did."""
        menu = self.player.menu
        self.send(
            "window_click",
            windowId=menu.window_id if window is None else window,
            stateId=menu.state_id,
            slot=slot,
            mouseButton=button,
            mode=mode,
            changedSlots=[],
            cursorItem={"itemCount": 0},
        )
        self.env.tick()

    def say(self, line: str) -> None:
        """Chat, or a command when it begins with a slash."""
        if line.startswith("/"):
            self.send("chat_command", command=line[1:])
        else:
            self.send(
                "chat_message",
                message=line,
                timestamp=0,
                salt=0,
                signature=None,
                offset=0,
                acknowledged=b"\0\0\0",
            )
        self.env.tick()

    def count(self, name: str) -> int:
        """How many of an item the server says it has."""
        return self.player.inventory.count(GAME.item(name).id)
