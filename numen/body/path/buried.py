"""Goals that can't be walked to: how much digging or building lies between them and where one can walk.

The estimate of a goal knows distances only, and digging costs far more than distance. A search for something
thirty blocks down in stone would look all over the surface first, and one for a walled garden all around it.
So when a walk did not get there, the cells that it did reach tell for each target what has to be dug or built
at least from the nearest of them, and that becomes part of the estimate.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from numen.body.path import costs, flags
from numen.body.path.context import Context
from numen.body.path.frame import Cell
from numen.body.path.goals import Goal, Ints, travel
from numen.body.path.ground import Ground

#: A target lies in what most of the cells this near are.
_NEAR: Final = 3
#: Targets looked at; of many ores only the nearest matter.
_MOST: Final = 24
#: How far above a goal in the air something to stand on is looked for, and how much is looked at in one go.
_ABOVE: Final = 8
_SLAB: Final = 16


@dataclass(frozen=True)
class _Target:
    cell: Cell
    #: Units to dig or to set one block around here.
    price: int
    #: It hangs in the air: blocks are set, not dug.
    airy: bool
    #: Units between it and the nearest cell that can be walked to.
    depth: int

    def work(self, dx: Ints, dy: Ints, dz: Ints) -> Ints:
        """Units of digging or building on the way from cells this far before it."""
        count = _blocks_set(dx, dy, dz) if self.airy else _cells_dug(dx, dy, dz)
        found: Ints = np.minimum(count * self.price, self.depth)
        return found


class Buried:
    """A goal that can't be walked to, with an estimate that counts the work."""

    def __init__(self, goal: Goal, targets: list[_Target]) -> None:
        self._goal = goal
        self._targets = targets

    def estimate(self, x: Ints, y: Ints, z: Ints) -> Ints:
        best: Ints | None = None
        for target in self._targets:
            tx, ty, tz = target.cell
            dx, dy, dz = tx - x, ty - y, tz - z
            far = travel(dx, dy, dz) + target.work(dx, dy, dz)
            best = far if best is None else np.minimum(best, far)
        assert best is not None
        return best

    def cells(self) -> list[Cell] | None:
        return [target.cell for target in self._targets]

    @property
    def middle(self) -> tuple[int | None, int | None, int | None]:
        return self._goal.middle

    def __str__(self) -> str:
        return str(self._goal)


def guide(
    ground: Ground, start: Cell, goal: Goal, context: Context, reached: tuple[Ints, Ints, Ints]
) -> Generator[None, None, Goal]:
    """The goal as a digger and builder has to see it, after a walk that got to the cells `reached` but not to
    it."""
    cells = goal.cells()
    if cells is None:
        return goal
    x, y, z = reached
    targets = []
    for tx, ty, tz in sorted(cells, key=lambda cell: _steps(cell, start))[:_MOST]:
        made_of = _price(ground, (tx, ty, tz), context)
        yield
        if made_of is None:
            return goal
        price, airy = made_of
        count = _blocks_set if airy else _cells_dug
        depth = int(count(tx - x, ty - y, tz - z).min()) * price
        targets.append(_Target((tx, ty, tz), price, airy, depth))
    return Buried(goal, targets)


def _steps(a: Cell, b: Cell) -> int:
    return sum(abs(i - j) for i, j in zip(a, b, strict=True))


def _cells_dug(dx: Ints, dy: Ints, dz: Ints) -> Ints:
    """Cells that are dug on the way: feet and head for each block along, one for each block up or down."""
    dug: Ints = 2 * (np.abs(dx) + np.abs(dz)) + np.abs(dy)
    return dug


def _blocks_set(dx: Ints, dy: Ints, dz: Ints) -> Ints:
    """Blocks that are set on the way: one for each block along or up."""
    blocks: Ints = np.maximum(np.abs(dx) + np.abs(dz) - 1, np.maximum(dy, 0))
    return blocks


def _price(ground: Ground, cell: Cell, context: Context) -> tuple[int, bool] | None:
    """Units for one block of work around a cell, and whether that means setting blocks; None where something
    is not loaded."""
    states = _box(ground, cell)
    if states is None:
        return None
    counts = np.bincount(states.ravel())
    known = np.flatnonzero(counts)
    table = flags.tables()
    solid: list[float] = []
    clear = 0
    for state, count in zip(known.tolist(), counts[known].tolist(), strict=True):
        if int(table.walking[min(state, table.unknown)]) & flags.CLEAR:
            clear += count
        elif state < table.unknown and (ticks := context.dig_ticks(state)) is not None:
            solid += [ticks + costs.DIG_PAUSE] * count
    if clear > len(states.ravel()) * 2 // 3 and context.may_place:
        return costs.units(min(costs.PILLAR, costs.BRIDGE)), True
    return (costs.units(_median(solid)) if solid and context.may_dig else 0), False


def _median(values: list[float]) -> float:
    # numpy's would bring numpy.ma, which takes longer to load than a slice of thinking may last
    values, count = sorted(values), len(values)
    return (values[(count - 1) // 2] + values[count // 2]) / 2


def blocks_needed(ground: Ground, cell: Cell, most: int) -> Generator[None, None, int]:
    """No more blocks than have to be set to get to a cell from anywhere around: each leads one block further
    or higher. `most + 1` where `most` are not enough, 0 where something is not loaded."""
    x0, y0, z0 = cell
    fewest = most + 1
    for west in range(-most, most + 1, _SLAB):
        wide = min(_SLAB, most + 1 - west)
        box = np.zeros((most + _ABOVE + 1, 2 * most + 1, wide), np.uint16)
        if not ground.fill(box, x0 + west, y0 - most, z0 - most):
            return 0
        y, z, x = np.nonzero(_stands(box))
        yield
        if len(x):
            fewest = min(fewest, int(_blocks_set(x + west, most - y, z - most).min()))
    return max(0, fewest)


def _stands(states: NDArray[np.uint16]) -> NDArray[np.bool_]:
    """Roughly where a body can rest, in an array [y, z, x]."""
    walking = flags.tables().walking.take(states, mode="clip")
    free = (walking & (flags.CLEAR | flags.LOW)) != 0
    free[:-1] &= (walking[1:] & flags.CLEAR) != 0
    held = (walking & (flags.LOW | flags.WATER | flags.CLIMB)) != 0
    held[1:] |= (walking[:-1] & (flags.FLOOR | flags.CLIMB)) != 0
    found: NDArray[np.bool_] = free & held
    return found


def _box(ground: Ground, cell: Cell) -> NDArray[Any] | None:
    """The states close around a cell; None where something is not loaded."""
    size = 2 * _NEAR + 1
    box = np.zeros((size, size, size), np.uint16)
    x, y, z = cell
    return box if ground.fill(box, x - _NEAR, y - _NEAR, z - _NEAR) else None
