"""A body on a real server, without a mind: for tests that say themselves what it shall do."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from numen.body import Body, Clock, Slices, Verdict
from numen.body.acts import Act
from numen.body.clock import finished
from numen.body.path import goals
from numen.body.warm import warm_up
from numen.world import World
from protocol.connection import Connection, ConnectionOptions, connect
from protocol.game import GAME


class Player:
    """A connection, a world, a body, and the clock that drives them."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.world = World()
        self.world.attach(connection)
        self.body = Body(self.world, connection, Slices())
        self.clock = Clock(self._tick)
        self._waiting: list[tuple[Callable[[], object], asyncio.Future[None]]] = []

    def _tick(self) -> None:
        self.world.tick()
        self.body.tick()
        for condition, future in [*self._waiting]:
            if not future.done() and condition():
                future.set_result(None)

    async def until(self, condition: Callable[[], object]) -> None:
        """Wait until a condition holds; it is looked at once a tick."""
        entry = (condition, asyncio.get_running_loop().create_future())
        self._waiting.append(entry)
        try:
            await entry[1]
        finally:
            self._waiting.remove(entry)

    async def try_to(self, act: Act) -> Verdict:
        """Let the body do something, however it ends."""
        return await finished(self.body.tasks.start("test", act))

    async def do(self, act: Act) -> Verdict:
        """Let the body do something that has to succeed."""
        verdict = await self.try_to(act)
        assert verdict.ok, f"{verdict.kind}: {verdict.message} {verdict.data}"
        return verdict

    async def command(self, line: str, condition: Callable[[], object]) -> None:
        """Send a chat command and wait for what it brings about."""
        assert self.body.talk.say(line).ok
        await self.until(condition)

    async def give(self, item: str, count: int = 1) -> None:
        """Have the server give it something."""
        before = self.count(item)
        await self.command(
            f"/give {self.connection.username} {item} {count}", lambda: self.count(item) >= before + count
        )

    def count(self, item: str) -> int:
        """How many of an item it carries."""
        return self.world.inventory.count(GAME.item(item).id)

    def block_name(self, x: int, y: int, z: int) -> str:
        """What it thinks stands there, without namespace."""
        return GAME.block_of(self.world.block(x, y, z)).name.removeprefix("minecraft:")

    def ahead(self, blocks: int) -> goals.Column:
        """A place so many blocks to the east."""
        x, _, z = self.body.feet
        return goals.Column(x + blocks, z)

    def room_beside(self) -> tuple[int, int, int]:
        """A free cell two blocks off, with ground under it."""
        x, y, z = self.body.feet
        for dx, dz in ((2, 0), (0, 2), (-2, 0), (0, -2), (2, 1), (1, 2), (-2, 1), (1, -2), (2, -1), (-1, 2)):
            for dy in (0, 1, -1):
                cell, under = (x + dx, y + dy, z + dz), (x + dx, y + dy - 1, z + dz)
                if self.block_name(*cell) == "air" and self.block_name(*under) not in ("air", "oak_leaves"):
                    return cell
        raise AssertionError(f"there is no room for a block at {self.body.feet}")


P = TypeVar("P", bound=Player)


async def log_in(port: int, name: str = "Numen", *, host: str = "127.0.0.1", view: int = 6) -> Connection:
    """A connection in play."""
    warm_up()
    return await connect(host, port, name, options=ConnectionOptions(view_distance=view))


@asynccontextmanager
async def playing(player: P) -> AsyncIterator[P]:
    """Let it be able to act: it stands on ground that is loaded. The connection is closed in the end."""
    player.clock.start()
    try:
        await player.until(lambda: player.body.ready)
        yield player
    finally:
        player.clock.stop()
        player.connection.close("the test is over")


@asynccontextmanager
async def joined(
    port: int, name: str = "Numen", *, host: str = "127.0.0.1", view: int = 6
) -> AsyncIterator[Player]:
    """Log in and play."""
    async with playing(Player(await log_in(port, name, host=host, view=view))) as player:
        yield player
