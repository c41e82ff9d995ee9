"""Faces of block shapes: whether something can be set against them. vanilla 1.21.1 `SupportType`."""

from __future__ import annotations

from functools import lru_cache

from numen.rules.physics.matter import FULL_CUBE, Box
from numen.rules.states import name_of
from protocol.game import GAME

#: Blocks whose sides carry differently from how they collide.
_CARRIES_AS_FULL = frozenset({"soul_sand", "mud"})

_STEPS = 16
_CENTRE = range(7, 9)


def support_boxes(state: int) -> tuple[Box, ...]:
    """The boxes that carry other blocks; those of a full cube for what is not loaded or a mod's."""
    if not 0 <= state < GAME.state_count:
        return FULL_CUBE
    name = name_of(state)
    if name in _CARRIES_AS_FULL:
        return FULL_CUBE
    if name.endswith("_leaves") or name in ("powder_snow", "scaffolding"):
        return ()
    if name == "snow":
        return ((0.0, 0.0, 0.0, 1.0, int(GAME.properties(state)["layers"]) / 8, 1.0),)
    return GAME.shape(state)


@lru_cache(maxsize=4096)
def _face(boxes: tuple[Box, ...], direction: str) -> frozenset[tuple[int, int]]:
    # The sixteenths of a side of the cell that the shape fills.
    axis = {"east": 0, "west": 0, "up": 1, "down": 1, "south": 2, "north": 2}[direction]
    a, b = (1, 2) if axis == 0 else (0, 2) if axis == 1 else (0, 1)
    filled = set()
    for box in boxes:
        touches = box[axis + 3] >= 1.0 if direction in ("east", "up", "south") else box[axis] <= 0.0
        if not touches:
            continue
        for i in range(_STEPS):
            if box[a] * _STEPS <= i + 0.5 <= box[a + 3] * _STEPS:
                for j in range(_STEPS):
                    if box[b] * _STEPS <= j + 0.5 <= box[b + 3] * _STEPS:
                        filled.add((i, j))
    return frozenset(filled)


def is_sturdy(state: int, direction: str) -> bool:
    """Whether the side of a block in a direction is a full square."""
    boxes = support_boxes(state)
    return boxes == FULL_CUBE or len(_face(boxes, direction)) == _STEPS * _STEPS


def carries_centre(state: int, direction: str) -> bool:
    """Whether the middle of a side carries: torches stand on fences, lanterns hang from chains."""
    face = _face(support_boxes(state), direction)
    return all((i, j) in face for i in _CENTRE for j in _CENTRE)


def carries_rim(state: int, direction: str = "up") -> bool:
    """Whether the rim of a side carries: rails and plates lie on hoppers."""
    face = _face(support_boxes(state), direction)
    rim = (0, 1, _STEPS - 2, _STEPS - 1)
    return all((i, j) in face for i in range(_STEPS) for j in range(_STEPS) if i in rim or j in rim)
