"""Worlds for path tests: a terrain function, and worlds drawn in ASCII layers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from numen.testing.terrain import layers, state_of
from protocol.game import GAME

Ints = NDArray[np.int64]


def _hash(x: Ints, z: Ints) -> NDArray[np.float64]:
    mask = np.int64(0xFFFFFFFF)
    h = (x * 374761393 + z * 668265263) & mask
    h = ((h ^ (h >> 13)) * 1274126177) & mask
    return ((h ^ (h >> 16)) & mask) / 4294967296


def _smooth(x: Ints, z: Ints, scale: int) -> NDArray[np.float64]:
    fx, fz = np.floor_divide(x, scale), np.floor_divide(z, scale)
    u, v = x / scale - fx, z / scale - fz
    u, v = u * u * (3 - 2 * u), v * v * (3 - 2 * v)
    north = _hash(fx, fz) + (_hash(fx + 1, fz) - _hash(fx, fz)) * u
    south = _hash(fx, fz + 1) + (_hash(fx + 1, fz + 1) - _hash(fx, fz + 1)) * u
    return north + (south - north) * v


class Hills:
    """Rolling hills of grass over stone with ore, and a log post here and there; `tests/node/bench_path.js`
    builds the same, so that figures can be compared."""

    min_y = -64
    height = 384

    def __init__(self) -> None:
        names = ["bedrock", "iron_ore", "deepslate", "stone", "dirt", "grass_block", "oak_log"]
        self._states = {name: GAME.block(name).default_state for name in names}
        self._columns = lru_cache(maxsize=4096)(self._column)

    def surface(self, x: int, z: int) -> int:
        """The first free height of a column."""
        return int(self._heights(np.array([x]), np.array([z]))[0])

    def _heights(self, x: Ints, z: Ints) -> Ints:
        rolling = _smooth(x, z, 24) * 14 + _smooth(x + 999, z, 7) * 3
        return 64 + np.floor(rolling).astype(np.int64)

    def _column(self, cx: int, cz: int) -> NDArray[np.uint16]:
        """A chunk as [y from -64, z, x]."""
        state = self._states
        x, z = np.meshgrid(cx * 16 + np.arange(16), cz * 16 + np.arange(16))
        top = self._heights(x.ravel(), z.ravel()).reshape(16, 16)
        y = np.arange(self.min_y, self.min_y + self.height)[:, None, None]
        ore = _hash(x[None] * 31 + y, z[None] * 17 - y) < 0.02
        rock = np.where(y < 0, state["deepslate"], state["stone"])
        blocks = np.where(y < top - 4, np.where(ore, state["iron_ore"], rock), 0)
        blocks = np.where((y >= top - 4) & (y < top - 1), state["dirt"], blocks)
        blocks = np.where(y == top - 1, state["grass_block"], blocks)
        blocks = np.where(y == self.min_y, state["bedrock"], blocks)
        post = (_hash(x, z) > 0.992)[None] & (y >= top) & (y < top + 5)
        return np.where(post, state["oak_log"], blocks).astype(np.uint16)

    def section(self, cx: int, sy: int, cz: int) -> NDArray[np.uint16] | int | None:
        low = sy * 16 - self.min_y
        if not 0 <= low < self.height:
            return 0
        return self._columns(cx, cz)[low : low + 16]

    @property
    def heights(self) -> range:
        return range(self.min_y, self.min_y + self.height)

    def stamp(self, cx: int, cz: int) -> int:
        return 0

    def block(self, x: int, y: int, z: int) -> int:
        if not 0 <= y - self.min_y < self.height:
            return 0
        return int(self._columns(x >> 4, z >> 4)[y - self.min_y, z & 15, x & 15])


class Drawn:
    """A plain of grass on `rock` with its top at 63, and on it what `drawings` show (see
    `numen.testing.terrain.layers`), the first layer at 64.

    `hole` takes the ground away between two x, over the z of `hole_depth` (everywhere when None);
    `second_hole` does so everywhere. Only chunks within `loaded` of the origin are there (all when None).
    """

    heights = range(-64, 320)

    def __init__(
        self,
        *drawings: str,
        at: tuple[int, int, int] = (0, 64, 0),
        rock: str = "dirt",
        fill: Mapping[tuple[int, int, int], str] | None = None,
        hole: tuple[int, int] | None = None,
        hole_depth: range | None = None,
        second_hole: tuple[int, int] | None = None,
        loaded: int | None = None,
    ) -> None:
        blocks = {**layers(*drawings, legend={"S": "air"}, at=at), **(fill or {})}
        self._blocks = {cell: state_of(block) for cell, block in blocks.items()}
        self._rock = GAME.block(rock).default_state
        self._grass = GAME.block("grass_block").default_state
        self._holes = [(hole, hole_depth)] if hole else []
        if second_hole:
            self._holes.append((second_hole, None))
        self._loaded = loaded

    def stamp(self, cx: int, cz: int) -> int:
        return 0

    def section(self, cx: int, sy: int, cz: int) -> NDArray[np.uint16] | int | None:
        if self._loaded is not None and max(abs(cx), abs(cz)) > self._loaded:
            return None
        x0, y0, z0 = cx * 16, sy * 16, cz * 16
        found = np.zeros((16, 16, 16), np.uint16)
        if 0 <= y0 < 64:
            found[:] = self._rock
            if y0 == 48:
                found[15] = self._grass
            for (low, high), depth in self._holes:
                xs = [x for x in range(16) if low <= x0 + x < high]
                zs = [z for z in range(16) if depth is None or z0 + z in depth]
                for x in xs:
                    found[:, zs, x] = 0
        for (x, y, z), state in self._blocks.items():
            if (x >> 4, y >> 4, z >> 4) == (cx, sy, cz):
                found[y & 15, z & 15, x & 15] = state
        return found
