"""What a block state is, in a word: one table of bits, computed once.

Questions take any state id; what is not loaded (-1) and what a mod brought counts as a full solid block of
which nothing else is known.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from numen.rules.states import column
from protocol.game import GAME, Block

AIR = 1 << 0
#: Nothing collides in the cell.
PASSABLE = 1 << 1
FULL_CUBE = 1 << 2
#: Carries a body in the middle of its top, at the height of the cell.
FLOOR = 1 << 3
#: Nothing but water or lava.
LIQUID = 1 << 4
#: Holds water, alone or with another block.
WATER = 1 << 5
LAVA = 1 << 6
CLIMBABLE = 1 << 7
#: Hurts who touches it or stands on it.
DANGER = 1 << 8
FIRE = 1 << 9
#: Falls when nothing is under it.
FALLING = 1 << 10
#: Another block can be placed in its stead.
REPLACEABLE = 1 << 11
#: Opens and closes by hand.
OPENABLE = 1 << 12
#: Does something when used with an empty hand, so that placing against it needs sneaking.
USABLE = 1 << 13
#: Not loaded, or of a mod.
UNKNOWN = 1 << 14

_AIR = frozenset({"air", "cave_air", "void_air"})
_WET = frozenset({"water", "bubble_column", "kelp", "kelp_plant", "seagrass", "tall_seagrass"})
_CLIMBABLE = frozenset(
    {
        "ladder",
        "vine",
        "scaffolding",
        "weeping_vines",
        "weeping_vines_plant",
        "twisting_vines",
        "twisting_vines_plant",
        "cave_vines",
        "cave_vines_plant",
    }
)
_DANGER = frozenset(
    {
        "lava",
        "fire",
        "soul_fire",
        "cactus",
        "magma_block",
        "sweet_berry_bush",
        "wither_rose",
        "powder_snow",
        "lava_cauldron",
        "pointed_dripstone",
    }
)
_FALLING = frozenset(
    {
        "sand",
        "red_sand",
        "gravel",
        "suspicious_sand",
        "suspicious_gravel",
        "anvil",
        "chipped_anvil",
        "damaged_anvil",
        "dragon_egg",
    }
)
#: vanilla 1.21.1: the block property `replaceable`, and the blocks that decide it themselves.
_REPLACEABLE = frozenset(
    {
        "water",
        "lava",
        "bubble_column",
        "short_grass",
        "tall_grass",
        "fern",
        "large_fern",
        "dead_bush",
        "seagrass",
        "tall_seagrass",
        "fire",
        "soul_fire",
        "vine",
        "glow_lichen",
        "sculk_vein",
        "light",
        "structure_void",
        "crimson_roots",
        "warped_roots",
        "nether_sprouts",
        "hanging_roots",
    }
)
_USABLE = frozenset(
    {
        "crafting_table",
        "furnace",
        "blast_furnace",
        "smoker",
        "chest",
        "trapped_chest",
        "ender_chest",
        "barrel",
        "hopper",
        "dropper",
        "dispenser",
        "crafter",
        "anvil",
        "chipped_anvil",
        "damaged_anvil",
        "enchanting_table",
        "brewing_stand",
        "beacon",
        "loom",
        "stonecutter",
        "grindstone",
        "smithing_table",
        "cartography_table",
        "lectern",
        "note_block",
        "jukebox",
        "lever",
        "repeater",
        "comparator",
        "daylight_detector",
        "bell",
        "cake",
        "respawn_anchor",
        "dragon_egg",
        "chiseled_bookshelf",
        "decorated_pot",
        "flower_pot",
        "composter",
        "command_block",
        "sweet_berry_bush",
        "cave_vines",
        "cave_vines_plant",
    }
)
_USABLE_ENDINGS = ("_bed", "_button", "shulker_box", "_sign", "candle_cake")


def _bits(block: Block, name: str) -> int:
    bits = 0
    if name in _AIR:
        bits |= AIR | REPLACEABLE
    if name in ("water", "lava", "bubble_column"):
        bits |= LIQUID
    if name in _WET:
        bits |= WATER
    if name == "lava":
        bits |= LAVA
    if name in _CLIMBABLE:
        bits |= CLIMBABLE
    if name in _DANGER:
        bits |= DANGER
    if name in ("fire", "soul_fire"):
        bits |= FIRE
    if name in _FALLING or name.endswith("concrete_powder"):
        bits |= FALLING
    if name in _REPLACEABLE:
        bits |= REPLACEABLE
    if name.endswith(("_door", "_trapdoor", "_fence_gate")) and not name.startswith("iron_"):
        bits |= OPENABLE | USABLE
    if name in _USABLE or name.endswith(_USABLE_ENDINGS):
        bits |= USABLE
    return bits


def _shape_bits(shape: tuple[tuple[float, ...], ...]) -> int:
    if not shape:
        return PASSABLE
    if shape == ((0.0, 0.0, 0.0, 1.0, 1.0, 1.0),):
        return FULL_CUBE | FLOOR
    carries = any(b[0] <= 0.5 <= b[3] and b[2] <= 0.5 <= b[5] and b[4] == 1.0 for b in shape)
    return FLOOR if carries else 0


def _has(block: Block, name: str) -> bool:
    return any(key == name for key, _ in block.properties)


@cache
def table() -> NDArray[np.uint16]:
    """The bits by state id; the last entry stands for what is not known (so -1 finds it)."""
    flags = np.zeros(GAME.state_count + 1, np.uint16)
    for block in GAME.blocks:
        name = block.name.removeprefix("minecraft:")
        fixed = _bits(block, name)
        by_shape: dict[int, int] = {}
        wet = column(block, "waterlogged") if _has(block, "waterlogged") else None
        lit = column(block, "lit") if name.endswith("campfire") else None
        layers = column(block, "layers") if name == "snow" else None
        states, shapes = range(block.min_state, block.max_state + 1), GAME.shapes(block)
        if wet is lit is layers is None and shapes.count(shapes[0]) == len(shapes):
            flags[block.min_state : block.max_state + 1] = fixed | _shape_bits(shapes[0])
            continue
        for index, (state, shape) in enumerate(zip(states, shapes, strict=True)):
            bits = by_shape.get(id(shape))
            if bits is None:
                bits = by_shape[id(shape)] = _shape_bits(shape)
            bits |= fixed
            if wet is not None and wet[index] == "true":
                bits |= WATER
            if lit is not None and lit[index] == "true":
                bits |= DANGER
            if layers is not None and layers[index] == "1":
                bits |= REPLACEABLE
            flags[state] = bits
    flags[-1] = FULL_CUBE | FLOOR | UNKNOWN
    flags.setflags(write=False)
    return flags


@cache
def _plain() -> list[int]:
    # Reading one number out of a list is several times faster than out of an array.
    return [int(bits) for bits in table()]


def flags(state: int) -> int:
    """All bits of one state."""
    bits = _plain()
    return bits[state] if state < len(bits) else bits[-1]


def is_air(state: int) -> bool:
    """Nothing is there."""
    return bool(flags(state) & AIR)


def is_passable(state: int) -> bool:
    """A body can be in the cell: the block has no collision box."""
    return bool(flags(state) & PASSABLE)


def is_full_cube(state: int) -> bool:
    """The block fills its cell."""
    return bool(flags(state) & FULL_CUBE)


def is_floor(state: int) -> bool:
    """One can stand on the block, at the height of its cell."""
    return bool(flags(state) & FLOOR)


def is_liquid(state: int) -> bool:
    """Nothing but water or lava is there."""
    return bool(flags(state) & LIQUID)


def is_water(state: int) -> bool:
    """Water is there, alone or in another block."""
    return bool(flags(state) & WATER)


def is_waterlogged(state: int) -> bool:
    """Water shares the cell with another block."""
    return flags(state) & (WATER | LIQUID) == WATER


def is_lava(state: int) -> bool:
    """Lava is there."""
    return bool(flags(state) & LAVA)


def is_fire(state: int) -> bool:
    """Fire or soul fire."""
    return bool(flags(state) & FIRE)


def is_dangerous(state: int) -> bool:
    """Touching it or standing on it hurts."""
    return bool(flags(state) & DANGER)


def is_climbable(state: int) -> bool:
    """Ladders, vines, scaffolding."""
    return bool(flags(state) & CLIMBABLE)


def is_falling(state: int) -> bool:
    """It falls when nothing is under it."""
    return bool(flags(state) & FALLING)


def is_replaceable(state: int) -> bool:
    """A block of another kind can be placed in its stead."""
    return bool(flags(state) & REPLACEABLE)


def is_openable(state: int) -> bool:
    """A door, gate or trapdoor that opens by hand."""
    return bool(flags(state) & OPENABLE)


def is_usable(state: int) -> bool:
    """A click with an empty hand does something, so placing against it needs sneaking."""
    return bool(flags(state) & USABLE)
