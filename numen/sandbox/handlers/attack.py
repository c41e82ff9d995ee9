"""Hitting: reach, the strength that comes back with time, critical hits, knockback (vanilla 1.21.1
`Player.attack`).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from numen.rules import combat, reach
from numen.sandbox import wear
from numen.sandbox.entities.base import Entity
from numen.sandbox.entities.living import Damage, Living
from numen.sandbox.text import translated

if TYPE_CHECKING:
    from numen.sandbox.player import Player

#: `use_entity` kinds (protocol 767).
INTERACT, ATTACK, INTERACT_AT = range(3)


def _use_entity(player: Player, fields: dict[str, Any]) -> None:
    player.sneaking = fields["sneaking"]
    if player.dead or player.game_mode == "spectator":
        return
    target = player.world.entities.get(fields["target"])
    if target is None:
        return
    if not player.can_hit(target):
        player.note("attack_reach", distance=round(reach.distance_to_box(player.eye, target.box), 3))
        return
    if fields["mouse"] != ATTACK:
        return
    if target is player or not isinstance(target, Living):
        player.note("attack_bad_target", target=target.kind)
        player.kick(translated("multiplayer.disconnect.invalid_entity_attacked"))
        return
    attack(player, target)


def attack(player: Player, target: Living) -> None:
    """One blow."""
    held = player.inventory.held
    power = combat.strength(player.since_attack, combat.cooldown_ticks(held))
    player.since_attack = 0
    critical = combat.is_critical(
        power,
        fall_distance=player.fall_distance,
        on_ground=player.on_ground,
        in_water=player.in_water,
        sprinting=player.sprinting,
    )
    damage = combat.hit_damage(combat.attack_damage(held), power, critical=critical)
    if not target.hurt(damage, Damage("player_attack", player)):
        return
    player.survival.attacked()
    wear.hit(player)
    if critical:
        player.tracked.tell_with_self("animation", entityId=target.id, animation=4)
    if player.sprinting and power > combat.FULL_STRENGTH:
        push_sideways(player, target)
        player.sprinting = False
        player.metadata_changed = True


def push_sideways(player: Player, target: Entity) -> None:
    """A sprinting blow throws farther, the way the attacker looks."""
    if isinstance(target, Living):
        yaw = math.radians(player.yaw)
        target.knock_back(0.5, math.sin(yaw), -math.cos(yaw))


HANDLERS = {"use_entity": _use_entity}
