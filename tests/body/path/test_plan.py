"""Searches without a body: routes, and the reasons why there are none."""

from __future__ import annotations

from itertools import pairwise

import pytest

from numen.body.path import goals, plan
from numen.body.path.context import Avoid, Context, Tools
from numen.body.path.goals import Goal
from numen.body.path.ground import Ground
from numen.body.path.moves.kinds import Kind
from numen.body.path.plan import Outcome
from numen.body.path.search import Limits
from numen.rules.items import ItemStack
from tests.body.path.terrain import Drawn, Hills

HANDS = Tools((), wasteful=True)
PICK = Tools([ItemStack.of("iron_pickaxe")])
DIG = Context(may_dig=True, dig_ticks=PICK)
BUILD = Context(may_place=True, spendable=20)
BOTH = Context(may_dig=True, may_place=True, spendable=20, dig_ticks=PICK)


def find(
    terrain: Hills | Drawn, start: goals.Cell, goal: Goal, context: Context | None = None, **options: int
) -> Outcome:
    work = plan.find(
        Ground(terrain), start, goal, context or Context(), Limits(**options) if options else None
    )
    while True:
        try:
            next(work)
        except StopIteration as end:
            outcome: Outcome = end.value
            return outcome


def kinds(outcome: Outcome) -> list[Kind]:
    assert outcome.route is not None
    return [step.kind for step in outcome.route.steps]


def test_a_route_is_a_chain_of_steps_from_start_to_goal() -> None:
    hills = Hills()
    start, end = (0, hills.surface(0, 0), 0), (70, hills.surface(70, 70), 70)
    outcome = find(hills, start, goals.at(*end))
    assert outcome.arrives
    route = outcome.route
    assert route is not None
    assert route.cells[0] == start
    assert route.end == end
    for before, after in pairwise(route.steps):
        assert before.dst == after.src
    assert len(route.steps) < 85
    assert route.ticks < 450


def test_the_straight_way_is_the_cheapest_on_a_plain() -> None:
    outcome = find(Drawn(), (0, 64, 0), goals.at(10, 64, 0))
    assert kinds(outcome) == [Kind.WALK] * 10
    outcome = find(Drawn(), (0, 64, 0), goals.at(6, 64, 6))
    assert kinds(outcome) == [Kind.DIAGONAL] * 6


def test_cuts_no_corner_of_a_wall() -> None:
    terrain = Drawn("S#\n..", "S#\n..", at=(0, 64, 0))
    outcome = find(terrain, (0, 64, 0), goals.at(1, 64, 1))
    assert kinds(outcome) == [Kind.WALK, Kind.WALK]


def test_says_that_a_block_is_in_the_way() -> None:
    outcome = find(Drawn("#"), (3, 64, 3), goals.at(0, 64, 0))
    assert outcome.reason in ("blocked", "needs_altering")
    assert "stone is there" in outcome.message
    assert outcome.route is None


def test_says_that_there_is_nothing_to_stand_on() -> None:
    outcome = find(Hills(), (0, 70, 0), goals.at(3, 150, 3))
    assert outcome.reason == "blocked"
    assert "nothing to stand on" in outcome.message


def test_says_that_the_world_ends_there() -> None:
    for y in (-70, 400):
        outcome = find(Drawn(), (0, 64, 0), goals.at(3, y, 3), BOTH)
        assert outcome.reason == "blocked"
        assert "outside of the world" in outcome.message


BOX = "#####\n#...#\n#...#\n#...#\n#####"
LID = BOX.replace(".", "#")


def test_says_that_it_is_shut_in_itself() -> None:
    outcome = find(Drawn(BOX, BOX, LID, rock="stone"), (2, 64, 2), goals.at(9, 64, 2), BUILD)
    assert outcome.reason in ("enclosed", "needs_altering")
    assert outcome.data["region"] <= 9
    assert 1 <= outcome.data["would_dig"] <= 2


def test_says_that_the_goal_is_walled_in_without_looking_everywhere() -> None:
    outcome = find(Drawn(BOX, BOX, LID), (20, 64, 2), goals.at(2, 64, 2))
    assert outcome.reason == "needs_altering"
    assert "cut off" in outcome.message
    assert outcome.data["nodes"] < 5000


def test_says_that_its_blocks_are_not_enough() -> None:
    outcome = find(Drawn(), (0, 64, 0), goals.at(0, 90, 0), BUILD)
    assert outcome.reason == "no_blocks"
    assert outcome.data["spare_blocks"] == 20


def test_spends_no_more_blocks_than_it_carries() -> None:
    outcome = find(Drawn(), (0, 64, 0), goals.at(0, 74, 0), BUILD)
    assert outcome.arrives
    assert outcome.route is not None
    assert outcome.route.placed == 10
    chasm = Drawn(hole=(3, 12))
    assert find(chasm, (0, 64, 0), goals.at(14, 64, 0), BUILD).arrives
    poor = Context(may_place=True, spendable=5)
    outcome = find(chasm, (0, 64, 0), goals.at(14, 64, 0), poor, nodes=4000)
    assert not outcome.arrives


def test_a_dearer_way_with_fewer_blocks_is_not_lost_to_a_cheaper_one_with_more() -> None:
    """Two gaps in a row. Bridging both takes six blocks, walking around the first leaves enough for one."""
    terrain = Drawn(hole=(3, 6), hole_depth=range(-30, 12), second_hole=(10, 13))
    enough = Context(may_place=True, spendable=3, leaps=False)
    outcome = find(terrain, (0, 64, 0), goals.at(16, 64, 0), enough, nodes=60_000)
    assert outcome.arrives
    assert outcome.route is not None
    assert outcome.route.placed == 3


def test_digs_straight_for_something_deep_in_the_rock() -> None:
    hills = Hills()
    context = Context(may_dig=True, dig_ticks=HANDS)
    outcome = find(hills, (0, hills.surface(0, 0), 0), goals.at(20, 40, 10), context)
    assert outcome.arrives
    assert outcome.data["nodes"] < 5000
    assert outcome.route is not None
    assert outcome.route.dug < 45


def test_says_which_blocks_its_tools_get_nothing_from() -> None:
    bare = Context(may_dig=True, may_place=True, spendable=20, dig_ticks=Tools(()))
    outcome = find(Drawn(rock="stone"), (0, 64, 0), goals.at(4, 58, 0), bare)
    assert outcome.reason == "needs_tool"
    assert "stone" in outcome.message
    assert find(Drawn(rock="stone"), (0, 64, 0), goals.at(4, 58, 0), BOTH).arrives


def test_digs_next_to_no_lava() -> None:
    """The rock around the goal is full of lava on one side."""
    terrain = Drawn(rock="stone", fill={(6, 58, 0): "lava", (6, 59, 0): "lava", (6, 60, 0): "lava"})
    outcome = find(terrain, (0, 64, 0), goals.at(5, 58, 0), DIG)
    lava = {(6, 58, 0), (6, 59, 0), (6, 60, 0)}
    if outcome.route is not None and outcome.arrives:
        for step in outcome.route.steps:
            for x, y, z in step.clear:
                beside = {(x + 1, y, z), (x - 1, y, z), (x, y, z + 1), (x, y, z - 1), (x, y + 1, z)}
                assert not beside & lava


def test_leaves_untouchable_cells_alone() -> None:
    wall = "...#...\n" * 3
    shut = frozenset((3, y, z) for y in range(58, 66) for z in range(-20, 24))
    terrain = Drawn(wall, wall, rock="stone")
    context = Context(may_dig=True, dig_ticks=PICK, untouchable=shut)
    outcome = find(terrain, (1, 64, 1), goals.at(5, 64, 1), context)
    if outcome.route is not None:
        assert not any(cell in shut for step in outcome.route.steps for cell in step.clear)


def test_keeps_out_of_what_is_to_be_avoided() -> None:
    sphere = Avoid(5.5, 64.9, 0.5, 3.0)
    outcome = find(Drawn(), (0, 64, 0), goals.at(11, 64, 0), Context(avoid=(sphere,)))
    assert outcome.arrives
    assert outcome.route is not None
    for x, y, z in outcome.route.cells:
        assert (x - 5) ** 2 + (y - 64) ** 2 + (z - 0) ** 2 > 6


def test_a_penalty_is_paid_where_there_is_no_way_around() -> None:
    wall = Avoid(5.5, 64.9, 0.5, 3.0, ticks=5.0)
    outcome = find(Drawn(), (5, 64, 0), goals.at(11, 64, 0), Context(avoid=(wall,)))
    assert outcome.arrives


def test_sets_out_for_a_goal_that_is_not_loaded() -> None:
    terrain = Drawn(loaded=3)
    outcome = find(terrain, (0, 64, 0), goals.column(300, 0))
    assert outcome.reason == "too_far"
    assert outcome.route is not None
    assert not outcome.arrives
    assert outcome.route.end[0] > 35


def test_is_honest_about_what_leads_into_the_unknown() -> None:
    box = Drawn("." * 80, loaded=1, hole=(20, 24))
    outcome = find(box, (0, 64, 0), goals.at(28, 64, 0), Context(leaps=False))
    assert outcome.reason == "unloaded"


def test_gives_up_at_the_limit_with_the_best_part_of_a_way() -> None:
    hills = Hills()
    outcome = find(hills, (0, hills.surface(0, 0), 0), goals.at(100, hills.surface(100, 0), 0), nodes=300)
    assert outcome.reason == "budget"
    assert outcome.route is not None
    assert outcome.route.end[0] > 5


def test_the_same_question_gets_the_same_answer() -> None:
    hills = Hills()
    goal = goals.at(-80, hills.surface(-80, -80), -80)
    first = find(hills, (0, hills.surface(0, 0), 0), goal)
    second = find(hills, (0, hills.surface(0, 0), 0), goal)
    assert first.route is not None
    assert second.route is not None
    assert first.route.cells == second.route.cells


@pytest.mark.parametrize("distance", [1, 400])
def test_works_far_from_the_origin(distance: int) -> None:
    far = 12_345_678
    outcome = find(Drawn(), (far, 64, -far), goals.near(far + distance, 64, -far, 1))
    assert outcome.arrives
