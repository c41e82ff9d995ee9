"""Jumping into water from high up: the falls that are too deep for the margin of a surveyed block."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from numen.body.path import costs, flags, frame, moves
from numen.body.path.context import WATER_DROP
from numen.body.path.survey import DX, DY, DZ, Survey

if TYPE_CHECKING:
    from numen.body.path.ground import Ground, Surveyed

#: The cells beside a stand, in the order of SIDES, as flat offsets.
_BESIDE: Final = np.array([dx * DX + dz * DZ for dx, dz in moves.SIDES], np.intp)


def find(ground: Ground, block: Surveyed, terrain: Survey) -> Iterator[tuple[int, int, float]]:
    """The plunges from the stands of a block: which stand, what the move adds to a key, its ticks."""
    x0, y0, z0 = block.corner
    stands, sides = moves.cliffs(block.codes)
    worth = _worth_a_look(terrain, terrain.stands[stands] + _BESIDE[sides])
    for i, side in zip(stands[worth].tolist(), sides[worth].tolist(), strict=True):
        key = int(block.keys[i])
        x, y, z = x0 + (key & 1023), y0 + (key >> 20), z0 + (key >> 10 & 1023)
        dx, dz = moves.SIDES[side]
        surface = _water_below(ground, x + dx, y - 4, z + dz, y - WATER_DROP)
        if surface is not None:
            yield i, frame.step(dx, surface - y, dz), costs.plunge(y - surface)


def _worth_a_look(terrain: Survey, beside: NDArray[np.intp]) -> NDArray[np.intp]:
    """Those of some cells below which, four and more cells down, there is water first or, as far as the block
    and its margin go, nothing."""
    left = np.arange(len(beside))
    found = [left[:0]]
    at = beside - 4 * DY
    while len(left):
        below = terrain.walking.take(at, mode="clip") & (flags.WATER | flags.CLEAR)
        out = at < 0
        found.append(left[out | (below & flags.WATER != 0)])
        on = ~out & (below == flags.CLEAR)
        left, at = left[on], at[on] - DY
    return np.concatenate(found)


def _water_below(ground: Ground, x: int, y: int, z: int, lowest: int) -> int | None:
    """The height of a water surface with water under it, when nothing else is on the way down."""
    table = flags.tables().walking
    while y >= lowest:
        state = ground.state(x, y, z)
        if state is None:
            return None
        found = int(table[min(state, len(table) - 1)])
        if found & flags.WATER:
            below = ground.state(x, y - 1, z)
            deep = below is not None and int(table[min(below, len(table) - 1)]) & flags.WATER
            return y if deep and found & flags.CLEAR else None
        if not found & flags.CLEAR:
            return None
        y -= 1
    return None
