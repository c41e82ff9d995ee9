"""Experience levels and what gives points. vanilla 1.21.1 `Player.getXpNeededForNextLevel`, block loot."""

from __future__ import annotations

from random import Random

from numen.rules.states import name_of

#: Points of an ore or spawner broken without Silk Touch, (least, most).
_FROM_BLOCKS = {
    "coal_ore": (0, 2),
    "nether_gold_ore": (0, 1),
    "redstone_ore": (1, 5),
    "lapis_ore": (2, 5),
    "nether_quartz_ore": (2, 5),
    "diamond_ore": (3, 7),
    "emerald_ore": (3, 7),
    "spawner": (15, 43),
    "sculk": (1, 1),
    "sculk_sensor": (5, 5),
    "sculk_shrieker": (5, 5),
    "sculk_catalyst": (5, 5),
}
#: Sizes orbs come in, largest first.
_ORBS = (2477, 1237, 617, 307, 149, 73, 37, 17, 7, 3, 1)


def to_next_level(level: int) -> int:
    """Points from a level to the next."""
    if level >= 30:
        return 112 + 9 * (level - 30)
    if level >= 15:
        return 37 + 5 * (level - 15)
    return 7 + 2 * level


def total_at(level: int) -> int:
    """Points that make a level, from nothing."""
    return sum(to_next_level(each) for each in range(level))


def level_at(points: int) -> tuple[int, float]:
    """(level, share of the way to the next) that so many points make."""
    level = 0
    while points >= to_next_level(level):
        points -= to_next_level(level)
        level += 1
    return level, points / to_next_level(level)


def from_block(state: int, rng: Random, *, silk_touch: bool = False) -> int:
    """Points that breaking a block with the right tool gives."""
    span = _FROM_BLOCKS.get(name_of(state).removeprefix("deepslate_"))
    if span is None or silk_touch:
        return 0
    return rng.randint(*span)


def orbs(points: int) -> list[int]:
    """Points split into orbs as the game splits them."""
    found = []
    for size in _ORBS:
        while points >= size:
            found.append(size)
            points -= size
    return found
