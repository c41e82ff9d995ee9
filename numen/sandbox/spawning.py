"""Who is born: animals with the grass they stand on, zombies in the dark of the night."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from numen.sandbox.ai.walking import standable
from numen.sandbox.entities.kinds import summon
from numen.sandbox.entities.mob import Mob
from numen.sandbox.entities.zombie import Zombie
from protocol.game import GAME

if TYPE_CHECKING:
    from numen.sandbox.columns import Column
    from numen.sandbox.world import World

#: One new column in so many has animals, in packs of this size.
PACK_EVERY = 9
PACK = (2, 4)
MAX_ANIMALS = 40
ANIMALS, WEIGHTS = ("pig", "sheep", "cow", "chicken"), (4, 4, 3, 3)
#: A try for a zombie every so many ticks and player; so many around one player at most.
TRY_EVERY = 40
MAX_ZOMBIES = 6
NEAREST, FARTHEST = 24.0, 44.0


def tick(world: World, *, enabled: bool) -> None:
    """Populate what is new, and the night."""
    columns, world.new_columns = world.new_columns, []
    if not enabled:
        return
    for column in columns:
        _settle(world, column)
    if world.is_night and world.difficulty != "peaceful" and world.age % TRY_EVERY == 0:
        for player in world.players:
            if player.game_mode in ("survival", "adventure") and not player.dead:
                _haunt(world, player.x, player.y, player.z)


def _settle(world: World, column: Column) -> None:
    chance = world.random
    animals = sum(
        isinstance(entity, Mob) and not isinstance(entity, Zombie) for entity in world.entities.values()
    )
    if world.generator.flat or chance.randrange(PACK_EVERY) or animals >= MAX_ANIMALS:
        return
    kind = chance.choices(ANIMALS, WEIGHTS)[0]
    for _ in range(chance.randint(*PACK)):
        x, z = column.x * 16 + chance.randrange(16), column.z * 16 + chance.randrange(16)
        y = column.top(x, z)
        on_grass = GAME.block_of(world.block(x, y - 1, z)).name == "minecraft:grass_block"
        if on_grass and standable(world, x, y, z):
            summon(world, kind, x + 0.5, float(y), z + 0.5)


def _haunt(world: World, x: float, y: float, z: float) -> None:
    zombies = sum(isinstance(entity, Zombie) for entity in world.near(x, y, z, 64.0))
    if zombies >= MAX_ZOMBIES:
        return
    chance = world.random
    angle, far = chance.uniform(0, 2 * math.pi), chance.uniform(NEAREST, FARTHEST)
    at_x, at_z = math.floor(x + math.cos(angle) * far), math.floor(z + math.sin(angle) * far)
    at_y = world.column(at_x >> 4, at_z >> 4).top(at_x, at_z)
    nearby = any(player.distance_to(at_x, at_y, at_z) < NEAREST for player in world.players)
    if not nearby and standable(world, at_x, at_y, at_z):
        summon(world, "zombie", at_x + 0.5, float(at_y), at_z + 0.5)
