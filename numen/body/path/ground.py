"""The terrain of one world as a walker sees it. What was surveyed once is kept until it changes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from numen.body.path import moves, plunge, survey
from numen.body.path.survey import HIGH, MARGIN, WIDE, Codes, Survey

if TYPE_CHECKING:
    from numen.world import World

#: Blocks of 32 × 16 × 32 kept, about 30 kB each.
_MOST_BLOCKS: Final = 600


class Terrain(Protocol):
    """Block states by section, as the world keeps them."""

    def section(self, cx: int, sy: int, cz: int, /) -> NDArray[np.integer[Any]] | int | None:
        """States of the 16³ cells from (16 cx, 16 sy, 16 cz) on as an array [y, z, x]; one state for a
        uniform section; None where nothing is loaded. Outside the build height: 0."""

    def stamp(self, cx: int, cz: int, /) -> Hashable:
        """Changes whenever something in the chunk does."""

    @property
    def heights(self) -> range:
        """The heights at which there can be blocks."""


class WorldTerrain:
    """The chunks that a client has been sent."""

    def __init__(self, world: World) -> None:
        self.section = world.chunks.section
        self._chunks = world.chunks
        self._columns = world.chunks.columns

    @property
    def heights(self) -> range:
        return range(self._chunks.min_y, self._chunks.min_y + 16 * self._chunks.section_count)

    def stamp(self, cx: int, cz: int) -> Hashable:
        column = self._columns.get((cx, cz))
        return None if column is None else (id(column.data), column.revision)


@dataclass
class Surveyed:
    """A block of terrain that has been surveyed."""

    #: World coordinates of its lowest cell.
    corner: tuple[int, int, int]
    #: Keys of its stands, counted from the corner, and their codes.
    keys: NDArray[np.int64]
    codes: Codes
    #: Something in it or within its margin is not loaded.
    open_ended: bool
    stamp: Hashable
    #: Long falls into water: index of the stand, what is added to the key, ticks.
    plunges: list[tuple[int, int, float]] = field(default_factory=list)

    def code_at(self, x: int, y: int, z: int) -> int | None:
        """The code of the stand at a cell (world coordinates), None where a body can't rest."""
        return self.code((y - self.corner[1]) << 20 | (z - self.corner[2]) << 10 | (x - self.corner[0]))

    def code(self, key: int) -> int | None:
        """The same for a key that counts from the corner."""
        at = int(np.searchsorted(self.keys, key))
        return int(self.codes[at]) if at < len(self.keys) and self.keys[at] == key else None


class Ground:
    """Surveyed blocks of one terrain."""

    def __init__(self, terrain: Terrain) -> None:
        self.terrain = terrain
        #: What digging costs with the tools of late; `alter` keeps it here.
        self.pricings: OrderedDict[Hashable, Any] = OrderedDict()
        self._last: tuple[tuple[int, int, int], Hashable, Survey] | None = None
        self._blocks: OrderedDict[tuple[int, int, int, int, bool], Surveyed] = OrderedDict()

    @classmethod
    def of(cls, world: World) -> Ground:
        """The ground of a world; the same for every search in it."""
        found = _GROUNDS.get(world)
        if found is None:
            found = _GROUNDS[world] = cls(WorldTerrain(world))
        return found

    def block(self, x: int, y: int, z: int, max_drop: int, leaps: bool) -> Surveyed:
        """The block whose lowest cell is (x, y, z), for a body that falls `max_drop` at most and leaps or
        not."""
        key = (x, y, z, max_drop, leaps)
        stamp = self._stamp(x, z)
        block = self._blocks.get(key)
        if block is not None and block.stamp == stamp:
            self._blocks.move_to_end(key)
            return block
        found = survey.read(self.terrain, x, y, z)
        codes = moves.codes(found, max_drop, leaps)
        block = Surveyed((x, y, z), survey.KEYS.take(found.stands), codes, found.open_ended, stamp)
        block.plunges = list(plunge.find(self, block, found))
        self._last = (block.corner, stamp, found)
        self._blocks[key] = block
        self._blocks.move_to_end(key)
        if len(self._blocks) > _MOST_BLOCKS:
            self._blocks.popitem(last=False)
        return block

    def survey(self, block: Surveyed) -> Survey:
        """The whole survey of a block, cell by cell."""
        if self._last is not None and self._last[:2] == (block.corner, block.stamp):
            return self._last[2]  # it was made a moment ago
        return survey.read(self.terrain, *block.corner)

    def fill(self, box: NDArray[np.uint16], x: int, y: int, z: int) -> bool:
        """Copy the states from (x, y, z) on into an array [y, z, x]. False when some are not loaded."""
        return survey.fill(self.terrain, box, x, y, z)

    def state(self, x: int, y: int, z: int) -> int | None:
        """The state of one cell, None where it isn't loaded."""
        section = self.terrain.section(x >> 4, y >> 4, z >> 4)
        if section is None or isinstance(section, int):
            return section
        return int(section[y & 15, z & 15, x & 15])

    def _stamp(self, x: int, z: int) -> Hashable:
        stamp = self.terrain.stamp
        return tuple(
            stamp(cx, cz)
            for cx in range((x - MARGIN) >> 4, ((x + WIDE + MARGIN - 1) >> 4) + 1)
            for cz in range((z - MARGIN) >> 4, ((z + WIDE + MARGIN - 1) >> 4) + 1)
        )


_GROUNDS: WeakKeyDictionary[Any, Ground] = WeakKeyDictionary()

__all__ = ["HIGH", "WIDE", "Ground", "Surveyed", "Terrain", "WorldTerrain"]
