"""The click engine, mode by mode, and the layouts it works on."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from numen.rules.clicks import (
    MIDDLE,
    OFFHAND_BUTTON,
    OUTSIDE,
    RIGHT,
    Click,
    ClickReader,
    MenuModel,
    Mode,
    Outcome,
    apply,
    insert,
    with_result,
)
from numen.rules.items import ItemStack
from numen.rules.slots import layout


def stack(text: str | None) -> ItemStack | None:
    """`"3 dirt"`."""
    if text is None:
        return None
    count, name = text.split()
    return ItemStack.of(name, int(count))


def menu(
    kind: str = "player", carried: str | None = None, total: int | None = None, **slots: str
) -> MenuModel:
    """A menu with some slots filled: `s36="3 dirt"`."""
    plan = layout(kind, total)
    filled: list[ItemStack | None] = [None] * plan.size
    for name, text in slots.items():
        filled[int(name[1:])] = stack(text)
    return with_result(MenuModel(plan, filled, stack(carried)))


def shown(outcome: Outcome) -> dict[int, str]:
    return {i: str(each) for i, each in enumerate(outcome.slots) if each is not None}


def carried(outcome: Outcome) -> str | None:
    return None if outcome.carried is None else str(outcome.carried)


# -- layouts ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "size", "main", "hotbar"),
    [
        ("minecraft:player", 46, 9, 36),
        ("minecraft:crafting", 46, 10, 37),
        ("minecraft:generic_9x3", 63, 27, 54),
        ("minecraft:generic_9x6", 90, 54, 81),
        ("minecraft:generic_3x3", 45, 9, 36),
        ("minecraft:crafter_3x3", 46, 9, 36),
        ("minecraft:furnace", 39, 3, 30),
        ("minecraft:anvil", 39, 3, 30),
        ("minecraft:smithing", 40, 4, 31),
        ("minecraft:loom", 40, 4, 31),
        ("minecraft:enchantment", 38, 2, 29),
        ("minecraft:stonecutter", 38, 2, 29),
        ("minecraft:brewing_stand", 41, 5, 32),
        ("minecraft:hopper", 41, 5, 32),
        ("minecraft:beacon", 37, 1, 28),
    ],
)
def test_layouts(kind: str, size: int, main: int, hotbar: int) -> None:
    plan = layout(kind)
    assert (plan.size, plan.main.start, plan.hotbar.start) == (size, main, hotbar)
    assert plan.main.stop == plan.hotbar.start


def test_special_slots() -> None:
    player = layout("player")
    assert (player.result, list(player.grid), player.offhand) == (0, [1, 2, 3, 4], 45)
    table = layout("crafting")
    assert (table.result, table.grid, table.grid_width) == (0, range(1, 10), 3)
    assert layout("furnace").result is None
    assert layout("lectern").size == 1
    modded = layout("somemod:crate", 36 + 13)
    assert (modded.own_size, modded.main.start) == (13, 13)
    horse = layout("minecraft:horse", 36 + 2 + 15)
    assert (horse.own_size, horse.roles[:3]) == (17, ("saddle", "horse_armour", "storage"))


def test_what_slots_take() -> None:
    player, furnace = layout("player"), layout("furnace")
    assert player.rule(5).accepts(ItemStack.of("iron_helmet"))
    assert player.rule(5).accepts(ItemStack.of("carved_pumpkin"))
    assert not player.rule(5).accepts(ItemStack.of("iron_boots"))
    assert player.rule(6).accepts(ItemStack.of("elytra"))
    assert not player.rule(0).accepts(ItemStack.of("dirt"))
    assert furnace.rule(1).accepts(ItemStack.of("coal"))
    assert not furnace.rule(1).accepts(ItemStack.of("dirt"))
    assert not furnace.rule(2).accepts(ItemStack.of("iron_ingot"))


# -- single clicks ----------------------------------------------------------------------------------------


def test_left_takes_and_puts_all_right_half_and_one() -> None:
    start = menu(s36="7 dirt")
    assert carried(apply(Click.left(36), start)) == "7 dirt"
    half = apply(Click.right(36), start)
    assert (shown(half), carried(half)) == ({36: "3 dirt"}, "4 dirt")
    held = menu(carried="7 dirt")
    assert shown(apply(Click.left(20), held)) == {20: "7 dirt"}
    one = apply(Click.right(20), held)
    assert (shown(one), carried(one)) == ({20: "1 dirt"}, "6 dirt")
    assert start.slots[36] == stack("7 dirt")


def test_putting_onto_a_stack_fills_it_up() -> None:
    outcome = apply(Click.left(20), menu(carried="40 dirt", s20="50 dirt"))
    assert (shown(outcome), carried(outcome)) == ({20: "64 dirt"}, "26 dirt")


def test_different_kinds_swap() -> None:
    outcome = apply(Click.left(20), menu(carried="4 dirt", s20="50 stone"))
    assert (shown(outcome), carried(outcome)) == ({20: "4 dirt"}, "50 stone")
    # A stack of helmets does not fit the one place on the head.
    unmoved = apply(Click.left(5), menu(carried="2 carved_pumpkin", s5="1 iron_helmet"))
    assert carried(unmoved) == "2 carved_pumpkin"


def test_clicks_outside_drop_the_carried_stack() -> None:
    outcome = apply(Click.drop_carried(), menu(carried="9 dirt"))
    assert ([str(each) for each in outcome.drops], carried(outcome)) == (["9 dirt"], None)
    one = apply(Click.drop_carried(all_of_it=False), menu(carried="9 dirt"))
    assert ([str(each) for each in one.drops], carried(one)) == (["1 dirt"], "8 dirt")


def test_throwing_from_a_slot() -> None:
    one = apply(Click.throw(36), menu(s36="9 dirt"))
    assert (shown(one), [str(each) for each in one.drops]) == ({36: "8 dirt"}, ["1 dirt"])
    rest = apply(Click.throw(36, all_of_it=True), menu(s36="9 dirt"))
    assert (shown(rest), [str(each) for each in rest.drops]) == ({}, ["9 dirt"])
    assert not apply(Click.throw(36), menu(carried="1 stone", s36="9 dirt")).drops


def test_swapping_with_the_hotbar_and_the_off_hand() -> None:
    outcome = apply(Click.swap(9, 4), menu(s9="5 dirt", s40="1 stone"))
    assert shown(outcome) == {9: "1 stone", 40: "5 dirt"}
    off = apply(Click.swap(9, OFFHAND_BUTTON), menu(s9="5 dirt"))
    assert shown(off) == {45: "5 dirt"}
    chest = menu("generic_9x3", s0="5 dirt")
    chest.offhand = ItemStack.of("shield")
    swapped = apply(Click.swap(0, OFFHAND_BUTTON), chest)
    assert (shown(swapped), str(swapped.offhand)) == ({0: "1 shield"}, "5 dirt")
    # A helmet can be swapped onto the head, dirt can't.
    assert shown(apply(Click.swap(5, 0), menu(s36="1 iron_helmet"))) == {5: "1 iron_helmet"}
    assert shown(apply(Click.swap(5, 0), menu(s36="1 dirt"))) == {36: "1 dirt"}


def test_cloning_needs_creative() -> None:
    model = menu(s36="5 dirt")
    assert carried(apply(Click(36, 2, Mode.CLONE), model)) is None
    model.creative = True
    assert carried(apply(Click(36, 2, Mode.CLONE), model)) == "64 dirt"


def test_double_click_gathers_loose_stacks_first() -> None:
    model = menu("generic_9x3", carried="10 dirt", s0="64 dirt", s5="20 dirt", s30="25 dirt", s31="5 stone")
    outcome = apply(Click.double(50), model)
    assert carried(outcome) == "64 dirt"
    assert shown(outcome) == {0: "55 dirt", 31: "5 stone"}


def test_nonsense_changes_nothing() -> None:
    model = menu(carried="5 dirt", s36="1 stone")
    for click in (
        Click(999),
        Click(-5),
        Click(36, 7),
        Click(36, 60, Mode.SWAP),
        Click(OUTSIDE, 0, Mode.THROW),
    ):
        outcome = apply(click, model)
        assert (outcome.slots, outcome.carried, outcome.drops) == (model.slots, model.carried, [])


# -- drags ------------------------------------------------------------------------------------------------


def test_a_left_drag_shares_out() -> None:
    outcome = apply(Click.drag([10, 11, 12]), menu(carried="20 dirt", s11="60 dirt"))
    assert shown(outcome) == {10: "6 dirt", 11: "64 dirt", 12: "6 dirt"}
    assert carried(outcome) == "4 dirt"


def test_a_right_drag_lays_one_each() -> None:
    outcome = apply(Click.drag([10, 11, 12], RIGHT), menu(carried="20 dirt"))
    assert shown(outcome) == {10: "1 dirt", 11: "1 dirt", 12: "1 dirt"}
    assert carried(outcome) == "17 dirt"


def test_a_drag_over_one_slot_is_a_click() -> None:
    outcome = apply(Click.drag([10], RIGHT), menu(carried="20 dirt"))
    assert (shown(outcome), carried(outcome)) == ({10: "1 dirt"}, "19 dirt")


def test_a_drag_leaves_out_slots_that_refuse_and_more_slots_than_items() -> None:
    outcome = apply(Click.drag([0, 5, 10, 11, 12]), menu(carried="2 dirt", s12="1 stone"))
    assert shown(outcome) == {10: "1 dirt", 11: "1 dirt", 12: "1 stone"}


def test_a_middle_drag_is_for_creative() -> None:
    model = menu(carried="1 dirt")
    assert shown(apply(Click.drag([10, 11], MIDDLE), model)) == {}
    model.creative = True
    assert shown(apply(Click.drag([10, 11], MIDDLE), model)) == {10: "64 dirt", 11: "64 dirt"}


def test_drags_travel_as_three_phases_and_come_back_as_one_click() -> None:
    click = Click.drag([10, 11, 12], RIGHT)
    assert click.raw == ((OUTSIDE, 4, 5), (10, 5, 5), (11, 5, 5), (12, 5, 5), (OUTSIDE, 6, 5))
    reader = ClickReader()
    assert [reader.read(*packet) for packet in click.raw] == [None] * 4 + [click]
    assert reader.read(36, 0, 0) == Click.left(36)
    # An end without a beginning, and a drag that another click broke off.
    assert reader.read(OUTSIDE, 2, 5) is None
    reader.read(OUTSIDE, 0, 5)
    assert reader.read(36, 0, 1) == Click.shift(36)
    assert reader.read(OUTSIDE, 2, 5) is None
    assert reader.read(1, 0, 17) is None


# -- shift-clicks -----------------------------------------------------------------------------------------


def test_shift_in_the_own_window_goes_between_main_and_hotbar() -> None:
    assert shown(apply(Click.shift(9), menu(s9="5 dirt"))) == {36: "5 dirt"}
    assert shown(apply(Click.shift(36), menu(s36="5 dirt"))) == {9: "5 dirt"}
    assert shown(apply(Click.shift(9), menu(s9="5 dirt", s38="62 dirt"))) == {36: "3 dirt", 38: "64 dirt"}


def test_shift_puts_armour_on_and_takes_it_off() -> None:
    assert shown(apply(Click.shift(20), menu(s20="1 iron_chestplate"))) == {6: "1 iron_chestplate"}
    worn = menu(s20="1 iron_chestplate", s6="1 diamond_chestplate")
    assert shown(apply(Click.shift(20), worn)) == {6: "1 diamond_chestplate", 36: "1 iron_chestplate"}
    assert shown(apply(Click.shift(6), menu(s6="1 elytra"))) == {9: "1 elytra"}
    assert shown(apply(Click.shift(20), menu(s20="1 shield"))) == {45: "1 shield"}


def test_shift_in_a_chest() -> None:
    into = apply(Click.shift(54), menu("generic_9x3", s54="5 dirt", s3="62 dirt"))
    assert shown(into) == {0: "3 dirt", 3: "64 dirt"}
    # Out of a chest the last hotbar slot is filled first.
    assert shown(apply(Click.shift(0), menu("generic_9x3", s0="5 dirt"))) == {62: "5 dirt"}


def test_shift_with_no_room_moves_what_fits() -> None:
    full = {f"s{i}": "64 stone" for i in range(27)} | {"s4": "60 dirt", "s54": "10 dirt"}
    outcome = apply(Click.shift(54), menu("generic_9x3", **full))
    assert (shown(outcome)[4], shown(outcome)[54]) == ("64 dirt", "6 dirt")


def test_shift_in_a_furnace_sorts_by_use() -> None:
    assert shown(apply(Click.shift(5), menu("furnace", s5="8 raw_iron"))) == {0: "8 raw_iron"}
    assert shown(apply(Click.shift(5), menu("furnace", s5="8 coal"))) == {1: "8 coal"}
    assert shown(apply(Click.shift(5), menu("furnace", s5="8 dirt"))) == {30: "8 dirt"}
    assert shown(apply(Click.shift(5), menu("smoker", s5="8 raw_iron"))) == {30: "8 raw_iron"}
    taken = apply(Click.shift(2), menu("furnace", s2="8 iron_ingot"))
    assert shown(taken) == {38: "8 iron_ingot"}
    assert [(slot, str(each)) for slot, each in taken.taken] == [(2, "8 iron_ingot")]


def test_shift_into_a_crafting_table_fills_the_grid() -> None:
    assert shown(apply(Click.shift(20), menu("crafting", s20="5 dirt"))) == {1: "5 dirt"}


# -- crafting ---------------------------------------------------------------------------------------------


def test_the_grid_shows_its_result() -> None:
    placed = apply(Click.right(1), menu(carried="2 oak_log"))
    assert shown(placed) == {0: "4 oak_planks", 1: "1 oak_log"}


def test_taking_the_result_uses_up_the_grid() -> None:
    start = menu(s1="3 oak_log")
    outcome = apply(Click.left(0), start)
    assert (shown(outcome), carried(outcome)) == ({0: "4 oak_planks", 1: "2 oak_log"}, "4 oak_planks")
    assert [(slot, str(each)) for slot, each in outcome.taken] == [(0, "4 oak_planks")]
    assert carried(apply(Click.right(0), start)) == "4 oak_planks"
    more = apply(Click.left(0), menu(carried="60 oak_planks", s1="3 oak_log"))
    assert carried(more) == "64 oak_planks"
    full = apply(Click.left(0), menu(carried="62 oak_planks", s1="3 oak_log"))
    assert (carried(full), full.taken) == ("62 oak_planks", [])


def test_shift_on_the_result_crafts_all() -> None:
    outcome = apply(Click.shift(0), menu(s1="3 oak_log"))
    assert shown(outcome) == {44: "12 oak_planks"}
    assert len(outcome.taken) == 3


def test_what_does_not_fit_when_crafting_all_is_dropped() -> None:
    full = {f"s{i}": "64 stone" for i in range(9, 45)} | {"s20": "62 oak_planks"}
    outcome = apply(Click.shift(0), menu(s1="3 oak_log", **full))
    assert shown(outcome)[20] == "64 oak_planks"
    assert [str(each) for each in outcome.drops] == ["2 oak_planks"]
    assert shown(outcome)[1] == "2 oak_log"


def test_buckets_stay_in_the_grid_or_go_to_the_inventory() -> None:
    cells = {f"s{i}": "1 milk_bucket" for i in (1, 2, 3)}
    cells |= {
        "s4": "1 sugar",
        "s5": "1 egg",
        "s6": "1 sugar",
        "s7": "1 wheat",
        "s8": "1 wheat",
        "s9": "1 wheat",
    }
    outcome = apply(Click.left(0), menu("crafting", **cells))
    assert carried(outcome) == "1 cake"
    assert shown(outcome) == {1: "1 bucket", 2: "1 bucket", 3: "1 bucket"}


def test_results_of_a_server_with_other_recipes_are_taken_too() -> None:
    model = menu(s1="3 dirt")
    model.slots[0] = ItemStack.of("diamond")
    outcome = apply(Click.left(0), model)
    assert (carried(outcome), shown(outcome)) == ("1 diamond", {1: "2 dirt"})


def test_double_click_does_not_take_results() -> None:
    model = menu(carried="1 oak_planks", s1="3 oak_log", s20="5 oak_planks")
    assert carried(apply(Click.double(30), model)) == "6 oak_planks"


# -- giving, and what a client claims -----------------------------------------------------------------------


def test_given_things_join_the_hand_then_fill_the_hotbar() -> None:
    model = menu(s20="60 dirt", s38="60 dirt")
    model.held = 2
    slots, left = insert(ItemStack.of("dirt", 10), model)
    assert left is None
    assert {i: str(each) for i, each in enumerate(slots) if each} == {
        20: "64 dirt",
        36: "2 dirt",
        38: "64 dirt",
    }
    full = menu(**{f"s{i}": "64 stone" for i in range(9, 45)})
    assert insert(ItemStack.of("dirt", 10), full)[1] == ItemStack.of("dirt", 10)


def test_changed_slots_are_those_that_differ() -> None:
    before = menu(s9="5 dirt", s10="1 stone")
    assert apply(Click.shift(9), before).changed(before) == {9: None, 36: ItemStack.of("dirt", 5)}


_KINDS = ("player", "crafting", "generic_9x3", "furnace", "anvil", "hopper", "enchantment", "brewing_stand")
_ITEMS = ("dirt", "stone", "iron_helmet", "coal", "raw_iron", "potion", "lapis_lazuli", "snowball", "bucket")
_STACKS = st.none() | st.builds(ItemStack.of, st.sampled_from(_ITEMS), st.integers(1, 16))


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_nothing_is_lost_and_nothing_appears(data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(_KINDS))
    plan = layout(kind)
    slots = data.draw(st.lists(_STACKS, min_size=plan.size, max_size=plan.size))
    for i, each in enumerate(slots):
        if plan.rule(i).is_result or (each is not None and not plan.rule(i).accepts(each)):
            slots[i] = None
        elif each is not None:
            slots[i] = each.with_count(min(each.count, plan.rule(i).room(each)))
    held = data.draw(_STACKS)
    model = MenuModel(plan, slots, held, craft=lambda grid, width: None)
    place = st.integers(0, plan.size - 1)
    click = data.draw(
        st.one_of(
            st.builds(
                Click, place, st.integers(0, 1), st.sampled_from([Mode.PICKUP, Mode.QUICK_MOVE, Mode.THROW])
            ),
            st.builds(Click.swap, place, st.sampled_from([0, 4, 8, OFFHAND_BUTTON])),
            st.builds(Click.double, place),
            st.builds(Click.drag, st.lists(place, max_size=6), st.integers(0, 1)),
            st.just(Click.drop_carried()),
        )
    )
    outcome = apply(click, model)

    def count(*stacks: ItemStack | None) -> Counter[int]:
        found: Counter[int] = Counter()
        for each in stacks:
            if each is not None:
                found[each.item_id] += each.count
        return found

    before = count(*model.slots, model.carried, model.offhand)
    assert count(*outcome.slots, outcome.carried, outcome.offhand, *outcome.drops) == before
    for i, each in enumerate(outcome.slots):
        assert each is None or each.count <= each.max_stack
        if each is not None and each != model.slots[i]:
            assert plan.rule(i).accepts(each)
            assert each.count <= max(plan.rule(i).limit, 1)
