"""One companion's mind: when it thinks, what stops it, and what it does when thinking fails.

All methods belong to the event loop's thread. Everything that ends a turn goes through `halt`, at once and
without waiting: the turn stops counting, its calls get honest results, the body is told, the request is
cancelled. The body lives on whatever happens here.
"""

from __future__ import annotations

import asyncio
import enum
import logging
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, assert_never

from numen.agent import words
from numen.agent.events import AgentEvent, Emit, EndingKind
from numen.agent.history import History
from numen.agent.inbox import Event, Inbox
from numen.agent.loop import Ending, NoAnswer, Said, Stuck, Superseded, Turn, Waiting
from numen.agent.prompt import Persona, system_prompt
from numen.agent.telling import Teller
from numen.llm import AssistantMessage, EndpointError, Message, Provider, ToolMessage, ToolSpec
from numen.session import Session, restore
from numen.tool import Dispatcher, TaskResult, ToolContext, ToolRegistry
from skills import SkillShelf

log = logging.getLogger(__name__)

STOPPED = Event(kind="stop", text="Your owner said stop. What you were doing is over; wait for word.")

FIRST_RETRY_S = 30.0
LAST_RETRY_S = 600.0


class Halt(enum.Enum):
    """Why a turn was ended from outside, and what its open calls are told."""

    OWNER_STOP = "the owner interrupted; do not go on with it unless asked"
    DEATH = "interrupted by your death"
    DISCONNECT = "interrupted: the connection to the server was lost"
    EXTERNAL = "interrupted: something else controls the body now"
    DISPOSE = "interrupted: the program is ending"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Brakes on one mind; None is no brake."""

    rounds_per_turn: int | None = None


def nothing(*_: Any) -> None:
    """For a callback that nobody wants."""


class Mind:
    """Thinks for one companion."""

    def __init__(
        self,
        *,
        persona: Persona,
        provider: Provider,
        registry: ToolRegistry,
        context: ToolContext,
        session: Session,
        speak: Callable[[str], None],
        emit: Emit = nothing,
        stop_body: Callable[[Halt], None] = nothing,
        situation: Callable[[], str] = str,
        shelf: SkillShelf | None = None,
        dispatcher: Dispatcher | None = None,
        language: str = "en",
        limits: Limits = Limits(),
        now: Callable[[], float] = time.time,
        new_id: Callable[[], str] = lambda: uuid.uuid4().hex[:12],
        call_later: Callable[[float, Callable[[], None]], Any] | None = None,
    ) -> None:
        """`speak` takes each plain answer, `emit` every event; neither may block.

        `stop_body` is called when a turn or a job must end; `situation` gives lines about the present moment
        for the user message, such as the job under way; `call_later` replaces the loop's own clock.
        """
        self.persona = persona
        self.provider = provider
        self.registry = registry
        self.context = context
        self.language = language
        self.limits = limits
        self.generation = 0
        """Grows whenever a turn is ended from outside; what belongs to an older one no longer counts."""
        self.dispatcher = dispatcher or Dispatcher(registry)
        self._session = session
        self._speak = speak
        self._emit = emit
        self._stop_body = stop_body
        self._situation = situation
        self._shelf = shelf
        self._call_later = call_later
        restored = restore(session.records())
        self.inbox = Inbox(session, restored.pending, now=now, new_id=new_id)
        self.history = History(session, restored)
        self._running = False
        self._latched = False
        self._suspended: set[Halt] = set()
        self._unfinished = False
        self._turns = 0
        self._turn: asyncio.Task[None] | None = None
        self._teller: Teller | None = None
        self._failures = 0
        self._last_complaint = ""
        self._retry: Any = None
        self._resting = asyncio.Event()
        self._resting.set()

    # -- life

    def start(self) -> None:
        """Begin to think when something comes. What waited in the inbox since last time does not wake it."""
        self._running = True

    async def stop(self) -> None:
        """End the turn under way and let go of the endpoint and the log.

        Messages that came stay for next time.
        """
        task = self._turn
        self.halt(Halt.DISPOSE)
        self._running = False
        if task is not None and task is not asyncio.current_task():
            await asyncio.wait({task}, timeout=5)
        await self.provider.aclose()
        self._session.close()

    @property
    def busy(self) -> bool:
        """A turn is under way."""
        return self._turn is not None

    async def rest(self) -> None:
        """Wait until no turn is under way."""
        await self._resting.wait()

    # -- what comes in

    def hear(self, text: str) -> bool:
        """Take the owner's words. They wake the mind, or join the turn under way.

        True says that they are on disk; False that they are blank, or could not be kept.
        """
        if not text.strip():
            return False
        try:
            self.inbox.hear(text)
        except OSError as error:
            log.exception("the log of %s cannot be written", self.persona.companion)
            self._say(words.say("no_log", self.language, detail=error))
            return False
        self._latched = False
        self._forget_failures()
        self._consider()
        return True

    def notify(self, event: Event) -> None:
        """Take an event of the world or of the body. Its kind decides whether it wakes the mind."""
        self._keep(event)
        self._consider()

    # -- what stops and starts

    def halt(self, reason: Halt = Halt.OWNER_STOP) -> bool:
        """End the turn under way, and the body's job with it; True when there was a turn.

        After the owner's Stop the mind stays still until the owner speaks; a Stop while no turn is under way
        drops the owner's waiting words and keeps events.
        """
        self.generation += 1
        task, teller = self._turn, self._teller
        self._turn = self._teller = None
        self._cancel_retry()
        if reason is Halt.OWNER_STOP:
            self._latched = True
        if task is not None:
            task.cancel()
            self._settle(reason)
        elif reason is Halt.OWNER_STOP:
            self.inbox.drop_words()
            self._keep(STOPPED)
        self._stop_body(reason)
        if task is not None and teller is not None:
            teller.ended("halted")
            self._resting.set()
        return task is not None

    def suspend(self, reason: Halt, event: Event | None = None) -> None:
        """End the turn and start none until `resume` with the same reason: while dead, offline, or driven."""
        if reason not in self._suspended:
            self._suspended.add(reason)
            was_waiting = self._retry is not None
            if (self.halt(reason) or was_waiting) and reason is not Halt.EXTERNAL:
                self._unfinished = True
        if event is not None:
            self._keep(event)

    def resume(self, reason: Halt, event: Event | None = None) -> None:
        """Lift a suspension. A turn that it had ended is taken up again, once nothing else holds the mind."""
        self._suspended.discard(reason)
        if event is not None:
            self._keep(event)
        if reason is not Halt.EXTERNAL:
            self._consider(force=self._unfinished)

    # -- thinking

    def _consider(self, *, force: bool = False) -> None:
        """Start a turn if there is reason and nothing against it."""
        if not self._running or self._turn is not None or self._latched or self._suspended:
            return
        if self._retry is not None and not self.inbox.has_words:
            return  # the endpoint is given time; events wait for the retry
        if not (force or self.inbox.wakes):
            return
        self._cancel_retry()
        self._unfinished = False
        self._turns += 1
        self._resting.clear()
        teller = self._teller = Teller(self.persona.companion, self._turns, self._emit)
        teller.started()
        self._turn = asyncio.get_running_loop().create_task(
            self._think(self.generation, teller), name=f"{self.persona.companion} turn {self._turns}"
        )

    async def _think(self, generation: int, teller: Teller) -> None:
        def current() -> bool:
            return generation == self.generation

        how: EndingKind = "failed"
        try:
            ending = await Turn(
                provider=self.provider,
                dispatcher=self.dispatcher,
                context=self.context,
                history=self.history,
                inbox=self.inbox,
                system=system_prompt(self.persona, self._shelf.listed() if self._shelf else ()),
                tools=await specs(self.registry),
                teller=teller,
                situation=self._situation,
                current=current,
                max_rounds=self.limits.rounds_per_turn,
            ).run()
            if current():
                how = self._conclude(ending, teller)
        except Superseded:
            pass
        except EndpointError as error:
            if current():
                self._give_up(error, teller)
        except OSError as error:
            if current():
                self._complain("no_log", type(error).__name__, str(error), teller)
        except Exception as error:
            log.exception("turn %d of %s failed", teller.turn, teller.companion)
            if current():
                self._complain("our_fault", type(error).__name__, f"{type(error).__name__}: {error}", teller)
        if current():
            self._turn = self._teller = None
            teller.ended(how)
            self._consider()
            if self._turn is None:
                self._resting.set()

    def _conclude(self, ending: Ending, teller: Teller) -> EndingKind:
        self._forget_failures()
        match ending:
            case Said():
                teller.answered(ending.text)
                self._say(ending.text)
                return "answered"
            case Waiting():
                return "waiting"
            case NoAnswer():
                text = words.say("only_thoughts" if ending.cut_off else "no_answer", self.language)
                teller.failed("NoAnswer", text)
                self._say(text)
                return "failed"
            case Stuck():
                text = self._question(ending)
                self._record(AssistantMessage(content=text))
                teller.answered(text)
                self._say(text)
                self._latched = True
                return "stuck"
            case _:
                assert_never(ending)

    def _question(self, stuck: Stuck) -> str:
        circle = stuck.circle
        if circle is None:
            return words.say("many_rounds", self.language, rounds=self.limits.rounds_per_turn)
        key = "stuck" if circle.failing else "in_circles"
        return words.say(key, self.language, tool=circle.tool, times=circle.times, message=stuck.message)

    # -- failing

    def _give_up(self, error: EndpointError, teller: Teller) -> None:
        """The endpoint failed. What may pass is tried again later; what will not waits for the owner."""
        text = error.sentence(self.language)
        delay: float | None = None
        if error.transient:
            self._failures += 1
            delay = max(
                min(FIRST_RETRY_S * 2.0 ** (self._failures - 1), LAST_RETRY_S), error.retry_after_s or 0.0
            )
            self._retry = self._later(delay, self._try_again)
            text = f"{text} {words.say('retry', self.language, seconds=round(delay))}"
        else:
            self._latched = True
        log.warning("%s: %s", teller.companion, error)
        teller.failed(type(error).__name__, text, delay)
        if type(error).__name__ != self._last_complaint:
            # Once is enough: an outage of an hour must not fill the chat.
            self._last_complaint = type(error).__name__
            self._say(text)

    def _complain(self, key: str, kind: str, detail: str, teller: Teller) -> None:
        text = words.say(key, self.language, detail=detail)
        self._latched = True
        teller.failed(kind, text)
        self._answer_open_calls("the turn broke off")
        self._say(text)

    def _try_again(self) -> None:
        self._retry = None
        self._consider(force=self.history.wants_answer)

    def _later(self, delay: float, action: Callable[[], None]) -> Any:
        call_later = self._call_later or asyncio.get_running_loop().call_later
        return call_later(delay, action)

    def _cancel_retry(self) -> None:
        if self._retry is not None:
            self._retry.cancel()
            self._retry = None

    def _forget_failures(self) -> None:
        self._failures = 0
        self._last_complaint = ""

    # -- the rest

    def _settle(self, reason: Halt) -> None:
        """Leave the history whole after a turn was cut off."""
        self._answer_open_calls(reason.value)
        if reason is Halt.OWNER_STOP and self.history.wants_answer:
            self._record(AssistantMessage(content="(interrupted)"))

    def _answer_open_calls(self, why: str) -> None:
        for call in self.history.dangling():
            content = TaskResult.cancelled(why).to_json()
            self._record(ToolMessage(call_id=call.id, name=call.name, content=content))

    def _record(self, message: Message) -> None:
        """Record what must not stop us when the disk is full; the repair before a request fills the gap."""
        try:
            self.history.record(message)
        except OSError:
            log.exception("the log of %s cannot be written", self.persona.companion)

    def _keep(self, event: Event) -> None:
        try:
            self.inbox.notify(event)
        except OSError:
            log.exception("an event of %s could not be kept", self.persona.companion)

    def _say(self, text: str) -> None:
        try:
            self._speak(text)
        except Exception:
            log.exception("%s could not say its answer", self.persona.companion)


async def specs(registry: ToolRegistry) -> tuple[ToolSpec, ...]:
    """The tools as a request carries them, in order of registration.

    A schema is built when it is first asked for, which takes milliseconds; so the loop may breathe after
    each.
    """
    made: list[ToolSpec] = []
    for tool in registry:
        begun = time.perf_counter()
        made.append(ToolSpec(name=tool.name, description=tool.description, parameters=tool.parameter_schema))
        if time.perf_counter() - begun > 0.001:
            await asyncio.sleep(0)
    return tuple(made)


__all__ = ["AgentEvent", "Event", "Halt", "Limits", "Mind", "Persona", "specs"]
