"""Placing blocks: find a face to click, choose the look that gives the wanted orientation, and see what came
of it.

The verdict is the server's update of the target cell; an acknowledgement alone says only that the click was
read.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from numen.body import sight
from numen.body.acts import ActFailed, Verdict, next_tick, until
from numen.body.containers import use_block
from numen.body.controls import angles, float32
from numen.body.inventory import hold_slot, item_named, require_item, short
from numen.body.prediction import BlockPos
from numen.body.reach import block_reach, describe
from numen.body.sight import FACE_NORMALS, Hit
from numen.rules import blocks
from numen.rules.placement import Placement
from numen.rules.placement import place as placement_of
from protocol.game import GAME

if TYPE_CHECKING:
    from numen.body.body import Body
    from protocol.game import Item

_ANSWER_TICKS: Final = 60
#: After the acknowledgement, for servers that tell the block a little later.
_LATE_TICKS: Final = 5
_SNEAK_TICKS: Final = 4
#: Entities that don't keep a block out of their cell.
_GHOSTS: Final = frozenset(
    f"minecraft:{name}"
    for name in (
        *("item", "experience_orb", "area_effect_cloud", "marker", "interaction", "block_display"),
        *("item_display", "text_display", "lightning_bolt", "fishing_bobber"),
    )
)
#: Yaw and pitch towards south, west, north, east, down and up.
_TURNED_LOOKS: Final = ((0.0, 0.0), (90.0, 0.0), (180.0, 0.0), (-90.0, 0.0), (0.0, 89.0), (0.0, -89.0))
_SPOTS_A_FACE: Final = 6
_ORIENTATION: Final[tuple[str, ...]] = ("facing", "axis", "half", "type", "rotation")
_NEARBY: Final = 2
_NEARBY_SHOWN: Final = 5


class Click(NamedTuple):
    """One way to place: where to click, how to look, what the rules say comes of it."""

    hit: Hit
    yaw: float
    pitch: float
    placement: Placement


async def place(
    body: Body,
    item_name: str,
    pos: BlockPos,
    *,
    facing: str | None = None,
    axis: str | None = None,
    half: str | None = None,
) -> Verdict:
    """Place the block of `item_name` so that it fills the cell `pos`, from where the body stands.

    `facing`, `axis` and `half` (top, bottom) ask for an orientation. data: block, x, y, z and the properties
    the block really got; a failure lists nearby cells that would do.
    """
    item = item_named(item_name)
    block = GAME.block_for_item(item)
    if block is None:
        raise ActFailed(f"{short(item.name)} is not a block that can be placed.", "bad_target")
    slot = require_item(body, item)
    half_key = "type" if block.name.endswith("_slab") else "half"
    wish = {key: value for key, value in (("facing", facing), ("axis", axis), (half_key, half)) if value}
    await _check_cell(body, item, pos)
    click = await _choose(body, item, pos, wish)
    await hold_slot(body, slot)
    sneak = blocks.is_usable(body.block(*click.hit.pos))
    try:
        if sneak:
            body.controls.sneak = True
            await until(lambda: body.sender.sneaking, _SNEAK_TICKS)
            await next_tick()  # the pose, and with it the eye, follows the key a tick later
            click = await _choose(body, item, pos, wish)
        await _look(body, click)
        before = body.world.block(*pos)
        sequence = use_block(body, click.hit)
        body.guess(pos, click.placement.state, sequence)
        for other, state in click.placement.others:
            body.guess(other, state, sequence)
        state = await _verdict(body, item, pos, before, sequence)
    finally:
        if sneak:
            body.controls.sneak = False
    return _placed(item, pos, state, wish)


def _placed(item: Item, pos: BlockPos, state: int, wish: dict[str, str]) -> Verdict:
    name = sight.block_name(state)
    properties: dict[str, str] = GAME.properties(state) if sight.known(state) else {}
    shown = {key: properties[key] for key in _ORIENTATION if key in properties}
    data: dict[str, Any] = {"block": name, "x": pos[0], "y": pos[1], "z": pos[2]}
    data.update(shown)
    orientation = ", ".join(f"{key} {value}" for key, value in shown.items())
    message = f"Placed {name} at {describe(pos)}" + (f" ({orientation})." if orientation else ".")
    missed = {key: value for key, value in wish.items() if properties.get(key) != value}
    lacking = [key for key in missed if key not in properties]
    if lacking:
        message += f" It has no {' or '.join(lacking)}."
    elif missed:
        asked = ", ".join(f"{key} {value}" for key, value in missed.items())
        message += f" It could not get {asked} from here; stand on another side for that."
    return Verdict(True, message, data)


async def _look(body: Body, click: Click) -> None:
    body.controls.turn(click.yaw, click.pitch)
    for _ in range(2):
        if body.look_sent():
            return
        await next_tick()


async def _verdict(body: Body, item: Item, pos: BlockPos, before: int, sequence: int) -> int:
    """The state the server put into the cell. Raises ActFailed when it put nothing there."""

    def changed() -> bool:
        return body.world.block(*pos) != before

    answered = await until(lambda: changed() or body.prediction.settled >= sequence, _ANSWER_TICKS)
    if changed() or (answered and await until(changed, _LATE_TICKS)):
        state = body.world.block(*pos)
        if sight.is_air(state):
            raise ActFailed(f"The block at {describe(pos)} was gone again at once.", "refused")
        return state
    if not answered:
        raise ActFailed(
            f"The server didn't say whether {short(item.name)} stands at {describe(pos)}; look again later.",
            "no_answer",
        )
    raise ActFailed(
        f"The server refused {short(item.name)} at {describe(pos)}; the place may be protected, or the block "
        "needs another ground.",
        "refused",
        {"nearby": await _nearby(body, item, pos)},
    )


async def _check_cell(body: Body, item: Item, pos: BlockPos) -> None:
    """Raises ActFailed when the cell can't take a block."""
    where = describe(pos)
    there = body.block(*pos)
    if there < 0:
        raise ActFailed(f"The chunk of {where} is not loaded; go nearer.", "out_of_reach")
    if not _free(body, item, pos):
        raise ActFailed(
            f"{where} is occupied by {sight.block_name(there)}; remove it or choose another cell.",
            "occupied",
            {"occupied_by": sight.block_name(there), "nearby": await _nearby(body, item, pos)},
        )
    in_the_way = _occupant(body, item, pos)
    if in_the_way:
        raise ActFailed(
            f"{in_the_way} stands in {where}; the cell has to be clear of bodies.",
            "occupied",
            {"occupied_by": in_the_way, "nearby": await _nearby(body, item, pos)},
        )


def _free(body: Body, item: Item, pos: BlockPos) -> bool:
    """Whether a block may be put in the stead of what is in the cell: nothing, grass, a fluid, one of its
    own kind (slabs, candles and snow join)."""
    there = body.block(*pos)
    if blocks.is_replaceable(there):
        return True
    block = GAME.block_for_item(item)
    return block is not None and sight.known(there) and GAME.block_of(there) is block


def _occupant(body: Body, item: Item, pos: BlockPos) -> str:
    """Who keeps the block out of the cell, "" when nobody does."""
    block = GAME.block_for_item(item)
    if block is None or not block.solid:
        return ""
    boxes = sight.boxes_at(block.default_state, pos)
    state = body.state
    if state is not None and any(sight.boxes_meet(box, state.box) for box in boxes):
        return "The body itself"
    for entity in body.world.entities.near(pos[0] + 0.5, pos[1] + 0.5, pos[2] + 0.5, 4.0):
        if entity.kind in _GHOSTS or entity.category == "projectile" or not entity.alive:
            continue
        if any(sight.boxes_meet(box, entity.box()) for box in boxes):
            return entity.name or f"A {short(entity.kind)}"
    return ""


async def _choose(body: Body, item: Item, pos: BlockPos, wish: dict[str, str]) -> Click:
    """The click that gives the wanted orientation, else the nearest thing to it. Raises ActFailed for
    none."""
    best: tuple[int, Click] | None = None
    for click in _clicks(body, item, pos, turned=bool(wish)):
        properties = GAME.properties(click.placement.state)
        missed = sum(properties.get(key, value) != value for key, value in wish.items())
        if missed == 0:
            return click
        if best is None or missed < best[0]:
            best = missed, click
    if best is not None:
        return best[1]
    nearby = await _nearby(body, item, pos)
    cells = ", ".join(describe((each["x"], each["y"], each["z"])) for each in nearby)
    hint = f" From here these cells would do: {cells}." if nearby else " Go nearer or to another side."
    if next(_hits(body, pos), None) is not None:
        raise ActFailed(
            f"{short(item.name)} can't stand at {describe(pos)}: the blocks around don't carry it.{hint}",
            "unsupported",
            {"nearby": nearby},
        )
    raise ActFailed(
        f"No block beside {describe(pos)} has a side that can be clicked from here.{hint}",
        "occluded",
        {"nearby": nearby},
    )


def _clicks(body: Body, item: Item, pos: BlockPos, *, turned: bool) -> Iterator[Click]:
    """Ways to place at `pos`: first looking at the point, then (with `turned`) looking elsewhere, as the
    server takes the orientation from the look and the place from the click."""
    hits = list(_hits(body, pos))
    eye = body.eye
    for hit in hits:
        yaw, pitch = angles(eye, hit.point)
        click = _click(body, item, pos, hit, yaw, pitch)
        if click is not None:
            yield click
    if turned:
        for hit in hits:
            for yaw, pitch in _TURNED_LOOKS:
                click = _click(body, item, pos, hit, yaw, pitch)
                if click is not None:
                    yield click


def _click(body: Body, item: Item, pos: BlockPos, hit: Hit, yaw: float, pitch: float) -> Click | None:
    """The click, if it puts the block into `pos`."""
    x, y, z = hit.pos
    cursor = (hit.point[0] - x, hit.point[1] - y, hit.point[2] - z)
    placement = placement_of(
        item, hit.pos, hit.face, cursor, float32(yaw), float32(pitch), body, sneaking=body.sender.sneaking
    )
    if placement is None or placement.pos != pos:
        return None
    return Click(hit, yaw, pitch, placement)


def _hits(body: Body, pos: BlockPos) -> Iterator[Hit]:
    """Points on neighbouring blocks that, clicked, put a block into `pos`."""
    reach = block_reach(body)
    eye = body.eye
    there = body.block(*pos)
    if not blocks.is_replaceable(there):  # one of its own kind: click the block itself
        yield from sight.spots_on(body, eye, pos, reach)
    for face, normal in enumerate(FACE_NORMALS):
        neighbour = (pos[0] - normal[0], pos[1] - normal[1], pos[2] - normal[2])
        state = body.block(*neighbour)
        if blocks.is_replaceable(state) or not sight.aim_boxes(state):
            continue
        yield from islice(sight.spots_on(body, eye, neighbour, reach, face), _SPOTS_A_FACE)


async def _nearby(body: Body, item: Item, pos: BlockPos) -> list[dict[str, int]]:
    """Cells around `pos` where the block could be placed from here, nearest first."""
    return await body.think(_search_nearby(body, item, pos))


def _search_nearby(body: Body, item: Item, pos: BlockPos) -> Generator[None, None, list[dict[str, int]]]:
    span = range(-_NEARBY, _NEARBY + 1)
    cells = sorted(
        (
            (pos[0] + dx, pos[1] + dy, pos[2] + dz)
            for dx in span
            for dy in span
            for dz in span
            if dx or dy or dz
        ),
        key=lambda cell: math.dist(cell, pos),
    )
    found: list[dict[str, int]] = []
    for cell in cells:
        yield
        if not blocks.is_replaceable(body.block(*cell)) or _occupant(body, item, cell):
            continue
        if next(_clicks(body, item, cell, turned=False), None) is not None:
            found.append({"x": cell[0], "y": cell[1], "z": cell[2]})
            if len(found) == _NEARBY_SHOWN:
                break
    return found
