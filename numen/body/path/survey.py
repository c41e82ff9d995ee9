"""Which cells a body can be in, and which moves lead out of them: a block of terrain at a time, by numpy.

A search asks for a block of 32 × 16 × 32 cells when it first comes near it. The states of the block and of a
margin around it become flags by one table look-up; from them follow the *stands* (cells a body can rest in:
on a floor, in water, on a ladder) and, for the stands only, a *code* that says which moves lead out of each.
Codes are few, so a search turns each into a tuple of edges once and then walks by adding and comparing whole
numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from numen.body.path import flags
from numen.body.path.frame import Y_STEP, Z_STEP

if TYPE_CHECKING:
    from numen.body.path.ground import Terrain

Bools = NDArray[np.bool_]
Codes = NDArray[np.uint64]

#: Size of a block, and the margins that its moves reach into.
WIDE: Final = 32
HIGH: Final = 16
MARGIN: Final = 3
BELOW: Final = 4
ABOVE: Final = 4

_W: Final = WIDE + 2 * MARGIN
_H: Final = HIGH + BELOW + ABOVE
#: Steps between neighbours in a block with its margin, flattened as (y, z, x).
DX: Final = 1
DZ: Final = _W
DY: Final = _W * _W


@dataclass
class Survey:
    """A block of terrain, its margin included. Arrays are flat; cell (x, y, z) is `y·DY + z·DZ + x`, from the
    margin's corner on."""

    #: World coordinates of the margin's corner.
    corner: tuple[int, int, int]
    states: NDArray[np.uint16]
    walking: NDArray[np.uint16]
    clear: Bools
    #: Feet and head fit: clear, clear above, nothing reaching up from below.
    roomy: Bools
    #: A body can rest here: on a floor, in water, on rungs.
    rests: Bools
    ground: Bools
    swim: Bools
    hang: Bools
    #: Sixteenths above the bottom of the cell that a body on the ground here stands.
    heights: NDArray[np.int8]
    #: The stands of the block itself (without the margin), as flat indices.
    stands: NDArray[np.intp]
    #: Something in the margin or the block is not loaded.
    open_ended: bool


def read(terrain: Terrain, x: int, y: int, z: int) -> Survey:
    """Survey the block whose lowest corner is (x, y, z); all three are multiples of the block's size."""
    corner = (x - MARGIN, y - BELOW, z - MARGIN)
    table = flags.tables()
    box = np.full((_H, _W, _W), table.unknown, np.uint16)
    open_ended = not fill(terrain, box, *corner)
    states = box.ravel()
    walking = table.walking.take(states, mode="clip")
    tops = table.tops.take(states, mode="clip")

    clear = (walking & flags.CLEAR) != 0
    tall_below = _up((walking & flags.TALL) != 0, 1)
    headroom = _down(clear, 1)
    roomy = clear & headroom
    roomy &= ~tall_below

    floor_below = _up((walking & flags.FLOOR) != 0, 1)
    climb = (walking & flags.CLIMB) != 0
    low = (walking & flags.LOW) != 0
    # 1.8 high on a floor of more than 3/16 reaches into the second cell above
    low &= headroom & ~tall_below & ((tops < 4) | _down(clear, 2))
    ground = low | (roomy & floor_below)
    swim = roomy & ((walking & flags.WATER) != 0)
    hang = roomy & (climb | _up(climb, 1))
    rests = ground | swim | hang
    heights = np.where(low, tops, 0).astype(np.int8)
    stands = _INNER[rests[_INNER]]
    return Survey(
        corner, states, walking, clear, roomy, rests, ground, swim, hang, heights, stands, open_ended
    )


def fill(terrain: Terrain, box: NDArray[np.uint16], x: int, y: int, z: int) -> bool:
    """Copy the states from (x, y, z) on into `box`, an array [y, z, x]. False when some are not loaded; those
    cells are left as they were."""
    high, deep, wide = box.shape
    rows, columns = _overlaps(z & 15, deep), _overlaps(x & 15, wide)
    whole = True
    for sy, (ys, yd) in enumerate(_overlaps(y & 15, high), y >> 4):
        for cz, (zs, zd) in enumerate(rows, z >> 4):
            for cx, (xs, xd) in enumerate(columns, x >> 4):
                section = terrain.section(cx, sy, cz)
                if section is None:
                    whole = False
                    continue
                box[yd, zd, xd] = section if isinstance(section, int) else section[ys, zs, xs]
    return whole


@lru_cache(maxsize=1024)
def _overlaps(start: int, size: int) -> tuple[tuple[slice, slice], ...]:
    """The parts of the sections along an axis that lie within `size` cells from the `start`-th of the first
    one on, in the section's and in the box's terms."""
    found = []
    for low in range(0, start + size, 16):
        first, last = max(low, start), min(low + 16, start + size)
        found.append((slice(first - low, last - low), slice(first - start, last - start)))
    return tuple(found)


def _up(values: Bools, by: int) -> Bools:
    """What each cell finds `by` cells below itself; the lowest layers find nothing."""
    moved = np.zeros_like(values)
    moved[by * DY :] = values[: -by * DY]
    return moved


def _down(values: Bools, by: int) -> Bools:
    """What each cell finds `by` cells above itself."""
    moved = np.zeros_like(values)
    moved[: -by * DY] = values[by * DY :]
    return moved


def _inner() -> NDArray[np.intp]:
    grid = np.arange(_H * _W * _W).reshape(_H, _W, _W)
    inner = grid[BELOW : BELOW + HIGH, MARGIN : MARGIN + WIDE, MARGIN : MARGIN + WIDE]
    return np.ascontiguousarray(inner).ravel()


_INNER: Final = _inner()


def _keys() -> NDArray[np.int64]:
    grid = np.arange(_H * _W * _W)
    y, z, x = grid // DY - BELOW, grid // DZ % _W - MARGIN, grid % _W - MARGIN
    return y * Y_STEP + z * Z_STEP + x


#: What a flat index adds to the key of the block's corner.
KEYS: Final = _keys()


def index_of(key: int) -> int:
    """The flat index of a cell, given the part of its key that counts from the block's corner."""
    return ((key >> 20) + BELOW) * DY + ((key >> 10 & 1023) + MARGIN) * DZ + (key & 1023) + MARGIN


def flat(x: int, y: int, z: int) -> int | None:
    """The flat index of a cell counted from the margin's corner; None outside."""
    if 0 <= x < _W and 0 <= y < _H and 0 <= z < _W:
        return y * DY + z * DZ + x
    return None


#: Which neighbours a look-up is about: the cell itself, the four beside it (SIDES), the four across
#: (CORNERS), and the second and third cell in each of the four directions. One row each.
HERE: Final = "here"
SIDE: Final = "side"
CORNER: Final = "corner"
SECOND: Final = "second"
THIRD: Final = "third"

#: Offsets in x and z: west, east, north, south, and the four between.
SIDES: Final = ((-1, 0), (1, 0), (0, -1), (0, 1))
CORNERS: Final = ((-1, -1), (1, -1), (-1, 1), (1, 1))

_BACK: Final = BELOW * DY


def _offsets(cells: tuple[tuple[int, int], ...], times: int = 1) -> NDArray[np.intp]:
    return np.array([[(dx * DX + dz * DZ) * times] for dx, dz in cells], np.intp) - _BACK


_GROUPS: Final = {
    HERE: np.array([[-_BACK]], np.intp),
    SIDE: _offsets(SIDES),
    CORNER: _offsets(CORNERS),
    SECOND: _offsets(SIDES, 2),
    THIRD: _offsets(SIDES, 3),
}


class Around:
    """What the stands of a survey find around themselves.

    Every look-up gives an array of a row for each neighbour of the group (one for HERE) and a column for each
    stand, `dy` cells higher than the stand. Look-ups are made once; the arrays are shared and not to be
    written to.
    """

    def __init__(self, survey: Survey) -> None:
        self.count = len(survey.stands)
        self._survey = survey
        # Counted from the lowest cell asked for, so that a height is a slice and costs no addition.
        self._cells = {name: survey.stands + offsets for name, offsets in _GROUPS.items()}
        self._present = int(np.bitwise_or.reduce(survey.walking))
        self._never = np.zeros((1, self.count), np.bool_)
        self._taken: dict[tuple[str, str, int], NDArray[np.generic]] = {}

    def has(self, group: str, dy: int, bits: int | NDArray[np.uint16]) -> Bools:
        """Whether the neighbours have any of the walking flags `bits`; an array gives the bits row by row."""
        if not self._present & (
            bits if isinstance(bits, int) else int(np.bitwise_or.reduce(bits, axis=None))
        ):
            return self._never
        found: Bools = (self._look("walking", group, dy) & np.uint16(bits)) != 0
        return found

    def height(self, group: str, dy: int = 0) -> NDArray[np.int8]:
        """Sixteenths that a body there stands above the bottom of its cell."""
        heights: NDArray[np.int8] = self._look("heights", group, dy)
        return heights

    def clear(self, group: str, dy: int = 0) -> Bools:
        """Whether a body can be in the cell."""
        return self._bools("clear", group, dy)

    def roomy(self, group: str, dy: int = 0) -> Bools:
        """Whether feet and head fit."""
        return self._bools("roomy", group, dy)

    def rests(self, group: str, dy: int = 0) -> Bools:
        """Whether a body can rest there in some way."""
        return self._bools("rests", group, dy)

    def ground(self, group: str, dy: int = 0) -> Bools:
        """Whether it can stand there on a floor."""
        return self._bools("ground", group, dy)

    def swim(self, group: str, dy: int = 0) -> Bools:
        """Whether it can float there."""
        return self._bools("swim", group, dy)

    def hang(self, group: str, dy: int = 0) -> Bools:
        """Whether it can hold on to rungs there."""
        return self._bools("hang", group, dy)

    def _bools(self, what: str, group: str, dy: int) -> Bools:
        found: Bools = self._look(what, group, dy)
        return found

    def _look(self, what: str, group: str, dy: int) -> Any:
        found = self._taken.get((what, group, dy))
        if found is None:
            values = getattr(self._survey, what)[_BACK + dy * DY :]
            found = self._taken[what, group, dy] = values.take(self._cells[group])
        return found
