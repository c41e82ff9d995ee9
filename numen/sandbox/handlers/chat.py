"""Chat and commands. Chat goes to everybody as a player's unsigned message; commands go to
`numen.sandbox.commands`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numen.sandbox import commands
from numen.sandbox.handlers.say import say
from numen.sandbox.text import translated

if TYPE_CHECKING:
    from numen.sandbox.player import Player

LONGEST = 256
#: A command may be as long as its packet takes (protocol 767); 256 is the limit of the chat box alone.
LONGEST_COMMAND = 32_767
#: Each line costs LINE, a tick gives one back; more than LIMIT ends the connection (vanilla 1.21.1).
LINE = 20
LIMIT = 200


class ChatMeter:
    """How much one player has talked lately."""

    def __init__(self) -> None:
        self._level = 0

    def tick(self) -> None:
        self._level = max(0, self._level - 1)

    def line(self) -> bool:
        """Count a line. False when it was one too many."""
        self._level += LINE
        return self._level <= LIMIT


def _allowed(player: Player, line: str, longest: int) -> bool:
    if len(line) > longest or any(letter == "§" or letter < " " or letter == "\x7f" for letter in line):
        player.note("bad_chat", line=line[:40])
        player.kick(translated("multiplayer.disconnect.illegal_characters"))
        return False
    if not player.chat_meter.line() and not player.operator:
        player.note("bad_chat", reason="spam")
        player.kick(translated("disconnect.spam"))
        return False
    return True


def _chat(player: Player, fields: dict[str, Any]) -> None:
    line = fields["message"]
    if _allowed(player, line, LONGEST):
        say(player, line)


def _command(player: Player, fields: dict[str, Any]) -> None:
    line = fields["command"]
    if _allowed(player, line, LONGEST_COMMAND):
        commands.run(player, line)


HANDLERS = {"chat_message": _chat, "chat_command": _command, "chat_command_signed": _command}
