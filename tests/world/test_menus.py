"""Inventory and menus: the server's word, whichever window it names."""

from __future__ import annotations

from typing import Any

from numen.rules.items import ItemStack
from numen.testing.packets import EMPTY, slot
from numen.testing.simulation import Simulation
from protocol.game import GAME

DIRT = GAME.item("dirt").id
LOG = GAME.item("oak_log").id
BREAD = GAME.item("bread").id
FURNACE, LECTERN, CRAFTER = 14, 17, 7


def told(stack: ItemStack | None) -> tuple[int, int] | None:
    return None if stack is None else (stack.item_id, stack.count)


def open_chest(sim: Simulation, window_id: int = 3) -> None:
    sim.open_menu("generic_9x3", {0: ("bread", 7)}, window_id=window_id, state_id=5)


def test_the_inventory_counts_and_finds() -> None:
    sim = Simulation()
    assert not sim.world.inventory.known
    sim.inventory({9: ("oak_log", 3), 36: ("dirt", 64), 38: ("bread", 2), 45: ("dirt", 1), 5: ("oak_log", 1)})
    inventory = sim.world.inventory
    assert inventory.known
    assert inventory.count(DIRT) == 65
    assert inventory.count(LOG) == 3  # what is worn does not count
    assert inventory.counts() == {LOG: 3, DIRT: 65, BREAD: 2}
    assert inventory.find(DIRT) == [36, 45]
    assert inventory.find([LOG, BREAD]) == [38, 9]
    assert inventory.find(lambda stack: stack.count > 2) == [36, 9]
    assert told(inventory.hotbar[0]) == (DIRT, 64)
    assert told(inventory.held) == (DIRT, 64)
    sim.receive("held_item_slot", slot=2)
    assert told(inventory.held) == (BREAD, 2)
    assert len(inventory.empty_slots) == 33
    assert inventory.room_for(ItemStack(LOG, 1)) == 33 * 64 + 61


def test_only_changed_slots_are_told() -> None:
    sim = Simulation()
    sim.inventory({36: ("dirt", 5)})
    changes: list[frozenset[int]] = []
    sim.world.events.on("inventory", changes.append)
    sim.inventory({36: ("dirt", 5), 37: ("oak_log", 1)})
    sim.receive("set_slot", windowId=0, slot=37, item=slot(LOG, 1))
    assert changes == [frozenset({37})]


def test_an_open_chest_shows_its_own_slots_and_ours() -> None:
    sim = Simulation()
    sim.inventory({9: ("oak_log", 3), 36: ("dirt", 5)})
    opened: list[Any] = []
    sim.world.events.on("menu_opened", lambda menu: opened.append((menu.kind, menu.ready)))
    open_chest(sim)
    menu = sim.world.menu
    assert menu is not None
    assert opened == [("minecraft:generic_9x3", False)]
    assert (menu.title, menu.ready, menu.own_size, menu.state_id) == ("generic_9x3", True, 27, 5)
    assert told(menu.own_slots[0]) == (BREAD, 7)
    assert told(menu.slots[27]) == (LOG, 3)
    assert told(menu.slots[54]) == (DIRT, 5)
    assert (menu.inventory_slot(27), menu.inventory_slot(62), menu.inventory_slot(26)) == (9, 44, None)
    assert (menu.slot_of(9), menu.slot_of(44), menu.slot_of(45)) == (27, 62, None)


def test_server_change_to_window_zero_while_chest_is_open_is_kept() -> None:
    sim = Simulation()
    sim.inventory({36: ("dirt", 5)})
    open_chest(sim)
    sim.receive("set_slot", windowId=0, stateId=9, slot=40, item=slot(BREAD, 4))
    menu = sim.world.menu
    assert menu is not None
    assert told(menu.slots[27 + 31]) == (BREAD, 4)
    sim.receive("close_window", windowId=3)
    assert told(sim.world.inventory[40]) == (BREAD, 4)
    assert sim.world.inventory.state_id == 9
    assert menu.closed


def test_a_change_behind_the_chest_reaches_the_inventory_at_once() -> None:
    sim = Simulation()
    sim.inventory({36: ("dirt", 5)})
    open_chest(sim)
    changes: list[Any] = []
    sim.world.events.on("inventory", changes.append)
    sim.receive("set_slot", windowId=3, stateId=6, slot=54, item=slot(DIRT, 2))
    assert told(sim.world.inventory[36]) == (DIRT, 2)
    assert changes == [frozenset({36})]
    menu = sim.world.menu
    assert menu is not None
    assert menu.state_id == 6
    assert sim.world.inventory.state_id == 1


def test_raw_inventory_numbers_mean_other_slots() -> None:
    sim = Simulation()
    sim.inventory({})
    for raw, place in {0: 36, 8: 44, 9: 9, 35: 35, 36: 8, 39: 5, 40: 45}.items():
        sim.receive("set_slot", windowId=-2, slot=raw, item=slot(DIRT, raw + 1))
        assert told(sim.world.inventory[place]) == (DIRT, raw + 1)


def test_the_cursor_is_window_minus_one() -> None:
    sim = Simulation()
    cursors: list[Any] = []
    sim.world.events.on("cursor", lambda stack: cursors.append(told(stack)))
    sim.receive("set_slot", windowId=-1, slot=-1, item=slot(LOG, 2))
    assert told(sim.world.cursor) == (LOG, 2)
    sim.inventory({})
    assert sim.world.cursor is None
    assert cursors == [(LOG, 2), None]


def test_slots_of_a_window_that_is_not_open_are_ignored() -> None:
    sim = Simulation()
    sim.inventory({})
    open_chest(sim, window_id=3)
    sim.receive("set_slot", windowId=2, slot=0, item=slot(LOG, 1))
    sim.receive("set_slot", windowId=3, slot=200, item=slot(LOG, 1))
    menu = sim.world.menu
    assert menu is not None
    assert menu.slots.count(None) == 62


def test_the_next_window_closes_the_last() -> None:
    sim = Simulation()
    closed: list[int] = []
    sim.world.events.on("menu_closed", lambda menu: closed.append(menu.id))
    open_chest(sim, window_id=3)
    open_chest(sim, window_id=4)
    assert closed == [3]
    menu = sim.world.menu
    assert menu is not None
    assert menu.id == 4


def test_a_click_that_was_sent_counts_until_the_server_says_otherwise() -> None:
    sim = Simulation()
    sim.inventory({36: ("dirt", 5)})
    open_chest(sim)
    five = ItemStack(DIRT, 5)
    sim.world.menus.clicked(3, {54: None}, five)
    assert sim.world.inventory[36] is None
    assert told(sim.world.cursor) == (DIRT, 5)
    sim.world.menus.clicked(3, {1: five}, None)
    menu = sim.world.menu
    assert menu is not None
    assert told(menu.slots[1]) == (DIRT, 5)
    sim.receive("set_slot", windowId=3, slot=1)
    sim.receive("set_slot", windowId=3, slot=54, item=slot(DIRT, 5))
    assert menu.slots[1] is None
    assert told(sim.world.inventory[36]) == (DIRT, 5)


def test_a_furnace_tells_its_progress() -> None:
    sim = Simulation()
    told_: list[tuple[int, int]] = []
    sim.world.events.on("menu_property", lambda *pair: told_.append(pair))
    sim.receive("open_window", windowId=7, inventoryType=FURNACE, windowTitle="Furnace")
    sim.receive("craft_progress_bar", windowId=7, property=2, value=55)
    sim.receive("craft_progress_bar", windowId=6, property=2, value=99)
    menu = sim.world.menu
    assert menu is not None
    assert (menu.kind, menu.properties) == ("minecraft:furnace", {2: 55})
    assert told_ == [(2, 55)]


def test_menus_with_other_layouts_are_understood() -> None:
    sim = Simulation()
    sim.receive("open_window", windowId=1, inventoryType=LECTERN, windowTitle="Lectern")
    sim.receive("window_items", windowId=1, items=[slot(BREAD)])
    lectern = sim.world.menu
    assert lectern is not None
    assert (lectern.own_size, lectern.has_inventory, lectern.slot_of(9)) == (1, False, None)
    sim.receive("open_window", windowId=2, inventoryType=CRAFTER, windowTitle="Crafter")
    sim.receive("window_items", windowId=2, items=[EMPTY] * 46)
    crafter = sim.world.menu
    assert crafter is not None
    assert (crafter.own_size, crafter.slot_of(9), crafter.inventory_slot(45)) == (9, 9, None)


def test_trades_are_kept_with_their_price() -> None:
    sim = Simulation()
    sim.receive("open_window", windowId=1, inventoryType=18, windowTitle="Farmer")
    sim.receive("open_window", windowId=1, inventoryType=19, windowTitle="Farmer")
    emerald = GAME.item("emerald").id
    sim.receive(
        "trade_list",
        windowId=1,
        trades=[
            {
                "inputItem1": {"itemId": LOG, "itemCount": 20, "addedComponentCount": 0, "components": []},
                "outputItem": slot(emerald),
                "inputItem2": None,
                "tradeDisabled": False,
                "nbTradeUses": 1,
                "maximumNbTradeUses": 16,
                "xp": 2,
                "specialPrice": -3,
                "priceMultiplier": 0.05,
                "demand": 2,
            }
        ],
        villagerLevel=2,
        experience=10,
        isRegularVillager=True,
        canRestock=True,
    )
    menu = sim.world.menu
    assert menu is not None
    (trade,) = menu.trades
    assert (trade.price, trade.max_uses, told(trade.result)) == (20 + 2 - 3, 16, (emerald, 1))
    assert menu.villager_level == 2
