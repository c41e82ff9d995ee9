"""Finding blocks: nearest first, all of them, in slices."""

from __future__ import annotations

import math
import random

import pytest

from numen.testing.simulation import Simulation
from protocol.game import GAME

STONE, DIRT, LOG, GLASS = (GAME.state(name) for name in ("stone", "dirt", "oak_log", "glass"))


def distance(x: int, y: int, z: int, center: tuple[float, float, float]) -> float:
    return math.dist((x + 0.5, y + 0.5, z + 0.5), center)


def scattered(seed: int, count: int = 300) -> dict[tuple[int, int, int], str | int]:
    rng = random.Random(seed)
    return {
        (rng.randrange(-40, 40), rng.randrange(-30, 110), rng.randrange(-40, 40)): rng.choice(
            (LOG, GLASS, DIRT)
        )
        for _ in range(count)
    }


@pytest.mark.parametrize("limit", [1, 7, 64, 1000])
@pytest.mark.parametrize("radius", [3.0, 20.0, 64.0])
def test_the_nearest_are_found_in_order(radius: float, limit: int) -> None:
    sim = Simulation()
    blocks = scattered(1)
    sim.terrain(blocks, radius=3)
    center = (3.2, 40.9, -7.5)
    wanted = frozenset({LOG, GLASS})
    expected = sorted(
        (distance(*pos, center), *pos, state)
        for pos, state in blocks.items()
        if state in wanted and distance(*pos, center) <= radius
    )[:limit]
    found = sim.world.find_blocks(wanted, center, radius, limit)
    assert [distance(*cell[:3], center) for cell in found] == pytest.approx([each[0] for each in expected])
    assert set(found) == {each[1:] for each in expected}


def test_changed_blocks_are_found_and_unfound() -> None:
    sim = Simulation()
    sim.terrain({(1, 64, 1): LOG}, floor="stone")
    sim.receive("block_change", location=(1, 64, 1), type=0)
    sim.receive("block_change", location=(9, 70, 9), type=LOG)
    assert sim.world.find_blocks({LOG}, (0.5, 64.5, 0.5), 32) == [(9, 70, 9, LOG)]


def test_a_section_full_of_what_is_wanted_gives_only_the_nearest() -> None:
    sim = Simulation()
    sim.terrain(floor="stone")
    found = sim.world.find_blocks({STONE}, (8.5, 64.5, 8.5), 10, 5)
    assert found[0] == (8, 63, 8, STONE)
    assert {cell[:3] for cell in found[1:]} == {(7, 63, 8), (9, 63, 8), (8, 63, 7), (8, 63, 9)}


def test_a_function_may_say_what_is_wanted() -> None:
    sim = Simulation()
    sim.terrain(scattered(2), radius=3)
    logs = {state for state in range(GAME.state_count) if GAME.block_of(state).name == "minecraft:oak_log"}
    by_function = sim.world.find_blocks(logs.__contains__, (0, 64, 0), 64, 1000)
    assert by_function == sim.world.find_blocks(logs, (0, 64, 0), 64, 1000)
    assert by_function


def test_the_search_comes_in_slices_and_survives_chunks_that_go() -> None:
    sim = Simulation()
    sim.terrain(scattered(3), radius=3, floor="stone", floor_y=20)
    search = sim.world.search_blocks({LOG}, (0.0, 64.0, 0.0), 64, 1000)
    slices = 0
    while True:
        try:
            next(search)
        except StopIteration as end:
            found = end.value
            break
        slices += 1
        for cx in range(-3, 4):
            sim.receive("unload_chunk", chunkX=cx, chunkZ=3)
    assert slices > 3
    assert found == sim.world.find_blocks({LOG}, (0.0, 64.0, 0.0), 64, 1000) or len(found) > 0


def test_nothing_is_found_where_nothing_can_be() -> None:
    sim = Simulation()
    assert sim.world.find_blocks({STONE}, (0, 64, 0), 64) == []
    sim.terrain(floor="stone")
    assert sim.world.find_blocks((), (0, 64, 0), 64) == []
    assert sim.world.find_blocks({STONE}, (0, 64, 0), 64, 0) == []
    assert sim.world.find_blocks({LOG}, (0, 64, 0), 64) == []
    assert sim.world.find_blocks({STONE}, (5000, 64, 0), 64) == []


def test_states_of_mods_are_found_too() -> None:
    sim = Simulation()
    sim.terrain(floor="stone")
    modded = 70_000
    sim.receive("block_change", location=(4, 64, 4), type=modded)
    assert sim.world.block(4, 64, 4) == modded
    assert sim.world.find_blocks({modded}, (0, 64, 0), 16) == [(4, 64, 4, modded)]
    assert sim.world.find_blocks({STONE}, (4.5, 62.5, 4.5), 1, 1) == [(4, 62, 4, STONE)]
