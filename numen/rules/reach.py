"""How far hands reach. Distances go from the eye to the nearest point of a box (vanilla 1.21.1)."""

from __future__ import annotations

from math import sqrt

Point = tuple[float, float, float]
Box = tuple[float, float, float, float, float, float]

#: Defaults of the attributes `player.block_interaction_range` and `player.entity_interaction_range`, in
#: blocks.
BLOCK_RANGE = 4.5
ENTITY_RANGE = 3.0
CREATIVE_BLOCK_BONUS = 0.5
CREATIVE_ENTITY_BONUS = 2.0
#: What a server allows on top.
SERVER_SLACK = 1.0


def distance_to_box(point: Point, box: Box) -> float:
    """From a point to the nearest point of a box (x0, y0, z0, x1, y1, z1), 0 inside."""
    dx = max(box[0] - point[0], 0.0, point[0] - box[3])
    dy = max(box[1] - point[1], 0.0, point[1] - box[4])
    dz = max(box[2] - point[2], 0.0, point[2] - box[5])
    return sqrt(dx * dx + dy * dy + dz * dz)


def distance_to_cell(point: Point, pos: tuple[int, int, int]) -> float:
    """From a point to the nearest point of a cell, which is what counts for blocks of every shape."""
    x, y, z = pos
    return distance_to_box(point, (x, y, z, x + 1.0, y + 1.0, z + 1.0))


def block_in_reach(eye: Point, pos: tuple[int, int, int], reach: float = BLOCK_RANGE) -> bool:
    """Whether a block can be dug or used from an eye."""
    return distance_to_cell(eye, pos) < reach


def entity_in_reach(eye: Point, box: Box, reach: float = ENTITY_RANGE) -> bool:
    """Whether an entity with this box can be hit or used from an eye."""
    return distance_to_box(eye, box) < reach
