"""Hunger, harm, death and coming back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from numen.rules.items import ItemStack
from numen.rules.physics import Inputs, PlayerState, step
from numen.sandbox.entities.living import Damage
from numen.sandbox.entities.zombie import Zombie
from numen.testing.sandbox import Client, Env
from protocol.game import GAME
from protocol.text import plain_text


def not_healing(client: Client) -> None:
    survival = client.player.survival
    survival.hunger = replace(survival.hunger, food=15)


def fall(env: Env, client: Client, height: float) -> None:
    client.stand(0.5, 64.0 + height, 0.5)
    state = PlayerState(x=0.5, y=64.0 + height, z=0.5)
    while not state.on_ground:
        state = step(state, Inputs(), env.world)
        client.x, client.y, client.z = state.x, state.y, state.z
        client.send("position", x=state.x, y=state.y, z=state.z, onGround=state.on_ground)
        env.tick()


@pytest.mark.parametrize(("height", "damage"), [(3, 0), (4, 1), (5, 2), (10, 7)])
def test_a_fall_costs_what_the_game_says(height: float, damage: int) -> None:
    env = Env()
    steve = env.join()
    fall(env, steve, height)
    assert steve.player.health == 20 - damage
    if damage:
        assert steve.last("update_health")["health"] == 20 - damage
        assert steve.last("damage_event")["entityId"] == steve.player.id
    assert not env.judge.counts


def test_water_breaks_a_fall() -> None:
    env = Env()
    steve = env.join()
    for y in (64, 65):
        env.put((0, y, 0), "water")
    steve.stand(0.5, 80.0, 0.5)
    state = PlayerState(x=0.5, y=80.0, z=0.5)
    for _ in range(60):
        state = step(state, Inputs(), env.world)
        steve.send("position", x=state.x, y=state.y, z=state.z, onGround=state.on_ground)
        env.tick()
    assert steve.player.health == 20


def test_a_creative_player_falls_for_free() -> None:
    env = Env(game_mode="creative")
    steve = env.join()
    fall(env, steve, 20)
    assert steve.player.health == 20


def test_respawns_after_death() -> None:
    env = Env()
    steve = env.join()
    steve.give("dirt", 12)
    steve.stand(30.5, 64.0, 0.5)
    steve.forget()
    steve.player.kill()
    env.tick()
    assert steve.last("update_health")["health"] == 0
    assert plain_text(steve.last("death_combat_event")["message"]) == "Steve was killed"
    assert steve.last("entity_status")["entityStatus"] == 3
    assert not steve.player.inventory.count(ItemStack.of("dirt").item_id)
    dropped = [entity for entity in env.world.entities.values() if entity.kind == "minecraft:item"]
    assert sum(entity.stack.count for entity in dropped) == 12  # type: ignore[attr-defined]
    steve.move(1.0)
    env.tick()
    assert steve.player.x == 30.5
    steve.forget()
    steve.send("client_command", actionId=0)
    env.tick(20)
    assert steve.seen("respawn")[0]["worldState"]["death"]["location"] == (30, 64, 0)
    assert steve.order.index("respawn") < steve.order.index("position")
    assert steve.order.index("respawn") < steve.order.index("chunk_batch_start")
    assert steve.last("update_health") == {"health": 20.0, "food": 20, "foodSaturation": 5.0}
    assert steve.player.x == 0.5
    assert steve.player.view.complete
    steve.land()
    steve.walk(1.0, 0.0)
    assert abs(steve.player.x - 1.5) < 1e-9
    assert not env.judge.counts


def test_others_see_the_dead_go_and_come_back() -> None:
    env = Env()
    steve, alex = env.join("Steve"), env.join("Alex")
    alex.forget()
    number = steve.player.id
    steve.player.kill()
    env.tick()
    assert {"entityId": number, "entityStatus": 3} in alex.seen("entity_status")
    env.tick(25)
    assert {"entityIds": [number]} in alex.seen("entity_destroy")
    steve.send("client_command", actionId=0)
    env.tick(3)
    assert alex.last("spawn_entity")["entityId"] == number


def test_only_the_dead_respawn() -> None:
    env = Env()
    steve = env.join()
    steve.forget()
    steve.send("client_command", actionId=0)
    env.tick()
    assert not steve.seen("respawn")


def eat(client: Client, ticks: int, hand: int = 0) -> None:
    client.send("use_item", hand=hand, sequence=client.sequence(), rotation={"x": 0.0, "y": 0.0})
    client.env.tick(ticks)


def test_eating_takes_thirty_two_ticks_and_feeds() -> None:
    env = Env()
    steve = env.join()
    steve.player.survival.hunger = replace(steve.player.survival.hunger, food=10, saturation=0.0)
    steve.give("bread", 3)
    env.tick()
    steve.forget()
    eat(steve, 31)
    assert steve.count("bread") == 3
    env.tick(2)
    assert steve.count("bread") == 2
    assert {"entityId": steve.player.id, "entityStatus": 9} in steve.seen("entity_status")
    assert steve.last("update_health")["food"] == 15
    assert steve.last("update_health")["foodSaturation"] == 6.0
    assert steve.last("acknowledge_player_digging")["sequenceId"] == 1


def test_letting_go_or_changing_hands_ends_a_meal() -> None:
    env = Env()
    steve = env.join()
    steve.player.survival.hunger = replace(steve.player.survival.hunger, food=10)
    steve.give("bread", 3)
    env.tick()
    eat(steve, 20)
    steve.send("block_dig", status=5, location=(0, 0, 0), face=0, sequence=0)
    env.tick(20)
    eat(steve, 20)
    steve.send("held_item_slot", slotId=3)
    env.tick(20)
    assert steve.count("bread") == 3


def test_who_is_full_eats_only_what_is_always_good() -> None:
    env = Env()
    steve = env.join()
    steve.give("bread")
    env.tick()
    eat(steve, 40)
    assert steve.count("bread") == 1
    steve.player.inventory.held = ItemStack.of("golden_apple")
    eat(steve, 40)
    assert not steve.count("golden_apple")


def test_a_stew_leaves_its_bowl() -> None:
    env = Env()
    steve = env.join()
    steve.player.survival.hunger = replace(steve.player.survival.hunger, food=10)
    steve.give("mushroom_stew")
    env.tick()
    eat(steve, 34)
    assert steve.player.inventory.held == ItemStack.of("bowl")


def test_food_heals_and_running_makes_hungry() -> None:
    env = Env()
    steve = env.join()
    player = steve.player
    player.health = 10.0
    env.tick(60)
    assert player.health > 13
    assert player.survival.hunger.saturation < 5
    steve.send("entity_action", entityId=player.id, actionId=3, jumpBoost=0)
    for _ in range(150):
        steve.move(0.28)
        env.tick()
        steve.move(-0.28)
        env.tick()
    assert player.survival.hunger.food < 20
    assert not env.judge.counts


def test_starving_stops_at_half_a_heart_in_normal_times() -> None:
    env = Env()
    steve = env.join()
    player = steve.player
    player.survival.hunger = replace(player.survival.hunger, food=0, saturation=0.0)
    player.health = 3.0
    env.tick(400)
    assert player.health == 1.0
    assert not player.dead


def test_who_stays_under_water_drowns() -> None:
    env = Env()
    steve = env.join()
    for y in (64, 65, 66):
        env.put((0, y, 0), "water")
    steve.forget()
    env.tick(300)
    assert steve.player.health == 20
    air = [each for each in steve.seen("entity_metadata") if each["entityId"] == steve.player.id]
    assert min(entry["value"] for each in air for entry in each["metadata"] if entry["key"] == 1) <= 1
    env.tick(45)
    assert steve.player.health < 20


def test_lava_burns() -> None:
    env = Env()
    steve = env.join()
    not_healing(steve)
    env.put((0, 64, 0), "lava")
    env.tick(15)
    assert steve.player.health <= 16
    env.put((0, 64, 0), "air")
    before = steve.player.health
    env.tick(60)
    assert steve.player.health < before


def test_the_void_kills() -> None:
    env = Env()
    steve = env.join()
    steve.player.movement.teleport(0.5, -200.0, 0.5)
    env.tick(200)
    assert steve.player.dead
    assert "out of the world" in plain_text(steve.last("death_combat_event")["message"])


def test_armour_lets_less_through() -> None:
    env = Env()
    steve, alex = env.join("Steve"), env.join("Alex")
    for slot, piece in zip(range(5, 9), ("helmet", "chestplate", "leggings", "boots"), strict=True):
        steve.player.inventory.slots[slot] = ItemStack.of(f"iron_{piece}")
    for client in (steve, alex):
        client.player.hurt(6.0, Damage("mob_attack"))
    assert alex.player.health == 14.0
    assert abs(20 - steve.player.health - 6.0 * (1 - (15 - 6 / 2) / 25)) < 1e-6


def test_a_second_blow_within_half_a_second_costs_only_the_difference() -> None:
    env = Env()
    steve = env.join()
    not_healing(steve)
    player = steve.player
    player.hurt(4.0, Damage("mob_attack"))
    player.hurt(3.0, Damage("mob_attack"))
    assert player.health == 16.0
    player.hurt(6.0, Damage("mob_attack"))
    assert player.health == 14.0
    env.tick(10)
    player.hurt(3.0, Damage("mob_attack"))
    assert player.health == 11.0


def to_bed(env: Env, client: Client) -> None:
    """Put a bed down, both parts at once, and use it."""
    parts = [
        ((2 + far, 64, 0), GAME.state("white_bed", part=part, facing="east"))
        for far, part in enumerate(("foot", "head"))
    ]
    env.world.place(client.player, parts)
    client.place((2, 64, 0))


def test_a_night_in_bed_ends_the_night() -> None:
    env = Env(day_time=13000)
    steve, alex = env.join("Steve"), env.join("Alex")
    to_bed(env, steve)
    assert steve.player.bed == (3, 64, 0)
    env.tick(2)
    metadata = [each for each in alex.seen("entity_metadata") if each["entityId"] == steve.player.id][-1]
    told = {entry["key"]: entry["value"] for entry in metadata["metadata"]}
    assert (told[6], told[14]) == (2, (3, 64, 0))
    env.tick(150)
    assert env.world.day_time == 13000
    alex.pair.client.close("bye")
    env.tick(2)
    assert env.world.day_time == 24000
    assert steve.player.bed is None
    assert steve.last("animation") == {"entityId": steve.player.id, "animation": 2}
    assert steve.player.y == 64.0


def test_nobody_sleeps_by_day_or_beside_a_monster() -> None:
    env = Env(day_time=6000)
    steve = env.join()
    to_bed(env, steve)
    assert steve.player.bed is None
    assert (
        plain_text(steve.last("system_chat")["content"])
        == "You can sleep only at night or during thunderstorms"
    )
    env.world.day_time = 14000
    env.world.add(Zombie(env.world, 8.5, 64.0, 0.5))
    steve.place((2, 64, 0))
    assert steve.player.bed is None
    assert "monsters nearby" in plain_text(steve.last("system_chat")["content"])


def test_a_blow_or_the_wish_to_get_up_ends_the_sleep() -> None:
    env = Env(day_time=14000)
    steve = env.join()
    to_bed(env, steve)
    steve.send("entity_action", entityId=steve.player.id, actionId=2, jumpBoost=0)
    env.tick()
    assert steve.player.bed is None
    steve.place((2, 64, 0))
    assert steve.player.bed is not None
    steve.player.hurt(1.0, Damage("generic"))
    assert steve.player.bed is None


def test_a_raised_shield_stops_blows_from_the_front() -> None:
    env = Env(day_time=14000)
    steve = env.join()
    steve.player.inventory.slots[45] = ItemStack.of("shield")
    front = Zombie(env.world, 0.5, 64.0, 2.0)
    behind = Zombie(env.world, 0.5, 64.0, -1.0)
    steve.send("use_item", hand=1, sequence=1, rotation={"x": 0.0, "y": 0.0})
    env.tick(2)
    assert steve.player.hurt(4.0, Damage("mob_attack", front))
    env.tick(20)
    assert not steve.player.hurt(4.0, Damage("mob_attack", front))
    env.pump()
    assert steve.last("entity_status") == {"entityId": steve.player.id, "entityStatus": 29}
    shield = steve.player.inventory.slots[45]
    assert shield is not None
    assert shield.damage == 5
    assert steve.player.hurt(4.0, Damage("mob_attack", behind))
