"""Pigs and zombies, and fighting with them."""

from __future__ import annotations

import math

import pytest

from numen.rules.items import ItemStack
from numen.sandbox.ai.walking import find_way
from numen.sandbox.entities.item import ItemEntity
from numen.sandbox.entities.kinds import summon
from numen.sandbox.entities.living import Damage
from numen.sandbox.entities.zombie import Zombie
from numen.testing.sandbox import Client, Env
from protocol.game import GAME

NIGHT = 14000


def attack(client: Client, number: int) -> None:
    client.send("use_entity", target=number, mouse=1, x=None, y=None, z=None, hand=None, sneaking=False)
    client.env.tick()


def test_a_pig_wanders_over_the_ground() -> None:
    env = Env()
    env.join()
    pig = summon(env.world, "pig", 4.5, 64.0, 4.5)
    places = set()
    for _ in range(1200):
        env.tick()
        places.add((math.floor(pig.x), math.floor(pig.z)))
        assert abs(pig.y - 64.0) < 1.3
    assert len(places) > 5


def test_a_creature_is_shown_and_its_moves_add_up() -> None:
    env = Env()
    steve = env.join()
    pig = summon(env.world, "pig", 4.5, 64.0, 4.5)
    pig.mind.clear()
    env.tick(2)
    spawn = steve.last("spawn_entity")
    assert spawn["type"] == GAME.entity("pig").id
    assert spawn["objectUUID"] == pig.uuid
    x, z = spawn["x"], spawn["z"]
    pig.walking.go(12.5, 64.0, 4.5, 1.0)
    steve.forget()
    env.tick(120)
    for packet in steve.order:
        if packet in ("rel_entity_move", "entity_move_look"):
            step = steve._received[packet].pop(0)
            x, z = x + step["dX"] / 4096, z + step["dZ"] / 4096
        elif packet == "entity_teleport":
            step = steve._received[packet].pop(0)
            x, z = step["x"], step["z"]
    assert math.hypot(x - pig.x, z - pig.z) < 0.2
    assert pig.x > 12


def test_a_creature_steps_up_and_finds_its_way_round_a_wall() -> None:
    env = Env()
    env.join()
    for z in range(-2, 4):
        for y in (64, 65):
            env.put((6, y, z), "stone")
    way = find_way(env.world, (4, 64, 0), (9, 64, 0))
    assert way[-1][0] >= 8
    pig = summon(env.world, "pig", 4.5, 64.0, 0.5)
    env.put((4, 64, 3), "stone")
    for _ in range(400):
        pig.walking.go(9.5, 64.0, 0.5, 1.0)
        env.tick()
        if pig.x > 8.5:
            break
    assert pig.x > 8.5


def test_a_hit_hurts_pushes_and_frightens_a_pig() -> None:
    env = Env()
    steve = env.join()
    pig = summon(env.world, "pig", 2.5, 64.0, 0.5)
    env.tick(3)
    steve.forget()
    attack(steve, pig.id)
    assert pig.health == 9.0
    told = steve.last("damage_event")
    assert told["entityId"] == pig.id
    assert told["sourceCauseId"] == steve.player.id + 1
    push = next(each for each in steve.seen("entity_velocity") if each["entityId"] == pig.id)
    assert push["velocity"]["x"] > 2000
    assert push["velocity"]["y"] > 2000
    env.tick(10)
    assert "Panic" in [type(goal).__name__ for goal in pig.mind.running]


def test_blows_are_weak_until_the_arm_has_rested() -> None:
    env = Env()
    steve = env.join()
    steve.give("iron_sword")
    env.tick(20)
    zombie = summon(env.world, "zombie", 2.0, 64.0, 0.5)
    env.tick(2)
    attack(steve, zombie.id)
    first = 20.0 - zombie.health
    env.tick(10)
    attack(steve, zombie.id)
    second = 20.0 - first - zombie.health
    assert first > 5
    assert 0 < second < first


def test_a_dead_pig_leaves_porkchops_and_is_gone_after_a_second() -> None:
    env = Env()
    steve = env.join()
    pig = summon(env.world, "pig", 2.5, 64.0, 0.5)
    pig.health = 1.0
    env.tick(2)
    steve.forget()
    attack(steve, pig.id)
    assert {"entityId": pig.id, "entityStatus": 3} in steve.seen("entity_status")
    drops = [entity for entity in env.world.entities.values() if entity.kind == "minecraft:item"]
    assert [entity.stack.name for entity in drops] == ["minecraft:porkchop"]  # type: ignore[attr-defined]
    env.tick(22)
    assert {"entityIds": [pig.id]} in steve.seen("entity_destroy")


def test_hitting_is_out_of_reach_at_five_blocks() -> None:
    env = Env()
    steve = env.join()
    pig = summon(env.world, "pig", 6.5, 64.0, 0.5)
    env.tick(2)
    attack(steve, pig.id)
    assert pig.health == 10.0
    assert env.judge.counts["attack_reach"] == 1


def test_who_hits_a_thing_is_sent_away() -> None:
    env = Env()
    steve = env.join()
    steve.player.throw(ItemStack.of("dirt"))
    env.tick()
    item = next(entity for entity in env.world.entities.values() if entity.kind == "minecraft:item")
    attack(steve, item.id)
    env.tick()
    assert steve.gone is not None
    assert env.judge.counts["attack_bad_target"] == 1


def test_players_can_fight() -> None:
    env = Env()
    steve, alex = env.join("Steve"), env.join("Alex")
    alex.stand(2.5, 64.0, 0.5)
    alex.forget()
    attack(steve, alex.player.id)
    assert alex.player.health == 19.0
    assert alex.last("entity_velocity")["entityId"] == alex.player.id
    assert alex.last("update_health")["health"] == 19.0


def test_a_zombie_hunts_and_hits_once_a_second() -> None:
    env = Env(day_time=NIGHT)
    steve = env.join()
    zombie = summon(env.world, "zombie", 9.5, 64.0, 0.5)
    steve.forget()
    hits = env.tick_until(lambda: steve.player.health < 20.0, 400)
    assert 60 < hits < 250
    assert steve.player.health == 17.0
    assert steve.last("damage_event")["sourceCauseId"] == zombie.id + 1
    env.tick(2)
    push = next(each for each in steve.seen("entity_velocity") if each["entityId"] == steve.player.id)
    assert push["velocity"]["x"] < -2000
    again = env.tick_until(lambda: steve.player.health < 17.0, 100)
    assert again >= 17


@pytest.mark.parametrize(("difficulty", "health"), [("easy", 17.5), ("normal", 17.0), ("hard", 15.5)])
def test_a_zombie_hits_as_hard_as_the_difficulty(difficulty: str, health: float) -> None:
    env = Env(day_time=NIGHT, difficulty=difficulty)
    steve = env.join()
    summon(env.world, "zombie", 1.7, 64.0, 0.5)
    env.tick_until(lambda: steve.player.health < 20.0, 200)
    assert steve.player.health == health


def test_a_zombie_leaves_creative_players_alone() -> None:
    env = Env(day_time=NIGHT, game_mode="creative")
    steve = env.join()
    zombie = summon(env.world, "zombie", 2.5, 64.0, 0.5)
    env.tick(60)
    assert zombie.target is None
    assert steve.player.health == 20.0


def test_a_zombie_burns_by_day_and_not_under_a_roof() -> None:
    env = Env(day_time=6000, game_mode="creative")
    env.join()
    for x in range(3, 6):
        for z in range(3, 6):
            env.put((x, 68, z), "stone")
    out = summon(env.world, "zombie", 8.5, 64.0, 8.5)
    covered = summon(env.world, "zombie", 4.5, 64.0, 4.5)
    covered.mind.clear()
    env.tick(100)
    assert out.burning_ticks
    assert out.health < 20
    assert not covered.burning_ticks


def test_zombies_come_at_night_and_only_then() -> None:
    env = Env(day_time=NIGHT, mobs=True)
    env.join()
    env.tick(600)
    zombies = [entity for entity in env.world.entities.values() if isinstance(entity, Zombie)]
    assert 1 <= len(zombies) <= 6
    day = Env(day_time=1000, mobs=True)
    day.join()
    day.tick(600)
    assert not [entity for entity in day.world.entities.values() if isinstance(entity, Zombie)]


def test_peaceful_times_have_no_zombies() -> None:
    env = Env(day_time=NIGHT, mobs=True)
    env.join()
    summon(env.world, "zombie", 9.5, 64.0, 9.5)
    env.sandbox.set_difficulty("peaceful")
    env.tick(100)
    assert not [entity for entity in env.world.entities.values() if isinstance(entity, Zombie)]


def test_pigs_live_on_the_grass_of_the_hills() -> None:
    env = Env(world="hills", mobs=True, view_distance=6)
    env.join(settle=200)
    pigs = [entity for entity in env.world.entities.values() if entity.kind == "minecraft:pig"]
    assert pigs


def test_a_run_can_be_repeated() -> None:
    def run() -> list[tuple[str, float, float, float]]:
        # columns come at the client's own pace, so nobody is born with them here
        env = Env(world="hills", day_time=NIGHT)
        env.join()
        x, y, z = env.world.spawn
        for number, kind in enumerate(("pig", "cow", "zombie", "chicken")):
            summon(env.world, kind, x + 3.5 * number, y + 3.0, z + 4.5)
        env.tick(200)
        return [(e.kind, e.x, e.y, e.z) for e in env.world.entities.values()]

    assert run() == run()


@pytest.mark.parametrize(
    ("kind", "leaves"),
    [("sheep", {"mutton", "white_wool"}), ("cow", {"beef", "leather"}), ("chicken", {"chicken", "feather"})],
)
def test_animals_leave_what_they_are_kept_for(kind: str, leaves: set[str]) -> None:
    env = Env()
    steve = env.join()
    found: set[str] = set()
    for _ in range(12):
        animal = summon(env.world, kind, 6.5, 64.0, 0.5)
        animal.hurt(100.0, Damage("player_attack", steve.player))
    for entity in env.world.entities.values():
        if isinstance(entity, ItemEntity):
            found.add(entity.stack.name.removeprefix("minecraft:"))
    assert found == leaves
    assert any(entity.kind == "minecraft:experience_orb" for entity in env.world.entities.values())


def test_burnt_meat_is_done() -> None:
    env = Env()
    env.join()
    pig = summon(env.world, "pig", 6.5, 64.0, 0.5)
    pig.set_on_fire(100)
    pig.kill()
    (meat,) = [entity for entity in env.world.entities.values() if isinstance(entity, ItemEntity)]
    assert meat.stack.name == "minecraft:cooked_porkchop"
