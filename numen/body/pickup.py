"""Picking up what lies around, counted by what arrives in the inventory.

vanilla 1.21.1: an item is picked up when its box touches the player's grown by one block sideways and half a
block up and down; ten ticks after it fell, forty when a player threw it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Final

from numen.body.acts import ActStopped, Verdict, until
from numen.body.approach import go_near
from numen.body.legs import walk_straight
from numen.body.prediction import Point
from numen.world.entities import Entity

if TYPE_CHECKING:
    from numen.body.body import Body

ITEM: Final = "minecraft:item"
#: Standing on an item this long without getting it: somebody else's, or no room for it.
_WAIT_TICKS: Final = 50
_STEPS_TICKS: Final = 60
_CHASES: Final = 4
_NEAR: Final = 6.0
#: Where an item is touched, from the feet: the boxes' sizes with a little to spare.
_SIDEWAYS: Final = 1.3
_BELOW, _ABOVE = -0.7, 2.2


async def collect(
    body: Body,
    names: Collection[str] | None = None,
    radius: float = 16.0,
    *,
    wanted: Callable[[Entity], bool] | None = None,
    may_dig: bool = False,
) -> Verdict:
    """Walk to every item lying within `radius` blocks, the nearest first, and pick it up.

    `names` (``oak_log`` or with namespace) or `wanted` narrow it down; without them everything is collected.
    What can't be reached is skipped. Success even when nothing was there; data: collected (item name ->
    count gained in the inventory), skipped (how many were left), radius.
    """
    kinds = None if names is None else frozenset(full_name(name) for name in names)
    centre = body.position
    before = carried(body)
    skipped: set[int] = set()

    def next_item() -> Entity | None:
        x, y, z = body.position
        near = [
            each
            for each in body.world.entities.near(*centre, radius, kinds=(ITEM,))
            if each.id not in skipped
            and (kinds is None or each.stack is None or each.stack.name in kinds)
            and (wanted is None or wanted(each))
        ]
        return min(near, key=lambda each: each.distance_to(x, y, z), default=None)

    try:
        while (item := next_item()) is not None:
            if not await _fetch(body, item, may_dig=may_dig):
                skipped.add(item.id)
    except ActStopped as stop:
        stop.data.update(collected=gained(before, carried(body)), skipped=len(skipped))
        raise
    got = gained(before, carried(body))
    left = f"; {len(skipped)} could not be reached or did not fit" if skipped else ""
    what = listed(got) or "nothing"
    return Verdict(
        True, f"Collected {what}{left}.", {"collected": got, "skipped": len(skipped), "radius": radius}
    )


async def _fetch(body: Body, item: Entity, *, may_dig: bool) -> bool:
    """Go to one item and wait until it is gone. False when it stays."""

    def touches() -> bool:
        x, y, z = body.position
        return item.removed or (
            max(abs(item.x - x), abs(item.z - z)) < _SIDEWAYS and _BELOW < item.y - y < _ABOVE
        )

    def place() -> Point | None:
        if item.removed:
            return None
        if item.y - body.position[1] > _BELOW:
            return item.pos
        # it lies in a hole: only over the middle of it does a body fall in
        return math.floor(item.x) + 0.5, item.y, math.floor(item.z) + 0.5

    for _ in range(_CHASES):
        if not touches():
            x, y, z = body.position
            near = math.hypot(item.x - x, item.z - z) < _NEAR and abs(item.y - y) < 2.5
            arrived = near and await walk_straight(body, place, touches, _STEPS_TICKS)
            if not arrived and not item.removed:
                arrived = await go_near(body, item.pos, 0.9, may_dig=may_dig)
                arrived = await walk_straight(body, place, touches, _STEPS_TICKS) or arrived
            if not arrived and not touches():
                return False
        # a fresh drop still flies and slides: it may have to be followed
        if await until(lambda: not touches() or item.removed, _WAIT_TICKS) and item.removed:
            return True
        if touches():
            return False
    return item.removed


def full_name(name: str) -> str:
    """`name` with its namespace."""
    return name if ":" in name else f"minecraft:{name}"


def carried(body: Body) -> Counter[str]:
    """Item name (without ``minecraft:``) -> how many the body carries, hands and armour included."""
    count: Counter[str] = Counter()
    for stack in body.world.inventory.slots[5:]:
        if stack is not None:
            count[stack.name.removeprefix("minecraft:")] += stack.count
    return count


def gained(before: Counter[str], after: Counter[str]) -> dict[str, int]:
    """What is there more of now."""
    return {name: after[name] - before[name] for name in after if after[name] > before[name]}


def listed(counts: dict[str, int]) -> str:
    """``3x oak_log, 1x stick`` for a sentence."""
    return ", ".join(f"{count}x {name}" for name, count in sorted(counts.items()))
