"""Doors, trapdoors and fence gates: they open by hand unless they are of iron."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numen.rules.blocks import is_openable
from numen.sandbox.blocks.halves import Halves
from numen.sandbox.blocks.hooks import Behaviour, behave
from protocol.game import GAME

if TYPE_CHECKING:
    from numen.sandbox.player import Player
    from numen.sandbox.world import World

BlockPos = tuple[int, int, int]


class Hinged(Behaviour):
    """Opens and closes by hand."""

    def use(self, player: Player, at: BlockPos, state: int) -> bool:
        if not is_openable(state):
            return False
        self.swing(player.world, at, state)
        return True

    def swing(self, world: World, at: BlockPos, state: int) -> None:
        is_open = GAME.properties(state)["open"] == "true"
        world.set_block(*at, GAME.with_properties(state, open=not is_open))


class Door(Hinged, Halves):
    """Two halves that swing together."""

    def swing(self, world: World, at: BlockPos, state: int) -> None:
        super().swing(world, at, state)
        other = self.other_half(at, state)
        beyond = world.block(*other)
        if GAME.block_of(beyond).id == GAME.block_of(state).id:
            is_open = GAME.properties(state)["open"] == "true"
            world.set_block(*other, GAME.with_properties(beyond, open=not is_open))


def register() -> None:
    """Put them into the table."""
    behave(lambda block: block.name.endswith(("_trapdoor", "_fence_gate")), Hinged())
    behave(lambda block: block.name.endswith("_door"), Door())
