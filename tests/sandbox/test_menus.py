"""Windows: what is told, what a click does, what happens when one closes."""

from __future__ import annotations

from numen.rules.items import ItemStack
from numen.testing.sandbox import Client, Env
from protocol.game import GAME


def slot(stack: ItemStack | None) -> dict[str, object]:
    return ItemStack.to_slot(stack)


def told(client: Client, window: int = 0) -> dict[int, tuple[str, int] | None]:
    """The latest each slot of a window was told, by set_slot."""
    found: dict[int, tuple[str, int] | None] = {}
    for each in client.seen("set_slot"):
        if each["windowId"] == window:
            stack = ItemStack.from_slot(each["item"])
            found[each["slot"]] = (stack.name.removeprefix("minecraft:"), stack.count) if stack else None
    return found


def open_table(env: Env, client: Client) -> None:
    env.put((1, 64, 1), "crafting_table")
    client.place((1, 64, 1))


def test_crafts_planks_in_the_own_grid() -> None:
    env = Env()
    steve = env.join()
    steve.give("oak_log", 3)
    env.tick()
    steve.forget()
    steve.click(36)
    steve.click(1, 1)
    assert told(steve)[0] == ("oak_planks", 4)
    assert told(steve, -1)[-1] == ("oak_log", 2)
    steve.click(36)
    steve.click(0, 0, 1)
    assert steve.count("oak_planks") == 4
    assert steve.player.own_menu[1] is None
    assert steve.player.own_menu[0] is None


def test_a_shift_click_on_the_result_crafts_all_there_is() -> None:
    env = Env()
    steve = env.join()
    slots = steve.player.inventory.slots
    slots[1] = ItemStack.of("oak_log", 5)
    steve.click(1)
    steve.click(1)
    steve.click(0, 0, 1)
    assert steve.count("oak_planks") == 20
    assert slots[1] is None


def test_crafts_a_pickaxe_at_the_table() -> None:
    env = Env()
    steve = env.join()
    steve.give("oak_planks", 3)
    steve.give("stick", 2)
    open_table(env, steve)
    opened = steve.last("open_window")
    assert opened["inventoryType"] == 12
    items = steve.last("window_items")
    assert items["windowId"] == opened["windowId"]
    assert len(items["items"]) == 46
    planks, sticks = 37, 38
    steve.click(planks)
    for cell in (1, 2, 3):
        steve.click(cell, 1)
    steve.click(sticks)
    for cell in (5, 8):
        steve.click(cell, 1)
    assert told(steve, opened["windowId"])[0] == ("wooden_pickaxe", 1)
    steve.click(0, 0, 1)
    steve.send("close_window", windowId=opened["windowId"])
    env.tick()
    assert steve.count("wooden_pickaxe") == 1
    assert not steve.count("oak_planks")
    assert not steve.count("stick")


def test_what_lies_in_the_grid_comes_back_when_the_window_closes() -> None:
    env = Env()
    steve = env.join()
    steve.give("oak_planks", 9)
    open_table(env, steve)
    steve.click(37)
    steve.click(1, 1)
    window = steve.player.menu.window_id
    steve.send("close_window", windowId=window)
    env.tick()
    assert steve.count("oak_planks") == 9
    assert steve.player.menu is steve.player.own_menu
    assert steve.player.menu.carried is None


def test_the_table_closes_when_it_is_gone_or_far_away() -> None:
    env = Env()
    steve = env.join()
    open_table(env, steve)
    env.put((1, 64, 1), "air")
    env.tick()
    assert steve.seen("close_window")
    open_table(env, steve)
    steve.forget()
    steve.stand(30.5, 64.0, 0.5)
    assert steve.seen("close_window")


def test_an_honest_claim_is_answered_with_silence() -> None:
    env = Env()
    steve = env.join()
    steve.give("dirt", 10)
    env.tick()
    steve.forget()
    menu = steve.player.menu
    steve.send(
        "window_click",
        windowId=0,
        stateId=menu.state_id,
        slot=36,
        mouseButton=0,
        mode=0,
        changedSlots=[{"location": 36, "item": slot(None)}],
        cursorItem=slot(ItemStack.of("dirt", 10)),
    )
    env.tick()
    assert not steve.seen("set_slot")
    assert not steve.seen("window_items")
    assert menu.carried == ItemStack.of("dirt", 10)


def test_a_wrong_claim_is_put_right_slot_by_slot() -> None:
    env = Env()
    steve = env.join()
    steve.give("dirt", 10)
    env.tick()
    steve.forget()
    menu = steve.player.menu
    steve.send(
        "window_click",
        windowId=0,
        stateId=menu.state_id,
        slot=36,
        mouseButton=1,
        mode=0,
        changedSlots=[{"location": 36, "item": slot(ItemStack.of("dirt", 9))}],
        cursorItem=slot(ItemStack.of("diamond", 64)),
    )
    env.tick()
    assert told(steve) == {36: ("dirt", 5)}
    assert told(steve, -1) == {-1: ("dirt", 5)}
    assert env.judge.counts["resync"] == 1


def test_a_stale_state_id_brings_the_whole_window() -> None:
    env = Env()
    steve = env.join()
    steve.give("dirt", 10)
    env.tick()
    stale = steve.player.menu.state_id
    steve.give("stone", 1)
    env.tick()
    steve.forget()
    steve.send(
        "window_click",
        windowId=0,
        stateId=stale,
        slot=36,
        mouseButton=0,
        mode=0,
        changedSlots=[],
        cursorItem=slot(None),
    )
    env.tick()
    whole = steve.last("window_items")
    assert whole["carriedItem"]["itemCount"] == 10
    assert whole["items"][36]["itemCount"] == 0
    assert whole["stateId"] == steve.player.menu.state_id


def test_clicks_for_a_window_that_is_not_open_do_nothing() -> None:
    env = Env()
    steve = env.join()
    steve.give("dirt", 10)
    env.tick()
    steve.click(36, window=7)
    assert steve.player.menu.carried is None
    assert env.judge.counts["click_wrong_window"] == 1


def test_slots_that_are_none_do_nothing() -> None:
    env = Env()
    steve = env.join()
    for wrong in (46, 400, -2):
        steve.click(wrong)
    assert env.judge.counts["click_bad_slot"] == 3


def test_a_drag_shares_a_stack_out() -> None:
    env = Env()
    steve = env.join()
    steve.give("dirt", 10)
    env.tick()
    steve.click(36)
    steve.click(-999, 0, 5)
    for target in (20, 21, 22):
        steve.click(target, 1, 5)
    steve.click(-999, 2, 5)
    slots = steve.player.inventory.slots
    assert [slots[target] for target in (20, 21, 22)] == [ItemStack.of("dirt", 3)] * 3
    assert steve.player.menu.carried == ItemStack.of("dirt", 1)


def test_a_click_outside_throws_the_carried_stack() -> None:
    env = Env()
    steve = env.join()
    steve.give("dirt", 10)
    env.tick()
    steve.click(36)
    steve.click(-999, 1)
    steve.click(-999, 0)
    env.tick()
    assert steve.player.menu.carried is None
    thrown = [entity for entity in env.world.entities.values() if entity.kind == "minecraft:item"]
    assert sum(entity.stack.count for entity in thrown) == 10  # type: ignore[attr-defined]


def test_a_chest_keeps_what_is_put_into_it_and_spills_it_when_broken() -> None:
    env = Env()
    steve = env.join()
    env.put((1, 64, 1), "chest")
    steve.give("bread", 5)
    steve.place((1, 64, 1))
    assert steve.last("open_window")["inventoryType"] == 2
    steve.click(54, 0, 1)
    assert steve.player.menu[0] == ItemStack.of("bread", 5)
    steve.send("close_window", windowId=steve.player.menu.window_id)
    env.tick()
    alex = env.join("Alex")
    alex.place((1, 64, 1))
    assert alex.last("window_items")["items"][0]["itemCount"] == 5
    env.put((1, 64, 1), "air")
    env.tick(2)
    assert alex.seen("close_window")
    spilt = [entity for entity in env.world.entities.values() if entity.kind == "minecraft:item"]
    assert [str(entity.stack) for entity in spilt] == ["5 bread"]  # type: ignore[attr-defined]


def test_two_players_see_each_others_hands_in_one_chest() -> None:
    env = Env()
    steve, alex = env.join("Steve"), env.join("Alex")
    env.put((1, 64, 1), "barrel")
    steve.give("dirt", 7)
    steve.place((1, 64, 1))
    alex.place((1, 64, 1))
    alex.forget()
    steve.click(54, 0, 1)
    assert told(alex, alex.player.menu.window_id)[0] == ("dirt", 7)


def test_a_chest_under_a_block_stays_shut() -> None:
    env = Env()
    steve = env.join()
    env.put((1, 64, 1), "chest")
    env.put((1, 65, 1), "stone")
    steve.place((1, 64, 1), 2)
    assert not steve.seen("open_window")


def test_only_a_creative_player_makes_things_out_of_nothing() -> None:
    env = Env()
    steve = env.join()
    wish = slot(ItemStack.of("diamond_block", 64))
    steve.send("set_creative_slot", slot=36, item=wish)
    env.tick()
    assert steve.player.inventory.held is None
    assert env.judge.counts["bad_slot"] == 1
    steve.player.set_game_mode("creative")
    steve.send("set_creative_slot", slot=36, item=wish)
    env.tick()
    assert steve.player.inventory.held == ItemStack.of("diamond_block", 64)


def test_a_furnace_smelts_iron_with_coal() -> None:
    env = Env()
    steve = env.join()
    env.put((1, 64, 1), "furnace")
    steve.give("raw_iron", 2)
    steve.give("coal", 1)
    steve.place((1, 64, 1))
    assert steve.last("open_window")["inventoryType"] == 14
    steve.click(30, 0, 1)
    steve.click(31, 0, 1)
    menu = steve.player.menu
    assert menu[0] == ItemStack.of("raw_iron", 2)
    env.tick(2)
    assert menu[1] is None
    assert GAME.properties(env.world.block(1, 64, 1))["lit"] == "true"
    assert {each["property"] for each in steve.seen("craft_progress_bar")} == {0, 1, 2, 3}
    env.tick(400)
    assert menu[2] == ItemStack.of("iron_ingot", 2)
    steve.click(2, 0, 1)
    assert steve.count("iron_ingot") == 2
    env.tick(80)
    assert steve.player.experience >= 1
    env.tick(1200)
    assert GAME.properties(env.world.block(1, 64, 1))["lit"] == "false"


def test_a_furnace_without_fuel_cools_down() -> None:
    env = Env()
    steve = env.join()
    env.put((1, 64, 1), "furnace")
    steve.place((1, 64, 1))
    furnace = env.world.block_entities[1, 64, 1]
    furnace.slots[0] = ItemStack.of("sand", 1)
    furnace.slots[1] = ItemStack.of("stick", 1)
    env.tick(100)
    assert furnace.properties[2] == 100  # type: ignore[attr-defined]
    env.tick(60)
    assert furnace.properties[2] == 0  # type: ignore[attr-defined]
    assert furnace.slots[2] is None
