"""Entities: exact positions, what is told about them, who rides whom, what happens to the body by them."""

from __future__ import annotations

import math
import random
from typing import Any
from uuid import UUID

from numen.testing.packets import slot
from numen.testing.simulation import ENTITY_ID, Simulation
from protocol.game import GAME

BOB = UUID(int=0xB0B)


def listed(sim: Simulation, uuid: UUID, name: str) -> None:
    sim.receive(
        "player_info",
        action=["add_player", "update_listed", "update_latency"],
        data=[{"uuid": uuid, "player": {"name": name, "properties": []}, "listed": True, "latency": 7}],
    )


def metadata(sim: Simulation, entity_id: int, *entries: tuple[int, str, Any]) -> None:
    sim.receive(
        "entity_metadata",
        entityId=entity_id,
        metadata=[{"key": key, "type": kind, "value": value} for key, kind, value in entries],
    )


def test_relative_moves_do_not_drift() -> None:
    sim = Simulation()
    start = (100.12345678, 64.987654321, -200.5000000001)
    sim.spawn("pig", *start, entity_id=7)
    pig = sim.world.entities.get(7)
    assert pig is not None
    rng = random.Random(7)
    exact = [math.floor(axis * 4096 + 0.5) for axis in start]
    for _ in range(10_000):
        step = [rng.randrange(-2000, 2001) or 1 for _ in range(3)]
        exact = [axis + by for axis, by in zip(exact, step, strict=True)]
        sim.receive("rel_entity_move", entityId=7, dX=step[0], dY=step[1], dZ=step[2])
    assert pig.pos == tuple(axis / 4096 for axis in exact)


def test_an_axis_that_does_not_move_keeps_its_exact_position() -> None:
    sim = Simulation()
    sim.spawn("pig", 0.123456789, 64.0, 5.987654321, entity_id=7)
    sim.receive("rel_entity_move", entityId=7, dX=0, dY=4096, dZ=0)
    pig = sim.world.entities.get(7)
    assert pig is not None
    assert pig.pos == (0.123456789, 65.0, 5.987654321)


def test_teleport_resets_the_base_of_relative_moves() -> None:
    sim = Simulation()
    sim.spawn("pig", 0.0, 64.0, 0.0, entity_id=7)
    sim.receive("entity_teleport", entityId=7, x=10.00001, y=70.0, z=-3.00001, yaw=64, pitch=-64)
    sim.receive("entity_move_look", entityId=7, dX=1, dY=0, dZ=-1, yaw=-128, pitch=0)
    pig = sim.world.entities.get(7)
    assert pig is not None
    assert pig.pos == (10.0 + 1 / 4096, 70.0, -3.0 - 1 / 4096)
    assert (pig.yaw, pig.pitch) == (-180.0, 0.0)


def test_packets_about_unknown_entities_change_nothing() -> None:
    sim = Simulation()
    sim.receive("rel_entity_move", entityId=99)
    sim.receive("entity_teleport", entityId=99, x=0.0, y=0.0, z=0.0)
    sim.receive("entity_velocity", entityId=99, velocity={"x": 1, "y": 2, "z": 3})
    sim.receive("set_passengers", entityId=99, passengers=[98])
    sim.receive("entity_destroy", entityIds=[99, 100])
    metadata(sim, 99, (9, "float", 3.0))
    assert len(sim.world.entities) == 0


def test_a_spawned_entity_is_known_by_kind_size_and_category() -> None:
    sim = Simulation()
    added: list[Any] = []
    sim.world.events.on("entity_added", added.append)
    sim.spawn(
        "zombie", 3.5, 64, 0.5, entity_id=7, velocity={"x": 8000, "y": 0, "z": -4000}, yaw=64, headPitch=32
    )
    (zombie,) = added
    assert (zombie.kind, zombie.category) == ("minecraft:zombie", "hostile")
    assert (zombie.width, zombie.height) == (0.6, 1.95)
    assert (zombie.vx, zombie.vy, zombie.vz) == (1.0, 0.0, -0.5)
    assert (zombie.yaw, zombie.head_yaw) == (90.0, 45.0)
    assert zombie.box() == (3.2, 64, 0.2, 3.8, 65.95, 0.8)


def test_a_modded_entity_is_kept_without_its_size() -> None:
    sim = Simulation()
    sim.receive("spawn_entity", entityId=7, type=4242, x=0.0, y=64.0, z=0.0)
    stranger = sim.world.entities.get(7)
    assert stranger is not None
    assert (stranger.kind, stranger.category) == ("entity_4242", "other")


def test_metadata_is_read_by_meaning() -> None:
    sim = Simulation()
    sim.spawn("zombie", 0, 64, 0, entity_id=7)
    zombie = sim.world.entities.get(7)
    assert zombie is not None
    assert zombie.health is None
    metadata(
        sim,
        7,
        (0, "byte", 0x01 | 0x40),
        (2, "optional_component", {"text": "Zed"}),
        (9, "float", 12.5),
        (16, "boolean", True),
    )
    assert zombie.health == 12.5
    assert zombie.name == "Zed"
    assert zombie.baby
    assert zombie.told("baby") is True
    assert zombie.told("color", "none") == "none"
    assert zombie.flags == {"on_fire", "glowing"}
    assert (zombie.width, zombie.height) == (0.3, 0.975)


def test_an_attacking_ghast_is_no_baby() -> None:
    sim = Simulation()
    sim.spawn("ghast", 0, 64, 0, entity_id=7)
    metadata(sim, 7, (16, "boolean", True))
    ghast = sim.world.entities.get(7)
    assert ghast is not None
    assert not ghast.baby
    assert ghast.category == "hostile"


def test_a_slime_grows_with_its_size() -> None:
    sim = Simulation()
    sim.spawn("slime", 0, 64, 0, entity_id=7)
    metadata(sim, 7, (16, "int", 4))
    slime = sim.world.entities.get(7)
    assert slime is not None
    assert math.isclose(slime.width, 2.08)


def test_a_dropped_item_tells_its_stack() -> None:
    sim = Simulation()
    sim.spawn("item", 0, 64, 0, entity_id=7)
    log = GAME.item("oak_log").id
    metadata(sim, 7, (8, "item_stack", slot(log, 3)))
    item = sim.world.entities.get(7)
    assert item is not None
    assert item.stack is not None
    assert (item.stack.item_id, item.stack.count) == (log, 3)


def test_players_are_called_by_their_account_name_whenever_it_comes() -> None:
    sim = Simulation()
    sim.spawn("player", 0, 64, 0, entity_id=7, uuid=BOB)
    bob = sim.world.entities.get(7)
    assert bob is not None
    assert bob.name is None
    listed(sim, BOB, "Bob")
    assert bob.name == "Bob"
    assert sim.world.entities.player("bob") is bob
    metadata(sim, 7, (6, "pose", 5))
    assert (bob.pose, bob.height, bob.eye_height) == ("sneaking", 1.5, 1.27)


def test_near_is_sorted_and_can_be_narrowed() -> None:
    sim = Simulation()
    for entity_id, (kind, x) in enumerate([("pig", 9), ("cow", 2), ("pig", 4), ("pig", 40)], start=2):
        sim.spawn(kind, x, 64, 0, entity_id=entity_id)
    near = sim.world.entities.near(0, 64, 0, 16)
    assert [entity.id for entity in near] == [3, 4, 2]
    assert [entity.id for entity in sim.world.entities.near(0, 64, 0, 16, kinds=["minecraft:pig"])] == [4, 2]


def test_riders_go_with_their_vehicle_and_get_off() -> None:
    sim = Simulation()
    mounted: list[int | None] = []
    sim.world.events.on("mounted", mounted.append)
    sim.spawn("boat", 0, 64, 0, entity_id=7)
    sim.spawn("pig", 5, 64, 5, entity_id=8)
    sim.receive("set_passengers", entityId=7, passengers=[8, ENTITY_ID])
    boat, pig = sim.world.entities.get(7), sim.world.entities.get(8)
    assert boat is not None
    assert pig is not None
    assert (pig.vehicle_id, boat.passengers, sim.world.me.vehicle_id) == (7, (8, ENTITY_ID), 7)
    sim.receive("rel_entity_move", entityId=7, dX=4096, dY=0, dZ=0)
    assert (pig.x, pig.z) == (1.0, 0.0)
    sim.receive("set_passengers", entityId=7, passengers=[])
    assert (pig.vehicle_id, sim.world.me.vehicle_id) == (None, None)
    assert mounted == [7, None]


def test_a_vehicle_that_is_taken_away_sets_us_down() -> None:
    sim = Simulation()
    sim.spawn("boat", 0, 64, 0, entity_id=7)
    sim.receive("set_passengers", entityId=7, passengers=[ENTITY_ID])
    sim.receive("entity_destroy", entityIds=[7])
    assert sim.world.me.vehicle_id is None


def test_own_velocity_and_explosions_are_told_apart() -> None:
    sim = Simulation()
    told: list[tuple[Any, ...]] = []
    sim.world.events.on("velocity", lambda *v: told.append(("velocity", *v)))
    sim.world.events.on("pushed", lambda *v: told.append(("pushed", *v)))
    sim.receive("entity_velocity", entityId=ENTITY_ID, velocity={"x": 3200, "y": 2886, "z": 0})
    sim.receive("explosion", x=0.0, y=64.0, z=0.0, playerMotionX=0.5, playerMotionY=0.25, playerMotionZ=0.0)
    sim.receive("explosion", x=0.0, y=64.0, z=0.0)
    assert told == [("velocity", 0.4, 2886 / 8000, 0.0), ("pushed", 0.5, 0.25, 0.0)]


def test_damage_names_its_kind_and_who_did_it() -> None:
    sim = Simulation()
    told: list[Any] = []
    sim.world.events.on("damage", lambda *damage: told.append(damage))
    sim.spawn("pig", 0, 64, 0, entity_id=7)
    kinds = sim.link.registries.names("minecraft:damage_type")
    attack = kinds.index("minecraft:player_attack")
    sim.tick(3)
    sim.receive(
        "damage_event", entityId=7, sourceTypeId=attack, sourceCauseId=ENTITY_ID + 1, sourceDirectId=0
    )
    assert told == [(7, "minecraft:player_attack", ENTITY_ID, None)]
    pig = sim.world.entities.get(7)
    assert pig is not None
    assert (pig.hurt_at, pig.hurt_by) == (3, ENTITY_ID)


def test_equipment_comes_piece_by_piece() -> None:
    sim = Simulation()
    sim.spawn("zombie", 0, 64, 0, entity_id=7)
    sword, helmet = GAME.item("iron_sword").id, GAME.item("iron_helmet").id
    sim.receive(
        "entity_equipment",
        entityId=7,
        equipments=[{"slot": 0, "item": slot(sword)}, {"slot": 5, "item": slot(helmet)}],
    )
    sim.receive("entity_equipment", entityId=7, equipments=[{"slot": 5, "item": {"itemCount": 0}}])
    zombie = sim.world.entities.get(7)
    assert zombie is not None
    assert {place: stack.item_id for place, stack in zombie.equipment.items()} == {"main_hand": sword}


def test_an_entity_that_was_taken_away_knows_it() -> None:
    sim = Simulation()
    sim.spawn("pig", 0, 64, 0, entity_id=7)
    pig = sim.world.entities.get(7)
    assert pig is not None
    assert pig.alive
    sim.receive("entity_status", entityId=7, entityStatus=3)
    assert not pig.alive
    sim.receive("entity_destroy", entityIds=[7])
    assert pig.removed


def test_a_number_used_again_is_another_entity() -> None:
    sim = Simulation()
    sim.spawn("pig", 0, 64, 0, entity_id=7)
    pig = sim.world.entities.get(7)
    sim.spawn("cow", 1, 64, 1, entity_id=7)
    assert pig is not None
    assert pig.removed
    cow = sim.world.entities.get(7)
    assert cow is not None
    assert cow.kind == "minecraft:cow"
    assert len(sim.world.entities) == 1
