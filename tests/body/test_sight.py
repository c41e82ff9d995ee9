"""Rays and what they meet."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from numen.body import sight
from numen.body.controls import Controls, angles
from numen.body.reach import direction
from protocol.game import GAME

Cell = tuple[int, int, int]


class Space:
    """Air with some blocks."""

    def __init__(self, blocks: dict[Cell, str]) -> None:
        self._states = {cell: GAME.block(name).default_state for cell, name in blocks.items()}

    def block(self, x: int, y: int, z: int, /) -> int:
        return self._states.get((x, y, z), 0)


EYE = (0.5, 65.62, 0.5)


def test_a_ray_names_block_face_and_point() -> None:
    space = Space({(3, 65, 0): "stone"})
    hit = sight.first_hit(space, EYE, (5.5, 65.62, 0.5))
    assert hit == sight.Hit((3, 65, 0), 4, (3.0, 65.62, 0.5))


def test_a_ray_along_a_border_between_cells_meets_a_block_beside_it() -> None:
    space = Space({(3, 65, 0): "stone"})
    assert sight.first_hit(space, (0.5, 65.5, 1.0), (5.5, 65.5, 0.2)) is not None


def test_a_ray_passes_over_a_slab_and_through_grass() -> None:
    assert sight.first_hit(Space({(3, 65, 0): "oak_slab"}), EYE, (5.5, 65.62, 0.5)) is None
    assert sight.first_hit(Space({(3, 65, 0): "short_grass"}), EYE, (5.5, 65.62, 0.5)) is None


def test_grass_can_be_aimed_at_when_it_is_meant() -> None:
    hit = sight.spot_on(Space({(2, 64, 0): "short_grass"}), EYE, (2, 64, 0), 4.5)
    assert hit is not None
    assert hit.pos == (2, 64, 0)


def test_cells_along_a_line_come_in_order_and_touch() -> None:
    cells = list(sight.cells_along((0.5, 0.5, 0.5), (3.2, -2.7, 1.9)))
    assert cells[0] == (0, 0, 0)
    assert cells[-1] == (3, -3, 1)
    for one, other in pairwise(cells):
        assert sum(abs(a - b) for a, b in zip(one, other, strict=True)) == 1


def test_only_sides_that_face_the_eye_are_offered() -> None:
    space = Space({(2, 64, 0): "stone"})
    faces = {hit.face for hit in sight.spots_on(space, EYE, (2, 64, 0), 4.5)}
    assert faces == {1, 4}


def test_a_side_can_be_demanded() -> None:
    space = Space({(2, 64, 0): "stone"})
    top = sight.spot_on(space, EYE, (2, 64, 0), 4.5, face=1)
    assert top is not None
    assert top.face == 1
    assert top.point[1] == pytest.approx(65.0)
    assert sight.spot_on(space, EYE, (2, 64, 0), 4.5, face=5) is None


def test_a_half_hidden_block_is_seen_at_the_part_that_shows() -> None:
    space = Space({(3, 65, 0): "stone", (2, 65, 0): "oak_slab"})
    hit = sight.spot_on(space, EYE, (3, 65, 0), 4.5)
    assert hit is not None
    assert hit.pos == (3, 65, 0)
    assert hit.point[1] > 65.5


def test_what_hides_a_block_is_named() -> None:
    space = Space({(3, 65, 0): "stone", (2, 65, 0): "glass"})
    assert sight.in_the_way(space, EYE, (3, 65, 0)) == (2, 65, 0)


def test_reach_is_measured_to_the_point_on_the_block() -> None:
    space = Space({(5, 65, 0): "stone"})
    assert sight.spot_on(space, EYE, (5, 65, 0), 4.5) is not None
    assert sight.spot_on(space, EYE, (5, 65, 0), 4.4) is None


def test_a_head_inside_a_block_sees_that_block() -> None:
    space = Space({(0, 65, 0): "sand"})
    assert sight.spot_on(space, EYE, (0, 65, 0), 4.5) == sight.Hit((0, 65, 0), 1, EYE)


def test_what_is_unknown_is_solid() -> None:
    class Unloaded:
        def block(self, x: int, y: int, z: int, /) -> int:
            return -1 if x > 2 else 0

    hit = sight.first_hit(Unloaded(), EYE, (9.5, 65.62, 0.5))
    assert hit is not None
    assert hit.pos == (3, 65, 0)


@pytest.mark.parametrize(
    ("point", "yaw", "pitch"),
    [
        ((0.5, 65.62, 9.5), 0, 0),
        ((-9.5, 65.62, 0.5), 90, 0),
        ((0.5, 65.62, -9.5), 180, 0),
        ((9.5, 65.62, 0.5), -90, 0),
        ((0.5, 60.0, 0.5), 0, 90),
        ((0.5, 70.0, 0.5), 0, -90),
        ((0.5, 66.62, 1.5), 0, -45),
    ],
)
def test_angles_are_those_of_the_wire(point: tuple[float, float, float], yaw: float, pitch: float) -> None:
    found = angles(EYE, point)
    assert math.isclose(abs(found[0]), abs(yaw), abs_tol=1e-9)
    assert found[1] == pytest.approx(pitch)
    assert direction(*found) == pytest.approx(
        [(point[i] - EYE[i]) / math.dist(EYE, point) for i in range(3)], abs=1e-9
    )


def test_the_head_turns_the_short_way_and_in_single_precision() -> None:
    controls = Controls(yaw=170.0)
    controls.turn(-170.0, 12.3)
    assert controls.yaw == 190.0
    assert controls.pitch == pytest.approx(12.3, abs=1e-6)
    assert controls.pitch != 12.3
    controls.turn(0.0, 200.0)
    assert controls.pitch == 90.0
