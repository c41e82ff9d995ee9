"""Any server at all, and an operator's hand to set a scene on it.

The servers of this repository, or the one that NUMEN_TEST_SERVER=host:port names. There the scene is set with
the game's own commands: by RCON where NUMEN_TEST_RCON=host:port (and NUMEN_TEST_RCON_PASSWORD) names it, else
by the player who is on the server, who must be an operator. It builds platforms in the sky around the spawn
and changes the time: take a world that nobody minds.
"""

from __future__ import annotations

import asyncio
import math
import os
import struct
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final, Protocol

from numen.sandbox import start_sandbox
from numen.world import World
from protocol.addresses import DEFAULT_PORT
from protocol.connection import Connection
from protocol.game import GAME
from tests.e2e.servers import node_server

BlockPos = tuple[int, int, int]

#: What the list runs on when no server is named.
OURS: Final = ("sandbox", "node")
#: A platform: its height, how far it reaches to the east, to the west and to both sides, and what keeps
#: everybody on it.
FLOOR_Y: Final = 200
LENGTH: Final = 46
BEHIND: Final = 4
HALF_WIDTH: Final = 6
RIM: Final = "glass"
#: Every test takes a new one, so far to the south of the last.
NEXT: Final = 16


class Operator(Protocol):
    """Someone who may give commands."""

    async def run(self, *commands: str) -> None:
        """Give commands, without their slashes. What they answer is nobody's concern."""
        ...


class InChat:
    """The operator is a player."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def run(self, *commands: str) -> None:
        """See `Operator`."""
        for command in commands:
            self._connection.chat.command(command)


class Rcon:
    """The server's console, by Source's RCON protocol as vanilla 1.21.1 speaks it: a packet is its length,
    an id, a kind (3: log in, 2: command), text and two zeros, numbers little-endian."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def run(self, *commands: str) -> None:
        """See `Operator`."""
        for command in commands:
            await self._ask(2, command)

    async def log_in(self, password: str) -> None:
        """Raises PermissionError where the password is another."""
        if await self._ask(3, password) == -1:
            raise PermissionError("RCON refuses NUMEN_TEST_RCON_PASSWORD")

    async def _ask(self, kind: int, text: str) -> int:
        body = struct.pack("<ii", 1, kind) + text.encode() + bytes(2)
        self._writer.write(struct.pack("<i", len(body)) + body)
        (size,) = struct.unpack("<i", await self._reader.readexactly(4))
        answer = await self._reader.readexactly(size)
        ident: int = struct.unpack_from("<i", answer)[0]
        return ident


@dataclass(frozen=True)
class Place:
    """A server to play on."""

    host: str
    port: int

    @asynccontextmanager
    async def operator(self, connection: Connection) -> AsyncIterator[Operator]:
        """Whoever has the rights: the console where there is one, else the player of this connection."""
        console = os.environ.get("NUMEN_TEST_RCON")
        if not named() or not console:
            yield InChat(connection)
            return
        reader, writer = await asyncio.open_connection(*address(console, 25575))
        try:
            rcon = Rcon(reader, writer)
            await rcon.log_in(os.environ.get("NUMEN_TEST_RCON_PASSWORD", ""))
            yield rcon
        finally:
            writer.close()


def named() -> str:
    """The server to test on as the environment names it; empty when it does not."""
    return os.environ.get("NUMEN_TEST_SERVER", "")


def address(text: str, port: int) -> tuple[str, int]:
    """``host:port``, ``host``, ``[v6]:port`` as a host and a port."""
    host, colon, digits = text.rpartition(":")
    if not colon or not digits.isdecimal():
        return text.strip("[]"), port
    return host.strip("[]"), int(digits)


@asynccontextmanager
async def place(kind: str) -> AsyncIterator[Place]:
    """The practice server, the Node server, or (``named``) the one of the environment."""
    if kind == "named":
        yield Place(*address(named(), DEFAULT_PORT))
    elif kind == "node":
        async with node_server() as server:
            yield Place("127.0.0.1", server.port)
            server.assert_fair()
    else:
        sandbox = await start_sandbox(world="flat", mobs=False, view_distance=6)
        try:
            yield Place("127.0.0.1", sandbox.port)
            assert not sandbox.judge.counts, sandbox.judge.counts
        finally:
            await sandbox.stop()


@dataclass(frozen=True)
class Stage:
    """A platform of grass with a rim, high up where no world has anything. The player begins at `x`, `y`,
    `z`, with most of it to the east."""

    x: int
    y: int
    z: int

    def cell(self, east: int, up: int = 0, south: int = 0) -> BlockPos:
        """A cell, counted from the place where the player begins."""
        return self.x + east, self.y + up, self.z + south

    def fill(self, corner: BlockPos, other: BlockPos, block: str) -> str:
        """The command that fills a box of it."""
        cells = (*self.cell(*corner), *self.cell(*other))
        return f"fill {' '.join(map(str, cells))} minecraft:{block}"

    def commands(self, name: str) -> Iterable[str]:
        """What builds it, and puts the player on it with empty hands."""
        west, east, north, south = -BEHIND, LENGTH, -HALF_WIDTH, HALF_WIDTH
        yield self.fill((west, 0, north), (east, 1, south), RIM)
        yield self.fill((west + 1, 0, north + 1), (east - 1, 5, south - 1), "air")
        yield self.fill((west, -2, north), (east, -2, south), "dirt")
        yield self.fill((west, -1, north), (east, -1, south), "grass_block")
        yield "time set day"
        yield "difficulty easy"
        yield f"clear {name}"
        yield f"gamemode survival {name}"
        yield f"tp {name} {self.x}.5 {self.y} {self.z}.5"


def stage_near(position: tuple[float, float, float]) -> Stage:
    """Where the next platform of a player comes."""
    x, _, z = position
    return Stage(math.floor(x), FLOOR_Y + 1, math.floor(z / NEXT) * NEXT + 2 * NEXT)


def built(world: World, stage: Stage) -> bool:
    """Whether a world knows of the platform, its far corners too."""
    rim = GAME.block(RIM).default_state
    sides = (-HALF_WIDTH, HALF_WIDTH)
    return all(
        world.block(*stage.cell(east, 0, south)) == rim for east in (-BEHIND, LENGTH) for south in sides
    )
