from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from numen.rules.items import ItemStack, count_of, from_slot, to_slot
from protocol.game import GAME


def test_an_empty_slot_is_none_both_ways() -> None:
    assert from_slot({"itemCount": 0}) is None
    assert from_slot(None) is None
    assert to_slot(None) == {"itemCount": 0}


@given(st.integers(0, len(GAME.items) - 1), st.integers(1, 99), st.integers(0, 1500))
def test_slots_come_back_as_they_were(item_id: int, count: int, damage: int) -> None:
    slot: dict[str, Any] = {
        "itemCount": count,
        "itemId": item_id,
        "addedComponentCount": 1,
        "removedComponentCount": 1,
        "components": [{"type": "damage", "data": damage}],
        "removeComponents": [{"type": "food"}],
    }
    stack = from_slot(slot)
    assert stack is not None
    assert to_slot(stack) == slot
    assert stack.damage == damage


def test_wear() -> None:
    pickaxe = ItemStack.of("iron_pickaxe")
    assert pickaxe.max_damage == 250
    assert pickaxe.uses_left == 250
    worn = pickaxe.with_damage(40)
    assert (worn.damage, worn.uses_left) == (40, 210)
    assert worn.with_damage(0) == pickaxe
    assert not worn.same_kind(pickaxe)
    unbreakable = ItemStack(pickaxe.item_id, 1, ({"type": "unbreakable", "data": True},))
    assert unbreakable.max_damage is None
    assert ItemStack.of("dirt").max_damage is None


def test_kinds_are_compared_without_counts_and_order_of_components() -> None:
    one = ItemStack(1, 3, ({"type": "rarity", "data": "epic"}, {"type": "damage", "data": 2}))
    other = ItemStack(1, 9, ({"type": "damage", "data": 2}, {"type": "rarity", "data": "epic"}))
    assert one.same_kind(other)
    assert not one.same_kind(ItemStack(1, 3))
    assert not one.same_kind(None)
    assert len({one, ItemStack(1, 3)}) == 2


def test_stack_sizes() -> None:
    assert ItemStack.of("dirt").max_stack == 64
    assert ItemStack.of("ender_pearl").max_stack == 16
    assert ItemStack.of("bread", 1).with_count(0) is None
    big = ItemStack(GAME.item("dirt").id, 1, ({"type": "max_stack_size", "data": 99},))
    assert big.max_stack == 99


def test_items_of_mods_have_a_name_and_a_size() -> None:
    strange = ItemStack(60000, 2)
    assert strange.name == "unknown:60000"
    assert strange.max_stack == 64
    assert strange.max_damage is None


def test_enchantments_by_number() -> None:
    data = {"enchantments": [{"id": 8, "level": 5}, {"id": 39, "level": 3}], "showTooltip": True}
    assert ItemStack(1, 1, ({"type": "enchantments", "data": data},)).enchantments == {8: 5, 39: 3}


def test_counting() -> None:
    stacks = [ItemStack.of("dirt", 5), None, ItemStack.of("stone", 3), ItemStack.of("dirt", 64)]
    assert count_of(stacks, GAME.item("dirt").id) == 69
