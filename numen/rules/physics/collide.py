"""Collision of a box with the blocks around it: sweeps, steps, edges.

vanilla 1.21.1 `Entity.collide`: the vertical axis first, then the larger horizontal one last but one; a body
that is stopped sideways while it has footing tries the heights of nearby tops, lowest first.
"""

from __future__ import annotations

from math import floor

from numen.rules.f32 import f32
from numen.rules.physics.matter import FULL, SOLID, TALL, Box, Matter
from numen.rules.physics.state import UNLOADED, BlockView
from numen.rules.states import name_of
from protocol.game import GAME

EPSILON = 1.0e-7
#: Step heights are looked for this far below the feet, so that the block stood on is among them.
_STEP_MARGIN = f32(1.0e-5)

#: A box in the world, with the cell it belongs to.
PlacedBox = tuple[float, float, float, float, float, float, int, int, int]
Cell = tuple[int, int, int, int, int]  # x, y, z, state, mask


class Who:
    """What boxes that depend on the toucher want to know of it."""

    __slots__ = ("descending", "fall_distance", "feet", "walks_on_powder_snow")

    def __init__(
        self, feet: float, descending: bool, fall_distance: float, walks_on_powder_snow: bool
    ) -> None:
        self.feet = feet
        self.descending = descending
        self.fall_distance = fall_distance
        self.walks_on_powder_snow = walks_on_powder_snow


class Near:
    """The notable cells around a body, read once a tick: everything that is not plain air.

    `survey` names a box; its cells and the row below (fences reach up from there) are read. Questions about a
    larger box read again.
    """

    __slots__ = ("any", "block", "cells", "high", "low", "matter", "who")

    def __init__(self, view: BlockView, matter: Matter, who: Who) -> None:
        self.block = view.block
        self.matter = matter
        self.who = who
        self.cells: list[Cell] = []
        #: All mask bits found, or'ed.
        self.any = 0
        self.low = (0, 0, 0)
        self.high = (-1, -1, -1)

    def survey(self, x0: float, y0: float, z0: float, x1: float, y1: float, z1: float) -> None:
        """Make sure that the cells touched by a box, and the row below them, have been read."""
        ax, ay, az = floor(x0 - EPSILON), floor(y0 - EPSILON) - 1, floor(z0 - EPSILON)
        bx, by, bz = floor(x1 + EPSILON), floor(y1 + EPSILON), floor(z1 + EPSILON)
        if self.high[0] >= self.low[0]:
            lx, ly, lz = self.low
            hx, hy, hz = self.high
            if ax >= lx and ay >= ly and az >= lz and bx <= hx and by <= hy and bz <= hz:
                return
            ax, ay, az = min(ax, lx), min(ay, ly), min(az, lz)
            bx, by, bz = max(bx, hx), max(by, hy), max(bz, hz)
        self.low, self.high = (ax, ay, az), (bx, by, bz)
        block, masks = self.block, self.matter.masks
        cells: list[Cell] = []
        found = 0
        rows = range(ay, by + 1)
        for x in range(ax, bx + 1):
            for z in range(az, bz + 1):
                for y in rows:
                    state = block(x, y, z)
                    try:
                        mask = masks[state]
                    except IndexError:  # a mod's block
                        state, mask = UNLOADED, SOLID | FULL
                    if mask:
                        found |= mask
                        cells.append((x, y, z, state, mask))
        self.cells, self.any = cells, found

    def boxes(self, x0: float, y0: float, z0: float, x1: float, y1: float, z1: float) -> list[PlacedBox]:
        """Collision boxes that overlap the given box by more than nothing."""
        self.survey(x0, y0, z0, x1, y1, z1)
        found: list[PlacedBox] = []
        if not self.any & SOLID:
            return found
        shapes = self.matter.boxes
        for cx, cy, cz, state, mask in self.cells:
            if not mask & SOLID:
                continue
            if mask & FULL:
                if cx < x1 and cx + 1 > x0 and cy < y1 and cy + 1 > y0 and cz < z1 and cz + 1 > z0:
                    found.append((cx, cy, cz, cx + 1, cy + 1, cz + 1, cx, cy, cz))
                continue
            if cy + 1 <= y0 and not mask & TALL:
                continue
            shape = shapes[state]
            if shape is None:
                shape = dynamic_boxes(state, cx, cy, cz, self.who)
            for bx0, by0, bz0, bx1, by1, bz1 in shape:
                if (
                    cx + bx0 < x1
                    and cx + bx1 > x0
                    and cy + by0 < y1
                    and cy + by1 > y0
                    and cz + bz0 < z1
                    and cz + bz1 > z0
                ):
                    found.append((cx + bx0, cy + by0, cz + bz0, cx + bx1, cy + by1, cz + bz1, cx, cy, cz))
        return found

    def is_free(self, x0: float, y0: float, z0: float, x1: float, y1: float, z1: float) -> bool:
        """True when no block's box overlaps the given one."""
        return not self.boxes(x0, y0, z0, x1, y1, z1)


_SCAFFOLDING_STABLE: tuple[Box, ...] = (
    (0.0, 0.875, 0.0, 1.0, 1.0, 1.0),
    (0.0, 0.0, 0.0, 0.125, 1.0, 0.125),
    (0.875, 0.0, 0.0, 1.0, 1.0, 0.125),
    (0.0, 0.0, 0.875, 0.125, 1.0, 1.0),
    (0.875, 0.0, 0.875, 1.0, 1.0, 1.0),
)
_SCAFFOLDING_BOTTOM: tuple[Box, ...] = ((0.0, 0.0, 0.0, 1.0, 0.125, 1.0),)
_POWDER_SNOW_LANDING: tuple[Box, ...] = ((0.0, 0.0, 0.0, 1.0, f32(0.9), 1.0),)
_CUBE: tuple[Box, ...] = ((0.0, 0.0, 0.0, 1.0, 1.0, 1.0),)
_ABOVE_MARGIN = f32(1.0e-5)


def dynamic_boxes(state: int, x: int, y: int, z: int, who: Who) -> tuple[Box, ...]:
    """Collision boxes, in cell coordinates, of blocks whose shape depends on the toucher or on the cell.

    Scaffolding holds who comes from above and does not sneak; powder snow holds leather boots and breaks long
    falls; bamboo and dripstone stand a little aside of their middle, by cell.
    """
    name = name_of(state)
    if name == "scaffolding":
        above = who.feet > y + 1.0 - _ABOVE_MARGIN
        if above and not who.descending:
            return _SCAFFOLDING_STABLE
        properties = GAME.properties(state)
        hangs = properties["distance"] != "0" and properties["bottom"] == "true"
        return _SCAFFOLDING_BOTTOM if hangs and who.feet > y - _ABOVE_MARGIN else ()
    if name == "powder_snow":
        if who.fall_distance > 2.5:
            return _POWDER_SNOW_LANDING
        holds = who.walks_on_powder_snow and who.feet > y + 1.0 - _ABOVE_MARGIN and not who.descending
        return _CUBE if holds else ()
    limit = 0.25 if name == "bamboo" else 0.125
    # The shape data has the offset of the cell (0, 0) in it: -limit on both axes.
    dx, dz = cell_offset(x, z, limit)
    return tuple(
        (b[0] + limit + dx, b[1], b[2] + limit + dz, b[3] + limit + dx, b[4], b[5] + limit + dz)
        for b in GAME.shape(state)
    )


def cell_offset(x: int, z: int, limit: float) -> tuple[float, float]:
    """How far a block such as bamboo or a flower stands from the middle of its cell, (dx, dz) within ±limit.

    vanilla 1.21.1: 4 bits an axis of a hash of the column.
    """
    seed = _column_seed(x, z)
    dx = (f32((seed & 15) / 15.0) - 0.5) * 0.5
    dz = (f32((seed >> 8 & 15) / 15.0) - 0.5) * 0.5
    return max(-limit, min(limit, dx)), max(-limit, min(limit, dz))


def _signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def _column_seed(x: int, z: int) -> int:
    # The game multiplies x as an int and z as a long, with wrap-around.
    seed = _signed(x * 3129871, 32) ^ _signed(z * 116129781, 64)
    seed = _signed(seed * seed * 42317861 + seed * 11, 64)
    return seed >> 16


def sweep(
    boxes: list[PlacedBox],
    x0: float,
    y0: float,
    z0: float,
    x1: float,
    y1: float,
    z1: float,
    dx: float,
    dy: float,
    dz: float,
) -> tuple[float, float, float]:
    """How far a box gets that wants to move by (dx, dy, dz)."""
    if not boxes:
        return dx, dy, dz
    if dy != 0.0:
        dy = _sweep_y(boxes, x0, y0, z0, x1, y1, z1, dy)
        if dy != 0.0:
            y0 += dy
            y1 += dy
    z_first = abs(dx) < abs(dz)
    if z_first and dz != 0.0:
        dz = _sweep_z(boxes, x0, y0, z0, x1, y1, z1, dz)
        if dz != 0.0:
            z0 += dz
            z1 += dz
    if dx != 0.0:
        dx = _sweep_x(boxes, x0, y0, z0, x1, y1, z1, dx)
        if not z_first and dx != 0.0:
            x0 += dx
            x1 += dx
    if not z_first and dz != 0.0:
        dz = _sweep_z(boxes, x0, y0, z0, x1, y1, z1, dz)
    return dx, dy, dz


def _sweep_y(
    boxes: list[PlacedBox], x0: float, y0: float, z0: float, x1: float, y1: float, z1: float, d: float
) -> float:
    x0, z0, x1, z1 = x0 + EPSILON, z0 + EPSILON, x1 - EPSILON, z1 - EPSILON
    for b in boxes:
        if -EPSILON < d < EPSILON:
            return 0.0
        if b[0] > x1 or b[3] <= x0 or b[2] > z1 or b[5] <= z0:
            continue
        if d > 0.0:
            gap = b[1] - y1
            if -EPSILON <= gap < d:
                d = gap
        else:
            gap = b[4] - y0
            if EPSILON >= gap > d:
                d = gap
    return d


def _sweep_x(
    boxes: list[PlacedBox], x0: float, y0: float, z0: float, x1: float, y1: float, z1: float, d: float
) -> float:
    y0, z0, y1, z1 = y0 + EPSILON, z0 + EPSILON, y1 - EPSILON, z1 - EPSILON
    for b in boxes:
        if -EPSILON < d < EPSILON:
            return 0.0
        if b[1] > y1 or b[4] <= y0 or b[2] > z1 or b[5] <= z0:
            continue
        if d > 0.0:
            gap = b[0] - x1
            if -EPSILON <= gap < d:
                d = gap
        else:
            gap = b[3] - x0
            if EPSILON >= gap > d:
                d = gap
    return d


def _sweep_z(
    boxes: list[PlacedBox], x0: float, y0: float, z0: float, x1: float, y1: float, z1: float, d: float
) -> float:
    x0, y0, x1, y1 = x0 + EPSILON, y0 + EPSILON, x1 - EPSILON, y1 - EPSILON
    for b in boxes:
        if -EPSILON < d < EPSILON:
            return 0.0
        if b[0] > x1 or b[3] <= x0 or b[1] > y1 or b[4] <= y0:
            continue
        if d > 0.0:
            gap = b[2] - z1
            if -EPSILON <= gap < d:
                d = gap
        else:
            gap = b[5] - z0
            if EPSILON >= gap > d:
                d = gap
    return d


def collide(
    near: Near, box: Box, dx: float, dy: float, dz: float, step_height: float, on_ground: bool
) -> tuple[float, float, float]:
    """The part of the move (dx, dy, dz) that a body can make, stepping up where it may."""
    x0, y0, z0, x1, y1, z1 = box
    swept = (
        x0 + dx if dx < 0 else x0,
        y0 + dy if dy < 0 else y0,
        z0 + dz if dz < 0 else z0,
        x1 + dx if dx > 0 else x1,
        y1 + dy if dy > 0 else y1,
        z1 + dz if dz > 0 else z1,
    )
    boxes = near.boxes(*swept)
    gx, gy, gz = sweep(boxes, x0, y0, z0, x1, y1, z1, dx, dy, dz)
    if (gx == dx and gz == dz) or step_height <= 0.0:
        return gx, gy, gz
    landing = gy != dy and dy < 0.0
    if not (landing or on_ground):
        return gx, gy, gz

    # The step is tried from where the feet land.
    low = y0 + gy if landing else y0
    high = y1 + gy if landing else y1
    floor_y = low if landing else low - _STEP_MARGIN
    boxes = near.boxes(swept[0], floor_y, swept[2], swept[3], high + step_height, swept[5])
    reached = gx * gx + gz * gz
    for height in _step_heights(boxes, low, f32(step_height), f32(gy)):
        sx, sy, sz = sweep(boxes, x0, low, z0, x1, high, z1, dx, height, dz)
        if sx * sx + sz * sz > reached:
            return sx, sy - (y0 - low), sz
    return gx, gy, gz


def _step_heights(boxes: list[PlacedBox], feet: float, limit: float, resolved: float) -> list[float]:
    heights = set()
    for b in boxes:
        for edge in (b[1], b[4]):
            height = f32(edge - feet)
            if 0.0 <= height <= limit and height != resolved:
                heights.add(height)
    return sorted(heights)


def back_off_from_edge(
    near: Near, box: Box, dx: float, dz: float, step_height: float, on_ground: bool, fall_distance: float
) -> tuple[float, float]:
    """A sneaking player's horizontal move, shortened by 0.05 until something stays below its box."""
    drop = f32(step_height)
    x0, y0, z0, x1, _, z1 = box

    def falls(mx: float, mz: float, depth: float) -> bool:
        return near.is_free(x0 + mx, y0 - depth - _STEP_MARGIN, z0 + mz, x1 + mx, y0, z1 + mz)

    standing = on_ground or (fall_distance < drop and not falls(0.0, 0.0, f32(drop - fall_distance)))
    if not standing:
        return dx, dz

    def shorten(d: float) -> float:
        return 0.0 if abs(d) <= 0.05 else d - 0.05 if d > 0 else d + 0.05

    while dx != 0.0 and falls(dx, 0.0, drop):
        dx = shorten(dx)
    while dz != 0.0 and falls(0.0, dz, drop):
        dz = shorten(dz)
    while dx != 0.0 and dz != 0.0 and falls(dx, dz, drop):
        dx, dz = shorten(dx), shorten(dz)
    return dx, dz


def supporting_cell(near: Near, box: Box, x: float, y: float, z: float) -> tuple[int, int, int] | None:
    """Of the cells whose boxes carry this one, the cell whose middle is nearest to (x, y, z)."""
    x0, y0, z0, x1, _, z1 = box
    best: tuple[float, int, int, int] | None = None
    for b in near.boxes(x0, y0 - 1.0e-6, z0, x1, y0, z1):
        cx, cy, cz = b[6], b[7], b[8]
        distance = (cx + 0.5 - x) ** 2 + (cy + 0.5 - y) ** 2 + (cz + 0.5 - z) ** 2
        # Of equally near cells the game takes the later one in its own order: by y, then z, then x.
        if (
            best is None
            or distance < best[0]
            or (distance == best[0] and (best[2], best[3], best[1]) < (cy, cz, cx))
        ):
            best = (distance, cx, cy, cz)
    return None if best is None else best[1:]
