"""Furnaces: fuel, fire and what becomes of things in it (vanilla 1.21.1 `AbstractFurnaceBlockEntity`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numen.rules import fuel, smelting
from numen.rules.items import ItemStack
from numen.sandbox.blocks.entity import BlockEntity
from protocol.game import GAME

if TYPE_CHECKING:
    from numen.sandbox.world import World

BlockPos = tuple[int, int, int]

INPUT, FUEL, OUTPUT = range(3)
#: Without fire, progress is lost this fast.
COOLING = 2


class Furnace(BlockEntity):
    """Three slots and a fire. `properties` are the four numbers a client shows as flame and arrow."""

    size = 3
    type_id = 0
    kind: smelting.Furnace = "furnace"

    def __init__(self, world: World, at: BlockPos) -> None:
        super().__init__(world, at)
        self.lit = 0
        self.lit_total = 0
        self.progress = 0
        #: Experience that waits for whoever takes the result out.
        self.experience = 0.0

    @property
    def cook_ticks(self) -> int:
        return smelting.TICKS[self.kind]

    @property
    def properties(self) -> tuple[int, int, int, int]:
        """Burn ticks left, burn ticks of the fuel, progress, ticks to cook."""
        return (self.lit, self.lit_total, self.progress, self.cook_ticks)

    def result(self) -> ItemStack | None:
        """What the input becomes, when it may come out: nothing or some of the same is there, with room."""
        made = smelting.smelt(self.slots[INPUT], self.kind)
        if made is None:
            return None
        out = made.result
        there = self.slots[OUTPUT]
        if there is not None and (not there.same_kind(out) or there.count >= there.max_stack):
            return None
        return out

    def tick(self) -> None:
        burnt = self.lit > 0
        if burnt:
            self.lit -= 1
        result = self.result()
        burning = self.slots[FUEL]
        if self.lit == 0 and result is not None and burning is not None:
            # What cooks twice as fast burns twice as fast.
            self.lit = self.lit_total = fuel.burn_ticks(burning) * self.cook_ticks // fuel.SMELT_TICKS
            if self.lit > 0:
                rest = burning.with_count(burning.count - 1)
                self.slots[FUEL] = rest if rest is not None else fuel.left_over(burning)
        if self.lit > 0 and result is not None:
            self.progress += 1
            if self.progress >= self.cook_ticks:
                self.progress = 0
                self._cook(result)
        elif self.lit > 0:
            self.progress = 0
        else:
            self.progress = max(0, self.progress - COOLING)
        if burnt != (self.lit > 0):
            state = self.world.block(*self.at)
            self.world.set_block(*self.at, GAME.with_properties(state, lit=self.lit > 0))

    def _cook(self, result: ItemStack) -> None:
        source, there = self.slots[INPUT], self.slots[OUTPUT]
        made = smelting.smelt(source, self.kind)
        assert source is not None
        assert made is not None
        self.experience += made.experience
        self.slots[INPUT] = source.with_count(source.count - 1)
        self.slots[OUTPUT] = result if there is None else there.with_count(there.count + 1)


class BlastFurnace(Furnace):
    """Twice as fast, for ores and metal."""

    type_id = 26
    kind = "blast_furnace"


class Smoker(Furnace):
    """Twice as fast, for food."""

    type_id = 25
    kind = "smoker"
