"""Moves to one of the four neighbours: walking, steps, jumps onto a block, descents, falls, doors, banks.

In each direction at most one landing is possible, so four bits name it. `mark` finds it for all stands of a
block, `edges` says what it costs.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from numen.body.path import costs, flags
from numen.body.path.moves.kinds import Edge, Kind, Pace
from numen.body.path.survey import HERE, SIDE, SIDES, Around, Bools

Bytes = NDArray[np.uint8]

BITS: Final = 4

NONE: Final = 0
FLAT: Final = 1
FLAT_WET: Final = 2
FLAT_DOOR: Final = 3
HOP: Final = 4
STEP_UP: Final = 5
ASCEND: Final = 6
ASCEND_DOOR: Final = 7
STEP_DOWN: Final = 8
DESCEND: Final = 9
DESCEND_DOOR: Final = 10
FALL_2: Final = 11
FALL_3: Final = 12
CLIMB_OUT: Final = 13
#: An edge with nothing to land on for three blocks; the search looks for water further down.
CLIFF: Final = 15

#: Sixteenths that a foot lifts by itself (step height 0.6), that a jump rises (1.25), that a fall costs no
#: health.
_STEP: Final = 9
_JUMP: Final = 20

_WALLS_OUT: Final = np.array(
    [[flags.WALL_WEST], [flags.WALL_EAST], [flags.WALL_NORTH], [flags.WALL_SOUTH]], np.uint16
)
_WALLS_IN: Final = _WALLS_OUT[[1, 0, 3, 2]]


def mark(around: Around, max_drop: int) -> Bytes:
    """The codes of each stand: a row for each of SIDES."""
    look = around
    here = look.height(HERE)
    ground, swim = look.ground(HERE), look.swim(HERE)
    stooping = here < 4  # two clear cells are enough above a floor of this height
    walled = look.has(HERE, 0, _WALLS_OUT) | look.has(SIDE, 0, _WALLS_IN)
    walled_head = look.has(HERE, 1, _WALLS_OUT) | look.has(SIDE, 1, _WALLS_IN)
    walled_above = look.has(HERE, 2, _WALLS_OUT) | look.has(SIDE, 2, _WALLS_IN)
    door = look.has(HERE, 0, flags.DOOR) | look.has(HERE, 1, flags.DOOR)
    door = door | look.has(SIDE, 0, flags.DOOR) | look.has(SIDE, 1, flags.DOOR)
    level = ~(walled | walled_head)
    tall = stooping | look.clear(SIDE, 2)
    room_above = look.clear(HERE, 2)

    # the same height
    height = look.height(SIDE)
    rise = height - here
    flat = look.rests(SIDE) & level & tall & ((height < 4) | room_above)
    walk = flat & (rise <= _STEP)
    wet = swim | look.swim(SIDE)

    # one up
    height = look.height(SIDE, 1)
    rise_up = height + np.int8(16) - here
    fits = room_above & ~(walled_head | walled_above) & ((height < 4) | look.clear(SIDE, 3))
    stand = look.ground(SIDE, 1) & fits
    lands = stand | (look.hang(SIDE, 1) & fits & ~flat)
    surface = swim & ~look.has(HERE, 1, flags.WATER)
    firm = ground & ~swim

    # down: through the neighbouring cell, which must be free
    over = look.roomy(SIDE) & level & tall & ~look.rests(SIDE)
    one = over & look.rests(SIDE, -1)
    drop = here + np.int8(16) - look.height(SIDE, -1)
    deeper = over & look.roomy(SIDE, -1) & ~look.rests(SIDE, -1) & ~door
    two = deeper & look.rests(SIDE, -2) & _survivable(look, 2, max_drop)
    deeper = deeper & look.roomy(SIDE, -2) & ~look.rests(SIDE, -2)
    three = deeper & look.rests(SIDE, -3) & _survivable(look, 3, max_drop)
    cliff = deeper & look.roomy(SIDE, -3) & ~look.rests(SIDE, -3) & ground

    code = np.zeros((4, around.count), np.uint8)
    for value, where in (
        (FLAT, walk),
        (FLAT_WET, walk & wet),
        (FLAT_DOOR, walk & door),
        (HOP, flat & (rise > _STEP) & firm & room_above & ~door),
        (ASCEND, lands & (rise_up > _STEP) & (rise_up <= _JUMP) & firm),
        (STEP_UP, stand & (rise_up <= _STEP) & ground),
        (CLIMB_OUT, stand & surface & (rise_up <= 16) & ~door),
        (STEP_DOWN, one & (drop <= _STEP)),
        (DESCEND, one & (drop > _STEP)),
        (FALL_2, two),
        (FALL_3, three),
        (CLIFF, cliff),
    ):
        np.copyto(code, np.uint8(value), where=where)
    if door.any():
        code[door & ((code == STEP_UP) | (code == ASCEND))] = ASCEND_DOOR
        code[door & ((code == STEP_DOWN) | (code == DESCEND))] = DESCEND_DOOR
    return code


def _survivable(look: Around, cells: int, max_drop: int) -> Bools:
    """Whether the fall to a landing costs no more health than allowed. Water and ladders catch."""
    fallen = look.height(HERE) + np.int8(cells * 16) - look.height(SIDE, -cells)
    return look.swim(SIDE, -cells) | look.hang(SIDE, -cells) | (fallen <= max_drop * 16)


def edges(code: int, side: int, pace: Pace) -> list[Edge]:
    """The moves that a code stands for. CLIFF stands for none: the search looks further down itself."""
    dx, dz = SIDES[side]
    walk = pace.walk
    if code == FLAT:
        return [Edge(dx, 0, dz, Kind.WALK, walk)]
    if code == FLAT_WET:
        return [Edge(dx, 0, dz, Kind.SWIM, pace.water)]
    if code == FLAT_DOOR:
        return [Edge(dx, 0, dz, Kind.DOOR, walk + costs.OPEN_DOOR)]
    if code == HOP:
        return [Edge(dx, 0, dz, Kind.HOP, costs.HOP)]
    if code == STEP_UP:
        return [Edge(dx, 1, dz, Kind.WALK, walk)]
    if code == ASCEND:
        return [Edge(dx, 1, dz, Kind.ASCEND, max(costs.ASCEND, walk))]
    if code == ASCEND_DOOR:
        return [Edge(dx, 1, dz, Kind.DOOR, max(costs.ASCEND, walk) + costs.OPEN_DOOR)]
    if code == STEP_DOWN:
        return [Edge(dx, -1, dz, Kind.WALK, walk)]
    if code == DESCEND:
        return [Edge(dx, -1, dz, Kind.DESCEND, max(costs.DESCEND, walk))]
    if code == DESCEND_DOOR:
        return [Edge(dx, -1, dz, Kind.DOOR, max(costs.DESCEND, walk) + costs.OPEN_DOOR)]
    if code == FALL_2:
        return [Edge(dx, -2, dz, Kind.FALL, costs.FALL[2])]
    if code == FALL_3:
        return [Edge(dx, -3, dz, Kind.FALL, costs.FALL[3])]
    if code == CLIMB_OUT:
        return [Edge(dx, 1, dz, Kind.CLIMB_OUT, costs.CLIMB_OUT)]
    return []
