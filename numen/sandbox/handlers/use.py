"""Using what is in hand: eating, and taking water in and out of buckets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numen.rules import food
from numen.rules.items import ItemStack

if TYPE_CHECKING:
    from numen.sandbox.player import Player

#: Status that tells a client that what it was using is used up.
STATUS_DONE = 9


class Using:
    """What one player is holding the use key for."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self._hand = 0
        self._stack: ItemStack | None = None
        self._left = 0

    @property
    def active(self) -> bool:
        return self._stack is not None

    def start(self, hand: int) -> None:
        """Begin to eat what a hand holds, if it can be eaten now."""
        player = self._player
        stack = player.inventory.in_hand(hand)
        meal = food.meal(stack)
        if self.active or meal is None or not player.survival.can_eat(stack):
            return
        self._hand, self._stack, self._left = hand, stack, meal.ticks
        player.metadata_changed = True

    def stop(self) -> None:
        """Let go."""
        if self._stack is not None:
            self._stack = None
            self._player.metadata_changed = True

    def tick(self) -> None:
        """Chew."""
        if self._stack is None:
            return
        player = self._player
        held = player.inventory.in_hand(self._hand)
        if held is None or not held.same_kind(self._stack):
            self.stop()
            return
        self._left -= 1
        if self._left <= 0:
            self._finish(held)

    def _finish(self, held: ItemStack) -> None:
        player = self._player
        meal = food.meal(held)
        self.stop()
        player.send("entity_status", entityId=player.id, entityStatus=STATUS_DONE)
        if meal is None:
            return
        player.survival.eaten(meal)
        if player.creative:
            return
        player.inventory.use_up(self._hand)
        if meal.left_over is not None:
            left = ItemStack.of(meal.left_over)
            rest = left
            if player.inventory.in_hand(self._hand) is None:
                player.inventory.set_hand(self._hand, left)
                return
            put = player.inventory.add(rest)
            if put is not None:
                player.throw(put)


def _use_item(player: Player, fields: dict[str, Any]) -> None:
    player.acknowledge(fields["sequence"])
    if player.dead or player.movement.awaits_confirmation or player.game_mode == "spectator":
        return
    player.using.start(fields["hand"])


HANDLERS = {"use_item": _use_item}
