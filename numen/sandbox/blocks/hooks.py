"""What a block may do by itself: a class of hooks with nothing in them, and the table of who has which.

Most blocks do nothing. A behaviour is shared by all blocks of its kind and keeps nothing between calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from protocol.game import GAME, Block

if TYPE_CHECKING:
    from numen.sandbox.player import Player
    from numen.sandbox.world import World

BlockPos = tuple[int, int, int]


class Behaviour:
    """The hooks. A subclass overrides what its block does."""

    def use(self, player: Player, at: BlockPos, state: int) -> bool:
        """A player clicked it with the right button. True when that was all there is to do."""
        return False

    def placed(self, player: Player, at: BlockPos, state: int) -> None:
        """A player has just put it there."""

    def neighbour_changed(self, world: World, at: BlockPos, state: int) -> None:
        """It, or a cell beside it, is not what it was."""

    def scheduled(self, world: World, at: BlockPos, state: int) -> None:
        """A tick it asked for is here."""


_behaviours: dict[int, Behaviour] = {}


def behave(blocks: Iterable[str] | Callable[[Block], bool], behaviour: Behaviour) -> None:
    """Give a behaviour to blocks, by name (without namespace) or by a test."""
    if callable(blocks):
        chosen = [block for block in GAME.blocks if blocks(block)]
    else:
        chosen = [GAME.block(name) for name in blocks]
    for block in chosen:
        _behaviours[block.id] = behaviour


def behaviour_of(state: int) -> Behaviour | None:
    """What the block of a state does, None for the many that do nothing."""
    return _behaviours.get(GAME.block_of(state).id)
