"""A client and a server connection with nothing but memory between them.

Both ends are the real thing; only the socket and the clock are ours. Nothing moves by itself: `pump` carries
bytes until both sides are quiet, `advance` lets time pass.

    pair = InMemoryPair()
    pair.join()
    pair.client.subscribe("update_health", seen.append)
    pair.server.send("update_health", health=20.0, food=20, foodSaturation=5.0)
    pair.pump()
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any

from protocol.connection import Connection, ConnectionFactory, ConnectionOptions
from protocol.link import Disconnect
from protocol.server import ServerConnection, ServerConnectionFactory, ServerOptions
from protocol.status import ServerStatus

# isort: split
from twisted.internet.address import IPv4Address
from twisted.internet.error import ConnectionDone
from twisted.internet.task import Clock
from twisted.python.failure import Failure

#: A client's `login` fields, enough to be in play. `worldState` names the overworld.
LOGIN: dict[str, Any] = {
    "entityId": 1,
    "isHardcore": False,
    "worldNames": ["minecraft:overworld"],
    "maxPlayers": 20,
    "viewDistance": 10,
    "simulationDistance": 10,
    "reducedDebugInfo": False,
    "enableRespawnScreen": True,
    "doLimitedCrafting": False,
    "worldState": {
        "dimension": 0,
        "name": "minecraft:overworld",
        "hashedSeed": 0,
        "gamemode": "survival",
        "previousGamemode": -1,
        "isDebug": False,
        "isFlat": False,
        "death": None,
        "portalCooldown": 0,
    },
    "enforcesSecureChat": False,
}


class MemoryTransport:
    """Stands for one side's socket. What is written waits in `written` until the pair carries it."""

    def __init__(self) -> None:
        self.written: deque[bytes] = deque()
        self.closing = False
        self.aborted = False

    def write(self, data: bytes) -> None:
        if not self.closing:
            self.written.append(data)

    def loseConnection(self) -> None:
        self.closing = True

    def abortConnection(self) -> None:
        self.closing = self.aborted = True
        self.written.clear()

    def getPeer(self) -> IPv4Address:
        return IPv4Address("TCP", "127.0.0.1", 25565)

    getHost = getPeer


class InMemoryPair:
    """Two connected ends.

    `on_play` is the server's, see `protocol.server.serve`; by default it sends `LOGIN`. `piece` cuts what is
    carried into reads of so many bytes; `tap(direction, data)` sees all bytes that go "toServer" and
    "toClient".
    """

    def __init__(
        self,
        *,
        username: str = "Tester",
        options: ConnectionOptions | None = None,
        server_options: ServerOptions | None = None,
        on_play: Callable[[ServerConnection], None] | None = None,
        status: Callable[[], ServerStatus] = ServerStatus,
        attach: Callable[[Connection], None] | None = None,
        piece: int | None = None,
        tap: Callable[[str, bytes], None] | None = None,
    ) -> None:
        self.clock = Clock()
        self.piece = piece
        self.tap = tap
        self.ended: dict[str, Disconnect] = {}
        address = IPv4Address("TCP", "127.0.0.1", 25565)
        self.server_factory = ServerConnectionFactory(
            on_play or _send_login, status=status, options=server_options, clock=self.clock
        )
        self.client_factory = ConnectionFactory(
            "localhost", 25565, username, options or ConnectionOptions(), attach, clock=self.clock
        )
        self.server: ServerConnection = self.server_factory.buildProtocol(address)
        client = self.client_factory.buildProtocol(address)
        assert client is not None  # it is the factory's first
        self.client: Connection = client
        self._ends: dict[str, tuple[Any, MemoryTransport]] = {}
        for name, end in (("server", self.server), ("client", self.client)):
            transport = MemoryTransport()
            self._ends[name] = end, transport
            end.on_closed(partial(self.ended.__setitem__, name))
        for end, transport in self._ends.values():
            end.makeConnection(transport)

    def join(self) -> InMemoryPair:
        """Carry the login through to play. Raises AssertionError when it does not get there."""
        self.pump()
        assert self.client_factory.outcome.done(), f"stuck in {self.client.state}"
        self.client_factory.outcome.result()
        return self

    def pump(self) -> None:
        """Carry what both sides have written, and what they write upon it, until nothing moves."""
        while True:
            self.clock.advance(0)
            moved = self._carry("client", "server") | self._carry("server", "client")
            if not moved and not self._hang_up():
                return

    def advance(self, seconds: float, step: float = 1.0) -> None:
        """Let time pass, carrying bytes after every step."""
        self.pump()
        while seconds > 0:
            self.clock.advance(min(step, seconds))
            seconds -= step
            self.pump()

    def _carry(self, source: str, target: str) -> bool:
        written = self._ends[source][1].written
        receiver, transport = self._ends[target]
        if not written:
            return False
        data = b"".join(written)
        written.clear()
        if self.tap is not None:
            self.tap("toServer" if target == "server" else "toClient", data)
        size = self.piece or len(data)
        for start in range(0, len(data), size):
            if transport.closing:
                break
            receiver.dataReceived(data[start : start + size])
        return True

    def _hang_up(self) -> bool:
        if "client" in self.ended or not any(transport.closing for _, transport in self._ends.values()):
            return False
        for end, _ in self._ends.values():
            end.connectionLost(Failure(ConnectionDone()))
        return True


def _send_login(connection: ServerConnection) -> None:
    connection.send("login", **LOGIN)
