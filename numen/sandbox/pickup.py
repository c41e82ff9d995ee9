"""Picking things up: what touches a player's box made 1 wider and 0.5 higher goes into his pockets
(vanilla 1.21.1 `Player.aiStep`, `ItemEntity.playerTouch`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from numen.sandbox import space
from numen.sandbox.entities.item import ItemEntity

if TYPE_CHECKING:
    from numen.sandbox.player import Player


def tick(player: Player) -> None:
    """Take what lies in reach and may be taken."""
    if player.game_mode == "spectator":
        return
    reach = space.grown(player.box, 1.0, 0.5, 1.0)
    for item in list(player.world.entities.values()):
        if not isinstance(item, ItemEntity) or item.pickup_delay > 0 or not space.overlap(reach, item.box):
            continue
        before = item.stack.count
        rest = player.inventory.add(item.stack)
        taken = before - (rest.count if rest is not None else 0)
        if taken == 0:
            continue
        player.world.tracker.of(item).tell(
            "collect", collectedEntityId=item.id, collectorEntityId=player.id, pickupItemCount=taken
        )
        item.take(taken)
