"""What furnaces, smokers and blast furnaces make. vanilla 1.21.1 recipes; a modded server tells its own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

from numen.rules.items import ItemStack
from protocol.game import GAME

Furnace = Literal["furnace", "blast_furnace", "smoker", "campfire"]

#: Ticks an item takes.
TICKS: dict[Furnace, int] = {"furnace": 200, "blast_furnace": 100, "smoker": 100, "campfire": 600}


@dataclass(frozen=True)
class Smelted:
    """What comes out, and the experience for it."""

    result: ItemStack
    experience: float


_FOOD: dict[str, str] = {
    "beef": "cooked_beef",
    "porkchop": "cooked_porkchop",
    "chicken": "cooked_chicken",
    "mutton": "cooked_mutton",
    "rabbit": "cooked_rabbit",
    "cod": "cooked_cod",
    "salmon": "cooked_salmon",
    "potato": "baked_potato",
    "kelp": "dried_kelp",
}
_FOOD_XP = 0.35
#: result, experience, inputs: what a blast furnace takes as well.
_ORES: tuple[tuple[str, float, tuple[str, ...]], ...] = (
    ("iron_ingot", 0.7, ("raw_iron", "iron_ore", "deepslate_iron_ore")),
    ("gold_ingot", 1.0, ("raw_gold", "gold_ore", "deepslate_gold_ore", "nether_gold_ore")),
    ("copper_ingot", 0.7, ("raw_copper", "copper_ore", "deepslate_copper_ore")),
    ("coal", 0.1, ("coal_ore", "deepslate_coal_ore")),
    ("diamond", 1.0, ("diamond_ore", "deepslate_diamond_ore")),
    ("emerald", 1.0, ("emerald_ore", "deepslate_emerald_ore")),
    ("redstone", 0.7, ("redstone_ore", "deepslate_redstone_ore")),
    ("lapis_lazuli", 0.2, ("lapis_ore", "deepslate_lapis_ore")),
    ("quartz", 0.2, ("nether_quartz_ore",)),
    ("netherite_scrap", 2.0, ("ancient_debris",)),
    (
        "iron_nugget",
        0.1,
        (
            *("iron_pickaxe", "iron_shovel", "iron_axe", "iron_hoe", "iron_sword", "iron_helmet"),
            *("iron_chestplate", "iron_leggings", "iron_boots", "iron_horse_armor", "chainmail_helmet"),
            *("chainmail_chestplate", "chainmail_leggings", "chainmail_boots"),
        ),
    ),
    (
        "gold_nugget",
        0.1,
        (
            *("golden_pickaxe", "golden_shovel", "golden_axe", "golden_hoe", "golden_sword", "golden_helmet"),
            *("golden_chestplate", "golden_leggings", "golden_boots", "golden_horse_armor"),
        ),
    ),
)
_LOGS = tuple(
    f"{stripped}{wood}_{kind}"
    for wood in ("oak", "spruce", "birch", "jungle", "acacia", "dark_oak", "mangrove", "cherry")
    for kind in ("log", "wood")
    for stripped in ("", "stripped_")
)
_COLOURS = (
    *("white", "orange", "magenta", "light_blue", "yellow", "lime", "pink", "gray", "light_gray", "cyan"),
    *("purple", "blue", "brown", "green", "red", "black"),
)
#: Only a plain furnace takes these.
_OTHERS: tuple[tuple[str, float, tuple[str, ...]], ...] = (
    ("charcoal", 0.15, _LOGS),
    ("glass", 0.1, ("sand", "red_sand")),
    ("stone", 0.1, ("cobblestone",)),
    ("smooth_stone", 0.1, ("stone",)),
    ("deepslate", 0.1, ("cobbled_deepslate",)),
    ("smooth_sandstone", 0.1, ("sandstone",)),
    ("smooth_red_sandstone", 0.1, ("red_sandstone",)),
    ("smooth_quartz", 0.1, ("quartz_block",)),
    ("smooth_basalt", 0.1, ("basalt",)),
    ("brick", 0.3, ("clay_ball",)),
    ("terracotta", 0.35, ("clay",)),
    ("nether_brick", 0.1, ("netherrack",)),
    ("cracked_stone_bricks", 0.1, ("stone_bricks",)),
    ("cracked_deepslate_bricks", 0.1, ("deepslate_bricks",)),
    ("cracked_deepslate_tiles", 0.1, ("deepslate_tiles",)),
    ("cracked_nether_bricks", 0.1, ("nether_bricks",)),
    ("cracked_polished_blackstone_bricks", 0.1, ("polished_blackstone_bricks",)),
    ("sponge", 0.15, ("wet_sponge",)),
    ("lime_dye", 0.1, ("sea_pickle",)),
    ("green_dye", 1.0, ("cactus",)),
    ("popped_chorus_fruit", 0.1, ("chorus_fruit",)),
    *((f"{colour}_glazed_terracotta", 0.1, (f"{colour}_terracotta",)) for colour in _COLOURS),
)


@cache
def _tables() -> dict[Furnace, dict[int, Smelted]]:
    def rows(table: tuple[tuple[str, float, tuple[str, ...]], ...]) -> dict[int, Smelted]:
        return {
            GAME.item(name).id: Smelted(ItemStack.of(result), experience)
            for result, experience, names in table
            for name in names
        }

    food = rows(tuple((result, _food_experience(raw), (raw,)) for raw, result in _FOOD.items()))
    ores = rows(_ORES)
    return {"furnace": food | ores | rows(_OTHERS), "blast_furnace": ores, "smoker": food, "campfire": food}


def _food_experience(raw: str) -> float:
    return 0.1 if raw == "kelp" else _FOOD_XP


def smelt(stack: ItemStack | None, furnace: Furnace = "furnace") -> Smelted | None:
    """What one of a stack becomes, None for nothing."""
    return _tables()[furnace].get(stack.item_id) if stack is not None else None
