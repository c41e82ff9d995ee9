from __future__ import annotations

from collections import Counter

import pytest

from numen.rules import fuel, recipes, smelting
from numen.rules.items import ItemStack
from protocol.game import GAME


def item(name: str) -> int:
    return GAME.item(name).id


def grid(*rows: str) -> tuple[list[ItemStack | None], int]:
    """Rows of words; a dot is an empty cell."""
    cells = [None if word == "." else ItemStack.of(word) for row in rows for word in row.split()]
    return cells, len(rows[0].split())


def made(*rows: str) -> str | None:
    crafted = recipes.match(*grid(*rows))
    return None if crafted is None else str(crafted.result)


def stock(**counts: int) -> Counter[int]:
    return Counter({item(name): count for name, count in counts.items()})


def test_shapeless_and_shaped() -> None:
    assert made("oak_log .", ". .") == "4 oak_planks"
    assert made(". .", ". oak_log") == "4 oak_planks"
    assert made("oak_planks .", "oak_planks .") == "4 stick"
    assert made("oak_planks oak_planks", "oak_planks oak_planks") == "1 crafting_table"
    assert made("coal .", "stick .") == "4 torch"
    assert made("stick .", "coal .") is None
    assert made(". .", ". .") is None


def test_a_shape_may_lie_anywhere_in_the_grid() -> None:
    assert made(". . .", ". oak_planks .", ". oak_planks .") == "4 stick"
    assert made("oak_planks . .", ". . .", "oak_planks . .") is None


def test_mirrored_shapes() -> None:
    left = ("cobblestone cobblestone .", "cobblestone stick .", ". stick .")
    right = (". cobblestone cobblestone", ". stick cobblestone", ". stick .")
    assert made(*left) == made(*right) == "1 stone_axe"


def test_cells_choose_for_themselves() -> None:
    assert made("oak_planks birch_planks", "warped_planks oak_planks") == "1 crafting_table"
    assert made("cobblestone blackstone cobbled_deepslate", ". stick .", ". stick .") == "1 stone_pickaxe"
    assert made("oak_planks birch_planks oak_planks") is None


def test_buckets_come_back() -> None:
    crafted = recipes.match(
        *grid("milk_bucket milk_bucket milk_bucket", "sugar egg sugar", "wheat wheat wheat")
    )
    assert crafted is not None
    assert str(crafted.result) == "1 cake"
    assert [str(each) for each in crafted.remainders[:3]] == ["1 bucket"] * 3
    assert crafted.remainders[3:] == (None,) * 6


def test_every_recipe_of_the_table_is_matched() -> None:
    for row in GAME.recipes:
        if row.shape is not None:
            width = max(len(line) for line in row.shape)
            ids = [cell for line in row.shape for cell in (*line, *[None] * (width - len(line)))]
        else:
            width, ids = 3, list(row.ingredients or ())
            ids += [None] * (9 - len(ids))
        crafted = recipes.match([ItemStack(each) if each is not None else None for each in ids], width)
        assert crafted is not None, row
        assert (crafted.result.item_id, crafted.result.count) == (row.result_id, row.result_count)


def test_a_plan_says_what_goes_where() -> None:
    plan = recipes.plan(item("wooden_pickaxe"), 1, stock(oak_planks=3, stick=2))
    assert plan is not None
    assert plan.is_possible
    planks, stick = item("oak_planks"), item("stick")
    assert plan.batches == (
        recipes.Batch((planks, planks, planks, None, stick, None, None, stick, None), 3, 1),
    )
    assert plan.uses == {planks: 3, stick: 2}
    assert plan.makes == 1


def test_a_plan_takes_the_best_stocked_variant() -> None:
    plan = recipes.plan(item("crafting_table"), 1, stock(oak_planks=4, birch_planks=30))
    assert plan is not None
    assert plan.uses == {item("birch_planks"): 4}


def test_a_plan_mixes_when_it_must() -> None:
    plan = recipes.plan(item("stick"), 16, stock(oak_planks=3, birch_planks=5))
    assert plan is not None
    assert plan.is_possible
    assert plan.makes == 16
    assert plan.uses == {item("oak_planks"): 3, item("birch_planks"): 5}
    for batch in plan.batches:
        crafted = recipes.match([ItemStack(each) if each else None for each in batch.cells], batch.width)
        assert crafted is not None
        assert crafted.result.item_id == item("stick")


def test_a_plan_makes_at_least_what_was_asked() -> None:
    plan = recipes.plan(item("torch"), 5, stock(coal=9, stick=9))
    assert plan is not None
    assert (plan.crafts, plan.makes) == (2, 8)


def test_a_plan_says_what_is_missing() -> None:
    plan = recipes.plan(item("stone_pickaxe"), 2, stock(cobblestone=4, stick=1))
    assert plan is not None
    assert not plan.is_possible
    stick, stone = sorted(plan.shortages, key=lambda each: len(each.items))
    assert (stick.items, stick.needed, stick.held, stick.missing) == ((item("stick"),), 4, 1, 3)
    assert set(stone.items) == {item("cobblestone"), item("blackstone"), item("cobbled_deepslate")}
    assert stone.missing == 2


def test_the_recipe_that_lacks_least_is_reported() -> None:
    plan = recipes.plan(item("iron_ingot"), 1, stock(iron_nugget=8))
    assert plan is not None
    assert [each.missing for each in plan.shortages] == [1]


def test_the_small_grid_knows_less() -> None:
    plenty = stock(oak_planks=64, stick=64, cobblestone=64)
    assert recipes.plan(item("furnace"), 1, plenty, grid=2) is None
    small = recipes.plan(item("crafting_table"), 1, plenty, grid=2)
    assert small is not None
    assert small.batches[0].width == 2
    assert None not in small.batches[0].cells
    assert recipes.plan(item("dirt"), 1, plenty) is None


def test_smelting() -> None:
    def smelted(name: str, furnace: smelting.Furnace = "furnace") -> str | None:
        found = smelting.smelt(ItemStack.of(name), furnace)
        return None if found is None else str(found.result)

    assert smelted("raw_iron") == "1 iron_ingot"
    assert smelted("raw_iron", "blast_furnace") == "1 iron_ingot"
    assert smelted("raw_iron", "smoker") is None
    assert smelted("beef", "smoker") == "1 cooked_beef"
    assert smelted("beef", "blast_furnace") is None
    assert smelted("oak_log") == "1 charcoal"
    assert smelted("sand") == "1 glass"
    assert smelted("dirt") is None
    assert smelting.smelt(None) is None


@pytest.mark.parametrize(
    ("name", "ticks"),
    [
        ("coal", 1600),
        ("charcoal", 1600),
        ("coal_block", 16000),
        ("lava_bucket", 20000),
        ("oak_planks", 300),
        ("stick", 100),
        ("oak_slab", 150),
        ("birch_boat", 1200),
        ("white_wool", 100),
        ("red_carpet", 67),
        ("bamboo", 50),
        ("wooden_sword", 200),
        ("oak_hanging_sign", 800),
        ("crimson_planks", 0),
        ("stone", 0),
    ],
)
def test_fuel(name: str, ticks: int) -> None:
    assert fuel.burn_ticks(ItemStack.of(name)) == ticks
    assert fuel.is_fuel(ItemStack.of(name)) is (ticks > 0)


def test_a_lava_bucket_leaves_the_bucket() -> None:
    assert fuel.left_over(ItemStack.of("lava_bucket")) == ItemStack.of("bucket")
    assert fuel.left_over(ItemStack.of("coal")) is None
