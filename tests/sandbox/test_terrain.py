"""The hills: the same for everybody, and good for first days."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from numen.sandbox.columns import MIN_Y, Column
from numen.sandbox.worldgen import WATER_TOP, FlatGenerator, HillsGenerator, generator_for
from protocol.game import GAME

SEEDS = (0, 1, 2, 77, 123456789, -5)


def names(column: Column) -> Counter[str]:
    states, counts = np.unique(column.states(), return_counts=True)
    found: Counter[str] = Counter()
    for state, count in zip(states, counts, strict=True):
        found[GAME.block_of(int(state)).name.removeprefix("minecraft:")] += int(count)
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_a_column_is_the_same_whenever_it_is_made(seed: int) -> None:
    forth = HillsGenerator(seed)
    back = HillsGenerator(seed)
    places = [(x, z) for x in range(-2, 2) for z in range(-2, 2)]
    made = {at: forth.column(*at).states() for at in places}
    for at in reversed(places):
        assert np.array_equal(back.column(*at).states(), made[at])


def test_seeds_differ() -> None:
    assert not np.array_equal(
        HillsGenerator(1).column(0, 0).states(), HillsGenerator(2).column(0, 0).states()
    )


def test_no_water_hangs_over_caves_or_slopes() -> None:
    water = GAME.state("water")
    generator = HillsGenerator(3)
    for x in range(-6, 6):
        for z in range(-6, 6):
            states = generator.column(x, z).states()
            wet = states == water
            assert not (wet[1:] & (states[:-1] == 0)).any()
            for axis in (1, 2):
                beside = np.moveaxis(states, axis, 0)
                moved = np.moveaxis(wet, axis, 0)
                assert not (moved[1:] & (beside[:-1] == 0)).any()
                assert not (moved[:-1] & (beside[1:] == 0)).any()


def test_bedrock_closes_the_bottom_and_nothing_hangs_high() -> None:
    column = HillsGenerator(4).column(3, 3)
    states = column.states()
    assert (states[0] == GAME.state("bedrock")).all()
    assert not states[120 - MIN_Y :].any()


@pytest.mark.parametrize("seed", SEEDS)
def test_a_newcomer_stands_on_level_grass_near_trees_rock_and_water(seed: int) -> None:
    generator = HillsGenerator(seed)
    x, y, z = generator.spawn()
    ground = generator.column(x >> 4, z >> 4)
    assert GAME.block_of(ground.block(x, y - 1, z)).name == "minecraft:grass_block"
    assert not GAME.shape(ground.block(x, y, z))
    assert not GAME.shape(ground.block(x, y + 1, z))
    area = generator.survey(x - 60, z - 60, 120, 120)
    trees = sorted(np.hypot(tree.x - x, tree.z - z) for tree in generator.trees(area, 0))
    rock = np.argwhere(area.rock) - 60
    water = np.argwhere(area.height <= WATER_TOP) - 60
    assert 3 <= trees[0] < 14
    assert trees[5] < 30
    assert np.hypot(rock[:, 0], rock[:, 1]).min() < 60
    assert np.hypot(water[:, 0], water[:, 1]).min() < 60


@pytest.mark.parametrize("seed", SEEDS)
def test_coal_and_iron_lie_near_the_surface_around_the_spawn(seed: int) -> None:
    generator = HillsGenerator(seed)
    x, y, z = generator.spawn()
    shallow: Counter[str] = Counter()
    for dx in range(-2, 3):
        for dz in range(-2, 3):
            states = generator.column((x >> 4) + dx, (z >> 4) + dz).states()
            part = states[y - 20 - MIN_Y : y + 20 - MIN_Y]
            for name in ("coal_ore", "iron_ore"):
                shallow[name] += int((part == GAME.state(name)).sum())
    assert shallow["coal_ore"] > 50
    assert shallow["iron_ore"] > 20


def test_the_ground_has_what_first_days_need() -> None:
    generator = HillsGenerator(1)
    total: Counter[str] = Counter()
    for x in range(-4, 4):
        for z in range(-4, 4):
            total += names(generator.column(x, z))
    needed = (
        *("oak_log", "oak_leaves", "birch_log", "stone", "coal_ore", "iron_ore", "gravel", "sand", "water"),
        *("dirt", "grass_block", "short_grass", "deepslate_diamond_ore", "dandelion"),
    )
    assert not [name for name in needed if not total[name]]


def test_the_flat_world_has_grass_at_63() -> None:
    column = FlatGenerator().column(5, -5)
    assert column.block(0, 63, 0) == GAME.state("grass_block")
    assert column.block(0, 64, 0) == 0
    assert column.top(3, 3) == 64


def test_an_unknown_kind_of_world_is_named() -> None:
    with pytest.raises(ValueError, match="lava lamp"):
        generator_for("lava lamp", 0)
