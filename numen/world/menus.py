"""Windows: the player's own and the one that is open over it, kept as the server tells them.

The player's main inventory and hotbar are the same stacks in both: whichever window the server names, both
change. So nothing is lost while a chest is open, and nothing has to be copied back when it closes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from numen.rules.items import ItemStack
from numen.world.inventory import CARRIED, SIZE, Inventory, slot_of_raw
from numen.world.names import menu_kind, stack_of
from protocol.registries import Registries
from protocol.salvage import Truncated
from protocol.text import plain_text

if TYPE_CHECKING:
    from numen.world.events import Events
    from numen.world.myself import Myself
    from protocol.link import Link

HORSE: Final = "minecraft:horse"

_CURSOR, _RAW_INVENTORY = -1, -2


@dataclass(frozen=True)
class Trade:
    """One offer of a merchant. `cost_a` is the price before `special_price` and demand change it."""

    cost_a: ItemStack
    cost_b: ItemStack | None
    result: ItemStack | None
    disabled: bool
    uses: int
    max_uses: int
    xp: int
    special_price: int
    price_multiplier: float
    demand: int

    @property
    def price(self) -> int:
        """How many of `cost_a` it takes now (vanilla 1.21.1)."""
        base = self.cost_a.count
        extra = max(0, math.floor(base * self.demand * self.price_multiplier))
        return min(max(base + extra + self.special_price, 1), self.cost_a.max_stack)


@dataclass
class Menu:
    """An open container. Its own slots come first, then the player's main inventory and hotbar.

    `slots` is empty until the server has told the contents; `ready` says that it has.
    """

    id: int
    #: ``minecraft:generic_9x3``; ``minecraft:horse`` for an animal's.
    kind: str
    title: str
    state_id: int = 0
    slots: list[ItemStack | None] = field(default_factory=list)
    own_size: int = 0
    #: Furnace progress, enchantment costs, …, by property number.
    properties: dict[int, int] = field(default_factory=dict)
    trades: list[Trade] = field(default_factory=list)
    villager_level: int = 0
    #: The animal of a horse menu.
    entity_id: int | None = None
    ready: bool = False
    closed: bool = False

    @property
    def own_slots(self) -> list[ItemStack | None]:
        """What lies in the container itself."""
        return self.slots[: self.own_size]

    @property
    def has_inventory(self) -> bool:
        """Whether the player's slots show behind its own (not in a lectern)."""
        return len(self.slots) >= self.own_size + len(CARRIED)

    def inventory_slot(self, slot: int) -> int | None:
        """The window-0 slot behind a slot of this menu, None for its own."""
        index = slot - self.own_size
        return CARRIED[index] if self.has_inventory and 0 <= index < len(CARRIED) else None

    def slot_of(self, inventory_slot: int) -> int | None:
        """The slot of this menu that shows a window-0 slot, None for those it does not show."""
        if self.has_inventory and inventory_slot in CARRIED:
            return self.own_size + inventory_slot - CARRIED.start
        return None

    def holds_slot(self, slot: int) -> bool:
        return 0 <= slot < len(self.slots)


class Menus:
    """The player's inventory, the open menu and the stack on the cursor."""

    def __init__(self, events: Events, me: Myself) -> None:
        self._events = events
        self._registries = Registries()
        self.inventory = Inventory(me)
        #: The open container, None when only the player's own window is.
        self.open: Menu | None = None
        self.cursor: ItemStack | None = None
        #: How often the server has told a whole window, and whether it does so after a click with an outdated
        #: state id. Until a click shows otherwise it is taken for granted.
        self.contents_told = 0
        self.tells_when_asked = True

    def attach(self, link: Link) -> None:
        self._registries = link.registries
        link.subscribe("open_window", self._on_open)
        link.subscribe("open_horse_window", self._on_open_horse)
        link.subscribe("window_items", self._on_contents)
        link.subscribe("set_slot", self._on_slot)
        link.subscribe("craft_progress_bar", self._on_property)
        link.subscribe("trade_list", self._on_trades)
        link.subscribe("close_window", self._on_close)

    def clear(self) -> None:
        """A new login: nothing is known."""
        self.close()
        self.inventory.clear()
        self.cursor = None
        self.tells_when_asked = True

    # --- for the body ----------------------------------------------------------------------------------

    def close(self) -> None:
        """The open menu is no more: the body has just closed it, or the world around it is gone."""
        menu, self.open = self.open, None
        if menu is None:
            return
        menu.closed = True
        # What hung on the cursor goes back into the inventory or falls; the server tells which.
        self._set_cursor(None)
        self._events.emit("menu_closed", menu)

    def clicked(
        self, window_id: int, changed: Mapping[int, ItemStack | None], cursor: ItemStack | None
    ) -> None:
        """Take over what a click that was just sent claims to have changed.

        The server answers only where it sees things otherwise, so the claim becomes the state. `changed` is
        by slot of the window. A window that has closed meanwhile is no error: nothing happens.
        """
        if window_id == 0:
            self._set_own(changed)
        elif self.open is not None and self.open.id == window_id:
            self._set_open(self.open, changed)
        else:
            return
        self._set_cursor(cursor)

    # --- what the server says --------------------------------------------------------------------------

    def _stack(self, slot: Mapping[str, Any] | None) -> ItemStack | None:
        return stack_of(self._registries, slot)

    def _on_open(self, fields: dict[str, Any]) -> None:
        number = fields["inventoryType"]
        kind = menu_kind(self._registries, number)
        self._opened(Menu(fields["windowId"], kind, plain_text(fields["windowTitle"])))

    def _on_open_horse(self, fields: dict[str, Any]) -> None:
        self._opened(Menu(fields["windowId"], HORSE, "", entity_id=fields["entityId"]))

    def _opened(self, menu: Menu) -> None:
        self.close()  # a server may open the next one without closing the last
        self.open = menu
        self._events.emit("menu_opened", menu)

    def _on_contents(self, fields: dict[str, Any]) -> None:
        window_id = fields["windowId"]
        stacks = [self._stack(slot) for slot in fields["items"]]
        # Behind an item of a mod the rest may be unreadable: those slots stay as they were.
        count = fields.stated if isinstance(fields, Truncated) and fields.stated else len(stacks)
        menu = self.open
        if window_id == 0:
            self.inventory.state_id = fields["stateId"]
            self.inventory.known = True
            self._set_own(dict(enumerate(stacks[:SIZE])))
        elif menu is not None and menu.id == window_id:
            menu.state_id = fields["stateId"]
            menu.ready = True
            if len(menu.slots) != count:
                menu.slots = [None] * count
                menu.own_size = _own_size(menu.kind, count)
            self._set_open(menu, dict(enumerate(stacks)))
        else:
            return
        if "carriedItem" in fields:
            self._set_cursor(self._stack(fields["carriedItem"]))
        self.contents_told += 1

    def _on_slot(self, fields: dict[str, Any]) -> None:
        window_id, slot = fields["windowId"], fields["slot"]
        stack = self._stack(fields["item"])
        menu = self.open
        if window_id == _CURSOR:
            self._set_cursor(stack)
        elif window_id == _RAW_INVENTORY:
            own = slot_of_raw(slot)
            if own is not None:
                self._set_own({own: stack})
        elif window_id == 0:
            self.inventory.state_id = fields["stateId"]
            if 0 <= slot < SIZE:
                self._set_own({slot: stack})
        elif menu is not None and menu.id == window_id % 256:
            menu.state_id = fields["stateId"]
            if menu.holds_slot(slot):
                self._set_open(menu, {slot: stack})

    def _on_property(self, fields: dict[str, Any]) -> None:
        menu = self.open
        if menu is not None and menu.id == fields["windowId"]:
            menu.properties[fields["property"]] = fields["value"]
            self._events.emit("menu_property", fields["property"], fields["value"])

    def _on_trades(self, fields: dict[str, Any]) -> None:
        menu = self.open
        if menu is None or menu.id != fields["windowId"]:
            return
        menu.trades = [_trade(self._registries, each) for each in fields["trades"]]
        menu.villager_level = fields.get("villagerLevel", menu.villager_level)
        self._events.emit("menu_trades", menu)

    def _on_close(self, fields: dict[str, Any]) -> None:
        # Whatever number it names: the server has only one window open for us.
        self.close()

    # --- writing ---------------------------------------------------------------------------------------

    def _set_own(self, stacks: Mapping[int, ItemStack | None]) -> None:
        """Write window-0 slots, and their images in the open menu."""
        slots = self.inventory.slots
        changed = {slot for slot, stack in stacks.items() if 0 <= slot < SIZE and slots[slot] != stack}
        for slot in changed:
            slots[slot] = stacks[slot]
        menu, seen = self.open, set()
        if menu is not None:
            for slot in changed:
                image = menu.slot_of(slot)
                if image is not None:
                    menu.slots[image] = stacks[slot]
                    seen.add(image)
        self._tell(changed, seen)

    def _set_open(self, menu: Menu, stacks: Mapping[int, ItemStack | None]) -> None:
        """Write slots of the open menu, and the window-0 slots behind them."""
        seen = {slot for slot, stack in stacks.items() if menu.holds_slot(slot) and menu.slots[slot] != stack}
        for slot in seen:
            menu.slots[slot] = stacks[slot]
        changed: set[int] = set()
        for slot, stack in stacks.items():
            behind = menu.inventory_slot(slot)
            if behind is not None and self.inventory.slots[behind] != stack:
                self.inventory.slots[behind] = stack
                changed.add(behind)
        self._tell(changed, seen)

    def _tell(self, own: Iterable[int], in_menu: Iterable[int]) -> None:
        if own:
            self._events.emit("inventory", frozenset(own))
        if in_menu:
            self._events.emit("menu_changed", frozenset(in_menu))

    def _set_cursor(self, stack: ItemStack | None) -> None:
        if self.cursor != stack:
            self.cursor = stack
            self._events.emit("cursor", stack)


def _own_size(kind: str, count: int) -> int:
    """How many of a menu's `count` slots are its own and come before the player's."""
    if kind == "minecraft:crafter_3x3":
        return 9  # its result is the last slot, behind the player's
    return count - len(CARRIED) if count >= len(CARRIED) else count


def _trade(registries: Registries, fields: dict[str, Any]) -> Trade:
    cost_a = _cost(registries, fields["inputItem1"])
    assert cost_a is not None
    return Trade(
        cost_a=cost_a,
        cost_b=_cost(registries, fields["inputItem2"]),
        result=stack_of(registries, fields["outputItem"]),
        disabled=fields["tradeDisabled"],
        uses=fields["nbTradeUses"],
        max_uses=fields["maximumNbTradeUses"],
        xp=fields["xp"],
        special_price=fields["specialPrice"],
        price_multiplier=fields["priceMultiplier"],
        demand=fields["demand"],
    )


def _cost(registries: Registries, fields: dict[str, Any] | None) -> ItemStack | None:
    """A price as a stack; what it asks of the stack's components is not kept."""
    if fields is None:
        return None
    return stack_of(registries, {"itemId": fields["itemId"], "itemCount": fields["itemCount"]})
