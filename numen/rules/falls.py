"""What a fall costs. vanilla 1.21.1 `LivingEntity.calculateFallDamage` and the blocks' own `fallOn`."""

from __future__ import annotations

from math import ceil

from numen.rules.f32 import f32
from numen.rules.states import name_of

#: Blocks a player falls without harm: the attribute `generic.safe_fall_distance`.
SAFE_DISTANCE = 3.0

_SOFT = f32(0.2)


def damage(
    distance: float,
    multiplier: float = 1.0,
    *,
    safe: float = SAFE_DISTANCE,
    fall_damage_multiplier: float = 1.0,
) -> int:
    """Damage in half hearts for a fall distance in blocks; the last two are attributes.

    The distance is what had been fallen before the tick of landing, so this is an upper bound for a height.
    """
    return max(0, ceil(f32(f32(distance - safe) * multiplier) * fall_damage_multiplier))


def landing_damage(
    state: int,
    distance: float,
    *,
    sneaking: bool = False,
    safe: float = SAFE_DISTANCE,
    fall_damage_multiplier: float = 1.0,
) -> int:
    """Damage of falling `distance` onto a block: hay and honey soften, slime and water save, dripstone
    spikes.
    """
    name = name_of(state)
    multiplier = 1.0
    if name in ("water", "bubble_column", "powder_snow", "cobweb", "sweet_berry_bush"):
        return 0
    if name == "slime_block":
        multiplier = 1.0 if sneaking else 0.0
    elif name in ("hay_block", "honey_block"):
        multiplier = _SOFT
    elif name.endswith("_bed"):
        distance = f32(distance * 0.5)
    elif name == "pointed_dripstone":
        distance, multiplier = distance + 2.0, 2.0
    return damage(distance, multiplier, safe=safe, fall_damage_multiplier=fall_damage_multiplier)


def safe_height(health: float, *, safe: float = SAFE_DISTANCE, keep: float = 1.0) -> int:
    """The greatest height in whole blocks from which a fall leaves at least `keep` half hearts."""
    return int(safe + max(0.0, health - keep))
