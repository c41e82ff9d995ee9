"""Beds: they set where one comes back to life, and a night in one ends the night."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numen.sandbox.blocks.breaking import vanish
from numen.sandbox.blocks.hooks import Behaviour, behave
from numen.sandbox.text import translated
from protocol.game import GAME

if TYPE_CHECKING:
    from numen.sandbox.player import Player
    from numen.sandbox.world import World

BlockPos = tuple[int, int, int]

_AHEAD = {"north": (0, -1), "south": (0, 1), "west": (-1, 0), "east": (1, 0)}


class Bed(Behaviour):
    """Two parts: the foot, and the head in the direction it faces."""

    def use(self, player: Player, at: BlockPos, state: int) -> bool:
        player.respawn_at = at
        player.send("system_chat", content=translated("block.minecraft.set_spawn"), isActionBar=False)
        return True

    def neighbour_changed(self, world: World, at: BlockPos, state: int) -> None:
        alone = GAME.block_of(world.block(*self._other(at, state))).id != GAME.block_of(state).id
        if alone and not world.is_being_placed(at):
            vanish(world, at)

    def _other(self, at: BlockPos, state: int) -> BlockPos:
        properties = GAME.properties(state)
        dx, dz = _AHEAD[properties["facing"]]
        sign = 1 if properties["part"] == "foot" else -1
        return (at[0] + dx * sign, at[1], at[2] + dz * sign)


def register() -> None:
    """Put them into the table."""
    behave(lambda block: block.name.endswith("_bed"), Bed())
