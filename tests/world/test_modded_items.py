"""Stacks of mods, whose components nobody here can read: they are there, and nothing around them is lost."""

from __future__ import annotations

from numen.rules.items import ItemStack
from numen.testing.simulation import Simulation

#: A component that vanilla does not have, and a stack of the mod's item 1500 that has it besides its wear.
MODDED = "39 ee0102"
ODD = "02 dc0b 02 00" + "03 07" + MODDED
DIRT, STONE = "01 1b 00 00", "01 01 00 00"


def test_an_odd_stack_in_a_slot_is_known_by_item_and_count() -> None:
    sim = Simulation()
    sim.receive_payload(bytes.fromhex("15 00 05 0024" + ODD))
    stack = sim.world.inventory.held
    assert stack is not None
    assert (stack.name, stack.count, stack.damage, stack.opaque) == ("unknown:1500", 2, 7, True)
    assert not stack.same_kind(stack)
    assert stack.with_count(1) == ItemStack(1500, 1, stack.components, opaque=True)


def test_slots_behind_an_odd_stack_stay_as_they_were() -> None:
    sim = Simulation()
    sim.inventory({9: ("oak_log", 3), 36: ("dirt", 64)})
    sim.receive_payload(bytes.fromhex("13 00 06 2e" + "00" * 9 + ODD + DIRT * 36 + "00"))
    slots = sim.world.inventory.slots
    assert slots[9] is not None
    assert slots[9].opaque
    assert str(slots[36]) == "64 dirt"
    assert sim.world.inventory.state_id == 6


def test_an_open_menu_has_its_size_though_an_odd_stack_hides_the_rest() -> None:
    sim = Simulation()
    sim.receive_payload(bytes.fromhex("33 04 02 08 0005 4368657374"))
    sim.receive_payload(bytes.fromhex("13 04 01 3f" + STONE + ODD + "00" * 61 + "00"))
    menu = sim.world.menu
    assert menu is not None
    assert menu.ready
    assert (len(menu.slots), menu.own_size) == (63, 27)
    assert [str(stack) for stack in menu.slots[:2]] == ["1 stone", "2 unknown:1500"]
    sim.receive_payload(bytes.fromhex("15 04 02 0002" + STONE))
    assert str(menu.slots[2]) == "1 stone"


def test_a_dropped_odd_stack_is_seen() -> None:
    sim = Simulation()
    sim.spawn("item", 3.0, 64.0, 0.0, entity_id=7)
    sim.receive_payload(bytes.fromhex("58 07 08 07" + ODD + "ff"))
    item = sim.world.entities.get(7)
    assert item is not None
    assert item.stack is not None
    assert (item.stack.item_id, item.stack.count) == (1500, 2)
