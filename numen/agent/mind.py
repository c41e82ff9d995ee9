"""The mind of a companion towards one person: when it thinks, what stops it, what it does when that fails.

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
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from numen.agent import words
from numen.agent.catalogue import Catalogue
from numen.agent.commands import Command
from numen.agent.context import Context
from numen.agent.endings import Endings
from numen.agent.events import AgentEvent, Emit, EndingKind
from numen.agent.foreign import foreign_in
from numen.agent.goals import Goals
from numen.agent.history import History
from numen.agent.inbox import Drained, Event, Inbox
from numen.agent.keeping import Keeper
from numen.agent.loop import Superseded, Turn
from numen.agent.orders import Orders
from numen.agent.patience import Patience
from numen.agent.prompt import Persona, system_prompt
from numen.agent.requests import Refused, Requests
from numen.agent.telling import Teller
from numen.llm import AssistantMessage, EndpointError, Message, Provider, ToolMessage
from numen.session import (
    DEFAULT_SOUL,
    Head,
    Notebook,
    Person,
    Session,
    SessionStore,
    Souls,
    UnknownSession,
    UnknownSoul,
    restore,
)
from numen.session.assets import MADE_AMONG_OTHERS
from numen.tool import Dispatcher, TaskResult, ToolContext, ToolRegistry
from numen.tool.finding import Disclosure
from numen.tool.trust import trust_of
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


@dataclass(frozen=True, slots=True)
class Soul:
    """Whose choice of a soul a mind follows: the souls there are, and the key of the person who chooses."""

    souls: Souls
    key: str

    @property
    def name(self) -> str:
        return self.souls.chosen(self.key)


def nothing(*_: Any) -> None:
    """For a callback that nobody wants."""


class Mind:
    """Thinks for one companion, in conversation with one person."""

    def __init__(
        self,
        *,
        persona: Persona,
        provider: Provider,
        registry: ToolRegistry,
        context: ToolContext,
        speak: Callable[[str], None],
        session: Session | None = None,
        sessions: SessionStore | None = None,
        person: Person | None = None,
        soul: Soul | None = None,
        titler: Provider | None = None,
        emit: Emit = nothing,
        stop_body: Callable[[Halt], None] = nothing,
        situation: Callable[[], str] = str,
        job_running: Callable[[], bool] = bool,
        shelf: SkillShelf | None = None,
        notes: Notebook | None = None,
        dispatcher: Dispatcher | None = None,
        enter: Callable[[], None] = nothing,
        language: str = "en",
        limits: Limits = Limits(),
        now: Callable[[], float] = time.time,
        new_id: Callable[[], str] = lambda: uuid.uuid4().hex[:12],
        next_turn: Callable[[], int] | None = None,
        call_later: Callable[[float, Callable[[], None]], Any] | None = None,
    ) -> None:
        """The conversation is the active one of `sessions`, or `session` for a mind that has but one.

        `speak` takes each plain answer, `emit` every event; neither may block. `stop_body` is called when a
        turn or a job must end; `situation` gives lines about the present moment for the user message, such as
        the job under way; `job_running` says whether the body has one. `enter` is called within the task of
        each turn, before anything else. `next_turn` numbers the turns, where several minds share a companion.
        `titler` names sessions. `call_later` replaces the loop's own clock.

        Raises what `SessionStore.open` raises.
        """
        self.persona = persona
        self.person = person
        self.provider = provider
        self.registry = registry
        self.context = context
        self.language = language
        self.limits = limits
        self.sessions = sessions
        self.generation = 0
        """Grows whenever a turn is ended from outside; what belongs to an older one no longer counts."""
        self.dispatcher = dispatcher or Dispatcher(registry)
        self.job_running = job_running
        self.last_drained: Drained | None = None
        """What the turn under way was told last."""
        self._speak = speak
        self._emit = emit
        self._stop_body = stop_body
        self._situation = situation
        self._shelf = shelf
        self._notes = notes
        self._trust = trust_of(context.services)
        self._enter = enter
        self._now = now
        self._new_id = new_id
        self._next_turn = next_turn or count(1).__next__
        self._soul = soul
        self._keeper = Keeper(sessions, titler) if sessions is not None else None
        if sessions is not None:
            session = sessions.open()
        if session is None:
            raise TypeError("a mind needs a session, or sessions")
        self._session = session
        self._take_up()
        self._take_soul()
        self._running = False
        self._latched = False
        self._suspended: set[Halt] = set()
        self._unfinished = False
        self._forced_words = ""
        self._turn: asyncio.Task[None] | None = None
        self._teller: Teller | None = None
        self._patience = Patience(call_later)
        self._requests = Requests(now=now)
        self._endings = Endings(self, self._requests, self._patience)
        self.orders = Orders(self)
        self._resting = asyncio.Event()
        self._resting.set()
        self._watchers: list[Callable[[Event], None]] = []

    def _take_up(self) -> None:
        """The conversation as the log has it."""
        records = self._session.records()
        restored = restore(records)
        self.inbox = Inbox(self._session, restored.pending, now=self._now, new_id=self._new_id)
        self.history = History(self._session, restored)
        self.goals = Goals(
            self._session, records, turns=self.limits.goal_turns, tokens=self.limits.goal_tokens
        )
        self.chat = Context(
            self.history,
            window=self.limits.context_tokens,
            told_anew=lambda: self._notes_told(anew=True),
        )
        self.catalogue = Catalogue(self.registry, self.history.messages, self._trust)
        services = {**self.context.services, Disclosure: self.catalogue.disclosure}
        self.context = replace(self.context, services=services)
        self.last_drained = None
        self._told_notes = ""
        self._trust.clear()
        for source in foreign_in(records, self.registry):
            self._trust.taint(source)

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
        if self._keeper is not None:
            await self._keeper.close()
        await self.provider.aclose()
        if self.sessions is not None:
            self.sessions.close()
        else:
            self._session.close()

    @property
    def busy(self) -> bool:
        """A turn is under way."""
        return self._turn is not None

    @property
    def request_id(self) -> str | None:
        """The id of the turn under way, None while none is."""
        return self._requests.id

    @property
    def session_id(self) -> str:
        """The id of the active session, "" where there is but one."""
        head = self.sessions.active if self.sessions is not None else None
        return head.id if head is not None else ""

    async def rest(self) -> None:
        """Wait until no turn is under way."""
        await self._resting.wait()

    # -- what comes in

    def hear(self, text: str) -> bool:
        """Take the person's words. They wake the mind, or join the turn under way.

        True says that they are on disk; False that they are blank, or could not be kept.
        """
        if not text.strip():
            return False
        try:
            self.inbox.hear(text)
        except OSError as error:
            log.exception("the log of %s cannot be written", self.persona.companion)
            self.say("no_log", detail=error)
            return False
        self.wake()
        return True

    def order(self, command: Command) -> None:
        """Take an order to the engine; what changes the conversation waits for the end of the turn."""
        self.orders.take(command)

    def notify(self, event: Event) -> None:
        """Take an event of the world or of the body. Its kind decides whether it wakes the mind."""
        self.keep(event)
        self.consider()

    def watch(self, watcher: Callable[[Event], None]) -> Callable[[], None]:
        """Tell `watcher` every event from now on; returns what ends that."""
        self._watchers.append(watcher)
        return lambda: self._watchers.remove(watcher)

    def outside_teller(self) -> Teller:
        """Who tells of calls that belong to no turn: they bear the number 0."""
        return Teller(self.persona.companion, 0, self._emit)

    # -- sessions and souls

    def new_session(self) -> Head:
        """Begin a session and go on in it. Raises Refused while a request runs, OSError."""
        store = self._free("busy_sessions")
        head = store.new()
        self._changed_session()
        return head

    def switch_session(self, ref: str) -> Head:
        """Go on in another session, by id or token. Raises Refused, SessionError, OSError.

        While a request runs only the session that it runs in may be named.
        """
        store = self._stored()
        try:
            head = store.find(ref)
            if head.id == self.session_id:
                return head
            self._free("busy_sessions")
            head = store.resume(ref)
        except UnknownSession:
            raise Refused("no_session", ref=ref) from None
        self._changed_session()
        return head

    def remove_session(self, ref: str) -> Head:
        """Remove a session for good; in place of the active one the newest other is taken up, or a new one.

        Raises Refused, SessionError, OSError.
        """
        store = self._free("busy_sessions")
        active = self.session_id
        try:
            head = store.remove(ref)
        except UnknownSession:
            raise Refused("no_session", ref=ref) from None
        if head.id == active:
            store.open()
            self._changed_session()
        return head

    def repair_session(self, ref: str | None = None) -> tuple[Head, int]:
        """Bring the calls and results of a session in order: (which, how many turns were changed).

        Raises Refused, OSError.
        """
        store = self._free("busy_sessions")
        try:
            head, changed = store.repair(ref)
        except UnknownSession:
            raise Refused("no_session", ref=ref or "") from None
        if head.id == self.session_id:
            changed += self.answer_open_calls("the result was lost")
        return head, changed

    def begin_anew(self) -> None:
        """Set the conversation aside and begin another. Raises OSError."""
        if self.sessions is not None:
            self.sessions.new()
            self._changed_session()
        else:
            self._session.clear()
            self._take_up()

    @property
    def soul(self) -> str:
        """The name of the soul that the person has chosen."""
        return self._soul.name if self._soul is not None else DEFAULT_SOUL

    def switch_soul(self, name: str) -> str:
        """Speak as another soul from now on; its name. Raises Refused, OSError."""
        if self._soul is None:
            raise Refused("no_soul", name=name, names=DEFAULT_SOUL)
        try:
            found = self._soul.souls.find(name)
        except UnknownSoul as error:
            raise Refused("no_soul", name=name, names=", ".join(error.names)) from None
        if self.busy:
            raise Refused("busy_soul")
        if found != self.soul:
            self._soul.souls.choose(self._soul.key, found)
            self._take_soul()
            self.keep(Event(kind="soul", text=f"From now on you speak as the soul {found}."))
        return found

    def _take_soul(self) -> None:
        if self._soul is not None:
            self.persona = replace(self.persona, character=self._soul.souls.text(self._soul.name))

    def _stored(self) -> SessionStore:
        if self.sessions is None:
            raise Refused("one_session")
        return self.sessions

    def _free(self, key: str) -> SessionStore:
        """The sessions, if nothing stands against changing them. Raises Refused with `key` while busy."""
        if self.busy:
            raise Refused(key)
        return self._stored()

    def _changed_session(self) -> None:
        self._session = self._stored().open()
        self._patience.cancel()
        self._unfinished = False
        self._take_up()

    # -- what stops and starts

    def halt(self, reason: Halt = Halt.OWNER_STOP) -> bool:
        """End the turn under way, and the body's job with it; True when there was a turn.

        After the person's Stop the mind stays still until the person speaks; a Stop while no turn is under
        way drops the person's waiting words and keeps events.
        """
        self.generation += 1
        task, teller = self._turn, self._teller
        self._turn = self._teller = None
        self._patience.cancel()
        self._requests.end()
        if reason is Halt.OWNER_STOP:
            self._latched = True
            self.orders.drop()
            self.orders.change_goal("paused")
        if task is not None:
            task.cancel()
            self._settle(reason)
        elif reason is Halt.OWNER_STOP:
            self.inbox.drop_words()
            self.keep(STOPPED)
        self._stop_body(reason)
        if task is not None and teller is not None:
            self._save()
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
            self.keep(event)

    def resume(self, reason: Halt, event: Event | None = None) -> None:
        """Lift a suspension. A turn that it had ended is taken up again, once nothing else holds the mind."""
        self._suspended.discard(reason)
        if event is not None:
            self.keep(event)
        if reason is Halt.EXTERNAL:
            self.inbox.let_rest()
        else:
            self.consider(force=self._unfinished)

    def retry(self, token: str) -> None:
        """Send the request again that the endpoint has failed. Raises Refused.

        The token came with the failure and is good for 30 minutes, once, in the same session.
        """
        if self.busy:
            raise Refused("busy_retry")
        self._endings.retry(token)

    def latch(self) -> None:
        """Stay still until the person speaks."""
        self._latched = True

    def wake(self, *, force: bool = False, words: str = "") -> None:
        """The person wants something: whatever held the mind back no longer does.

        With `force` it thinks on even without anything new; `words` are then what it answers.
        """
        self._latched = False
        self._patience.forget()
        self._forced_words = words
        self.consider(force=force)
        self._forced_words = ""

    # -- thinking

    def consider(self, *, force: bool = False) -> None:
        """Start a turn if there is reason and nothing against it."""
        if not self._running or self._turn is not None or self._latched or self._suspended:
            return
        if self._patience.waiting and not (self.inbox.has_words or force):
            return  # the endpoint is given time; events wait for the retry
        if not (force or self.inbox.wakes):
            return
        self._patience.cancel()
        self._unfinished = False
        self.begin(self._take_turn)

    def begin(self, work: Callable[[Teller, Callable[[], bool]], Awaitable[EndingKind]]) -> None:
        """Let `work` have the mind until it has ended, or is ended."""
        self._resting.clear()
        teller = self._teller = Teller(self.persona.companion, self._next_turn(), self._emit)
        request = self._requests.begin()
        self._requests.heard(self._forced_words)
        teller.started(self.inbox.said or self._forced_words, request, self.session_id)
        self._turn = asyncio.get_running_loop().create_task(
            self._run(work, self.generation, teller), name=f"{self.persona.companion} turn {teller.turn}"
        )

    async def _run(
        self,
        work: Callable[[Teller, Callable[[], bool]], Awaitable[EndingKind]],
        generation: int,
        teller: Teller,
    ) -> None:
        def current() -> bool:
            return generation == self.generation

        self._enter()
        how: EndingKind = "failed"
        try:
            how = await work(teller, current)
        except Superseded:
            pass
        except EndpointError as error:
            if current():
                self._endings.give_up(error, teller)
        except OSError as error:
            if current():
                self._endings.complain("no_log", type(error).__name__, str(error), teller)
        except Exception as error:
            log.exception("turn %d of %s failed", teller.turn, teller.companion)
            if current():
                detail = f"{type(error).__name__}: {error}"
                self._endings.complain("our_fault", type(error).__name__, detail, teller)
        if current():
            self._turn = self._teller = None
            self._requests.end()
            self._save()
            teller.ended(how)
            self.orders.carry_out()
            self.consider()
            if self._turn is None:
                self._resting.set()

    async def _take_turn(self, teller: Teller, current: Callable[[], bool]) -> EndingKind:
        self._tell_of_translation()
        turn = Turn(
            provider=self.provider,
            dispatcher=self.dispatcher,
            tool_context=self.context,
            context=self.chat,
            inbox=self.inbox,
            system=self.system(),
            tools=self.catalogue.specs,
            teller=teller,
            situation=self._facts,
            current=current,
            max_rounds=self.limits.rounds_per_turn,
            on_drained=self._told,
            on_round=self._save,
        )
        ending = await turn.run()
        turn.check()
        how = self._endings.conclude(ending, teller)
        own, self.orders.own_turn = self.orders.own_turn and not turn.spoken_to, False
        if how in ("answered", "waiting"):
            await self.orders.review_goal(teller, turn.check, idle=own and not turn.acted)
        return how

    def system(self) -> str:
        """The system prompt."""
        listed = self._shelf.listed() if self._shelf else ()
        return system_prompt(self.persona, listed, (each.name for each in self.registry))

    def _told(self, drained: Drained) -> None:
        """The model is being told what waited."""
        self.last_drained = drained
        self._requests.heard(drained.words)
        for name in drained.foreign:
            self._trust.taint(f"what {name} says in chat")

    def _tell_of_translation(self) -> None:
        """Say once that a session goes on with another kind of endpoint than it was written for."""
        store = self.sessions
        if store is not None and store.continued_from is not None:
            store.continued_from = None
            self.say("other_provider", label=self.provider.label)

    def _facts(self) -> str:
        """What has to be told along with the next words: notes that changed, the goal, how things are now."""
        goal = self.goals.active
        parts = (self._notes_told(), goal.told() if goal else "", self._situation())
        return "\n".join(part for part in parts if part)

    def _notes_told(self, *, anew: bool = False) -> str:
        """The index of notes, when the model does not have it: at the start, after a change, and `anew`."""
        index = self._notes.index() if self._notes is not None else ""
        if MADE_AMONG_OTHERS in index:
            self._trust.taint("notes made while others spoke")
        if index == self._told_notes and not anew:
            return ""
        self._told_notes = index
        return index or ("" if anew else "<notes>none any more</notes>")

    # -- what is written down

    def _settle(self, reason: Halt) -> None:
        """Leave the history whole after a turn was cut off."""
        self.answer_open_calls(reason.value)
        if reason is Halt.OWNER_STOP and self.history.wants_answer:
            self.record(AssistantMessage(content="(interrupted)"))

    def answer_open_calls(self, why: str) -> int:
        """Give every call without a result one that says why; how many there were."""
        dangling = self.history.dangling()
        for call in dangling:
            content = TaskResult.cancelled(why).to_json()
            self.record(ToolMessage(call_id=call.id, name=call.name, content=content))
        return len(dangling)

    def record(self, message: Message) -> None:
        """Record what must not stop us when the disk is full; the repair before a request fills the gap."""
        try:
            self.history.record(message)
        except OSError:
            log.exception("the log of %s cannot be written", self.persona.companion)

    def keep(self, event: Event) -> None:
        """Keep an event, without starting anything."""
        try:
            self.inbox.notify(event)
        except OSError:
            log.exception("an event of %s could not be kept", self.persona.companion)
        for watcher in list(self._watchers):
            watcher(event)

    def entitle(self, prompt: str, answer: str) -> None:
        """The session has had an answer to a person's words: it may get its title."""
        if self._keeper is not None and prompt:
            self._keeper.entitle(prompt, answer, self.history.messages)

    def _save(self) -> None:
        if self._keeper is not None:
            self._keeper.save(self.history.messages)

    # -- what is said

    def speak(self, text: str) -> None:
        """Say an answer to the person."""
        try:
            self._speak(text)
        except Exception:
            log.exception("%s could not say its answer", self.persona.companion)

    def say(self, key: str, **facts: object) -> None:
        """Say a sentence of our own."""
        self.speak(words.say(key, self.language, **facts))


__all__ = ["AgentEvent", "Event", "Halt", "Limits", "Mind", "Persona", "Refused", "Soul"]
