"""One person whom a companion serves, as far as words go: what he is told and asked, and which way."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from numen.agent.events import AgentEvent, ToolCalled, TurnFailed
from numen.agent.labels import label_of
from numen.agent.live import Feed, LiveBus
from numen.agent.questions import Question, QuestionAsked, QuestionClosed, Questions
from numen.commands.table import Caller, Source
from numen.commands.texts import say
from numen.companion.voice import Voice
from numen.session import Person

log = logging.getLogger(__name__)

#: Seconds between two lines about tools at work: a person reads them, and servers count lines.
TOOL_LINES_S: Final = 2.0
#: Tools whose work the person sees by itself.
SEEN_ANYWAY: Final = frozenset(("say", "ask-user-question"))


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
        touch: Callable[[], bool] = bool,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """`person` marks his live events, None for the owner; `name` is his name in the game while he is
        there, else None; `touch` says whether he wants to be told of tools at work. Nothing here blocks, and
        `report` must not."""
        self._companion = companion
        self._voice = voice
        self._report = report
        self._name = name
        self._touch = touch
        self._language = language
        self._now = now
        self._tool_told_at = -TOOL_LINES_S
        self._token_told = ""
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
        name = self._name() if self.source != "console" else None
        if name is None or event.turn == 0:
            return
        match event:
            case ToolCalled() if event.tool not in SEEN_ANYWAY:
                self._tell_tool(name, event)
            case TurnFailed() if event.token and event.token != self._token_told:
                self._token_told = event.token
                told = say("retry_how", self._language, token=event.token)
                self._voice.offer(name, told, f"mclawd retry {event.token}")
            case _:
                pass

    def _tell_tool(self, name: str, event: ToolCalled) -> None:
        """Which tool is at work, where that disturbs nobody: by /tellraw, or in whispers to a whisperer."""
        now = self._now()
        if now - self._tool_told_at < TOOL_LINES_S or not self._touch():
            return
        if self.source == "whisper" or self._voice.may_tellraw:
            self._tool_told_at = now
            self._voice.tell_tool(name, event.tool, label_of(event.tool, event.arguments, self._language))

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
