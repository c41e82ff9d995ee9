"""Clicks on the window that is open: predicted, sent, and settled by what the server tells.

The server answers a click only where it disagrees with what the client claims to have changed, so silence
says little. `Window.confirm` therefore clicks beside the window with an empty cursor and an outdated state
id: that changes nothing and makes the server tell the whole window (protocol 767). What it tells is what
happened.

A click that changes a crafting grid is always answered, with the result slot under a new state id. Whoever
clicks again before that sends an outdated one, and is told a window that is past by the time it arrives: so
`Window.turn` waits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from numen.body.acts import ActFailed, next_tick, until
from numen.rules import recipes
from numen.rules.clicks import OFFHAND_BUTTON, OUTSIDE, Click, MenuModel, Mode, apply
from numen.rules.items import ItemStack
from numen.rules.slots import PLAYER, Layout, layout
from numen.world.menus import Menu

if TYPE_CHECKING:
    from numen.body.body import Body

#: A server that doesn't tell the window when asked has no objection.
_ANSWER_TICKS: Final = 20
#: A server that doesn't tell the result of a changed grid by then never does.
_RESULT_TICKS: Final = 20
_STATE_IDS: Final = 32768


class WindowClosed(ActFailed):
    """The window went away while there was still something to click in it."""

    def __init__(self) -> None:
        super().__init__("The window was closed in the middle of it; open it again.", "refused")


class Window:
    """The open menu, else the player's own window. Good for as long as that one stays open."""

    def __init__(self, body: Body) -> None:
        self._body = body
        self._menus = body.world.menus
        self.menu: Menu | None = self._menus.open
        kind = PLAYER if self.menu is None else self.menu.kind
        self.layout: Layout = layout(kind, len(self.slots))
        #: The state under which the grid was changed last, while the server's answer to that is awaited.
        self._grid_changed_in: int | None = None
        #: Whether this server tells results, and whole windows, as it should.
        self._tells_results = True

    @property
    def id(self) -> int:
        """Its number, 0 for the player's own."""
        return 0 if self.menu is None else self.menu.id

    @property
    def open(self) -> bool:
        """Whether clicks still go to this window."""
        return self._menus.open is self.menu

    @property
    def slots(self) -> list[ItemStack | None]:
        """What lies in it: its own slots, then the player's. The player's own window has the off hand
        last."""
        return self._menus.inventory.slots if self.menu is None else self.menu.slots

    @property
    def cursor(self) -> ItemStack | None:
        """The stack on the cursor."""
        return self._menus.cursor

    @property
    def state_id(self) -> int:
        """What the server last called the state of this window."""
        return self._menus.inventory.state_id if self.menu is None else self.menu.state_id

    def slot_of(self, inventory_slot: int) -> int | None:
        """The slot of this window that shows a window-0 slot; None for one it doesn't show."""
        return inventory_slot if self.menu is None else self.menu.slot_of(inventory_slot)

    # -- clicks ------------------------------------------------------------------------------------------

    def click(self, click: Click) -> None:
        """Send a click with what it is expected to change, and take that for the state until the server
        objects.

        Raises WindowClosed.
        """
        if not self.open:
            raise WindowClosed
        before = self._model(click)
        outcome = apply(click, before)
        changed = outcome.changed(before)
        result = self.layout.result
        if result is not None and click.slot != result:
            changed.pop(result, None)  # only the server knows its recipes
        parts = click.raw
        for number, (slot, button, mode) in enumerate(parts):
            last = number == len(parts) - 1
            self._send(
                slot, button, mode, changed if last else {}, outcome.carried if last else before.carried
            )
        self._menus.clicked(self.id, changed, outcome.carried)
        if any(slot in self.layout.grid for slot in changed):
            self._grid_changed_in = self.state_id

    async def turn(self) -> None:
        """Let a tick pass after a click; after one that changed the grid, until the server has answered."""
        await next_tick()
        then, self._grid_changed_in = self._grid_changed_in, None
        if then is not None and self._tells_results:
            self._tells_results = await until(lambda: self.state_id != then or not self.open, _RESULT_TICKS)

    def left(self, slot: int) -> None:
        """Take the stack, put the carried one, or exchange them."""
        self.click(Click.left(slot))

    def right(self, slot: int) -> None:
        """Put one of the carried stack, or take half."""
        self.click(Click.right(slot))

    def quick_move(self, slot: int) -> None:
        """Shift-click: to the other side."""
        self.click(Click.shift(slot))

    def swap(self, slot: int, place: int) -> None:
        """Exchange with a place 0-8 of the hotbar."""
        self.click(Click.swap(slot, place))

    def swap_off_hand(self, slot: int) -> None:
        """Exchange with the off hand."""
        self.click(Click.swap(slot, OFFHAND_BUTTON))

    def throw(self, slot: int, *, whole: bool = False) -> None:
        """Drop one of the stack, or all of it."""
        self.click(Click.throw(slot, all_of_it=whole))

    def drag(self, slots: Sequence[int]) -> None:
        """Share the carried stack out evenly over slots."""
        self.click(Click.drag(slots))

    # -- what became of it -------------------------------------------------------------------------------

    async def confirm(self) -> bool:
        """Have the server tell the window. False when it stays silent; the claims stand then, as nobody
        objected."""
        if not self.open:
            return False
        await self.stow()
        menus = self._menus
        told, asked = menus.contents_told, self.state_id

        def answered() -> bool:
            if menus.tells_when_asked:
                return menus.contents_told != told
            return self.state_id != asked  # some servers tell a slot at least

        self._send(OUTSIDE, 0, Mode.PICKUP, {}, None, state_id=(asked - 1) % _STATE_IDS)
        await until(lambda: answered() or not self.open, _ANSWER_TICKS)
        said = answered()
        menus.tells_when_asked = menus.contents_told != told
        return said and self.open

    async def stow(self) -> None:
        """Put what hangs on the cursor into the player's part of the window; drop it when there is no
        room."""
        while (carried := self.cursor) is not None and self.open:
            like = [
                slot
                for slot in self.layout.player
                if (there := self.slots[slot]) is not None
                and there.same_kind(carried)
                and there.count < there.max_stack
            ]
            free = [slot for slot in self.layout.player if self.slots[slot] is None]
            self.left((like or free or [OUTSIDE])[0])
            await self.turn()

    def _model(self, click: Click) -> MenuModel:
        me = self._body.world.me
        return MenuModel(
            self.layout,
            list(self.slots),
            self.cursor,
            offhand=None if self.id == 0 else self._menus.inventory.off_hand,
            creative=me.creative,
            held=me.held_slot,
            craft=recipes.match if click.slot == self.layout.result else _nothing,
        )

    def _send(
        self,
        slot: int,
        button: int,
        mode: int,
        changed: dict[int, ItemStack | None],
        carried: ItemStack | None,
        state_id: int | None = None,
    ) -> None:
        self._body.link.send(
            "window_click",
            windowId=self.id,
            stateId=self.state_id if state_id is None else state_id,
            slot=slot,
            mouseButton=button,
            mode=int(mode),
            changedSlots=[
                {"location": place, "item": ItemStack.to_slot(stack)}
                for place, stack in sorted(changed.items())
            ],
            cursorItem=ItemStack.to_slot(carried),
        )


def _nothing(grid: Sequence[ItemStack | None], width: int) -> None:
    """No result is predicted: the client shows what the server puts there."""
