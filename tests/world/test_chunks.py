"""Blocks: chunks, what changes in them, and what goes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from numen.testing import terrain
from numen.testing.packets import NO_LIGHT
from numen.testing.simulation import Simulation
from numen.world import UNLOADED, World
from protocol.chunks import light_fields
from protocol.game import GAME

STONE, DIRT, LOG = (GAME.state(name) for name in ("stone", "dirt", "oak_log"))
NETHER = "minecraft:the_nether"


def changes(sim: Simulation) -> list[tuple[int, ...]]:
    seen: list[tuple[int, ...]] = []
    sim.world.events.on("block_changed", lambda *change: seen.append(change))
    return seen


def section_change(sim: Simulation, section: tuple[int, int, int], *cells: tuple[int, int, int, int]) -> None:
    x, y, z = section
    sim.receive(
        "multi_block_change",
        chunkCoordinates={"x": x, "y": y, "z": z},
        records=[state << 12 | cx << 8 | cz << 4 | cy for cx, cy, cz, state in cells],
    )


def test_cells_are_found_where_the_chunk_has_them() -> None:
    sim = Simulation()
    sim.terrain(
        {(-1, 70, -1): "oak_log[axis=x]", (0, -64, 15): "dirt", (15, 319, 0): DIRT}, floor="stone", floor_y=10
    )
    block = sim.world.block
    assert block(-1, 70, -1) == GAME.state("oak_log", axis="x")
    assert block(0, -64, 15) == DIRT
    assert block(15, 319, 0) == DIRT
    assert (block(7, 10, 7), block(7, 11, 7)) == (STONE, 0)


def test_unloaded_is_not_air_and_beyond_the_build_height_is() -> None:
    sim = Simulation()
    assert sim.world.block(0, 64, 0) == UNLOADED
    sim.terrain(floor="stone")
    assert sim.world.block(0, 320, 0) == 0
    assert sim.world.block(0, -65, 0) == 0
    assert sim.world.block(16, 64, 0) == UNLOADED


def test_block_update_in_the_same_read_lands_after_its_chunk() -> None:
    sim = Simulation()
    seen = changes(sim)
    with sim.one_read():
        sim.chunk(0, 0, floor="stone")
        sim.receive("block_change", location=(3, 63, 4), type=LOG)
        section_change(sim, (0, 3, 0), (5, 15, 6, DIRT))
        sim.receive("block_change", location=(3, 63, 4), type=DIRT)
    assert sim.world.block(3, 63, 4) == DIRT
    assert sim.world.block(5, 63, 6) == DIRT
    assert seen == [(3, 63, 4, STONE, LOG), (5, 63, 6, STONE, DIRT), (3, 63, 4, LOG, DIRT)]


def test_changes_in_a_section_below_zero_land_in_their_cells() -> None:
    sim = Simulation()
    sim.terrain(around=(-2, 5), floor="stone")
    section_change(sim, (-2, -4, 5), (0, 0, 0, LOG), (15, 15, 15, DIRT))
    assert sim.world.block(-32, -64, 80) == LOG
    assert sim.world.block(-17, -49, 95) == DIRT


def test_all_changes_of_a_packet_are_there_before_the_first_is_told() -> None:
    sim = Simulation()
    sim.terrain(floor="stone")
    seen: list[int] = []
    sim.world.events.on("block_changed", lambda *_: seen.append(sim.world.block(1, 1, 1)))
    section_change(sim, (0, 0, 0), (0, 0, 0, LOG), (1, 1, 1, DIRT))
    assert seen == [DIRT, DIRT]


def test_a_block_the_server_repeats_is_told_without_a_difference() -> None:
    sim = Simulation()
    sim.terrain(floor="stone")
    seen = changes(sim)
    sim.receive("block_change", location=(0, 63, 0), type=STONE)
    assert seen == [(0, 63, 0, STONE, STONE)]


def test_changes_in_chunks_nobody_sent_are_ignored() -> None:
    sim = Simulation()
    seen = changes(sim)
    sim.receive("block_change", location=(0, 63, 0), type=LOG)
    section_change(sim, (0, 0, 0), (0, 0, 0, LOG))
    sim.receive("unload_chunk", chunkX=4, chunkZ=4)
    sim.receive("update_light", chunkX=0, chunkZ=0)
    assert seen == []
    assert len(sim.world.chunks) == 0


def test_an_unloaded_chunk_is_gone() -> None:
    sim = Simulation()
    told: list[tuple[str, int, int]] = []
    for kind in ("chunk_loaded", "chunk_unloaded"):
        sim.world.events.on(kind, lambda cx, cz, kind=kind: told.append((kind, cx, cz)))
    sim.terrain(radius=1, floor="stone")
    assert len(sim.world.chunks) == 9
    sim.receive("unload_chunk", chunkX=1, chunkZ=-1)
    assert told[-1] == ("chunk_unloaded", 1, -1)
    assert sim.world.block(16, 0, -16) == UNLOADED
    assert not sim.world.chunks.is_loaded(1, -1)


def test_a_chunk_sent_again_replaces_the_old_one() -> None:
    sim = Simulation()
    sim.terrain(floor="stone")
    sim.receive("block_change", location=(0, 63, 0), type=LOG)
    sim.terrain(floor="dirt")
    assert sim.world.block(0, 63, 0) == DIRT
    assert len(sim.world.chunks) == 1


def test_chunks_far_behind_are_given_up_when_the_view_moves_on() -> None:
    sim = Simulation(login={"viewDistance": 2})
    sim.terrain(floor="stone")
    sim.terrain(around=(5, 0), floor="stone")
    sim.receive("update_view_position", chunkX=5, chunkZ=0)
    assert len(sim.world.chunks) == 2
    sim.receive("update_view_position", chunkX=6, chunkZ=0)
    assert list(sim.world.chunks) == [(5, 0)]


def test_a_chunk_that_can_not_be_read_costs_only_itself() -> None:
    sim = Simulation()
    sim.terrain(floor="stone")
    sim.receive("map_chunk", x=1, z=0, chunkData=b"\x00\x01\x00")
    assert sim.world.chunks.broken == 1
    assert sim.world.block(16, 0, 0) == UNLOADED
    assert sim.world.block(0, 0, 0) == STONE
    assert sim.closed is None


def test_sections_are_given_whole() -> None:
    sim = Simulation()
    sim.terrain({(1, 66, 2): "dirt"}, floor="stone", floor_y=47)
    section = sim.world.chunks.section(0, 4, 0)
    assert isinstance(section, np.ndarray)
    assert section[2, 2, 1] == DIRT
    assert np.count_nonzero(section) == 1
    assert sim.world.chunks.section(0, 2, 0) == STONE
    assert sim.world.chunks.section(0, 5, 0) == 0
    assert sim.world.chunks.section(0, 20, 0) == 0
    assert sim.world.chunks.section(0, -5, 0) == 0
    assert sim.world.chunks.section(1, 4, 0) is None


def test_the_revision_of_a_chunk_grows_with_real_changes_only() -> None:
    sim = Simulation()
    assert sim.world.chunks.revision(0, 0) == -1
    sim.terrain(floor="stone")
    first = sim.world.chunks.revision(0, 0)
    sim.receive("block_change", location=(0, 63, 0), type=STONE)
    assert sim.world.chunks.revision(0, 0) == first
    sim.receive("block_change", location=(0, 63, 0), type=LOG)
    assert sim.world.chunks.revision(0, 0) > first


def test_a_block_entity_goes_with_its_block_and_stays_with_its_state() -> None:
    sim = Simulation()
    chest = GAME.state("chest", facing="north")
    sim.chunk(0, 0, {(3, 64, 3): chest}, block_entities={(3, 64, 3): (1, {"Items": []})})
    told = sim.world.block_entity(3, 64, 3)
    assert told is not None
    assert (told.type, told.data) == (1, {"Items": []})
    sim.receive("block_change", location=(3, 64, 3), type=GAME.state("chest", facing="east"))
    assert sim.world.block_entity(3, 64, 3) is not None
    sim.receive("block_change", location=(3, 64, 3), type=0)
    assert sim.world.block_entity(3, 64, 3) is None


def test_a_sign_is_told_after_it_was_placed() -> None:
    sim = Simulation()
    sim.terrain(floor="stone")
    told: list[tuple[int, int, int]] = []
    sim.world.events.on("block_entity", lambda *pos: told.append(pos))
    sim.receive("block_change", location=(3, 64, 3), type=GAME.state("oak_sign"))
    sim.receive("tile_entity_data", location=(3, 64, 3), action=7, nbtData={"is_waxed": True})
    assert told == [(3, 64, 3)]
    sign = sim.world.block_entity(3, 64, 3)
    assert sign is not None
    assert sign.data == {"is_waxed": 1}
    assert [pos for pos, _ in sim.world.chunks.block_entities()] == [(3, 64, 3)]


def test_light_and_biomes_are_looked_up() -> None:
    sim = Simulation()
    assert sim.world.light_at(0, 64, 0) is None
    assert sim.world.biome_at(0, 64, 0) is None
    sim.terrain(floor="stone", biome="minecraft:desert")
    assert sim.world.biome_at(0, 64, 0) == "minecraft:desert"
    assert sim.world.light_at(0, 64, 0) == (0, 15)
    torch = np.zeros(4096, np.uint8)
    torch[(64 & 15) << 8 | 2 << 4 | 1] = 14
    block: list[Any] = [None] * 26
    block[1 + (64 + 64 >> 4)] = torch
    sim.receive("update_light", chunkX=0, chunkZ=0, **light_fields([None] * 26, block))
    light = sim.world.light_at(1, 64, 2)
    assert light is not None
    assert (light.block, light.sky) == (14, 15)


def test_a_dimension_of_another_height_is_read_by_its_own_shape() -> None:
    sim = Simulation()
    sim.respawn(NETHER)
    assert (sim.world.dimension.min_y, sim.world.dimension.height) == (0, 256)
    sim.terrain({(0, 255, 0): "dirt"}, floor="stone", floor_y=31)
    assert (sim.world.block(0, 0, 0), sim.world.block(0, 255, 0), sim.world.block(0, -1, 0)) == (
        STONE,
        DIRT,
        0,
    )


@pytest.mark.parametrize(("min_y", "height"), [(0, 256), (-2032, 4064), (-64, 16)])
def test_the_server_decides_how_high_its_worlds_are(min_y: int, height: int) -> None:
    kinds = [("minecraft:overworld", {"min_y": min_y, "height": height, "has_skylight": True})]
    sim = Simulation(registries={"minecraft:dimension_type": kinds})
    sim.terrain({(0, min_y, 0): "dirt", (0, min_y + height - 1, 0): "stone"})
    assert (sim.world.block(0, min_y, 0), sim.world.block(0, min_y + height - 1, 0)) == (DIRT, STONE)
    assert sim.world.chunks.broken == 0


def test_respawn_in_another_dimension_forgets_the_old_one() -> None:
    sim = Simulation()
    sim.terrain(radius=1, floor="stone")
    sim.spawn("pig", 1, 64, 1, entity_id=7)
    told: list[Any] = []
    sim.world.events.on(
        "respawned", lambda: told.append(("respawned", len(sim.world.chunks), len(sim.world.entities)))
    )
    sim.world.events.on("dimension_changed", lambda *names: told.append(names))
    sim.respawn(NETHER, kept=3)
    assert sim.world.me.dimension == NETHER
    assert told == [("respawned", 0, 0), ("minecraft:overworld", NETHER)]
    assert sim.world.block(0, 0, 0) == UNLOADED
    sim.respawn(kept=3)
    assert sim.world.block(0, 0, 0) == UNLOADED


def test_respawn_in_the_same_dimension_keeps_what_is_around() -> None:
    sim = Simulation()
    sim.terrain(floor="stone")
    sim.spawn("pig", 1, 64, 1, entity_id=7)
    sim.respawn()
    assert sim.world.block(0, 0, 0) == STONE
    assert len(sim.world.entities) == 1


def test_a_second_login_forgets_even_a_dimension_of_the_same_name() -> None:
    sim = Simulation()
    sim.terrain(floor="stone")
    sim.spawn("pig", 1, 64, 1, entity_id=7)
    sim.login()
    assert sim.world.block(0, 0, 0) == UNLOADED
    assert len(sim.world.entities) == 0


def test_the_end_of_the_connection_empties_the_world() -> None:
    sim = Simulation()
    sim.terrain(floor="stone")
    reasons: list[str] = []
    sim.world.events.on("disconnected", reasons.append)
    sim.receive("kick_disconnect", reason={"text": "Bye"})
    assert len(reasons) == 1
    assert len(sim.world.chunks) == 0


def test_a_new_link_takes_over_and_the_old_one_can_not_disturb() -> None:
    world = World()
    first = Simulation(world=world)
    first.terrain(floor="stone")
    second = Simulation(world=world)
    second.terrain(floor="dirt")
    first.disconnect()
    assert world.block(0, 0, 0) == DIRT


def test_chunks_before_the_login_are_not_guessed_at() -> None:
    sim = Simulation("configuration")
    sim.receive("finish_configuration")
    sim.receive("map_chunk", **terrain.column(0, 0, {}, floor="stone"))
    assert len(sim.world.chunks) == 0


def test_no_light_at_all_is_no_error() -> None:
    sim = Simulation()
    column = {**terrain.column(0, 0, {}, floor="stone"), **NO_LIGHT}
    sim.receive("map_chunk", **column)
    assert sim.world.light_at(0, 64, 0) == (0, 0)
