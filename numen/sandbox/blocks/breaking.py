"""How blocks end: by a player's hand, with what the tool earns, or because nothing holds them any more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numen.rules import digging, drops, experience
from numen.rules.blocks import is_waterlogged
from numen.sandbox import wear
from numen.sandbox.entities.item import drop_at_block
from numen.sandbox.entities.orb import drop_points
from protocol.game import GAME

if TYPE_CHECKING:
    from numen.sandbox.player import Player
    from numen.sandbox.world import World

BlockPos = tuple[int, int, int]


def left_behind(state: int) -> int:
    """What a cell holds when its block is gone: air, or the water that shared the cell."""
    return GAME.state("water") if is_waterlogged(state) else 0


def break_by(player: Player, at: BlockPos) -> bool:
    """A player breaks a block; drops, wear and hunger follow. False when he may not."""
    world = player.world
    state = world.block(*at)
    if state == 0:
        return False
    tool = player.inventory.held
    if player.creative and tool is not None and tool.name.endswith("_sword"):
        player.show_cell(at)
        return False
    world.splinter(at, state, but=player)
    world.set_block(*at, left_behind(state))
    if player.creative:
        return True
    earned = digging.can_harvest(state, tool)
    wear.mined(player, state)
    if earned:
        player.survival.mined()
        for stack in drops.drops(state, tool, world.random):
            drop_at_block(world, at, stack)
        drop_points(
            world, (at[0] + 0.5, at[1] + 0.5, at[2] + 0.5), experience.from_block(state, world.random)
        )
    return True


def vanish(world: World, at: BlockPos) -> None:
    """A block goes by itself and leaves what it drops without any tool."""
    state = world.block(*at)
    world.splinter(at, state)
    world.set_block(*at, left_behind(state))
    for stack in drops.drops(state, None, world.random):
        drop_at_block(world, at, stack)
