"""Using what is in hand: eating, holding up a shield, filling and emptying buckets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numen.rules import combat, food
from numen.rules.items import ItemStack
from numen.sandbox import buckets, wear
from numen.sandbox.entities.living import Damage

if TYPE_CHECKING:
    from numen.sandbox.player import Player

#: Status that tells a client that what it was using is used up, and that a shield took a blow.
STATUS_DONE = 9
STATUS_BLOCKED = 29
#: A shield protects after so many ticks (vanilla 1.21.1 `LivingEntity.isBlocking`).
SHIELD_TICKS = 5
#: Lighter blows leave no mark on it.
SHIELD_WEAR_FROM = 3.0


class Using:
    """What one player is holding the use key for."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self._hand = 0
        self._stack: ItemStack | None = None
        self._ticks = 0
        #: Ticks the meal takes; None for a shield.
        self._meal_ticks: int | None = None

    @property
    def active(self) -> bool:
        return self._stack is not None

    def start(self, hand: int) -> None:
        """Begin to use what a hand holds, if that takes time and makes sense now."""
        player = self._player
        stack = player.inventory.in_hand(hand)
        if stack is None or self.active:
            return
        meal = food.meal(stack)
        if meal is not None and player.survival.can_eat(stack):
            self._meal_ticks = meal.ticks
        elif stack.name == "minecraft:shield":
            self._meal_ticks = None
        else:
            return
        self._hand, self._stack, self._ticks = hand, stack, 0
        player.metadata_changed = True

    def stop(self) -> None:
        """Let go."""
        if self._stack is not None:
            self._stack = None
            self._player.metadata_changed = True

    def tick(self) -> None:
        """Go on."""
        if self._stack is None:
            return
        held = self._player.inventory.in_hand(self._hand)
        if held is None or held.item_id != self._stack.item_id:
            self.stop()
            return
        self._ticks += 1
        if self._meal_ticks is not None and self._ticks >= self._meal_ticks:
            self._finish(held)

    def _finish(self, held: ItemStack) -> None:
        player = self._player
        meal = food.meal(held)
        self.stop()
        player.send("entity_status", entityId=player.id, entityStatus=STATUS_DONE)
        if meal is None:
            return
        player.survival.eaten(meal)
        if not player.creative:
            player.exchange(self._hand, ItemStack.of(meal.left_over) if meal.left_over else None)

    def blocks(self, damage: Damage) -> bool:
        """Whether a raised shield stands between the player and what hurts him."""
        if self._stack is None or self._meal_ticks is not None or self._ticks < SHIELD_TICKS:
            return False
        if damage.attacker is None or damage.absolute:
            return False
        player = self._player
        return combat.shield_blocks(player.yaw, damage.attacker.x - player.x, damage.attacker.z - player.z)

    def blocked(self, amount: float) -> None:
        """The shield took a blow."""
        player = self._player
        player.tracked.tell_with_self("entity_status", entityId=player.id, entityStatus=STATUS_BLOCKED)
        if amount >= SHIELD_WEAR_FROM:
            wear.wear(player, 1 + int(amount), self._hand)


def _use_item(player: Player, fields: dict[str, Any]) -> None:
    player.acknowledge(fields["sequence"])
    if player.dead or player.movement.awaits_confirmation or player.game_mode == "spectator":
        return
    hand = fields["hand"]
    if hand not in (0, 1):
        return
    look = fields["rotation"]
    if not buckets.use(player, hand, look["x"], look["y"]):
        player.using.start(hand)


HANDLERS = {"use_item": _use_item}
