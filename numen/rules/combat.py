"""Hitting and being hit. vanilla 1.21.1 `Player.attack`, `CombatRules`, `LivingEntity.knockback`.

Damage is in half hearts, speed in attacks a second, time in ticks.
"""

from __future__ import annotations

from math import cos, radians, sin, sqrt

from numen.rules.hunger import Difficulty
from numen.rules.items import ItemStack
from protocol.game import GAME

HAND_DAMAGE = 1.0
HAND_SPEED = 4.0
#: A hit at more than this strength can be critical or a sweep.
FULL_STRENGTH = 0.9
CRITICAL = 1.5
#: After a hit a living entity takes, for this long, only what exceeds the last hit.
INVULNERABLE_TICKS = 10
BASE_KNOCKBACK = 0.4
#: What a sprint hit leaves of the attacker's own horizontal speed.
SPRINT_HIT_SLOWDOWN = 0.6

_TIERS = ("wooden", "stone", "iron", "diamond", "netherite", "golden")
#: (damage, attacks a second) by tier, in the order above.
_TOOLS: dict[str, tuple[tuple[float, float], ...]] = {
    "sword": ((4, 1.6), (5, 1.6), (6, 1.6), (7, 1.6), (8, 1.6), (4, 1.6)),
    "axe": ((7, 0.8), (9, 0.8), (9, 0.9), (9, 1.0), (10, 1.0), (7, 1.0)),
    "pickaxe": ((2, 1.2), (3, 1.2), (4, 1.2), (5, 1.2), (6, 1.2), (2, 1.2)),
    "shovel": ((2.5, 1.0), (3.5, 1.0), (4.5, 1.0), (5.5, 1.0), (6.5, 1.0), (2.5, 1.0)),
    "hoe": ((1, 1.0), (1, 2.0), (1, 3.0), (1, 4.0), (1, 4.0), (1, 1.0)),
}
_WEAPONS: dict[str, tuple[float, float]] = {
    f"minecraft:{tier}_{tool}": values[i] for tool, values in _TOOLS.items() for i, tier in enumerate(_TIERS)
}
_WEAPONS |= {"minecraft:trident": (9.0, 1.1), "minecraft:mace": (6.0, 0.6)}

_PIECES = ("helmet", "chestplate", "leggings", "boots")
#: Armour points by piece, then toughness.
_ARMOUR: dict[str, tuple[tuple[int, int, int, int], float]] = {
    "leather": ((1, 3, 2, 1), 0.0),
    "golden": ((2, 5, 3, 1), 0.0),
    "chainmail": ((2, 5, 4, 1), 0.0),
    "iron": ((2, 6, 5, 2), 0.0),
    "diamond": ((3, 8, 6, 3), 2.0),
    "netherite": ((3, 8, 6, 3), 3.0),
}
_WORN: dict[str, tuple[float, float]] = {
    f"minecraft:{kind}_{piece}": (float(points[i]), toughness)
    for kind, (points, toughness) in _ARMOUR.items()
    for i, piece in enumerate(_PIECES)
}
_WORN["minecraft:turtle_helmet"] = (2.0, 0.0)


def _own_modifier(stack: ItemStack, attribute: str) -> float | None:
    # What an `attribute_modifiers` component adds for the main hand; None where the item's defaults hold.
    data = stack.component("attribute_modifiers")
    if not data:
        return None
    wanted = GAME.attribute(attribute).id
    return sum(
        float(entry["value"])
        for entry in data["attributes"]
        if entry["typeId"] == wanted
        and entry["operation"] == "add"
        and entry["slot"] in ("any", "main_hand", "hand")
    )


def attack_damage(stack: ItemStack | None) -> float:
    """Damage of a full hit with a stack in hand, enchantments and effects aside."""
    if stack is None:
        return HAND_DAMAGE
    own = _own_modifier(stack, "generic.attack_damage")
    if own is not None:
        return HAND_DAMAGE + own
    return float(_WEAPONS.get(stack.name, (HAND_DAMAGE, HAND_SPEED))[0])


def attack_speed(stack: ItemStack | None) -> float:
    """Full attacks a second with a stack in hand."""
    if stack is None:
        return HAND_SPEED
    own = _own_modifier(stack, "generic.attack_speed")
    if own is not None:
        return HAND_SPEED + own
    return float(_WEAPONS.get(stack.name, (HAND_DAMAGE, HAND_SPEED))[1])


def cooldown_ticks(stack: ItemStack | None, speed: float | None = None) -> float:
    """Ticks from one hit to the next full one; `speed` is the attribute where it is known better."""
    return 20.0 / (attack_speed(stack) if speed is None else speed)


def strength(ticks: float, cooldown: float) -> float:
    """How strong a hit is, 0..1, so many ticks after the last hit or change of hand."""
    return min(1.0, max(0.0, (ticks + 0.5) / cooldown))


def is_critical(
    power: float,
    *,
    fall_distance: float,
    on_ground: bool,
    on_climbable: bool = False,
    in_water: bool = False,
    blind: bool = False,
    sprinting: bool = False,
) -> bool:
    """Whether a hit of this strength by a player in this state counts half as much again."""
    hindered = on_ground or on_climbable or in_water or blind or sprinting
    return power > FULL_STRENGTH and fall_distance > 0.0 and not hindered


def hit_damage(base: float, power: float, *, critical: bool = False, enchantment: float = 0.0) -> float:
    """Damage of a hit before armour.

    `base` is the attack damage with effects, `power` the strength of `strength`, `enchantment` what Sharpness
    and its like add.
    """
    damage = base * (0.2 + power * power * 0.8)
    if critical:
        damage *= CRITICAL
    return damage + enchantment * power


def sharpness(level: int) -> float:
    """What Sharpness of a level adds to a hit."""
    return 0.5 * level + 0.5 if level > 0 else 0.0


def armour_points(stack: ItemStack | None) -> tuple[float, float]:
    """(armour, toughness) of one worn piece."""
    return _WORN.get(stack.name, (0.0, 0.0)) if stack is not None else (0.0, 0.0)


def after_armour(damage: float, armour: float, toughness: float = 0.0) -> float:
    """What armour lets through."""
    effective = min(20.0, max(armour * 0.2, armour - damage / (2.0 + toughness / 4.0)))
    return damage * (1.0 - effective / 25.0)


def after_protection(damage: float, points: float) -> float:
    """What enchantments let through, 4 % less a point, 20 points at most."""
    return damage * (1.0 - min(20.0, max(0.0, points)) / 25.0)


def after_resistance(damage: float, level: int) -> float:
    """What the Resistance effect of a level lets through, a fifth less each."""
    return max(0.0, damage * (25 - 5 * level) / 25.0)


def by_difficulty(damage: float, difficulty: Difficulty) -> float:
    """What a mob's hit on a player comes to."""
    if difficulty == "peaceful":
        return 0.0
    if difficulty == "easy":
        return min(damage / 2.0 + 1.0, damage)
    return damage * 1.5 if difficulty == "hard" else damage


def knocked_back(
    velocity: tuple[float, float, float],
    strength: float,
    from_x: float,
    from_z: float,
    *,
    on_ground: bool,
    resistance: float = 0.0,
) -> tuple[float, float, float]:
    """Velocity after a push of `strength` away from (from_x, from_z), which points from the victim to the
    cause.
    """
    strength *= 1.0 - resistance
    if strength <= 0.0:
        return velocity
    vx, vy, vz = velocity
    length = sqrt(from_x * from_x + from_z * from_z)
    if length < 1.0e-4:
        push_x = push_z = 0.0
    else:
        push_x, push_z = from_x / length * strength, from_z / length * strength
    lift = min(0.4, vy / 2.0 + strength) if on_ground else vy
    return vx / 2.0 - push_x, lift, vz / 2.0 - push_z


def shield_blocks(yaw: float, dx: float, dz: float) -> bool:
    """Whether a raised shield covers an attacker in the direction (dx, dz), the front half."""
    return -sin(radians(yaw)) * dx + cos(radians(yaw)) * dz > 0.0


def bow_power(ticks: int) -> float:
    """How far a bow is drawn after so many ticks, 0..1; under 0.1 it does not shoot. Arrow speed is 3 times
    this.
    """
    drawn = ticks / 20.0
    return min(1.0, (drawn * drawn + drawn * 2.0) / 3.0)
