"""Where each line said to a companion goes: a stop, an answer, a command, or words for the mind."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from numen.agent import Mind
from numen.agent.questions import Questions
from numen.commands.settings import Settings
from numen.commands.table import Call, Caller, carry_out
from numen.commands.texts import say
from numen.commands.words import Order, read
from numen.session.people import People, Person
from numen.session.player_settings import PlayerSettings
from numen.session.souls import Souls

if TYPE_CHECKING:
    from numen.companion import Companion

log = logging.getLogger(__name__)

#: The words that stop everything at once, whatever the model is doing.
STOP_WORDS: Final = frozenset(("stop", "stop!", "halt", "停", "停下", "停止", "别动", "住手"))

#: Two programs that refuse each other must not fill a server with it.
REFUSE_AGAIN_S: Final = 60.0
MOST_REFUSED: Final = 1_000


class Desk:
    """Takes the lines of people to one companion. Everything happens on the event loop, nothing waits."""

    def __init__(
        self,
        companion: Companion,
        *,
        settings: Settings,
        players: PlayerSettings,
        souls: Souls,
        people: People,
        data: Path,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """`data` is the data folder, where a history goes that is asked for as a file."""
        self._companion = companion
        self._settings = settings
        self._players = players
        self._souls = souls
        self._people = people
        self._data = data
        self._now = now
        self._refused: dict[str, float] = {}
        self._later: set[asyncio.Task[None]] = set()

    def take(self, caller: Caller, mind: Mind, line: str) -> bool:
        """Take one line of a person who may speak to the companion. False when it could not be kept."""
        if line.strip().casefold() in STOP_WORDS:
            carry_out(self._call(caller, mind), Order("stop"))
            return True
        order = read(line)
        if order is not None and order.name != "prompt":
            carry_out(self._call(caller, mind), order)
            return True
        words = order.text if order is not None else line
        taken = mind.context.service(Questions).hear(words) if order is None else None
        if taken is not None:
            if taken.told:
                caller.tell(taken.told)
            words = taken.passed_on
            if not words:
                return True
        if not mind.hear(words):
            return False
        if not self._companion.here:
            self._call(caller, mind).say("kept_for_later", name=self._companion.name)
        self._echo(caller, words)
        return True

    def refuse(self, caller: Caller) -> None:
        """Somebody who may not has spoken to the companion: silence in public, a plain word in private."""
        name, now = caller.person.name.casefold(), self._now()
        if caller.private and now - self._refused.get(name, -REFUSE_AGAIN_S) >= REFUSE_AGAIN_S:
            if len(self._refused) >= MOST_REFUSED:
                self._refused.clear()
            self._refused[name] = now
            caller.tell(say("refused", self._companion.language))

    def tells_tools(self, person: Person) -> bool:
        """Whether that person wants to be told of tools at work."""
        return self._players.assistive_touch(self._people.key_of(person))

    def _call(self, caller: Caller, mind: Mind) -> Call:
        return Call(
            caller=caller,
            companion=self._companion,
            mind=mind,
            key=self._companion.household.serve(caller.person).key,
            settings=self._settings,
            players=self._players,
            souls=self._souls,
            data=self._data,
            later=self._later,
        )

    def _echo(self, caller: Caller, words: str) -> None:
        """Let others hear of a request that was whispered, where the person has set it so."""
        if caller.source != "whisper":
            return
        target = self._players.broadcast(self._people.key_of(caller.person))
        if target == "self":
            return
        companion = self._companion
        line = say("echo", companion.language, name=caller.person.name, companion=companion.name, text=words)
        if target == "all":
            companion.voice.answer(line)
        else:
            for name in companion.operators():
                if name.casefold() != caller.person.name.casefold():
                    companion.voice.tell(name, line)
