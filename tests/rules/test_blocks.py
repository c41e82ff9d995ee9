from __future__ import annotations

import pytest

from numen.rules import blocks
from protocol.game import GAME


def state(name: str, **properties: str) -> int:
    return GAME.state(name, **properties)


def test_plain_kinds() -> None:
    assert blocks.is_air(state("air"))
    assert blocks.is_air(state("cave_air"))
    assert blocks.is_full_cube(state("stone"))
    assert blocks.is_floor(state("stone"))
    assert not blocks.is_passable(state("stone"))
    assert blocks.is_passable(state("short_grass"))
    assert blocks.is_passable(state("oak_sign"))
    assert blocks.is_liquid(state("water"))
    assert blocks.is_lava(state("lava"))
    assert blocks.is_climbable(state("ladder"))


def test_water_inside_other_blocks() -> None:
    wet = state("oak_stairs", waterlogged="true")
    assert blocks.is_water(wet)
    assert blocks.is_waterlogged(wet)
    assert not blocks.is_liquid(wet)
    assert blocks.is_water(state("seagrass"))
    assert not blocks.is_waterlogged(state("water"))
    assert not blocks.is_water(state("oak_stairs", waterlogged="false"))


@pytest.mark.parametrize("name", ["cactus", "magma_block", "fire", "lava", "sweet_berry_bush", "wither_rose"])
def test_dangers(name: str) -> None:
    assert blocks.is_dangerous(state(name))


def test_a_campfire_is_dangerous_only_while_it_burns() -> None:
    assert blocks.is_dangerous(state("campfire", lit="true"))
    assert not blocks.is_dangerous(state("campfire", lit="false"))


def test_what_gives_way_to_a_block() -> None:
    for name in ("air", "water", "lava", "short_grass", "fern", "dead_bush", "vine", "fire", "seagrass"):
        assert blocks.is_replaceable(state(name)), name
    for name in ("stone", "poppy", "torch", "oak_sapling", "rail", "cobweb"):
        assert not blocks.is_replaceable(state(name)), name
    assert blocks.is_replaceable(state("snow", layers="1"))
    assert not blocks.is_replaceable(state("snow", layers="2"))


def test_what_opens_and_what_can_be_used() -> None:
    assert blocks.is_openable(state("oak_door"))
    assert blocks.is_openable(state("oak_fence_gate"))
    assert blocks.is_openable(state("copper_trapdoor"))
    assert not blocks.is_openable(state("iron_door"))
    assert blocks.is_usable(state("chest"))
    assert blocks.is_usable(state("red_bed"))
    assert not blocks.is_usable(state("stone"))


def test_what_falls() -> None:
    assert all(blocks.is_falling(state(name)) for name in ("sand", "gravel", "anvil", "red_concrete_powder"))
    assert not blocks.is_falling(state("sandstone"))


def test_what_is_not_known_is_solid() -> None:
    for unknown in (-1, GAME.state_count, GAME.state_count + 12345):
        assert blocks.is_full_cube(unknown)
        assert not blocks.is_passable(unknown)
        assert not blocks.is_air(unknown)
        assert blocks.flags(unknown) & blocks.UNKNOWN


def test_the_table_agrees_with_the_questions() -> None:
    table = blocks.table()
    assert len(table) == GAME.state_count + 1
    assert all(int(table[each]) == blocks.flags(each) for each in range(-1, GAME.state_count, 97))
