"""What players send: one file a subject, each with a table of packet name -> function(player, fields)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numen.sandbox.player import Player

PacketHandler = Callable[["Player", dict[str, Any]], None]


def all_handlers() -> dict[str, PacketHandler]:
    """Every packet the server listens to in play."""
    from numen.sandbox.handlers import attack, chat, click, dig, misc, move, place, use

    handlers: dict[str, PacketHandler] = {}
    for subject in (move, dig, place, use, click, attack, chat, misc):
        handlers.update(subject.HANDLERS)
    return handlers
