"""Clicks in menus, closing them, and the creative inventory (vanilla 1.21.1 `handleContainerClick`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numen.rules.clicks import OUTSIDE
from numen.rules.items import ItemStack

if TYPE_CHECKING:
    from numen.sandbox.player import Player


def _click(player: Player, fields: dict[str, Any]) -> None:
    """Do what the click does, take down what the client believes came of it, and send where it is wrong."""
    menu = player.menu
    if fields["windowId"] != menu.window_id:
        player.note("click_wrong_window", got=fields["windowId"], open=menu.window_id)
        return
    if player.game_mode == "spectator" or player.dead:
        menu.send_all()
        return
    if not menu.still_valid():
        return
    slot = fields["slot"]
    if not (slot in (OUTSIDE, -1) or 0 <= slot < len(menu)):
        player.note("click_bad_slot", slot=slot)
        return
    stale = fields["stateId"] != menu.state_id
    menu.click(slot, fields["mouseButton"], fields["mode"])
    claims = [(each["location"], ItemStack.from_slot(each["item"])) for each in fields["changedSlots"]]
    wrong = menu.claimed(claims, ItemStack.from_slot(fields["cursorItem"]))
    if wrong:
        player.note("resync", wrong=wrong, slot=slot, mode=fields["mode"])
    if stale:
        menu.send_all()
    else:
        menu.sync()


def _close(player: Player, fields: dict[str, Any]) -> None:
    if fields["windowId"] == player.menu.window_id:
        player.close_menu(told=False)


def _creative_slot(player: Player, fields: dict[str, Any]) -> None:
    """A creative player makes things out of nothing: into a slot, or thrown with slot -1."""
    if not player.creative:
        player.note("bad_slot", slot=fields["slot"], reason="not creative")
        player.own_menu.send_all()
        return
    slot, stack = fields["slot"], ItemStack.from_slot(fields["item"])
    if stack is not None and stack.count > stack.max_stack:
        return
    if 1 <= slot < len(player.own_menu):
        player.own_menu[slot] = stack
        player.own_menu.claimed([(slot, stack)], player.own_menu.carried)
    elif slot < 0 and stack is not None:
        player.throw(stack)


HANDLERS = {"window_click": _click, "close_window": _close, "set_creative_slot": _creative_slot}
