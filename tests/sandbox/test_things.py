"""Things on the ground: what breaking earns, how they fall, merge, and get into pockets."""

from __future__ import annotations

import pytest

from numen.rules.items import ItemStack
from numen.sandbox.entities.item import ItemEntity, drop_at, drop_at_block
from numen.testing.sandbox import Env
from protocol.game import GAME

AT = (2, 63, 0)


def lying(env: Env) -> list[ItemEntity]:
    return [entity for entity in env.world.entities.values() if isinstance(entity, ItemEntity)]


def names(env: Env) -> list[str]:
    return sorted(str(item.stack) for item in lying(env))


@pytest.mark.parametrize(
    ("block", "tool", "drops"),
    [
        ("stone", "wooden_pickaxe", ["1 cobblestone"]),
        ("stone", None, []),
        ("iron_ore", "wooden_pickaxe", []),
        ("iron_ore", "stone_pickaxe", ["1 raw_iron"]),
        ("coal_ore", "wooden_pickaxe", ["1 coal"]),
        ("grass_block", None, ["1 dirt"]),
        ("oak_log", None, ["1 oak_log"]),
        ("glass", None, []),
        ("crafting_table", None, ["1 crafting_table"]),
    ],
)
def test_gives_drops_only_for_the_right_tool(block: str, tool: str | None, drops: list[str]) -> None:
    env = Env()
    steve = env.join()
    env.put(AT, block)
    if tool:
        steve.give(tool)
    env.tick()
    steve.send("block_dig", status=0, location=AT, face=1, sequence=1)
    env.tick()
    steve.send("block_dig", status=2, location=AT, face=1, sequence=2)
    env.tick_until(lambda: env.block(AT) == "air", 600)
    assert names(env) == drops


def test_a_drop_is_shown_falls_and_comes_to_rest() -> None:
    env = Env()
    steve = env.join()
    steve.forget()
    item = drop_at_block(env.world, (3, 70, 3), ItemStack.of("dirt"))
    env.tick(60)
    assert item.on_ground
    assert abs(item.y - 64.0) < 1e-6
    spawn = steve.last("spawn_entity")
    assert spawn["entityId"] == item.id
    assert spawn["type"] == GAME.entity("item").id
    slot = steve.last("entity_metadata")["metadata"][0]
    assert (slot["key"], slot["value"]["itemId"]) == (8, GAME.item("dirt").id)


def test_a_thing_at_rest_costs_no_packets() -> None:
    env = Env()
    steve = env.join()
    drop_at_block(env.world, (3, 64, 3), ItemStack.of("dirt"))
    env.tick(80)
    steve.forget()
    env.tick(40)
    moving = ("rel_entity_move", "entity_teleport", "entity_velocity", "entity_move_look")
    assert sum(len(steve.seen(packet)) for packet in moving) <= 1


def test_things_wait_ten_ticks_and_go_into_the_hotbar_first() -> None:
    env = Env()
    steve = env.join()
    steve.forget()
    item = drop_at(env.world, 0.5, 64.0, 0.5, ItemStack.of("dirt", 3))
    waited = env.tick_until(lambda: item.removed)
    assert waited == 10
    env.tick()
    assert steve.player.inventory.slots[36] == ItemStack.of("dirt", 3)
    told = steve.last("set_slot")
    assert (told["windowId"], told["slot"], told["item"]["itemCount"]) == (0, 36, 3)
    collect = steve.last("collect")
    assert collect == {
        "collectedEntityId": item.id,
        "collectorEntityId": steve.player.id,
        "pickupItemCount": 3,
    }
    assert steve.last("entity_destroy") == {"entityIds": [item.id]}
    assert steve.order.index("collect") < steve.order.index("entity_destroy")


def test_what_is_picked_up_joins_its_like_before_it_takes_a_free_slot() -> None:
    env = Env()
    steve = env.join()
    slots = steve.player.inventory.slots
    slots[20] = ItemStack.of("dirt", 60)
    slots[45] = ItemStack.of("dirt", 63)
    drop_at(env.world, 0.5, 64.0, 0.5, ItemStack.of("dirt", 10))
    env.tick(15)
    assert slots[45] == ItemStack.of("dirt", 64)
    assert slots[20] == ItemStack.of("dirt", 64)
    assert slots[36] == ItemStack.of("dirt", 5)


def test_full_pockets_leave_the_rest_lying() -> None:
    env = Env()
    steve = env.join()
    slots = steve.player.inventory.slots
    for slot in range(9, 45):
        slots[slot] = ItemStack.of("stone", 64)
    slots[40] = ItemStack.of("dirt", 62)
    item = drop_at(env.world, 0.5, 64.0, 0.5, ItemStack.of("dirt", 5))
    env.tick(15)
    assert slots[40] == ItemStack.of("dirt", 64)
    assert item.stack == ItemStack.of("dirt", 3)
    assert not item.removed
    assert steve.last("collect")["pickupItemCount"] == 2


def test_things_out_of_reach_stay() -> None:
    env = Env()
    env.join()
    near = ItemEntity(env.world, 1.9, 64.0, 0.5, ItemStack.of("dirt"))
    far = ItemEntity(env.world, 2.1, 64.0, 0.5, ItemStack.of("stone"))
    env.world.add(near)
    env.world.add(far)
    env.tick(20)
    assert near.removed
    assert not far.removed


def test_equal_things_merge() -> None:
    env = Env()
    env.join()
    for x in (4.3, 4.6, 4.9):
        item = ItemEntity(env.world, x, 64.0, 4.5, ItemStack.of("dirt", 20))
        env.world.add(item)
    env.tick(90)
    assert names(env) == ["60 dirt"]


def test_things_are_gone_after_five_minutes() -> None:
    env = Env()
    env.join()
    item = drop_at_block(env.world, (4, 64, 4), ItemStack.of("dirt"))
    item.lived = 5998
    env.tick(3)
    assert item.removed


def test_a_thrown_thing_waits_forty_ticks() -> None:
    env = Env()
    steve = env.join()
    steve.give("dirt", 5)
    env.tick()
    steve.forget()
    steve.send("block_dig", status=4, location=(0, 0, 0), face=0, sequence=0)
    env.tick()
    assert steve.player.inventory.held == ItemStack.of("dirt", 4)
    (item,) = lying(env)
    assert item.vz > 0.25
    env.tick(38)
    assert item.pickup_delay == 1
    steve.stand(item.x, 64.0, item.z)
    assert steve.count("dirt") == 5
    steve.send("block_dig", status=3, location=(0, 0, 0), face=0, sequence=0)
    env.tick()
    assert steve.player.inventory.held is None
    assert names(env) == ["5 dirt"]


def test_swapping_hands() -> None:
    env = Env()
    steve = env.join()
    steve.give("bread", 2)
    steve.send("block_dig", status=6, location=(0, 0, 0), face=0, sequence=0)
    env.tick()
    assert steve.player.inventory.held is None
    assert steve.player.inventory.slots[45] == ItemStack.of("bread", 2)


def test_ores_give_experience() -> None:
    env = Env()
    steve = env.join()
    steve.give("iron_pickaxe")
    env.tick()
    for _ in range(3):
        env.put(AT, "diamond_ore")
        env.tick()
        steve.send("block_dig", status=0, location=AT, face=1, sequence=1)
        env.tick(40)
        steve.send("block_dig", status=2, location=AT, face=1, sequence=2)
        env.tick(2)
    steve.stand(2.5, 63.0, 0.5)
    env.tick(60)
    assert steve.player.experience >= 9
    assert steve.last("experience")["totalExperience"] == steve.player.experience


def test_a_stack_floats_in_water() -> None:
    env = Env()
    env.join()
    for y in range(64, 68):
        env.put((3, y, 3), "water")
    item = ItemEntity(env.world, 3.5, 64.2, 3.5, ItemStack.of("oak_log"))
    env.world.add(item)
    env.tick(200)
    assert item.y > 64.5
