"""Where a walk may end, and how far that is thought to be."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from numen.body.path import costs, goals

SMALL = st.integers(-40, 40)
CELLS = st.tuples(SMALL, SMALL, SMALL)


def at(goal: goals.Goal, cell: goals.Cell) -> int:
    return goals.estimate_at(goal, cell)


def test_only_members_are_at_zero() -> None:
    cases: list[tuple[goals.Goal, list[goals.Cell], list[goals.Cell]]] = [
        (goals.at(1, 2, 3), [(1, 2, 3)], [(1, 2, 4), (1, 3, 3)]),
        (goals.near(0, 0, 0, 2), [(0, 0, 0), (2, 0, 0), (1, 1, 1)], [(2, 1, 0), (0, 3, 0)]),
        (goals.column(5, 6), [(5, 0, 6), (5, 99, 6)], [(5, 0, 7)]),
        (goals.height(64), [(9, 64, 9)], [(9, 65, 9), (9, 63, 9)]),
        (goals.beside(0, 64, 0), [(1, 64, 0), (0, 63, -1), (0, 65, 0)], [(0, 64, 0), (1, 65, 0), (1, 64, 1)]),
        (goals.Away([(0.5, 64.0, 0.5)], 8), [(8, 64, 0), (0, 0, -9)], [(7, 64, 0), (0, 64, 0)]),
        (goals.InReach(0, 64, 0), [(3, 64, 0), (0, 65, 1)], [(0, 64, 0), (0, 63, 0), (6, 64, 0)]),
    ]
    for goal, members, others in cases:
        for cell in members:
            assert goals.contains(goal, cell), (str(goal), cell)
        for cell in others:
            assert not goals.contains(goal, cell), (str(goal), cell)


def test_listed_cells_are_the_members() -> None:
    for goal in (goals.near(3, 4, 5, 2.5), goals.InReach(3, 4, 5), goals.beside(3, 4, 5)):
        listed = goal.cells()
        assert listed
        assert all(goals.contains(goal, cell) for cell in listed)


@given(CELLS, CELLS)
def test_an_estimate_is_what_sprinting_and_climbing_take(cell: goals.Cell, target: goals.Cell) -> None:
    dx, dy, dz = (abs(a - b) for a, b in zip(cell, target, strict=True))
    flat = max(dx, dz) - min(dx, dz) + min(dx, dz) * costs.DIAGONAL
    height = dy * (costs.UP if target[1] > cell[1] else costs.DOWN)
    assert at(goals.at(*target), cell) / costs.UNIT == pytest.approx(flat * costs.SPRINT + height, rel=0.01)


@given(st.lists(CELLS, min_size=1, max_size=30), st.lists(CELLS, min_size=1, max_size=30))
def test_many_cells_cost_what_the_nearest_costs(targets: list[goals.Cell], cells: list[goals.Cell]) -> None:
    table = np.array(cells, np.int64)
    found = goals.Cells(targets).estimate(table[:, 0], table[:, 1], table[:, 2])
    for cell, far in zip(cells, found.tolist(), strict=True):
        assert far == min(at(goals.at(*target), cell) for target in targets)


def test_any_of_merges_what_can_be_listed() -> None:
    both = goals.any_of([goals.at(1, 2, 3), goals.beside(9, 9, 9)])
    assert isinstance(both, goals.Cells)
    assert goals.contains(both, (1, 2, 3))
    assert goals.contains(both, (10, 9, 9))
    mixed = goals.any_of([goals.at(1, 2, 3), goals.column(7, 7)])
    assert goals.contains(mixed, (7, 50, 7))
    assert goals.any_of([goals.height(3)]).middle == (None, 3, None)


def test_goals_name_themselves() -> None:
    assert str(goals.at(1, 2, 3)) == "(1, 2, 3)"
    assert str(goals.near(1, 2, 3, 4.0)) == "within 4 of (1, 2, 3)"
    assert "or" in str(goals.AnyOf([goals.column(1, 2), goals.height(3)]))


def test_an_empty_goal_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one cell"):
        goals.Cells([])
