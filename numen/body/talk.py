"""Chat and commands: cleaned, split, and never fast enough to be kicked for spam.

protocol 767: a message holds at most 256 UTF-16 units; the section sign and control characters end the
connection. vanilla 1.21.1: every message or command adds 20 to a counter that falls by one a tick; above 200
the server kicks.
"""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING, Final

from numen.body.acts import Verdict

if TYPE_CHECKING:
    from numen.body.body import Body

MAX_UNITS: Final = 256
#: A command's packet holds more than the 256 that a player can type (protocol 767).
MAX_COMMAND: Final = 32_767
#: A little under the server's 200: its clock is not ours.
SPAM_LIMIT: Final = 160
SPAM_COST: Final = 20
#: More waiting messages than this are refused; at one a second nobody would read them.
MAX_WAITING: Final = 40

_FORMAT_CODE: Final = re.compile("§[0-9a-fk-orxA-FK-ORX]?")
_UNWANTED: Final = re.compile("[\x00-\x1f\x7f\ud800-\udfff]+")


def clean(text: str) -> str:
    """`text` without formatting codes; control characters and runs of blanks become one blank."""
    return " ".join(_UNWANTED.sub(" ", _FORMAT_CODE.sub("", text)).split())


def units(text: str) -> int:
    """Length as Java counts it: characters outside the basic plane are two."""
    return len(text) + sum(char > "\uffff" for char in text)


def split(text: str, limit: int = MAX_UNITS) -> list[str]:
    """Cut `text` into pieces of at most `limit` units, between words where there are any."""
    pieces = []
    rest = text
    while units(rest) > limit:
        end = size = 0
        for char in rest:
            size += 2 if char > "\uffff" else 1
            if size > limit:
                break
            end += 1
        blank = rest.rfind(" ", 0, end + 1)
        if blank > limit // 2:
            end = blank
        pieces.append(rest[:end].rstrip())
        rest = rest[end:].lstrip()
    if rest:
        pieces.append(rest)
    return pieces


class Talk:
    """The queue of what is still to be said. `tick()` sends what the spam limit allows."""

    def __init__(self, body: Body) -> None:
        self._body = body
        #: Each text, and whether it is a command. That is settled when it is queued: a piece of a long
        #: message may begin with a slash by chance, or by somebody's design.
        self._waiting: deque[tuple[str, bool]] = deque()
        self._heat = 0

    @property
    def waiting(self) -> int:
        """Messages that have not been sent yet."""
        return len(self._waiting)

    @property
    def at_ease(self) -> bool:
        """Nothing waits, and half of what the spam limit allows is free: room for what may be left out."""
        return not self._waiting and self._heat <= SPAM_LIMIT // 2

    def say(self, text: str, *, words_only: bool = False) -> Verdict:
        """Queue `text`, as several messages when it is long. A text that begins with "/" is a command, unless
        it may be `words_only`: then the slash is left out."""
        message = _without_slash(clean(text)) if words_only else clean(text)
        if not message or message == "/":
            return Verdict(False, "There was nothing left to say after cleaning the text.", kind="bad_target")
        is_command = message.startswith("/")
        if is_command:
            if units(message) > MAX_UNITS:
                return Verdict(
                    False, f"A command may have {MAX_UNITS} characters; shorten it.", kind="bad_target"
                )
            pieces = [message]
        else:
            pieces = [each for each in map(_without_slash, split(message)) if each]
        refused = self._body.link.chat.why_not(message)
        if refused is not None:
            return Verdict(False, refused, kind="refused")
        if len(self._waiting) + len(pieces) > MAX_WAITING:
            return Verdict(
                False, f"{len(self._waiting)} messages still wait to be sent; say less.", kind="full"
            )
        self._waiting.extend((each, is_command) for each in pieces)
        self.tick(cool=False)
        what = "command" if is_command else "message"
        if self._waiting:
            return Verdict(True, f"The {what} is queued behind the chat limit.", {"waiting": self.waiting})
        return Verdict(True, f"The {what} was sent.", {"sent": pieces})

    def command(self, line: str) -> Verdict:
        """Queue a command (without its slash) of any length that the packet of commands holds."""
        if units(line) > MAX_COMMAND:
            return Verdict(
                False, f"A command may have {MAX_COMMAND} characters; shorten it.", kind="bad_target"
            )
        refused = self._body.link.chat.why_not(f"/{line}")
        if refused is not None:
            return Verdict(False, refused, kind="refused")
        if len(self._waiting) >= MAX_WAITING:
            return Verdict(False, f"{len(self._waiting)} messages still wait to be sent.", kind="full")
        self._waiting.append((f"/{line}", True))
        self.tick(cool=False)
        return Verdict(True, "The command is queued." if self._waiting else "The command was sent.")

    def tick(self, cool: bool = True) -> None:
        """Let the counter fall by one, then send what fits."""
        if cool:
            self._heat = max(0, self._heat - 1)
        while self._waiting and self._heat + SPAM_COST <= SPAM_LIMIT and self._body.online:
            self._heat += SPAM_COST
            self._send(*self._waiting.popleft())

    def _send(self, message: str, is_command: bool) -> None:
        chat = self._body.link.chat
        if is_command:
            chat.command(message[1:])
        else:
            chat.say(message)


def _without_slash(text: str) -> str:
    """`text` as it can't be taken for a command; some servers run what comes as chat, too."""
    return text.lstrip("/ ")


def say(body: Body, text: str, *, words_only: bool = False) -> Verdict:
    """Say `text` in chat, or run it as a command when it begins with "/" and need not be `words_only`.

    Needs no free hands and no tick.
    """
    return body.talk.say(text, words_only=words_only)
