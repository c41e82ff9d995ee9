"""What the rehearsal brain knows of Minecraft: enough for a first day, as tables (vanilla 1.21.1)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

LOGS = tuple(
    f"{wood}_log" for wood in ("oak", "birch", "spruce", "jungle", "acacia", "dark_oak", "mangrove", "cherry")
)


@dataclass(frozen=True, slots=True)
class Recipe:
    """What one round of crafting takes and gives."""

    needs: Mapping[str, int]
    gives: int = 1
    table: bool = True


@dataclass(frozen=True, slots=True)
class Source:
    """Blocks that drop an item, and the weakest pickaxe that makes them drop it."""

    blocks: tuple[str, ...]
    pickaxe: str | None = None


def _tools(material: str, of: str) -> dict[str, Recipe]:
    return {
        f"{material}_pickaxe": Recipe({of: 3, "stick": 2}),
        f"{material}_axe": Recipe({of: 3, "stick": 2}),
        f"{material}_sword": Recipe({of: 2, "stick": 1}),
        f"{material}_shovel": Recipe({of: 1, "stick": 2}),
        f"{material}_hoe": Recipe({of: 2, "stick": 2}),
    }


def _armour(material: str, of: str) -> dict[str, Recipe]:
    pieces = {"helmet": 5, "chestplate": 8, "leggings": 7, "boots": 4}
    return {f"{material}_{piece}": Recipe({of: count}) for piece, count in pieces.items()}


RECIPES: Mapping[str, Recipe] = {
    "planks": Recipe({"log": 1}, gives=4, table=False),
    "stick": Recipe({"planks": 2}, gives=4, table=False),
    "crafting_table": Recipe({"planks": 4}, table=False),
    "torch": Recipe({"coal": 1, "stick": 1}, gives=4, table=False),
    "chest": Recipe({"planks": 8}),
    "furnace": Recipe({"cobblestone": 8}),
    **_tools("wooden", "planks"),
    **_tools("stone", "cobblestone"),
    **_tools("iron", "iron_ingot"),
    **_tools("golden", "gold_ingot"),
    **_tools("diamond", "diamond"),
    **_armour("leather", "leather"),
    **_armour("iron", "iron_ingot"),
    **_armour("golden", "gold_ingot"),
    **_armour("diamond", "diamond"),
    "bucket": Recipe({"iron_ingot": 3}),
    "shears": Recipe({"iron_ingot": 2}, table=False),
    "shield": Recipe({"planks": 6, "iron_ingot": 1}),
    "bow": Recipe({"stick": 3, "string": 3}),
    "arrow": Recipe({"flint": 1, "stick": 1, "feather": 1}, gives=4),
    "fishing_rod": Recipe({"stick": 3, "string": 2}),
    "bread": Recipe({"wheat": 3}),
    "ladder": Recipe({"stick": 7}, gives=3),
}

SOURCES: Mapping[str, Source] = {
    "log": Source(LOGS),
    "cobblestone": Source(("stone", "cobblestone"), "wooden_pickaxe"),
    "coal": Source(("coal_ore", "deepslate_coal_ore"), "wooden_pickaxe"),
    "raw_iron": Source(("iron_ore", "deepslate_iron_ore"), "stone_pickaxe"),
    "raw_copper": Source(("copper_ore", "deepslate_copper_ore"), "stone_pickaxe"),
    "raw_gold": Source(("gold_ore", "deepslate_gold_ore"), "iron_pickaxe"),
    "diamond": Source(("diamond_ore", "deepslate_diamond_ore"), "iron_pickaxe"),
    "emerald": Source(("emerald_ore", "deepslate_emerald_ore"), "iron_pickaxe"),
    "redstone": Source(("redstone_ore", "deepslate_redstone_ore"), "iron_pickaxe"),
    "lapis_lazuli": Source(("lapis_ore", "deepslate_lapis_ore"), "stone_pickaxe"),
    "dirt": Source(("dirt", "grass_block")),
    "sand": Source(("sand",)),
    "gravel": Source(("gravel",)),
}

BEYOND = frozenset(
    {
        *("iron_ingot", "gold_ingot", "copper_ingot", "netherite_ingot", "leather"),
        *("string", "flint", "feather", "wheat", "gunpowder"),
        *("bone", "ender_pearl", "blaze_rod", "glass", "charcoal"),
        *("brick", "paper"),
    }
)
"""Items that take more than digging and crafting: smelting, hunting, farming."""

OWN_PICKAXES = ("wooden_pickaxe", "stone_pickaxe")
"""Those that a rehearsal makes when it needs one."""

PICKAXES = ("wooden_pickaxe", "stone_pickaxe", "iron_pickaxe", "diamond_pickaxe", "netherite_pickaxe")
"""From the weakest on. A golden one is as weak as wood and breaks at once: not counted on."""

FAMILIES: Mapping[str, re.Pattern[str]] = {
    "planks": re.compile(r"[a-z_]+_planks"),
    "log": re.compile(r"[a-z_]+_(log|stem)"),
}
"""Names that stand for any item of a kind."""

ENGLISH: Mapping[str, str] = {
    "wood": "log",
    "tree": "log",
    "plank": "planks",
    "table": "crafting_table",
    "workbench": "crafting_table",
    "cobble": "cobblestone",
    "cobblestones": "cobblestone",
    "stone": "cobblestone",
    "rock": "cobblestone",
    "iron": "raw_iron",
    "iron_ore": "raw_iron",
    "copper": "raw_copper",
    "coal_ore": "coal",
    "torches": "torch",
    "pickaxe": "wooden_pickaxe",
    "wood_pickaxe": "wooden_pickaxe",
    "sword": "wooden_sword",
    "axe": "wooden_axe",
    "shovel": "wooden_shovel",
    "grass": "dirt",
    "gold": "raw_gold",
    "lapis": "lapis_lazuli",
    "gold_pickaxe": "golden_pickaxe",
    "gold_sword": "golden_sword",
    "gold_axe": "golden_axe",
}

CHINESE: Mapping[str, str] = {
    "橡木原木": "oak_log",
    "白桦原木": "birch_log",
    "原木": "log",
    "木头": "log",
    "树": "log",
    "木材": "log",
    "木板": "planks",
    "木棍": "stick",
    "棍子": "stick",
    "工作台": "crafting_table",
    "圆石": "cobblestone",
    "石头": "cobblestone",
    "煤炭": "coal",
    "煤": "coal",
    "粗铁": "raw_iron",
    "铁矿": "raw_iron",
    "铁": "raw_iron",
    "泥土": "dirt",
    "沙子": "sand",
    "沙砾": "gravel",
    "火把": "torch",
    "熔炉": "furnace",
    "箱子": "chest",
    "木镐": "wooden_pickaxe",
    "镐": "wooden_pickaxe",
    "木剑": "wooden_sword",
    "剑": "wooden_sword",
    "木斧": "wooden_axe",
    "木锹": "wooden_shovel",
    "石镐": "stone_pickaxe",
    "石剑": "stone_sword",
    "石斧": "stone_axe",
    "石锹": "stone_shovel",
    "木锄": "wooden_hoe",
    "石锄": "stone_hoe",
    "铁锭": "iron_ingot",
    "金锭": "gold_ingot",
    "粗金": "raw_gold",
    "金": "raw_gold",
    "钻石": "diamond",
    "绿宝石": "emerald",
    "红石": "redstone",
    "青金石": "lapis_lazuli",
    "铜": "raw_copper",
    "皮革": "leather",
    "线": "string",
    "燧石": "flint",
    "羽毛": "feather",
    "小麦": "wheat",
    "面包": "bread",
    "铁桶": "bucket",
    "桶": "bucket",
    "剪刀": "shears",
    "盾牌": "shield",
    "弓": "bow",
    "箭": "arrow",
    "钓鱼竿": "fishing_rod",
    "梯子": "ladder",
    **{
        material + piece: f"{english}_{tool}"
        for material, english in (
            ("铁", "iron"),
            ("金", "golden"),
            ("钻石", "diamond"),
            ("下界合金", "netherite"),
            ("皮革", "leather"),
        )
        for piece, tool in (
            ("镐", "pickaxe"),
            ("剑", "sword"),
            ("斧", "axe"),
            ("锹", "shovel"),
            ("铲", "shovel"),
            ("锄", "hoe"),
            ("头盔", "helmet"),
            ("胸甲", "chestplate"),
            ("护腿", "leggings"),
            ("靴子", "boots"),
        )
    },
    "草方块": "grass_block",
    "石块": "stone",
    "水": "water",
    "煤矿石": "coal_ore",
    "铁矿石": "iron_ore",
    "树叶": "oak_leaves",
    "云杉原木": "spruce_log",
    "猪": "pig",
    "牛": "cow",
    "羊": "sheep",
    "鸡": "chicken",
    "僵尸": "zombie",
    "骷髅": "skeleton",
    "苦力怕": "creeper",
    "蜘蛛": "spider",
}

_BACK = {name: word for word, name in reversed(list(CHINESE.items()))}


def item_named(words: str) -> str:
    """The item somebody means, without namespace: `some oak logs` is oak_log, `木镐` is wooden_pickaxe."""
    text: str = words.strip().strip("。.!！?？ ").removeprefix("minecraft:")
    text = re.sub(r"^(那|这|一)?(些|个|把|块|只|头|条|张)|吧$|给我$", "", text)
    if text in CHINESE:
        return CHINESE[text]
    text = re.sub(r"^(the|a|an|some|any|of|more|blocks? of|pieces? of)\s+", "", text.lower())
    text = (
        re.sub(r"\s+(blocks?|with it|for me|please)$", "", text).strip().replace(" ", "_").replace("-", "_")
    )
    if text in ENGLISH:
        return ENGLISH[text]
    if text in RECIPES or text in SOURCES:
        return text
    if text.endswith("s") and not text.endswith(("planks", "ss")):
        single: str = text.removesuffix("s")
        return ENGLISH.get(single, single)
    return text


#: What is counted in pieces, by its last word; all else (cobblestone, dirt, planks) is said as it is.
_PIECES: Final = frozenset(
    (
        *("log", "stick", "diamond", "emerald", "ingot", "nugget", "apple", "egg", "feather", "sapling"),
        *("pickaxe", "axe", "sword", "shovel", "hoe", "table", "furnace", "chest", "door", "bed", "boat"),
        *("bucket", "arrow", "bow", "bone", "fence", "ladder", "stair", "slab", "block", "button"),
        *("pig", "cow", "chicken", "zombie", "skeleton", "creeper", "spider", "horse", "rabbit"),
    )
)


def spoken_name(item: str, language: str, count: int = 1) -> str:
    """The item as people say it, so many of it."""
    if language == "zh":
        return _BACK.get(item, item)
    name = item.replace("_", " ")
    if count != 1 and name.endswith("torch"):
        return f"{name}es"
    return f"{name}s" if count != 1 and name.rpartition(" ")[2] in _PIECES else name


def counted(count: int, item: str, language: str) -> str:
    """So many of it, as people say it."""
    return (
        f"{count} 个{spoken_name(item, language)}"
        if language == "zh"
        else f"{count} {spoken_name(item, language, count)}"
    )


def is_name(item: str) -> bool:
    """Whether it could be the name of anything in the game."""
    return re.fullmatch(r"[a-z][a-z0-9_]*", item) is not None


def bare(name: str) -> str:
    """A name without `minecraft:`."""
    return name.removeprefix("minecraft:")


def belongs(item: str, kind: str) -> bool:
    """Whether `item` is what `kind` means: itself, or one of a family."""
    family = FAMILIES.get(kind)
    return item == kind or (family is not None and family.fullmatch(item) is not None)
