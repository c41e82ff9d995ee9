"""The player's own things: 46 slots, of which the main 27 and the hotbar also show in every open menu."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

from numen.rules.items import ItemStack

if TYPE_CHECKING:
    from numen.world.myself import Myself

#: Slots of window 0 (protocol 767): crafting result, 2x2 grid, armour from the head down, main, hotbar, off
#: hand.
SIZE: Final = 46
RESULT: Final = 0
GRID: Final = range(1, 5)
HEAD, CHEST, LEGS, FEET = 5, 6, 7, 8
MAIN: Final = range(9, 36)
HOTBAR: Final = range(36, 45)
OFF_HAND: Final = 45
#: Main inventory and hotbar, the part that every open menu shows behind its own slots.
CARRIED: Final = range(9, 45)


def slot_of_raw(index: int) -> int | None:
    """The window-0 slot of a raw inventory index (0-8 hotbar, 9-35 main, 36-39 feet to head, 40 off hand)."""
    if 0 <= index <= 8:
        return HOTBAR[index]
    if index <= 35:
        return index if index >= 9 else None
    if index <= 39:
        return FEET - (index - 36)
    return OFF_HAND if index == 40 else None


class Inventory:
    """What the player owns, by window-0 slot. Empty is None."""

    __slots__ = ("_me", "known", "slots", "state_id")

    def __init__(self, me: Myself) -> None:
        self._me = me
        self.clear()

    def clear(self) -> None:
        """A new login: nothing is known."""
        self.slots: list[ItemStack | None] = [None] * SIZE
        #: The state id of window 0, to be named in clicks.
        self.state_id = 0
        #: Whether the server has told the contents since the login.
        self.known = False

    def __getitem__(self, slot: int) -> ItemStack | None:
        return self.slots[slot]

    def __len__(self) -> int:
        return SIZE

    @property
    def hotbar(self) -> list[ItemStack | None]:
        """The nine stacks of the hotbar, left to right."""
        return self.slots[HOTBAR.start : HOTBAR.stop]

    @property
    def held_slot(self) -> int:
        """Window-0 slot of the chosen hotbar place."""
        return HOTBAR[self._me.held_slot]

    @property
    def held(self) -> ItemStack | None:
        """The stack in the main hand."""
        return self.slots[self.held_slot]

    @property
    def off_hand(self) -> ItemStack | None:
        return self.slots[OFF_HAND]

    @property
    def armour(self) -> dict[str, ItemStack | None]:
        """What is worn: head, chest, legs, feet."""
        return {
            "head": self.slots[HEAD],
            "chest": self.slots[CHEST],
            "legs": self.slots[LEGS],
            "feet": self.slots[FEET],
        }

    @property
    def empty_slots(self) -> list[int]:
        """Free slots of main inventory and hotbar: what picked up things can go to."""
        return [slot for slot in CARRIED if self.slots[slot] is None]

    def count(self, item_id: int) -> int:
        """How many of an item there are in main inventory, hotbar and off hand."""
        return sum(
            stack.count
            for slot in (*CARRIED, OFF_HAND)
            if (stack := self.slots[slot]) is not None and stack.item_id == item_id
        )

    def counts(self) -> dict[int, int]:
        """Item id -> how many, over main inventory, hotbar and off hand."""
        total: dict[int, int] = {}
        for slot in (*CARRIED, OFF_HAND):
            stack = self.slots[slot]
            if stack is not None:
                total[stack.item_id] = total.get(stack.item_id, 0) + stack.count
        return total

    def find(
        self, what: int | Iterable[int] | Callable[[ItemStack], bool], *, everywhere: bool = False
    ) -> list[int]:
        """Slots that hold the item id, one of the item ids, or a stack the function likes.

        Hotbar first, then main inventory, then the off hand; with `everywhere` also what is worn.
        """
        if isinstance(what, int):
            one = what
            fits: Callable[[ItemStack], bool] = lambda stack: stack.item_id == one  # noqa: E731
        elif callable(what):
            fits = what
        else:
            ids = frozenset(what)
            fits = lambda stack: stack.item_id in ids  # noqa: E731
        order = (*HOTBAR, *MAIN, OFF_HAND, *((HEAD, CHEST, LEGS, FEET) if everywhere else ()))
        return [slot for slot in order if (stack := self.slots[slot]) is not None and fits(stack)]

    def room_for(self, stack: ItemStack) -> int:
        """How many items like `stack` main inventory and hotbar can still take."""
        room = 0
        for slot in CARRIED:
            there = self.slots[slot]
            if there is None:
                room += stack.max_stack
            elif there.same_kind(stack):
                room += max(stack.max_stack - there.count, 0)
        return room
