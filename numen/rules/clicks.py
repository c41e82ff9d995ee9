"""Clicks in menus: a click is a value, and one engine says what it does.

The client predicts with it, the sandbox decides with it. vanilla 1.21.1 `AbstractContainerMenu.doClick`,
protocol 767 `container_click`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum

from numen.rules import recipes
from numen.rules.items import ItemStack
from numen.rules.slots import Layout, SlotRule

#: The slot number of a click outside the window.
OUTSIDE = -999
#: The swap button of the off hand; 0 to 8 are the hotbar.
OFFHAND_BUTTON = 40
LEFT, RIGHT, MIDDLE = 0, 1, 2

Crafter = Callable[[Sequence[ItemStack | None], int], "recipes.Crafted | None"]


class Mode(IntEnum):
    """How a click is meant, by its number on the wire."""

    PICKUP = 0
    QUICK_MOVE = 1
    SWAP = 2
    CLONE = 3
    THROW = 4
    DRAG = 5
    PICKUP_ALL = 6


@dataclass(frozen=True, slots=True)
class Click:
    """One click.

    A drag is one value: `button` is LEFT (share out), RIGHT (one each) or MIDDLE (creative: full stacks),
    `dragged` the slots it went over, `slot` is OUTSIDE.
    """

    slot: int
    button: int = LEFT
    mode: Mode = Mode.PICKUP
    dragged: tuple[int, ...] = ()

    @classmethod
    def left(cls, slot: int) -> Click:
        """Take or put a stack, or swap it with the carried one."""
        return cls(slot)

    @classmethod
    def right(cls, slot: int) -> Click:
        """Take half, or put one."""
        return cls(slot, RIGHT)

    @classmethod
    def shift(cls, slot: int) -> Click:
        """Send a stack to the other part of the menu."""
        return cls(slot, LEFT, Mode.QUICK_MOVE)

    @classmethod
    def swap(cls, slot: int, hotbar: int) -> Click:
        """Swap with a hotbar place 0–8, or the off hand (OFFHAND_BUTTON)."""
        return cls(slot, hotbar, Mode.SWAP)

    @classmethod
    def throw(cls, slot: int, *, all_of_it: bool = False) -> Click:
        """Drop one, or all, of a slot."""
        return cls(slot, 1 if all_of_it else 0, Mode.THROW)

    @classmethod
    def drop_carried(cls, *, all_of_it: bool = True) -> Click:
        """Drop what hangs on the cursor."""
        return cls(OUTSIDE, LEFT if all_of_it else RIGHT)

    @classmethod
    def drag(cls, slots: Sequence[int], button: int = LEFT) -> Click:
        """Share the carried stack out over slots."""
        return cls(OUTSIDE, button, Mode.DRAG, tuple(slots))

    @classmethod
    def double(cls, slot: int) -> Click:
        """Gather all of the carried kind."""
        return cls(slot, LEFT, Mode.PICKUP_ALL)

    @property
    def raw(self) -> tuple[tuple[int, int, int], ...]:
        """(slot, button, mode) of each packet the click is sent as: three phases for a drag, else one."""
        if self.mode is not Mode.DRAG:
            return ((self.slot, self.button, int(self.mode)),)
        phase = 4 * self.button
        adds = ((slot, phase + 1, int(Mode.DRAG)) for slot in self.dragged)
        return ((OUTSIDE, phase, int(Mode.DRAG)), *adds, (OUTSIDE, phase + 2, int(Mode.DRAG)))


class ClickReader:
    """Puts the packets of a drag together: feed every (slot, button, mode), get a click when one is whole."""

    def __init__(self) -> None:
        self._button: int | None = None
        self._slots: list[int] = []

    def read(self, slot: int, button: int, mode: int) -> Click | None:
        """The click that this packet completes, None for a part of a drag and for nonsense."""
        if mode != Mode.DRAG:
            self._button = None
            return Click(slot, button, Mode(mode)) if 0 <= mode <= Mode.PICKUP_ALL else None
        kind, phase = divmod(button, 4)
        if phase == 0:
            self._button, self._slots = kind, []
        elif phase == 1 and kind == self._button:
            if slot not in self._slots:
                self._slots.append(slot)
        elif phase == 2 and kind == self._button:
            self._button = None
            return Click.drag(self._slots, kind)
        else:
            self._button = None
        return None


@dataclass
class MenuModel:
    """A menu as a click finds it. Applying a click never changes it."""

    layout: Layout
    slots: list[ItemStack | None]
    carried: ItemStack | None = None
    #: The off hand, where the menu itself does not show it.
    offhand: ItemStack | None = None
    creative: bool = False
    #: Index in the hotbar (0–8) of what is in hand; it is filled up first when something is given back.
    held: int = 0
    #: What a grid makes.
    craft: Crafter = recipes.match


@dataclass
class Outcome:
    """What a click led to."""

    slots: list[ItemStack | None]
    carried: ItemStack | None
    offhand: ItemStack | None
    #: Thrown out of the menu, in order.
    drops: list[ItemStack] = field(default_factory=list)
    #: Taken out of result slots: (slot, stack), once for each time.
    taken: list[tuple[int, ItemStack]] = field(default_factory=list)

    def changed(self, before: MenuModel) -> dict[int, ItemStack | None]:
        """Slots that differ from before, as a `container_click` lists them."""
        pairs = enumerate(zip(before.slots, self.slots, strict=True))
        return {slot: new for slot, (old, new) in pairs if old != new}


def apply(click: Click, menu: MenuModel) -> Outcome:
    """What a click does to a menu. A click that makes no sense changes nothing."""
    hand = _Hand(menu)
    if click.mode is Mode.DRAG:
        hand.drag(click)
    elif click.slot == OUTSIDE:
        if click.mode in (Mode.PICKUP, Mode.QUICK_MOVE):
            hand.drop_carried(all_of_it=click.button == LEFT)
    elif 0 <= click.slot < menu.layout.size:
        _ACTIONS[click.mode](hand, click.slot, click.button)
    return hand.outcome


def with_result(menu: MenuModel) -> MenuModel:
    """The menu with the result slot showing what the grid makes. Menus without a grid stay as they are."""
    hand = _Hand(menu)
    hand.show_result()
    return replace(menu, slots=hand.outcome.slots)


def insert(stack: ItemStack, menu: MenuModel) -> tuple[list[ItemStack | None], ItemStack | None]:
    """The slots after giving a stack to the player, and what found no place."""
    hand = _Hand(menu)
    left = hand.give(stack)
    return hand.outcome.slots, left


class _Hand:
    """Works on a copy of a menu."""

    def __init__(self, menu: MenuModel) -> None:
        self.menu = menu
        self.layout = menu.layout
        self.outcome = Outcome(list(menu.slots), menu.carried, menu.offhand)
        self.slots = self.outcome.slots

    # -- slots --------------------------------------------------------------------------------------------

    def rule(self, slot: int) -> SlotRule:
        return self.layout.rule(slot)

    def put(self, slot: int, stack: ItemStack | None) -> None:
        self.slots[slot] = stack
        if slot in self.layout.grid:
            self.show_result()

    def show_result(self) -> None:
        result = self.layout.result
        if result is not None:
            crafted = self.menu.craft([self.slots[i] for i in self.layout.grid], self.layout.grid_width)
            self.slots[result] = crafted.result if crafted is not None else None

    def accepts(self, slot: int, stack: ItemStack) -> bool:
        return self.rule(slot).accepts(stack)

    def can_take(self, slot: int) -> bool:
        return self.rule(slot).may_take

    def insert_into(self, slot: int, stack: ItemStack, most: int) -> ItemStack | None:
        """Put up to `most` of a stack into a slot; what is left of the stack."""
        there = self.slots[slot]
        if not self.accepts(slot, stack) or (there is not None and not there.same_kind(stack)):
            return stack
        held = there.count if there is not None else 0
        moved = min(most, stack.count, self.rule(slot).room(stack) - held)
        if moved <= 0:
            return stack
        self.put(slot, stack.with_count(held + moved))
        return stack.with_count(stack.count - moved)

    def remove(self, slot: int, count: int, most: int) -> ItemStack | None:
        """Take `count` of a slot, `most` at most; a result comes whole or not at all."""
        there = self.slots[slot]
        if there is None or not self.can_take(slot):
            return None
        rule = self.rule(slot)
        if rule.is_result and most < there.count:
            return None
        count = there.count if rule.whole else min(count, most, there.count)
        taken = there.with_count(count)
        if taken is None:
            return None
        self.put(slot, there.with_count(there.count - count))
        self.took(slot, taken)
        return taken

    def took(self, slot: int, stack: ItemStack) -> None:
        """What follows from taking: a result uses up the grid."""
        if not self.rule(slot).is_result:
            return
        self.outcome.taken.append((slot, stack))
        if slot == self.layout.result:
            self.use_up_grid()

    def use_up_grid(self) -> None:
        grid = self.layout.grid
        before = [self.slots[i] for i in grid]
        crafted = self.menu.craft(before, self.layout.grid_width)
        rests = crafted.remainders if crafted is not None else (None,) * len(before)
        for slot, stack, rest in zip(grid, before, rests, strict=True):
            if stack is None:
                continue
            left = stack.with_count(stack.count - 1)
            if rest is not None:
                if left is None:
                    left, rest = rest, None
                elif left.same_kind(rest):
                    left, rest = left.with_count(left.count + rest.count), None
                else:
                    rest = self.give(rest)
            self.slots[slot] = left
            if rest is not None:
                self.drop(rest)
        self.show_result()

    def drop(self, stack: ItemStack | None) -> None:
        if stack is not None:
            self.outcome.drops.append(stack)

    def give(self, stack: ItemStack | None) -> ItemStack | None:
        """Add to the player's slots: to the hand, the off hand and the rest in order, then to free ones."""
        hotbar, main = self.layout.hotbar, self.layout.main
        if not hotbar:
            return stack
        shown = () if self.layout.offhand is None else (self.layout.offhand,)
        for slot in (hotbar[self.menu.held], *shown, *hotbar, *main):
            there = self.slots[slot]
            if stack is not None and there is not None and there.same_kind(stack) and _stacks(stack):
                stack = self.insert_into(slot, stack, stack.count)
        for slot in (*hotbar, *main):
            if stack is not None and self.slots[slot] is None:
                stack = self.insert_into(slot, stack, stack.count)
        return stack

    # -- clicks -------------------------------------------------------------------------------------------

    def drop_carried(self, *, all_of_it: bool) -> None:
        carried = self.outcome.carried
        if carried is None:
            return
        self.drop(carried if all_of_it else carried.with_count(1))
        self.outcome.carried = None if all_of_it else carried.with_count(carried.count - 1)

    def pickup(self, slot: int, button: int) -> None:
        if button not in (LEFT, RIGHT):
            return
        there, carried = self.slots[slot], self.outcome.carried
        if there is None:
            if carried is not None:
                most = carried.count if button == LEFT else 1
                self.outcome.carried = self.insert_into(slot, carried, most)
        elif not self.can_take(slot):
            return
        elif carried is None:
            wanted = there.count if button == LEFT else (there.count + 1) // 2
            self.outcome.carried = self.remove(slot, wanted, there.count)
        elif self.accepts(slot, carried):
            if there.same_kind(carried):
                most = carried.count if button == LEFT else 1
                self.outcome.carried = self.insert_into(slot, carried, most)
            elif carried.count <= self.rule(slot).room(carried):
                self.put(slot, carried)
                self.outcome.carried = there
        elif there.same_kind(carried):
            taken = self.remove(slot, there.count, carried.max_stack - carried.count)
            if taken is not None:
                self.outcome.carried = carried.with_count(carried.count + taken.count)

    def quick_move(self, slot: int, button: int) -> None:
        if button not in (LEFT, RIGHT) or not self.can_take(slot):
            return
        first = self.slots[slot]
        # Once more as long as the same kind appears there again: all that a grid makes, full stacks of a
        # result.
        while (stack := self.slots[slot]) is not None:
            assert first is not None
            if stack.item_id != first.item_id or not self.move_over(slot, stack):
                return

    def move_over(self, slot: int, stack: ItemStack) -> bool:
        left: ItemStack | None = stack
        for target in self.layout.targets(slot, stack, self.slots):
            left = self.fill(target.start, target.stop, target.back, stack)
            if left != stack:
                break
        moved = stack.count - (left.count if left is not None else 0)
        if moved == 0:
            return False
        if self.rule(slot).is_result:
            self.slots[slot] = left
            whole = slot == self.layout.result
            self.took(slot, stack if whole else stack.with_count(moved) or stack)
            if whole:
                self.drop(left)
        else:
            self.put(slot, left)
        return True

    def fill(self, start: int, stop: int, back: bool, stack: ItemStack) -> ItemStack | None:
        """Put a stack away over a range of slots: onto equal stacks first, then into the first free slot."""
        order = range(stop - 1, start - 1, -1) if back else range(start, stop)
        left: ItemStack | None = stack
        if _stacks(stack):
            for slot in order:
                there = self.slots[slot]
                if left is not None and there is not None and there.same_kind(left):
                    room = self.rule(slot).room(there) - there.count
                    if room > 0:
                        moved = min(room, left.count)
                        self.put(slot, there.with_count(there.count + moved))
                        left = left.with_count(left.count - moved)
        for slot in order:
            if left is None:
                break
            if self.slots[slot] is None and self.accepts(slot, left):
                moved = min(left.count, self.rule(slot).room(left))
                self.put(slot, left.with_count(moved))
                left = left.with_count(left.count - moved)
                break
        return left

    def swap(self, slot: int, button: int) -> None:
        inventory = self._inventory_of(button)
        if inventory is None:
            return
        get, set_ = inventory
        mine, there = get(), self.slots[slot]
        if mine is None and there is None:
            return
        if mine is None:
            if there is not None and self.can_take(slot):
                set_(there)
                self.put(slot, None)
                self.took(slot, there)
            return
        room = self.rule(slot).room(mine)
        if there is None:
            if self.accepts(slot, mine):
                set_(mine.with_count(mine.count - min(room, mine.count)))
                self.put(slot, mine.with_count(min(room, mine.count)))
        elif self.can_take(slot) and self.accepts(slot, mine):
            if mine.count > room:
                set_(mine.with_count(mine.count - room))
                self.put(slot, mine.with_count(room))
                self.took(slot, there)
                self.drop(self.give(there))
            else:
                set_(there)
                self.put(slot, mine)
                self.took(slot, there)

    def _inventory_of(
        self, button: int
    ) -> tuple[Callable[[], ItemStack | None], Callable[[ItemStack | None], None]] | None:
        """How to read and write what a swap button stands for."""
        slot: int | None = None
        if button == OFFHAND_BUTTON:
            slot = self.layout.offhand
            if slot is None:

                def write(stack: ItemStack | None) -> None:
                    self.outcome.offhand = stack

                return (lambda: self.outcome.offhand), write
        elif 0 <= button < len(self.layout.hotbar):
            slot = self.layout.hotbar[button]
        if slot is None:
            return None
        place = slot

        def set_(stack: ItemStack | None) -> None:
            self.put(place, stack)

        return (lambda: self.slots[place]), set_

    def clone(self, slot: int, button: int) -> None:
        there = self.slots[slot]
        if self.menu.creative and self.outcome.carried is None and there is not None:
            self.outcome.carried = there.with_count(there.max_stack)

    def throw(self, slot: int, button: int) -> None:
        there = self.slots[slot]
        if self.outcome.carried is None and there is not None:
            self.drop(self.remove(slot, 1 if button == 0 else there.count, there.count))

    def pickup_all(self, slot: int, button: int) -> None:
        carried = self.outcome.carried
        if carried is None or (self.slots[slot] is not None and self.can_take(slot)):
            return
        order = range(self.layout.size) if button == 0 else range(self.layout.size - 1, -1, -1)
        for full_ones in (False, True):
            for each in order:
                there = self.slots[each]
                room = carried.max_stack - carried.count
                if there is None or room <= 0 or not there.same_kind(carried) or each == self.layout.result:
                    continue
                if full_ones or there.count != there.max_stack:
                    taken = self.remove(each, there.count, room)
                    if taken is not None:
                        carried = carried.with_count(carried.count + taken.count) or carried
        self.outcome.carried = carried

    def drag(self, click: Click) -> None:
        carried = self.outcome.carried
        if carried is None or click.button not in (LEFT, RIGHT, MIDDLE):
            return
        if click.button == MIDDLE and not self.menu.creative:
            return
        places: list[int] = []
        for slot in click.dragged:
            enough = click.button == MIDDLE or carried.count > len(places)
            if slot not in places and enough and self._can_drag_to(slot, carried):
                places.append(slot)
        if len(places) == 1:
            self.pickup(places[0], click.button)
            return
        left = carried.count
        for slot in places:
            if not self._can_drag_to(slot, carried):
                continue
            there = self.slots[slot]
            held = there.count if there is not None else 0
            share = {LEFT: carried.count // len(places), RIGHT: 1, MIDDLE: carried.max_stack}[click.button]
            count = min(share + held, self.rule(slot).room(carried))
            left -= count - held
            self.put(slot, carried.with_count(count))
        self.outcome.carried = carried.with_count(left)

    def _can_drag_to(self, slot: int, carried: ItemStack) -> bool:
        if not 0 <= slot < self.layout.size or not self.accepts(slot, carried):
            return False
        there = self.slots[slot]
        return there is None or (there.same_kind(carried) and there.count <= carried.max_stack)


def _stacks(stack: ItemStack) -> bool:
    return stack.max_stack > 1 and not (stack.max_damage is not None and stack.damage > 0)


_ACTIONS: dict[Mode, Callable[[_Hand, int, int], None]] = {
    Mode.PICKUP: _Hand.pickup,
    Mode.QUICK_MOVE: _Hand.quick_move,
    Mode.SWAP: _Hand.swap,
    Mode.CLONE: _Hand.clone,
    Mode.THROW: _Hand.throw,
    Mode.PICKUP_ALL: _Hand.pickup_all,
}
