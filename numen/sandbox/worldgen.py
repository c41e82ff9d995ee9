"""What the practice world is made of: hills with woods, rock, ores, caves and ponds, or a flat field.

A generator is a pure function of seed and place: a column is the same whenever and in whatever order it is
made. What crosses a column's border (trees) is decided by hashes of world coordinates, so each column draws
its own share.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from numen.sandbox.columns import HEIGHT, MIN_Y, Column, States
from numen.sandbox.noise import Floats, hash_unit, noise_area, noise_volume
from numen.sandbox.ores import POCKETS
from numen.sandbox.trees import REACH, Tree, draw_tree
from protocol.game import GAME

WATER_TOP = 62  # the highest y that is water in a pond
WOODS = 0.5  # how much of the woods' noise makes a forest


class Generator(Protocol):
    """Makes columns and knows where a newcomer starts."""

    flat: bool

    def column(self, x: int, z: int) -> Column:
        """The column at chunk coordinates (x, z)."""

    def spawn(self) -> tuple[int, int, int]:
        """The cell of a newcomer's feet."""


@dataclass(frozen=True)
class Area:
    """A piece of land seen from above; every array is [z, x] from block (x0, z0)."""

    x0: int
    z0: int
    #: The y of the first cell above ground.
    height: NDArray[np.int32]
    #: Where bare rock shows.
    rock: NDArray[np.bool_]
    #: 0 to 1; woods stand where it is above WOODS.
    woods: Floats

    def inner(self, margin: int) -> Area:
        """The same without `margin` cells on each side."""
        depth, width = self.height.shape
        part = (slice(margin, depth - margin), slice(margin, width - margin))
        return Area(self.x0 + margin, self.z0 + margin, self.height[part], self.rock[part], self.woods[part])


class FlatGenerator:
    """Bedrock, stone, three layers of dirt, grass at y 63: feet stand at 64."""

    flat = True

    def __init__(self) -> None:
        states = np.zeros((HEIGHT, 16, 16), dtype=np.uint16)
        states[0] = GAME.state("bedrock")
        states[1 : 60 - MIN_Y] = GAME.state("stone")
        states[60 - MIN_Y : 63 - MIN_Y] = GAME.state("dirt")
        states[63 - MIN_Y] = GAME.state("grass_block")
        self._states = states

    def column(self, x: int, z: int) -> Column:
        return Column.of_states(x, z, self._states)

    def spawn(self) -> tuple[int, int, int]:
        return (0, 64, 0)


class HillsGenerator:
    """Rolling ground around y 66 with ponds at 62, rocky knolls, oak and birch woods, ores and caves."""

    flat = False

    def __init__(self, seed: int) -> None:
        self.seed = seed & 0xFFFFFFFF
        self._air = 0
        self._stone = GAME.state("stone")
        self._deepslate = GAME.state("deepslate")
        self._bedrock = GAME.state("bedrock")
        self._dirt = GAME.state("dirt")
        self._grass = GAME.state("grass_block")
        self._sand = GAME.state("sand")
        self._gravel = GAME.state("gravel")
        self._water = GAME.state("water")
        self._short_grass = GAME.state("short_grass")
        self._flowers = (GAME.state("dandelion"), GAME.state("poppy"), GAME.state("cornflower"))
        self._spawn: tuple[int, int, int] | None = None

    # --- the shape of the land --------------------------------------------------------------------------

    def survey(self, x0: int, z0: int, width: int, depth: int) -> Area:
        """Heights, bare rock and woods of an area."""
        noise = partial(noise_area, self.seed, x0=x0, z0=z0, width=width, depth=depth)
        ground = (
            66.0
            + 17.0 * (noise(1, scale=82) - 0.5)
            + 8.0 * (noise(2, scale=35) - 0.5)
            + 2.5 * (noise(3, scale=13) - 0.5)
        )
        rock = 0.62 * noise(4, scale=27) + 0.38 * noise(5, scale=12)
        knoll = np.clip((rock - 0.66) / 0.14, 0.0, 1.0)
        height = np.floor(ground + 6.0 * knoll * knoll * (3 - 2 * knoll)).astype(np.int32)
        woods = 0.7 * noise(6, scale=52) + 0.3 * noise(7, scale=17)
        return Area(x0, z0, height, (rock > 0.68) & (height > WATER_TOP), woods)

    def trees(self, area: Area, margin: int) -> list[Tree]:
        """The trees whose trunks stand at least `margin` inside `area`: at most one a cell of 5 x 5.

        Woods are thick with them, meadows have a few, and rock, shores and ponds none.
        """
        depth, width = area.height.shape
        x0, z0 = area.x0 + margin, area.z0 + margin
        x1, z1 = area.x0 + width - margin, area.z0 + depth - margin
        cells_x = np.arange(x0 // 5, (x1 - 1) // 5 + 1)[None, :]
        cells_z = np.arange(z0 // 5, (z1 - 1) // 5 + 1)[:, None]
        # the fifth cell of each direction stays free, so no two trunks touch
        trunk_x = cells_x * 5 + (hash_unit(self.seed, 11, cells_x, cells_z) * 4).astype(np.int64)
        trunk_z = cells_z * 5 + (hash_unit(self.seed, 12, cells_x, cells_z) * 4).astype(np.int64)
        luck = hash_unit(self.seed, 13, cells_x, cells_z)
        kind = hash_unit(self.seed, 14, cells_x, cells_z)
        inside = (trunk_x >= x0) & (trunk_x < x1) & (trunk_z >= z0) & (trunk_z < z1)
        row, column = np.clip(trunk_z - area.z0, 0, depth - 1), np.clip(trunk_x - area.x0, 0, width - 1)
        ground = area.height[row, column]
        grows = luck < np.where(area.woods[row, column] > WOODS, 0.7, 0.06)
        grows &= inside & ~area.rock[row, column] & (ground > WATER_TOP + 2)
        found = []
        for at in zip(*np.nonzero(grows), strict=True):
            which = float(kind[at])
            wood = "birch" if which > 0.72 else "oak"
            trunk = 4 + int(which * 1000) % 3 + (wood == "birch")
            found.append(Tree(wood, int(trunk_x[at]), int(ground[at]), int(trunk_z[at]), trunk))
        return found

    # --- a column ---------------------------------------------------------------------------------------

    def column(self, x: int, z: int) -> Column:
        x0, z0 = x * 16, z * 16
        around = self.survey(x0 - REACH, z0 - REACH, 16 + 2 * REACH, 16 + 2 * REACH)
        here = around.inner(REACH)
        states = self._ground(here)
        own_seed = self.seed ^ (x * 0x2C1B3C6D + z * 0x297A2D39) & 0xFFFFFFFF
        for salt, pocket in enumerate(POCKETS, 41):
            pocket.fill(states, own_seed, salt)
        self._caves(states, here)
        self._ponds(states, here.height)
        for tree in self.trees(around, 0):
            draw_tree(states, tree, x0, z0)
        self._plants(states, here)
        biome = "minecraft:forest" if here.woods[8, 8] > WOODS else "minecraft:plains"
        return Column.of_states(x, z, states, biome)

    def _ground(self, here: Area) -> States:
        height, rock = here.height, here.rock
        layers = np.arange(MIN_Y, MIN_Y + HEIGHT, dtype=np.int32)[:, None, None]
        states = np.zeros((HEIGHT, 16, 16), dtype=np.uint16)
        highest = int(height.max()) - MIN_Y
        states[:-MIN_Y] = self._deepslate
        states[-MIN_Y:highest] = self._stone
        states[0] = self._bedrock
        # the skin: three cells of it over the stone, sand where a pond is near, gravel in the deeper ponds
        low = int(height.min()) - 4 - MIN_Y
        skin, y = states[low:highest], layers[low:highest]
        shore = (height <= WATER_TOP + 2) & ~rock
        bed = (height <= WATER_TOP - 2) & (noise_area(self.seed, 8, here.x0, here.z0, 16, 16, 9) > 0.5)
        soil = np.where(bed, self._gravel, np.where(shore, self._sand, self._dirt)).astype(np.uint16)
        thin = (
            hash_unit(self.seed, 9, here.x0 + np.arange(16)[None, :], here.z0 + np.arange(16)[:, None]) > 0.5
        )
        in_soil = (y >= height - 4 + thin) & ~rock
        skin[...] = np.where(in_soil, soil, skin)
        skin[...] = np.where((y == height - 1) & ~rock & ~shore, self._grass, skin)
        skin[...] = np.where(y >= height, np.uint16(0), skin)
        return states

    def _caves(self, states: States, here: Area) -> None:
        """Winding tunnels: cells in which two noises both are near their middle."""
        height, x0, z0 = here.height, here.x0, here.z0
        lowest, highest = MIN_Y + 6, int(height.max())
        size = (16, highest - lowest, 16)
        first = noise_volume(self.seed, 21, (x0, lowest, z0), size, (22, 13, 22))
        second = noise_volume(self.seed, 22, (x0, lowest, z0), size, (25, 16, 25))
        hollow = (np.abs(first - 0.5) < 0.05) & (np.abs(second - 0.5) < 0.06)
        # a tunnel may open to the sky on high ground; under ponds and shores a roof stays, so no water hangs
        roof = np.where(height > WATER_TOP + 6, 0, 9)
        y = np.arange(lowest, highest, dtype=np.int32)[:, None, None]
        part = states[lowest - MIN_Y : highest - MIN_Y]
        part[hollow & (y < height - roof)] = self._air

    def _ponds(self, states: States, height: NDArray[np.int32]) -> None:
        lowest = int(height.min())
        if lowest > WATER_TOP:
            return
        y = np.arange(lowest, WATER_TOP + 1, dtype=np.int32)[:, None, None]
        states[lowest - MIN_Y : WATER_TOP + 1 - MIN_Y][y >= height] = self._water

    def _plants(self, states: States, here: Area) -> None:
        luck = hash_unit(self.seed, 31, here.x0 + np.arange(16)[None, :], here.z0 + np.arange(16)[:, None])
        for z, x in np.argwhere(luck > 0.9):
            y = int(here.height[z, x]) - MIN_Y
            if states[y, z, x] == 0 and states[y - 1, z, x] == self._grass:
                share = float(luck[z, x])
                flower = share > 0.985
                states[y, z, x] = self._flowers[int(share * 10000) % 3] if flower else self._short_grass

    # --- where to begin ---------------------------------------------------------------------------------

    def spawn(self) -> tuple[int, int, int]:
        """Level grass with a tree within a few steps, rock and a pond within a short walk, as near 0, 0 as
        can be.
        """
        if self._spawn is None:
            self._spawn = self._find_spawn(160)
        return self._spawn

    def _find_spawn(self, radius: int) -> tuple[int, int, int]:
        area = self.survey(-radius, -radius, 2 * radius, 2 * radius)
        height, rock = area.height, area.rock
        trees = np.array([(tree.x, tree.z) for tree in self.trees(area, 0)]).reshape(-1, 2)
        water = np.argwhere(height[::3, ::3] <= WATER_TOP - 1)[:, ::-1] * 3 - radius
        stone = np.argwhere(rock[::3, ::3])[:, ::-1] * 3 - radius
        best, best_score = (0, int(height[radius, radius]), 0), float("inf")
        for z in range(-radius + 40, radius - 40, 6):
            for x in range(-radius + 40, radius - 40, 6):
                row, column = z + radius, x + radius
                near = height[row - 2 : row + 3, column - 2 : column + 3]
                here = int(height[row, column])
                if here <= WATER_TOP + 2 or int(near.max()) - int(near.min()) > 1 or rock[row, column]:
                    continue
                first_tree, sixth_tree = _distance(trees, x, z, 0), _distance(trees, x, z, 5)
                if first_tree < 3:  # not under its leaves
                    continue
                score = 0.2 * (abs(x) + abs(z)) + 3 * max(0.0, first_tree - 6) + 2 * max(0.0, sixth_tree - 15)
                score += 2 * max(0.0, _distance(stone, x, z, 0) - 24)
                score += 2 * max(0.0, _distance(water, x, z, 0) - 30)
                if score < best_score:
                    best, best_score = (x, here, z), score
        return best


def _distance(places: NDArray[np.int64], x: int, z: int, rank: int) -> float:
    """How far the nearest place is (rank 0), or the next but `rank`; far when there are not so many."""
    if len(places) <= rank:
        return 10_000.0
    squares = ((places - (x, z)) ** 2).sum(axis=1)
    return float(np.sqrt(np.partition(squares, rank)[rank]))


def generator_for(kind: str, seed: int) -> Generator:
    """The generator called `kind`: "hills" or "flat". Raises ValueError for another name."""
    if kind == "hills":
        return HillsGenerator(seed)
    if kind == "flat":
        return FlatGenerator()
    raise ValueError(f'there is no world of kind "{kind}"; the practice server knows "hills" and "flat"')
