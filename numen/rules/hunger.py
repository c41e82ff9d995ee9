"""Food, saturation, exhaustion and what they do to health. vanilla 1.21.1 `FoodData`, `FoodConstants`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from numen.rules.f32 import f32

Difficulty = Literal["peaceful", "easy", "normal", "hard"]

MAX_FOOD = 20
#: Above this much exhaustion a point of saturation or food is used up.
EXHAUSTION_STEP = 4.0
MAX_EXHAUSTION = 40.0

#: Exhaustion per metre.
SPRINTING = f32(0.1)
SWIMMING = f32(0.01)
WALKING = 0.0
#: Exhaustion per act.
JUMP = f32(0.05)
SPRINT_JUMP = f32(0.2)
ATTACK = f32(0.1)
DAMAGE_TAKEN = f32(0.1)
BLOCK_MINED = f32(0.005)
#: Exhaustion per tick and level of the hunger effect.
HUNGER_EFFECT = f32(0.005)
#: Exhaustion per health point that food gives back.
REGENERATION = 6.0

_FAST_TICKS = 10
_SLOW_TICKS = 80
_REGENERATION_FOOD = 18


@dataclass(frozen=True, slots=True)
class Hunger:
    """A player's food: points 0–20, saturation 0 to points, exhaustion, and ticks towards the next effect."""

    food: int = MAX_FOOD
    saturation: float = 5.0
    exhaustion: float = 0.0
    timer: int = 0


def exhaust(hunger: Hunger, amount: float) -> Hunger:
    """Add exhaustion."""
    return replace(hunger, exhaustion=min(f32(hunger.exhaustion + amount), MAX_EXHAUSTION))


def eat(hunger: Hunger, points: int, saturation: float) -> Hunger:
    """Add a meal of so many points and so much saturation (both as in the food table)."""
    food = min(hunger.food + points, MAX_FOOD)
    return replace(hunger, food=food, saturation=min(f32(hunger.saturation + saturation), float(food)))


def tick(
    hunger: Hunger,
    health: float,
    max_health: float = 20.0,
    *,
    difficulty: Difficulty = "normal",
    natural_regeneration: bool = True,
) -> tuple[Hunger, float]:
    """One tick: the new state, and the change of health (a negative one is starvation)."""
    food, saturation, exhaustion, timer = hunger.food, hunger.saturation, hunger.exhaustion, hunger.timer
    if exhaustion > EXHAUSTION_STEP:
        exhaustion = f32(exhaustion - EXHAUSTION_STEP)
        if saturation > 0.0:
            saturation = max(f32(saturation - 1.0), 0.0)
        elif difficulty != "peaceful":
            food = max(food - 1, 0)

    change = 0.0
    hurt = natural_regeneration and 0.0 < health < max_health
    if hurt and saturation > 0.0 and food >= MAX_FOOD:
        timer += 1
        if timer >= _FAST_TICKS:
            spent = min(saturation, REGENERATION)
            change, timer = f32(spent / REGENERATION), 0
            exhaustion = min(f32(exhaustion + spent), MAX_EXHAUSTION)
    elif hurt and food >= _REGENERATION_FOOD:
        timer += 1
        if timer >= _SLOW_TICKS:
            change, timer = 1.0, 0
            exhaustion = min(f32(exhaustion + REGENERATION), MAX_EXHAUSTION)
    elif food <= 0:
        timer += 1
        if timer >= _SLOW_TICKS:
            timer = 0
            floor = {"peaceful": 10.0, "easy": 10.0, "normal": 1.0, "hard": 0.0}[difficulty]
            if health > floor:
                change = -1.0
    else:
        timer = 0
    return Hunger(food, saturation, exhaustion, timer), change
