"""What burns in a furnace and for how long. vanilla 1.21.1 `AbstractFurnaceBlockEntity.getFuel`."""

from __future__ import annotations

from functools import cache

from numen.rules.items import ItemStack
from protocol.game import GAME

#: Ticks that one item takes in a furnace; a blast furnace or a smoker takes half, and burns fuel twice as
#: fast.
SMELT_TICKS = 200

_BY_NAME = {
    "lava_bucket": 20000,
    "coal_block": 16000,
    "dried_kelp_block": 4001,
    "blaze_rod": 2400,
    "coal": 1600,
    "charcoal": 1600,
    "bamboo_mosaic": 300,
    "bamboo_mosaic_stairs": 300,
    "bamboo_mosaic_slab": 150,
    "chiseled_bookshelf": 300,
    "bookshelf": 300,
    "lectern": 300,
    "jukebox": 300,
    "chest": 300,
    "trapped_chest": 300,
    "crafting_table": 300,
    "daylight_detector": 300,
    "note_block": 300,
    "loom": 300,
    "barrel": 300,
    "cartography_table": 300,
    "fletching_table": 300,
    "smithing_table": 300,
    "composter": 300,
    "bow": 300,
    "crossbow": 300,
    "fishing_rod": 300,
    "ladder": 300,
    "mangrove_roots": 300,
    "wooden_shovel": 200,
    "wooden_sword": 200,
    "wooden_hoe": 200,
    "wooden_axe": 200,
    "wooden_pickaxe": 200,
    "stick": 100,
    "bowl": 100,
    "dead_bush": 100,
    "azalea": 100,
    "flowering_azalea": 100,
    "mangrove_propagule": 100,
    "bamboo": 50,
    "scaffolding": 50,
}
_WOODS = (
    *("oak", "spruce", "birch", "jungle", "acacia", "dark_oak", "mangrove", "cherry", "bamboo"),
    *("stripped_oak", "stripped_spruce", "stripped_birch", "stripped_jungle", "stripped_acacia"),
    *("stripped_dark_oak", "stripped_mangrove", "stripped_cherry", "stripped_bamboo"),
)
#: By the part of a name that follows the wood. What grows in the nether does not burn.
_BY_PART = {
    "log": 300,
    "wood": 300,
    "block": 300,
    "planks": 300,
    "stairs": 300,
    "trapdoor": 300,
    "pressure_plate": 300,
    "fence": 300,
    "fence_gate": 300,
    "slab": 150,
    "door": 200,
    "sign": 200,
    "hanging_sign": 800,
    "boat": 1200,
    "chest_boat": 1200,
    "raft": 1200,
    "chest_raft": 1200,
    "button": 100,
    "sapling": 100,
}
_BY_ENDING = {"_wool": 100, "_carpet": 67, "_banner": 300}
#: What stays of a fuel.
_LEFT_OVER = {"lava_bucket": "bucket"}


@cache
def _table() -> dict[int, int]:
    woods = {f"{wood}_{part}": ticks for wood in _WOODS for part, ticks in _BY_PART.items()}
    found = {}
    for item in GAME.items:
        name = item.name.removeprefix("minecraft:")
        ticks = _BY_NAME.get(name) or woods.get(name)
        if ticks is None:
            ticks = next((burn for ending, burn in _BY_ENDING.items() if name.endswith(ending)), None)
        if ticks is not None and name != "moss_carpet":
            found[item.id] = ticks
    return found


def burn_ticks(stack: ItemStack | None) -> int:
    """How long one of a stack burns, 0 for what does not burn."""
    return _table().get(stack.item_id, 0) if stack is not None else 0


def is_fuel(stack: ItemStack | None) -> bool:
    """Whether it burns."""
    return burn_ticks(stack) > 0


def left_over(stack: ItemStack) -> ItemStack | None:
    """What stays in the fuel slot of the last one burned."""
    name = _LEFT_OVER.get(stack.name.removeprefix("minecraft:"))
    return ItemStack.of(name) if name is not None else None
