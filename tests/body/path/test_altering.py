"""Digging, bridging and climbing on blocks that are carried; doors and gates."""

from __future__ import annotations

from functools import partial

import pytest

from numen.body import walk
from numen.body.path import goals
from protocol.game import GAME
from tests.body.path.yard import Garden

BOX = "#####\n#...#\n#.S.#\n#...#\n#####"
LID = "#####\n#####\n#####\n#####\n#####"


def _pit(garden: Garden) -> None:
    """A shaft three deep under the start."""
    garden.fill((-3, 50, -3), (3, 63, 3), "stone")
    garden.fill((0, 61, 0), (0, 63, 0), "air")


def test_digs_through_a_wall_only_when_allowed() -> None:
    garden = Garden(BOX, BOX.replace("S", "."), LID, items={"stone_pickaxe": 1})
    verdict = garden.run(walk.go_to(garden.body, goals.at(8, 64, 2)))
    assert not verdict.ok
    assert verdict.data["reason"] == "needs_altering"
    verdict = garden.run(walk.go_to(garden.body, goals.at(8, 64, 2), may_dig=True))
    assert verdict.ok, verdict.message
    assert verdict.data["blocks_dug"] == 2
    assert garden.block((4, 64, 2)) == "air"


def test_leaves_alone_what_its_tools_get_nothing_from() -> None:
    def rock(garden: Garden) -> None:
        garden.fill((-3, 58, -3), (7, 63, 7), "stone")

    garden = Garden(BOX, BOX.replace("S", "."), LID, before=rock)
    verdict = garden.run(walk.go_to(garden.body, goals.at(8, 64, 2), may_dig=True))
    assert not verdict.ok
    garden = Garden(BOX, BOX.replace("S", "."), LID, before=rock)
    verdict = garden.run(walk.go_to(garden.body, goals.at(8, 64, 2), may_dig=True, wasteful=True), 900)
    assert verdict.ok, verdict.message


def test_stops_digging_when_its_tool_has_worn_out() -> None:
    def rock(garden: Garden) -> None:
        garden.fill((2, 50, -9), (30, 70, 9), "stone")
        garden.fill((-9, 50, -9), (1, 63, 9), "stone")

    garden = Garden(before=rock, items={"wooden_pickaxe": 1})

    def wear_out() -> None:
        if garden.body.position[0] > 4:
            garden.player.inventory.slots[:] = [None] * len(garden.player.inventory.slots)

    verdict = garden.run(walk.go_to(garden.body, goals.at(12, 64, 0), may_dig=True), 900, each=wear_out)
    assert not verdict.ok
    assert verdict.kind == "wrong_tool"


def test_never_digs_up_a_chest() -> None:
    boxed = BOX.replace("#", "C")
    garden = Garden(boxed, boxed.replace("S", "."), LID.replace("#", "C"), items={"iron_axe": 1})
    verdict = garden.run(walk.go_to(garden.body, goals.at(8, 64, 2), may_dig=True))
    if verdict.ok:  # it may dig under them, but not through
        assert garden.block((4, 64, 2)) == "chest"
        assert garden.block((4, 65, 2)) == "chest"


def test_walks_where_it_can_although_it_may_dig() -> None:
    wall = "...#....\n" * 5
    garden = Garden(wall, wall, at=(0.5, 64, 2.5), items={"iron_pickaxe": 1})
    verdict = garden.run(walk.go_to(garden.body, goals.at(6, 64, 2), may_dig=True))
    assert verdict.ok
    assert "blocks_dug" not in verdict.data


def test_digs_down_to_something_buried() -> None:
    garden = Garden(items={"iron_pickaxe": 1, "iron_shovel": 1})
    verdict = garden.run(walk.go_to(garden.body, goals.at(3, 57, 3), may_dig=True), 900)
    assert verdict.ok, verdict.message
    assert garden.feet == (3, 57, 3)
    assert garden.player.health == 20


def test_bridges_a_gap_with_the_blocks_it_carries() -> None:
    def chasm(garden: Garden) -> None:
        garden.fill((3, 30, -20), (7, 63, 20), "air")

    garden = Garden(before=chasm, items={"cobblestone": 16}, view_distance=2)
    verdict = garden.run(walk.go_to(garden.body, goals.at(10, 64, 0), may_place=True), 900)
    assert verdict.ok, verdict.message
    assert verdict.data["blocks_placed"] == 5
    assert garden.player.health == 20


def test_says_that_it_has_no_blocks_for_a_bridge() -> None:
    def island(garden: Garden) -> None:
        garden.fill((-16, 30, -16), (16, 63, 16), "air")
        garden.fill((0, 63, 0), (2, 63, 2), "stone")
        garden.fill((8, 63, 0), (9, 63, 2), "stone")

    garden = Garden(before=island, at=(1.5, 64, 1.5), view_distance=2)
    verdict = garden.run(walk.go_to(garden.body, goals.at(8, 64, 1), may_dig=True, may_place=True))
    assert not verdict.ok
    assert verdict.data["reason"] == "no_blocks"
    assert verdict.kind == "no_material"


def test_climbs_out_of_a_pit_on_a_pillar() -> None:
    garden = Garden(before=_pit, at=(0.5, 61, 0.5), items={"dirt": 8})
    verdict = garden.run(walk.go_to(garden.body, goals.at(5, 64, 0), may_place=True), 600)
    assert verdict.ok, verdict.message
    assert 2 <= verdict.data["blocks_placed"] <= 3


def test_digs_its_way_up_out_of_a_pit_without_blocks() -> None:
    garden = Garden(before=_pit, at=(0.5, 61, 0.5), items={"iron_pickaxe": 1})
    verdict = garden.run(walk.go_to(garden.body, goals.at(5, 64, 0), may_dig=True), 900)
    assert verdict.ok, verdict.message


@pytest.mark.parametrize("facing", ["east", "west", "north", "south"])
def test_opens_a_door(facing: str) -> None:
    """Doors in the plane of the wall are in the way shut, those across it are in the way open."""
    for is_open in ("false", "true"):
        legend = {
            part: f"oak_door[facing={facing},half={half},open={is_open}]"
            for part, half in (("d", "lower"), ("u", "upper"))
        }
        garden = Garden(before=partial(_house, legend=legend))
        verdict = garden.run(walk.go_to(garden.body, goals.at(7, 64, 0)))
        assert verdict.ok, verdict.message


def _house(garden: Garden, legend: dict[str, str]) -> None:
    """A closed ring of walls around the start with one door in the east."""
    garden.fill((-4, 64, -4), (4, 67, 4), "stone")
    garden.fill((-3, 64, -3), (3, 66, 3), "air")
    garden.put((4, 64, 0), legend["d"])
    garden.put((4, 65, 0), legend["u"])


def test_opens_a_gate() -> None:
    def pen(garden: Garden) -> None:
        garden.fill((-3, 64, -3), (3, 64, 3), "oak_fence")
        garden.fill((-2, 64, -2), (2, 64, 2), "air")
        garden.put((3, 64, 0), "oak_fence_gate[facing=east]")

    garden = Garden(before=pen)
    verdict = garden.run(walk.go_to(garden.body, goals.at(6, 64, 0)))
    assert verdict.ok, verdict.message


def test_passes_an_open_door_without_touching_it() -> None:
    legend = {
        "d": "oak_door[facing=east,half=lower,open=true]",
        "u": "oak_door[facing=east,half=upper,open=true]",
    }
    garden = Garden(before=partial(_house, legend=legend))
    verdict = garden.run(walk.go_to(garden.body, goals.at(7, 64, 0)))
    assert verdict.ok, verdict.message
    assert GAME.properties(garden.env.world.block(4, 64, 0))["open"] == "true"


def test_an_iron_door_is_a_wall() -> None:
    legend = {"d": "iron_door[facing=east,half=lower]", "u": "iron_door[facing=east,half=upper]"}
    garden = Garden(before=partial(_house, legend=legend))
    verdict = garden.run(walk.go_to(garden.body, goals.at(7, 64, 0)))
    assert not verdict.ok
    assert verdict.kind == "no_path"
