"""Hunger, breath and the price of falls: what living costs a player (vanilla 1.21.1, through
`numen.rules`).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from numen.rules import combat, falls, food, hunger
from numen.rules.items import ItemStack
from numen.rules.physics.matter import WATER, matter
from numen.sandbox.entities.living import Damage
from numen.sandbox.inventory import ARMOUR

if TYPE_CHECKING:
    from numen.sandbox.player import Player

FULL_BREATH = 300


class Survival:
    """One player's stomach and lungs."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self.hunger = hunger.Hunger()
        self.breath = FULL_BREATH
        self.eyes_in_water = False
        self._told: tuple[float, int, float] | None = None

    def reset(self) -> None:
        """As at the start of a life."""
        self.hunger = hunger.Hunger()
        self.breath = FULL_BREATH

    # --- telling ----------------------------------------------------------------------------------------

    def send(self) -> None:
        """Tell the player his health, food and saturation."""
        player = self._player
        self._told = (player.health, self.hunger.food, self.hunger.saturation)
        player.send(
            "update_health",
            health=player.health,
            food=self.hunger.food,
            foodSaturation=self.hunger.saturation,
        )

    def flush(self) -> None:
        """Tell him what changed. Saturation is only told with something else, or when it is used up."""
        if self._told is None:
            return
        health, points, saturation = self._told
        emptied = (saturation == 0) != (self.hunger.saturation == 0)
        if health != self._player.health or points != self.hunger.food or emptied:
            self.send()

    # --- costs ------------------------------------------------------------------------------------------

    def exhaust(self, amount: float) -> None:
        if self._player.game_mode in ("survival", "adventure"):
            self.hunger = hunger.exhaust(self.hunger, amount)

    def walked(self, dx: float, dy: float, dz: float) -> None:
        """A move by his own will."""
        player = self._player
        if self.eyes_in_water or (player.in_water and player.pose == "swimming"):
            self.exhaust(hunger.SWIMMING * math.sqrt(dx * dx + dy * dy + dz * dz))
        elif player.in_water:
            self.exhaust(hunger.SWIMMING * math.hypot(dx, dz))
        elif player.on_ground and player.sprinting:
            self.exhaust(hunger.SPRINTING * math.hypot(dx, dz))

    def jumped(self) -> None:
        self.exhaust(hunger.SPRINT_JUMP if self._player.sprinting else hunger.JUMP)

    def mined(self) -> None:
        self.exhaust(hunger.BLOCK_MINED)

    def attacked(self) -> None:
        self.exhaust(hunger.ATTACK)

    def landed(self, distance: float) -> None:
        """Solid ground after a fall of `distance` blocks."""
        player = self._player
        if distance <= 0 or player.may_fly:
            return
        below = player.world.block(math.floor(player.x), math.floor(player.y - 0.2), math.floor(player.z))
        harm = falls.landing_damage(below, distance, sneaking=player.sneaking)
        if harm > 0:
            player.hurt(harm, Damage("fall", ignores_armour=True))

    def scaled(self, amount: float, damage: Damage) -> float:
        """Creatures hurt as much as the difficulty lets them."""
        if damage.kind != "mob_attack":
            return amount
        return combat.by_difficulty(amount, self._player.world.difficulty)

    def after_armour(self, amount: float, damage: Damage) -> float:
        """What armour lets through; being hurt makes hungry."""
        self.exhaust(hunger.DAMAGE_TAKEN)
        if damage.ignores_armour or damage.absolute:
            return amount
        worn = [combat.armour_points(self._player.inventory.slots[slot]) for slot in ARMOUR]
        return combat.after_armour(amount, sum(each[0] for each in worn), sum(each[1] for each in worn))

    # --- every tick -------------------------------------------------------------------------------------

    def tick(self) -> None:
        """Digest, heal or starve, and breathe."""
        player = self._player
        if player.game_mode not in ("survival", "adventure"):
            self.breath = FULL_BREATH
            return
        self.hunger, change = hunger.tick(self.hunger, player.health, difficulty=player.world.difficulty)
        if change > 0:
            player.health = min(player.max_health, player.health + change)
            player.metadata_changed = True
        elif change < 0:
            player.hurt(-change, Damage("starve", ignores_armour=True))
        if player.world.difficulty == "peaceful":
            self._rest()
        self._breathe()

    def _rest(self) -> None:
        """In peaceful times everybody heals and is fed by and by."""
        player = self._player
        if player.health < player.max_health and player.age % 20 == 0:
            player.health = min(player.max_health, player.health + 1)
        if self.hunger.food < hunger.MAX_FOOD and player.age % 10 == 0:
            self.hunger = hunger.eat(self.hunger, 1, 0.0)

    def _breathe(self) -> None:
        player = self._player
        eye = (math.floor(player.x), math.floor(player.eye_y), math.floor(player.z))
        state = player.world.block(*eye)
        table = matter()
        self.eyes_in_water = False
        if table.masks[state] & WATER:
            full = bool(table.masks[player.world.block(eye[0], eye[1] + 1, eye[2])] & WATER)
            level = 1.0 if full else table.fluids[state][0] / 9
            self.eyes_in_water = player.eye_y < eye[1] + level
        before = self.breath
        if self.eyes_in_water:
            self.breath -= 1
            if self.breath <= -20:
                self.breath = 0
                player.hurt(2.0, Damage("drown", ignores_armour=True))
        else:
            self.breath = min(FULL_BREATH, self.breath + 4)
        if self.breath != before:
            player.send(
                "entity_metadata",
                entityId=player.id,
                metadata=[{"key": 1, "type": "int", "value": self.breath}],
            )

    # --- eating -----------------------------------------------------------------------------------------

    def can_eat(self, stack: ItemStack | None) -> bool:
        """Whether he could begin to eat this now."""
        return food.meal(stack) is not None and (
            self._player.creative or food.can_eat(stack, self.hunger.food)
        )

    def eaten(self, meal: food.Meal) -> None:
        """A meal is finished."""
        self.hunger = hunger.eat(self.hunger, meal.points, meal.saturation)
