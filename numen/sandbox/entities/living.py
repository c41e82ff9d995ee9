"""What can be hurt: health, invulnerability after a hit, knockback, death, and the movement of whatever
walks.

Rules: vanilla 1.21.1 `LivingEntity` (`hurt`, `knockback`, `travel`), through `numen.rules.combat` where it
has them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from numen.rules import blocks, combat, falls
from numen.sandbox import space
from numen.sandbox.entities.base import Entity

if TYPE_CHECKING:
    from numen.sandbox.world import World

#: Statuses of `entity_status`.
STATUS_DEATH = 3
STATUS_POOF = 60
#: Ticks from death to disappearance.
DEATH_TICKS = 20
#: Ticks the counter runs after a hit; only the first INVULNERABLE_TICKS of the rules protect.
HURT_TICKS = 20


@dataclass(frozen=True)
class Damage:
    """Why somebody is hurt."""

    #: Name in the registry of damage types, without namespace: "fall", "mob_attack", "player_attack".
    kind: str
    attacker: Entity | None = None
    #: Nothing protects from it: no armour, no invulnerability, no game mode.
    absolute: bool = False
    ignores_armour: bool = False

    def death_message(self, victim: Any) -> dict[str, Any]:
        """The sentence about who died of it, as a component."""
        arguments = [victim]
        key = f"death.attack.{_MESSAGES.get(self.kind, self.kind)}"
        if self.attacker is not None:
            arguments.append(self.attacker.named())
        return {"translate": key, "with": arguments}


#: Damage types whose death message has another name.
_MESSAGES = {
    "mob_attack": "mob",
    "player_attack": "player",
    "out_of_world": "outOfWorld",
    "generic_kill": "genericKill",
    "in_fire": "inFire",
    "on_fire": "onFire",
    "in_wall": "inWall",
}


class Living(Entity):
    """Something with health."""

    max_health = 20.0
    step_height = 0.6
    #: Damage type registry, name without namespace -> number. Set by the server when it starts.
    damage_types: dict[str, int]

    def __init__(self, world: World, x: float, y: float, z: float) -> None:
        super().__init__(world, x, y, z)
        self.health = self.max_health
        self.dead = False
        self.invulnerable_ticks = 0
        self._last_hurt = 0.0
        self.fall_distance = 0.0
        self.in_water = False
        self._still = False
        self.burning_ticks = 0
        #: Ticks since knockback last moved it.
        self.was_pushed_ticks_ago = 1000

    # --- being hurt -------------------------------------------------------------------------------------

    def hurt(self, amount: float, damage: Damage) -> bool:
        """Take damage. False when nothing came of it: dead already, or still invulnerable from a hit as
        hard.
        """
        if self.dead or amount <= 0 or not self.can_be_hurt(damage):
            return False
        fresh = True
        if self.invulnerable_ticks > HURT_TICKS - combat.INVULNERABLE_TICKS and not damage.absolute:
            if amount <= self._last_hurt:
                return False
            self._suffer(amount - self._last_hurt, damage)
            self._last_hurt = amount
            fresh = False
        else:
            self._last_hurt = amount
            self.invulnerable_ticks = HURT_TICKS
            self._suffer(amount, damage)
        if fresh:
            self._show_hurt(damage)
            if damage.attacker is not None:
                self.knock_back(combat.BASE_KNOCKBACK, damage.attacker.x - self.x, damage.attacker.z - self.z)
        if self.health <= 0:
            self.die(damage)
        return True

    def can_be_hurt(self, damage: Damage) -> bool:
        return True

    def protection(self, amount: float, damage: Damage) -> float:
        """What is left of an amount after armour and effects."""
        return amount

    def _suffer(self, amount: float, damage: Damage) -> None:
        self.health = max(0.0, self.health - self.protection(amount, damage))
        self.metadata_changed = True

    def _show_hurt(self, damage: Damage) -> None:
        number = 0 if damage.attacker is None else damage.attacker.id + 1
        self.world.tracker.of(self).tell_with_self(
            "damage_event",
            entityId=self.id,
            sourceTypeId=self.world.damage_type(damage.kind),
            sourceCauseId=number,
            sourceDirectId=number,
            sourcePosition=None,
        )

    def knock_back(self, strength: float, from_x: float, from_z: float) -> None:
        """Be pushed away from what lies in the direction (from_x, from_z)."""
        if abs(from_x) + abs(from_z) < 1e-4:
            from_x, from_z = self.world.random.uniform(-1, 1), self.world.random.uniform(-1, 1)
        self.vx, self.vy, self.vz = combat.knocked_back(
            (self.vx, self.vy, self.vz), strength, from_x, from_z, on_ground=self.on_ground
        )
        self.impulse = True
        self.pushed = True
        self.was_pushed_ticks_ago = 0

    def kill(self) -> None:
        self.hurt(3.4e38, Damage("generic_kill", absolute=True))

    def die(self, damage: Damage) -> None:
        """Called once when health has run out."""
        self.dead = True
        self.world.tracker.of(self).tell_with_self(
            "entity_status", entityId=self.id, entityStatus=STATUS_DEATH
        )

    # --- every tick -------------------------------------------------------------------------------------

    def tick(self) -> None:
        super().tick()
        if self.invulnerable_ticks > 0:
            self.invulnerable_ticks -= 1
        self.was_pushed_ticks_ago += 1
        lava = 0.0
        if not self._rests():
            water, lava = space.fluids(self.world, self.box)
            self.in_water = water > 0.0
        if self.in_water:
            self.fall_distance = 0.0
            self.burning_ticks = 0
        elif blocks.is_climbable(self.world.block(*self.cell)):
            self.fall_distance = 0.0  # vanilla 1.21.1: whoever holds on to a ladder doesn't fall
        if self.burning_ticks > 0:
            if self.burning_ticks % 20 == 0:
                self.hurt(1.0, Damage("on_fire", ignores_armour=True))
            self.burning_ticks -= 1
            if self.burning_ticks == 0:
                self.metadata_changed = True
        if lava > 0.0:
            self.set_on_fire(300)
            self.hurt(4.0, Damage("lava"))
        if self.y < -64 - 64:
            self.hurt(4.0, Damage("out_of_world", absolute=True))

    def set_on_fire(self, ticks: int) -> None:
        if self.burning_ticks == 0:
            self.metadata_changed = True
        self.burning_ticks = max(self.burning_ticks, ticks)

    def _rests(self) -> bool:
        """Whether it stands still and need not look around this tick; it does every fourth."""
        return self._still and (self.age + self.id) % 4 != 0

    # --- walking ----------------------------------------------------------------------------------------

    def travel(self, forward: float, speed: float, jumping: bool) -> None:
        """Move one tick by own will: `forward` is 0 to 1 along the yaw, `speed` blocks a tick of push on
        stone.
        """
        for axis in ("vx", "vy", "vz"):
            if abs(getattr(self, axis)) < 0.003:
                setattr(self, axis, 0.0)
        self._still = self.on_ground and not self.in_water and not (forward or jumping or self.vx or self.vz)
        if self._rests():
            return
        forward *= 0.98
        if self.in_water:
            self._swim(forward, jumping)
        else:
            self._walk(forward, speed, jumping)

    def _push(self, forward: float, strength: float) -> None:
        angle = math.radians(self.yaw)
        self.vx -= math.sin(angle) * forward * strength
        self.vz += math.cos(angle) * forward * strength

    def _walk(self, forward: float, speed: float, jumping: bool) -> None:
        if jumping and self.on_ground:
            self.vy = 0.42
        slip = space.friction_below(self.world, self.x, self.y, self.z) if self.on_ground else 1.0
        self._push(forward, speed * 0.216 / slip**3 if self.on_ground else 0.02)
        falling, before = self.vy, self.y
        self.move(self.vx, self.vy, self.vz)
        drag = slip * 0.91
        self.vx *= drag
        self.vz *= drag
        self.vy = (self.vy - self.gravity) * 0.98
        if self.on_ground:
            self.hurt(falls.damage(self.fall_distance), Damage("fall", ignores_armour=True))
            self.fall_distance = 0.0
        elif falling < 0:
            self.fall_distance += before - self.y

    def _swim(self, forward: float, jumping: bool) -> None:
        if jumping:
            self.vy += 0.04
        self._push(forward, 0.02)
        before = self.y
        self.move(self.vx, self.vy, self.vz)
        self.vx *= 0.8
        self.vz *= 0.8
        self.vy = self.vy * 0.8 - self.gravity / 16
        if self.horizontal_collision:
            above = space.grown(self.box, 0.0, 0.0, 0.0)
            up = self.vy + 0.6 - self.y + before
            ahead = (above[0] + self.vx, above[1] + up, above[2] + self.vz)
            far = (above[3] + self.vx, above[4] + up, above[5] + self.vz)
            if space.is_free(self.world, (*ahead, *far)):
                self.vy = 0.3
