"""Furnaces: fuel, fire and what becomes of things in it (vanilla 1.21.1 `AbstractFurnaceBlockEntity`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numen.rules.items import ItemStack
from numen.sandbox.blocks.entity import BlockEntity
from numen.sandbox.smelting import COOKED_IN, SMELTED, burn_ticks
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
    cook_ticks = 200
    #: Which things it takes, see `smelting.COOKED_IN`; None is all of them.
    only: str | None = None
    fuel_divisor = 1

    def __init__(self, world: World, at: BlockPos) -> None:
        super().__init__(world, at)
        self.lit = 0
        self.lit_total = 0
        self.progress = 0
        #: Experience that waits for whoever takes the result out.
        self.experience = 0.0

    @property
    def properties(self) -> tuple[int, int, int, int]:
        """Burn ticks left, burn ticks of the fuel, progress, ticks to cook."""
        return (self.lit, self.lit_total, self.progress, self.cook_ticks)

    def result(self) -> ItemStack | None:
        """What the input becomes, when it may come out: nothing or some of the same is there, with room."""
        source = self.slots[INPUT]
        if source is None:
            return None
        name = source.name.removeprefix("minecraft:")
        made = SMELTED.get(name)
        if made is None or (self.only is not None and name not in COOKED_IN[self.only]):
            return None
        out = ItemStack.of(made[0])
        there = self.slots[OUTPUT]
        if there is not None and (not there.same_kind(out) or there.count >= there.max_stack):
            return None
        return out

    def tick(self) -> None:
        burnt = self.lit > 0
        if burnt:
            self.lit -= 1
        result = self.result()
        fuel = self.slots[FUEL]
        if self.lit == 0 and result is not None and fuel is not None:
            self.lit = self.lit_total = burn_ticks(fuel) // self.fuel_divisor
            if self.lit > 0:
                left = ItemStack.of("bucket") if fuel.name == "minecraft:lava_bucket" else None
                self.slots[FUEL] = left or fuel.with_count(fuel.count - 1)
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
        assert source is not None
        self.experience += SMELTED[source.name.removeprefix("minecraft:")][1]
        self.slots[INPUT] = source.with_count(source.count - 1)
        self.slots[OUTPUT] = result if there is None else there.with_count(there.count + 1)


class BlastFurnace(Furnace):
    """Twice as fast, for ores and metal."""

    type_id = 26
    cook_ticks = 100
    only = "blasting"
    fuel_divisor = 2


class Smoker(Furnace):
    """Twice as fast, for food."""

    type_id = 25
    cook_ticks = 100
    only = "smoking"
    fuel_divisor = 2
