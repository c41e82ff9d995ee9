"""Fighting with what is in the hand: approach, full cooldown, clear line, hit, and see what the server says
of it.

vanilla 1.21.1: a hit counts fully when 20 / attack speed ticks have passed since the last one; the reach is
three blocks from the eye to the target's box. Items, experience, arrows and oneself can't be attacked: the
server ends the connection of whoever tries.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from numen.body import sight, walk
from numen.body.acts import ActStopped, Verdict, next_tick, run_while, until
from numen.body.inventory import hold_slot, short
from numen.body.legs import walk_straight
from numen.body.path import goals
from numen.body.pickup import collect
from numen.body.prediction import Point
from numen.body.reach import entity_reach
from numen.body.tools import best_weapon
from numen.world.entities import Entity

if TYPE_CHECKING:
    from numen.body.body import Body

#: use_entity kinds (protocol 767).
INTERACT, ATTACK, INTERACT_AT = 0, 1, 2

_NEVER: Final = frozenset(
    f"minecraft:{name}" for name in ("item", "experience_orb", "arrow", "spectral_arrow", "trident")
)
#: Ticks without coming into reach of a target after which it is given up.
_CHASE_TICKS: Final = 300
#: Hits in a row that the server ignored after which a target is given up.
_IGNORED_HITS: Final = 6
#: Wait for the server's word on a hit.
_HIT_TICKS: Final = 12
#: A dead mob stays for a second before it is removed.
_DEATH_TICKS: Final = 30
_STRAIGHT: Final = 8.0
_SWEEP_RADIUS: Final = 8.0
#: A little less than the reach, for a target that moves while the packet travels.
_SAFETY: Final = 0.15


@dataclass
class _Fight:
    """What happened so far."""

    killed: list[str] = field(default_factory=list)
    lost: dict[int, str] = field(default_factory=dict)
    hits: int = 0
    battleground: list[Point] = field(default_factory=list)

    def data(self) -> dict[str, object]:
        return {
            "killed": self.killed,
            "hits": self.hits,
            "given_up": {str(each): why for each, why in self.lost.items()},
        }


async def attack(body: Body, entity_ids: Sequence[int], *, sweep: bool = True) -> Verdict:
    """Fight the entities with these runtime ids to the death, the nearest first.

    A target that can't be reached, runs off or takes no damage is given up. With `sweep` what they dropped is
    collected. Success when at least one died and none that could be hit was left; data: killed (kinds), hits,
    given_up (id -> why), collected.
    """
    fight = _Fight()
    targets = list(dict.fromkeys(entity_ids))
    for entity_id in targets:
        reason = _not_a_target(body, entity_id)
        if reason:
            fight.lost[entity_id] = reason
    try:
        while True:
            left = [
                each
                for entity_id in targets
                if entity_id not in fight.lost and (each := body.world.entities.get(entity_id)) and each.alive
            ]
            if not left:
                break
            x, y, z = body.position
            target = min(left, key=lambda each: each.distance_to(x, y, z))
            await _fight_one(body, target, fight)
            targets.remove(target.id)
        for entity_id in targets:
            fight.lost.setdefault(entity_id, "gone before it was hit")
        data = fight.data()
        if sweep and fight.killed:
            data["collected"] = await _sweep(body, fight)
    except ActStopped as stop:
        stop.data.update(fight.data())
        stop.so_far = f"{len(fight.killed)} killed so far." if fight.killed else ""
        raise
    return _verdict(fight, data)


def _verdict(fight: _Fight, data: dict[str, object]) -> Verdict:
    reasons = "; ".join(f"{entity_id}: {why}" for entity_id, why in fight.lost.items())
    if not fight.killed:
        return Verdict(False, f"None could be killed ({reasons}).", data, "target_lost")
    killed = ", ".join(fight.killed)
    if fight.lost:
        return Verdict(True, f"Killed {killed}; given up {reasons}.", data)
    return Verdict(True, f"Killed {killed}.", data)


async def _fight_one(body: Body, target: Entity, fight: _Fight) -> None:
    """Fight one target until it is dead or given up."""
    near_since = body.ticks
    ignored = 0
    blocked = 0
    weapon = best_weapon(body)
    if weapon is not None:
        await hold_slot(body, weapon)
    while target.alive:
        point = _aim(body, target)
        if point is None:
            if body.ticks - near_since > _CHASE_TICKS:
                fight.lost[target.id] = "could not be reached"
                return
            if not await _approach(body, target):
                blocked += 1
                if blocked >= 3:
                    fight.lost[target.id] = "there is no way to it"
                    return
            continue
        near_since, blocked = body.ticks, 0
        body.controls.release()
        body.look_at(point)
        if body.ticks < body.attack_ready_at or not body.look_sent():
            await next_tick()
            continue
        if await _hit(body, target):
            fight.hits += 1
            ignored = 0
        elif target.alive:
            ignored += 1
            if ignored >= _IGNORED_HITS:
                fight.lost[target.id] = "takes no damage"
                return
    if await _died(body, target):
        fight.killed.append(short(target.kind))
        fight.battleground.append(target.pos)
    else:
        fight.lost[target.id] = "went out of sight"


def _aim(body: Body, target: Entity) -> Point | None:
    """A point of the target's box that is in reach with nothing between, or None."""
    eye = body.eye
    reach = entity_reach(body) - _SAFETY
    x0, y0, z0, x1, y1, z1 = target.box()
    nearest = (
        min(max(eye[0], x0), x1),
        min(max(eye[1], y0), y1),
        min(max(eye[2], z0), z1),
    )
    if math.dist(eye, nearest) > reach:
        return None
    middle = ((x0 + x1) / 2, (y0 + y1) / 2, (z0 + z1) / 2)
    high = (middle[0], y0 + (y1 - y0) * 0.85, middle[2])
    for point in (middle, high, nearest):
        if math.dist(eye, point) <= reach + 0.5 and sight.clear_line(body, eye, point):
            return point
    return None


async def _hit(body: Body, target: Entity) -> bool:
    """Strike once; whether the server said that it hurt."""
    me = body.world.me
    health = target.health

    def hurt() -> bool:
        return (
            any(each[0] == target.id and each[2] in (me.entity_id, None) for each in damage)
            or not target.alive
            or (health is not None and target.health is not None and target.health < health)
        )

    with body.watching("damage") as damage:
        body.link.send("use_entity", target=target.id, mouse=ATTACK, sneaking=body.sender.sneaking)
        body.swing()
        body.rest_arm()
        return await until(hurt, _HIT_TICKS)


async def _approach(body: Body, target: Entity) -> bool:
    """Come nearer, for a while. False when there is no way."""

    def in_reach() -> bool:
        return not target.alive or _aim(body, target) is not None

    def place() -> Point | None:
        return target.pos if target.alive else None

    x, y, z = body.position
    flat = math.hypot(target.x - x, target.z - z)
    if (
        flat < _STRAIGHT
        and abs(target.y - y) < 2.0
        and await walk_straight(body, place, in_reach, 40, sprint=True)
    ):
        return True
    start = target.pos
    cell = (math.floor(target.x), math.floor(target.y), math.floor(target.z))

    def worth_it() -> bool:
        return not in_reach() and target.distance_to(*start) < 3.0

    verdict = await run_while(walk.go_to(body, goals.Near(*cell, 2.0)), worth_it)
    return verdict is None or verdict.ok


async def _died(body: Body, target: Entity) -> bool:
    """Whether a target that is no longer alive died, and did not just leave our sight."""
    if target.dying or (target.health is not None and target.health <= 0):
        return True
    # removed without a word: count it as killed when it stood before us and was hurt by us just now
    x, y, z = body.position
    recent = target.hurt_at is not None and body.world.ticks - target.hurt_at <= _DEATH_TICKS
    return recent and target.hurt_by == body.world.me.entity_id and target.distance_to(x, y, z) < 6.0


async def _sweep(body: Body, fight: _Fight) -> dict[str, int]:
    """Collect what fell where the targets died."""

    def from_here(item: Entity) -> bool:
        return any(item.distance_to(*spot) <= _SWEEP_RADIUS for spot in fight.battleground)

    await until(
        lambda: any(from_here(each) for each in body.world.entities if each.kind == "minecraft:item"), 25
    )
    collected: dict[str, int] = (await collect(body, radius=24.0, wanted=from_here)).data["collected"]
    return collected


def _not_a_target(body: Body, entity_id: int) -> str:
    """Why this id can't be attacked, "" when it can."""
    if entity_id == body.world.me.entity_id:
        return "that is me"
    entity = body.world.entities.get(entity_id)
    if entity is None:
        return "no entity with this id is here"
    if entity.kind in _NEVER or entity.category == "projectile":
        return f"a {short(entity.kind)} can't be attacked"
    if not entity.alive:
        return "already dead"
    return ""
