"""What blocks need around them to stay. vanilla 1.21.1 `canSurvive`, light aside."""

from __future__ import annotations

from collections.abc import Callable

from numen.rules import blocks
from numen.rules.directions import HORIZONTAL, OPPOSITE, neighbour
from numen.rules.physics.state import BlockView
from numen.rules.shapes import carries_centre, carries_rim, is_sturdy
from numen.rules.states import name_of
from protocol.game import GAME

Pos = tuple[int, int, int]
_Rule = Callable[[str, dict[str, str], BlockView, Pos], bool]

DIRT = frozenset(
    {
        "dirt",
        "grass_block",
        "podzol",
        "coarse_dirt",
        "mycelium",
        "rooted_dirt",
        "moss_block",
        "mud",
        "muddy_mangrove_roots",
    }
)
SAND = frozenset({"sand", "red_sand", "suspicious_sand"})
_SOIL = DIRT | {"farmland"}
_NETHER_SOIL = DIRT | {"farmland", "crimson_nylium", "warped_nylium", "soul_soil"}
_TERRACOTTA = "terracotta"


def survives(state: int, view: BlockView, pos: Pos) -> bool:
    """Whether a block state may stand in a cell: it has the ground, wall or ceiling it needs.

    Nothing is asked of blocks that need nothing, and of blocks of mods.
    """
    name = name_of(state)
    rule = _RULES.get(name)
    if rule is None:
        rule = next((each for ending, each in _ENDINGS if name.endswith(ending)), None)
    return rule is None or rule(name, GAME.properties(state), view, pos)


def _below(view: BlockView, pos: Pos) -> int:
    return view.block(pos[0], pos[1] - 1, pos[2])


def _on(*names: str) -> _Rule:
    wanted = frozenset(names)
    return lambda name, properties, view, pos: name_of(_below(view, pos)) in wanted


def _on_centre(name: str, properties: dict[str, str], view: BlockView, pos: Pos) -> bool:
    return carries_centre(_below(view, pos), "up")


def _on_rim(name: str, properties: dict[str, str], view: BlockView, pos: Pos) -> bool:
    return carries_rim(_below(view, pos))


def _on_rim_or_centre(name: str, properties: dict[str, str], view: BlockView, pos: Pos) -> bool:
    below = _below(view, pos)
    return carries_rim(below) or carries_centre(below, "up")


def _on_full_top(name: str, properties: dict[str, str], view: BlockView, pos: Pos) -> bool:
    return is_sturdy(_below(view, pos), "up")


def _on_something(name: str, properties: dict[str, str], view: BlockView, pos: Pos) -> bool:
    return not blocks.is_air(_below(view, pos))


def _on_solid(name: str, properties: dict[str, str], view: BlockView, pos: Pos) -> bool:
    return not blocks.is_passable(_below(view, pos))


def _on_soil(name: str, properties: dict[str, str], view: BlockView, pos: Pos) -> bool:
    if properties.get("half") == "upper":
        below = _below(view, pos)
        return name_of(below) == name and GAME.properties(below)["half"] == "lower"
    return name_of(_below(view, pos)) in _SOIL


def _on_desert(name: str, properties: dict[str, str], view: BlockView, pos: Pos) -> bool:
    below = name_of(_below(view, pos))
    return below in SAND or below in _SOIL or below.endswith(_TERRACOTTA)


def _on_nether_soil(name: str, properties: dict[str, str], view: BlockView, pos: Pos) -> bool:
    return name_of(_below(view, pos)) in _NETHER_SOIL


def _mushroom(name: str, properties: dict[str, str], view: BlockView, pos: Pos) -> bool:
    below = _below(view, pos)
    return blocks.is_full_cube(below) or name_of(below) in ("mycelium", "podzol")


def _cane(name: str, properties: dict[str, str], view: BlockView, pos: Pos) -> bool:
    below = name_of(_below(view, pos))
    if below == "sugar_cane":
        return True
    if below not in DIRT and below not in SAND:
        return False
    beside = (neighbour((pos[0], pos[1] - 1, pos[2]), side) for side in HORIZONTAL)
    return any(_moistens(view.block(*cell)) for cell in beside)


def _moistens(state: int) -> bool:
    return blocks.is_water(state) or name_of(state) == "frosted_ice"


def _cactus(name: str, properties: dict[str, str], view: BlockView, pos: Pos) -> bool:
    for side in HORIZONTAL:
        beside = view.block(*neighbour(pos, side))
        if not blocks.is_passable(beside) or blocks.is_lava(beside):
            return False
    below = name_of(_below(view, pos))
    return (below == "cactus" or below in SAND) and not blocks.is_liquid(
        view.block(pos[0], pos[1] + 1, pos[2])
    )


def _bamboo(name: str, properties: dict[str, str], view: BlockView, pos: Pos) -> bool:
    below = name_of(_below(view, pos))
    return (
        below in DIRT or below in SAND or below in ("bamboo", "bamboo_sapling", "gravel", "suspicious_gravel")
    )


def _lily_pad(name: str, properties: dict[str, str], view: BlockView, pos: Pos) -> bool:
    below = _below(view, pos)
    still = name_of(below) == "water" and GAME.properties(below)["level"] == "0"
    return still or name_of(below) in ("ice", "frosted_ice")


def _in_water(name: str, properties: dict[str, str], view: BlockView, pos: Pos) -> bool:
    below = _below(view, pos)
    return (is_sturdy(below, "up") and name_of(below) != "magma_block") or name_of(below).startswith("kelp")


def _snow(name: str, properties: dict[str, str], view: BlockView, pos: Pos) -> bool:
    below = _below(view, pos)
    if name_of(below) in ("ice", "packed_ice", "barrier"):
        return False
    return name_of(below) in ("honey_block", "soul_sand", "mud") or is_sturdy(below, "up")


def _door(name: str, properties: dict[str, str], view: BlockView, pos: Pos) -> bool:
    below = _below(view, pos)
    return is_sturdy(below, "up") if properties["half"] == "lower" else name_of(below) == name


def _on_wall(name: str, properties: dict[str, str], view: BlockView, pos: Pos) -> bool:
    facing = properties["facing"]
    return is_sturdy(view.block(*neighbour(pos, OPPOSITE[facing])), facing)


def _by_wall(name: str, properties: dict[str, str], view: BlockView, pos: Pos) -> bool:
    return not blocks.is_passable(view.block(*neighbour(pos, OPPOSITE[properties["facing"]])))


def _attached(name: str, properties: dict[str, str], view: BlockView, pos: Pos) -> bool:
    """Levers, buttons: to floor, ceiling or wall."""
    side = attached_side(properties)
    return is_sturdy(view.block(*neighbour(pos, side)), OPPOSITE[side])


def attached_side(properties: dict[str, str]) -> str:
    """The direction in which a lever or button is fixed."""
    return {"floor": "down", "ceiling": "up"}.get(properties["face"], OPPOSITE[properties["facing"]])


def _lantern(name: str, properties: dict[str, str], view: BlockView, pos: Pos) -> bool:
    side = "up" if properties["hanging"] == "true" else "down"
    return carries_centre(view.block(*neighbour(pos, side)), OPPOSITE[side])


def _bell(name: str, properties: dict[str, str], view: BlockView, pos: Pos) -> bool:
    match properties["attachment"]:
        case "floor":
            return is_sturdy(_below(view, pos), "up")
        case "ceiling":
            return carries_centre(view.block(pos[0], pos[1] + 1, pos[2]), "down")
    facing = properties["facing"]
    return is_sturdy(view.block(*neighbour(pos, facing)), OPPOSITE[facing])


def _cocoa(name: str, properties: dict[str, str], view: BlockView, pos: Pos) -> bool:
    beside = name_of(view.block(*neighbour(pos, properties["facing"])))
    return beside.removeprefix("stripped_") in ("jungle_log", "jungle_wood")


def _vine(name: str, properties: dict[str, str], view: BlockView, pos: Pos) -> bool:
    above = view.block(pos[0], pos[1] + 1, pos[2])
    for side in (*HORIZONTAL, "up"):
        if properties[side] == "true":
            hung = side != "up" and name_of(above) == "vine" and GAME.properties(above)[side] == "true"
            if hung or is_sturdy(view.block(*neighbour(pos, side)), OPPOSITE[side]):
                return True
    return False


def _lichen(name: str, properties: dict[str, str], view: BlockView, pos: Pos) -> bool:
    sides = [side for side in OPPOSITE if properties.get(side) == "true"]
    return any(is_sturdy(view.block(*neighbour(pos, side)), OPPOSITE[side]) for side in sides)


def _hanging_sign(name: str, properties: dict[str, str], view: BlockView, pos: Pos) -> bool:
    above = view.block(pos[0], pos[1] + 1, pos[2])
    return is_sturdy(above, "down") or carries_centre(above, "down")


def _dripstone(name: str, properties: dict[str, str], view: BlockView, pos: Pos) -> bool:
    tip = properties["vertical_direction"]
    root = view.block(*neighbour(pos, OPPOSITE[tip]))
    same = name_of(root) == name and GAME.properties(root)["vertical_direction"] == tip
    return same or is_sturdy(root, tip)


def _hangs_below(*names: str) -> _Rule:
    wanted = frozenset(names)

    def rule(name: str, properties: dict[str, str], view: BlockView, pos: Pos) -> bool:
        above = view.block(pos[0], pos[1] + 1, pos[2])
        return name_of(above) in wanted or is_sturdy(above, "down")

    return rule


def _stands_on(*names: str) -> _Rule:
    wanted = frozenset(names)

    def rule(name: str, properties: dict[str, str], view: BlockView, pos: Pos) -> bool:
        below = _below(view, pos)
        return name_of(below) in wanted or is_sturdy(below, "up")

    return rule


_FLOWERS = (
    *("dandelion", "poppy", "blue_orchid", "allium", "azure_bluet", "red_tulip", "orange_tulip"),
    *("white_tulip", "pink_tulip", "oxeye_daisy", "cornflower", "lily_of_the_valley", "torchflower"),
    *("short_grass", "fern", "tall_grass", "large_fern", "sunflower", "lilac", "rose_bush", "peony"),
    *("pink_petals", "sweet_berry_bush", "pitcher_plant"),
)
_RULES: dict[str, _Rule] = {
    **dict.fromkeys(_FLOWERS, _on_soil),
    **dict.fromkeys(("torch", "soul_torch", "redstone_torch"), _on_centre),
    **dict.fromkeys(
        ("wall_torch", "soul_wall_torch", "redstone_wall_torch", "ladder", "tripwire_hook"), _on_wall
    ),
    **dict.fromkeys(
        ("wheat", "carrots", "potatoes", "beetroots", "torchflower_crop", "melon_stem", "pumpkin_stem"),
        _on("farmland"),
    ),
    "nether_wart": _on("soul_sand"),
    "azalea": lambda *a: _on_soil(*a) or _on("clay")(*a),
    "flowering_azalea": lambda *a: _on_soil(*a) or _on("clay")(*a),
    "mangrove_propagule": lambda *a: a[1]["hanging"] == "true" or _on_soil(*a) or _on("clay")(*a),
    "dead_bush": _on_desert,
    "wither_rose": lambda *a: _on_soil(*a) or _on("netherrack", "soul_sand", "soul_soil")(*a),
    **dict.fromkeys(
        ("crimson_roots", "warped_roots", "nether_sprouts", "crimson_fungus", "warped_fungus"),
        _on_nether_soil,
    ),
    "brown_mushroom": _mushroom,
    "red_mushroom": _mushroom,
    "sugar_cane": _cane,
    "cactus": _cactus,
    "bamboo": _bamboo,
    "bamboo_sapling": _bamboo,
    "lily_pad": _lily_pad,
    "kelp": _in_water,
    "seagrass": _in_water,
    "snow": _snow,
    **dict.fromkeys(("rail", "powered_rail", "detector_rail", "activator_rail"), _on_rim),
    "redstone_wire": lambda *a: _on_full_top(*a) or name_of(_below(a[2], a[3])) == "hopper",
    "repeater": _on_rim,
    "comparator": _on_rim,
    "lever": _attached,
    "lantern": _lantern,
    "soul_lantern": _lantern,
    "bell": _bell,
    "cake": _on_solid,
    "cocoa": _cocoa,
    "vine": _vine,
    "glow_lichen": _lichen,
    "sculk_vein": _lichen,
    "pointed_dripstone": _dripstone,
    "weeping_vines": _hangs_below("weeping_vines", "weeping_vines_plant"),
    "cave_vines": _hangs_below("cave_vines", "cave_vines_plant"),
    "twisting_vines": _stands_on("twisting_vines", "twisting_vines_plant"),
    "hanging_roots": _hangs_below(),
    "spore_blossom": _hangs_below(),
    "sea_pickle": _on_something,
}
#: By the end of a name, for what exists in many woods and colours; looked through in order.
_ENDINGS: tuple[tuple[str, _Rule], ...] = (
    ("_sapling", _on_soil),
    ("_trapdoor", lambda *a: True),
    ("_door", _door),
    ("_carpet", _on_something),
    ("_pressure_plate", _on_rim_or_centre),
    ("_button", _attached),
    ("_wall_hanging_sign", lambda *a: True),
    ("_hanging_sign", _hanging_sign),
    ("_wall_sign", _by_wall),
    ("_wall_banner", _by_wall),
    ("_sign", _on_solid),
    ("_banner", _on_solid),
    ("candle_cake", _on_solid),
    ("candle", _on_centre),
)
