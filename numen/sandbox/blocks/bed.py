"""Beds: two parts that stay together. What happens in them is in `numen.sandbox.sleep`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numen.rules.directions import OPPOSITE, neighbour
from numen.sandbox import sleep
from numen.sandbox.blocks.breaking import vanish
from numen.sandbox.blocks.hooks import Behaviour, behave
from protocol.game import GAME

if TYPE_CHECKING:
    from numen.sandbox.player import Player
    from numen.sandbox.world import World

BlockPos = tuple[int, int, int]


class Bed(Behaviour):
    """The foot, and the head in the direction it faces."""

    def use(self, player: Player, at: BlockPos, state: int) -> bool:
        head = at if GAME.properties(state)["part"] == "head" else self._other(at, state)
        sleep.lie_down(player, head)
        return True

    def neighbour_changed(self, world: World, at: BlockPos, state: int) -> None:
        alone = GAME.block_of(world.block(*self._other(at, state))).id != GAME.block_of(state).id
        if alone and not world.is_being_placed(at):
            vanish(world, at)

    def _other(self, at: BlockPos, state: int) -> BlockPos:
        properties = GAME.properties(state)
        facing = properties["facing"]
        return neighbour(at, facing if properties["part"] == "foot" else OPPOSITE[facing])


def register() -> None:
    """Put them into the table."""
    behave(lambda block: block.name.endswith("_bed"), Bed())
