"""Cells as whole numbers, counted from a corner near the start, so that a move is one addition.

A key holds x in 10 bits, z in 10 bits, y in 9: `y << 20 | z << 10 | x`. That is 1,024 × 512 × 1,024 cells
with the start in the middle, more than a server ever shows at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

Cell = tuple[int, int, int]

X_STEP: Final = 1
Z_STEP: Final = 1 << 10
Y_STEP: Final = 1 << 20
#: Bits of a cell's key.
BITS: Final = 29
CELL: Final = (1 << BITS) - 1

_WIDE: Final = 1 << 10
_HIGH: Final = 1 << 9


@dataclass(frozen=True)
class Frame:
    """Where the keys count from; a multiple of 32 on each axis."""

    x: int
    y: int
    z: int

    @classmethod
    def around(cls, cell: Cell) -> Frame:
        """A frame with `cell` near its middle."""
        x, y, z = cell
        return cls((x - _WIDE // 2) & ~31, (y - _HIGH // 2) & ~31, (z - _WIDE // 2) & ~31)

    def key(self, cell: Cell) -> int:
        """The key of a cell. Raises ValueError outside the frame."""
        x, y, z = cell[0] - self.x, cell[1] - self.y, cell[2] - self.z
        if not (0 <= x < _WIDE and 0 <= y < _HIGH and 0 <= z < _WIDE):
            raise ValueError(f"{cell} is too far away")
        return y << 20 | z << 10 | x

    def has(self, cell: Cell) -> bool:
        """Whether the cell lies inside, a block's breadth from the border."""
        x, y, z = cell[0] - self.x, cell[1] - self.y, cell[2] - self.z
        return 32 <= x < _WIDE - 32 and 16 <= y < _HIGH - 16 and 32 <= z < _WIDE - 32

    def cell(self, key: int) -> Cell:
        """The cell of a key; bits above a cell's don't matter."""
        return self.x + (key & 1023), self.y + (key >> 20 & 511), self.z + (key >> 10 & 1023)


def step(dx: int, dy: int, dz: int) -> int:
    """What a move adds to a key."""
    return dy * Y_STEP + dz * Z_STEP + dx
