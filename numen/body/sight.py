"""Lines of sight: what a ray from the eye meets first, and where on a block it can be made to end.

The game aims at outlines, the tables hold collision boxes. A block without a collision box (grass, a torch,
a crop) never stands in the way here, and is aimed at through a smaller box in the middle of its cell.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final, NamedTuple

from numen.body.prediction import BlockPos, Point
from numen.rules.physics import BlockView
from numen.rules.reach import distance_to_box
from numen.rules.states import name_of
from protocol.game import GAME

Box = tuple[float, float, float, float, float, float]

#: Faces by their number on the wire (protocol 767): down, up, north, south, west, east.
FACE_NORMALS: Final[tuple[BlockPos, ...]] = (
    (0, -1, 0),
    (0, 1, 0),
    (0, 0, -1),
    (0, 0, 1),
    (-1, 0, 0),
    (1, 0, 0),
)

_FULL: Final[tuple[Box, ...]] = ((0.0, 0.0, 0.0, 1.0, 1.0, 1.0),)
#: What is aimed at of a block that has no collision box.
_SLIM: Final[tuple[Box, ...]] = ((0.3, 0.0, 0.3, 0.7, 0.6, 0.7),)
#: Where on a face a ray is tried, the middle first; as shares of the face's sides.
_SPOTS: Final = tuple(
    sorted(
        ((u, v) for u in (0.5, 0.25, 0.75, 0.08, 0.92) for v in (0.5, 0.25, 0.75, 0.08, 0.92)),
        key=lambda spot: (spot[0] - 0.5) ** 2 + (spot[1] - 0.5) ** 2,
    )
)
_AIRY: Final = frozenset({"air", "cave_air", "void_air"})
_FLUIDS: Final = frozenset({"water", "lava", "bubble_column"})


class Hit(NamedTuple):
    """Where a ray ended: the block's cell, the face by number, the point in world coordinates."""

    pos: BlockPos
    face: int
    point: Point


def known(state: int) -> bool:
    """Whether `state` is one of the tables'. Modded states and missing chunks are not."""
    return 0 <= state < GAME.state_count


def is_air(state: int) -> bool:
    """Nothing is there."""
    return name_of(state) in _AIRY


def is_fluid(state: int) -> bool:
    """Nothing but water or lava is there."""
    return name_of(state) in _FLUIDS


def solid_boxes(state: int) -> tuple[Box, ...]:
    """Collision boxes in cell coordinates. What is unknown or not loaded counts as a full block."""
    return GAME.shape(state) if known(state) else _FULL


def aim_boxes(state: int) -> tuple[Box, ...]:
    """What can be aimed at: the collision boxes, a slim box where there are none, nothing of air and
    fluids."""
    if is_air(state) or is_fluid(state):
        return ()
    return solid_boxes(state) or _SLIM


def block_name(state: int) -> str:
    """The block's name without ``minecraft:``, for a sentence."""
    name = name_of(state)
    if name:
        return name
    return "unloaded chunk" if state < 0 else f"unknown block (state {state})"


def first_hit(view: BlockView, start: Point, end: Point, target: BlockPos | None = None) -> Hit | None:
    """The first block a ray from `start` to `end` meets; None when it reaches its end.

    `target` is met through what can be aimed at of it, every other block only through its collision boxes.
    """
    for cell in cells_along(start, end):
        state = view.block(*cell)
        boxes = aim_boxes(state) if cell == target else solid_boxes(state)
        hit = _hit_boxes(boxes, cell, start, end)
        if hit is not None:
            return hit
    return None


def cells_along(start: Point, end: Point) -> Iterator[BlockPos]:
    """The cells a straight line passes, in order, the first and the last included."""
    cell = [math.floor(value) for value in start]
    last = [math.floor(value) for value in end]
    delta = [end[i] - start[i] for i in range(3)]
    step = [1 if value > 0 else -1 for value in delta]
    # share of the line until the next border on each axis, and between two borders
    stride = [abs(1.0 / value) if value else math.inf for value in delta]
    ahead = [((cell[i] + (step[i] > 0)) - start[i]) / delta[i] if delta[i] else math.inf for i in range(3)]
    for _ in range(sum(abs(last[i] - cell[i]) for i in range(3)) + 1):
        yield cell[0], cell[1], cell[2]
        axis = ahead.index(min(ahead))
        if ahead[axis] > 1.0:
            return
        cell[axis] += step[axis]
        ahead[axis] += stride[axis]


def spots_on(
    view: BlockView, eye: Point, pos: BlockPos, reach: float, face: int | None = None
) -> Iterator[Hit]:
    """Points on the block at `pos` that the eye sees within `reach` blocks, the best first.

    With `face` (its number) only points on that side of the block. Nothing is yielded when there is none.
    """
    faces = range(6) if face is None else (face,)
    if face is None and any(distance_to_box(eye, box) == 0.0 for box in boxes_at(view.block(*pos), pos)):
        yield Hit(pos, 1, eye)  # the head is inside it
        return
    tries = []
    for x0, y0, z0, x1, y1, z1 in aim_boxes(view.block(*pos)):
        low = (pos[0] + x0, pos[1] + y0, pos[2] + z0)
        high = (pos[0] + x1, pos[1] + y1, pos[2] + z1)
        for side in faces:
            axis, plane = _plane(side, low, high)
            outward = eye[axis] - plane
            if outward * sum(FACE_NORMALS[side]) <= 1e-4:
                continue  # the eye is behind this side
            for u, v in (*_SPOTS, _nearest_spot(axis, low, high, eye)):
                point = _point_on(axis, plane, low, high, u, v)
                distance = math.dist(eye, point)
                if distance <= reach:
                    off_middle = abs(u - 0.5) + abs(v - 0.5)
                    tries.append((off_middle + distance * 0.05, side, point))
    for _, side, point in sorted(tries):
        hit = first_hit(view, eye, _beyond(eye, point), target=pos)
        if hit is not None and hit.pos == pos and (face is None or hit.face == face):
            yield Hit(pos, hit.face if face is None else side, hit.point)


def spot_on(view: BlockView, eye: Point, pos: BlockPos, reach: float, face: int | None = None) -> Hit | None:
    """The best of `spots_on`, or None."""
    return next(spots_on(view, eye, pos, reach, face), None)


def in_the_way(view: BlockView, eye: Point, pos: BlockPos) -> BlockPos | None:
    """The block that hides the middle of `pos` from the eye, or None."""
    middle = (pos[0] + 0.5, pos[1] + 0.5, pos[2] + 0.5)
    hit = first_hit(view, eye, middle, target=pos)
    return hit.pos if hit is not None and hit.pos != pos else None


def clear_line(view: BlockView, start: Point, end: Point) -> bool:
    """Whether no collision box lies between two points."""
    return first_hit(view, start, end) is None


def boxes_meet(a: Box, b: Box) -> bool:
    """Whether two boxes share more than a surface."""
    return all(a[i] < b[i + 3] - 1e-7 and b[i] < a[i + 3] - 1e-7 for i in range(3))


def boxes_at(state: int, pos: BlockPos) -> tuple[Box, ...]:
    """The collision boxes of `state` in world coordinates."""
    x, y, z = pos
    return tuple(
        (x + x0, y + y0, z + z0, x + x1, y + y1, z + z1) for x0, y0, z0, x1, y1, z1 in solid_boxes(state)
    )


def _plane(side: int, low: Point, high: Point) -> tuple[int, float]:
    axis = (1, 2, 0)[side // 2]
    return axis, high[axis] if side % 2 else low[axis]


def _point_on(axis: int, plane: float, low: Point, high: Point, u: float, v: float) -> Point:
    first, second = [each for each in range(3) if each != axis]
    point = [0.0, 0.0, 0.0]
    point[axis] = plane
    point[first] = low[first] + (high[first] - low[first]) * u
    point[second] = low[second] + (high[second] - low[second]) * v
    return point[0], point[1], point[2]


def _nearest_spot(axis: int, low: Point, high: Point, eye: Point) -> tuple[float, float]:
    """Where on a side the eye is nearest to, a little away from its edges."""
    shares = [
        min(max((eye[i] - low[i]) / (high[i] - low[i]), 0.05), 0.95) if high[i] > low[i] else 0.5
        for i in range(3)
        if i != axis
    ]
    return shares[0], shares[1]


def _beyond(eye: Point, point: Point) -> Point:
    """A little farther on the line from `eye` through `point`, so that a ray ends inside the block."""
    x, y, z = (eye[i] + (point[i] - eye[i]) * 1.002 for i in range(3))
    return x, y, z


def _hit_boxes(boxes: tuple[Box, ...], cell: BlockPos, start: Point, end: Point) -> Hit | None:
    best: tuple[float, int] | None = None
    for box in boxes:
        entry = _enter(box, cell, start, end)
        if entry is not None and (best is None or entry[0] < best[0]):
            best = entry
    if best is None:
        return None
    share, face = best
    x, y, z = (start[i] + (end[i] - start[i]) * share for i in range(3))
    return Hit(cell, face, (x, y, z))


def _enter(box: Box, cell: BlockPos, start: Point, end: Point) -> tuple[float, int] | None:
    """Where a segment enters a box: the share of its length and the face; None when it misses or begins
    inside."""
    enter, leave, face = -math.inf, math.inf, -1
    for axis in range(3):
        low, high = cell[axis] + box[axis], cell[axis] + box[axis + 3]
        delta = end[axis] - start[axis]
        if abs(delta) < 1e-12:
            if not low <= start[axis] <= high:
                return None
            continue
        near, far = (low - start[axis]) / delta, (high - start[axis]) / delta
        # the side that is met first: the low one when moving up the axis
        side = (1, 2, 0).index(axis) * 2 + (0 if delta > 0 else 1)
        if near > far:
            near, far = far, near
        if near > enter:
            enter, face = near, side
        leave = min(leave, far)
    if face < 0 or enter > leave or not 0.0 <= enter <= 1.0:
        return None
    return enter, face
