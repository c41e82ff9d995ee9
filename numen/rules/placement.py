"""What block appears where when an item is used on a block. vanilla 1.21.1 `getStateForPlacement`.

The cell is the clicked one when its block gives way (grass, water, a slab's other half), else the one before
the clicked face. The state follows from the face, the point on it, the look and the neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass

from numen.rules import blocks
from numen.rules.connections import reshaped
from numen.rules.directions import CLOCKWISE, COUNTERCLOCKWISE, FACES, HORIZONTAL, OPPOSITE, neighbour
from numen.rules.orientation import Use, state_for
from numen.rules.physics.state import BlockView
from numen.rules.shapes import is_sturdy
from numen.rules.states import name_of
from numen.rules.support import survives
from protocol.game import GAME, Block, Item

Pos = tuple[int, int, int]

#: Blocks of which several fit one cell, with the property that counts them and the most there can be.
_STACKING = {
    "snow": ("layers", 8),
    "sea_pickle": ("pickles", 4),
    "turtle_egg": ("eggs", 4),
    "pink_petals": ("flower_amount", 4),
    **{
        f"{colour}candle": ("candles", 4)
        for colour in (
            *("", "white_", "orange_", "magenta_", "light_blue_", "yellow_", "lime_", "pink_", "gray_"),
            *("light_gray_", "cyan_", "purple_", "blue_", "brown_", "green_", "red_", "black_"),
        )
    },
}
#: Items that share a block's name, or stand for it, but don't place it when used on a block.
_NOT_PLACED = frozenset(
    {"minecraft:air", "minecraft:wheat", "minecraft:water_bucket", "minecraft:lava_bucket"}
)


@dataclass(frozen=True)
class Placement:
    """What using an item on a block puts where: the cell it fills, its state, and what else changes."""

    pos: Pos
    state: int
    #: The upper half of a door, the head of a bed, the other half of a chest.
    others: tuple[tuple[Pos, int], ...] = ()


def place(
    item: Item | str,
    clicked: Pos,
    face: int,
    cursor: tuple[float, float, float],
    yaw: float,
    pitch: float,
    view: BlockView,
    *,
    sneaking: bool = False,
) -> Placement | None:
    """What using `item` on a face (0–5) of the block at `clicked` places; None when nothing can be placed so.

    `cursor` is the point on the block, 0..1 on each axis; yaw and pitch are degrees. Bodies in the way,
    protection and build height are not looked at. Buckets of water and lava place nothing this way. Raises
    UnknownName.
    """
    if isinstance(item, str):
        item = GAME.item(item)
    block = GAME.block_for_item(item)
    if block is None or item.name in _NOT_PLACED:
        return None
    side = FACES[face]
    there = view.block(*clicked)
    high = cursor[1] > 0.5
    replaces = _gives_way(there, block, side, high=high, sneaking=sneaking, at_clicked=True)
    pos = clicked if replaces else neighbour(clicked, side)
    old = view.block(*pos)
    if not replaces and not _gives_way(old, block, side, high=high, sneaking=sneaking, at_clicked=False):
        return None
    x, y, z = (clicked[i] + cursor[i] - pos[i] for i in range(3))
    name = block.name.removeprefix("minecraft:")
    use = Use(block, name, view, pos, side, (x, y, z), yaw, pitch, sneaking, replaces)
    merged = _merged(use, old)
    if merged is not None:
        return Placement(pos, merged)
    state = state_for(use, old)
    if state is None or not survives(state, view, pos):
        return None
    state = reshaped(state, view, pos)
    others = _others(use, state)
    return None if others is None else Placement(pos, state, others)


def placed_state(
    item: Item | str,
    clicked: Pos,
    face: int,
    cursor: tuple[float, float, float],
    yaw: float,
    pitch: float,
    view: BlockView,
    *,
    sneaking: bool = False,
) -> int | None:
    """The state that `place` puts into the cell, None when nothing is placed."""
    found = place(item, clicked, face, cursor, yaw, pitch, view, sneaking=sneaking)
    return found.state if found is not None else None


# -- cells that give way ------------------------------------------------------------------------------------


def _gives_way(state: int, block: Block, side: str, *, high: bool, sneaking: bool, at_clicked: bool) -> bool:
    name = name_of(state)
    if f"minecraft:{name}" != block.name:
        return blocks.is_replaceable(state)
    properties = GAME.properties(state)
    if "type" in properties and name.endswith("_slab"):
        kind = properties["type"]
        if kind == "double" or not at_clicked:
            return kind != "double"
        level = side not in ("up", "down")
        return (
            (side == "up" or (high and level))
            if kind == "bottom"
            else (side == "down" or (not high and level))
        )
    if name in _STACKING:
        key, most = _STACKING[name]
        if int(properties[key]) >= most or (sneaking and name != "snow"):
            return False
        if name == "snow":
            return side == "up" if at_clicked else True
        return True
    if name == "vine":
        return any(properties[each] == "false" for each in (*HORIZONTAL, "up"))
    return blocks.is_replaceable(state)


def _merged(use: Use, old: int) -> int | None:
    """The state when the block joins its like in the same cell."""
    if name_of(old) != use.name:
        return None
    properties = GAME.properties(old)
    if use.name.endswith("_slab"):
        return GAME.with_properties(old, type="double", waterlogged=False)
    if use.name in _STACKING:
        key, most = _STACKING[use.name]
        return GAME.with_properties(old, **{key: min(most, int(properties[key]) + 1)})
    if use.name in ("vine", "glow_lichen", "sculk_vein"):
        for direction in use.looks:
            if properties.get(direction) == "false" and is_sturdy(use.beside(direction), OPPOSITE[direction]):
                return GAME.with_properties(old, **{direction: True})
    return None


# -- second cells -------------------------------------------------------------------------------------------


def _others(use: Use, state: int) -> tuple[tuple[Pos, int], ...] | None:
    """The other cells that change; None when they are not free."""
    properties = GAME.properties(state)
    if use.name.endswith("_bed"):
        cell, part = neighbour(use.pos, properties["facing"]), {"part": "head"}
    elif properties.get("half") == "lower":
        cell, part = neighbour(use.pos, "up"), {"half": "upper"}
    elif use.name in ("chest", "trapped_chest") and properties["type"] != "single":
        side = CLOCKWISE if properties["type"] == "left" else COUNTERCLOCKWISE
        cell = neighbour(use.pos, side[properties["facing"]])
        other = "right" if properties["type"] == "left" else "left"
        return ((cell, GAME.with_properties(use.view.block(*cell), type=other)),)
    else:
        return ()
    if not blocks.is_replaceable(use.view.block(*cell)):
        return None
    return ((cell, GAME.with_properties(state, **part)),)
