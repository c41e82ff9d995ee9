"""The goals creatures here have, with the game's own figures (vanilla 1.21.1)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar

from numen.sandbox.ai.goals import JUMP, LOOK, MOVE, TARGET, Goal
from numen.sandbox.ai.walking import standable
from numen.sandbox.entities.living import Damage

if TYPE_CHECKING:
    from numen.sandbox.entities.mob import Mob
    from numen.sandbox.player import Player


def _place_to_go(mob: Mob, sideways: int, upward: int) -> tuple[float, float, float] | None:
    """A dry place to stand near the creature, of ten tries; None when none is found."""
    chance = mob.world.random
    x0, y0, z0 = math.floor(mob.x), math.floor(mob.y + 0.5), math.floor(mob.z)
    for _ in range(10):
        x, z = x0 + chance.randint(-sideways, sideways), z0 + chance.randint(-sideways, sideways)
        for y in sorted(range(y0 - upward, y0 + upward + 1), key=lambda level: abs(level - y0)):
            if standable(mob.world, x, y, z):
                return (x + 0.5, float(y), z + 0.5)
    return None


class Swim(Goal):
    """Keep the head over water."""

    controls: ClassVar[frozenset[str]] = frozenset({JUMP})

    def can_start(self, mob: Mob) -> bool:
        return mob.in_water

    def tick(self, mob: Mob) -> None:
        if mob.world.random.random() < 0.8:
            mob.vy += 0.04


class Wander(Goal):
    """Now and then walk to somewhere within ten blocks."""

    controls: ClassVar[frozenset[str]] = frozenset({MOVE})

    def __init__(self, speed: float) -> None:
        self._speed = speed
        self._goal: tuple[float, float, float] | None = None
        self._until = 0

    def can_start(self, mob: Mob) -> bool:
        # Selection runs every second tick: once in 60 is the game's once in 120 ticks.
        if mob.world.random.randrange(60):
            return False
        self._goal = _place_to_go(mob, 10, 7)
        return self._goal is not None

    def can_go_on(self, mob: Mob) -> bool:
        return not mob.walking.done and mob.age < self._until

    def start(self, mob: Mob) -> None:
        if self._goal is not None:
            mob.walking.go(*self._goal, self._speed)
            self._until = mob.age + 200

    def stop(self, mob: Mob) -> None:
        mob.walking.stop()


class Panic(Goal):
    """Run when hurt, for as long as the fright lasts."""

    controls: ClassVar[frozenset[str]] = frozenset({MOVE})

    def __init__(self, speed: float) -> None:
        self._speed = speed

    def can_start(self, mob: Mob) -> bool:
        return mob.age - mob.hurt_at < 100

    def start(self, mob: Mob) -> None:
        self._run(mob)

    def tick(self, mob: Mob) -> None:
        if mob.walking.done:
            self._run(mob)

    def stop(self, mob: Mob) -> None:
        mob.walking.stop()

    def _run(self, mob: Mob) -> None:
        goal = _place_to_go(mob, 5, 4)
        if goal is not None:
            mob.walking.go(*goal, self._speed)


class LookAtPlayer(Goal):
    """Look at somebody near, for two to four seconds."""

    controls: ClassVar[frozenset[str]] = frozenset({LOOK})

    def __init__(self, distance: float) -> None:
        self._distance = distance
        self._who: Player | None = None
        self._until = 0

    def can_start(self, mob: Mob) -> bool:
        if mob.world.random.random() >= 0.02:
            return False
        self._who = nearest_player(mob, self._distance)
        return self._who is not None

    def can_go_on(self, mob: Mob) -> bool:
        who = self._who
        return who is not None and not who.dead and mob.age < self._until and _near(mob, who, self._distance)

    def start(self, mob: Mob) -> None:
        self._until = mob.age + 40 + mob.world.random.randrange(40)

    def tick(self, mob: Mob) -> None:
        if self._who is not None:
            mob.look_at(self._who.x, self._who.eye_y, self._who.z)


class LookAround(Goal):
    """Look this way and that while nothing else is to do."""

    controls: ClassVar[frozenset[str]] = frozenset({LOOK})

    def __init__(self) -> None:
        self._until = 0
        self._yaw = 0.0

    def can_start(self, mob: Mob) -> bool:
        return mob.world.random.random() < 0.02

    def can_go_on(self, mob: Mob) -> bool:
        return mob.age < self._until

    def start(self, mob: Mob) -> None:
        self._yaw = mob.world.random.uniform(0, 2 * math.pi)
        self._until = mob.age + 20 + mob.world.random.randrange(20)

    def tick(self, mob: Mob) -> None:
        mob.look_at(mob.x + math.cos(self._yaw), mob.eye_y, mob.z + math.sin(self._yaw))


class TargetPlayer(Goal):
    """Choose whom to hunt: who hurt it, else the nearest player in sight."""

    controls: ClassVar[frozenset[str]] = frozenset({TARGET})

    def __init__(self, distance: float) -> None:
        self._distance = distance

    def can_start(self, mob: Mob) -> bool:
        if mob.world.random.randrange(5):
            return False
        who = nearest_player(mob, self._distance)
        if who is None or not mob.sees(who):
            return False
        mob.target = who
        return True

    def can_go_on(self, mob: Mob) -> bool:
        who = mob.target
        return who is not None and huntable(who) and _near(mob, who, self._distance)

    def stop(self, mob: Mob) -> None:
        mob.target = None


class Attack(Goal):
    """Go up to the target and hit it once a second."""

    controls: ClassVar[frozenset[str]] = frozenset({MOVE, LOOK})

    def __init__(self, speed: float, damage: float) -> None:
        self._speed = speed
        self._damage = damage
        self._next_blow = 0

    def can_start(self, mob: Mob) -> bool:
        return mob.target is not None and huntable(mob.target)

    def tick(self, mob: Mob) -> None:
        who = mob.target
        if who is None:
            return
        mob.look_at(who.x, who.eye_y, who.z)
        if not mob.can_reach(who):
            mob.walking.go(who.x, who.y, who.z, self._speed)
            return
        mob.walking.stop()
        if mob.age >= self._next_blow:
            self._next_blow = mob.age + 20
            mob.world.tracker.of(mob).tell("animation", entityId=mob.id, animation=0)
            who.hurt(self._damage, Damage("mob_attack", mob))

    def stop(self, mob: Mob) -> None:
        mob.walking.stop()


def huntable(player: Player) -> bool:
    """Whether monsters care for a player."""
    return not player.dead and not player.removed and player.game_mode in ("survival", "adventure")


def nearest_player(mob: Mob, distance: float) -> Player | None:
    """The nearest player monsters would care for, within a distance."""
    near = [player for player in mob.world.players if huntable(player) and _near(mob, player, distance)]
    return min(near, key=lambda player: mob.distance_to(player.x, player.y, player.z), default=None)


def _near(mob: Mob, player: Player, distance: float) -> bool:
    return mob.distance_to(player.x, player.y, player.z) <= distance
