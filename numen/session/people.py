"""Whom a companion serves: who somebody is, where his things lie, and who may ask anything at all.

Things lie under a key, as MineClawd has it: a player's UUID, or a name. A player who is known by name only
(as the YAML names an owner before he was ever seen) keeps the folder of that name once his UUID is learned,
and one who renames keeps his folder: `people.json` in the data folder says which UUID has which.

A name in the YAML belongs, from when it was first seen, to the account that bore it then: who takes the name
later is somebody else. (UUIDs of offline servers, version 3, are made of the name and prove nothing.)
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final
from uuid import UUID
from weakref import WeakValueDictionary

from numen.session.files import parse_json, read_json, write_json

log = logging.getLogger(__name__)

UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]")
OP_LEVEL: Final = 2
"""The permission level from which an operator may ask (the level of vanilla's command blocks)."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who speaks to a companion. `uuid` is None for one known by name only."""

    name: str
    uuid: UUID | None = None

    @property
    def is_console(self) -> bool:
        return self.uuid is None and self.name == CONSOLE_NAME


CONSOLE_NAME: Final = "console"
CONSOLE: Final = Person(CONSOLE_NAME)
"""Whoever sits at the machine; he counts as the owner."""


def owner_key(text: str) -> str:
    """`text` as the name of a file or a folder: signs outside `A-Za-z0-9._-` become `_`, blank `unknown`.

    A name of dots alone would lead out of the folder, so its dots count as such signs.
    """
    text = text.strip()
    key = UNSAFE.sub("_", text)
    return (key if key.strip(".") else "_" * len(key)) or "unknown"


def person_of(text: str) -> Person:
    """The person whom a name or a UUID in the YAML means."""
    try:
        return Person(text, UUID(text))
    except ValueError:
        return Person(text)


class People:
    """Who has which folder under the data folder. One object serves all companions of a process; see `at`."""

    _by_folder: ClassVar[WeakValueDictionary[Path, People]] = WeakValueDictionary()

    @classmethod
    def at(cls, data: Path) -> People:
        """The one object for that data folder."""
        folder = data.absolute()
        found = cls._by_folder.get(folder)
        if found is None:
            found = cls._by_folder[folder] = cls(data)
        return found

    def __init__(self, data: Path) -> None:
        self.data = data
        self._file = data / "people.json"
        self._known: dict[UUID, dict[str, Any]] = {}
        for key, entry in read_json(self._file, {}).items():
            try:
                folder = str(entry["folder"])
                names = [str(each) for each in entry.get("names", [])]
                self._known[UUID(key)] = {"folder": owner_key(folder), "names": names}
            except (TypeError, KeyError, ValueError, AttributeError):
                log.warning("%s: the entry %r is not understood and is left out", self._file, key)

    def key_of(self, person: Person) -> str:
        """The folder (or file stem) of that person's things. A UUID seen for the first time is kept."""
        if person.uuid is None:
            return self._by_name(person.name) or owner_key(person.name)
        known = self._known.get(person.uuid)
        if known is None:
            known = self._known[person.uuid] = {"folder": self._first_key(person), "names": []}
        names = known["names"]
        if person.name and person.name != str(person.uuid) and person.name not in names[-1:]:
            known["names"] = [each for each in names if each != person.name] + [person.name]
            self._save()
        elif not names:
            self._save()
        return str(known["folder"])

    def bind(self, person: Person, key: str) -> None:
        """That person, seen for the first time, is the one whose things lie under `key` already."""
        if person.uuid is not None and person.uuid not in self._known:
            self._known[person.uuid] = {"folder": key, "names": []}
        self.key_of(person)

    def folder_of(self, uuid: UUID) -> str | None:
        """The key under which that player's things lie; None for one who was never seen."""
        known = self._known.get(uuid)
        return str(known["folder"]) if known is not None else None

    def account_of(self, name: str) -> UUID | None:
        """The account (an online one) that bore `name` first; None when none was seen with it."""
        folded = name.casefold()
        for uuid, entry in self._known.items():
            if uuid.version != 3 and folded in (each.casefold() for each in entry["names"]):
                return uuid
        return None

    def is_same(self, person: Person, written: str) -> bool:
        """Whether `written`, a name or a UUID in the YAML, means that person."""
        meant = person_of(written)
        if meant.uuid is not None:
            return person.uuid == meant.uuid
        if person.uuid is not None and person.uuid.version != 3:
            account = self.account_of(meant.name)
            if account is not None:
                return account == person.uuid
        return person.name.casefold() == meant.name.casefold()

    def _first_key(self, person: Person) -> str:
        assert person.uuid is not None
        whole = str(person.uuid)
        if (self.data / "sessions" / whole).is_dir():
            return whole
        named = owner_key(person.name)
        if not person.name or named == whole:
            return whole
        for uuid, entry in self._known.items():
            if entry["folder"] == named or person.name in entry["names"]:
                # One name on an offline and an online server is one person; two accounts are two.
                return str(entry["folder"]) if uuid.version != person.uuid.version else whole
        return named if (self.data / "sessions" / named).is_dir() else whole

    def _by_name(self, name: str) -> str | None:
        folded = name.casefold()
        return next(
            (
                str(entry["folder"])
                for entry in self._known.values()
                if folded in (each.casefold() for each in entry["names"][-1:])
            ),
            None,
        )

    def _save(self) -> None:
        try:
            write_json(self._file, {str(uuid): entry for uuid, entry in self._known.items()})
        except OSError as error:
            log.warning("%s cannot be written: %s", self._file, error)


class Access:
    """Who may ask one companion for anything: its owner, the users of the YAML, operators of the server."""

    def __init__(
        self, people: People, owner: str | None, users: Iterable[str] = (), ops: Path | None = None
    ) -> None:
        """`ops` is the server's ops.json, where its folder is known; it is read again when it changes."""
        self.people = people
        self.owner = owner
        self._users = tuple(users)
        self._ops = ops
        self._read_at: tuple[int, int] | None = None
        self._levels: dict[UUID, int] = {}

    def is_owner(self, person: Person) -> bool:
        """Whether that is the owner. The console is; without an owner nobody else is."""
        return person.is_console or (self.owner is not None and self.people.is_same(person, self.owner))

    def may(self, person: Person) -> bool:
        if self.is_owner(person) or any(self.people.is_same(person, each) for each in self._users):
            return True
        return self.is_operator(person)

    def is_operator(self, person: Person) -> bool:
        """Whether the server's ops.json, where it is known, gives that person the level to ask."""
        return person.uuid is not None and self._op_levels().get(person.uuid, 0) >= OP_LEVEL

    def _op_levels(self) -> dict[UUID, int]:
        if self._ops is None:
            return {}
        try:
            stat = self._ops.stat()
            seen = (stat.st_mtime_ns, stat.st_size)
            if seen != self._read_at:
                self._read_at, self._levels = seen, {}
                self._levels = _levels(parse_json(self._ops))
        except (OSError, ValueError) as error:
            self._levels = {}
            log.warning("%s cannot be read, so it lets nobody in: %s", self._ops, error)
        return self._levels


def _levels(entries: Any) -> dict[UUID, int]:
    levels: dict[UUID, int] = {}
    for entry in entries if isinstance(entries, list) else ():
        try:
            levels[UUID(str(entry["uuid"]))] = int(entry["level"])
        except (TypeError, KeyError, ValueError):
            continue
    return levels
