"""Pockets of ore, gravel and dirt in the rock: how many a column, how deep, how large.

Coal and iron are richer and nearer to the surface than in the game, because a practice yard is for first
days.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from numen.sandbox.columns import MIN_Y, States
from numen.sandbox.noise import hash_unit
from protocol.game import GAME

#: The six directions a pocket can grow in, as (x, y, z).
_STEPS = np.array([(1, 0, 0), (-1, 0, 0), (0, 0, 1), (0, 0, -1), (0, 1, 0), (0, -1, 0)])


@dataclass(frozen=True)
class Pocket:
    """A kind of pocket: `tries` of them a column, centred at a y from `lowest` to `highest`."""

    block: str
    tries: int
    lowest: int
    highest: int
    cells: int
    deepslate: str | None = None

    @cached_property
    def into(self) -> tuple[tuple[int, int], ...]:
        """The states the pocket replaces, each with what it becomes."""
        plain = (GAME.state("stone"), GAME.state(self.block))
        if self.deepslate is None:
            return (plain,)
        return (plain, (GAME.state("deepslate"), GAME.state(self.deepslate)))

    def fill(self, states: States, seed: int, salt: int) -> None:
        """Grow this kind's pockets into a column, [y from MIN_Y, z, x]: each is a short random walk."""
        luck = hash_unit(seed, salt, np.arange(self.tries)[:, None], np.arange(self.cells + 3)[None, :])
        start = np.empty((self.tries, 3), dtype=np.int64)
        start[:, 0] = 2 + luck[:, 0] * 12
        start[:, 1] = self.lowest - MIN_Y + luck[:, 1] * (self.highest - self.lowest + 1)
        start[:, 2] = 2 + luck[:, 2] * 12
        walk = start[:, None, :] + _STEPS[(luck[:, 3:] * 6).astype(np.int64)].cumsum(axis=1)
        x, y, z = walk[..., 0].ravel(), walk[..., 1].ravel(), walk[..., 2].ravel()
        inside = (x >= 0) & (x < 16) & (z >= 0) & (z < 16) & (y > 0)
        places = (y << 8 | z << 4 | x)[inside]
        flat = states.reshape(-1)
        there = flat[places]
        for old, new in self.into:
            flat[places[there == old]] = new


POCKETS = (
    Pocket("gravel", 3, 20, 70, 40),
    Pocket("dirt", 2, 20, 66, 30),
    Pocket("andesite", 2, 0, 60, 60),
    Pocket("coal_ore", 12, 30, 78, 16, "deepslate_coal_ore"),
    Pocket("iron_ore", 12, 8, 66, 10, "deepslate_iron_ore"),
    Pocket("copper_ore", 3, 10, 60, 12, "deepslate_copper_ore"),
    Pocket("iron_ore", 3, -60, 8, 10, "deepslate_iron_ore"),
    Pocket("gold_ore", 3, -60, 20, 8, "deepslate_gold_ore"),
    Pocket("lapis_ore", 1, -40, 30, 7, "deepslate_lapis_ore"),
    Pocket("redstone_ore", 4, -60, 10, 8, "deepslate_redstone_ore"),
    Pocket("diamond_ore", 3, -60, -20, 7, "deepslate_diamond_ore"),
)
