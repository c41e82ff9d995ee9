"""The inventory: what to hold, wear, drop and move, as clicks whose outcome the server tells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from numen.body.acts import ActFailed, Verdict, next_tick
from numen.body.containers import close_menu
from numen.body.window import Window
from numen.rules.items import ItemStack
from numen.rules.slots import equipment_slot
from numen.world.inventory import CHEST, FEET, HEAD, HOTBAR, LEGS, OFF_HAND
from protocol.game import GAME, Item, UnknownName

if TYPE_CHECKING:
    from numen.body.body import Body

#: Where things are worn or held, by name; window-0 slots.
PLACES: Final = {"head": HEAD, "chest": CHEST, "legs": LEGS, "feet": FEET, "offhand": OFF_HAND}
MAIN_HAND: Final = "mainhand"


def short(name: str) -> str:
    """A resource location without ``minecraft:``, for sentences and data."""
    return name.removeprefix("minecraft:")


def item_named(name: str) -> Item:
    """The item with this name. Raises ActFailed with the nearest names."""
    try:
        return GAME.item(name.strip())
    except UnknownName as error:
        raise ActFailed(f"{error}.".replace("?.", "?"), "bad_target") from None


def require_item(body: Body, item: Item) -> int:
    """Window-0 slot of a carried item, the held one first. Raises ActFailed when there is none."""
    inventory = body.world.inventory
    held = inventory.held
    if held is not None and held.item_id == item.id:
        return inventory.held_slot
    slots = inventory.find(item.id)
    if not slots:
        raise ActFailed(f"No {short(item.name)} is carried; get one first.", "no_material")
    return slots[0]


# -- in the hand -----------------------------------------------------------------------------------------


async def hold_slot(body: Body, slot: int) -> None:
    """Take what lies in a window-0 slot into the main hand. Raises ActFailed when the server won't have it.

    A stack of the hotbar is selected; any other changes places with a hotbar slot, an empty one if there is
    one.
    """
    inventory = body.world.inventory
    if slot in HOTBAR:
        select(body, slot - HOTBAR.start)
        return
    stack = inventory[slot]
    place = _free_place(body)
    window = Window(body)
    shown = window.slot_of(slot)
    if shown is None:
        close_menu(body)
        window, shown = Window(body), slot
    window.swap(shown, place)
    select(body, place)
    await window.confirm()
    there = inventory[HOTBAR[place]]
    if stack is not None and not stack.same_kind(there):
        raise ActFailed(f"The server didn't let {short(stack.name)} be taken in hand.", "refused")


def select(body: Body, place: int) -> None:
    """Choose place 0-8 of the hotbar."""
    me = body.world.me
    if me.held_slot != place:
        me.held_slot = place
        body.rest_arm()
    body.sender.hold(place)


async def hold(body: Body, item_name: str) -> Verdict:
    """Take an item into the main hand. data: item, count, slot (0-8)."""
    item = item_named(item_name)
    await hold_slot(body, require_item(body, item))
    stack = body.world.inventory.held
    count = stack.count if stack is not None else 0
    return Verdict(
        True,
        f"Holding {count}x {short(item.name)}.",
        {"item": short(item.name), "count": count, "slot": body.world.me.held_slot},
    )


def _free_place(body: Body) -> int:
    """The hotbar place to swap with: the chosen one when it is empty, another empty one, else the chosen
    one."""
    hotbar = body.world.inventory.hotbar
    chosen = body.world.me.held_slot
    if hotbar[chosen] is not None and None in hotbar:
        return hotbar.index(None)
    return chosen


# -- on the body -----------------------------------------------------------------------------------------


async def equip(body: Body, item_name: str, place: str | None = None) -> Verdict:
    """Wear or hold an item: `place` is head, chest, legs, feet, offhand or mainhand; without it where it
    belongs.

    data: item, slot, and replaced (the item that was there) where there was one.
    """
    item = item_named(item_name)
    where = place or natural_place(item)
    if where == MAIN_HAND:
        verdict = await hold(body, item_name)
        return Verdict(verdict.ok, verdict.message, {"item": short(item.name), "slot": MAIN_HAND})
    target = PLACES.get(where)
    if target is None:
        raise ActFailed(
            f"There is no slot {where!r}; there are {', '.join([MAIN_HAND, *PLACES])}.", "bad_target"
        )
    if where != "offhand" and natural_place(item) != where:
        raise ActFailed(f"{short(item.name)} can't be worn on {where}.", "bad_target")
    inventory = body.world.inventory
    worn = inventory[target]
    if worn is not None and worn.item_id == item.id:
        return Verdict(True, f"{short(item.name)} is on already.", {"item": short(item.name), "slot": where})
    source = require_item(body, item)
    close_menu(body)
    window = Window(body)
    if where == "offhand":
        window.swap_off_hand(source)
    else:
        await _exchange(window, source, target)
    await window.confirm()
    now = inventory[target]
    if now is None or now.item_id != item.id:
        raise ActFailed(f"The server didn't let {short(item.name)} be put on; {_bound(worn)}.", "refused")
    data = {"item": short(item.name), "slot": where}
    if worn is not None:
        data["replaced"] = short(worn.name)
    return Verdict(True, f"Put {short(item.name)} on ({where}).", data)


async def take_off(body: Body, place: str) -> Verdict:
    """Put what is worn on head, chest, legs, feet or held in the offhand back into the inventory."""
    target = PLACES.get(place)
    if target is None:
        raise ActFailed(f"There is no slot {place!r}; there are {', '.join(PLACES)}.", "bad_target")
    worn = body.world.inventory[target]
    if worn is None:
        return Verdict(True, f"Nothing is on {place}.", {"slot": place})
    close_menu(body)
    window = Window(body)
    window.quick_move(target)
    await window.confirm()
    if body.world.inventory[target] is not None:
        raise ActFailed(f"{short(worn.name)} stays on; {_bound(worn)}, or the inventory is full.", "refused")
    return Verdict(True, f"Took {short(worn.name)} off.", {"item": short(worn.name), "slot": place})


def natural_place(item: Item) -> str:
    """Where an item belongs: head, chest, legs, feet, offhand or mainhand."""
    if item.name == "minecraft:totem_of_undying":
        return "offhand"
    return equipment_slot(ItemStack(item.id)) or MAIN_HAND


async def _exchange(window: Window, source: int, target: int) -> None:
    """Put the stack of one slot into another; what lay there goes where the first came from."""
    await window.stow()
    window.left(source)
    await next_tick()
    window.left(target)
    await next_tick()
    if window.cursor is not None:
        window.left(source)
        await next_tick()


def _bound(worn: ItemStack | None) -> str:
    return "what is worn there may be bound by a curse" if worn is not None else "it may not belong there"


# -- away with it ----------------------------------------------------------------------------------------


async def drop(body: Body, item_name: str, count: int) -> Verdict:
    """Throw `count` of an item on the ground, all when fewer are carried. data: item, dropped, remaining."""
    item = item_named(item_name)
    inventory = body.world.inventory
    before = inventory.count(item.id)
    require_item(body, item)
    close_menu(body)
    window = Window(body)
    left = min(count, before)
    for slot in reversed(inventory.find(item.id)):
        stack = inventory[slot]
        if stack is None or left <= 0:
            continue
        if stack.count <= left:
            left -= stack.count
            window.throw(slot, whole=True)
            await next_tick()
            continue
        for _ in range(left):
            window.throw(slot)
            await next_tick()
        left = 0
    await window.confirm()
    remaining = inventory.count(item.id)
    data = {"item": short(item.name), "dropped": before - remaining, "remaining": remaining}
    if remaining == before:
        raise ActFailed(f"The server didn't let {short(item.name)} be dropped.", "refused", data)
    return Verdict(True, f"Dropped {before - remaining}x {short(item.name)}, {remaining} left.", data)


# -- about in a window -----------------------------------------------------------------------------------


async def transfer(body: Body, source: int, target: int | None = None, count: int | None = None) -> Verdict:
    """Move a stack of the open window (the own one when none is open) by slot numbers.

    Without `target` it goes to the other side by itself. With `target` an empty slot takes it, a like stack
    is added to, another one changes places; `count` moves only so many, not onto another kind.
    data: item, moved, from, to.
    """
    window = Window(body)
    stack = _stack_at(window, source)
    item = short(stack.name)
    data: dict[str, object] = {"item": item, "from": source}
    if target is None:
        window.quick_move(source)
        await window.confirm()
        left = window.slots[source]
        moved = stack.count - (left.count if left is not None and left.same_kind(stack) else 0)
        if moved <= 0:
            raise ActFailed(f"{item} in slot {source} found no room on the other side.", "full", data)
        return Verdict(
            True, f"Moved {moved}x {item} from slot {source} to the other side.", data | {"moved": moved}
        )
    if not 0 <= target < len(window.slots):
        raise ActFailed(
            f"There is no slot {target}; the window has 0 to {len(window.slots) - 1}.", "bad_target"
        )
    there = window.slots[target]
    other_kind = there is not None and not there.same_kind(stack)
    wanted = stack.count if count is None else min(count, stack.count)
    if other_kind and wanted < stack.count:
        assert there is not None
        raise ActFailed(
            f"Slot {target} holds {short(there.name)}; an exact count can't be put onto another item.",
            "bad_target",
        )
    before = there.count if there is not None and not other_kind else 0
    if wanted == stack.count:
        await _exchange(window, source, target)
    else:
        await _move_some(window, source, target, wanted)
    await window.confirm()
    now = window.slots[target]
    moved = (now.count if now is not None and now.same_kind(stack) else 0) - before
    data |= {"to": target, "moved": max(moved, 0)}
    if moved <= 0:
        raise ActFailed(f"Slot {target} did not take the {item}.", "refused", data)
    return Verdict(True, f"Moved {moved}x {item} from slot {source} to slot {target}.", data)


def _stack_at(window: Window, slot: int) -> ItemStack:
    if not 0 <= slot < len(window.slots):
        raise ActFailed(
            f"There is no slot {slot}; the window has 0 to {len(window.slots) - 1}.", "bad_target"
        )
    stack = window.slots[slot]
    if stack is None:
        raise ActFailed(f"Slot {slot} is empty.", "bad_target")
    return stack


async def _move_some(window: Window, source: int, target: int, count: int) -> None:
    """Take the stack up, drop `count` one by one, put the rest back."""
    await window.stow()
    window.left(source)
    await next_tick()
    for _ in range(count):
        window.right(target)
        await next_tick()
    window.left(source)
    await next_tick()
