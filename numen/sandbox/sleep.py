"""Sleeping in beds (vanilla 1.21.1 `ServerPlayer.startSleepInBed`): by night, near a bed, with no monster
about.

When everybody who could has slept for five seconds, it is morning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from numen.sandbox.entities.zombie import Zombie
from numen.sandbox.text import translated

if TYPE_CHECKING:
    from numen.sandbox.player import Player
    from numen.sandbox.world import World

BlockPos = tuple[int, int, int]

#: Times of day between which a bed works in clear weather.
DUSK, DAWN = 12542, 23459
ASLEEP_TICKS = 100
#: Height of who lies in a bed over the bed's cell.
LYING = 0.6875
#: `animation`: getting up.
LEAVE_BED = 2


def lie_down(player: Player, at: BlockPos) -> bool:
    """Go to bed at the cell of its head. False with a word to the player when that can't be."""
    x, y, z = at
    world = player.world
    problem = ""
    if abs(player.x - x - 0.5) > 3 or abs(player.y - y) > 2 or abs(player.z - z - 0.5) > 3:
        problem = "block.minecraft.bed.too_far_away"
    else:
        if player.respawn_at != at:
            player.respawn_at = at
            player.tell(translated("block.minecraft.set_spawn"))
        if not DUSK <= world.day_time % 24000 <= DAWN:
            problem = "block.minecraft.bed.no_sleep"
        elif _watched(world, at):
            problem = "block.minecraft.bed.not_safe"
    if problem:
        player.send("system_chat", content=translated(problem), isActionBar=True)
        return False
    player.close_menu()
    player.using.stop()
    player.x, player.y, player.z = x + 0.5, y + LYING, z + 0.5
    player.bed = at
    player.asleep_ticks = 0
    player.fall_distance = 0.0
    player.impulse = player.metadata_changed = True
    return True


def get_up(player: Player) -> None:
    """Leave the bed, and stand beside it."""
    bed, player.bed = player.bed, None
    if bed is None:
        return
    player.metadata_changed = True
    player.tracked.tell_with_self("animation", entityId=player.id, animation=LEAVE_BED)
    x, y, z = player.world.free_place_beside(bed)
    player.movement.teleport(x, y, z)


def tick(world: World) -> None:
    """Let the sleepers sleep on; it is morning when all have slept long enough."""
    could = [player for player in world.players if not player.dead and player.game_mode != "spectator"]
    for player in could:
        if player.bed is not None:
            player.asleep_ticks += 1
            if not DUSK <= world.day_time % 24000 <= DAWN:
                get_up(player)
    if could and all(player.bed is not None and player.asleep_ticks >= ASLEEP_TICKS for player in could):
        world.day_time += 24000 - world.day_time % 24000
        for player in could:
            get_up(player)
        world.announce("update_time", age=world.age, time=world.day_time)


def _watched(world: World, at: BlockPos) -> bool:
    x, y, z = at
    return any(
        abs(entity.x - x) <= 8 and abs(entity.y - y) <= 5 and abs(entity.z - z) <= 8
        for entity in world.entities.values()
        if isinstance(entity, Zombie) and not entity.dead
    )
