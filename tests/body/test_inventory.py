"""What to hold, wear and drop: the clicks, and the verdict from the window that the server tells."""

from __future__ import annotations

from typing import Any

import pytest

from numen.body.inventory import drop, equip, hold, take_off, transfer
from numen.body.window import Window, WindowClosed
from numen.rules.items import ItemStack
from numen.world.inventory import CHEST, HEAD, OFF_HAND
from tests.body.kit import Yard

PICKUP, QUICK_MOVE, SWAP, THROW = 0, 1, 2, 4
OUTSIDE = -999


class Keeper:
    """Tells the own window whenever an outdated state id asks for it, with what the client believes.

    `truth` replaces slots in what is told: the server that disagrees.
    """

    def __init__(self, yard: Yard, truth: dict[int, ItemStack | None] | None = None) -> None:
        self.yard = yard
        self.truth = truth or {}
        self.clicks: list[dict[str, Any]] = []

    def __call__(self) -> None:
        for packet in self.yard.sent_of("window_click"):
            fields = packet.fields
            if fields["slot"] == OUTSIDE:
                self.tell(fields["stateId"])
            else:
                self.clicks.append(fields)

    def tell(self, asked: int) -> None:
        inventory = self.yard.world.inventory
        assert asked != inventory.state_id
        items = {slot: stack for slot, stack in enumerate(inventory.slots) if stack is not None}
        items.update({slot: stack for slot, stack in self.truth.items() if stack is not None})
        for slot, stack in self.truth.items():
            if stack is None:
                items.pop(slot, None)
        self.yard.fill(items, state_id=inventory.state_id + 1)

    @property
    def short(self) -> list[tuple[int, int, int]]:
        return [(each["slot"], each["mouseButton"], each["mode"]) for each in self.clicks]


def test_a_hotbar_item_is_only_selected() -> None:
    yard = Yard(items={36: ItemStack.of("dirt", 5), 40: ItemStack.of("torch", 3)})
    verdict = yard.run(hold(yard.me, "torch"))
    assert verdict.ok
    assert verdict.data == {"item": "torch", "count": 3, "slot": 4}
    yard.sent.expect("held_item_slot", slotId=4)
    yard.sent.expect_nothing()
    assert yard.world.inventory.held == ItemStack.of("torch", 3)


def test_holding_what_is_held_sends_nothing() -> None:
    yard = Yard(items={36: ItemStack.of("dirt", 5)})
    assert yard.run(hold(yard.me, "dirt")).ok
    yard.sent.expect_nothing()


def test_a_backpack_item_changes_places_with_an_empty_hotbar_slot() -> None:
    yard = Yard(items={36: ItemStack.of("dirt", 5), 20: ItemStack.of("torch", 3)})
    task = yard.start(hold(yard.me, "torch"))
    yard.tick()
    click = yard.sent.expect("window_click", windowId=0, stateId=1, slot=20, mouseButton=1, mode=SWAP)
    claims = {each["location"]: each["item"]["itemCount"] for each in click["changedSlots"]}
    assert claims == {20: 0, 37: 3}
    assert click["cursorItem"] == {"itemCount": 0}
    yard.sent.expect("held_item_slot", slotId=1)
    yard.sent.expect("window_click", slot=OUTSIDE, stateId=0, changedSlots=[])
    yard.sent.expect_nothing()
    yard.fill({36: ItemStack.of("dirt", 5), 37: ItemStack.of("torch", 3)}, state_id=2)
    yard.tick()
    assert task.verdict is not None
    assert task.verdict.ok
    assert yard.world.inventory.held == ItemStack.of("torch", 3)


def test_a_full_hotbar_gives_up_its_held_slot() -> None:
    full = {slot: ItemStack.of("dirt", slot) for slot in range(36, 45)}
    yard = Yard(items={**full, 20: ItemStack.of("torch", 3)})
    keeper = Keeper(yard)
    verdict = yard.run(hold(yard.me, "torch"), each=keeper)
    assert verdict.ok
    assert keeper.short == [(20, 0, SWAP)]
    assert yard.world.inventory[20] == ItemStack.of("dirt", 36)


def test_a_swap_the_server_denies_is_a_refusal() -> None:
    yard = Yard(items={36: ItemStack.of("dirt", 5), 20: ItemStack.of("torch", 3)})
    keeper = Keeper(yard, truth={20: ItemStack.of("torch", 3), 37: None})
    verdict = yard.run(hold(yard.me, "torch"), each=keeper)
    assert verdict.kind == "refused"
    assert yard.world.inventory[20] == ItemStack.of("torch", 3)


def test_a_server_that_tells_nothing_is_taken_at_its_silence() -> None:
    yard = Yard(items={36: ItemStack.of("dirt", 5), 20: ItemStack.of("torch", 3)})
    verdict = yard.run(hold(yard.me, "torch"))
    assert verdict.ok


def test_what_is_not_carried_is_said_so() -> None:
    yard = Yard()
    verdict = yard.run(hold(yard.me, "torch"))
    assert verdict.kind == "no_material"
    assert verdict.message == "No torch is carried; get one first."


def test_a_misspelt_item_gets_a_suggestion() -> None:
    yard = Yard()
    verdict = yard.run(hold(yard.me, "torhc"))
    assert verdict.kind == "bad_target"
    assert "torch" in verdict.message


def test_armour_goes_where_it_belongs() -> None:
    yard = Yard(items={12: ItemStack.of("iron_helmet")})
    keeper = Keeper(yard)
    verdict = yard.run(equip(yard.me, "iron_helmet"), each=keeper)
    assert verdict.ok
    assert verdict.data == {"item": "iron_helmet", "slot": "head"}
    assert keeper.short == [(12, 0, PICKUP), (HEAD, 0, PICKUP)]
    assert yard.world.inventory[HEAD] == ItemStack.of("iron_helmet")


def test_better_armour_replaces_what_is_worn() -> None:
    yard = Yard(items={CHEST: ItemStack.of("leather_chestplate"), 12: ItemStack.of("iron_chestplate")})
    keeper = Keeper(yard)
    verdict = yard.run(equip(yard.me, "iron_chestplate"), each=keeper)
    assert verdict.ok
    assert verdict.data["replaced"] == "leather_chestplate"
    assert yard.world.inventory[12] == ItemStack.of("leather_chestplate")
    assert yard.world.cursor is None


def test_a_shield_goes_to_the_off_hand() -> None:
    yard = Yard(items={36: ItemStack.of("shield")})
    keeper = Keeper(yard)
    verdict = yard.run(equip(yard.me, "shield"), each=keeper)
    assert verdict.ok
    assert keeper.short == [(36, 40, SWAP)]
    assert yard.world.inventory[OFF_HAND] == ItemStack.of("shield")


def test_a_cursed_helmet_stays_on_and_the_message_says_why() -> None:
    worn = {HEAD: ItemStack.of("carved_pumpkin"), 12: ItemStack.of("iron_helmet")}
    yard = Yard(items=worn)
    verdict = yard.run(equip(yard.me, "iron_helmet"), each=Keeper(yard, truth=dict(worn)))
    assert verdict.kind == "refused"
    assert "curse" in verdict.message


def test_a_sword_is_not_worn_on_the_head() -> None:
    yard = Yard(items={36: ItemStack.of("iron_sword")})
    assert yard.run(equip(yard.me, "iron_sword", "head")).kind == "bad_target"
    assert yard.run(equip(yard.me, "iron_sword", "tail")).kind == "bad_target"
    yard.sent.expect_nothing()


def test_taking_off_is_a_shift_click() -> None:
    yard = Yard(items={HEAD: ItemStack.of("iron_helmet")})
    keeper = Keeper(yard)
    verdict = yard.run(take_off(yard.me, "head"), each=keeper)
    assert verdict.ok
    assert keeper.short == [(HEAD, 0, QUICK_MOVE)]
    assert yard.world.inventory[9] == ItemStack.of("iron_helmet")


def test_dropping_throws_whole_stacks_and_then_single_items() -> None:
    yard = Yard(items={36: ItemStack.of("dirt", 64), 40: ItemStack.of("dirt", 3)})
    keeper = Keeper(yard)
    verdict = yard.run(drop(yard.me, "dirt", 5), each=keeper)
    assert verdict.ok
    assert verdict.data == {"item": "dirt", "dropped": 5, "remaining": 62}
    assert keeper.short == [(40, 1, THROW), (36, 0, THROW), (36, 0, THROW)]


def test_dropping_more_than_there_is_drops_all() -> None:
    yard = Yard(items={36: ItemStack.of("dirt", 4)})
    verdict = yard.run(drop(yard.me, "dirt", 999), each=Keeper(yard))
    assert verdict.data == {"item": "dirt", "dropped": 4, "remaining": 0}


def test_an_exact_count_moves_one_by_one() -> None:
    yard = Yard(items={10: ItemStack.of("dirt", 8)})
    keeper = Keeper(yard)
    verdict = yard.run(transfer(yard.me, 10, 20, 3), each=keeper)
    assert verdict.ok
    assert verdict.data["moved"] == 3
    assert keeper.short == [(10, 0, 0), (20, 1, 0), (20, 1, 0), (20, 1, 0), (10, 0, 0)]
    assert yard.world.inventory[10] == ItemStack.of("dirt", 5)


def test_an_exact_count_onto_another_item_is_refused() -> None:
    yard = Yard(items={10: ItemStack.of("dirt", 8), 20: ItemStack.of("torch")})
    verdict = yard.run(transfer(yard.me, 10, 20, 3))
    assert verdict.kind == "bad_target"
    yard.sent.expect_nothing()


def test_different_stacks_change_places() -> None:
    yard = Yard(items={10: ItemStack.of("dirt", 8), 20: ItemStack.of("torch")})
    verdict = yard.run(transfer(yard.me, 10, 20), each=Keeper(yard))
    assert verdict.ok
    assert yard.world.inventory[10] == ItemStack.of("torch")
    assert yard.world.inventory[20] == ItemStack.of("dirt", 8)


def test_a_stack_left_on_the_cursor_is_put_away_first() -> None:
    yard = Yard(items={10: ItemStack.of("dirt", 8)})
    yard.fill({10: ItemStack.of("dirt", 8)}, cursor=ItemStack.of("dirt", 2))
    keeper = Keeper(yard)
    yard.run(transfer(yard.me, 10, 20), each=keeper)
    assert keeper.short == [(10, 0, 0), (10, 0, 0), (20, 0, 0)]
    assert yard.world.inventory[20] == ItemStack.of("dirt", 10)


def test_clicks_into_a_closed_window_are_refused() -> None:
    yard = Yard()
    window = Window(yard.me)
    yard.receive("open_window", windowId=3, inventoryType=2, windowTitle={"text": "Chest"})
    with pytest.raises(WindowClosed):
        window.left(10)
    yard.sent.expect_nothing()
