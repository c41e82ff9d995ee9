"""The kinds of moves, and the edges that a search adds up."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple


class Kind(Enum):
    """What a body does to get from one cell to the next."""

    WALK = "walk"
    DOOR = "door"
    HOP = "hop"
    ASCEND = "ascend"
    DESCEND = "descend"
    FALL = "fall"
    DIAGONAL = "diagonal"
    LEAP = "leap"
    SWIM = "swim"
    CLIMB_OUT = "climb out"
    CLIMB = "climb"
    DIG_DOWN = "dig down"
    PILLAR = "pillar"
    BRIDGE = "bridge"


class Edge(NamedTuple):
    """A move out of a cell: where it leads, how, and what it costs in ticks."""

    dx: int
    dy: int
    dz: int
    kind: Kind
    ticks: float


@dataclass(frozen=True)
class Pace:
    """How fast a body gets along where it stands: ticks a block on foot and in water."""

    walk: float
    water: float
