"""Names and properties of block states, for tables and for states that no table has."""

from __future__ import annotations

from functools import cache

from protocol.game import GAME, Block


@cache
def _names() -> tuple[str, ...]:
    return tuple(
        name
        for block in GAME.blocks
        for name in [block.name.removeprefix("minecraft:")] * (block.max_state - block.min_state + 1)
    )


def name_of(state: int) -> str:
    """The block's name without `minecraft:`; empty for what is not loaded and for blocks of mods."""
    names = _names()
    return names[state] if 0 <= state < len(names) else ""


def column(block: Block, name: str) -> list[str]:
    """The value of one property for each of a block's states in order; empty strings where it has none."""
    count = block.max_state - block.min_state + 1
    run = count
    for key, values in block.properties:
        run //= len(values)
        if key == name:
            turn = [value for value in values for _ in range(run)]
            return turn * (count // len(turn))
    return [""] * count
