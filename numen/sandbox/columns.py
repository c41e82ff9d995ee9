"""A column of the practice world: 24 sections of block states, most of them a single state.

A section is either one integer (all of it that state: air, deep stone) or a buffer of 4,096 states, ordered
y, z, x as on the wire. Point look-ups go through the buffer's memoryview, bulk work through numpy on the same
memory.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

MIN_Y = -64
HEIGHT = 384
MAX_Y = MIN_Y + HEIGHT
SECTIONS = HEIGHT // 16

States: TypeAlias = NDArray[np.uint16]


class Column:
    """16 x 384 x 16 block states at chunk coordinates (x, z). Local coordinates below are the low 4 bits."""

    __slots__ = ("_cells", "biome", "packet", "revision", "x", "z")

    def __init__(self, x: int, z: int, biome: str = "minecraft:plains") -> None:
        self.x = x
        self.z = z
        self.biome = biome
        #: Counts changes; whoever keeps something derived from the column compares it.
        self.revision = 0
        #: The column as it was last encoded for the wire, compressed, with the revision it shows.
        self.packet: tuple[object, bytes] | None = None
        self._cells: list[int | memoryview] = [0] * SECTIONS

    @classmethod
    def of_states(cls, x: int, z: int, states: States, biome: str = "minecraft:plains") -> Column:
        """From an array [384, 16 (z), 16 (x)] of block states, lowest layer first."""
        column = cls(x, z, biome)
        sections = states.reshape(SECTIONS, 4096)
        lowest, highest = sections.min(axis=1), sections.max(axis=1)
        for index in range(SECTIONS):
            if lowest[index] == highest[index]:
                column._cells[index] = int(lowest[index])
            else:
                column._cells[index] = sections[index].copy().data
        return column

    def block(self, x: int, y: int, z: int) -> int:
        """The state at a cell of the world (any x, z: the low bits count); air outside the build height."""
        if not MIN_Y <= y < MAX_Y:
            return 0
        cells = self._cells[(y - MIN_Y) >> 4]
        if isinstance(cells, int):
            return cells
        state: int = cells[(y & 15) << 8 | (z & 15) << 4 | x & 15]
        return state

    def set_block(self, x: int, y: int, z: int, state: int) -> int:
        """Change a cell and return what was there. A cell outside the build height stays air."""
        if not MIN_Y <= y < MAX_Y:
            return 0
        index = (y - MIN_Y) >> 4
        cells = self._cells[index]
        if isinstance(cells, int):
            if cells == state:
                return state
            cells = self._cells[index] = np.full(4096, cells, dtype=np.uint16).data
        place = (y & 15) << 8 | (z & 15) << 4 | x & 15
        old: int = cells[place]
        if old != state:
            cells[place] = state
            self.revision += 1
        return old

    def states(self) -> States:
        """All states as an array [384, 16 (z), 16 (x)], a copy."""
        whole = np.empty((SECTIONS, 4096), dtype=np.uint16)
        for index, cells in enumerate(self._cells):
            whole[index] = cells
        return whole.reshape(HEIGHT, 16, 16)

    def top(self, x: int, z: int) -> int:
        """The y just above the highest cell that is not air; MIN_Y for an empty column."""
        for index in range(SECTIONS - 1, -1, -1):
            cells = self._cells[index]
            if cells == 0:
                continue
            for y in range(MIN_Y + index * 16 + 15, MIN_Y + index * 16 - 1, -1):
                if self.block(x, y, z):
                    return y + 1
        return MIN_Y
