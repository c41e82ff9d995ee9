"""Animals: they wander over grass, look at people, run when they are hurt, and leave meat, leather, wool,
feathers.
"""

from __future__ import annotations

from numen.rules.items import ItemStack
from numen.sandbox.ai.goals import Goal
from numen.sandbox.ai.habits import LookAround, LookAtPlayer, Panic, Swim, Wander
from numen.sandbox.entities.mob import Mob


class Animal(Mob):
    """What they all do; `fright` is how much faster than walking they flee."""

    experience = (1, 3)
    fright = 1.25

    def goals(self) -> list[tuple[int, Goal]]:
        return [
            (0, Swim()),
            (1, Panic(self.fright)),
            (6, Wander(1.0)),
            (7, LookAtPlayer(6.0)),
            (8, LookAround()),
        ]


class Pig(Animal):
    kind = "minecraft:pig"
    max_health = 10.0
    speed = 0.25


class Cow(Animal):
    kind = "minecraft:cow"
    max_health = 10.0
    speed = 0.2
    fright = 2.0


class Sheep(Animal):
    kind = "minecraft:sheep"
    max_health = 8.0
    speed = 0.23

    def leavings(self) -> list[ItemStack]:
        return [ItemStack.of("white_wool"), *super().leavings()]


class Chicken(Animal):
    """Flutters down instead of falling."""

    kind = "minecraft:chicken"
    max_health = 4.0
    speed = 0.25
    fright = 1.4

    def tick(self) -> None:
        if not self.on_ground and self.vy < 0:
            self.vy *= 0.6
            self.fall_distance = 0.0
        super().tick()
