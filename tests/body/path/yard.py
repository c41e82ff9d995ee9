"""A practice server in memory and one real body in it; the server judges how it walks, digs and places."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from numen.body import Body, Verdict
from numen.body.acts import Act, Task
from numen.rules.items import ItemStack
from numen.testing.link import InMemoryPair
from numen.testing.sandbox import Env
from numen.testing.terrain import layers, state_of
from numen.world import World
from protocol.game import GAME

Cell = tuple[int, int, int]

#: The first free height of the flat world.
GROUND = 64


class Garden:
    """A flat world (grass at 63) with what `drawings` add from height 64 up, and a body at `at`.

    Drawings are layers from the lowest up, lines along x, one under the other along z, as in
    `numen.testing.terrain.layers`; ``S`` marks where the body starts. The rest is air above 63.
    """

    def __init__(
        self,
        *drawings: str,
        legend: Mapping[str, str | int] | None = None,
        at: tuple[float, float, float] | None = None,
        corner: Cell = (0, GROUND, 0),
        items: Mapping[str, int] | None = None,
        view_distance: int = 3,
        before: Callable[[Garden], None] | None = None,
    ) -> None:
        self.env = Env(view_distance=view_distance)
        start: Cell | None = None
        meanings = {"S": "structure_void", **(legend or {})}
        for cell, block in layers(*drawings, legend=meanings, at=corner).items():
            if block == "structure_void":
                start = cell
            else:
                self.put(cell, block)
        if before is not None:
            before(self)
        self.world = World()
        self.pair = InMemoryPair(
            username="Walker",
            server_options=self.env.sandbox.connection_options(),
            on_play=self.env.sandbox.join,
            attach=self.world.attach,
        )
        self.pair.join()
        self.env.clients.append(self)  # type: ignore[arg-type]
        self.body = Body(self.world, self.pair.client)
        x, y, z = at or _middle(start or (0, GROUND, 0))
        self.tick(3)
        self.player.fall_distance = 0.0
        self.player.movement.teleport(x, y, z)
        for name, count in (items or {}).items():
            self.player.inventory.add(ItemStack.of(name, count))
        self.tick(10)

    @property
    def player(self) -> Any:
        """The player as the server has it."""
        return self.env.sandbox.player("Walker")

    @property
    def feet(self) -> Cell:
        return self.body.feet

    def put(self, cell: Cell, block: str | int) -> None:
        self.env.world.set_block(*cell, state_of(block), tell_neighbours=False)

    def fill(self, a: Cell, b: Cell, block: str | int) -> None:
        """A box of one block, both corners included."""
        for x in range(min(a[0], b[0]), max(a[0], b[0]) + 1):
            for y in range(min(a[1], b[1]), max(a[1], b[1]) + 1):
                for z in range(min(a[2], b[2]), max(a[2], b[2]) + 1):
                    self.put((x, y, z), block)

    def block(self, cell: Cell) -> str:
        return GAME.block_of(self.env.world.block(*cell)).name.removeprefix("minecraft:")

    def tick(self, count: int = 1) -> None:
        for _ in range(count):
            self.env.tick()
            self.world.tick()
            self.body.tick()
            self.env.pump()

    def start(self, act: Act) -> Task:
        return self.body.tasks.start("walk", act)

    def run(self, act: Act, ticks: int = 600, each: Callable[[], None] | None = None) -> Verdict:
        """Tick until the act has ended. AssertionError when it takes longer, or when the judge objects."""
        task = self.start(act)
        for _ in range(ticks):
            self.tick()
            if each is not None:
                each()
            if task.verdict is not None:
                self.took = task.elapsed
                self.no_complaints()
                return task.verdict
        raise AssertionError(f"{task} did not end within {ticks} ticks; the body is at {self.body.position}")

    def no_complaints(self) -> None:
        """The server found nothing wrong with how the body moved, dug and placed."""
        assert not self.env.judge.total, list(self.env.judge.latest)


def _middle(cell: Cell) -> tuple[float, float, float]:
    return cell[0] + 0.5, float(cell[1]), cell[2] + 0.5
