"""A zombie: hunts players it sees within 35 blocks, hits for 3, burns under the open sky by day."""

from __future__ import annotations

from numen.rules import combat
from numen.sandbox.ai.goals import Goal
from numen.sandbox.ai.habits import Attack, LookAround, LookAtPlayer, Swim, TargetPlayer, Wander
from numen.sandbox.entities.living import Damage
from numen.sandbox.entities.mob import Mob

BURN_TICKS = 160


class Zombie(Mob):
    kind = "minecraft:zombie"
    speed = 0.23
    attack_damage = 3.0
    #: Protects it a little (vanilla 1.21.1: armor 2).
    armour = 2.0
    experience = (5, 5)

    def protection(self, amount: float, damage: Damage) -> float:
        if damage.ignores_armour or damage.absolute:
            return amount
        return combat.after_armour(amount, self.armour)

    def goals(self) -> list[tuple[int, Goal]]:
        return [
            (0, Swim()),
            (2, Attack(1.0, self.attack_damage)),
            (7, Wander(1.0)),
            (8, LookAtPlayer(8.0)),
            (8, LookAround()),
            (2, TargetPlayer(35.0)),
        ]

    def tick(self) -> None:
        super().tick()
        if not self.dead and self.age % 20 == 0 and self.in_open_daylight():
            self.set_on_fire(BURN_TICKS)
        if self.world.difficulty == "peaceful":
            self.remove()
