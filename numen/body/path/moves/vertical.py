"""Straight up and down: swimming, and ladders and vines."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from numen.body.path import costs, flags
from numen.body.path.moves.kinds import Edge, Kind
from numen.body.path.survey import HERE, Around

BITS: Final = 4

SWIM_UP: Final = 1
SWIM_DOWN: Final = 2
CLIMB_UP: Final = 4
CLIMB_DOWN: Final = 8


def mark(around: Around) -> NDArray[np.uint8]:
    """The code of each stand, in one row."""
    look = around
    swim = look.swim(HERE)
    rung = look.has(HERE, 0, flags.CLIMB)
    lands = look.rests(HERE, -1) & (rung | look.has(HERE, -1, flags.CLIMB))
    code = np.zeros((1, around.count), np.uint8)
    for bit, where in (
        (SWIM_UP, swim & (look.swim(HERE, 1) | look.hang(HERE, 1))),
        (SWIM_DOWN, swim & look.swim(HERE, -1)),
        (CLIMB_UP, rung & look.hang(HERE, 1)),
        (CLIMB_DOWN, lands & ~look.ground(HERE) & ~swim),
    ):
        code[where] |= np.uint8(bit)
    return code


def edges(code: int) -> list[Edge]:
    """The moves that a code stands for."""
    found = []
    if code & SWIM_UP:
        found.append(Edge(0, 1, 0, Kind.SWIM, costs.SWIM_UP))
    if code & SWIM_DOWN:
        found.append(Edge(0, -1, 0, Kind.SWIM, costs.SWIM_DOWN))
    if code & CLIMB_UP:
        found.append(Edge(0, 1, 0, Kind.CLIMB, costs.LADDER_UP))
    if code & CLIMB_DOWN:
        found.append(Edge(0, -1, 0, Kind.CLIMB, costs.LADDER_DOWN))
    return found
