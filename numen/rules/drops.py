"""What a block leaves when it is broken. vanilla 1.21.1 loot tables.

The game's table of drops says what may fall; what it does not say (counts, chances, ages, tools) stands here
as data: one rule a kind of block.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from numen.rules.digging import can_harvest
from numen.rules.f32 import f32
from numen.rules.items import ItemStack
from protocol.game import GAME


@dataclass(frozen=True, slots=True)
class _Breaking:
    """One block being broken."""

    name: str
    properties: dict[str, str]
    tool: str
    silk_touch: bool
    fortune: int
    rng: Random

    @property
    def sheared(self) -> bool:
        return self.silk_touch or self.tool == "shears"


_Drops = list[tuple[str, int]]
_Rule = Callable[[_Breaking], _Drops]

_NOTHING: _Drops = []


def drops(
    state: int, tool: ItemStack | None, rng: Random, *, silk_touch: bool = False, fortune: int = 0
) -> list[ItemStack]:
    """What breaking a block with a tool drops. Raises UnknownId for a state of a mod.

    Two-part blocks (doors, beds, tall flowers) drop from one part only: drop both parts' answers.
    """
    if not can_harvest(state, tool):
        return []
    block = GAME.block_of(state)
    name = block.name.removeprefix("minecraft:")
    held = tool.name.removeprefix("minecraft:") if tool is not None else ""
    breaking = _Breaking(name, GAME.properties(state), held, silk_touch, fortune, rng)
    rule = _RULES.get(name) or _rule_by_shape(name)
    found = rule(breaking) if rule is not None else _by_table(breaking)
    return [ItemStack.of(item, count) for item, count in found if count > 0]


#: (item, least, most, chance) by mob, before Looting; of any other mob the game's table says what, not how
#: much.
_MOBS: dict[str, tuple[tuple[str, int, int, float], ...]] = {
    "zombie": (("rotten_flesh", 0, 2, 1.0),),
    "husk": (("rotten_flesh", 0, 2, 1.0),),
    "drowned": (("rotten_flesh", 0, 2, 1.0), ("copper_ingot", 1, 1, 0.11)),
    "skeleton": (("arrow", 0, 2, 1.0), ("bone", 0, 2, 1.0)),
    "stray": (("arrow", 0, 2, 1.0), ("bone", 0, 2, 1.0)),
    "creeper": (("gunpowder", 0, 2, 1.0),),
    "spider": (("string", 0, 2, 1.0), ("spider_eye", 1, 1, 1 / 3)),
    "cave_spider": (("string", 0, 2, 1.0), ("spider_eye", 1, 1, 1 / 3)),
    "enderman": (("ender_pearl", 0, 1, 1.0),),
    "slime": (("slime_ball", 0, 2, 1.0),),
    "cow": (("leather", 0, 2, 1.0), ("beef", 1, 3, 1.0)),
    "mooshroom": (("leather", 0, 2, 1.0), ("beef", 1, 3, 1.0)),
    "pig": (("porkchop", 1, 3, 1.0),),
    "chicken": (("feather", 0, 2, 1.0), ("chicken", 1, 1, 1.0)),
    "sheep": (("mutton", 1, 2, 1.0),),
    "rabbit": (("rabbit_hide", 0, 1, 1.0), ("rabbit", 0, 1, 1.0), ("rabbit_foot", 1, 1, 0.1)),
    "squid": (("ink_sac", 1, 3, 1.0),),
    "glow_squid": (("glow_ink_sac", 1, 3, 1.0),),
    "cod": (("cod", 1, 1, 1.0), ("bone_meal", 1, 1, 0.05)),
    "salmon": (("salmon", 1, 1, 1.0), ("bone_meal", 1, 1, 0.05)),
}
#: One of these, rarely, from what was a villager or a farmer once.
_RARE = {"zombie": ("iron_ingot", "carrot", "potato"), "husk": ("iron_ingot", "carrot", "potato")}
_COOKED = {
    "beef": "cooked_beef",
    "porkchop": "cooked_porkchop",
    "chicken": "cooked_chicken",
    "mutton": "cooked_mutton",
    "rabbit": "cooked_rabbit",
    "cod": "cooked_cod",
    "salmon": "cooked_salmon",
}


def mob_drops(entity: str, rng: Random, *, looting: int = 0, burning: bool = False) -> list[ItemStack]:
    """What a grown mob of a kind drops when a player killed it; a burning animal is cooked.

    A sheep's wool is not among it: it depends on the colour. Raises UnknownName.
    """
    name = GAME.entity(entity).name.removeprefix("minecraft:")
    lines = _MOBS.get(name)
    if lines is None:
        table = GAME.mob_loot(name)
        lines = tuple((GAME.item_by_id(d.item_id).name, d.least or 0, d.most or 1, d.chance) for d in table)
    found = []
    for item, least, most, chance in lines:
        if rng.random() < chance:
            count = rng.randint(least, most) + rng.randint(0, looting)
            if count > 0:
                found.append(ItemStack.of(_COOKED.get(item, item) if burning else item, count))
    if name in _RARE and rng.random() < 0.025 + 0.01 * looting:
        found.append(ItemStack.of(rng.choice(_RARE[name])))
    return found


def _by_table(b: _Breaking) -> _Drops:
    lines = GAME.loot(b.name)
    if any(line.silk_touch for line in lines):
        lines = tuple(line for line in lines if line.silk_touch == b.silk_touch)
    return [(GAME.item_by_id(line.item_id).name, max(1, line.least or 0)) for line in lines]


# -- rules ------------------------------------------------------------------------------------------------


def _more(b: _Breaking, count: int) -> int:
    # Ores: Fortune multiplies by 2 to level + 1 in some cases, by 1 in the others.
    return count * max(1, b.rng.randint(-1, b.fortune) + 1) if b.fortune > 0 else count


def _ore(item: str, least: int = 1, most: int = 1) -> _Rule:
    def rule(b: _Breaking) -> _Drops:
        if b.silk_touch:
            return [(b.name, 1)]
        return [(item, _more(b, b.rng.randint(least, most)))]

    return rule


def _pieces(item: str, least: int, most: int, limit: int | None = None) -> _Rule:
    """So many of an item; each level of Fortune may add one, up to a limit."""

    def rule(b: _Breaking) -> _Drops:
        if b.silk_touch:
            return [(b.name, 1)]
        bonus = b.rng.randint(0, b.fortune) if limit is not None else 0
        count = b.rng.randint(least, most) + bonus
        return [(item, count if limit is None else min(count, limit))]

    return rule


def _lucky(item: str, count: tuple[int, int], chances: tuple[float, ...]) -> _Rule:
    """An item with a chance that grows with Fortune, else the block itself."""

    def rule(b: _Breaking) -> _Drops:
        if not b.silk_touch and _chance(b, chances):
            return [(item, b.rng.randint(*count))]
        return [(b.name, 1)]

    return rule


def _chance(b: _Breaking, by_fortune: tuple[float, ...]) -> bool:
    return b.rng.random() < by_fortune[min(b.fortune, len(by_fortune) - 1)]


_SAPLING = (0.05, 0.0625, 0.083333336, 0.1)
_JUNGLE_SAPLING = (0.025, 0.027777778, 0.03125, 0.041666668, 0.1)
_STICK = (0.02, 0.022222223, 0.025, 0.033333335, 0.1)
_APPLE = (0.005, 0.0055555557, 0.00625, 0.008333334, 0.025)
_LEAF_SAPLINGS = {
    "mangrove_leaves": None,
    "azalea_leaves": "azalea",
    "flowering_azalea_leaves": "flowering_azalea",
}


def _leaves(b: _Breaking) -> _Drops:
    if b.sheared:
        return [(b.name, 1)]
    found: _Drops = []
    sapling = _LEAF_SAPLINGS.get(b.name, b.name.replace("_leaves", "_sapling"))
    if sapling is not None and _chance(b, _JUNGLE_SAPLING if b.name == "jungle_leaves" else _SAPLING):
        found.append((sapling, 1))
    if _chance(b, _STICK):
        found.append(("stick", b.rng.randint(1, 2)))
    if b.name in ("oak_leaves", "dark_oak_leaves") and _chance(b, _APPLE):
        found.append(("apple", 1))
    return found


def _grass(b: _Breaking) -> _Drops:
    if b.tool == "shears":
        plant = {"tall_grass": "short_grass", "large_fern": "fern"}.get(b.name)
        return [(b.name, 1)] if plant is None else [(plant, 2)]
    if b.properties.get("half") == "upper" or b.rng.random() >= 0.125:
        return _NOTHING
    return [("wheat_seeds", 1 + (b.rng.randint(0, b.fortune * 2) if b.fortune else 0))]


def _shears_only(b: _Breaking) -> _Drops:
    if b.tool != "shears":
        return _NOTHING
    if b.name == "tall_seagrass":
        return [("seagrass", 2)] if b.properties["half"] == "lower" else _NOTHING
    if b.name == "glow_lichen":
        return [(b.name, sum(b.properties[face] == "true" for face in _FACES))]
    return [(b.name, 1)]


_FACES = ("down", "up", "north", "south", "west", "east")


def _dead_bush(b: _Breaking) -> _Drops:
    return [(b.name, 1)] if b.tool == "shears" else [("stick", b.rng.randint(0, 2))]


def _cobweb(b: _Breaking) -> _Drops:
    return [(b.name, 1)] if b.sheared else [("string", 1)]


def _bonus(b: _Breaking) -> int:
    """Crops: one, and three more tries (more with Fortune) of four in seven."""
    return 1 + sum(b.rng.random() < 0.5714286 for _ in range(3 + b.fortune))


def _seeded(crop: str, seeds: str, ripe: str) -> _Rule:
    """Wheat and beetroot: the crop and seeds when ripe, a seed before."""

    def rule(b: _Breaking) -> _Drops:
        if b.properties["age"] != ripe:
            return [(seeds, 1)]
        return [(crop, 1), (seeds, _bonus(b))]

    return rule


def _root(crop: str) -> _Rule:
    """Carrots and potatoes, which are their own seeds."""

    def rule(b: _Breaking) -> _Drops:
        if b.properties["age"] != "7":
            return [(crop, 1)]
        found = [(crop, 1 + _bonus(b))]
        if crop == "potato" and b.rng.random() < 0.02:
            found.append(("poisonous_potato", 1))
        return found

    return rule


def _nether_wart(b: _Breaking) -> _Drops:
    if b.properties["age"] != "3":
        return [(b.name, 1)]
    return [(b.name, b.rng.randint(2, 4) + b.rng.randint(0, b.fortune))]


def _berries(b: _Breaking) -> _Drops:
    age = int(b.properties["age"])
    if age < 2:
        return _NOTHING
    return [("sweet_berries", b.rng.randint(age - 1, age) + b.rng.randint(0, b.fortune))]


def _cave_vines(b: _Breaking) -> _Drops:
    return [("glow_berries", 1)] if b.properties["berries"] == "true" else _NOTHING


def _cocoa(b: _Breaking) -> _Drops:
    return [("cocoa_beans", 3 if b.properties["age"] == "2" else 1)]


def _stem(seeds: str) -> _Rule:
    def rule(b: _Breaking) -> _Drops:
        chance = (int(b.properties.get("age", "7")) + 1) / 15
        return [(seeds, sum(b.rng.random() < chance for _ in range(3)))]

    return rule


def _half(key: str, value: str) -> _Rule:
    """Two-part blocks drop from one part."""

    def rule(b: _Breaking) -> _Drops:
        return [(b.name, 1)] if b.properties[key] == value else _NOTHING

    return rule


def _several(key: str) -> _Rule:
    """As many as stand in the cell."""

    def rule(b: _Breaking) -> _Drops:
        return [(b.name, int(b.properties[key]))]

    return rule


def _slab(b: _Breaking) -> _Drops:
    return [(b.name, 2 if b.properties["type"] == "double" else 1)]


def _snow(b: _Breaking) -> _Drops:
    layers = int(b.properties["layers"])
    if b.silk_touch:
        return [("snow_block", 1)] if layers == 8 else [("snow", layers)]
    return [("snowball", layers)]


def _mushroom_block(mushroom: str) -> _Rule:
    def rule(b: _Breaking) -> _Drops:
        return [(b.name, 1)] if b.silk_touch else [(mushroom, max(0, b.rng.randint(-6, 2)))]

    return rule


def _amethyst(b: _Breaking) -> _Drops:
    if b.silk_touch:
        return [(b.name, 1)]
    return [("amethyst_shard", _more(b, 4) if b.tool.endswith("_pickaxe") else 2)]


def _nether_vines(b: _Breaking) -> _Drops:
    item = b.name.removesuffix("_plant")
    return [(item, 1)] if b.sheared or _chance(b, (0.33, 0.55, 0.77, 1.0)) else _NOTHING


def _composter(b: _Breaking) -> _Drops:
    return [(b.name, 1), ("bone_meal", 1 if b.properties["level"] == "8" else 0)]


def _chorus(b: _Breaking) -> _Drops:
    return [("chorus_fruit", b.rng.randint(0, 1))]


def _fan(b: _Breaking) -> _Drops:
    return [(b.name.replace("_wall", ""), 1)] if b.silk_touch else _NOTHING


def _keeps_nothing(_: _Breaking) -> _Drops:
    return _NOTHING


_ORES = {
    "coal": _ore("coal"),
    "iron": _ore("raw_iron"),
    "copper": _ore("raw_copper", 2, 5),
    "gold": _ore("raw_gold"),
    "lapis": _ore("lapis_lazuli", 4, 9),
    "diamond": _ore("diamond"),
    "emerald": _ore("emerald"),
}
_RULES: dict[str, _Rule] = {
    **{f"{stone}{metal}_ore": rule for metal, rule in _ORES.items() for stone in ("", "deepslate_")},
    "redstone_ore": _pieces("redstone", 4, 5, 99),
    "deepslate_redstone_ore": _pieces("redstone", 4, 5, 99),
    "nether_gold_ore": _ore("gold_nugget", 2, 6),
    "nether_quartz_ore": _ore("quartz"),
    "gravel": _lucky("flint", (1, 1), (0.1, f32(0.14285715), 0.25, 1.0)),
    "gilded_blackstone": _lucky("gold_nugget", (2, 5), (0.1, f32(0.14285715), 0.25, 1.0)),
    "clay": _pieces("clay_ball", 4, 4),
    "glowstone": _pieces("glowstone_dust", 2, 4, 4),
    "melon": _pieces("melon_slice", 3, 7, 9),
    "sea_lantern": _pieces("prismarine_crystals", 2, 3, 5),
    "bookshelf": _pieces("book", 3, 3),
    "snow_block": _pieces("snowball", 4, 4),
    "campfire": _pieces("charcoal", 2, 2),
    "ender_chest": _pieces("obsidian", 8, 8),
    "brown_mushroom_block": _mushroom_block("brown_mushroom"),
    "red_mushroom_block": _mushroom_block("red_mushroom"),
    "amethyst_cluster": _amethyst,
    **dict.fromkeys(("short_grass", "fern", "tall_grass", "large_fern"), _grass),
    **dict.fromkeys(
        ("vine", "seagrass", "tall_seagrass", "glow_lichen", "nether_sprouts", "hanging_roots"), _shears_only
    ),
    "dead_bush": _dead_bush,
    "cobweb": _cobweb,
    "wheat": _seeded("wheat", "wheat_seeds", "7"),
    "beetroots": _seeded("beetroot", "beetroot_seeds", "3"),
    "carrots": _root("carrot"),
    "potatoes": _root("potato"),
    "nether_wart": _nether_wart,
    "sweet_berry_bush": _berries,
    "cave_vines": _cave_vines,
    "cave_vines_plant": _cave_vines,
    "cocoa": _cocoa,
    **dict.fromkeys(("melon_stem", "attached_melon_stem"), _stem("melon_seeds")),
    **dict.fromkeys(("pumpkin_stem", "attached_pumpkin_stem"), _stem("pumpkin_seeds")),
    **dict.fromkeys(("sunflower", "lilac", "rose_bush", "peony", "pitcher_plant"), _half("half", "lower")),
    "small_dripleaf": _shears_only,
    "sea_pickle": _several("pickles"),
    "pink_petals": _several("flower_amount"),
    "snow": _snow,
    **dict.fromkeys(
        ("weeping_vines", "weeping_vines_plant", "twisting_vines", "twisting_vines_plant"), _nether_vines
    ),
    "composter": _composter,
    "chorus_plant": _chorus,
    **dict.fromkeys(
        ("suspicious_sand", "suspicious_gravel", "budding_amethyst", "spawner", "cake"), _keeps_nothing
    ),
}
_BY_ENDING: tuple[tuple[str, _Rule], ...] = (
    ("_leaves", _leaves),
    ("_slab", _slab),
    ("_door", _half("half", "lower")),
    ("_bed", _half("part", "head")),
    ("_wall_fan", _fan),
    ("candle", _several("candles")),
)


def _rule_by_shape(name: str) -> _Rule | None:
    for ending, rule in _BY_ENDING:
        if name.endswith(ending):
            return rule
    return None
