"""The creatures this server knows, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numen.sandbox.entities.animals import Chicken, Cow, Pig, Sheep
from numen.sandbox.entities.mob import Mob
from numen.sandbox.entities.zombie import Zombie

if TYPE_CHECKING:
    from numen.sandbox.world import World

_KINDS: dict[str, type[Mob]] = {
    "chicken": Chicken,
    "cow": Cow,
    "pig": Pig,
    "sheep": Sheep,
    "zombie": Zombie,
}


def summonable() -> tuple[str, ...]:
    """The names `summon` takes, without namespace."""
    return tuple(_KINDS)


def summon(world: World, kind: str, x: float, y: float, z: float) -> Mob:
    """Put a creature into the world. Raises KeyError for a kind this server does not know."""
    mob = _KINDS[kind](world, x, y, z)
    mob.yaw = mob.head_yaw = world.random.uniform(-180, 180)
    world.add(mob)
    return mob
