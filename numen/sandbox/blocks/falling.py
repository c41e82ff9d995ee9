"""Sand, gravel and their like: without ground they fall, two ticks after they lost it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numen.rules.blocks import is_falling, is_passable
from numen.rules.items import ItemStack
from numen.sandbox.blocks.hooks import Behaviour, behave
from numen.sandbox.entities.base import Entity
from numen.sandbox.entities.item import drop_at_block
from protocol.game import GAME

if TYPE_CHECKING:
    from numen.sandbox.world import World

BlockPos = tuple[int, int, int]

DELAY = 2


class Falling(Behaviour):
    """Looks for its ground when something changed, and falls when it is gone."""

    def neighbour_changed(self, world: World, at: BlockPos, state: int) -> None:
        world.schedule(at, DELAY)

    def scheduled(self, world: World, at: BlockPos, state: int) -> None:
        x, y, z = at
        if is_passable(world.block(x, y - 1, z)):
            world.set_block(x, y, z, 0)
            world.add(FallingBlock(world, at, state))


class FallingBlock(Entity):
    """A block on its way down. It becomes a block again where it lands, or an item where it can't."""

    kind = "minecraft:falling_block"
    tracking_range = 160.0
    update_interval = 20
    gravity = 0.04

    def __init__(self, world: World, at: BlockPos, state: int) -> None:
        super().__init__(world, at[0] + 0.5, float(at[1]), at[2] + 0.5)
        self.state = state
        self.object_data = state

    def tick(self) -> None:
        super().tick()
        self.vy -= self.gravity
        self.move(self.vx, self.vy, self.vz)
        self.vy *= 0.98
        if self.on_ground:
            self._land()
        elif self.age > 600:
            self.remove()

    def _land(self) -> None:
        at = (int(self.x // 1), int((self.y + 1e-6) // 1), int(self.z // 1))
        self.remove()
        if is_passable(self.world.block(*at)):
            self.world.set_block(*at, self.state)
        else:
            item = GAME.item_for_block(GAME.block_of(self.state))
            if item is not None:
                drop_at_block(self.world, at, ItemStack(item.id, 1))


def register() -> None:
    """Put them into the table."""

    behave(lambda block: is_falling(block.default_state), Falling())
