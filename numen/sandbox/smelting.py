"""What a fire makes of things, and how long things burn (vanilla 1.21.1 recipes and fuel table)."""

from __future__ import annotations

from numen.rules.items import ItemStack

_ORES = {
    "iron": ("iron_ingot", 0.7),
    "gold": ("gold_ingot", 1.0),
    "copper": ("copper_ingot", 0.7),
    "coal": ("coal", 0.1),
    "diamond": ("diamond", 1.0),
    "emerald": ("emerald", 1.0),
    "lapis": ("lapis_lazuli", 0.2),
    "redstone": ("redstone", 0.7),
}
_FOOD = {
    "porkchop": "cooked_porkchop",
    "beef": "cooked_beef",
    "mutton": "cooked_mutton",
    "chicken": "cooked_chicken",
    "rabbit": "cooked_rabbit",
    "cod": "cooked_cod",
    "salmon": "cooked_salmon",
    "potato": "baked_potato",
}
_WOODS = ("oak", "birch", "spruce", "jungle", "acacia", "dark_oak", "mangrove", "cherry")

#: Input -> (result, experience). Names without namespace.
SMELTED: dict[str, tuple[str, float]] = {
    **{f"{rock}{metal}_ore": made for metal, made in _ORES.items() for rock in ("", "deepslate_")},
    **{f"raw_{metal}": _ORES[metal] for metal in ("iron", "gold", "copper")},
    **{raw: (cooked, 0.35) for raw, cooked in _FOOD.items()},
    "kelp": ("dried_kelp", 0.1),
    "cobblestone": ("stone", 0.1),
    "stone": ("smooth_stone", 0.1),
    "cobbled_deepslate": ("deepslate", 0.1),
    "sand": ("glass", 0.1),
    "red_sand": ("glass", 0.1),
    "sandstone": ("smooth_sandstone", 0.1),
    "clay_ball": ("brick", 0.3),
    "clay": ("terracotta", 0.35),
    "netherrack": ("nether_brick", 0.1),
    "cactus": ("green_dye", 1.0),
    "wet_sponge": ("sponge", 0.15),
    "ancient_debris": ("netherite_scrap", 2.0),
    "nether_gold_ore": ("gold_ingot", 1.0),
    "nether_quartz_ore": ("quartz", 0.2),
    **{
        f"{stripped}{wood}_{part}": ("charcoal", 0.15)
        for wood in _WOODS
        for part in ("log", "wood")
        for stripped in ("", "stripped_")
    },
}

#: What the special furnaces take.
COOKED_IN: dict[str, frozenset[str]] = {
    "smoking": frozenset({*_FOOD, "kelp"}),
    "blasting": frozenset(
        name
        for name in SMELTED
        if name.endswith("_ore") or name.startswith("raw_") or name == "ancient_debris"
    ),
}

_BURNS = {
    "lava_bucket": 20000,
    "coal_block": 16000,
    "dried_kelp_block": 4001,
    "blaze_rod": 2400,
    "coal": 1600,
    "charcoal": 1600,
    "bow": 300,
    "fishing_rod": 300,
    "ladder": 300,
    "crafting_table": 300,
    "chest": 300,
    "trapped_chest": 300,
    "barrel": 300,
    "bookshelf": 300,
    "lectern": 300,
    "loom": 300,
    "composter": 300,
    "cartography_table": 300,
    "fletching_table": 300,
    "smithing_table": 300,
    "note_block": 300,
    "jukebox": 300,
    "daylight_detector": 300,
    "bamboo_block": 300,
    "stick": 100,
    "bowl": 100,
    "dead_bush": 100,
    "azalea": 100,
    "flowering_azalea": 100,
    "scaffolding": 50,
    "bamboo": 50,
}
#: By ending, for woods that burn (the nether's do not).
_BURNS_BY_ENDING = (
    ("_boat", 1200),
    ("_raft", 1200),
    ("_hanging_sign", 800),
    ("_log", 300),
    ("_wood", 300),
    ("_planks", 300),
    ("_fence_gate", 300),
    ("_fence", 300),
    ("_banner", 300),
    ("_trapdoor", 300),
    ("_pressure_plate", 300),
    ("_stairs", 300),
    ("_sign", 200),
    ("_door", 200),
    ("_slab", 150),
    ("_button", 100),
    ("_sapling", 100),
    ("_wool", 100),
    ("_carpet", 67),
)
_WOODEN_TOOLS = frozenset(f"wooden_{tool}" for tool in ("pickaxe", "axe", "shovel", "hoe", "sword"))
_DYED = ("_wool", "_carpet", "_banner")


def burn_ticks(stack: ItemStack | None) -> int:
    """Ticks one of a stack burns in a furnace, 0 for what is no fuel."""
    if stack is None:
        return 0
    name = stack.name.removeprefix("minecraft:")
    known = _BURNS.get(name)
    if known is not None:
        return known
    if name in _WOODEN_TOOLS:
        return 200
    for ending, ticks in _BURNS_BY_ENDING:
        if name.endswith(ending):
            bare = name.removeprefix("stripped_")
            wooden = ending in _DYED or bare.startswith((*_WOODS, "bamboo"))
            return ticks if wooden else 0
    return 0
