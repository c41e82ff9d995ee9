"""One person whom a companion serves, as far as words go: what he is told and asked, and which way."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from numen.agent.events import AgentEvent
from numen.agent.live import Feed, LiveBus
from numen.agent.questions import Question, QuestionAsked, QuestionClosed, Questions
from numen.commands.table import Caller, Source
from numen.session import Person
from numen.voice import Voice

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """The companion's engine has told somebody something. `person` is None for whoever is at the console."""

    companion: str
    person: str | None
    text: str
    kind: Literal["told"] = "told"


Report = Callable[[AgentEvent | QuestionAsked | QuestionClosed | Told], None]


class Served:
    """The ways to one person. `questions` belongs into the services of his mind's tools."""

    def __init__(
        self,
        *,
        companion: str,
        person: str | None,
        voice: Voice,
        bus: LiveBus,
        report: Report,
        language: str,
        name: Callable[[], str | None],
    ) -> None:
        """`person` marks his live events, None for the owner; `name` is his name in the game while he is
        there, else None. Nothing here blocks, and `report` must not."""
        self._companion = companion
        self._voice = voice
        self._report = report
        self._name = name
        self._feed = Feed(bus, companion, person=person, language=language)
        self.questions = Questions(language=language)
        self.questions.on_asked(self._asked)
        self.questions.on_closed(self._closed)
        self.source: Source = "console"
        """From where he spoke last: answers to a whisper are whispered."""

    def caller(self, person: Person, source: Source) -> Caller:
        """Who gives a command, when he writes one there."""
        self.source = source
        return Caller(
            person=person, source=source, tell=self.tell_console if source == "console" else self.tell
        )

    def emit(self, event: AgentEvent) -> None:
        """An event of his mind."""
        self._feed.report(event)
        self._report(event)

    def speak(self, text: str) -> None:
        """An answer of his mind."""
        name = self._name()
        if self.source == "whisper" and name is None:
            log.info("%s has an answer for somebody who is gone", self._companion)
            return  # what was asked in private is not said in public
        self._voice.answer(text, to=name, private=self.source == "whisper")

    def tell(self, text: str) -> None:
        """A line from the engine: in private, where he is in the game, else at the console."""
        name = self._name()
        if not text:
            return
        if name is None or not self._voice.tell(name, text):
            self.tell_console(text)

    def tell_console(self, text: str) -> None:
        """A line from the engine for whoever is at the console."""
        if text:
            self._report(Told(companion=self._companion, person=None, text=text))

    def _asked(self, question: Question) -> None:
        name = self._name()
        self._report(QuestionAsked(companion=self._companion, person=name, question=question))
        if name is not None:
            self._voice.ask(name, question)

    def _closed(self, question: Question, result: str) -> None:
        told = QuestionClosed(
            companion=self._companion, person=self._name(), question=question, result=result
        )
        self._report(told)
