"""Boxes among blocks, as the server asks about them: can it move, is it free, is it in water.

Everything is decided by the physics of `numen.rules`, the same that clients move by.
"""

from __future__ import annotations

import math
from typing import TypeAlias

from numen.rules.physics.collide import Near, Who, collide
from numen.rules.physics.matter import LAVA, WATER, matter
from numen.rules.physics.state import BlockView

Box: TypeAlias = tuple[float, float, float, float, float, float]


def box_at(x: float, y: float, z: float, width: float, height: float) -> Box:
    """The box of an entity whose feet stand at (x, y, z)."""
    half = width / 2
    return (x - half, y, z - half, x + half, y + height, z + half)


def grown(box: Box, x: float, y: float, z: float) -> Box:
    """The box made larger (or smaller) by x, y and z on each side."""
    return (box[0] - x, box[1] - y, box[2] - z, box[3] + x, box[4] + y, box[5] + z)


def overlap(one: Box, other: Box) -> bool:
    """Whether two boxes share more than a face."""
    return (
        one[0] < other[3]
        and one[3] > other[0]
        and one[1] < other[4]
        and one[4] > other[1]
        and one[2] < other[5]
        and one[5] > other[2]
    )


def around(view: BlockView, feet: float, *, fall_distance: float = 0.0, descending: bool = False) -> Near:
    """The blocks as a body with its feet at this height meets them."""
    return Near(view, matter(), Who(feet, descending, fall_distance, False))


def slide(
    view: BlockView,
    box: Box,
    dx: float,
    dy: float,
    dz: float,
    *,
    step_height: float = 0.6,
    on_ground: bool = True,
) -> tuple[float, float, float]:
    """How far a box gets of the move (dx, dy, dz), stepping up where it may."""
    return collide(around(view, box[1]), box, dx, dy, dz, step_height, on_ground)


def is_free(view: BlockView, box: Box) -> bool:
    """True when no block's collision box overlaps the given one."""
    return around(view, box[1]).is_free(*box)


def fluids(view: BlockView, box: Box) -> tuple[float, float]:
    """How high water and lava stand over the bottom of a box, in blocks."""
    table = matter()
    masks, block = table.masks, view.block
    x0, y0, z0, x1, y1, z1 = grown(box, -0.001, -0.001, -0.001)
    water = lava = 0.0
    for x in range(math.floor(x0), math.ceil(x1)):
        for y in range(math.floor(y0), math.ceil(y1)):
            for z in range(math.floor(z0), math.ceil(z1)):
                state = block(x, y, z)
                kind = masks[state] & (WATER | LAVA)
                if not kind:
                    continue
                top = y + (1.0 if masks[block(x, y + 1, z)] & kind else table.fluids[state][0] / 9)
                if kind & WATER:
                    water = max(water, top - y0)
                else:
                    lava = max(lava, top - y0)
    return water, lava


def friction_below(view: BlockView, x: float, y: float, z: float) -> float:
    """Slipperiness of the ground under feet, 0.6 where nothing is special."""
    state = view.block(math.floor(x), math.floor(y - 0.500001), math.floor(z))
    return matter().friction.get(state, 0.6)
