"""What blocks do: open, fall, need ground, hold things. `hooks` has the shape, the other files one kind
each.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from numen.rules.connections import reshaped
from numen.rules.support import survives
from numen.sandbox.blocks import breaking, hooks
from protocol.game import GAME

if TYPE_CHECKING:
    from numen.sandbox.player import Player
    from numen.sandbox.world import World

BlockPos = tuple[int, int, int]


@cache
def _load() -> None:
    """Fill the table at the first question; the kinds import the world's other parts."""
    from numen.sandbox.blocks import bed, containers, doors, falling, halves

    for kind in (falling, halves, doors, containers, bed):
        kind.register()


def use(player: Player, at: BlockPos, state: int) -> bool:
    """Let a block be used by hand. True when it did something with that."""
    _load()
    behaviour = hooks.behaviour_of(state)
    return behaviour is not None and behaviour.use(player, at, state)


def placed(player: Player, at: BlockPos, state: int) -> None:
    """A player put a block there."""
    _load()
    behaviour = hooks.behaviour_of(state)
    if behaviour is not None:
        behaviour.placed(player, at, state)


def neighbour_changed(world: World, at: BlockPos) -> None:
    """A cell, or one beside it, changed: what lost its ground goes, fences and stairs join, the rest may
    react.
    """
    _load()
    state = world.block(*at)
    if not state:
        return
    if not survives(state, world, at):
        if not world.is_being_placed(at):
            breaking.vanish(world, at)
        return
    shaped = reshaped(state, world, at)
    if shaped != state:
        world.set_block(*at, shaped)
        state = shaped
    behaviour = hooks.behaviour_of(state)
    if behaviour is not None:
        behaviour.neighbour_changed(world, at, state)


def scheduled_tick(world: World, at: BlockPos, block_id: int) -> None:
    """A tick that a block asked for, if it is still the same block."""
    _load()
    state = world.block(*at)
    behaviour = hooks.behaviour_of(state)
    if behaviour is not None and GAME.block_of(state).id == block_id:
        behaviour.scheduled(world, at, state)
