"""The body's own state: health, death and respawn, effects, attributes, where the server puts it."""

from __future__ import annotations

from typing import Any

import pytest

from numen.testing.simulation import ENTITY_ID, Simulation
from numen.world.attributes import SPRINTING
from protocol.game import GAME


def seen(sim: Simulation, *kinds: str) -> list[tuple[Any, ...]]:
    events: list[tuple[Any, ...]] = []
    for kind in kinds:
        sim.world.events.on(kind, lambda *told, kind=kind: events.append((kind, *told)))
    return events


def attribute(sim: Simulation, key: str, base: float, *modifiers: tuple[str, float, int]) -> None:
    sim.receive(
        "entity_update_attributes",
        entityId=ENTITY_ID,
        properties=[
            {
                "key": key,
                "value": base,
                "modifiers": [
                    {"uuid": name, "amount": amount, "operation": how} for name, amount, how in modifiers
                ],
            }
        ],
    )


def test_the_login_tells_who_we_are() -> None:
    sim = Simulation(username="Ada", login={"entityId": 77, "worldState": {"gamemode": "creative"}})
    me = sim.world.me
    assert (me.name, me.uuid, me.entity_id, me.game_mode) == ("Ada", sim.link.uuid, 77, "creative")
    assert not me.placed


def test_a_teleport_is_absolute_axis_by_axis() -> None:
    sim = Simulation()
    told = seen(sim, "teleported")
    sim.receive("position", x=10.0, y=64.0, z=-5.0, yaw=90.0, pitch=10.0, teleportId=1)
    sim.receive(
        "position", x=1.5, y=70.0, z=0.5, yaw=45.0, pitch=85.0, flags=["x", "yaw", "pitch"], teleportId=2
    )
    assert told == [
        ("teleported", 1, 10.0, 64.0, -5.0, 90.0, 10.0, frozenset()),
        ("teleported", 2, 11.5, 70.0, 0.5, 135.0, 90.0, frozenset({"x", "yaw", "pitch"})),
    ]
    assert sim.world.me.pos == (11.5, 70.0, 0.5)
    assert sim.world.me.placed


def test_a_relative_teleport_counts_from_where_the_body_has_gone() -> None:
    sim = Simulation()
    sim.teleport(0.0, 64.0, 0.0)
    sim.world.me.moved(3.0, 64.0, 4.0, 0.0, 0.0)
    sim.receive("position", x=0.0, y=1.0, z=0.0, flags=["x", "y", "z"], teleportId=2)
    assert sim.world.me.pos == (3.0, 65.0, 4.0)


def test_health_and_food_are_told_when_they_change() -> None:
    sim = Simulation()
    told = seen(sim, "health", "food", "death")
    sim.receive("update_health", health=20.0)
    sim.receive("update_health", health=17.5, food=19, foodSaturation=0.0)
    assert told == [("health", 20.0, 17.5), ("food", 20, 19)]
    assert sim.world.me.saturation == 0.0


def test_one_death_is_told_once_whichever_packet_comes_first() -> None:
    sim = Simulation()
    told = seen(sim, "death")
    sim.receive("death_combat_event", playerId=ENTITY_ID, message={"text": "Tester fell"})
    sim.receive("update_health", health=0.0)
    assert told == [("death", "Tester fell")]
    assert not sim.world.me.alive
    sim.respawn()
    assert sim.world.me.alive
    sim.receive("update_health", health=0.0)
    assert len(told) == 2


def test_the_death_of_others_is_not_ours() -> None:
    sim = Simulation()
    sim.receive("death_combat_event", playerId=ENTITY_ID + 1, message="gone")
    assert sim.world.me.alive


def test_respawn_alone_is_no_death() -> None:
    sim = Simulation()
    told = seen(sim, "death", "respawned")
    sim.receive("update_health", health=9.0)
    sim.respawn("minecraft:the_nether", kept=3)
    assert told == [("respawned",)]
    assert sim.world.me.health == 9.0


@pytest.mark.parametrize(
    ("kept", "speed", "air"),
    [(0, 0.2, 300), (1, 0.3, 300), (2, 0.2, 120), (3, 0.3, 120)],
)
def test_respawn_keeps_what_its_bits_say(kept: int, speed: float, air: int) -> None:
    sim = Simulation()
    attribute(sim, "generic.movement_speed", 0.2, ("minecraft:boots", 0.5, 2))
    sim.receive("entity_metadata", entityId=ENTITY_ID, metadata=[{"key": 1, "type": "int", "value": 120}])
    sim.receive("entity_effect", entityId=ENTITY_ID, effectId=0)
    sim.respawn(kept=kept)
    me = sim.world.me
    assert me.attributes.value("movement_speed") == pytest.approx(speed)
    assert me.air == air
    assert me.effects == {}


def test_the_inventory_stays_as_told_over_a_respawn() -> None:
    sim = Simulation()
    dirt = GAME.item("dirt").id
    sim.receive(
        "set_slot",
        windowId=0,
        slot=36,
        item={
            "itemCount": 3,
            "itemId": dirt,
            "addedComponentCount": 0,
            "removedComponentCount": 0,
            "components": [],
            "removeComponents": [],
        },
    )
    sim.receive("open_window", windowId=1, inventoryType=2, windowTitle="Chest")
    sim.respawn("minecraft:the_nether", kept=3)
    assert sim.world.menu is None
    assert sim.world.inventory.count(dirt) == 3


def test_effects_run_down_and_end_when_the_server_says_so() -> None:
    sim = Simulation()
    told = seen(sim, "effects")
    sim.receive("entity_effect", entityId=ENTITY_ID, effectId=0, amplifier=1, duration=3)
    sim.receive("entity_effect", entityId=ENTITY_ID, effectId=15, duration=-1)
    me = sim.world.me
    assert me.effect_level("speed") == 2
    sim.tick(5)
    assert me.effects["minecraft:speed"].remaining == 0
    assert me.effect_level("minecraft:speed") == 2
    assert me.effects["minecraft:night_vision"].infinite
    sim.receive("remove_entity_effect", entityId=ENTITY_ID, effectId=0)
    assert me.effect_level("speed") == 0
    assert [name for _, name in told] == ["minecraft:speed", "minecraft:night_vision", "minecraft:speed"]


def test_effects_of_others_are_not_ours() -> None:
    sim = Simulation()
    sim.receive("entity_effect", entityId=ENTITY_ID + 1, effectId=0)
    assert sim.world.me.effects == {}


def test_attributes_come_to_one_value() -> None:
    sim = Simulation()
    attributes = sim.world.me.attributes
    assert attributes.value("block_interaction_range") == 4.5
    assert attributes.value("minecraft:generic.movement_speed") == 0.10000000149011612
    attribute(sim, "generic.armor", 2.0, ("a", 4.0, 0), ("b", 0.5, 1), ("c", 0.25, 1), ("d", 1.0, 2))
    assert attributes.value("armor") == (2 + 4) * 1.75 * 2
    attribute(sim, "generic.armor", 2.0, ("a", 400.0, 0))
    assert attributes.value("generic.armor") == 30.0
    with pytest.raises(KeyError):
        attributes.value("charm")


def test_the_speed_leaves_the_sprint_bonus_to_the_physics() -> None:
    sim = Simulation()
    attribute(sim, "generic.movement_speed", 0.1, (SPRINTING, 0.3, 2), ("minecraft:effect.speed", 0.2, 2))
    assert sim.world.me.speed == pytest.approx(0.12)
    assert sim.world.me.attributes.value("movement_speed") == pytest.approx(0.156)


def test_abilities_and_experience() -> None:
    sim = Simulation()
    told = seen(sim, "abilities", "experience", "held_slot")
    sim.receive("abilities", flags=0b1101)
    sim.receive("experience", experienceBar=0.5, level=7, totalExperience=100)
    sim.receive("held_item_slot", slot=3)
    me = sim.world.me
    assert (me.abilities.invulnerable, me.abilities.flying, me.abilities.may_fly) == (True, False, True)
    assert (me.xp_level, me.xp_bar, me.xp_total, me.held_slot) == (7, 0.5, 100, 3)
    assert told == [("abilities",), ("experience", 0, 7), ("held_slot", 3)]


def test_a_game_mode_changes_by_game_event() -> None:
    sim = Simulation()
    told = seen(sim, "game_mode")
    sim.receive("game_state_change", reason=3, gameMode=1.0)
    assert told == [("game_mode", "survival", "creative")]
    assert sim.world.me.creative


def test_what_we_look_like_is_ours_not_an_entitys() -> None:
    sim = Simulation()
    sim.receive(
        "entity_metadata",
        entityId=ENTITY_ID,
        metadata=[
            {"key": 0, "type": "byte", "value": 1},
            {"key": 14, "type": "optional_block_pos", "value": (1, 64, 2)},
            {"key": 15, "type": "float", "value": 4.0},
        ],
    )
    me = sim.world.me
    assert (me.on_fire, me.sleeping, me.absorption, me.air) == (True, True, 4.0, 300)
    assert len(sim.world.entities) == 0


def test_cooldowns_run_down() -> None:
    sim = Simulation()
    pearl = GAME.item("ender_pearl").id
    sim.receive("set_cooldown", itemID=pearl, cooldownTicks=2)
    assert sim.world.me.cooldowns == {pearl: 2}
    sim.tick(2)
    assert sim.world.me.cooldowns == {}


def test_the_place_of_the_last_death_is_told() -> None:
    sim = Simulation()
    sim.respawn(death={"dimensionName": "minecraft:the_nether", "location": (1, 2, 3)})
    assert sim.world.me.death_place == ("minecraft:the_nether", (1, 2, 3))


def test_the_server_tells_whether_we_may_use_commands() -> None:
    sim = Simulation()
    sim.receive("entity_status", entityId=ENTITY_ID, entityStatus=28)
    assert sim.world.me.permission_level == 4
