"""Floats, directions, reach."""

from __future__ import annotations

import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numen.rules import reach
from numen.rules.directions import CLOCKWISE, OPPOSITE, axis_of, heading, looking, neighbour
from numen.rules.f32 import cos, f32, sin, turn


@given(st.floats(-1e6, 1e6))
def test_f32_is_the_nearest_single(value: float) -> None:
    assert f32(value) == struct.unpack("f", struct.pack("f", value))[0]
    assert f32(f32(value)) == f32(value)


@given(st.floats(-20.0, 20.0, width=32))
def test_the_table_is_a_sine(angle: float) -> None:
    assert sin(angle) == pytest.approx(math.sin(angle), abs=2e-4)
    assert cos(angle) == pytest.approx(math.cos(angle), abs=2e-4)


def test_turns_of_the_table() -> None:
    assert turn(0.0) == (0.0, 1.0)
    assert turn(90.0) == (1.0, pytest.approx(0.0, abs=1e-4))
    assert turn(-180.0)[1] == -1.0


def test_headings() -> None:
    yaws = {
        0: "south",
        44: "south",
        46: "west",
        90: "west",
        180: "north",
        -90: "east",
        315: "south",
        540: "north",
    }
    assert {yaw: heading(yaw) for yaw in yaws} == yaws


@given(st.floats(-180.0, 180.0, width=32), st.floats(-90.0, 90.0, width=32))
def test_a_look_orders_all_six_directions(yaw: float, pitch: float) -> None:
    order = looking(yaw, pitch)
    assert sorted(order) == sorted(OPPOSITE)
    assert [OPPOSITE[each] for each in order[:3]] == order[:2:-1]
    if abs(pitch) > 46:
        assert order[0] == ("down" if pitch > 0 else "up")
    if abs(pitch) < 30 and axis_of(order[0]) != "y":
        assert order[0] == heading(yaw) or abs(math.sin(math.radians(2 * yaw))) > 0.99


def test_small_directions() -> None:
    assert [axis_of(each) for each in ("up", "north", "east")] == ["y", "z", "x"]
    assert neighbour((1, 2, 3), "west") == (0, 2, 3)
    assert CLOCKWISE["north"] == "east"


def test_reach_is_measured_to_the_nearest_point() -> None:
    eye = (0.5, 1.62, 0.5)
    assert reach.distance_to_cell(eye, (0, 1, 0)) == 0
    assert reach.distance_to_cell(eye, (5, 1, 0)) == pytest.approx(4.5)
    assert reach.block_in_reach(eye, (4, 1, 0))
    assert not reach.block_in_reach(eye, (5, 1, 0))
    assert reach.block_in_reach(eye, (5, 1, 0), 5.0)
    assert reach.entity_in_reach(eye, (3.4, 0.0, 0.2, 4.0, 1.8, 0.8))
    assert not reach.entity_in_reach(eye, (3.5, 0.0, 0.2, 4.1, 1.8, 0.8))
