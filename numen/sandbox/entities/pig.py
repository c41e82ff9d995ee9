"""A pig: wanders over grass, looks at people, runs when it is hurt, leaves porkchops."""

from __future__ import annotations

from numen.sandbox.ai.goals import Goal
from numen.sandbox.ai.habits import LookAround, LookAtPlayer, Panic, Swim, Wander
from numen.sandbox.entities.mob import Mob


class Pig(Mob):
    kind = "minecraft:pig"
    max_health = 10.0
    speed = 0.25
    drops = (("porkchop", 1, 3),)
    cooked = {"porkchop": "cooked_porkchop"}  # noqa: RUF012

    def goals(self) -> list[tuple[int, Goal]]:
        return [(0, Swim()), (1, Panic(1.25)), (6, Wander(1.0)), (7, LookAtPlayer(6.0)), (8, LookAround())]


class Cow(Mob):
    """A cow: a pig's ways, leather and beef."""

    kind = "minecraft:cow"
    max_health = 10.0
    speed = 0.2
    drops = (("leather", 0, 2), ("beef", 1, 3))
    cooked = {"beef": "cooked_beef"}  # noqa: RUF012

    def goals(self) -> list[tuple[int, Goal]]:
        return [(0, Swim()), (1, Panic(2.0)), (5, Wander(1.0)), (6, LookAtPlayer(6.0)), (7, LookAround())]
