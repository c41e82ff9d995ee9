"""What can be eaten, how long it takes, what it leaves and what it does. vanilla 1.21.1 item components."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from numen.rules.items import ItemStack
from protocol.game import GAME

#: Ticks of holding the use key for a meal.
EAT_TICKS = 32

_OTHER_TICKS = {"dried_kelp": 16, "honey_bottle": 40}
_ALWAYS = frozenset(
    {"golden_apple", "enchanted_golden_apple", "chorus_fruit", "honey_bottle", "suspicious_stew"}
)
_LEFT_OVER = {
    "mushroom_stew": "bowl",
    "rabbit_stew": "bowl",
    "beetroot_soup": "bowl",
    "suspicious_stew": "bowl",
    "honey_bottle": "glass_bottle",
}

#: (effect, level, ticks, chance) by item: what eating does besides feeding.
_EFFECTS: dict[str, tuple[tuple[str, int, int, float], ...]] = {
    "golden_apple": (("regeneration", 2, 100, 1.0), ("absorption", 1, 2400, 1.0)),
    "enchanted_golden_apple": (
        ("regeneration", 2, 400, 1.0),
        ("resistance", 1, 6000, 1.0),
        ("fire_resistance", 1, 6000, 1.0),
        ("absorption", 4, 2400, 1.0),
    ),
    "chicken": (("hunger", 1, 600, 0.3),),
    "rotten_flesh": (("hunger", 1, 600, 0.8),),
    "spider_eye": (("poison", 1, 100, 1.0),),
    "poisonous_potato": (("poison", 1, 100, 0.6),),
    "pufferfish": (("poison", 2, 1200, 1.0), ("hunger", 3, 300, 1.0), ("nausea", 1, 300, 1.0)),
}
_HARMFUL = frozenset({"hunger", "poison", "nausea"})


@dataclass(frozen=True, slots=True)
class Meal:
    """One item as food: points and saturation it gives, ticks it takes, the item name it leaves."""

    points: int
    saturation: float
    ticks: int
    always: bool
    left_over: str | None
    effects: tuple[tuple[str, int, int, float], ...]

    @property
    def is_harmful(self) -> bool:
        """Whether it may make ill."""
        return any(effect[0] in _HARMFUL for effect in self.effects)


def meal(stack: ItemStack | None) -> Meal | None:
    """What eating one of a stack gives; None for what can't be eaten (milk, potions, cake)."""
    if stack is None or stack.item is None:
        return None
    food = GAME.food(stack.name)
    if food is None:
        return None
    name = stack.name.removeprefix("minecraft:")
    points, saturation = food.points, food.saturation
    ticks, always = _OTHER_TICKS.get(name, EAT_TICKS), name in _ALWAYS
    own = stack.component("food")
    if own is not None:
        points, saturation = own["nutrition"], own["saturationModifier"]
        always, ticks = own["canAlwaysEat"], round(own["secondsToEat"] * 20)
    return Meal(points, saturation, ticks, always, _LEFT_OVER.get(name), _EFFECTS.get(name, ()))


def can_eat(stack: ItemStack | None, food: int) -> bool:
    """Whether a player with so many food points can eat it now."""
    found = meal(stack)
    return found is not None and (food < 20 or found.always)


def worth(stack: ItemStack | None, food: int) -> tuple[Literal[0, 1], float]:
    """A rank for choosing what to eat, greater is better: harmless food first, then what wastes least and
    lasts.
    """
    found = meal(stack)
    if found is None:
        return (0, float("-inf"))
    missing = max(0, 20 - food)
    used = min(found.points, missing)
    wasted = found.points - used
    return (0 if found.is_harmful else 1, used + found.saturation / 2 - wasted * 2)
