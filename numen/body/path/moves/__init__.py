"""The moves that leave the terrain as it is. Each file owns how its moves are found and what they cost.

All that can be done from one stand is packed into a code of 43 bits; equal surroundings give equal codes.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from numen.body.path import costs, flags
from numen.body.path.moves import diagonal, leap, straight, vertical
from numen.body.path.moves.kinds import Edge, Kind, Pace
from numen.body.path.survey import CORNERS, HERE, SIDE, SIDES, Around, Bools, Codes, Survey

_STRAIGHT_AT: Final = 0
_DIAGONAL_AT: Final = _STRAIGHT_AT + 4 * straight.BITS
_LEAP_AT: Final = _DIAGONAL_AT + 4 * diagonal.BITS
_VERTICAL_AT: Final = _LEAP_AT + 4 * leap.BITS
_HERE_AT: Final = _VERTICAL_AT + vertical.BITS

_SIDE_SHIFTS: Final = np.array([[_STRAIGHT_AT + side * straight.BITS] for side in range(4)], np.uint64)

#: What the stand itself is like, above the moves.
ON_GROUND: Final = 1 << _HERE_AT
IN_WATER: Final = 2 << _HERE_AT
ON_RUNGS: Final = 4 << _HERE_AT
SLOW: Final = 8 << _HERE_AT
RISKY: Final = 16 << _HERE_AT
SUBMERGED: Final = 32 << _HERE_AT
#: Right beside it nothing is loaded.
BORDER: Final = 64 << _HERE_AT


def codes(survey: Survey, max_drop: int, leaps: bool) -> Codes:
    """A code for each stand of a surveyed block."""
    if not len(survey.stands):
        return np.zeros(0, np.uint64)
    look = Around(survey)
    risky = _risky(look)
    parts = [
        (_STRAIGHT_AT, straight.BITS, straight.mark(look, max_drop)),
        (_DIAGONAL_AT, diagonal.BITS, diagonal.mark(look, risky)),
        (_VERTICAL_AT, vertical.BITS, vertical.mark(look)),
    ]
    if leaps:
        parts.append((_LEAP_AT, leap.BITS, leap.mark(look, risky)))
    found = np.zeros(look.count, np.uint64)
    for at, bits, rows in parts:
        shifts = np.arange(at, at + len(rows) * bits, bits, dtype=np.uint64)
        found |= np.bitwise_or.reduce(rows.astype(np.uint64) << shifts[:, None], axis=0)
    slow = np.where(look.height(HERE) > 0, look.has(HERE, 0, flags.SLOW), look.has(HERE, -1, flags.SLOW))
    for bit, where in (
        (ON_GROUND, look.ground(HERE)),
        (IN_WATER, look.swim(HERE)),
        (ON_RUNGS, look.hang(HERE)),
        (SLOW, slow),
        (RISKY, risky),
        (SUBMERGED, look.has(HERE, 1, flags.WATER)),
        (BORDER, _touches(look, flags.UNKNOWN, (0, -1))),
    ):
        if where.any():
            found |= where[0].astype(np.uint64) * np.uint64(bit)
    return found


def _risky(look: Around) -> Bools:
    """Something deadly lies beside the feet or one lower."""
    return _touches(look, flags.DANGER | flags.LAVA, (0, -1))


def _touches(look: Around, bits: int, heights: tuple[int, ...]) -> Bools:
    """Whether one of the four cells beside has one of the flags, at some height."""
    found = np.zeros((1, look.count), np.bool_)
    for dy in heights:
        found |= np.logical_or.reduce(look.has(SIDE, dy, bits), axis=0, keepdims=True)
    return found


@lru_cache(maxsize=65536)
def edges(code: int, sprints: bool, dives: bool = True) -> tuple[Edge, ...]:
    """The moves that a code stands for, with their costs for a body that may sprint or not. One that doesn't
    dive leaves a place under water upwards only."""
    pace = _pace(code, sprints)
    found: list[Edge] = []
    for side in range(4):
        found += straight.edges(_part(code, _STRAIGHT_AT, side, straight.BITS), side, pace)
    for corner in range(4):
        part = _part(code, _DIAGONAL_AT, corner, diagonal.BITS)
        found += diagonal.edges(part, corner, pace, swimming=bool(code & IN_WATER))
    for side in range(4):
        found += leap.edges(_part(code, _LEAP_AT, side, leap.BITS), side, sprints)
    found += vertical.edges(_part(code, _VERTICAL_AT, 0, vertical.BITS))
    if code & RISKY:
        found = [edge._replace(ticks=edge.ticks + costs.RISK) for edge in found]
    if code & SUBMERGED:
        ways = found if dives else [edge for edge in found if edge.dy > 0]
        found = [edge._replace(ticks=edge.ticks * costs.SUBMERGED) for edge in ways]
    return tuple(found)


def cliffs(found: Codes) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Where the ground ends and nothing is there for three blocks down: which codes, and on which side."""
    sides, at = np.nonzero((found >> _SIDE_SHIFTS & np.uint64(15)) == straight.CLIFF)
    return at, sides


def at_border(found: Codes) -> Bools:
    """Which codes are of stands right beside something that is not loaded."""
    at: Bools = (found & np.uint64(BORDER)) != 0
    return at


def _pace(code: int, sprints: bool) -> Pace:
    sprints = sprints and not code & RISKY
    if code & SLOW:
        walk = costs.SLOW_SPRINT if sprints else costs.SLOW_WALK
    else:
        walk = costs.SPRINT if sprints else costs.WALK
    return Pace(walk, costs.WADE)


def _part(code: int, base: int, index: int, bits: int) -> int:
    return code >> (base + index * bits) & ((1 << bits) - 1)


__all__ = ["CORNERS", "SIDES", "Edge", "Kind", "at_border", "cliffs", "codes", "edges"]
