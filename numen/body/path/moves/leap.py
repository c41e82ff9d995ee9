"""Jumps over a gap of one or two empty cells, to the same height or lower by a low floor."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from numen.body.path import costs, flags
from numen.body.path.moves.kinds import Edge, Kind
from numen.body.path.survey import HERE, SECOND, SIDE, SIDES, THIRD, Around, Bools

BITS: Final = 2

NONE: Final = 0
OVER_ONE: Final = 1
OVER_TWO: Final = 2

_NARROW: Final = flags.DOOR | flags.WALL_WEST | flags.WALL_EAST | flags.WALL_NORTH | flags.WALL_SOUTH


_DEADLY: Final = flags.DANGER | flags.LAVA | flags.UNKNOWN


def mark(around: Around, risky: Bools) -> NDArray[np.uint8]:
    """The codes of each stand: a row for each of SIDES."""
    look = around
    code = np.zeros((4, around.count), np.uint8)
    empty = _empty(look, SIDE)
    if not empty.any():
        return code
    # nothing to jump from on slow ground
    free = look.ground(HERE) & ~look.swim(HERE) & ~risky & look.clear(HERE, 2) & (look.height(HERE) < 4)
    free = free & ~look.has(HERE, -1, flags.SLOW) & ~look.has(HERE, 0, _NARROW) & ~look.has(HERE, 1, _NARROW)
    one = free & empty
    two = one & _empty(look, SECOND)
    code[one & _landing(look, SECOND)] = OVER_ONE
    code[two & _landing(look, THIRD)] = OVER_TWO
    return code


def _empty(look: Around, cell: str) -> Bools:
    """Nothing to bump into up to the height of a jump, nowhere to stand, and nothing deadly below."""
    free = look.roomy(cell) & look.clear(cell, 2) & ~look.rests(cell) & ~look.rests(cell, -1)
    free = free & ~look.has(cell, 0, _NARROW) & ~look.has(cell, 1, _NARROW)
    for dy in (-1, -2, -3):
        free = free & ~look.has(cell, dy, _DEADLY)
    return free


def _landing(look: Around, cell: str) -> Bools:
    good = look.ground(cell) & ~look.swim(cell) & look.clear(cell, 2)
    good = good & ~look.has(cell, 0, _NARROW) & ~look.has(cell, 1, _NARROW)
    return good & (look.height(cell) <= look.height(HERE) + 1)


def edges(code: int, side: int, sprints: bool) -> list[Edge]:
    """The moves that a code stands for. Two empty cells need a sprint."""
    dx, dz = SIDES[side]
    if code == OVER_ONE:
        return [Edge(2 * dx, 0, 2 * dz, Kind.LEAP, costs.LEAP[2])]
    if code == OVER_TWO and sprints:
        return [Edge(3 * dx, 0, 3 * dz, Kind.LEAP, costs.LEAP[3])]
    return []
