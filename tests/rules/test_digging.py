from __future__ import annotations

import pytest

from numen.rules.digging import can_harvest, dig_ticks, progress, tool_speed
from numen.rules.items import ItemStack
from protocol.game import GAME, UnknownId


def state(name: str) -> int:
    return GAME.block(name).default_state


def stack(name: str | None) -> ItemStack | None:
    return ItemStack.of(name) if name is not None else None


@pytest.mark.parametrize(
    ("block", "tool", "ticks"),
    [
        ("dirt", None, 15),
        ("grass_block", None, 18),
        ("oak_leaves", None, 6),
        ("oak_log", None, 61),
        ("stone", None, 151),
        ("stone", "wooden_pickaxe", 23),
        ("stone", "iron_pickaxe", 8),
        ("iron_ore", "stone_pickaxe", 23),
        ("obsidian", "diamond_pickaxe", 188),
        ("oak_leaves", "shears", 1),
        ("short_grass", None, 1),
        ("bamboo", "iron_sword", 1),
    ],
)
def test_ticks_add_up_in_float32(block: str, tool: str | None, ticks: int) -> None:
    assert dig_ticks(state(block), stack(tool)) == ticks


def test_efficiency_and_haste() -> None:
    pickaxe = ItemStack.of("diamond_pickaxe")
    assert progress(state("stone"), pickaxe, mining_efficiency=26.0) == pytest.approx(0.7556, abs=1e-4)
    assert dig_ticks(state("stone"), pickaxe, mining_efficiency=26.0) == 2
    both = progress(state("stone"), pickaxe, mining_efficiency=26.0, haste=2)
    assert both == pytest.approx(1.0578, abs=1e-4)
    assert dig_ticks(state("stone"), pickaxe, mining_efficiency=26.0, haste=2) == 1
    # Efficiency does nothing for a tool that does not suit the block.
    assert progress(state("dirt"), pickaxe, mining_efficiency=26.0) == progress(state("dirt"), None)


def test_water_air_and_fatigue_slow_down() -> None:
    plain = progress(state("dirt"), None)
    assert progress(state("dirt"), None, on_ground=False) == pytest.approx(plain / 5)
    assert progress(state("dirt"), None, eyes_in_water=True) == pytest.approx(plain / 5)
    aqua = progress(state("dirt"), None, eyes_in_water=True, submerged_mining_speed=1.0)
    assert aqua == pytest.approx(plain)
    assert progress(state("dirt"), None, fatigue=1) == pytest.approx(plain * 0.3)
    assert progress(state("dirt"), None, fatigue=9) == progress(state("dirt"), None, fatigue=4)
    assert progress(state("dirt"), None, block_break_speed=2.0) == pytest.approx(2 * plain)


def test_bedrock_never_breaks_and_mods_are_unknown() -> None:
    assert dig_ticks(state("bedrock"), ItemStack.of("netherite_pickaxe")) is None
    with pytest.raises(UnknownId):
        dig_ticks(GAME.state_count + 7, None)


def test_tiers_decide_what_drops() -> None:
    assert not can_harvest(state("stone"), None)
    assert can_harvest(state("stone"), stack("wooden_pickaxe"))
    assert not can_harvest(state("iron_ore"), stack("wooden_pickaxe"))
    assert not can_harvest(state("iron_ore"), stack("golden_pickaxe"))
    assert can_harvest(state("iron_ore"), stack("stone_pickaxe"))
    assert not can_harvest(state("obsidian"), stack("iron_pickaxe"))
    assert can_harvest(state("oak_log"), None)
    assert can_harvest(state("dirt"), None)


def test_tool_speeds() -> None:
    assert tool_speed(state("oak_log"), stack("iron_axe")) == 6
    assert tool_speed(state("oak_log"), stack("iron_pickaxe")) == 1
    assert tool_speed(state("white_wool"), stack("shears")) == 5
    assert tool_speed(state("cobweb"), stack("iron_sword")) == 15
    assert tool_speed(state("dirt"), None) == 1
