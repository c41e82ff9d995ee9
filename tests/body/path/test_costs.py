"""The cost table against the physics: what a body really takes."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from numen.body.path import costs
from numen.rules.physics import Inputs, PlayerState, step
from tests.rules.worlds import Yard, standing


def _steady(view: Yard, inputs: Inputs, start: PlayerState | None = None, warm_up: int = 60) -> float:
    """Blocks a tick over the ground, once the pace is steady."""
    state = start or standing()
    for _ in range(warm_up):
        state = step(state, inputs, view)
    x, z = state.x, state.z
    for _ in range(10):
        state = step(state, inputs, view)
    return math.hypot(state.x - x, state.z - z) / 10


def _rise(view: Yard, inputs: Inputs, start: PlayerState, warm_up: int = 30) -> float:
    """Blocks a tick up or down, once the pace is steady."""
    state = start
    for _ in range(warm_up):
        state = step(state, inputs, view)
    y = state.y
    for _ in range(10):
        state = step(state, inputs, view)
    return abs(state.y - y) / 10


@pytest.mark.parametrize(
    ("cost", "inputs", "floor"),
    [
        (costs.WALK, Inputs(forward=1), "stone"),
        (costs.SPRINT, Inputs(forward=1, sprint=True), "stone"),
        (costs.SNEAK, Inputs(forward=1, sneak=True), "stone"),
        (costs.SLOW_WALK, Inputs(forward=1), "soul_sand"),
        (costs.SLOW_SPRINT, Inputs(forward=1, sprint=True), "soul_sand"),
    ],
)
def test_ground_speeds(cost: float, inputs: Inputs, floor: str) -> None:
    assert 1 / _steady(Yard(floor), inputs) == pytest.approx(cost, abs=0.002)


def test_water_speeds() -> None:
    deep = Yard("stone", top=-2000, fill="water")
    afloat = PlayerState(y=-500.0)
    assert 1 / _steady(deep, Inputs(forward=1), afloat) == pytest.approx(costs.WADE, abs=0.01)
    assert 1 / _rise(deep, Inputs(jump=True), afloat) == pytest.approx(costs.SWIM_UP, abs=0.01)
    assert 1 / _rise(deep, Inputs(sneak=True), afloat) == pytest.approx(costs.SWIM_DOWN, abs=0.01)


def test_ladder_speeds() -> None:
    shaft = Yard("stone")
    for y in range(64):
        shaft.set((0, y, 0), "ladder")
    up = PlayerState(x=0.5, y=1.0, z=0.5)
    down = PlayerState(x=0.5, y=60.0, z=0.5)
    assert 1 / _rise(shaft, Inputs(jump=True), up, 5) == pytest.approx(costs.LADDER_UP, abs=0.01)
    assert 1 / _rise(shaft, Inputs(), down, 5) == pytest.approx(costs.LADDER_DOWN, abs=0.01)


class _Stairs(Yard):
    """Full blocks that rise or fall by one along z from z 5 on."""

    def __init__(self, slope: int) -> None:
        super().__init__("stone")
        self._slope = slope

    def block(self, x: int, y: int, z: int) -> int:
        return self.floor if y < self._slope * max(0, z - 5) else 0


def _ticks_between(view: Yard, keys: Callable[[PlayerState], Inputs], first: float, last: float) -> int:
    """Ticks from standing at height `first` to standing at height `last`."""
    state = standing()
    began = 0
    for tick in range(1000):
        state = step(state, keys(state), view)
        if state.on_ground and not began and abs(state.y) >= abs(first):
            began = tick
        if state.on_ground and abs(state.y) >= abs(last):
            return tick - began
    raise AssertionError("it never got there")


def test_a_block_up_a_staircase() -> None:
    stairs = _Stairs(1)

    def keys(state: PlayerState) -> Inputs:
        ahead = math.floor(state.z + 0.3 + 0.7)
        return Inputs(forward=1, sprint=True, jump=state.on_ground and max(0, ahead - 5) > state.y + 0.6)

    assert _ticks_between(stairs, keys, 5, 25) / 20 == pytest.approx(costs.ASCEND, abs=0.01)


def test_a_block_down_a_staircase() -> None:
    ticks = _ticks_between(_Stairs(-1), lambda state: Inputs(forward=1), -5, -35)
    assert ticks / 30 == pytest.approx(costs.DESCEND, abs=0.01)


@pytest.mark.parametrize("drop", [1, 2, 3])
def test_a_fall_over_an_edge(drop: int) -> None:
    state = PlayerState(y=float(drop))
    view = Yard("stone")
    ticks = 0
    while not state.on_ground:
        state = step(state, Inputs(), view)
        ticks += 1
    assert ticks - 1 == costs.DROP[drop]
    assert 0.8 * costs.WALK + costs.DROP[drop] == pytest.approx(costs.FALL[drop], abs=0.001)


def test_a_jump_flies_for_twelve_ticks() -> None:
    state = step(standing(), Inputs(jump=True), Yard("stone"))
    ticks = 1
    while not state.on_ground:
        state = step(state, Inputs(), Yard("stone"))
        ticks += 1
    assert ticks == 12
    # from the middle of a cell to its edge, at a sprint, and a little of a run-up
    assert costs.LEAP[2] == pytest.approx(ticks + 0.7 * costs.SPRINT, abs=0.6)


def test_a_plunge_is_a_fall_after_a_step() -> None:
    state = PlayerState(y=10.0)
    ticks = 0
    while state.y > 0.0:
        state = step(state, Inputs(), Yard(None))
        ticks += 1
    assert costs.plunge(10) == pytest.approx(costs.WALK + ticks, abs=1.0)


def test_the_estimate_never_asks_more_than_a_staircase_costs() -> None:
    assert pytest.approx(costs.ASCEND) == costs.UP + costs.SPRINT
    assert pytest.approx(costs.DESCEND) == costs.DOWN + costs.SPRINT
    assert costs.DOWN < costs.SWIM_DOWN
    assert costs.UP < costs.SWIM_UP
    assert costs.UP < costs.LADDER_UP
