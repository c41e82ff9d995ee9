"""Placing blocks: which face is clicked, how the body looks at it, and what the server made of it."""

from __future__ import annotations

from typing import Any

from numen.body.placing import place
from numen.rules.items import ItemStack
from numen.rules.placement import placed_state
from protocol.game import GAME
from tests.body.kit import Yard, state

CELL = (2, 64, 0)
PLANKS = {36: ItemStack.of("oak_planks", 5)}


class Builder:
    """A server that places as the rules say, from the look it was last told."""

    def __init__(self, yard: Yard, *, refuse: bool = False) -> None:
        self.yard = yard
        self.refuse = refuse
        self.yaw = self.pitch = 0.0
        self.sneaking = False
        self.clicks: list[dict[str, Any]] = []

    def __call__(self) -> None:
        for packet in list(self.yard.sent):
            fields = packet.fields
            if packet.name in ("look", "position_look"):
                self.yaw, self.pitch = fields["yaw"], fields["pitch"]
            elif packet.name == "entity_action":
                self.sneaking = {0: True, 1: False}.get(fields["actionId"], self.sneaking)
            elif packet.name == "block_place":
                self.click(fields)
        self.yard.sent.clear()

    def click(self, fields: dict[str, Any]) -> None:
        self.clicks.append({**fields, "sneaking": self.sneaking})
        stack = self.yard.world.inventory.held
        assert stack is not None
        cursor = (fields["cursorX"], fields["cursorY"], fields["cursorZ"])
        face, location = fields["direction"], fields["location"]
        placed = placed_state(stack.name, location, face, cursor, self.yaw, self.pitch, self.yard.world)
        if placed is not None and not self.refuse:
            normal = ((0, -1, 0), (0, 1, 0), (0, 0, -1), (0, 0, 1), (-1, 0, 0), (1, 0, 0))[face]
            cell = (location[0] + normal[0], location[1] + normal[1], location[2] + normal[2])
            self.yard.set_block(cell, placed)
        self.yard.ack(fields["sequence"])


def test_placing_is_a_look_a_click_and_a_swing() -> None:
    yard = Yard(items=PLANKS)
    task = yard.start(place(yard.me, "oak_planks", CELL))
    yard.tick()
    yard.sent.expect("look")
    yard.sent.expect_nothing()
    yard.tick()
    yard.sent.expect("block_place", hand=0, location=(2, 63, 0), direction=1, sequence=1, cursorY=1.0)
    yard.sent.expect("arm_animation")
    yard.sent.expect_nothing()
    assert yard.me.block(*CELL) == state("oak_planks")
    assert yard.world.block(*CELL) == state("air")
    yard.set_block(CELL, "oak_planks")
    yard.ack(1)
    yard.tick()
    assert task.verdict is not None
    assert task.verdict.ok
    assert task.verdict.data == {"block": "oak_planks", "x": 2, "y": 64, "z": 0}


def test_place_is_rolled_back_when_the_server_refuses() -> None:
    yard = Yard(items=PLANKS)
    verdict = yard.run(place(yard.me, "oak_planks", CELL), each=Builder(yard, refuse=True))
    assert verdict.kind == "refused"
    assert yard.me.block(*CELL) == state("air")


def test_a_server_that_never_answers_is_not_a_success() -> None:
    yard = Yard(items=PLANKS)
    verdict = yard.run(place(yard.me, "oak_planks", CELL))
    assert verdict.kind == "no_answer"


def test_a_chest_is_sneaked_at_so_that_it_stays_shut() -> None:
    yard = Yard({(2, 63, 0): "chest", (1, 63, 0): "air"}, PLANKS)
    builder = Builder(yard)
    verdict = yard.run(place(yard.me, "oak_planks", CELL), each=builder)
    assert verdict.ok, verdict.message
    clicks = [each for each in builder.clicks if each["location"] == (2, 63, 0)]
    assert all(each["sneaking"] for each in clicks)
    assert len(builder.clicks) == 1
    yard.tick(2)
    builder()
    assert not builder.sneaking


def test_the_wanted_facing_is_looked_for() -> None:
    for facing in ("north", "south", "east", "west"):
        yard = Yard(items={36: ItemStack.of("furnace")})
        verdict = yard.run(place(yard.me, "furnace", CELL, facing=facing), each=Builder(yard))
        assert verdict.ok
        assert verdict.data["facing"] == facing
        assert yard.world.block(*CELL) == state("furnace", facing=facing)


def test_the_upper_half_and_a_lying_log_can_be_asked_for() -> None:
    wall = {(3, 64, 0): "stone", (2, 64, 1): "stone"}
    yard = Yard(wall, {36: ItemStack.of("oak_slab"), 37: ItemStack.of("oak_log")})
    verdict = yard.run(place(yard.me, "oak_slab", CELL, half="top"), each=Builder(yard))
    assert verdict.data["type"] == "top"
    yard = Yard(wall, {36: ItemStack.of("oak_log")})
    verdict = yard.run(place(yard.me, "oak_log", CELL, axis="x"), each=Builder(yard))
    assert verdict.data["axis"] == "x"


def test_an_orientation_that_is_not_to_be_had_is_told_with_what_came_instead() -> None:
    yard = Yard(items={36: ItemStack.of("oak_log")})
    verdict = yard.run(place(yard.me, "oak_log", (0, 64, 2), axis="x"), each=Builder(yard))
    assert verdict.ok
    assert verdict.data["axis"] == "y"
    assert "could not get axis x" in verdict.message


def test_a_block_without_directions_says_so() -> None:
    yard = Yard(items=PLANKS)
    verdict = yard.run(place(yard.me, "oak_planks", CELL, facing="north"), each=Builder(yard))
    assert verdict.ok
    assert verdict.message == "Placed oak_planks at (2, 64, 0). It has no facing."


def test_a_cell_in_the_air_lists_cells_that_would_do() -> None:
    yard = Yard(items=PLANKS)
    verdict = yard.run(place(yard.me, "oak_planks", (2, 66, 0)))
    assert verdict.kind == "occluded"
    assert {"x": 2, "y": 64, "z": 0} in verdict.data["nearby"]
    yard.sent.expect_nothing()


def test_an_occupied_cell_names_what_is_there() -> None:
    yard = Yard({CELL: "cobblestone"}, PLANKS)
    verdict = yard.run(place(yard.me, "oak_planks", CELL))
    assert verdict.kind == "occupied"
    assert verdict.data["occupied_by"] == "cobblestone"


def test_grass_gives_way() -> None:
    yard = Yard({CELL: "short_grass"}, PLANKS)
    builder = Builder(yard)
    verdict = yard.run(place(yard.me, "oak_planks", CELL), each=builder)
    assert verdict.ok
    assert builder.clicks[0]["location"] == (2, 63, 0)


def test_no_block_is_put_into_a_pig_or_into_the_body_itself() -> None:
    yard = Yard(items=PLANKS)
    yard.spawn("pig", 2.5, 64, 0.5, entity_id=7)
    verdict = yard.run(place(yard.me, "oak_planks", CELL))
    assert verdict.kind == "occupied"
    assert "A pig stands in (2, 64, 0)" in verdict.message
    verdict = yard.run(place(yard.me, "oak_planks", (0, 64, 0)))
    assert verdict.kind == "occupied"
    yard.sent.expect_nothing()


def test_an_item_on_the_ground_is_no_obstacle() -> None:
    yard = Yard(items=PLANKS)
    yard.spawn("item", 2.5, 64, 0.5, entity_id=7)
    assert yard.run(place(yard.me, "oak_planks", CELL), each=Builder(yard)).ok


def test_a_torch_without_a_carrier_is_explained() -> None:
    yard = Yard({(2, 64, 0): "oak_leaves"}, {36: ItemStack.of("rail")})
    yard.set_block((2, 64, 0), state("glass_pane"))
    verdict = yard.run(place(yard.me, "rail", (2, 65, 0)))
    assert verdict.kind == "unsupported"
    yard.sent.expect_nothing()


def test_the_second_slab_joins_the_first() -> None:
    yard = Yard({CELL: state("oak_slab", type="bottom")}, {36: ItemStack.of("oak_slab", 2)})
    task = yard.start(place(yard.me, "oak_slab", CELL))
    yard.tick(2)
    yard.sent.skip_to("block_place", location=CELL, direction=1)
    yard.set_block(CELL, state("oak_slab", type="double"))
    yard.tick()
    assert task.verdict is not None
    assert task.verdict.data["type"] == "double"


def test_both_halves_of_a_door_are_expected() -> None:
    yard = Yard(items={36: ItemStack.of("oak_door")})
    yard.start(place(yard.me, "oak_door", CELL))
    yard.tick(2)
    assert GAME.properties(yard.me.block(*CELL))["half"] == "lower"
    assert GAME.properties(yard.me.block(2, 65, 0))["half"] == "upper"
    yard.me.tasks.cancel()


def test_what_is_not_a_block_or_not_carried_is_refused() -> None:
    yard = Yard(items={36: ItemStack.of("stick")})
    assert yard.run(place(yard.me, "stick", CELL)).kind == "bad_target"
    assert yard.run(place(yard.me, "oak_planks", CELL)).kind == "no_material"
    yard.sent.expect_nothing()


def test_a_cancelled_placing_lets_go_of_the_sneak_key() -> None:
    yard = Yard({(2, 63, 0): "chest"}, PLANKS)
    yard.start(place(yard.me, "oak_planks", CELL))
    yard.tick(2)
    yard.me.tasks.cancel()
    assert not yard.me.controls.sneak
