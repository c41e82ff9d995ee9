"""Menus: which slots a window shows, what the client believes is in them, and what a click does to them.

The server keeps, per menu, a copy of what the client was told (or has claimed in a click). At the end of a
tick, and right after a click, only slots that differ from that copy are sent (vanilla 1.21.1
`AbstractContainerMenu`). What a click does is decided by the click engine of `numen.rules`, the same that
predicts it for a client.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from numen.rules import clicks, reach
from numen.rules.items import ItemStack
from numen.rules.slots import Layout, layout
from numen.sandbox.entities.orb import drop_points
from numen.sandbox.inventory import OFFHAND
from numen.sandbox.text import Component, translated
from protocol.game import GAME

if TYPE_CHECKING:
    from numen.sandbox.blocks.entity import BlockEntity
    from numen.sandbox.blocks.furnace import Furnace
    from numen.sandbox.player import Player

BlockPos = tuple[int, int, int]
Stacks = list[ItemStack | None]

#: State numbers wrap at 15 bits.
STATE_IDS = 1 << 15
#: How much farther than hands reach a menu stays open, in blocks.
VALID_SLACK = 4.0
#: Numbers of menu types in `open_window` (protocol 767).
TYPES = {"generic_9x3": 2, "generic_9x6": 5, "blast_furnace": 10, "crafting": 12, "furnace": 14, "smoker": 22}


def alike(one: ItemStack | None, other: ItemStack | None) -> bool:
    """Whether two slots hold the same, count included."""
    if one is None or other is None:
        return one is other
    return one is other or (one.count == other.count and one.same_kind(other))


class Menu:
    """A window. `places` says, slot by slot, where its stack lies: (a list of stacks, index in it)."""

    #: Name of the menu type without namespace.
    kind = "player"
    title: Component = {}  # noqa: RUF012

    def __init__(self, player: Player, places: list[tuple[Stacks, int]]) -> None:
        self.player = player
        self.places = places
        self.window_id = 0
        self.state_id = 0
        #: What hangs on the cursor.
        self.carried: ItemStack | None = None
        self._told: Stacks = [None] * len(places)
        self._told_carried: ItemStack | None = None
        self._reader = clicks.ClickReader()

    @property
    def layout(self) -> Layout:
        """Which slots there are, and what each takes."""
        return layout(self.kind, len(self))

    def __getitem__(self, slot: int) -> ItemStack | None:
        stacks, index = self.places[slot]
        return stacks[index]

    def __setitem__(self, slot: int, stack: ItemStack | None) -> None:
        stacks, index = self.places[slot]
        stacks[index] = stack

    def __len__(self) -> int:
        return len(self.places)

    # --- telling ----------------------------------------------------------------------------------------

    def open(self) -> None:
        """Show it to the client."""
        self.player.send(
            "open_window", windowId=self.window_id, inventoryType=TYPES[self.kind], windowTitle=self.title
        )
        self.send_all()

    def _next_state(self) -> int:
        self.state_id = (self.state_id + 1) % STATE_IDS
        return self.state_id

    def send_all(self) -> None:
        """Tell everything that is in it."""
        self._told = [self[slot] for slot in range(len(self))]
        self._told_carried = self.carried
        self.player.send(
            "window_items",
            windowId=self.window_id,
            stateId=self._next_state(),
            items=[ItemStack.to_slot(stack) for stack in self._told],
            carriedItem=ItemStack.to_slot(self.carried),
        )

    def sync(self) -> None:
        """Tell what differs from what the client believes."""
        for slot in range(len(self)):
            stack = self[slot]
            if stack is not self._told[slot] and not alike(stack, self._told[slot]):
                self._told[slot] = stack
                self.player.send(
                    "set_slot",
                    windowId=self.window_id,
                    stateId=self._next_state(),
                    slot=slot,
                    item=ItemStack.to_slot(stack),
                )
        if not alike(self.carried, self._told_carried):
            self._told_carried = self.carried
            self.player.send(
                "set_slot",
                windowId=-1,
                stateId=self._next_state(),
                slot=-1,
                item=ItemStack.to_slot(self.carried),
            )

    def resend(self, slot: int) -> None:
        """Have a slot told again, whatever the client was told: it may have guessed something else."""
        self.player.send(
            "set_slot",
            windowId=self.window_id,
            stateId=self._next_state(),
            slot=slot,
            item=ItemStack.to_slot(self[slot]),
        )
        self._told[slot] = self[slot]

    def claimed(self, slots: Sequence[tuple[int, ItemStack | None]], carried: ItemStack | None) -> int:
        """Take down what the client believes after its click. Returns how many of its beliefs are wrong."""
        wrong = 0
        for slot, stack in slots:
            if 0 <= slot < len(self):
                self._told[slot] = stack
                wrong += not alike(stack, self[slot])
        self._told_carried = carried
        return wrong + (not alike(carried, self.carried))

    def takes_over(self, other: Menu) -> None:
        """Another menu has closed: what the client was told there of shared slots it still knows."""
        known = {(id(stacks), index): slot for slot, (stacks, index) in enumerate(other.places)}
        for slot, (stacks, index) in enumerate(self.places):
            there = known.get((id(stacks), index))
            if there is not None:
                self._told[slot] = other._told[there]

    # --- clicks -----------------------------------------------------------------------------------------

    def click(self, slot: int, button: int, mode: int) -> None:
        """What one packet of a click does: the whole of it, or nothing yet where it is a part of a drag."""
        click = self._reader.read(slot, button, mode)
        if click is None:
            return
        player = self.player
        inventory = player.inventory
        before = [self[index] for index in range(len(self))]
        outcome = clicks.apply(
            click,
            clicks.MenuModel(
                self.layout,
                before,
                carried=self.carried,
                offhand=inventory.slots[OFFHAND],
                creative=player.creative,
                held=inventory.held_slot,
            ),
        )
        if self.layout.offhand is None:
            inventory.slots[OFFHAND] = outcome.offhand
        changed = [index for index, stack in enumerate(outcome.slots) if stack is not before[index]]
        for index in changed:
            self[index] = outcome.slots[index]
        self.carried = outcome.carried
        for stack in outcome.drops:
            player.throw(stack)
        for index, stack in outcome.taken:
            self.taken(index, stack)
        # What a grid makes is told after every change of the grid, whether it is something new or not.
        if self.layout.result is not None and any(index in self.layout.grid for index in changed):
            self.resend(self.layout.result)

    def taken(self, slot: int, stack: ItemStack) -> None:
        """A stack was taken out of a result slot."""

    # --- life -------------------------------------------------------------------------------------------

    def still_valid(self) -> bool:
        """Whether it may stay open."""
        return True

    def give_back(self) -> list[ItemStack]:
        """Take out what must not stay in it when it closes: the cursor's stack, a grid's ingredients."""
        carried, self.carried = self.carried, None
        return [carried] if carried is not None else []


class GridMenu(Menu):
    """A menu with a crafting grid: slot 0 is the result, the grid follows."""

    @property
    def grid(self) -> range:
        return self.layout.grid

    def give_back(self) -> list[ItemStack]:
        stacks = super().give_back()
        for slot in self.grid:
            stack = self[slot]
            if stack is not None:
                stacks.append(stack)
                self[slot] = None
        self[0] = None
        return stacks


class PlayerMenu(GridMenu):
    """Window 0: result, 2x2 grid, armour, main, hotbar, off hand."""

    def __init__(self, player: Player) -> None:
        slots = player.inventory.slots
        super().__init__(player, [(slots, index) for index in range(len(slots))])


def _own(player: Player) -> list[tuple[Stacks, int]]:
    """Main and hotbar, as every other window shows them after its own slots."""
    return [(player.inventory.slots, index) for index in range(9, 45)]


class BlockMenu(Menu):
    """A menu that stands on a block: gone when the block is, or when the player walks off."""

    at: BlockPos
    _block_id: int

    def stands_on(self, at: BlockPos) -> None:
        self.at = at
        self._block_id = GAME.block_of(self.player.world.block(*at)).id

    def still_valid(self) -> bool:
        player = self.player
        near = reach.block_in_reach(player.eye, self.at, reach.BLOCK_RANGE + VALID_SLACK)
        return near and GAME.block_of(player.world.block(*self.at)).id == self._block_id


class CraftingMenu(GridMenu, BlockMenu):
    """A crafting table: result, 3x3 grid, then the player's own."""

    kind = "crafting"
    title = translated("container.crafting")

    def __init__(self, player: Player, at: BlockPos) -> None:
        own: Stacks = [None] * 10
        super().__init__(player, [(own, index) for index in range(10)] + _own(player))
        self.stands_on(at)


class ChestMenu(BlockMenu):
    """The slots of a chest or barrel, or of both halves of a double chest, then the player's own."""

    def __init__(self, player: Player, chests: Sequence[BlockEntity], title: Component) -> None:
        places = [(chest.slots, index) for chest in chests for index in range(chest.size)]
        self.kind = f"generic_9x{len(places) // 9}"
        super().__init__(player, places + _own(player))
        self.title = title
        self.stands_on(chests[0].at)


class FurnaceMenu(BlockMenu):
    """Input, fuel, output, then the player's own; and the numbers of flame and arrow."""

    def __init__(self, player: Player, furnace: Furnace, kind: str, title: Component) -> None:
        super().__init__(player, [(furnace.slots, index) for index in range(3)] + _own(player))
        self.kind = kind
        self.title = title
        self._furnace = furnace
        self._shown: list[int | None] = [None] * 4
        self.stands_on(furnace.at)

    def taken(self, slot: int, stack: ItemStack) -> None:
        points, self._furnace.experience = self._furnace.experience, 0.0
        player = self.player
        # What is left of a whole point is paid out by chance.
        whole = int(points + player.world.random.random())
        drop_points(player.world, (player.x, player.y + 0.5, player.z), whole)

    def sync(self) -> None:
        super().sync()
        for number, value in enumerate(self._furnace.properties):
            if value != self._shown[number]:
                self._shown[number] = value
                self.player.send("craft_progress_bar", windowId=self.window_id, property=number, value=value)
