"""Buckets: they take a source of water or lava away and put it down elsewhere. Here it stays where it is
put.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from numen.rules import reach
from numen.rules.blocks import is_lava, is_liquid, is_passable, is_replaceable, is_water
from numen.rules.items import ItemStack
from protocol.game import GAME

if TYPE_CHECKING:
    from numen.sandbox.player import Player

BlockPos = tuple[int, int, int]

_STEP = 0.02
_FILLED = {"minecraft:water_bucket": "water", "minecraft:lava_bucket": "lava"}


def use(player: Player, hand: int, yaw: float, pitch: float) -> bool:
    """Use a bucket the way the player looks. False when that hand holds none."""
    stack = player.inventory.in_hand(hand)
    if stack is None or (stack.name != "minecraft:bucket" and stack.name not in _FILLED):
        return False
    if stack.name == "minecraft:bucket":
        _fill(player, hand, yaw, pitch)
    else:
        _empty(player, hand, yaw, pitch, _FILLED[stack.name])
    player.show_hand(hand)
    return True


def _fill(player: Player, hand: int, yaw: float, pitch: float) -> None:
    hit = _look(player, yaw, pitch, sources=True)
    if hit is None:
        return
    at, _ = hit
    state = player.world.block(*at)
    player.show_cell(at)
    if not _is_source(state):
        return
    player.world.set_block(*at, 0)
    if not player.creative:
        player.exchange(hand, ItemStack.of("lava_bucket" if is_lava(state) else "water_bucket"))


def _empty(player: Player, hand: int, yaw: float, pitch: float, fluid: str) -> None:
    hit = _look(player, yaw, pitch, sources=False)
    if hit is None:
        return
    at, before = hit
    world = player.world
    target = at if is_replaceable(world.block(*at)) else before
    player.show_cell(target)
    if target is None or not is_replaceable(world.block(*target)):
        return
    world.set_block(*target, GAME.state(fluid))
    if not player.creative:
        player.exchange(hand, ItemStack.of("bucket"))


def _is_source(state: int) -> bool:
    return is_liquid(state) and GAME.properties(state).get("level") == "0"


def _look(player: Player, yaw: float, pitch: float, *, sources: bool) -> tuple[BlockPos, BlockPos] | None:
    """The first cell looked at that stops the look, and the cell before it; fluids stop it if `sources`."""
    x, y, z = player.eye
    turn, tilt = math.radians(yaw), math.radians(pitch)
    way = (-math.sin(turn) * math.cos(tilt), -math.sin(tilt), math.cos(turn) * math.cos(tilt))
    before = (math.floor(x), math.floor(y), math.floor(z))
    for step in range(int(reach.BLOCK_RANGE / _STEP)):
        px, py, pz = (start + part * step * _STEP for start, part in zip((x, y, z), way, strict=True))
        at = (math.floor(px), math.floor(py), math.floor(pz))
        state = player.world.block(*at)
        if sources and (is_water(state) or is_lava(state)) and _is_source(state):
            return at, before
        if not is_passable(state) and any(
            box[0] <= px - at[0] <= box[3]
            and box[1] <= py - at[1] <= box[4]
            and box[2] <= pz - at[2] <= box[5]
            for box in GAME.shape(state)
        ):
            return at, before
        before = at
    return None
