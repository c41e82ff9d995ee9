"""The people whom one companion serves: a mind, a pending question and a way back for the answer, for each.

All of them share the one body. What happens to it is told to the mind that it concerns: whose job it is, else
who is being answered, else the owner's.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any, Protocol

from numen.agent import Delivery, Event, Halt, Limits, Mind, Persona, Soul
from numen.agent.live import LiveBus
from numen.agent.questions import Questions
from numen.body.acts import STARTER
from numen.companion.served import Report, Served
from numen.companion.voice import Voice
from numen.llm import Provider
from numen.powers.grants import Grants
from numen.session import (
    CONSOLE,
    Access,
    AssetBook,
    AssetBooks,
    Notebook,
    People,
    Person,
    SessionStore,
    Shape,
    Souls,
)
from numen.session.importing import Imported, adopt
from numen.session.people import person_of
from numen.tool import ToolContext, ToolRegistry
from numen.tool.trust import Trust
from skills import SkillShelf

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """Where the people of a companion have their things, and who they are."""

    data: Path
    people: People
    access: Access
    souls: Souls
    shape: Shape = "openai"
    """What the configured endpoint speaks."""
    legacy: Path | None = None
    """The conversation as an older Numen kept it; it was the owner's."""
    titler: Provider | None = None
    """Who names sessions."""
    grants: Grants = field(default_factory=Grants)
    """Who may do what to the server."""


@dataclass(slots=True, eq=False)
class Guest:
    """One person whom a companion serves: his mind, and the ways to him."""

    person: Person
    key: str
    mind: Mind = field(init=False)
    trust: Trust = field(init=False)
    ways: Served = field(init=False)


class Host(Protocol):
    """What the household wants of the companion."""

    def anchor(self) -> Any:
        """The body, while it can act."""

    def name_of(self, guest: Guest) -> str | None:
        """That person's name in the game, while he is there."""

    def tells_tools(self, guest: Guest) -> bool:
        """Whether that person wants to be told of tools at work."""

    def halt_body(self, guest: Guest, reason: Halt) -> None:
        """End the job of the body, as far as it is that person's to end."""

    def situation(self) -> str: ...

    def job_running(self) -> bool: ...


@dataclass(kw_only=True)
class Household:
    """The minds of one companion. The owner's is there from the start, others from when they first speak."""

    home: Home
    persona: Persona
    provider: Provider
    registry: ToolRegistry
    shelf: SkillShelf
    notes: Notebook
    services: Mapping[type[Any], Any]
    host: Host
    voice: Voice
    live: LiveBus
    report: Report
    language: str = "en"
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        self._guests: dict[str, Guest] = {}
        self._held: set[Halt] = set()
        self._started = False
        self._numbers = count(1)
        self.owner = self._take_in(self._owner_person(), owner=True)

    # -- who

    def __iter__(self) -> Iterator[Guest]:
        return iter(list(self._guests.values()))

    def is_owner(self, person: Person) -> bool:
        return self.home.access.is_owner(person)

    def may(self, person: Person) -> bool:
        """Whether that person may ask the companion for anything."""
        return self.home.access.may(person)

    def is_operator(self, person: Person) -> bool:
        """Whether the server's own list, where it is known, has that person as an operator."""
        return self.home.access.is_operator(person)

    def serve(self, person: Person) -> Guest:
        """That person's mind and what belongs to it. The console, and the owner by any name, is the owner.

        Raises numen.session.SessionError and OSError when his conversation cannot be opened.
        """
        if self.is_owner(person):
            self._recognise(person)
            return self.owner
        key = self.home.people.key_of(person)
        found = self._guests.get(key)
        if found is None:
            return self._take_in(person)
        found.person = person  # he may have another name by now
        return found

    def set_owner(self, owner: str | None) -> None:
        """Serve somebody else first, or nobody: his conversation is another, the old one stays where it is.

        Raises numen.session.SessionError and OSError.
        """
        self.home.access.owner = owner
        person = self._owner_person()
        before = self.owner
        key = self.home.people.key_of(person)
        self.owner = self._guests.get(key) or self._take_in(person, owner=True)
        for guest in (before, self.owner):
            mind = guest.mind
            guest.trust.granted = self.home.grants.of(guest.person, owner=guest is self.owner)
            mind.persona = replace(mind.persona, owner=owner)
            mind.context = replace(mind.context, owner=owner)

    def _owner_person(self) -> Person:
        owner = self.home.access.owner
        if owner is None:
            return CONSOLE
        person = person_of(owner)
        account = self.home.people.account_of(person.name) if person.uuid is None else person.uuid
        return Person(person.name, account)

    def _recognise(self, person: Person) -> None:
        """The owner has been seen: his UUID is written down with the folder that is his already."""
        if person.uuid is not None and person.uuid != self.owner.person.uuid and self.home.access.owner:
            self.home.people.bind(person, self.owner.key)
            self._adopt(str(person.uuid))
            self.owner.person = person

    def _adopt(self, folder: str) -> None:
        """Sessions that lie under the owner's UUID, from when his name was not known, are his too."""
        sessions = self.home.data / "sessions"
        if folder == self.owner.key or not (sessions / folder).is_dir():
            return
        try:
            adopt(sessions / folder, sessions / self.owner.key, Imported())
        except OSError as error:
            log.warning("the sessions in %s could not be taken over: %s", sessions / folder, error)

    # -- all together

    def start(self) -> None:
        self._started = True
        for each in self:
            each.mind.start()

    async def stop(self) -> None:
        """End every turn and let go of every log."""
        self._started = False
        for each in self:
            await each.mind.stop()
        if self.home.titler is not None:
            await self.home.titler.aclose()

    @property
    def busy(self) -> bool:
        """One of the minds is at work."""
        return any(each.mind.busy for each in self)

    def suspend(self, reason: Halt, event: Event | None = None, about: Guest | None = None) -> None:
        """Still every mind; see Mind.suspend. Only the one that it is `about` is woken by the event."""
        self._held.add(reason)
        for each in self:
            each.mind.suspend(reason, _for(each, event, about))

    def resume(self, reason: Halt, event: Event | None = None, about: Guest | None = None) -> None:
        self._held.discard(reason)
        for each in self:
            each.mind.resume(reason, _for(each, event, about))

    def tell_all(self, event: Event, about: Guest | None = None) -> None:
        """Tell an event to every mind; it wakes at most the one that it is `about`."""
        for each in self:
            told = _for(each, event, about)
            if told is not None:
                each.mind.notify(told)

    def whose(self, starter: object) -> Guest:
        """Whose job it is that was begun by `starter`; the owner's where nobody can be told."""
        return self._guests.get(starter, self.owner) if isinstance(starter, str) else self.owner

    def concerned(self, starter: object) -> Guest:
        """Whom it concerns what happens to the body just now."""
        if isinstance(starter, str):
            return self.whose(starter)
        return next((each for each in self if each.mind.busy), self.owner)

    # -- a new one

    def _take_in(self, person: Person, *, owner: bool = False) -> Guest:
        home, companion = self.home, self.persona.companion
        key = home.people.key_of(person)
        store = SessionStore(
            home.data, key, companion, shape=home.shape, legacy=home.legacy if owner else None
        )
        guest = Guest(person, key)
        named = self.persona.owner if owner else person.name
        guest.ways = Served(
            companion=companion,
            person=None if owner else person.name,
            voice=self.voice,
            bus=self.live,
            report=self.report,
            language=self.language,
            name=lambda: self.host.name_of(guest),
            touch=lambda: self.host.tells_tools(guest),
        )
        trust = guest.trust = Trust(
            home.grants.of(person, owner=owner),
            confirm=home.grants.confirm,
            asker=guest.ways.questions,
            language=self.language,
        )
        services: dict[type[Any], Any] = {
            **self.services,
            Trust: trust,
            SkillShelf: self.shelf,
            Notebook: self.notes,
            Questions: guest.ways.questions,
            SessionStore: store,
            Person: person,
            Access: home.access,
        }
        books = self.services.get(AssetBooks)
        if books is not None:
            services[AssetBook] = books.of(key)
        guest.mind = Mind(
            persona=replace(self.persona, owner=named),
            person=person,
            provider=self.provider,
            registry=self.registry,
            context=ToolContext(
                companion=companion, owner=named, services=services, find_anchor=self.host.anchor
            ),
            sessions=store,
            soul=Soul(home.souls, key),
            titler=home.titler,
            speak=guest.ways.speak,
            emit=guest.ways.emit,
            stop_body=lambda reason: self.host.halt_body(guest, reason),
            situation=self.host.situation,
            job_running=self.host.job_running,
            shelf=self.shelf,
            notes=self.notes,
            enter=lambda: _begin_for(key),
            language=self.language,
            limits=self.limits,
            next_turn=self._numbers.__next__,
        )
        for line in store.report:
            log.warning("%s", line)
        self._guests[key] = guest
        for reason in self._held:
            guest.mind.suspend(reason)
        if self._started:
            guest.mind.start()
        return guest


def _begin_for(key: str) -> None:
    STARTER.set(key)


def _for(guest: Guest, event: Event | None, about: Guest | None) -> Event | None:
    """`event` as that person's mind is told it: what is about another wakes nobody here."""
    if event is None or about is None or guest is about:
        return event
    return replace(event, delivery=Delivery.AMBIENT)
