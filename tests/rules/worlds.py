"""Small worlds for the rules: a floor, and cells set by name."""

from __future__ import annotations

from collections.abc import Callable

from numen.rules.physics import Inputs, PlayerState, step
from protocol.game import GAME

#: What a player standing still carries: one tick of gravity that the ground stopped.
STANDING_VY = -0.0784000015258789

Cell = tuple[int, int, int]


class Yard:
    """An endless floor whose top is at `top`, with single cells changed."""

    def __init__(self, floor: str | int | None = "stone", top: int = 0, fill: str | None = None) -> None:
        self.top = top
        self.floor = _state(floor)
        self.fill = _state(fill)
        self.cells: dict[Cell, int] = {}

    def set(self, cell: Cell, block: str | int, **properties: str) -> Yard:
        self.cells[cell] = GAME.state(block, **properties) if isinstance(block, str) else block
        return self

    def box(self, low: Cell, high: Cell, block: str | int, **properties: str) -> Yard:
        for x in range(low[0], high[0] + 1):
            for y in range(low[1], high[1] + 1):
                for z in range(low[2], high[2] + 1):
                    self.set((x, y, z), block, **properties)
        return self

    def block(self, x: int, y: int, z: int) -> int:
        state = self.cells.get((x, y, z))
        if state is not None:
            return state
        return self.floor if y < self.top else self.fill


def _state(block: str | int | None) -> int:
    if block is None:
        return 0
    return GAME.block(block).default_state if isinstance(block, str) else block


def standing(x: float = 0.5, y: float = 0.0, z: float = 0.5, **changes: object) -> PlayerState:
    """A player at rest on the ground."""
    state = PlayerState(x=x, y=y, z=z, vy=STANDING_VY, on_ground=True)
    for name, value in changes.items():
        setattr(state, name, value)
    return state


def run(
    state: PlayerState,
    inputs: Inputs | Callable[[int], Inputs],
    view: Yard,
    ticks: int,
) -> list[PlayerState]:
    """The states after tick 1, 2, … `ticks`; `inputs` may depend on the tick's number, counted from 1."""
    states = []
    for tick in range(1, ticks + 1):
        state = step(state, inputs(tick) if callable(inputs) else inputs, view)
        states.append(state)
    return states
