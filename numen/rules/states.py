"""Reading properties of many block states at once."""

from __future__ import annotations

from protocol.game import Block


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
