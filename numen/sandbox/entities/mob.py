"""Creatures with a will of their own."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from numen.rules import drops, smelting
from numen.rules.items import ItemStack
from numen.sandbox import space
from numen.sandbox.ai.goals import Goals
from numen.sandbox.ai.walking import Walking
from numen.sandbox.entities.item import drop_at
from numen.sandbox.entities.living import DEATH_TICKS, STATUS_POOF, Damage, Living
from numen.sandbox.entities.orb import drop_points

if TYPE_CHECKING:
    from numen.sandbox.ai.goals import Goal
    from numen.sandbox.player import Player
    from numen.sandbox.world import World


class Mob(Living):
    """A creature. Subclasses name their goals and speed."""

    tracking_range = 128.0
    #: The movement speed attribute.
    speed = 0.25
    #: Points for who killed one, (least, most).
    experience = (0, 0)

    def __init__(self, world: World, x: float, y: float, z: float) -> None:
        super().__init__(world, x, y, z)
        self.walking = Walking()
        self.forward = 0.0
        self.jumping = False
        self.target: Player | None = None
        #: The age at which it was hurt last, and by whom.
        self.hurt_at = -1000
        self.hurt_by: Living | None = None
        self.mind = Goals(self.goals())
        self._dead_ticks = 0
        self._jump_delay = 0

    def goals(self) -> list[tuple[int, Goal]]:
        """Its goals with their priorities."""
        return []

    def metadata(self) -> list[dict[str, Any]]:
        flags = 1 if self.burning_ticks > 0 else 0
        return [
            {"key": 0, "type": "byte", "value": flags},
            {"key": 9, "type": "float", "value": self.health},
        ]

    def tick(self) -> None:
        super().tick()
        if self.dead:
            self._dead_ticks += 1
            if self._dead_ticks >= DEATH_TICKS:
                self.world.tracker.of(self).tell("entity_status", entityId=self.id, entityStatus=STATUS_POOF)
                self.remove()
            return
        self.mind.tick(self)
        self.walking.tick(self)
        if self._jump_delay > 0:
            self._jump_delay -= 1
        jump = self.jumping and (self.in_water or self._jump_delay == 0)
        if jump and self.on_ground and not self.in_water:
            self._jump_delay = 10
        # A creature's push is its speed once for how hard it pushes and once for how far, as in the game.
        pace = self.speed * self.forward
        self.travel(pace, pace, jump)
        if self.forward:
            self.head_yaw = self.yaw

    def look_at(self, x: float, y: float, z: float) -> None:
        """Turn the head towards a point."""
        flat = math.hypot(x - self.x, z - self.z)
        self.head_yaw = math.degrees(math.atan2(z - self.z, x - self.x)) - 90
        self.pitch = -math.degrees(math.atan2(y - self.eye_y, flat))

    def sees(self, other: Living) -> bool:
        """Whether nothing solid is between its eyes and the other's."""
        from numen.rules.physics.matter import SOLID, matter

        masks = matter().masks
        length = math.dist((self.x, self.eye_y, self.z), (other.x, other.eye_y, other.z))
        steps = max(1, int(length * 2))
        for step in range(1, steps):
            part = step / steps
            x = self.x + (other.x - self.x) * part
            y = self.eye_y + (other.eye_y - self.eye_y) * part
            z = self.z + (other.z - self.z) * part
            if masks[self.world.block(math.floor(x), math.floor(y), math.floor(z))] & SOLID:
                return False
        return True

    def hurt(self, amount: float, damage: Damage) -> bool:
        hurt = super().hurt(amount, damage)
        if hurt:
            self.hurt_at = self.age
            self.hurt_by = damage.attacker if isinstance(damage.attacker, Living) else None
        return hurt

    def leavings(self) -> list[ItemStack]:
        """What a dead one drops."""
        return drops.mob_drops(self.kind, self.world.random)

    def die(self, damage: Damage) -> None:
        super().die(damage)
        self.walking.stop()
        for stack in self.leavings():
            cooked = smelting.smelt(stack, "smoker") if self.burning_ticks > 0 else None
            drop_at(self.world, self.x, self.y, self.z, cooked.result if cooked is not None else stack)
        if damage.kind == "player_attack":
            drop_points(self.world, (self.x, self.y, self.z), self.world.random.randint(*self.experience))

    def in_open_daylight(self) -> bool:
        """Whether the sun shines on its head."""
        if self.world.is_night or self.in_water:
            return False
        top = self.world.column(math.floor(self.x) >> 4, math.floor(self.z) >> 4).top(
            math.floor(self.x), math.floor(self.z)
        )
        return top <= self.eye_y

    def can_reach(self, other: Living) -> bool:
        """Whether a blow would land: its box, 0.83 wider on each side, touches the other's (vanilla
        1.21.1).
        """
        return space.overlap(space.grown(self.box, 0.83, 0.0, 0.83), other.box)
