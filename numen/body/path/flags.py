"""What every block state means to a walker: byte tables, computed once.

A table has one entry more than there are states; the last one stands for what is not loaded, and for states
of mods. Looking up a whole section is one `take`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from numen.rules import blocks
from protocol.game import GAME

#: A body can be in the cell: nothing collides in its middle and nothing there hurts.
CLEAR: Final = 1 << 0
#: Carries a body that stands in the cell above.
FLOOR: Final = 1 << 1
#: Carries a body inside its own cell, at the height of the `tops` table (a slab, a carpet, soul sand, a
#: chest).
LOW: Final = 1 << 2
WATER: Final = 1 << 3
#: Ladders, vines.
CLIMB: Final = 1 << 4
#: Hurts, holds or takes away a body inside it.
DANGER: Final = 1 << 5
#: Its collision box reaches half a block into the cell above (fences, walls).
TALL: Final = 1 << 6
#: Opens by hand: a door or a gate. Counts as clear.
DOOR: Final = 1 << 7
#: A thin wall stands in the way of crossing this side of the cell.
WALL_WEST: Final = 1 << 8
WALL_EAST: Final = 1 << 9
WALL_NORTH: Final = 1 << 10
WALL_SOUTH: Final = 1 << 11
#: Walking on it is slow (soul sand).
SLOW: Final = 1 << 12
#: Falls when nothing is under it.
FALLING: Final = 1 << 13
LAVA: Final = 1 << 14
#: Not loaded, or of a mod: nothing is known of it.
UNKNOWN: Final = 1 << 15

#: Bits of the second table, for digging and placing.
REPLACEABLE: Final = 1 << 0
#: Never dug up: someone's chest, bed, furnace, door, spawner.
KEEP: Final = 1 << 1
#: A full cube that a block can be set against.
SUPPORT: Final = 1 << 2
#: Any water or lava, also inside other blocks.
LIQUID: Final = 1 << 3
SOURCE: Final = 1 << 4

#: Sixteenths of a block.
_FULL = 16

# The middle of a cell that a body 0.6 wide fills, and how far a foot lifts by itself (vanilla 1.21.1: step
# height 0.6).
_FROM, _TO = 0.2, 0.8
_STEP = 0.6


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: What a walker keeps out of besides what hurts.
_TRAPS = _names("cobweb nether_portal end_portal end_gateway bubble_column campfire soul_campfire")
#: Floors that hold fast, give way or are someone's eggs.
_BAD_FLOORS = _names("honey_block cobweb big_dripleaf scaffolding turtle_egg sniffer_egg")
_SLOW = _names("soul_sand slime_block")
_KEEP = _names(
    """chest trapped_chest ender_chest barrel furnace blast_furnace smoker crafting_table brewing_stand
    enchanting_table anvil chipped_anvil damaged_anvil hopper dispenser dropper beacon lectern jukebox spawner
    trial_spawner vault bell cauldron water_cauldron lava_cauldron composter conduit lodestone respawn_anchor
    bee_nest beehive end_portal_frame decorated_pot chiseled_bookshelf bookshelf loom stonecutter
    smithing_table cartography_table fletching_table grindstone note_block flower_pot crafter ice
    infested_stone infested_cobblestone infested_stone_bricks infested_mossy_stone_bricks
    infested_cracked_stone_bricks infested_chiseled_stone_bricks infested_deepslate"""
)
_KEEP_ENDINGS = (
    "_bed",
    "shulker_box",
    "_door",
    "_fence_gate",
    "_trapdoor",
    "_sign",
    "_banner",
    "_head",
    "_skull",
)

Boxes = tuple[tuple[float, float, float, float, float, float], ...]


@dataclass(frozen=True)
class Tables:
    """Indexed by state id; the last entry is the unknown."""

    #: CLEAR … UNKNOWN.
    walking: NDArray[np.uint16]
    #: Height in sixteenths of what a body in the cell stands on; only LOW states have one.
    tops: NDArray[np.uint8]
    #: REPLACEABLE … SOURCE.
    building: NDArray[np.uint8]

    @property
    def unknown(self) -> int:
        """The index that stands for what is not known."""
        return len(self.walking) - 1


@cache
def tables() -> Tables:
    """The tables of the game's own states; computed at the first call."""
    known = blocks.table()
    walking = np.zeros(len(known), np.uint16)
    tops = np.zeros(len(known), np.uint8)
    keep = np.zeros(len(known), np.bool_)
    source = np.zeros(len(known), np.bool_)
    by_shape: dict[tuple[int, bool, bool], tuple[int, int]] = {}
    for block in GAME.blocks:
        name = block.name.removeprefix("minecraft:")
        opens = name.endswith(("_door", "_fence_gate")) and name != "iron_door"
        bad = name in _BAD_FLOORS
        own = DANGER if name in _TRAPS else SLOW if name in _SLOW else 0
        states = range(block.min_state, block.max_state + 1)
        keep[states.start : states.stop] = name in _KEEP or name.endswith(_KEEP_ENDINGS)
        source[states.start : states.stop] = name != "water"
        if name == "water":
            source[states.start] = True
        shapes = GAME.shapes(block)
        alike = shapes.count(shapes[0]) == len(shapes)
        for state, shape in zip(states, shapes[:1] if alike else shapes, strict=not alike):
            key = (id(shape), opens, bad)
            if key not in by_shape:
                by_shape[key] = _standing(shape, opens, bad)
            bits, tops[state] = by_shape[key]
            walking[state] = bits | own
        if alike:
            walking[states.start : states.stop] = walking[states.start]
            tops[states.start : states.stop] = tops[states.start]
    return _joined(known, walking, tops, keep, source)


def _joined(
    known: NDArray[np.uint16],
    walking: NDArray[np.uint16],
    tops: NDArray[np.uint8],
    keep: NDArray[np.bool_],
    source: NDArray[np.bool_],
) -> Tables:
    """What the shapes say and what `rules.blocks` knows, in one."""
    for theirs, ours in (
        (blocks.WATER, WATER),
        (blocks.LAVA, LAVA),
        (blocks.CLIMBABLE, CLIMB),
        (blocks.DANGER, DANGER),
        (blocks.FALLING, FALLING),
    ):
        walking[(known & theirs) != 0] |= np.uint16(ours)
    # nothing to rest on or be in where it hurts
    walking[(walking & DANGER) != 0] &= np.uint16(0xFFFF ^ (CLEAR | FLOOR | LOW))
    wet = (known & (blocks.WATER | blocks.LAVA)) != 0
    falls = (known & blocks.FALLING) != 0
    building = np.zeros(len(known), np.uint8)
    building[(known & blocks.REPLACEABLE) != 0] |= np.uint8(REPLACEABLE)
    building[keep] |= np.uint8(KEEP)
    building[((known & blocks.FULL_CUBE) != 0) & ~falls] |= np.uint8(SUPPORT)
    building[wet] |= np.uint8(LIQUID)
    building[wet & source] |= np.uint8(SOURCE)
    walking[-1], tops[-1], building[-1] = UNKNOWN, 0, 0
    return Tables(walking, tops, building)


def _standing(boxes: Boxes, opens: bool, bad: bool) -> tuple[int, int]:
    """The bits that follow from the shape, and the height of a low floor."""
    if opens:
        return CLEAR | DOOR, 0
    middle = [box for box in boxes if _overlaps(box, _FROM, _FROM, _TO, _TO)]
    if not middle:
        return CLEAR | _thin_walls(boxes, 0.0), 0
    top = max(box[4] for box in middle)
    if top > 1.0:
        return TALL, 0
    level, rough = _surface(middle, top)
    if bad or not (level or (rough and top == 1.0)):
        return 0, 0
    if top == 1.0:
        return FLOOR, 0
    return LOW | _thin_walls(boxes, top), int(np.ceil(top * _FULL))


def _surface(boxes: Iterable[tuple[float, ...]], top: float) -> tuple[bool, bool]:
    """Whether the top is even under the whole foot; whether it is half as high everywhere (stairs)."""
    boxes = list(boxes)
    grid = (0.21, 0.4, 0.6, 0.79)
    heights = [
        max((box[4] for box in boxes if box[0] <= x <= box[3] and box[2] <= z <= box[5]), default=0.0)
        for x in grid
        for z in grid
    ]
    return min(heights) == top, min(heights) >= 0.5


def _thin_walls(boxes: Boxes, base: float) -> int:
    """Sides that a body leaving the middle of the cell would run into, standing at `base`."""
    walls = 0
    for bit, area in (
        (WALL_WEST, (0.0, _FROM, _TO, _TO)),
        (WALL_EAST, (_FROM, _FROM, 1.0, _TO)),
        (WALL_NORTH, (_FROM, 0.0, _TO, _TO)),
        (WALL_SOUTH, (_FROM, _FROM, _TO, 1.0)),
    ):
        if any(_overlaps(box, *area) and box[4] > base + _STEP for box in boxes):
            walls |= bit
    return walls


def _overlaps(box: tuple[float, ...], x0: float, z0: float, x1: float, z1: float) -> bool:
    return box[0] < x1 and box[3] > x0 and box[2] < z1 and box[5] > z0
