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
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, assert_never

from numen.agent import words
from numen.agent.asking import Asker
from numen.agent.commands import Command, read_command
from numen.agent.context import Context
from numen.agent.events import AgentEvent, Emit, EndingKind
from numen.agent.goals import Goals, GoalState, Review
from numen.agent.history import History
from numen.agent.inbox import Event, Inbox
from numen.agent.loop import Ending, NoAnswer, Said, Stuck, Superseded, Turn, Waiting
from numen.agent.patience import Patience
from numen.agent.prompt import Persona, system_prompt
from numen.agent.telling import Teller
from numen.llm import AssistantMessage, EndpointError, Message, Provider, ToolMessage, ToolSpec
from numen.session import Notebook, Session, restore
from numen.tool import Dispatcher, TaskResult, ToolContext, ToolRegistry
from skills import SkillShelf

log = logging.getLogger(__name__)

STOPPED = Event(kind="stop", text="Your owner said stop. What you were doing is over; wait for word.")


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
    context_tokens: int | None = None
    """What the model can read; None for a cautious guess."""
    goal_turns: int = 30
    goal_tokens: int = 2_000_000


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
        job_running: Callable[[], bool] = bool,
        shelf: SkillShelf | None = None,
        notes: Notebook | None = None,
        dispatcher: Dispatcher | None = None,
        language: str = "en",
        limits: Limits = Limits(),
        now: Callable[[], float] = time.time,
        new_id: Callable[[], str] = lambda: uuid.uuid4().hex[:12],
        call_later: Callable[[float, Callable[[], None]], Any] | None = None,
    ) -> None:
        """`speak` takes each plain answer, `emit` every event; neither may block.

        `stop_body` is called when a turn or a job must end; `situation` gives lines about the present moment
        for the user message, such as the job under way; `job_running` says whether the body has one;
        `call_later` replaces the loop's own clock.
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
        self._notes = notes
        self._now = now
        self._new_id = new_id
        self._job_running = job_running
        self._told_notes = ""
        self._take_up()
        self._running = False
        self._latched = False
        self._suspended: set[Halt] = set()
        self._unfinished = False
        self._turns = 0
        self._turn: asyncio.Task[None] | None = None
        self._teller: Teller | None = None
        self._patience = Patience(call_later)
        self._resting = asyncio.Event()
        self._resting.set()
        self._watchers: list[Callable[[Event], None]] = []
        self._orders: list[Command] = []
        self._own_turn = False
        """The next turn is one that the goal asks for by itself."""

    def _take_up(self) -> None:
        """The conversation as the log has it."""
        records = self._session.records()
        restored = restore(records)
        self.inbox = Inbox(self._session, restored.pending, now=self._now, new_id=self._new_id)
        self.history = History(self._session, restored)
        self.goals = Goals(
            self._session, records, turns=self.limits.goal_turns, tokens=self.limits.goal_tokens
        )
        self._chat = Context(
            self.history,
            window=self.limits.context_tokens,
            told_anew=lambda: self._notes_told(anew=True),
        )
        self._told_notes = ""

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

    def hear(self, text: str, *, orders: bool = True) -> bool:
        """Take the owner's words. They wake the mind, or join the turn under way.

        True says that they are on disk; False that they are blank, or could not be kept. Without `orders` a
        line such as `/clear` is words like any other.
        """
        if not text.strip():
            return False
        order = read_command(text) if orders else None
        if order is not None:
            self._orders.append(order)
            self._carry_out()
            return True
        return self._heard(text)

    def _heard(self, text: str) -> bool:
        try:
            self.inbox.hear(text)
        except OSError as error:
            log.exception("the log of %s cannot be written", self.persona.companion)
            self._say(words.say("no_log", self.language, detail=error))
            return False
        self._latched = False
        self._patience.forget()
        self._consider()
        return True

    def notify(self, event: Event) -> None:
        """Take an event of the world or of the body. Its kind decides whether it wakes the mind."""
        self._keep(event)
        self._consider()

    def watch(self, watcher: Callable[[Event], None]) -> Callable[[], None]:
        """Tell `watcher` every event from now on; returns what ends that."""
        self._watchers.append(watcher)
        return lambda: self._watchers.remove(watcher)

    def outside_teller(self) -> Teller:
        """Who tells of calls that belong to no turn: they bear the number 0."""
        return Teller(self.persona.companion, 0, self._emit)

    # -- what stops and starts

    def halt(self, reason: Halt = Halt.OWNER_STOP) -> bool:
        """End the turn under way, and the body's job with it; True when there was a turn.

        After the owner's Stop the mind stays still until the owner speaks; a Stop while no turn is under way
        drops the owner's waiting words and keeps events.
        """
        self.generation += 1
        task, teller = self._turn, self._teller
        self._turn = self._teller = None
        self._patience.cancel()
        if reason is Halt.OWNER_STOP:
            self._latched = True
            self._orders.clear()
            self._change_goal("paused")
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
            was_waiting = self._patience.waiting
            if (self.halt(reason) or was_waiting) and reason is not Halt.EXTERNAL:
                self._unfinished = True
        if event is not None:
            self._keep(event)

    def resume(self, reason: Halt, event: Event | None = None) -> None:
        """Lift a suspension. A turn that it had ended is taken up again, once nothing else holds the mind."""
        self._suspended.discard(reason)
        if event is not None:
            self._keep(event)
        if reason is Halt.EXTERNAL:
            self.inbox.let_rest()
        else:
            self._consider(force=self._unfinished)

    # -- thinking

    def _consider(self, *, force: bool = False) -> None:
        """Start a turn if there is reason and nothing against it."""
        if not self._running or self._turn is not None or self._latched or self._suspended:
            return
        if self._patience.waiting and not self.inbox.has_words:
            return  # the endpoint is given time; events wait for the retry
        if not (force or self.inbox.wakes):
            return
        self._patience.cancel()
        self._unfinished = False
        self._begin(self._take_turn)

    def _begin(self, work: Callable[[Teller, Callable[[], bool]], Awaitable[EndingKind]]) -> None:
        """Let `work` have the mind until it has ended, or is ended."""
        self._turns += 1
        self._resting.clear()
        teller = self._teller = Teller(self.persona.companion, self._turns, self._emit)
        teller.started(self.inbox.said)
        self._turn = asyncio.get_running_loop().create_task(
            self._run(work, self.generation, teller), name=f"{self.persona.companion} turn {self._turns}"
        )

    async def _run(
        self,
        work: Callable[[Teller, Callable[[], bool]], Awaitable[EndingKind]],
        generation: int,
        teller: Teller,
    ) -> None:
        def current() -> bool:
            return generation == self.generation

        how: EndingKind = "failed"
        try:
            how = await work(teller, current)
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
            self._carry_out()
            self._consider()
            if self._turn is None:
                self._resting.set()

    async def _take_turn(self, teller: Teller, current: Callable[[], bool]) -> EndingKind:
        turn = Turn(
            provider=self.provider,
            dispatcher=self.dispatcher,
            tool_context=self.context,
            context=self._chat,
            inbox=self.inbox,
            system=self._system(),
            tools=await specs(self.registry),
            teller=teller,
            situation=self._facts,
            current=current,
            max_rounds=self.limits.rounds_per_turn,
        )
        ending = await turn.run()
        turn.check()
        how = self._conclude(ending, teller)
        own, self._own_turn = self._own_turn and not turn.spoken_to, False
        if how in ("answered", "waiting"):
            await self._review_goal(teller, turn.check, idle=own and not turn.acted)
        return how

    def _system(self) -> str:
        listed = self._shelf.listed() if self._shelf else ()
        return system_prompt(self.persona, listed, (each.name for each in self.registry))

    def _conclude(self, ending: Ending, teller: Teller) -> EndingKind:
        self._patience.forget()
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

    def _facts(self) -> str:
        """What has to be told along with the next words: notes that changed, the goal, how things are now."""
        goal = self.goals.active
        parts = (self._notes_told(), goal.told() if goal else "", self._situation())
        return "\n".join(part for part in parts if part)

    def _notes_told(self, *, anew: bool = False) -> str:
        """The index of notes, when the model does not have it: at the start, after a change, and `anew`."""
        index = self._notes.index() if self._notes is not None else ""
        if index == self._told_notes and not anew:
            return ""
        self._told_notes = index
        return index or ("" if anew else "<notes>none any more</notes>")

    # -- goals and other orders to the engine

    async def _review_goal(self, teller: Teller, check: Callable[[], None], *, idle: bool) -> None:
        """A turn has ended: see what becomes of the goal, unless something else comes first."""
        self.goals.cost(tokens=teller.fresh_tokens)
        goal = self.goals.active
        if goal is None or self._job_running() or self.inbox.wakes:
            return
        before = teller.fresh_tokens
        review = await self.goals.review(
            self.provider, self.history.messages, idle=idle, on_usage=teller.usage
        )
        check()
        self.goals.cost(tokens=teller.fresh_tokens - before)
        match review:
            case Review("continue", reason):
                self._go_on(reason)
            case Review("done" | "stuck" | "spent" as state, reason):
                self.goals.change(state, reason)
                self._say_goal()

    def _go_on(self, reason: str) -> None:
        """Give the goal a turn of its own."""
        self.goals.cost(turns=1)
        self._own_turn = True
        self._keep(Event(kind="goal", text=f"Your goal is not reached yet; go on with it. {reason}".strip()))

    def _change_goal(self, state: GoalState) -> None:
        try:
            if self.goals.active:
                self.goals.change(state)
        except OSError:
            log.exception("the goal of %s could not be kept", self.persona.companion)

    def _say_goal(self) -> None:
        goal = self.goals.goal
        if goal is None:
            self._say(words.say("goal_none", self.language))
            return
        facts = {"text": goal.text, "turns": goal.turns, "tokens": goal.tokens, "reason": goal.reason}
        self._say(words.say(f"goal_{goal.state}", self.language, **facts))

    def _carry_out(self) -> None:
        """Carry out what the owner has told the engine; what changes the conversation waits for its turn."""
        while self._orders and (self._turn is None or self._orders[0].name == "goal"):
            order = self._orders.pop(0)
            try:
                self._obey(order)
            except OSError as error:
                self._say(words.say("no_log", self.language, detail=error))

    def _obey(self, order: Command) -> None:
        match order.name:
            case "goal":
                self._goal_order(order.text)
            case "compact":
                self._begin(self._compact)
            case "clear":
                self._session.clear()
                self._take_up()
                self._say(words.say("cleared", self.language))
            case _:
                assert_never(order.name)

    def _goal_order(self, text: str) -> None:
        match text.casefold():
            case "" | "status" | "状态":
                self._say_goal()
            case "help" | "帮助":
                self._say(words.say("goal_help", self.language))
            case "pause" | "off" | "暂停":
                self._change_goal("paused")
                self._say_goal()
            case "clear" | "清除":
                self.goals.clear()
                self._say(words.say("goal_cleared", self.language))
            case "resume" | "on" | "继续":
                if self.goals.resume() is None:
                    self._say_goal()
                    return
                self._latched = False
                self._patience.forget()
                self._go_on("")
                self._consider()
            case _:
                self._heard(words.say("goal_set", self.language, text=self.goals.set(text).text))

    async def _compact(self, teller: Teller, current: Callable[[], bool]) -> EndingKind:
        def check() -> None:
            if not current():
                raise Superseded

        asker = Asker(
            provider=self.provider,
            context=self._chat,
            system=self._system(),
            tools=await specs(self.registry),
            teller=teller,
            check=check,
        )
        sizes = await asker.compact()
        if sizes is None:
            self._say(words.say("not_compacted", self.language))
            return "failed"
        self._say(words.say("compacted", self.language, before=sizes[0], after=sizes[1]))
        return "answered"

    # -- failing

    def _give_up(self, error: EndpointError, teller: Teller) -> None:
        """The endpoint failed. What may pass is tried again later; what will not waits for the owner."""
        text = error.sentence(self.language)
        delay: float | None = None
        if error.transient:
            delay = self._patience.wait(error, self._try_again)
            text = f"{text} {words.say('retry', self.language, seconds=round(delay))}"
        else:
            self._latched = True
        log.warning("%s: %s", teller.companion, error)
        teller.failed(type(error).__name__, text, delay)
        if self._patience.is_news(type(error).__name__):
            self._say(text)

    def _complain(self, key: str, kind: str, detail: str, teller: Teller) -> None:
        text = words.say(key, self.language, detail=detail)
        self._latched = True
        teller.failed(kind, text, runtime=True)
        self._answer_open_calls("the turn broke off")
        self._say(text)

    def _try_again(self) -> None:
        if self.goals.active and not self.history.wants_answer and not self._job_running():
            self._go_on("")  # it was the judge that could not be had
        self._consider(force=self.history.wants_answer)

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
        for watcher in list(self._watchers):
            watcher(event)

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
