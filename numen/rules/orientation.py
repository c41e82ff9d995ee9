"""Which way a block is turned when it is placed: one rule a kind of block. vanilla 1.21.1
`getStateForPlacement`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import floor

from numen.rules import blocks
from numen.rules.directions import (
    CLOCKWISE,
    COUNTERCLOCKWISE,
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
from protocol.game import GAME, Block

Pos = tuple[int, int, int]
Properties = dict[str, str]


@dataclass(frozen=True)
class Use:
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
        """The horizontal direction looked into."""
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
        """The state of the cell next to the one that is filled."""
        return self.view.block(*neighbour(self.pos, direction))

    def fits(self, name: str, **properties: str) -> bool:
        """Whether a block of these properties would stay there."""
        return survives(GAME.state(name, **properties), self.view, self.pos)


def state_for(use: Use, old: int) -> int | None:
    """The state in the stead of `old`, before neighbours shape it; None when it can't be placed so."""
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


def _grown(use: Use) -> str:
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


def _standing_or_wall(use: Use, wall: str) -> int | None:
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


def _across(wall: str, direction: str, use: Use) -> Properties:
    if wall.endswith("wall_hanging_sign"):
        # It hangs across the direction of the wall, turned to the player.
        return {
            "facing": OPPOSITE[use.heading]
            if axis_of(use.heading) != axis_of(direction)
            else CLOCKWISE[direction]
        }
    return {"facing": OPPOSITE[direction]}


def _turned(use: Use) -> Properties:
    """Sixteenths of a turn, for what stands or hangs freely."""
    if "rotation" not in dict(use.block.properties):
        return {}
    yaw = use.yaw if use.name.endswith(("_skull", "_head")) else use.yaw + 180.0
    return {"rotation": str(floor(yaw / 22.5 + 0.5) & 15)}


_Rule = Callable[[Use], "Properties | None"]


def _toward(use: Use) -> Properties:
    return {"facing": use.heading}


def _back(use: Use) -> Properties:
    return {"facing": OPPOSITE[use.heading]}


def _right(use: Use) -> Properties:
    return {"facing": CLOCKWISE[use.heading]}


def _out_of_face(use: Use) -> Properties:
    return {"facing": use.face}


def _axis(use: Use) -> Properties:
    return {"axis": axis_of(use.face)}


def _into_look(use: Use) -> Properties:
    return {"facing": looking(use.yaw, use.pitch)[0]}


def _against_look(use: Use) -> Properties:
    return {"facing": OPPOSITE[looking(use.yaw, use.pitch)[0]]}


def _hopper(use: Use) -> Properties:
    return {"facing": "down" if use.face in ("up", "down") else OPPOSITE[use.face]}


def _upper(use: Use) -> bool:
    return use.face == "down" or (use.face != "up" and use.point[1] > 0.5)


def _slab(use: Use) -> Properties:
    return {"type": "top" if _upper(use) else "bottom"}


def _stairs(use: Use) -> Properties:
    return {"facing": use.heading, "half": "top" if _upper(use) else "bottom"}


def _trapdoor(use: Use) -> Properties:
    if not use.replaces and use.face in HORIZONTAL:
        return {"facing": use.face, "half": "top" if use.point[1] > 0.5 else "bottom"}
    return {"facing": OPPOSITE[use.heading], "half": "bottom" if use.face == "up" else "top"}


def _door(use: Use) -> Properties:
    return {"facing": use.heading, "half": "lower", "hinge": _hinge(use)}


def _hinge(use: Use) -> str:
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


def _gate(use: Use) -> Properties:
    sides = (COUNTERCLOCKWISE[use.heading], CLOCKWISE[use.heading])
    in_wall = any(name_of(use.beside(side)).endswith("_wall") for side in sides)
    return {"facing": use.heading, "in_wall": str(in_wall).lower()}


def _on_some_wall(use: Use) -> Properties | None:
    """Ladders, tripwire hooks."""
    for direction in use.looks:
        if direction in HORIZONTAL and use.fits(use.name, facing=OPPOSITE[direction]):
            return {"facing": OPPOSITE[direction]}
    return None


def _ladder(use: Use) -> Properties | None:
    if not use.replaces:
        clicked = use.beside(OPPOSITE[use.face])
        if name_of(clicked) == "ladder" and GAME.properties(clicked)["facing"] == use.face:
            return None
    return _on_some_wall(use)


def _attached(use: Use) -> Properties | None:
    """Levers, buttons, grindstones: on floor, ceiling or wall."""
    for direction in use.looks:
        if direction in HORIZONTAL:
            properties = {"face": "wall", "facing": OPPOSITE[direction]}
        else:
            properties = {"face": "ceiling" if direction == "up" else "floor", "facing": use.heading}
        if use.fits(use.name, **properties):
            return properties
    return None


def _lantern(use: Use) -> Properties | None:
    for direction in use.looks:
        if direction in ("up", "down"):
            properties = {"hanging": str(direction == "up").lower()}
            if use.fits(use.name, **properties):
                return properties
    return None


def _bell(use: Use) -> Properties | None:
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


def _cocoa(use: Use) -> Properties | None:
    for direction in use.looks:
        if direction in HORIZONTAL and use.fits("cocoa", facing=direction):
            return {"facing": direction}
    return None


def _creeper(use: Use) -> Properties | None:
    """Vines and lichen cling to the first side that carries them."""
    for direction in use.looks:
        known = any(key == direction for key, _ in use.block.properties)
        if known and use.fits(use.name, **{direction: "true"}):
            return {direction: "true"}
    return None


def _rail(use: Use) -> Properties:
    return {"shape": "east_west" if axis_of(use.heading) == "x" else "north_south"}


def _leaves(use: Use) -> Properties:
    distance = 7
    for direction in OPPOSITE:
        beside = use.beside(direction)
        name = name_of(beside)
        if name.endswith(("_log", "_wood", "_stem", "_hyphae")) and not name.startswith(("melon", "pumpkin")):
            distance = 1
        elif name.endswith("_leaves"):
            distance = min(distance, int(GAME.properties(beside)["distance"]) + 1)
    return {"persistent": "true", "distance": str(distance)}


def _scaffolding(use: Use) -> Properties:
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


def _dripstone(use: Use) -> Properties | None:
    first = looking(use.yaw, use.pitch)
    tip = "down" if first.index("up") < first.index("down") else "up"
    for direction in (tip, OPPOSITE[tip]):
        if use.fits(use.name, vertical_direction=direction):
            return {"vertical_direction": direction}
    return None


def _under_water(use: Use) -> Properties | None:
    return {} if blocks.is_water(use.view.block(*use.pos)) else None


def _campfire(use: Use) -> Properties:
    wet = blocks.is_water(use.view.block(*use.pos))
    signal = name_of(use.beside("down")) == "hay_block"
    return {"facing": use.heading, "lit": str(not wet).lower(), "signal_fire": str(signal).lower()}


def _chest(use: Use) -> Properties:
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


def _partner(use: Use, direction: str) -> str | None:
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
