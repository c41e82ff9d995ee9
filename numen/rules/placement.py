"""What block appears where when an item is used on a block. vanilla 1.21.1 `getStateForPlacement`.

The cell is the clicked one when its block gives way (grass, water, a slab's other half), else the one before
the clicked face. The state follows from the face, the point on it, the look and the neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import floor

from numen.rules import blocks
from numen.rules.connections import reshaped
from numen.rules.directions import (
    CLOCKWISE,
    COUNTERCLOCKWISE,
    FACES,
    HORIZONTAL,
    OPPOSITE,
    VECTORS,
    axis_of,
    heading,
    looking,
    neighbour,
)
from numen.rules.physics.state import BlockView
from numen.rules.shapes import is_sturdy
from numen.rules.states import name_of
from numen.rules.support import survives
from protocol.game import GAME, Block, Item

Pos = tuple[int, int, int]
Properties = dict[str, str]

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


@dataclass(frozen=True)
class _Use:
    """One use of an item on a block."""

    block: Block
    name: str
    view: BlockView
    pos: Pos
    face: str
    #: The point clicked, relative to the cell that is filled.
    point: tuple[float, float, float]
    yaw: float
    pitch: float
    sneaking: bool
    #: The clicked block gives way itself.
    replaces: bool

    @property
    def heading(self) -> str:
        return heading(self.yaw)

    @property
    def looks(self) -> list[str]:
        """Directions to try, best first: that of the clicked block, then by the look."""
        order = looking(self.yaw, self.pitch)
        if not self.replaces:
            order.remove(OPPOSITE[self.face])
            order.insert(0, OPPOSITE[self.face])
        return order

    def beside(self, direction: str) -> int:
        return self.view.block(*neighbour(self.pos, direction))

    def fits(self, name: str, **properties: str) -> bool:
        return survives(GAME.state(name, **properties), self.view, self.pos)


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
    use = _Use(block, name, view, pos, side, (x, y, z), yaw, pitch, sneaking, replaces)
    merged = _merged(use, old)
    if merged is not None:
        return Placement(pos, merged)
    state = _state(use, old)
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


def _merged(use: _Use, old: int) -> int | None:
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


# -- states -------------------------------------------------------------------------------------------------


def _state(use: _Use, old: int) -> int | None:
    """The state before neighbours shape it, None when the block can't be placed so."""
    wall = _wall_variant(use.name)
    if wall is not None:
        found = _standing_or_wall(use, wall)
    else:
        rule = _rule(use.name)
        properties = rule(use) if rule is not None else {}
        found = None if properties is None else GAME.state(_grown(use), **properties)
    if found is None:
        return None
    if any(key == "waterlogged" for key, _ in GAME.block_of(found).properties):
        source = name_of(old) == "water" and GAME.properties(old)["level"] == "0"
        found = GAME.with_properties(found, waterlogged=source or name_of(old) in ("kelp", "seagrass"))
    return found


def _grown(use: _Use) -> str:
    # Bamboo begins as a shoot.
    if use.name == "bamboo" and not name_of(use.beside("down")).startswith("bamboo"):
        return "bamboo_sapling"
    return use.name


_WALL_NAMES = {"skull": "wall_skull", "head": "wall_head", "fan": "wall_fan"}


@lru_cache(maxsize=512)
def _wall_variant(name: str) -> str | None:
    """The block that an item places on walls instead of the standing one."""
    if name in ("torch", "soul_torch", "redstone_torch"):
        return name.replace("torch", "wall_torch")
    if name.endswith("_hanging_sign"):
        return name.replace("_hanging_sign", "_wall_hanging_sign")
    for ending in ("sign", "banner"):
        if name.endswith(f"_{ending}"):
            return name.replace(f"_{ending}", f"_wall_{ending}")
    for ending, wall in _WALL_NAMES.items():
        if name.endswith(f"_{ending}") and name != "piston_head":
            return name.removesuffix(ending) + wall
    return None


def _standing_or_wall(use: _Use, wall: str) -> int | None:
    away = "up" if use.name.endswith("_hanging_sign") else "down"
    for direction in use.looks:
        if direction == OPPOSITE[away]:
            continue
        if direction == away:
            state = GAME.state(use.name, **_turned(use))
        elif direction in HORIZONTAL:
            state = GAME.state(wall, **_across(wall, direction, use))
        else:
            continue
        if survives(state, use.view, use.pos):
            return state
    return None


def _across(wall: str, direction: str, use: _Use) -> Properties:
    if wall.endswith("wall_hanging_sign"):
        # It hangs across the direction of the wall, turned to the player.
        return {
            "facing": OPPOSITE[use.heading]
            if axis_of(use.heading) != axis_of(direction)
            else CLOCKWISE[direction]
        }
    return {"facing": OPPOSITE[direction]}


def _turned(use: _Use) -> Properties:
    """Sixteenths of a turn, for what stands or hangs freely."""
    if "rotation" not in dict(use.block.properties):
        return {}
    yaw = use.yaw if use.name.endswith(("_skull", "_head")) else use.yaw + 180.0
    return {"rotation": str(floor(yaw / 22.5 + 0.5) & 15)}


_Rule = Callable[[_Use], "Properties | None"]


def _toward(use: _Use) -> Properties:
    return {"facing": use.heading}


def _back(use: _Use) -> Properties:
    return {"facing": OPPOSITE[use.heading]}


def _right(use: _Use) -> Properties:
    return {"facing": CLOCKWISE[use.heading]}


def _out_of_face(use: _Use) -> Properties:
    return {"facing": use.face}


def _axis(use: _Use) -> Properties:
    return {"axis": axis_of(use.face)}


def _into_look(use: _Use) -> Properties:
    return {"facing": looking(use.yaw, use.pitch)[0]}


def _against_look(use: _Use) -> Properties:
    return {"facing": OPPOSITE[looking(use.yaw, use.pitch)[0]]}


def _hopper(use: _Use) -> Properties:
    return {"facing": "down" if use.face in ("up", "down") else OPPOSITE[use.face]}


def _upper(use: _Use) -> bool:
    return use.face == "down" or (use.face != "up" and use.point[1] > 0.5)


def _slab(use: _Use) -> Properties:
    return {"type": "top" if _upper(use) else "bottom"}


def _stairs(use: _Use) -> Properties:
    return {"facing": use.heading, "half": "top" if _upper(use) else "bottom"}


def _trapdoor(use: _Use) -> Properties:
    if not use.replaces and use.face in HORIZONTAL:
        return {"facing": use.face, "half": "top" if use.point[1] > 0.5 else "bottom"}
    return {"facing": OPPOSITE[use.heading], "half": "bottom" if use.face == "up" else "top"}


def _door(use: _Use) -> Properties:
    return {"facing": use.heading, "half": "lower", "hinge": _hinge(use)}


def _hinge(use: _Use) -> str:
    # To the side with more wall; beside another door away from it; else to the side clicked.
    ahead = use.heading
    left, right = COUNTERCLOCKWISE[ahead], CLOCKWISE[ahead]
    above = neighbour(use.pos, "up")

    def walls(side: str) -> int:
        cells = (neighbour(use.pos, side), neighbour(above, side))
        return sum(blocks.is_full_cube(use.view.block(*cell)) for cell in cells)

    def is_door(side: str) -> bool:
        state = use.beside(side)
        return name_of(state) == use.name and GAME.properties(state)["half"] == "lower"

    weight = walls(right) - walls(left)
    door_left, door_right = is_door(left), is_door(right)
    if (door_left and not door_right) or weight > 0:
        return "right"
    if (door_right and not door_left) or weight < 0:
        return "left"
    x, _, z = use.point
    dx, _, dz = VECTORS[ahead]
    turned = (dx < 0 and z < 0.5) or (dx > 0 and z > 0.5) or (dz < 0 and x > 0.5) or (dz > 0 and x < 0.5)
    return "right" if turned else "left"


def _gate(use: _Use) -> Properties:
    sides = (COUNTERCLOCKWISE[use.heading], CLOCKWISE[use.heading])
    in_wall = any(name_of(use.beside(side)).endswith("_wall") for side in sides)
    return {"facing": use.heading, "in_wall": str(in_wall).lower()}


def _on_some_wall(use: _Use) -> Properties | None:
    """Ladders, tripwire hooks."""
    for direction in use.looks:
        if direction in HORIZONTAL and use.fits(use.name, facing=OPPOSITE[direction]):
            return {"facing": OPPOSITE[direction]}
    return None


def _ladder(use: _Use) -> Properties | None:
    if not use.replaces:
        clicked = use.beside(OPPOSITE[use.face])
        if name_of(clicked) == "ladder" and GAME.properties(clicked)["facing"] == use.face:
            return None
    return _on_some_wall(use)


def _attached(use: _Use) -> Properties | None:
    """Levers, buttons, grindstones: on floor, ceiling or wall."""
    for direction in use.looks:
        if direction in HORIZONTAL:
            properties = {"face": "wall", "facing": OPPOSITE[direction]}
        else:
            properties = {"face": "ceiling" if direction == "up" else "floor", "facing": use.heading}
        if use.fits(use.name, **properties):
            return properties
    return None


def _lantern(use: _Use) -> Properties | None:
    for direction in use.looks:
        if direction in ("up", "down"):
            properties = {"hanging": str(direction == "up").lower()}
            if use.fits(use.name, **properties):
                return properties
    return None


def _bell(use: _Use) -> Properties | None:
    tries: Iterator[Properties] = iter(())
    if use.face in ("up", "down"):
        attachment = "ceiling" if use.face == "down" else "floor"
        tries = iter(({"attachment": attachment, "facing": use.heading},))
    else:
        back = OPPOSITE[use.face]
        both = is_sturdy(use.beside(back), use.face) and is_sturdy(use.beside(use.face), back)
        tries = iter(
            (
                {"attachment": "double_wall" if both else "single_wall", "facing": back},
                {"attachment": "floor", "facing": back},
                {"attachment": "ceiling", "facing": back},
            )
        )
    return next((properties for properties in tries if use.fits(use.name, **properties)), None)


def _cocoa(use: _Use) -> Properties | None:
    for direction in use.looks:
        if direction in HORIZONTAL and use.fits("cocoa", facing=direction):
            return {"facing": direction}
    return None


def _creeper(use: _Use) -> Properties | None:
    """Vines and lichen cling to the first side that carries them."""
    for direction in use.looks:
        known = any(key == direction for key, _ in use.block.properties)
        if known and use.fits(use.name, **{direction: "true"}):
            return {direction: "true"}
    return None


def _rail(use: _Use) -> Properties:
    return {"shape": "east_west" if axis_of(use.heading) == "x" else "north_south"}


def _leaves(use: _Use) -> Properties:
    distance = 7
    for direction in OPPOSITE:
        beside = use.beside(direction)
        name = name_of(beside)
        if name.endswith(("_log", "_wood", "_stem", "_hyphae")) and not name.startswith(("melon", "pumpkin")):
            distance = 1
        elif name.endswith("_leaves"):
            distance = min(distance, int(GAME.properties(beside)["distance"]) + 1)
    return {"persistent": "true", "distance": str(distance)}


def _scaffolding(use: _Use) -> Properties:
    below = use.beside("down")
    if is_sturdy(below, "up"):
        return {"distance": "0", "bottom": "false"}
    distance = 7
    if name_of(below) == "scaffolding":
        distance = int(GAME.properties(below)["distance"])
    for side in HORIZONTAL:
        state = use.beside(side)
        if name_of(state) == "scaffolding":
            distance = min(distance, int(GAME.properties(state)["distance"]) + 1)
    bottom = distance > 0 and name_of(below) != "scaffolding"
    return {"distance": str(distance), "bottom": str(bottom).lower()}


def _dripstone(use: _Use) -> Properties | None:
    first = looking(use.yaw, use.pitch)
    tip = "down" if first.index("up") < first.index("down") else "up"
    for direction in (tip, OPPOSITE[tip]):
        if use.fits(use.name, vertical_direction=direction):
            return {"vertical_direction": direction}
    return None


def _under_water(use: _Use) -> Properties | None:
    return {} if blocks.is_water(use.view.block(*use.pos)) else None


def _campfire(use: _Use) -> Properties:
    wet = blocks.is_water(use.view.block(*use.pos))
    signal = name_of(use.beside("down")) == "hay_block"
    return {"facing": use.heading, "lit": str(not wet).lower(), "signal_fire": str(signal).lower()}


def _chest(use: _Use) -> Properties:
    facing, kind = OPPOSITE[use.heading], "single"
    if use.sneaking and use.face in HORIZONTAL:
        partner = _partner(use, OPPOSITE[use.face])
        if partner is not None and axis_of(partner) != axis_of(use.face):
            facing = partner
            kind = "right" if COUNTERCLOCKWISE[facing] == OPPOSITE[use.face] else "left"
    elif not use.sneaking:
        if _partner(use, CLOCKWISE[facing]) == facing:
            kind = "left"
        elif _partner(use, COUNTERCLOCKWISE[facing]) == facing:
            kind = "right"
    return {"facing": facing, "type": kind}


def _partner(use: _Use, direction: str) -> str | None:
    # Where a single chest on that side faces.
    state = use.beside(direction)
    if name_of(state) != use.name:
        return None
    properties = GAME.properties(state)
    return properties["facing"] if properties["type"] == "single" else None


_BACK_NAMES = (
    *("furnace", "blast_furnace", "smoker", "ender_chest", "lectern", "loom", "stonecutter"),
    *("carved_pumpkin", "jack_o_lantern", "beehive", "bee_nest", "chiseled_bookshelf", "end_portal_frame"),
    *("repeater", "comparator", "vault", "small_dripleaf", "big_dripleaf", "pink_petals"),
)
_BY_NAME: dict[str, _Rule] = {
    **dict.fromkeys(_BACK_NAMES, _back),
    **dict.fromkeys(("decorated_pot", "calibrated_sculk_sensor"), _toward),
    **dict.fromkeys(("anvil", "chipped_anvil", "damaged_anvil"), _right),
    **dict.fromkeys(("chest", "trapped_chest"), _chest),
    **dict.fromkeys(
        ("barrel", "dispenser", "dropper", "piston", "sticky_piston", "command_block"), _against_look
    ),
    "observer": _into_look,
    "hopper": _hopper,
    **dict.fromkeys(("end_rod", "lightning_rod", "amethyst_cluster"), _out_of_face),
    **dict.fromkeys(("small_amethyst_bud", "medium_amethyst_bud", "large_amethyst_bud"), _out_of_face),
    "ladder": _ladder,
    "tripwire_hook": _on_some_wall,
    "lever": _attached,
    "grindstone": _attached,
    **dict.fromkeys(("lantern", "soul_lantern"), _lantern),
    "bell": _bell,
    "cocoa": _cocoa,
    **dict.fromkeys(("vine", "glow_lichen", "sculk_vein"), _creeper),
    **dict.fromkeys(("rail", "powered_rail", "detector_rail", "activator_rail"), _rail),
    **dict.fromkeys(("campfire", "soul_campfire"), _campfire),
    "scaffolding": _scaffolding,
    "kelp": _under_water,
    "seagrass": _under_water,
    "pointed_dripstone": _dripstone,
}
_BY_ENDING: tuple[tuple[str, _Rule], ...] = (
    ("_slab", _slab),
    ("_stairs", _stairs),
    ("_trapdoor", _trapdoor),
    ("_door", _door),
    ("_fence_gate", _gate),
    ("_bed", _toward),
    ("_button", _attached),
    ("_leaves", _leaves),
    ("glazed_terracotta", _back),
    ("shulker_box", _out_of_face),
)


@lru_cache(maxsize=1024)
def _rule(name: str) -> _Rule | None:
    if name in _BY_NAME:
        return _BY_NAME[name]
    for ending, rule in _BY_ENDING:
        if name.endswith(ending):
            return rule
    has_axis = any(key == "axis" for key, _ in GAME.block(name).properties)
    return _axis if has_axis and name != "nether_portal" else None


# -- second cells -------------------------------------------------------------------------------------------


def _others(use: _Use, state: int) -> tuple[tuple[Pos, int], ...] | None:
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
