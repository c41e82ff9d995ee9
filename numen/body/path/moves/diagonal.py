"""Moves between the four directions: level, one down, one up. Both cells beside the way must be free."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from numen.body.path import costs, flags
from numen.body.path.moves.kinds import Edge, Kind, Pace
from numen.body.path.survey import CORNER, CORNERS, HERE, SIDE, Around, Bools

BITS: Final = 2

NONE: Final = 0
FLAT: Final = 1
DOWN: Final = 2
UP: Final = 3

_STEP: Final = 9
_NARROW: Final = flags.DOOR | flags.WALL_WEST | flags.WALL_EAST | flags.WALL_NORTH | flags.WALL_SOUTH


#: The neighbours in x and in z that each of CORNERS passes, as rows of SIDE.
_BESIDE: Final = ([0, 1, 0, 1], [2, 2, 3, 3])


def mark(around: Around, risky: Bools) -> NDArray[np.uint8]:
    """The codes of each stand: a row for each of CORNERS. `risky` stands cut no corners."""
    look = around
    here = look.height(HERE)
    # a low floor of about our height may be crossed, anything else beside the way must be free
    low = look.has(SIDE, 0, flags.LOW) & (look.height(SIDE) <= here + _STEP) & look.ground(SIDE)
    passable = look.roomy(SIDE) | low
    passable = passable & ((here < 4) | look.clear(SIDE, 2))
    passable = passable & ~look.has(SIDE, 0, _NARROW | flags.TALL) & ~look.has(SIDE, 1, _NARROW)
    over = look.clear(SIDE, 1) & look.clear(SIDE, 2) & ~look.has(SIDE, 0, _NARROW | flags.TALL)
    over = over & ~look.has(SIDE, 1, _NARROW)
    in_x, in_z = _BESIDE
    passable = passable[in_x] & passable[in_z]
    over = over[in_x] & over[in_z]

    narrow = look.has(HERE, 0, _NARROW) | look.has(HERE, 1, _NARROW)
    narrow = narrow | look.has(CORNER, 0, _NARROW) | look.has(CORNER, 1, _NARROW)
    free = ~(risky | narrow)
    swim = look.swim(HERE)
    firm = look.ground(HERE) & ~swim & free

    rise = look.height(CORNER) - here
    level = passable & (np.abs(rise) <= _STEP) & ((here < 4) | look.clear(CORNER, 2))
    wet = look.swim(CORNER)
    flat = level & ((firm & look.ground(CORNER) & ~wet) | (swim & free & wet))
    down = passable & firm & look.roomy(CORNER) & ~look.rests(CORNER)
    down = down & look.ground(CORNER, -1) & ~look.swim(CORNER, -1)
    up = over & firm & look.ground(CORNER, 1) & look.clear(HERE, 2)
    up = up & (look.height(CORNER, 1) <= here + 1) & ~look.has(CORNER, 2, _NARROW)

    code = np.zeros((4, around.count), np.uint8)
    for value, where in ((FLAT, flat), (DOWN, down), (UP, up)):
        np.copyto(code, np.uint8(value), where=where)
    return code


def edges(code: int, corner: int, pace: Pace, swimming: bool) -> list[Edge]:
    """The moves that a code stands for."""
    dx, dz = CORNERS[corner]
    if code == FLAT:
        if swimming:
            return [Edge(dx, 0, dz, Kind.SWIM, pace.water * costs.DIAGONAL)]
        return [Edge(dx, 0, dz, Kind.DIAGONAL, pace.walk * costs.DIAGONAL)]
    if code == DOWN:
        return [Edge(dx, -1, dz, Kind.DIAGONAL, max(costs.DESCEND, pace.walk) + costs.DIAGONAL_EXTRA)]
    if code == UP:
        return [Edge(dx, 1, dz, Kind.DIAGONAL, max(costs.ASCEND, pace.walk * costs.DIAGONAL))]
    return []
