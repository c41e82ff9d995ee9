"""A player's own 46 slots, numbered as window 0 numbers them: 0 result, 1-4 grid, 5-8 armour (head first),
9-35 main, 36-44 hotbar, 45 off hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from numen.rules.items import ItemStack

RESULT = 0
GRID = range(1, 5)
ARMOUR = range(5, 9)
MAIN = range(9, 36)
HOTBAR = range(36, 45)
OFFHAND = 45
SIZE = 46


class Inventory:
    """The slots, and which of the hotbar is in hand (0 to 8)."""

    def __init__(self) -> None:
        self.slots: list[ItemStack | None] = [None] * SIZE
        self.held_slot = 0

    @property
    def hand(self) -> int:
        """The number of the slot that is in hand."""
        return HOTBAR[self.held_slot]

    @property
    def held(self) -> ItemStack | None:
        return self.slots[self.hand]

    @held.setter
    def held(self, stack: ItemStack | None) -> None:
        self.slots[self.hand] = stack

    def in_hand(self, hand: int) -> ItemStack | None:
        """What hand 0 (main) or 1 (off) holds."""
        return self.slots[self.hand if hand == 0 else OFFHAND]

    def set_hand(self, hand: int, stack: ItemStack | None) -> None:
        self.slots[self.hand if hand == 0 else OFFHAND] = stack

    def use_up(self, hand: int, count: int = 1) -> None:
        """Take some of what a hand holds away."""
        stack = self.in_hand(hand)
        if stack is not None:
            self.set_hand(hand, stack.with_count(stack.count - count))

    def add(self, stack: ItemStack) -> ItemStack | None:
        """Put a stack away as the game does, and return what found no place.

        It fills up the hand, the off hand, the hotbar and the rest, in this order; then it takes the first
        free slot of hotbar and rest.
        """
        left = stack.count
        for slot in self._with_room_for(stack):
            there = self.slots[slot]
            assert there is not None
            moved = min(left, there.max_stack - there.count)
            self.slots[slot] = replace(there, count=there.count + moved)
            left -= moved
            if left == 0:
                return None
        for slot in (*HOTBAR, *MAIN):
            if self.slots[slot] is None:
                moved = min(left, stack.max_stack)
                self.slots[slot] = replace(stack, count=moved)
                left -= moved
                if left == 0:
                    return None
        return replace(stack, count=left)

    def _with_room_for(self, stack: ItemStack) -> Iterator[int]:
        for slot in (self.hand, OFFHAND, *HOTBAR, *MAIN):
            there = self.slots[slot]
            if there is not None and there.same_kind(stack) and there.count < there.max_stack:
                yield slot

    def count(self, item_id: int) -> int:
        """How many of an item there are, the grid and armour included."""
        return sum(stack.count for stack in self.slots[1:] if stack is not None and stack.item_id == item_id)

    def clear(self) -> None:
        self.slots[:] = [None] * SIZE  # in place: menus look at this very list

    def take_all(self) -> list[ItemStack]:
        """Empty all slots but the result and return what was in them."""
        stacks = [stack for stack in self.slots[1:] if stack is not None]
        self.clear()
        return stacks
