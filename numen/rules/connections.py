"""Blocks whose shape follows from their neighbours: fences, panes, walls, stairs. vanilla 1.21.1."""

from __future__ import annotations

from collections.abc import Callable

from numen.rules.directions import CLOCKWISE, COUNTERCLOCKWISE, HORIZONTAL, OPPOSITE, axis_of, neighbour
from numen.rules.physics.state import BlockView
from numen.rules.shapes import carries_centre, is_sturdy
from numen.rules.states import name_of
from protocol.game import GAME

Pos = tuple[int, int, int]
_Reaches = Callable[[str, int, str], bool]

#: Full blocks that fences and walls don't reach for.
_SHUNNED = frozenset({"barrier", "carved_pumpkin", "jack_o_lantern", "melon", "pumpkin"})


def reshaped(state: int, view: BlockView, pos: Pos) -> int:
    """The state as its neighbours make it; the same for blocks that don't look at them."""
    name = name_of(state)
    if name.endswith("_stairs"):
        return GAME.with_properties(state, shape=_stairs_shape(state, view, pos))
    if name.endswith("_fence"):
        return _joined(state, view, pos, _fence_reaches)
    if _is_pane(name):
        return _joined(state, view, pos, _pane_reaches)
    if name.endswith("_wall"):
        return _wall(state, view, pos)
    return state


def _is_pane(name: str) -> bool:
    return name == "iron_bars" or name.endswith("glass_pane")


def _joined(state: int, view: BlockView, pos: Pos, reaches: _Reaches) -> int:
    name = name_of(state)
    sides = {side: reaches(name, view.block(*neighbour(pos, side)), side) for side in HORIZONTAL}
    return GAME.with_properties(state, **sides)


def _is_shunned(name: str) -> bool:
    return name in _SHUNNED or name.endswith(("_leaves", "shulker_box"))


def _gate_crosses(name: str, state: int, side: str) -> bool:
    # A gate joins what stands at its ends.
    if not name.endswith("_fence_gate"):
        return False
    return axis_of(GAME.properties(state)["facing"]) == axis_of(CLOCKWISE[side])


def _fence_reaches(own: str, state: int, side: str) -> bool:
    name = name_of(state)
    if name.endswith("_fence") and (name == "nether_brick_fence") == (own == "nether_brick_fence"):
        return True
    if _gate_crosses(name, state, side):
        return True
    return not _is_shunned(name) and is_sturdy(state, OPPOSITE[side])


def _pane_reaches(own: str, state: int, side: str) -> bool:
    name = name_of(state)
    if _is_pane(name) or name.endswith("_wall"):
        return True
    return not _is_shunned(name) and is_sturdy(state, OPPOSITE[side])


def _wall_reaches(own: str, state: int, side: str) -> bool:
    name = name_of(state)
    if _is_pane(name) or name.endswith("_wall") or _gate_crosses(name, state, side):
        return True
    return not _is_shunned(name) and is_sturdy(state, OPPOSITE[side])


def _wall(state: int, view: BlockView, pos: Pos) -> int:
    name = name_of(state)
    above = view.block(*neighbour(pos, "up"))
    above_is_wall = name_of(above).endswith("_wall")
    above_sides = GAME.properties(above) if above_is_wall else {}
    covered = is_sturdy(above, "down")
    sides: dict[str, str] = {}
    for side in HORIZONTAL:
        if _wall_reaches(name, view.block(*neighbour(pos, side)), side):
            sides[side] = "tall" if covered or above_sides.get(side, "none") != "none" else "low"
        else:
            sides[side] = "none"
    return GAME.with_properties(state, up=_has_post(sides, above, above_sides), **sides)


def _has_post(sides: dict[str, str], above: int, above_sides: dict[str, str]) -> bool:
    if above_sides.get("up") == "true":
        return True
    gone = {side: height == "none" for side, height in sides.items()}
    if all(gone.values()) or gone["north"] != gone["south"] or gone["east"] != gone["west"]:
        return True
    for one, other in (("north", "south"), ("east", "west")):
        if sides[one] == sides[other] == "tall":
            return False
    name = name_of(above)
    posts = name.endswith(("torch", "_sign", "_banner", "_pressure_plate")) or name == "tripwire"
    return posts or carries_centre(above, "down")


def _stairs_shape(state: int, view: BlockView, pos: Pos) -> str:
    own = GAME.properties(state)
    facing, half = own["facing"], own["half"]

    def stairs_at(direction: str) -> str | None:
        # Where stairs of the same half on that side face.
        other = view.block(*neighbour(pos, direction))
        if not name_of(other).endswith("_stairs"):
            return None
        properties = GAME.properties(other)
        return properties["facing"] if properties["half"] == half else None

    before = stairs_at(facing)
    if before is not None and axis_of(before) != axis_of(facing) and stairs_at(OPPOSITE[before]) != facing:
        return "outer_left" if before == COUNTERCLOCKWISE[facing] else "outer_right"
    behind = stairs_at(OPPOSITE[facing])
    if behind is not None and axis_of(behind) != axis_of(facing) and stairs_at(behind) != facing:
        return "inner_left" if behind == COUNTERCLOCKWISE[facing] else "inner_right"
    return "straight"
