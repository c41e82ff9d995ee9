"""What a player's words look like on the wire: unsigned player messages, to everybody or to one."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from numen.sandbox.text import plain

if TYPE_CHECKING:
    from numen.sandbox.player import Player


def _message(player: Player, line: str, kind: str) -> dict[str, Any]:
    return {
        "senderUuid": player.uuid,
        "index": 0,
        "signature": None,
        "plainMessage": line,
        "timestamp": int(time.time() * 1000),
        "salt": 0,
        "previousMessages": [],
        "unsignedChatContent": None,
        "filterType": 0,
        "filterTypeMask": None,
        "type": {"chatType": player.server.chat_type(kind)},
        "networkName": plain(player.name),
        "networkTargetName": None,
    }


def say(player: Player, line: str) -> None:
    """Have everybody hear a player's line."""
    player.world.announce("player_chat", **_message(player, line, "chat"))
    player.server.heard(player, line)


def say_to(player: Player, target: Player, line: str) -> None:
    """Whisper: the other hears it, the speaker sees that he did."""
    target.send("player_chat", **_message(player, line, "msg_command_incoming"))
    outgoing = {**_message(player, line, "msg_command_outgoing"), "networkTargetName": plain(target.name)}
    player.send("player_chat", **outgoing)
