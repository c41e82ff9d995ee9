"""What is done on the way besides walking: digging a cell free, setting a block, opening a door.

Each of these is an act of the hands; here are only the stance and the moment for it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from numen.body import sight
from numen.body.acts import ActFailed, next_tick, until
from numen.body.containers import use_block
from numen.body.digging import dig
from numen.body.inventory import hold_slot
from numen.body.path import flags
from numen.body.path.context import SPENDABLE
from numen.body.path.frame import Cell
from numen.body.path.route import Step
from numen.body.placing import place
from numen.body.reach import describe, face_block
from numen.rules import blocks
from numen.world.inventory import CARRIED

if TYPE_CHECKING:
    from numen.body.body import Body

#: Sand may run down into a dug cell this often before it is given up.
_RUNS: Final = 12
_FALL_TICKS: Final = 12
_HALT_TICKS: Final = 12
_STILL: Final = 0.02
#: How far over an edge a sneaking body leans to see the side of the block it stands on, and for how long it
#: tries.
_LEAN: Final = 0.22
_LEAN_TICKS: Final = 40
#: From a jump until the feet are a whole block up.
_JUMP_TICKS: Final = 8
_JUMP_TRIES: Final = 3
_DOOR_TICKS: Final = 20
_HALF: Final = 0.3


def is_clear(body: Body, cell: Cell) -> bool:
    """Whether a body can be in a cell."""
    state = body.block(*cell)
    return sight.known(state) and bool(int(flags.tables().walking[state]) & flags.CLEAR)


def carries(body: Body, cell: Cell) -> bool:
    """Whether the block in a cell carries a body above it."""
    state = body.block(*cell)
    return sight.known(state) and bool(int(flags.tables().walking[state]) & flags.FLOOR)


async def halt(body: Body) -> None:
    """Come to a stand: whoever digs or places needs a steady look."""
    body.controls.release()
    await until(lambda: _speed(body) < _STILL, _HALT_TICKS)


def _speed(body: Body) -> float:
    state = body.state
    return 0.0 if state is None else math.hypot(state.vx, state.vz)


async def dig_free(body: Body, cell: Cell) -> int:
    """Dig a cell until a body can be in it; how many blocks that took. Raises ActFailed."""
    dug = 0
    while not is_clear(body, cell):
        if dug == _RUNS:
            raise ActFailed(f"Something keeps falling into {describe(cell)}.", "blocked")
        await halt(body)
        await dig(body, cell, force=True)
        dug += 1
        above = (cell[0], cell[1] + 1, cell[2])
        if blocks.is_falling(body.block(*above)):
            await until(lambda: not is_clear(body, cell), _FALL_TICKS)
    return dug


async def set_block(body: Body, cell: Cell) -> None:
    """Set one of the blocks it can spare into a cell. Raises ActFailed."""
    await place(body, _spare(body), cell)


async def take_spare_in_hand(body: Body) -> None:
    """Hold a block that can be spared, so that it can be set without delay. Raises ActFailed."""
    name = _spare(body)
    for slot in CARRIED:
        stack = body.world.inventory[slot]
        if stack is not None and stack.name == name:
            await hold_slot(body, slot)
            return


def _spare(body: Body) -> str:
    inventory = body.world.inventory
    carried = {stack.name for slot in CARRIED if (stack := inventory[slot]) is not None}
    held = inventory.held
    if held is not None and held.name in SPENDABLE:
        return held.name
    for name in SPENDABLE:
        if name in carried:
            return name
    raise ActFailed("I have no block left that I could spare for the way.", "no_material")


async def bridge(body: Body, step: Step) -> None:
    """Set the block in front of and below the feet, leaning over the edge. Raises ActFailed."""
    assert step.place is not None
    await take_spare_in_hand(body)
    controls = body.controls
    hx, hz = step.heading
    try:
        controls.release()
        controls.sneak = True
        await next_tick()
        for _ in range(_LEAN_TICKS):
            x, _, z = body.position
            past = (x - step.src[0] - 0.5) * hx + (z - step.src[2] - 0.5) * hz - 0.5
            aside_x, aside_z = step.src[0] + 0.5 - x, step.src[2] + 0.5 - z
            controls.sneak = True
            if past >= _LEAN:
                break
            # lean out along the middle of the block
            tx = x + hx if hx else x + aside_x
            tz = z + hz if hz else z + aside_z
            controls.turn(math.degrees(math.atan2(x - tx, tz - z)), 60.0)
            controls.forward = 1.0
            await next_tick()
        controls.forward = 0.0
        await until(lambda: _speed(body) < _STILL, _HALT_TICKS)
        controls.sneak = True
        await place(body, _spare(body), step.place)
    finally:
        controls.forward = 0.0
        controls.sneak = False


async def pillar(body: Body, step: Step) -> None:
    """Jump and set a block under the feet. Raises ActFailed."""
    assert step.place is not None
    await take_spare_in_hand(body)
    await halt(body)
    controls = body.controls
    floor = step.src[1]
    for tries in range(_JUMP_TRIES):
        controls.turn(controls.yaw, 90.0)
        await until(lambda: _on_ground(body), _HALT_TICKS)
        try:
            controls.jump = True
            await until(lambda: body.position[1] >= floor + 1.0, _JUMP_TICKS)
        finally:
            controls.jump = False
        if body.position[1] < floor + 1.0:
            continue
        try:
            await place(body, _spare(body), step.place)
        except ActFailed:
            if tries == _JUMP_TRIES - 1:
                raise
            continue
        await until(lambda: _on_ground(body), _HALT_TICKS)
        return
    raise ActFailed(f"I can't jump at {describe(step.src)} to set a block under me.", "blocked")


def _on_ground(body: Body) -> bool:
    return body.state is not None and body.state.on_ground


async def open_doors(body: Body, step: Step) -> None:
    """Open (or shut) the doors and gates that stand in the way of a step. Raises ActFailed when one won't."""
    for cell in _door_cells(step):
        if not _stands_in_the_way(body, cell, step):
            continue
        await halt(body)
        before = body.block(*cell)
        hit = await face_block(body, cell)
        sequence = use_block(body, hit)
        moved = await _changes(body, cell, before)
        name = sight.block_name(before)
        if not moved or _stands_in_the_way(body, cell, step):
            answered = body.prediction.settled >= sequence
            word = "stays shut" if answered else "didn't answer"
            raise ActFailed(f"The {name} at {describe(cell)} {word}.", "refused")


async def _changes(body: Body, cell: Cell, before: int) -> bool:
    return await until(lambda: body.world.block(*cell) != before, _DOOR_TICKS)


def _door_cells(step: Step) -> list[Cell]:
    cells = []
    for x, y, z in (step.src, step.dst):
        for up in (0, 1, 2):
            cells.append((x, y + up, z))
    return cells


def _stands_in_the_way(body: Body, cell: Cell, step: Step) -> bool:
    """Whether a door or gate in `cell` collides with a body that takes the step."""
    state = body.block(*cell)
    if not sight.known(state) or not int(flags.tables().walking[state]) & flags.DOOR:
        return False
    low = min(step.src[1], step.dst[1])
    x0, x1 = sorted((step.src[0] + 0.5, step.dst[0] + 0.5))
    z0, z1 = sorted((step.src[2] + 0.5, step.dst[2] + 0.5))
    way = (x0 - _HALF, low + 0.1, z0 - _HALF, x1 + _HALF, max(step.src[1], step.dst[1]) + 1.8, z1 + _HALF)
    return any(sight.boxes_meet(way, box) for box in sight.boxes_at(state, cell))


def door_in_the_way(body: Body, step: Step) -> bool:
    """Whether a door or gate has to be opened or shut for a step."""
    return any(_stands_in_the_way(body, cell, step) for cell in _door_cells(step))
