"""What moves cost, in ticks, and where each number comes from.

The horizontal speeds follow from vanilla 1.21.1 movement on ordinary ground (slipperiness 0.6): per tick the
body gains `input · 0.98 · speed` and keeps 0.546 of its velocity. `tests/body/path/test_costs.py` recomputes
every figure here from the physics, so none of them can drift away from how the body really moves.
"""

from __future__ import annotations

from math import sqrt
from typing import Final

#: Costs inside a search are whole numbers: this many to a tick.
UNIT: Final = 64

#: Steady walking, 0.215859 blocks a tick.
WALK: Final = 4.633
#: Steady sprinting, 0.280617 blocks a tick.
SPRINT: Final = 3.564
#: Steady sneaking, 0.064758 blocks a tick.
SNEAK: Final = 15.442
#: A diagonal block is longer.
DIAGONAL: Final = sqrt(2.0)

#: Walking while wholly in water, 0.098 blocks a tick.
WADE: Final = 10.204
#: Holding jump in deep water rises 0.175 blocks a tick, holding sneak sinks 0.225.
SWIM_UP: Final = 5.714
SWIM_DOWN: Final = 4.444
#: From the water onto a bank one block up, as the body does it.
CLIMB_OUT: Final = 11.0

#: Soul sand: speed factor 0.4 on top of walking, 0.125384 blocks a tick; sprinting 0.162999.
SLOW_WALK: Final = 7.975
SLOW_SPRINT: Final = 6.135

#: Ladders: up 0.1176 blocks a tick, down 0.15.
LADDER_UP: Final = 8.503
LADDER_DOWN: Final = 6.667

#: One block up a staircase of full blocks, jumping at each: from one jump to the next, which is the flight
#: from the ground to the ground one block higher.
ASCEND: Final = 9.0
#: One block down such a staircase, walking.
DESCEND: Final = 5.433
#: A descent along a diagonal takes longer; an ascent doesn't, for its flight lasts as long.
DIAGONAL_EXTRA: Final = 1.5
#: Over an edge and 0, 1, 2, 3 blocks down: 0.8 blocks of walking until nothing carries the body any more,
#: then the ticks of a free fall from rest (5, 7, 9).
FALL: Final = (0.0, 8.706, 10.706, 12.706)
#: A jump onto something low in the next cell (a chest, a bed).
HOP: Final = ASCEND
#: A jump over one empty cell (2 blocks) and over two (3 blocks): a flight of 12 ticks after the run to the
#: edge.
LEAP: Final = (0.0, 0.0, 15.0, 15.0)

#: What the hands do on the way, measured on a server that answers within a tick: opening a door, setting a
#: block, leaning out over an edge to set one in front, jumping to set one under the feet.
OPEN_DOOR: Final = 5.0
PLACE: Final = 5.0
BRIDGE: Final = 20.0
PILLAR: Final = 10.0
#: Falling straight down 1, 2, 3 blocks when the block underfoot is dug away.
DROP: Final = (0.0, 5.0, 7.0, 9.0)
#: Between two digs: aiming at the next block, the server's answer, the pause that the game makes itself.
DIG_PAUSE: Final = 6.0

#: Beside lava, fire or a cactus: worth this detour.
RISK: Final = 16.0
#: Under water with no air to breathe: costs this much more.
SUBMERGED: Final = 1.5

#: What a block up or down is worth in the estimate of the way still to go: what ascending and descending cost
#: more than sprinting on. Slabs and stairs are a little cheaper to climb than this says.
UP: Final = ASCEND - SPRINT
DOWN: Final = DESCEND - SPRINT


def units(ticks: float) -> int:
    """Ticks as the whole number that a search adds up."""
    return round(ticks * UNIT)


def plunge(blocks: int) -> float:
    """Walking off an edge and falling `blocks` into water: after n ticks a body has fallen 3.92 · (n − 50 ·
    (1 − 0.98^n)) blocks."""
    ticks = 0
    while 3.92 * (ticks - 50 * (1 - 0.98**ticks)) < blocks:
        ticks += 1
    return WALK + ticks
