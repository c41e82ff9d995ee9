"""How a creature gets somewhere: straight on while that works, and round an obstacle by a short search.

The search is small on purpose (a server tick is short): at most SEARCH_NODES cells around the creature,
each step one cell sideways, up to one up and three down. A creature that finds no way walks on against the
wall, as they do.
"""

from __future__ import annotations

import heapq
import math
from typing import TYPE_CHECKING

from numen.rules.physics.matter import LAVA, SOLID, TALL, WATER, matter

if TYPE_CHECKING:
    from numen.sandbox.entities.mob import Mob
    from numen.sandbox.world import World

BlockPos = tuple[int, int, int]

SEARCH_NODES = 96
#: A search is made at most every so many ticks.
SEARCH_EVERY = 20


class Walking:
    """Where one creature is going. Set a destination; `tick` turns it into yaw, speed and jumps."""

    def __init__(self) -> None:
        self.goal: tuple[float, float, float] | None = None
        self.speed = 1.0
        self._path: list[BlockPos] = []
        self._next_search = 0
        self._stuck = 0

    @property
    def done(self) -> bool:
        return self.goal is None

    def go(self, x: float, y: float, z: float, speed: float) -> None:
        """Head for a point; `speed` is a factor of the creature's movement speed."""
        self.goal = (x, y, z)
        self.speed = speed

    def stop(self) -> None:
        self.goal = None
        self._path.clear()
        self._stuck = 0

    def tick(self, mob: Mob) -> None:
        """Steer for this tick."""
        mob.forward = 0.0
        mob.jumping = False
        if self.goal is None:
            return
        if self._path:
            target = self._path[0]
            x, y, z = target[0] + 0.5, float(target[1]), target[2] + 0.5
            if math.hypot(x - mob.x, z - mob.z) < 0.5 and abs(y - mob.y) < 1.2:
                self._path.pop(0)
                self.tick(mob)
                return
        else:
            x, y, z = self.goal
            if math.hypot(x - mob.x, z - mob.z) < 0.4:
                self.stop()
                return
        wanted = math.degrees(math.atan2(z - mob.z, x - mob.x)) - 90
        turn = (wanted - mob.yaw + 180) % 360 - 180
        mob.yaw += max(-90.0, min(90.0, turn))
        mob.forward = self.speed
        if mob.in_water:
            mob.jumping = True
        elif mob.horizontal_collision and mob.on_ground:
            mob.jumping = True
            self._stuck += 1
        if self._stuck > 3 and mob.age >= self._next_search:
            self._next_search = mob.age + SEARCH_EVERY
            self._stuck = 0
            goal = self.goal
            cell = (math.floor(goal[0]), math.floor(goal[1]), math.floor(goal[2]))
            self._path = find_way(mob.world, _cell(mob), cell)


def _cell(mob: Mob) -> BlockPos:
    return (math.floor(mob.x), math.floor(mob.y + 0.5), math.floor(mob.z))


def standable(world: World, x: int, y: int, z: int) -> bool:
    """Whether a creature of up to two blocks can stand with its feet in a cell, dry and safe."""
    masks = matter().masks
    feet, head, ground = (
        masks[world.block(x, y, z)],
        masks[world.block(x, y + 1, z)],
        masks[world.block(x, y - 1, z)],
    )
    return (
        not (feet & (SOLID | WATER | LAVA) or head & (SOLID | LAVA))
        and bool(ground & SOLID)
        and not ground & TALL
    )


def find_way(world: World, start: BlockPos, goal: BlockPos) -> list[BlockPos]:
    """Cells from the one after `start` towards `goal`; as near as the search got, empty when it got no
    nearer.
    """

    def far(at: BlockPos) -> float:
        return math.hypot(at[0] - goal[0], at[2] - goal[2]) + abs(at[1] - goal[1]) * 0.5

    came: dict[BlockPos, BlockPos | None] = {start: None}
    cost = {start: 0.0}
    best = start
    waiting = [(far(start), start)]
    for _ in range(SEARCH_NODES):
        if not waiting:
            break
        _, here = heapq.heappop(waiting)
        if far(here) < far(best):
            best = here
        if far(here) < 1.5:
            break
        for dx, dz in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            x, z = here[0] + dx, here[2] + dz
            for y in (here[1], here[1] + 1, here[1] - 1, here[1] - 2, here[1] - 3):
                if standable(world, x, y, z):
                    step = (x, y, z)
                    total = cost[here] + 1 + (y != here[1])
                    if total < cost.get(step, math.inf):
                        cost[step], came[step] = total, here
                        heapq.heappush(waiting, (total + far(step), step))
                    break
    path: list[BlockPos] = []
    at: BlockPos | None = best
    while at is not None and at != start:
        path.append(at)
        at = came[at]
    return path[::-1]
