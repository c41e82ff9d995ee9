"""One companion: a body with a mind on one server, alive across deaths and lost connections.

Here the two meet. The body knows nothing of minds, the mind nothing of packets; what happens to the one
becomes an event of the other.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal
from uuid import UUID

from numen.agent.events import AgentEvent
from numen.agent.inbox import Event
from numen.agent.live import LiveBus
from numen.agent.mind import Halt, Limits, Mind
from numen.agent.prompt import Persona
from numen.agent.questions import QuestionAsked, QuestionClosed
from numen.backoff import delays
from numen.body.acts import Task
from numen.body.body import Body
from numen.body.clock import Clock
from numen.body.thinking import Background, Slices
from numen.body.warm import warm_up_to_move, warm_up_to_search
from numen.commands.desk import Desk
from numen.commands.table import Caller, Source
from numen.commands.words import addressed
from numen.companion.household import Guest, Home, Household
from numen.companion.served import Served, Told
from numen.companion.voice import Voice
from numen.entrance import ACCOUNT_FINAL, Entrance
from numen.llm import Provider
from numen.mineclawd.bridge import ServerBridge
from numen.session import CONSOLE, Notebook, Person, SessionError
from numen.tool import TaskResult, ToolRegistry
from numen.world import World
from numen.world.chat import ChatLine
from numen.world.myself import NOBODY
from numen.world.store import Worlds
from protocol.connection import ConnectFailed, Connection
from protocol.endings import in_language
from protocol.endpoint import offline_uuid
from protocol.link import Disconnect
from skills import SkillShelf

log = logging.getLogger(__name__)

#: Refusals that another try can't change.
FINAL_KINDS: Final = frozenset(
    {
        *("version", "whitelist", "banned", "name_taken", "online_account", "neoforge"),
        *("username", "unknown_host", "duplicate", "transfer", "resource_pack", ACCOUNT_FINAL),
    }
)
#: Ticks between two reports of being attacked.
ATTACK_QUIET_TICKS: Final = 200
HUNGRY_AT: Final = 6

_STATUS: Final = {"success": "done", "failed": "failed", "timeout": "timeout", "cancelled": "stopped"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """The companion stands in the world and can act."""

    companion: str
    address: str
    place: tuple[int, int, int]
    dimension: str
    again: bool
    kind: Literal["joined"] = "joined"


@dataclass(frozen=True, slots=True, kw_only=True)
class Away:
    """It is not connected. `retry_in_s` is None when no other try follows."""

    companion: str
    reason: str
    retry_in_s: float | None
    kind: Literal["away"] = "away"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatHeard:
    """A line of the game's chat that is not the companion's own."""

    companion: str
    line: ChatLine
    kind: Literal["chat_heard"] = "chat_heard"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobEnded:
    """A background job has ended; the mind was told as well."""

    companion: str
    task_id: str
    task: str
    status: str
    message: str
    seconds: float
    kind: Literal["job_ended"] = "job_ended"


CompanionEvent = AgentEvent | Joined | Away | ChatHeard | JobEnded | QuestionAsked | QuestionClosed | Told
Report = Callable[[CompanionEvent], None]


class Companion:
    """A player on a server, and who thinks for it. `live` runs until it has left for good."""

    def __init__(
        self,
        *,
        persona: Persona,
        entrance: Entrance,
        provider: Provider,
        registry: ToolRegistry,
        home: Home,
        shelf: SkillShelf,
        notes: Notebook,
        report: Report,
        services: Mapping[type[Any], Any] | None = None,
        language: str = "en",
        limits: Limits | None = None,
        shared: Worlds | None = None,
        live: LiveBus | None = None,
        background: Background | None = None,
        keep_trying_s: float = 600.0,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """`report` is told everything and must not block. `keep_trying_s` bounds how long a lost server is
        looked for; each success starts that anew. `live` carries what is told while it happens. `services`
        are lent to tools beside the companion's own."""
        self.registry = registry
        self._entrance = entrance
        self.world = World(server=self.address, shared=shared)
        #: None before the first connection.
        self.body: Body | None = None
        self._report = report
        self._language = language
        self._background = background or Slices()
        self._keep_trying_s = keep_trying_s
        self._sleep = sleep
        self._clock = Clock(self._tick)
        self._connection: Connection | None = None
        self._warm: asyncio.Future[None]
        self._here = False
        self._joined_before = False
        #: It was asked to log off and stay away.
        self.leaving = False
        self._asked_to_leave = asyncio.Event()
        self._told_attack_at = -ATTACK_QUIET_TICKS
        #: What it is doing, while it does it.
        self.live_bus = live or LiveBus()
        #: How it speaks in the game.
        self.voice = Voice(lambda: self.body, language)
        self.language = language
        #: Hears MineClawd's mod on the server, where that is configured.
        self.server_bridge: ServerBridge | None = None
        #: Takes what people write to it, once there is one.
        self.desk: Desk | None = None
        #: Whom it serves.
        self.household = Household(
            home=home,
            persona=persona,
            provider=provider,
            registry=registry,
            shelf=shelf,
            notes=notes,
            services=services or {},
            host=self,
            voice=self.voice,
            live=self.live_bus,
            report=report,
            language=language,
            limits=limits or Limits(),
        )
        self.household.suspend(Halt.DISCONNECT)
        self._listen()

    @property
    def persona(self) -> Persona:
        """As the owner's mind has it."""
        return self.mind.persona

    @property
    def name(self) -> str:
        return self.household.persona.companion

    @property
    def mind(self) -> Mind:
        """The owner's; see `mind_of`."""
        return self.household.owner.mind

    @property
    def minds(self) -> Mapping[str, Mind]:
        """The minds that there are by now, by the key of the person whom each serves."""
        return {each.key: each.mind for each in self.household}

    @property
    def served(self) -> Served:
        """The owner, as far as words go."""
        return self.household.owner.ways

    def mind_of(self, person: Person) -> Mind:
        """The mind that serves that person; it is made when he is first served. The console is the owner.

        Raises numen.session.SessionError and OSError when his conversation cannot be opened.
        """
        return self.household.serve(person).mind

    def may(self, person: Person) -> bool:
        """Whether that person may ask it for anything: its owner, its users, operators of the server."""
        return self.household.may(person)

    @property
    def uuid(self) -> UUID:
        """As the server has it; before the first login as an offline server would."""
        known = self.world.me.uuid
        return offline_uuid(self.name) if known == NOBODY else known

    @property
    def owner_uuid(self) -> UUID | None:
        """The owner's, where it is written down or the owner has been seen here; None for nobody."""
        owner = self.household.owner.person
        if owner.uuid is None and not owner.is_console:
            seen = self.world.players.by_name(owner.name)
            if seen is not None and self.household.is_owner(Person(seen.name, seen.uuid)):
                self.household.serve(Person(seen.name, seen.uuid))
        return self.household.owner.person.uuid

    def set_owner(self, owner: UUID | None) -> None:
        """Serve somebody else from now on, or nobody; his conversation is not that of the one before.

        Raises numen.session.SessionError and OSError.
        """
        self.household.set_owner(str(owner) if owner is not None else None)

    def suspend(self, reason: Halt, event: Event | None = None) -> None:
        """Still all its minds until `resume` with the same reason."""
        self.household.suspend(reason, event)

    def resume(self, reason: Halt, event: Event | None = None) -> None:
        self.household.resume(reason, event)

    @property
    def address(self) -> str:
        """The server where it is, or is about to be: ``host:port``."""
        return self._entrance.address

    @property
    def here(self) -> bool:
        """In the world and able to act."""
        return self._here

    @property
    def busy(self) -> bool:
        """It thinks, or a job of its body is under way."""
        return self.household.busy or self.job_running()

    def works_for(self, key: str) -> bool:
        """A job of the body is under way that the person of that key may end: his own; the owner, any."""
        task = self.body.tasks.current if self.body is not None else None
        return task is not None and (key == self.household.owner.key or task.starter == key)

    # -- its life ----------------------------------------------------------------------------------------

    async def live(self) -> Disconnect:
        """Join, play, come back after each loss. Returns why it ended for good."""
        self.household.start()
        try:
            return await self._live()
        finally:
            self._clock.stop()
            self._here = False
            await self.household.stop()
            if self._connection is not None:
                self._connection.close()

    async def _live(self) -> Disconnect:
        pauses, waited = delays(), 0.0
        # On another thread, so that it passes while the server is answering.
        self._warm = asyncio.ensure_future(asyncio.to_thread(warm_up_to_move))
        while True:
            try:
                connection = await self._entrance.connect()
            except ConnectFailed as failure:
                why = failure.disconnect
            else:
                why = await self._play(connection)
                if self._joined_before:
                    pauses, waited = delays(), 0.0
                if not self.leaving and self._entrance.follow(why):
                    continue
            final = self.leaving or why.details.get("kind") in FINAL_KINDS or waited >= self._keep_trying_s
            pause = None if final else next(pauses)
            reason = in_language(why, self._language)
            self._report(Away(companion=self.name, reason=reason, retry_in_s=pause))
            if pause is None:
                return why
            await self._wait(pause)
            if self.leaving:
                return why
            waited += pause

    async def _wait(self, seconds: float) -> None:
        """Wait that long, or until it is asked to leave."""
        either = [asyncio.ensure_future(each) for each in (self._sleep(seconds), self._asked_to_leave.wait())]
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        for each in either:
            each.cancel()

    def leave(self) -> None:
        """Log off and stay away; `live` then returns."""
        self.leaving = True
        self._asked_to_leave.set()
        if self._connection is not None:
            self._connection.close("left")

    async def _play(self, connection: Connection) -> Disconnect:
        """Live on this connection until it ends."""
        ended: asyncio.Future[Disconnect] = asyncio.get_running_loop().create_future()
        self._connection = connection

        def note(why: Disconnect) -> None:
            # Before world and body hear of it: what they lose by it must not wake a mind that can do nothing.
            self._here = False
            self.suspend(Halt.DISCONNECT, Event(kind="disconnected", text=why.reason))
            if not ended.done():
                ended.set_result(why)

        connection.on_closed(note)
        if self.leaving:  # asked for while the server was answering
            connection.close("left")
        if self.server_bridge is not None:
            self.server_bridge.attach(connection)
        self.world.attach(connection, server=self.address)
        if self.body is None:
            self.body = Body(self.world, connection, self._background)
            self.body.tasks.on_finished(self._job_ended)
        else:
            self.body.attach(connection)
        await self._warm
        self._clock.start()
        self._warm = asyncio.ensure_future(asyncio.to_thread(warm_up_to_search))
        try:
            return await ended
        finally:
            self._clock.stop()
            self._here = False
            self._connection = None

    def _tick(self) -> None:
        body = self.body
        assert body is not None
        self.world.tick()
        body.tick()
        if not self._here and body.ready:
            self._arrived(body)

    def _arrived(self, body: Body) -> None:
        self._here = True
        again, self._joined_before = self._joined_before, True
        dimension = self.world.dimension.name
        self._report(
            Joined(
                companion=self.name, address=self.address, place=body.feet, dimension=dimension, again=again
            )
        )
        event = Event(kind="reconnected", text="You are back on the server.") if again else None
        self.resume(Halt.DISCONNECT, event)

    # -- what happens to the body, told to the mind --------------------------------------------------------

    def _listen(self) -> None:
        on = self.world.events.on
        on("chat", self._chat)
        on("death", self._died)
        on("respawned", self._respawned)
        on("damage", self._damaged)
        on("food", self._food_changed)
        on("dimension_changed", self._dimension_changed)

    def _chat(self, line: ChatLine) -> None:
        if line.own or line.kind == "whisper_sent":
            return
        self._report(ChatHeard(companion=self.name, line=line))
        if line.sender is None:
            return
        source: Source = "whisper" if line.kind == "whisper" else "chat"
        words = addressed(line.text, self.name)
        if words == "":
            return  # said to another by name
        person = self._sender(line)
        if self.household.is_owner(person):
            self.hear(words if words is not None else line.text, person, source)
            return
        asked = line.text if words is None and source == "whisper" else words
        if asked is not None and self.may(person):
            self.hear(asked, person, source)
            return
        if self.desk is not None and source == "whisper":
            refused = Caller(person=person, source=source, tell=lambda text: self._tell(person.name, text))
            self.desk.refuse(refused)
        text = f"{line.sender} {'whispers' if line.kind == 'whisper' else 'says'}: {line.text}"
        self.mind.notify(Event(kind="chat", text=text, attrs={"from": line.sender}))

    def _sender(self, line: ChatLine) -> Person:
        """Who said it. Where the line bears no UUID, the list of players may know it."""
        name = str(line.sender)
        if line.sender_uuid is not None:
            return Person(name, line.sender_uuid)
        seen = self.world.players.by_name(name)
        return Person(name, seen.uuid if seen is not None else None)

    def _tell(self, name: str, text: str) -> None:
        self.voice.tell(name, text)

    def hear(self, text: str, person: Person = CONSOLE, source: Source = "console") -> bool:
        """Words of a person who may speak to it; whoever is at the console speaks as the owner.

        A stop word, a command and an answer act at once; all others wait for his mind, whose answer goes back
        the way he spoke. False when they could not be kept.
        """
        try:
            guest = self.household.serve(person)
        except (SessionError, OSError) as error:
            log.error("%s cannot serve %s: %s", self.name, person.name, error)
            return False
        caller = guest.ways.caller(person, source)
        return self.desk.take(caller, guest.mind, text) if self.desk is not None else guest.mind.hear(text)

    def operators(self) -> list[str]:
        """Names of the operators who are in the game; none where the server's folder is not known."""
        here = (Person(each.name, each.uuid) for each in self.world.players)
        return [each.name for each in here if self.household.is_operator(each)]

    def _died(self, message: str) -> None:
        x, y, z = (round(each) for each in self.world.me.pos)
        text = f"You died at ({x}, {y}, {z}){f': {message}' if message else ''}. What you carried lies there."
        self.household.suspend(Halt.DEATH, Event(kind="death", text=text), about=self._concerned())

    def _respawned(self) -> None:
        if self.world.me.alive:
            self.resume(Halt.DEATH)

    def _damaged(self, entity_id: int, kind: str, cause_id: int | None, direct_id: int | None) -> None:
        me, now = self.world.me, self.world.ticks
        if entity_id != me.entity_id or cause_id is None or now - self._told_attack_at < ATTACK_QUIET_TICKS:
            return
        attacker = self.world.entities.get(cause_id)
        if attacker is None or not me.alive:
            return
        self._told_attack_at = now
        called = attacker.name or attacker.kind.removeprefix("minecraft:")
        attrs = {"entity_id": attacker.id, "type": attacker.kind}
        self._concerned().mind.notify(Event(kind="attacked", text=f"{called} attacks you.", attrs=attrs))

    def _food_changed(self, old: int, new: int) -> None:
        if new <= HUNGRY_AT < old:
            event = Event(kind="hungry", text=f"You are hungry ({new}/20). Eat something.")
            self._concerned().mind.notify(event)

    def _dimension_changed(self, old: str, new: str) -> None:
        self.household.tell_all(Event(kind="dimension_changed", text=f"You went from {old} to {new}."))

    def _concerned(self) -> Guest:
        """Whom it concerns what happens to the body just now."""
        task = self.body.tasks.current if self.body is not None else None
        return self.household.concerned(task.starter if task is not None else None)

    def _job_ended(self, task: Task) -> None:
        if not task.background or task.verdict is None:
            return
        verdict = task.verdict
        status = _STATUS.get(task.state, task.state)
        result = TaskResult(verdict.ok, verdict.message, verdict.data, timed_out=task.state == "timeout")
        attrs = {"task_id": task.id, "task": task.name, "status": status}
        self._report(
            JobEnded(
                companion=self.name,
                task_id=task.id,
                task=task.name,
                status=status,
                message=verdict.message,
                seconds=task.elapsed / 20,
            )
        )
        event = Event(kind="task_finished", text=result.to_json(), attrs=attrs)
        self.household.whose(task.starter).mind.notify(event)

    # -- what its minds want of it (the Host of its household) --------------------------------------------

    def anchor(self) -> Body | None:
        """The body, while it can act."""
        return self.body if self._here else None

    def name_of(self, guest: Guest) -> str | None:
        """That person's name in the game, while he is there."""
        uuid = self.owner_uuid if guest is self.household.owner else guest.person.uuid
        if uuid is not None:
            seen = self.world.players.get(uuid)
        else:
            seen = None if guest.person.is_console else self.world.players.by_name(guest.person.name)
        return seen.name if seen is not None else None

    def tells_tools(self, guest: Guest) -> bool:
        """Whether that person wants to be told of tools at work."""
        return self.desk is not None and self.desk.tells_tools(guest.person)

    def halt_body(self, guest: Guest, reason: Halt) -> None:
        """End the body's job with a turn: any for the owner, others end what they began."""
        if reason in (Halt.DEATH, Halt.DISCONNECT):
            return  # the body knows by itself, and says so in its verdict
        task = self.body.tasks.current if self.body is not None else None
        if self.body is None or task is None:
            return
        if self.works_for(guest.key):
            owner_said = reason is Halt.OWNER_STOP
            self.body.tasks.cancel("The owner said stop." if owner_said else reason.value)

    def job_running(self) -> bool:
        """The body is at work on something."""
        return self.body is not None and self.body.tasks.current is not None

    def situation(self) -> str:
        """What changes from moment to moment, for the user message."""
        body = self.body
        if body is None or not self._here or body.state is None:
            return ""
        me, (x, y, z) = self.world.me, body.feet
        held = self.world.inventory.held
        task = body.tasks.current
        facts = {
            "position": f"{x} {y} {z}",
            "hp": f"{me.health:g}",
            "hunger": me.food,
            "time": "day" if self.world.time.is_day else "night",
            "holding": "nothing" if held is None else held.name,
            "job": "none" if task is None else f"{task.id} {task.name}",
        }
        return "<state " + " ".join(f'{key}="{value}"' for key, value in facts.items()) + "/>"
