"""Tools wear out: one point a block, more for what they were not made for, and break at the end
(vanilla 1.21.1 `Item.mineBlock`, `hurtEnemy`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.game import GAME

if TYPE_CHECKING:
    from numen.sandbox.player import Player

#: Status for "what was in the main hand broke"; the off hand's follows.
STATUS_BROKE = 47
_DIGGERS = ("_pickaxe", "_axe", "_shovel", "_hoe")


def mined(player: Player, state: int) -> None:
    """The held tool broke a block."""
    held = player.inventory.held
    if held is None or GAME.block_of(state).hardness == 0:
        return
    if held.name.endswith((*_DIGGERS, "minecraft:shears")):
        wear(player, 1)
    elif held.name.endswith(("_sword", "minecraft:trident", "minecraft:mace")):
        wear(player, 2)


def hit(player: Player) -> None:
    """The held tool hit somebody."""
    held = player.inventory.held
    if held is None:
        return
    if held.name.endswith(("_sword", "minecraft:trident", "minecraft:mace")):
        wear(player, 1)
    elif held.name.endswith(_DIGGERS):
        wear(player, 2)


def wear(player: Player, points: int, hand: int = 0) -> None:
    """Take points from what a hand holds; what has none left is gone."""
    held = player.inventory.in_hand(hand)
    if held is None or held.max_damage is None or player.creative:
        return
    damage = held.damage + points
    if damage >= held.max_damage:
        player.inventory.set_hand(hand, None)
        player.tracked.tell_with_self("entity_status", entityId=player.id, entityStatus=STATUS_BROKE + hand)
    else:
        player.inventory.set_hand(hand, held.with_damage(damage))
