"""Running a command of the server, and telling what came of it as far as anybody can know.

Over the remote console the output is whole, but no result comes along. As a player one sends the command and
listens: what the server says within a moment of it is taken for its answer. Whether it worked is read from
the answer, and the doubt is told.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from numen.body.body import Body
from numen.powers.rcon import MAX_REQUEST, Rcon, RconError
from numen.world.chat import ChatLine
from protocol.game import GAME

#: What MineClawd keeps for itself: its own commands, and the bridge that evaluates scripts.
OWN: Final = frozenset({"mineclawd", "mclawd", "_exec_kubejs_internal", "_exec_kubejs_internal_mc"})
#: Characters of a command in its packet (protocol 767).
MAX_COMMAND: Final = 32_767
#: Characters of an answer that are told.
MAX_OUTPUT: Final = 16_000
#: How long the server is given for its first word, and how long it must be silent after a word, in seconds.
FIRST_WORD_S: Final = 1.5
SILENCE_S: Final = 0.2
#: An answer that never ends is cut here.
LISTEN_S: Final = 4.0

#: Beginnings of translation keys with which a command is refused; and parts of those with which it fails.
REFUSALS: Final = ("command.", "argument.", "parsing.", "arguments.")
FAILURES: Final = (".failed", ".fail.", ".error", ".invalid", ".unknown")
#: System messages that answer no command: joins, deaths, advancements, what other operators do.
OTHER_NEWS: Final = ("multiplayer.", "death.", "chat.type.", "sleep.", "build.", "connect.", "disconnect.")
#: Commands whose answers hold no words but the game's own.
PLAIN: Final = frozenset(
    {"time", "weather", "gamerule", "difficulty", "setblock", "fill", "seed", "setworldspawn", "forceload"}
)

Way = str
"""``console`` for RCON, ``chat`` for the companion's own commands."""


class CommandRefused(Exception):
    """A command that is not sent at all. The message says why."""


@dataclass(frozen=True, slots=True)
class Ran:
    """How a command went. `ok` is a judgement, `doubt` what speaks against trusting it; `clean` tells that no
    words but the game's own can be in the output."""

    command: str
    output: str
    ok: bool
    way: Way
    doubt: str = ""
    clean: bool = False

    def lines(self) -> str:
        """For the model."""
        result = "looks done" if self.ok else "failed"
        return "\n".join(
            (
                f"command: {self.command}",
                f"result: {result}{f' ({self.doubt})' if self.doubt else ''}",
                f"output: {self.output or '(none)'}",
            )
        )


class CommandRunner:
    """Runs commands for one companion, one at a time: over the console when there is one, else as himself."""

    def __init__(self, rcon: Rcon | None = None, blocked: frozenset[str] = frozenset()) -> None:
        """`blocked` are commands that are never run, beside those that MineClawd keeps for itself."""
        self.rcon = rcon
        self.blocked = OWN | {each.casefold().removeprefix("/") for each in blocked}
        self._turn = asyncio.Lock()

    def check(self, line: str) -> str:
        """The command as it is sent, without its slash. Raises CommandRefused."""
        command = line.strip().removeprefix("/").strip()
        if not command:
            raise CommandRefused("the command is empty")
        for sign in command:
            if sign == "§" or sign < " " or sign == "\x7f" or "\ud800" <= sign <= "\udfff":
                raise CommandRefused(
                    f"the character U+{ord(sign):04X} in a command makes a server throw its sender out; "
                    "write one command in one line, without it"
                )
        if len(command.encode("utf-16-le")) // 2 > MAX_COMMAND:
            raise CommandRefused(f"a command may have {MAX_COMMAND} characters")
        for root in roots_in(command):
            if root in self.blocked:
                raise CommandRefused(f"the command {root} is never run from here")
        return command

    async def run(self, body: Body | None, line: str, *, own: bool = False) -> Ran:
        """Run a command. `own` is for commands of ours, which are not checked.

        Raises CommandRefused, and RconError when the console may have run it without telling.
        """
        command = line if own else self.check(line)
        async with self._turn:
            if self.rcon is not None and len(command.encode()) <= MAX_REQUEST:
                try:
                    return over_console(command, await self.rcon.run(command))
                except RconError as error:
                    if error.sent or body is None or not body.online:
                        raise
            if body is None or not body.online:
                raise CommandRefused("I am not on the server just now")
            return await in_chat(body, command)


def roots_in(command: str) -> list[str]:
    """The commands in a line: its first word, and those behind each ``run`` of an `execute` or `return`.

    Names are without namespace and in lower case, as some servers take them in any.
    """
    words = command.split()
    found = [words[0]] if words else []
    found += [words[at + 1] for at, word in enumerate(words[:-1]) if word.casefold() == "run"]
    return [each.removeprefix("/").casefold().rpartition(":")[2] for each in found]


def innermost(command: str) -> str:
    """The command that a line comes down to."""
    return roots_in(command)[-1] if command.split() else ""


# -- over the console ------------------------------------------------------------------------------------


def over_console(command: str, output: str) -> Ran:
    """The judgement on what the console said."""
    text = output.strip()[:MAX_OUTPUT]
    failed = any(each.match(text) for each in failure_texts()) or "<--[HERE]" in text
    doubt = "the console gives no result number"
    if not text:
        doubt += ", and said nothing"
    return Ran(command, text, not failed, "console", doubt, _is_plain(command))


@cache
def failure_texts() -> tuple[re.Pattern[str], ...]:
    """The game's English sentences of failure as patterns; a console says them without their keys."""
    found = []
    for key, text in GAME.language.items():
        if is_failure(key):
            parts = re.split(r"%(?:\d+\$)?[sd]", text.replace("%%", "%"))
            if len(re.sub(r"\W", "", "".join(parts))) >= 8:  # what is all placeholder fits everything
                found.append(re.compile(".{0,400}?".join(map(re.escape, parts)), re.DOTALL))
    return tuple(found)


def is_failure(key: str) -> bool:
    """Whether a translation key says that a command was refused or has failed."""
    return key.startswith(REFUSALS) or (
        key.startswith("commands.") and any(part in f"{key}." for part in FAILURES)
    )


# -- as a player -----------------------------------------------------------------------------------------


async def in_chat(body: Body, command: str) -> Ran:
    """Send the command as the companion and collect what the server says to it."""
    heard: list[ChatLine] = []
    news = asyncio.Event()

    def hear(line: ChatLine) -> None:
        if line.kind == "system" and not (line.key or "").startswith(OTHER_NEWS):
            heard.append(line)
            news.set()

    body.world.events.on("chat", hear)
    try:
        sent = body.talk.command(command)
        if not sent.ok:
            raise CommandRefused(sent.message)
        while body.talk.waiting and body.online:  # it waits for its turn among what else is said
            await asyncio.sleep(SILENCE_S / 4)
        try:
            async with asyncio.timeout(LISTEN_S):
                wait = FIRST_WORD_S
                while True:
                    news.clear()
                    async with asyncio.timeout(wait):
                        await news.wait()
                    wait = SILENCE_S
        except TimeoutError:
            pass
    finally:
        body.world.events.off("chat", hear)
    if not body.online:
        output = "\n".join(each.text for each in heard)[:MAX_OUTPUT]
        return Ran(command, output, False, "chat", "the connection was lost meanwhile; it may have run")
    return judged(command, heard)


def judged(command: str, heard: list[ChatLine]) -> Ran:
    """The judgement on what was heard after a command."""
    output = "\n".join(each.text for each in heard)[:MAX_OUTPUT]
    failed = any(each.colour == "red" or any(map(is_failure, each.keys)) for each in heard)
    known = bool(heard) and all(each.keys for each in heard)
    if not heard:
        doubt = "the server said nothing, so it may as well have failed"
    elif failed:
        doubt = ""
    else:
        doubt = "judged by what the server said" if known else "judged by words that need not be its answer"
    # A refusal repeats nothing but the command itself.
    refused = known and all(each.keys[0].startswith(REFUSALS) for each in heard)
    return Ran(command, output, not failed, "chat", doubt, refused or (known and _is_plain(command)))


def _is_plain(command: str) -> bool:
    return set(roots_in(command)) <= PLAIN
