"""Mining a number of items, counted by what arrives in the inventory."""

from __future__ import annotations

from typing import Any

from numen.body.gather import mine
from numen.body.sight import block_name
from numen.rules.items import ItemStack
from protocol.game import GAME
from tests.body.kit import Obliging, Yard


class Quarry(Obliging):
    """Blocks break, drop an item (unless not `drops`), and items near the body are picked up after a
    moment."""

    def __init__(self, yard: Yard, *, drops: bool = True, refuse: bool = False) -> None:
        super().__init__(yard, refuse=refuse)
        self.drops = drops
        self.broken_blocks: list[tuple[int, int, int]] = []

    def broken(self, pos: tuple[int, int, int]) -> None:
        if not self.refuse:
            self.broken_blocks.append(pos)
        name = block_name(self.yard.world.block(*pos))
        self.drop = {"stone": "cobblestone"}.get(name, name) if self.drops else None
        super().broken(pos)

    def on_block_dig(self, fields: dict[str, Any]) -> None:
        super().on_block_dig(fields)
        if fields["status"] == 0 and self.yard.world.me.creative:
            self.broken(fields["location"])

    def __call__(self) -> None:
        super().__call__()
        x, y, z = self.yard.me.position
        for item in self.yard.world.entities.near(x, y, z, 1.6, kinds=("minecraft:item",)):
            if item.stack is None or self.yard.world.ticks - item.added_at < 10:
                continue
            inventory = self.yard.world.inventory
            slots = inventory.find(item.stack.item_id)
            slot = slots[0] if slots else inventory.empty_slots[0]
            there = inventory[slot]
            self.yard.slot(slot, item.stack.with_count((there.count if there else 0) + item.stack.count))
            self.yard.receive("entity_destroy", entityIds=[item.id])


def grove(*cells: tuple[int, int, int], name: str = "oak_log") -> dict[tuple[int, int, int], str | int]:
    return dict.fromkeys(cells, name)


def test_the_count_is_of_new_items() -> None:
    yard = Yard(grove((2, 64, 0), (0, 64, 2), (-2, 64, 0)), {36: ItemStack.of("oak_log", 5)})
    quarry = Quarry(yard)
    verdict = yard.run(mine(yard.me, ["oak_log"], 2), ticks=600, each=quarry)
    assert verdict.ok, verdict.message
    assert len(quarry.broken_blocks) == 2
    assert verdict.data["gathered"] == 2
    assert verdict.data["items"] == {"oak_log": 2}
    assert yard.world.inventory.count(GAME.item("oak_log").id) == 7


def test_what_is_left_is_told_when_there_is_not_enough() -> None:
    yard = Yard(grove((2, 64, 0)))
    verdict = yard.run(mine(yard.me, ["oak_log"], 5), ticks=600, each=Quarry(yard))
    assert not verdict.ok
    assert verdict.data["gathered"] == 1
    assert "Gathered 1 of 5 (oak_log): none left within 48 blocks" in verdict.message


def test_the_missing_tool_is_named_before_a_step_is_taken() -> None:
    yard = Yard(grove((2, 64, 0), name="iron_ore"), {36: ItemStack.of("wooden_pickaxe")})
    verdict = yard.run(mine(yard.me, ["iron_ore", "deepslate_iron_ore"], 3))
    assert verdict.kind == "wrong_tool"
    assert verdict.data["needs"] == "a stone_pickaxe or better"
    yard.sent.expect_nothing()


def test_a_drop_that_does_not_arrive_does_not_count() -> None:
    yard = Yard(grove((2, 64, 0), (0, 64, 2)))
    verdict = yard.run(mine(yard.me, ["oak_log"], 1), ticks=900, each=Quarry(yard, drops=False))
    assert not verdict.ok
    assert verdict.data["gathered"] == 0
    assert verdict.data["blocks_broken"] == 2


def test_a_protected_block_is_skipped_and_reported() -> None:
    yard = Yard(grove((2, 64, 0)))
    verdict = yard.run(mine(yard.me, ["oak_log"], 1), ticks=600, each=Quarry(yard, refuse=True))
    assert not verdict.ok
    assert verdict.data["skipped"] == 1
    assert "may be protected" in verdict.message


def test_in_creative_broken_blocks_count() -> None:
    yard = Yard(grove((2, 64, 0), (0, 64, 2)), gamemode="creative")
    verdict = yard.run(mine(yard.me, ["oak_log"], 2), ticks=300, each=Quarry(yard, drops=False))
    assert verdict.ok
    assert verdict.data["blocks_broken"] == 2


def test_a_full_inventory_ends_the_job_with_advice() -> None:
    yard = Yard(grove((2, 64, 0)), {slot: ItemStack.of("dirt", 64) for slot in range(9, 45)})
    verdict = yard.run(mine(yard.me, ["oak_log"], 1))
    assert "inventory is full" in verdict.message
    assert not verdict.ok


def test_an_unknown_block_gets_a_suggestion() -> None:
    yard = Yard()
    verdict = yard.run(mine(yard.me, ["oak_lgo"], 1))
    assert verdict.kind == "bad_target"
    assert "oak_log" in verdict.message


def test_stopping_tells_how_far_it_got() -> None:
    yard = Yard(grove((2, 64, 0), (0, 64, 2)))
    quarry = Quarry(yard)
    task = yard.start(mine(yard.me, ["oak_log"], 8))
    for _ in range(110):
        yard.tick()
        quarry()
    yard.me.tasks.cancel()
    assert task.verdict is not None
    assert task.verdict.message.endswith("1 of 8 gathered so far.")
    assert task.verdict.data["items"] == {"oak_log": 1}


def test_a_tree_farther_off_is_walked_to() -> None:
    yard = Yard(grove((9, 64, 3), (9, 65, 3)))
    verdict = yard.run(mine(yard.me, ["oak_log"], 2), ticks=900, each=Quarry(yard))
    assert verdict.ok, verdict.message
    assert yard.me.position[0] > 4


def ground(depth: int) -> dict[tuple[int, int, int], str | int]:
    """Dirt of this depth over stone, around the body."""
    around = range(-6, 7)
    return {
        (x, 63 - down, z): "dirt" if down < depth else "stone"
        for x in around
        for z in around
        for down in range(depth + 3)
    }


def test_a_buried_block_is_dug_to_and_the_pit_climbed_out_of() -> None:
    yard = Yard(
        ground(4), {36: ItemStack.of("wooden_pickaxe"), 37: ItemStack.of("wooden_shovel")}, floor="dirt"
    )
    quarry = Quarry(yard)
    verdict = yard.run(mine(yard.me, ["stone"], 2), ticks=2500, each=quarry)
    assert verdict.ok, verdict.message
    assert verdict.data["items"] == {"cobblestone": 2}
    assert any(y == 59 for _, y, _ in quarry.broken_blocks)
    yard.tick(20)
    assert yard.me.position[1] >= 63.0


def test_a_block_walled_in_by_bedrock_is_given_up() -> None:
    shell = {
        (5 + dx, 65 + dy, dz): "bedrock"
        for dx in (-1, 0, 1)
        for dy in (-1, 0, 1)
        for dz in (-1, 0, 1)
        if (dx, dy, dz) != (0, 0, 0)
    }
    yard = Yard({**shell, (5, 65, 0): "oak_log"})
    verdict = yard.run(mine(yard.me, ["oak_log"], 1), ticks=900, each=Quarry(yard))
    assert not verdict.ok
    assert verdict.data["skipped"] == 1
