"""The loop: ask the model, act on what it says, record what comes of it, until it has no more to do.

It prints nothing and knows no clock, no network and no game; all that comes in through the constructor.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from numen.agent.asking import Asker
from numen.agent.context import Context
from numen.agent.hints import with_hints
from numen.agent.inbox import Drained, Inbox
from numen.agent.repeats import Circle, Repeats, Rounds
from numen.agent.telling import Teller
from numen.llm import Completed, FunctionCall, Provider, ToolMessage, ToolSpec, UserMessage, spoken
from numen.tool import Dispatcher, TaskResult, ToolContext
from numen.tool.finding import Disclosure


class Superseded(Exception):
    """This turn was ended from outside; what it still does no longer counts."""


@dataclass(frozen=True, slots=True)
class Said:
    """The model answered in plain text."""

    text: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """The model has nothing to say, and need not: a job runs, or nobody spoke to it."""


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """The owner spoke, and the model answered nothing, and nothing again.

    `cut_off`: it thought until its answer had reached the length limit.
    """

    cut_off: bool = False


@dataclass(frozen=True, slots=True)
class Stuck:
    """The turn went nowhere:

    in a circle whose last result was `message`, or (None) through too many rounds.
    """

    circle: Circle | None
    message: str = ""


Ending = Said | Waiting | NoAnswer | Stuck


@dataclass(kw_only=True)
class Turn:
    """One turn of one companion: from waking to a plain answer."""

    provider: Provider
    dispatcher: Dispatcher
    tool_context: ToolContext
    context: Context
    inbox: Inbox
    system: str
    tools: Callable[[], Awaitable[tuple[ToolSpec, ...]]]
    """What the next request carries; calls may have found more."""
    teller: Teller
    situation: Callable[[], str]
    """What is so right now; goes into the user message, never into the system prompt."""
    current: Callable[[], bool]
    """Whether this is still the turn that counts."""
    max_rounds: int | None = None
    on_drained: Callable[[Drained], None] = lambda drained: None
    """Told what the model is told, once it is on disk."""
    on_round: Callable[[], None] = lambda: None
    """Called after each round of calls."""

    def __post_init__(self) -> None:
        self.history = self.context.history
        self._asker = Asker(
            provider=self.provider,
            context=self.context,
            system=self.system,
            tools=(),
            teller=self.teller,
            check=self.check,
        )
        self._repeats = Repeats()
        self._round_repeats = Rounds()
        self._jobs = False
        self.spoken_to = False
        """The owner's words were part of it."""
        self._rounds = 0
        self.acted = 0
        """Calls that were run."""
        self._cut_off = False

    async def run(self) -> Ending:
        """Ask, act, record. Raises EndpointError when the model cannot be asked, Superseded when ended."""
        while self.max_rounds is None or self._rounds < self.max_rounds:
            answer = await self.ask()
            if answer is None:
                quiet = self._jobs or not self.spoken_to
                return Waiting() if quiet else NoAnswer(self._cut_off)
            calls = answer.message.calls
            if not calls:
                return Said(spoken(answer.message.content))
            for index, call in enumerate(calls):
                stuck = await self.act(call, cut_off=answer.finish == "length")
                if stuck is not None:
                    self.skip(calls[index + 1 :], "a call before it went nowhere")
                    return stuck
            self.on_round()
            circle = self._round_repeats.ended()
            if circle is not None:
                return Stuck(circle)
        return Stuck(None)

    async def ask(self) -> Completed | None:
        """The model's next answer, recorded; None when it is empty. A single empty one is asked for again."""
        self._rounds += 1
        self._asker = replace(self._asker, tools=await self.tools())
        self.check()
        self._open_inbox()
        for _ in range(2):
            answer = await self._asker.ask()
            if answer.message.calls or spoken(answer.message.content):
                self.history.record(answer.message)
                return answer
            self._cut_off = answer.finish == "length"
            if self._jobs:
                break
        return None

    async def act(self, call: FunctionCall, *, cut_off: bool) -> Stuck | None:
        """Run one call and record its result. A Stuck when the model is going in circles with it."""
        finished = await self.dispatcher.run(
            call.id, call.name, call.arguments, self.tool_context, self.teller.tool
        )
        self.check()
        shown = self.tool_context.services.get(Disclosure)
        if isinstance(shown, Disclosure):
            shown.called(call.name)
        self.acted += 1
        self._jobs = self._jobs or finished.background
        times = self._repeats.note(call.name, call.arguments, finished.content)
        self._round_repeats.note(call.name, call.arguments, finished.content)
        content = with_hints(finished, self.dispatcher.registry, cut_off=cut_off, times=times)
        self.history.record(ToolMessage(call_id=call.id, name=call.name, content=content))
        circle = self._repeats.verdict(finished.tool, times, ok=finished.ok)
        return Stuck(circle, finished.message) if circle else None

    def skip(self, calls: tuple[FunctionCall, ...], why: str) -> None:
        """Answer calls that will not be run."""
        for call in calls:
            content = TaskResult.fail(f"not executed: {why}").to_json()
            self.history.record(ToolMessage(call_id=call.id, name=call.name, content=content))

    def check(self) -> None:
        """Raise Superseded once the turn no longer counts. Comes before everything that is recorded."""
        if not self.current():
            raise Superseded

    def _open_inbox(self) -> None:
        """What is waiting becomes one user message: between rounds is a legal point, within one is not."""
        drained = self.inbox.drain(self.situation, follow_ups=self._rounds == 1)
        if drained is not None:
            self.history.record(UserMessage(content=drained.text), drained.ids)
            self.inbox.taken(drained.ids)
            self.spoken_to = self.spoken_to or drained.has_words
            self.on_drained(drained)
