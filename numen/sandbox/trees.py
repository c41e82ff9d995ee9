"""Oaks and birches: a trunk, two wide layers of leaves and two narrow ones, as the game grows them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from numen.sandbox.columns import MIN_Y, States
from protocol.game import GAME

#: How far a tree reaches from its trunk, in cells.
REACH = 2


@dataclass(frozen=True)
class Tree:
    """A tree by the cell of its lowest log."""

    wood: str
    x: int
    y: int
    z: int
    trunk: int


@cache
def _states(wood: str) -> tuple[int, tuple[int, ...]]:
    """The log, and leaves by distance from it (index 1 to 7)."""
    leaves = (0, *(GAME.state(f"{wood}_leaves", distance=str(far)) for far in range(1, 8)))
    return GAME.state(f"{wood}_log", axis="y"), leaves


def draw_tree(states: States, tree: Tree, x0: int, z0: int) -> None:
    """Draw what of `tree` falls into the column at block (x0, z0); `states` is [y from MIN_Y, z, x]."""
    log, leaves = _states(tree.wood)
    top = tree.y + tree.trunk  # the first cell above the trunk
    for y in range(top - 3, top + 1):
        wide = 2 if y < top - 1 else 1
        for dz in range(-wide, wide + 1):
            for dx in range(-wide, wide + 1):
                x, z = tree.x + dx - x0, tree.z + dz - z0
                if not (0 <= x < 16 and 0 <= z < 16):
                    continue
                if (
                    abs(dx) == wide
                    and abs(dz) == wide
                    and (wide == 1 or _ragged(tree, dx, y, dz))
                    and y != top - 1
                ):
                    continue
                if states[y - MIN_Y, z, x] == 0:
                    states[y - MIN_Y, z, x] = leaves[min(7, abs(dx) + abs(dz) + max(0, y - top + 1) or 1)]
    x, z = tree.x - x0, tree.z - z0
    if 0 <= x < 16 and 0 <= z < 16:
        states[tree.y - MIN_Y : top - MIN_Y, z, x] = log
        states[tree.y - 1 - MIN_Y, z, x] = GAME.state("dirt")


def _ragged(tree: Tree, dx: int, y: int, dz: int) -> bool:
    """Whether a corner of a wide layer is missing; half of them are, and which is the tree's own affair."""
    return (tree.x * 31 + tree.z * 17 + dx * 7 + dz * 3 + y) % 2 == 0
