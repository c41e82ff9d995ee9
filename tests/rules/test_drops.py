from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from numen.rules.drops import drops, mob_drops
from numen.rules.items import ItemStack
from protocol.game import GAME


def fallen(block: str, tool: str | None = None, times: int = 1, **more: object) -> Counter[str]:
    """What `times` blocks leave, by item name."""
    properties = {key: str(value) for key, value in more.items() if key not in ("silk_touch", "fortune")}
    options = {key: value for key, value in more.items() if key in ("silk_touch", "fortune")}
    state = GAME.state(block, **properties)
    rng = Random(4)
    found: Counter[str] = Counter()
    for _ in range(times):
        for stack in drops(state, ItemStack.of(tool) if tool else None, rng, **options):  # type: ignore[arg-type]
            found[stack.name.removeprefix("minecraft:")] += stack.count
    return found


@pytest.mark.parametrize(
    ("block", "tool", "item"),
    [
        ("stone", "wooden_pickaxe", "cobblestone"),
        ("deepslate", "wooden_pickaxe", "cobbled_deepslate"),
        ("grass_block", None, "dirt"),
        ("dirt", None, "dirt"),
        ("sand", None, "sand"),
        ("oak_log", None, "oak_log"),
        ("coal_ore", "wooden_pickaxe", "coal"),
        ("iron_ore", "stone_pickaxe", "raw_iron"),
        ("deepslate_iron_ore", "stone_pickaxe", "raw_iron"),
        ("gold_ore", "iron_pickaxe", "raw_gold"),
        ("diamond_ore", "iron_pickaxe", "diamond"),
        ("crafting_table", None, "crafting_table"),
        ("wall_torch", None, "torch"),
        ("farmland", None, "dirt"),
        ("dirt_path", None, "dirt"),
        ("oak_wall_sign", None, "oak_sign"),
        ("furnace", "wooden_pickaxe", "furnace"),
        ("tuff_bricks", "wooden_pickaxe", "tuff_bricks"),
    ],
)
def test_one_block_one_item(block: str, tool: str | None, item: str) -> None:
    assert fallen(block, tool) == {item: 1}


def test_the_wrong_tool_gets_nothing() -> None:
    assert not fallen("stone")
    assert not fallen("iron_ore", "wooden_pickaxe")
    assert not fallen("snow")
    assert not fallen("bedrock", "netherite_pickaxe")


def test_silk_touch_takes_the_block_itself() -> None:
    assert fallen("stone", "iron_pickaxe", silk_touch=True) == {"stone": 1}
    assert fallen("grass_block", None, silk_touch=True) == {"grass_block": 1}
    assert fallen("glass", None, silk_touch=True) == {"glass": 1}
    assert not fallen("glass")
    assert not fallen("ice")
    assert fallen("diamond_ore", "iron_pickaxe", silk_touch=True) == {"diamond_ore": 1}


def test_counts_stay_in_their_span() -> None:
    for block, tool, item, least, most in (
        ("copper_ore", "stone_pickaxe", "raw_copper", 2, 5),
        ("lapis_ore", "stone_pickaxe", "lapis_lazuli", 4, 9),
        ("redstone_ore", "iron_pickaxe", "redstone", 4, 5),
        ("nether_gold_ore", "wooden_pickaxe", "gold_nugget", 2, 6),
        ("glowstone", None, "glowstone_dust", 2, 4),
        ("melon", None, "melon_slice", 3, 7),
        ("clay", None, "clay_ball", 4, 4),
    ):
        state = GAME.block(block).default_state
        rng = Random(1)
        counts = {drops(state, ItemStack.of(tool) if tool else None, rng)[0].count for _ in range(400)}
        assert (min(counts), max(counts)) == (least, most), block
        assert fallen(block, tool).keys() == {item}


def test_gravel_sometimes_gives_flint() -> None:
    found = fallen("gravel", "wooden_shovel", 5000)
    assert found["flint"] == pytest.approx(500, rel=0.15)
    assert found["flint"] + found["gravel"] == 5000
    assert fallen("gravel", "wooden_shovel", 10, fortune=3) == {"flint": 10}


def test_leaves() -> None:
    found = fallen("oak_leaves", None, 20000)
    assert found["oak_sapling"] == pytest.approx(1000, rel=0.15)
    assert found["stick"] == pytest.approx(600, rel=0.2)
    assert found["apple"] == pytest.approx(100, rel=0.35)
    assert "apple" not in fallen("birch_leaves", None, 5000)
    assert fallen("oak_leaves", "shears") == {"oak_leaves": 1}
    jungle = fallen("jungle_leaves", None, 20000)
    assert jungle["jungle_sapling"] == pytest.approx(500, rel=0.2)


def test_grass_gives_seeds_one_time_in_eight() -> None:
    assert fallen("short_grass", None, 8000)["wheat_seeds"] == pytest.approx(1000, rel=0.15)
    assert fallen("short_grass", "shears") == {"short_grass": 1}


def test_crops_give_more_when_ripe() -> None:
    assert fallen("wheat", age=3) == {"wheat_seeds": 1}
    ripe = fallen("wheat", None, 1000, age=7)
    assert ripe["wheat"] == 1000
    assert ripe["wheat_seeds"] == pytest.approx(1000 * (1 + 3 * 0.5714286), rel=0.05)
    assert fallen("carrots", age=0) == {"carrot": 1}
    assert fallen("potatoes", None, 1000, age=7)["potato"] == pytest.approx(3714, rel=0.05)
    assert fallen("sweet_berry_bush", age=1) == {}


def test_two_part_blocks_drop_from_one_part() -> None:
    assert fallen("oak_door", half="lower") == {"oak_door": 1}
    assert not fallen("oak_door", half="upper")
    assert fallen("red_bed", part="head") == {"red_bed": 1}
    assert not fallen("red_bed", part="foot")


def test_several_in_a_cell() -> None:
    assert fallen("oak_slab", type="double") == {"oak_slab": 2}
    assert fallen("oak_slab", type="top") == {"oak_slab": 1}
    assert fallen("candle", candles=3) == {"candle": 3}
    assert fallen("snow", "wooden_shovel", layers=5) == {"snowball": 5}


def test_fortune_multiplies_ores() -> None:
    plain = fallen("diamond_ore", "iron_pickaxe", 3000)["diamond"]
    rich = fallen("diamond_ore", "iron_pickaxe", 3000, fortune=3)["diamond"]
    assert plain == 3000
    assert rich == pytest.approx(6600, rel=0.06)


def test_every_block_and_tool_has_an_answer() -> None:
    rng = Random(0)
    tools = [
        None,
        *map(ItemStack.of, ("netherite_pickaxe", "shears", "iron_sword", "iron_axe", "iron_shovel")),
    ]
    for block in GAME.blocks:
        for state in {block.min_state, block.default_state, block.max_state}:
            for tool in tools:
                for stack in drops(
                    state, tool, rng, silk_touch=rng.random() < 0.5, fortune=rng.randint(0, 3)
                ):
                    assert 1 <= stack.count <= 64


def test_mobs() -> None:
    rng = Random(2)
    beef = Counter(stack.name for _ in range(200) for stack in mob_drops("cow", rng))
    assert set(beef) == {"minecraft:beef", "minecraft:leather"}
    cooked = {stack.name for _ in range(50) for stack in mob_drops("pig", rng, burning=True)}
    assert cooked == {"minecraft:cooked_porkchop"}
    for kind in GAME.entities:
        mob_drops(kind.name, rng, looting=1)
