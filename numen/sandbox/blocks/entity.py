"""What a cell holds beyond its state: the stacks in a chest, the fire in a furnace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numen.rules.items import ItemStack
from numen.sandbox.entities.item import drop_at_block

if TYPE_CHECKING:
    from numen.sandbox.world import World

BlockPos = tuple[int, int, int]


class BlockEntity:
    """Slots in a cell. Menus show them; breaking the block spills them."""

    size = 0
    #: Number among the block entity types, for the column's packet (protocol 767).
    type_id = 0

    def __init__(self, world: World, at: BlockPos) -> None:
        self.world = world
        self.at = at
        self.slots: list[ItemStack | None] = [None] * self.size

    def tick(self) -> None:
        """Once a tick."""

    def removed(self) -> None:
        """The block is gone: what was in it lies on the ground."""
        stacks = [stack for stack in self.slots if stack is not None]
        self.slots[:] = [None] * self.size  # in place: an open menu looks at this very list
        for stack in stacks:
            drop_at_block(self.world, self.at, stack)


class Chest(BlockEntity):
    """27 slots; a barrel is one too."""

    size = 27
    type_id = 1
