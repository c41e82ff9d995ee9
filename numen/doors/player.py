"""A companion's body as tools and bridges see it: whose it is, what it carries, what it holds."""

from __future__ import annotations

from typing import TypeGuard
from uuid import UUID

from numen.body.acts import Busy, Verdict
from numen.body.body import Body
from numen.body.clock import finished
from numen.body.inventory import select
from numen.body.window import Window
from numen.doors.fleet import Fleet, Resident
from numen.rules.items import ItemStack
from numen.world import PlayerInfo
from numen.world.inventory import HOTBAR, slot_of_raw
from protocol.game import GAME

HOLD_TICKS = 60


class NumenPlayer:
    """One body. To be used on the event loop, where tools run."""

    def __init__(self, resident: Resident) -> None:
        self._resident = resident

    @classmethod
    def find_by_uuid(cls, fleet: Fleet, uuid: UUID | str) -> NumenPlayer | None:
        """The player of that uuid, None when no companion here has it."""
        resident = fleet.find(uuid)
        return cls(resident) if resident is not None else None

    @property
    def uuid(self) -> UUID:
        return self._resident.uuid

    @property
    def name(self) -> str:
        return self._resident.name

    @property
    def body(self) -> Body | None:
        """The body itself, None while it is not in the world."""
        return self._resident.body if self._resident.here else None

    # -- whose it is

    @property
    def owner_uuid(self) -> UUID | None:
        """The owner's uuid; None without an owner, and for one known by name only who was never seen here."""
        return self._resident.owner_uuid

    @owner_uuid.setter
    def owner_uuid(self, owner: UUID | None) -> None:
        self._resident.set_owner(owner)

    def is_owned_by_player(self, player: UUID | PlayerInfo) -> bool:
        """Whether that player is the owner. Only the uuid counts, wherever either of them is."""
        wanted = player.uuid if isinstance(player, PlayerInfo) else player
        return self.owner_uuid is not None and self.owner_uuid == wanted

    def resolve_owner_player(self) -> PlayerInfo | None:
        """The owner as the server lists him, in whatever dimension; None while he is not online."""
        owner = self.owner_uuid
        return self._resident.world.players.get(owner) if owner is not None else None

    # -- what it has

    def ensure_in_inventory(self, item: str) -> bool:
        """Whether it carries, wears or holds that item.

        Raises protocol.game.UnknownName for what is no item of the game.
        """
        wanted = GAME.item(item).id
        slots = self._resident.world.inventory.slots
        return any(stack is not None and stack.item_id == wanted for stack in slots)

    def stack_in(self, slot: int) -> ItemStack | None:
        """What lies in a slot of the inventory (see `hold_in_hand`), None where nothing does."""
        place = slot_of_raw(slot)
        return None if place is None else self._resident.world.inventory[place]

    async def hold_in_hand(self, slot: int) -> bool:
        """Take what lies in `slot` of the inventory into the main hand.

        Slots count as in the game: 0 to 8 the hotbar, 9 to 35 the backpack. A hotbar slot is selected; the
        stack of another changes places with the one that is held. A negative slot changes nothing. True when
        the server has it so; False when it has not, and while the body is away or at something else.
        """
        if slot < 0:
            return True
        body = self.body
        place = slot_of_raw(slot)
        if place is None or not _is_free(body):
            return False
        if place in HOTBAR:
            select(body, place - HOTBAR.start)
            return True
        try:
            task = body.tasks.start("hold_in_hand", _swap(body, place), HOLD_TICKS)
        except Busy:
            return False
        return (await finished(task)).ok


def _is_free(body: Body | None) -> TypeGuard[Body]:
    return body is not None and body.ready and body.tasks.current is None


async def _swap(body: Body, slot: int) -> Verdict:
    """Exchange the stack in a window-0 slot with the held one."""
    inventory = body.world.inventory
    wanted = inventory[slot]
    window = Window(body)
    shown = window.slot_of(slot)
    if shown is None:
        return Verdict(False, "The open menu hides that slot; close it first.", kind="bad_target")
    window.swap(shown, body.world.me.held_slot)
    body.rest_arm()
    await window.confirm()
    held = inventory.held
    same = held is None if wanted is None else wanted.same_kind(held)
    return Verdict(
        same, "Swapped." if same else "The server didn't allow it.", kind="" if same else "refused"
    )
