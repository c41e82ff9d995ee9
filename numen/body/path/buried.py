"""Goals inside the ground, and goals in the air: how much digging or building lies between them and the open.

The estimate of a goal knows distances only, and digging costs far more than distance. A search for something
thirty blocks down in stone would look all over the surface first. So for each such target the nearest open
cell is found, and the digging from there becomes part of the estimate: nobody gets there with less.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from numen.body.path import costs, flags
from numen.body.path.context import Context
from numen.body.path.frame import Cell
from numen.body.path.goals import Goal, Ints, travel
from numen.body.path.ground import Ground

#: How far around a target the open is looked for.
_WIDE: Final = 24
_HIGH: Final = 40
#: A target counts as being in material that can be dug as the middle one of the cells this near.
_NEAR: Final = 3
#: Targets looked at; of many ores only the nearest matter.
_MOST: Final = 24


@dataclass(frozen=True)
class _Target:
    cell: Cell
    #: Units to dig one cell around here.
    price: int
    #: Units of digging between it and the open.
    depth: int


class Buried:
    """A goal of cells in the ground, with an estimate that counts the digging."""

    def __init__(self, goal: Goal, targets: list[_Target]) -> None:
        self._goal = goal
        self._targets = targets

    def estimate(self, x: Ints, y: Ints, z: Ints) -> Ints:
        best: Ints | None = None
        for target in self._targets:
            tx, ty, tz = target.cell
            dx, dy, dz = tx - x, ty - y, tz - z
            dug = np.minimum(_cells_dug(dx, dy, dz) * target.price, target.depth)
            far = travel(dx, dy, dz) + dug
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


def dig_for(ground: Ground, start: Cell, goal: Goal, context: Context) -> Generator[None, None, Goal]:
    """The goal as a digger has to see it: `goal` itself unless its cells lie in the ground."""
    cells = goal.cells()
    if not context.may_dig or cells is None:
        return goal
    cells = sorted(cells, key=lambda cell: sum(abs(a - b) for a, b in zip(cell, start, strict=True)))
    targets = []
    for cell in cells[:_MOST]:
        target = _look_around(ground, cell, context)
        yield
        if target is None:
            return goal
        targets.append(target)
    return goal if all(target.depth == 0 for target in targets) else Buried(goal, targets)


def _look_around(ground: Ground, cell: Cell, context: Context) -> _Target | None:
    """None where something is not loaded."""
    states = _box(ground, cell)
    if states is None:
        return None
    walking = flags.tables().walking.take(states, mode="clip")
    clear = (walking & flags.CLEAR) != 0
    room = clear.copy()
    room[:-1] &= clear[1:]
    if room[_HIGH, _WIDE, _WIDE]:
        return _Target(cell, 0, 0)
    price = _price(states[_HIGH - _NEAR : _HIGH + _NEAR + 1, _WIDE - _NEAR : _WIDE + _NEAR + 1], context)
    y, z, x = np.nonzero(room)
    if not len(x):
        return _Target(cell, price, price * _HIGH)
    dug = _cells_dug(x - _WIDE, y - _HIGH, z - _WIDE)
    return _Target(cell, price, int(dug.min()) * price)


def blocks_needed(ground: Ground, cell: Cell) -> int:
    """No more blocks than have to be set to get to a cell from anywhere around: each leads one block further
    or higher. 0 where a body can stand, or where something is not loaded."""
    states = _box(ground, cell)
    if states is None:
        return 0
    walking = flags.tables().walking.take(states, mode="clip")
    stands = (walking & (flags.CLEAR | flags.LOW)) != 0
    stands[:-1] &= (walking[1:] & flags.CLEAR) != 0
    held = (walking & (flags.LOW | flags.WATER | flags.CLIMB)) != 0
    held[1:] |= (walking[:-1] & (flags.FLOOR | flags.CLIMB)) != 0
    y, z, x = np.nonzero(stands & held)
    if not len(x):
        return _WIDE
    aside = np.abs(x - _WIDE) + np.abs(z - _WIDE) - 1
    return max(0, int(np.maximum(_HIGH - y, aside).min()))


def _cells_dug(dx: Ints, dy: Ints, dz: Ints) -> Ints:
    """Cells that are dug on the way: feet and head for each block along, one for each block up or down."""
    dug: Ints = 2 * (np.abs(dx) + np.abs(dz)) + np.abs(dy)
    return dug


def _price(states: NDArray[np.integer], context: Context) -> int:
    """Units to dig a typical cell of some."""
    found = []
    for state, count in zip(*np.unique(states, return_counts=True), strict=True):
        ticks = context.dig_ticks(int(state)) if int(state) < flags.tables().unknown else None
        if ticks is not None and not int(flags.tables().walking[int(state)]) & flags.CLEAR:
            found += [ticks + costs.DIG_PAUSE] * int(count)
    return costs.units(float(np.median(found))) if found else 0


def _box(ground: Ground, cell: Cell) -> NDArray[np.uint16] | None:
    """The states around a cell as [y, z, x], the cell in the middle."""
    x0, y0, z0 = cell[0] - _WIDE, cell[1] - _HIGH, cell[2] - _WIDE
    box = np.zeros((2 * _HIGH + 1, 2 * _WIDE + 1, 2 * _WIDE + 1), np.uint16)
    return box if ground.fill(box, x0, y0, z0) else None
