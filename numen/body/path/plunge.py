"""Jumping into water from high up: the falls that are too deep for the margin of a surveyed block."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from numen.body.path import costs, flags, frame, moves
from numen.body.path.context import WATER_DROP

if TYPE_CHECKING:
    from numen.body.path.ground import Ground, Surveyed


def find(ground: Ground, block: Surveyed) -> Iterator[tuple[int, int, float]]:
    """The plunges from the stands of a block: which stand, what the move adds to a key, its ticks."""
    x0, y0, z0 = block.corner
    for i in np.flatnonzero(moves.with_cliffs(block.codes)).tolist():
        key = int(block.keys[i])
        x, y, z = x0 + (key & 1023), y0 + (key >> 20), z0 + (key >> 10 & 1023)
        for dx, dz in moves.cliffs(int(block.codes[i])):
            surface = _water_below(ground, x + dx, y - 4, z + dz, y - WATER_DROP)
            if surface is not None:
                yield i, frame.step(dx, surface - y, dz), costs.plunge(y - surface)


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
