"""What is two cells high, a lower and an upper half: doors and tall plants. Neither half stays without the
other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from numen.sandbox.blocks.breaking import vanish
from numen.sandbox.blocks.hooks import Behaviour, behave
from protocol.game import GAME

if TYPE_CHECKING:
    from numen.sandbox.world import World

BlockPos = tuple[int, int, int]

TALL_PLANTS = ("tall_grass", "large_fern", "sunflower", "lilac", "rose_bush", "peony", "tall_seagrass")


class Halves(Behaviour):
    """Comes and goes whole."""

    def neighbour_changed(self, world: World, at: BlockPos, state: int) -> None:
        other = self.other_half(at, state)
        alone = GAME.block_of(world.block(*other)).id != GAME.block_of(state).id
        if alone and not world.is_being_placed(at):
            vanish(world, at)

    def other_half(self, at: BlockPos, state: int) -> BlockPos:
        """The cell of the half that belongs to this one."""
        x, y, z = at
        return (x, y + 1, z) if GAME.properties(state)["half"] == "lower" else (x, y - 1, z)


def register() -> None:
    """Put tall plants into the table."""
    behave(TALL_PLANTS, Halves())
