"""Trying a step in the mind: the real physics on a copy of the body, before a foot is set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from numen.body.path.context import SAFE_DROP
from numen.body.path.drive import Ahead, Gait, drive
from numen.body.path.frame import Cell
from numen.body.path.route import Step
from numen.rules.physics import BlockView, PlayerState, step

#: Ticks looked ahead.
_TICKS: Final = 60


def choose(
    state: PlayerState, move: Step, ahead: Ahead, gaits: Sequence[Gait], view: BlockView
) -> Gait | None:
    """The first gait with which the body ends up in the cell of the step (or in that of the next, when it may
    run on), unhurt. None when none does."""
    for gait in gaits:
        if lands(state, move, ahead, gait, view):
            return gait
    return None


def lands(state: PlayerState, move: Step, ahead: Ahead, gait: Gait, view: BlockView) -> bool:
    """Whether the body comes to stand where the step leads."""
    good = {move.dst}
    if not gait.halts:
        good.update(other.dst for other in ahead.straight)
        if ahead.through(move) and ahead.after is not None:
            good.add(ahead.after.dst)
    # off a low edge it doesn't matter much on which of two neighbouring cells one lands
    forgiving = move.rise == -1
    lowest = min(cell[1] for cell in good)
    near = _between(move.src, move.dst)
    for _ in range(_TICKS):
        keys = drive(state, move, ahead, gait)
        state = state.copy()
        state.yaw = keys.yaw
        state = step(state, keys.inputs, view)
        if state.in_lava or state.landed_from > SAFE_DROP:
            return False
        cell = cell_of(state)
        if state.on_ground or state.in_water:
            if cell in good or (forgiving and cell[1] < move.src[1] and _is_beside(cell, good)):
                return True
            if cell[1] < lowest or (cell[0], cell[2]) not in near:
                return False
        if state.y < lowest - 1:
            return False
    return False


def _is_beside(cell: Cell, others: set[Cell]) -> bool:
    x, y, z = cell
    return any(abs(x - ox) <= 1 and y == oy and abs(z - oz) <= 1 for ox, oy, oz in others)


def cell_of(state: PlayerState) -> Cell:
    """The cell the feet are in."""
    return int(state.x // 1), int((state.y + 0.001) // 1), int(state.z // 1)


def _between(a: Cell, b: Cell) -> set[tuple[int, int]]:
    """Columns from one cell to another along a straight or diagonal line, and those it brushes."""
    x0, x1 = sorted((a[0], b[0]))
    z0, z1 = sorted((a[2], b[2]))
    return {(x, z) for x in range(x0, x1 + 1) for z in range(z0, z1 + 1)}
