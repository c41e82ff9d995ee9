"""The sessions of one person with one companion.

    sessions/<person>/active.json     {"activeSessionId": id, "companions": {companion: id}}
    sessions/<person>/<id>.log        the conversation, line by line: what is true (see `log`)
    sessions/<person>/<id>.json       head and history as MineClawd keeps them, written anew each round

A `<id>.json` without a log is a session of MineClawd's; resuming it begins a log from its history, and the
file as it was stays beside it as `<id>.json.before`. A log without a head gets one.
"""

from __future__ import annotations

import json
import logging
import shutil
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from numen.session import titles
from numen.session.files import parse_json, read_json, set_aside, write_json, write_text
from numen.session.log import FileSession
from numen.session.record import restore
from numen.session.shapes import FIELDS, READERS, WRITERS, Shape, has_words, repair_vertex

log = logging.getLogger(__name__)

ACTIVE: Final = "active.json"
FRONT: Final = 2_048
"""Bytes of a file in which its head stands, before the history."""


class UnknownSession(ValueError):
    def __init__(self, ref: str) -> None:
        super().__init__(f"there is no session {ref!r}")
        self.ref = ref


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """What is known of a session without its conversation. Times are milliseconds since 1970."""

    id: str
    title: str = titles.DEFAULT_TITLE
    created_at: int = 0
    updated_at: int = 0
    title_generated: bool = False
    companion: str = ""
    """Whose it is; "" for one of MineClawd's that no companion has taken up."""

    @property
    def slug(self) -> str:
        return titles.slug_of(self.title)

    @property
    def token(self) -> str:
        return f"{self.id}-{self.slug}"

    def answers_to(self, ref: str) -> bool:
        """Whether `ref` (an id, a token, or an id and whatever follows a dash) means this session."""
        ref = ref.strip().lower()
        return ref in (self.id.lower(), self.token.lower()) or ref.startswith(f"{self.id.lower()}-")


class SessionStore:
    """Finds, begins, takes up and removes sessions. One of them is active, and its log is open here."""

    def __init__(
        self,
        data: Path,
        person: str,
        companion: str,
        *,
        shape: Shape = "openai",
        legacy: Path | None = None,
        now: Callable[[], float] = time.time,
        make_id: Callable[[], str] = lambda: uuid.uuid4().hex,
    ) -> None:
        """`person` is the key of `numen.session.people`. `shape` is what the configured endpoint speaks.

        `legacy` is where an older Numen kept the conversation of this companion; it is taken up once.
        """
        self.folder = data / "sessions" / person
        self.companion = companion
        self.shape = shape
        self.report: list[str] = []
        """What was damaged or converted on the way, in sentences for a person."""
        self.continued_from: Shape | None = None
        """The session was last written for the other kind of endpoint."""
        self._legacy = legacy
        self._now = now
        self._make_id = make_id
        self._lock = threading.Lock()
        self._head: Head | None = None
        self._session: FileSession | None = None

    # -- the active one

    @property
    def active(self) -> Head | None:
        """The session whose log is open; before `open`, the one that would be."""
        return self._head or self._pointed()

    def open(self) -> FileSession:
        """The log of the active session; one is begun where there is none.

        Raises LogInUse, UnknownVersion, OSError.
        """
        if self._session is None:
            self._take_up_legacy()
            head = self._pointed()
            if head is None:
                self.new()
            else:
                self._switch(head)
        assert self._session is not None
        return self._session

    def new(self) -> Head:
        """Begin a session and make it the active one. Raises OSError."""
        stamp = self._stamp()
        head = Head(
            id=titles.new_id({each.stem.lower() for each in self._files()}, self._make_id),
            created_at=stamp,
            updated_at=stamp,
            companion=self.companion,
        )
        self._write(head, {})
        self._switch(head)
        return head

    def resume(self, ref: str) -> Head:
        """Make another session the active one. Raises UnknownSession, and what `open` raises."""
        head = self.find(ref)
        if self._head is None or head.id != self._head.id or self._session is None:
            self._switch(head)
        assert self._head is not None
        return self._head

    def remove(self, ref: str) -> Head:
        """Remove a session for good. Where it was the active one, the newest of the others becomes it.

        Raises UnknownSession, OSError.
        """
        head = self.find(ref)
        was_active = (active := self.active) is not None and active.id == head.id
        if self._head is not None and self._head.id == head.id:
            self.close()
        for suffix in (".json", ".log", ".log.lock"):
            (self.folder / f"{head.id}{suffix}").unlink(missing_ok=True)
        if was_active:
            left = self.all()
            self._point_to(left[0].id if left else None)
        return head

    def close(self) -> None:
        """Let go of the open log."""
        if self._session is not None:
            self._session.close()
        self._session = self._head = None

    # -- all of them

    def all(self) -> list[Head]:
        """The sessions with this companion, and those that no companion has taken up; the newest first."""
        heads = [head for head in map(self._read_head, self._files()) if head is not None]
        mine = [each for each in heads if each.companion in ("", self.companion)]
        return sorted(mine, key=lambda head: (-head.updated_at, head.id))

    def find(self, ref: str) -> Head:
        """The session that `ref` means: an id or a token. Raises UnknownSession."""
        found = next((each for each in self.all() if each.answers_to(ref)), None)
        if found is None:
            raise UnknownSession(ref)
        return found

    def save(self, messages: Sequence[Mapping[str, Any]], head: Head | None = None) -> None:
        """Write the history as it stands into the session's file (of the active one, unless `head` is given).

        May be called on a thread. Raises OSError.
        """
        head = head or self._head
        if head is None:
            return
        with self._lock:
            current = self._head
            if current is not None and current.id == head.id:
                head = current  # its title may have changed meanwhile
            head = replace(head, updated_at=self._stamp(), companion=self.companion)
            if current is not None and current.id == head.id:
                self._head = head
            self._write(head, {self.shape: WRITERS[self.shape](messages)})

    def entitle(self, head: Head, title: str, messages: Sequence[Mapping[str, Any]]) -> Head:
        """Give a session its title, once and for all. Raises OSError."""
        named = replace(head, title=titles.clean_title(title), title_generated=True)
        with self._lock:
            if self._head is not None and self._head.id == head.id:
                named = self._head = replace(
                    self._head, title=named.title, title_generated=True, updated_at=self._stamp()
                )
            self._write(named, {self.shape: WRITERS[self.shape](messages)})
        return named

    def repair(self, ref: str | None = None) -> tuple[Head, int]:
        """Bring the Gemini history of a session in order: (its head, how many turns were changed).

        Raises UnknownSession, OSError.
        """
        head = self.find(ref) if ref is not None else self.active
        if head is None:
            raise UnknownSession("")
        path = self.folder / f"{head.id}.json"
        with self._lock:
            whole = read_json(path, {})
            fixed, changed = repair_vertex(whole.get(FIELDS["vertex"]))
            if changed:
                write_json(path, {**whole, FIELDS["vertex"]: fixed})
        return head, changed

    # -- within

    def _stamp(self) -> int:
        return int(self._now() * 1000)

    def _files(self) -> list[Path]:
        """One path for each session: its head, or its log where the head is missing."""
        if not self.folder.is_dir():
            return []
        found: dict[str, Path] = {}
        for path in sorted(self.folder.iterdir()):
            if path.name == ACTIVE or path.name.startswith(".") or path.suffix not in (".json", ".log"):
                continue
            if path.suffix == ".json" or path.stem not in found:
                found[path.stem] = path
        return list(found.values())

    def _read_head(self, path: Path) -> Head | None:
        if path.suffix == ".log":
            return self._head_of_log(path)
        fields = _front(path)
        if fields is None:
            try:
                whole = parse_json(path)
            except OSError as error:
                log.warning("the session %s cannot be read and is left out: %s", path, error)
                return None
            except ValueError:
                whole = None
            if not isinstance(whole, dict):
                aside = set_aside(path)
                self.report.append(
                    f"{path} is damaged" + (f" and was moved to {aside.name}" if aside else "")
                )
                journal = path.with_suffix(".log")
                return self._head_of_log(journal) if journal.exists() else None
            fields = whole
        title = titles.clean_title(str(fields.get("title") or ""))
        generated = fields.get("titleGenerated")
        return Head(
            id=path.stem,
            title=title,
            created_at=_number(fields.get("createdAt")),
            updated_at=_number(fields.get("updatedAt")),
            title_generated=generated if isinstance(generated, bool) else title != titles.DEFAULT_TITLE,
            companion=str(fields.get("companion") or ""),
        )

    def _head_of_log(self, path: Path) -> Head:
        """The head of a session that has none but its log."""
        stamp = int(path.stat().st_mtime * 1000)
        with path.open("rb") as file:
            try:
                companion = str(json.loads(file.readline()).get("companion") or "")
            except (ValueError, AttributeError):
                companion = ""
            first = ""
            for line in file:
                first = titles.words_of(_content(line))
                if first:
                    break
        title = titles.fallback_title(first)
        return Head(
            id=path.stem,
            title=title,
            created_at=stamp,
            updated_at=stamp,
            title_generated=bool(first),
            companion=companion or self.companion,
        )

    def _pointed(self) -> Head | None:
        """The session that the pointer means; where it means none, the newest."""
        heads = self.all()
        pointers = read_json(self.folder / ACTIVE, {})
        companions = pointers.get("companions")
        own = companions.get(self.companion) if isinstance(companions, dict) else None
        for wanted in (own, pointers.get("activeSessionId")):
            for head in heads:
                if isinstance(wanted, str) and head.id.lower() == wanted.lower():
                    return head
        return heads[0] if heads else None

    def _point_to(self, session: str | None) -> None:
        pointers = read_json(self.folder / ACTIVE, {})
        companions = pointers.get("companions")
        mine = dict(companions) if isinstance(companions, dict) else {}
        if session is None:
            mine.pop(self.companion, None)
            fresh = {**pointers, "companions": mine}
            fresh.pop("activeSessionId", None)
        else:
            fresh = {**pointers, "activeSessionId": session, "companions": {**mine, self.companion: session}}
        write_json(self.folder / ACTIVE, fresh)

    def _switch(self, head: Head) -> None:
        path = self.folder / f"{head.id}.log"
        is_new = not path.exists() or path.stat().st_size == 0
        session = FileSession(path, companion=self.companion, now=self._now)
        try:
            self.report += session.report
            came_from = self._take_over(head, session) if is_new else self._shape_of(head.id)
            self._point_to(head.id)
        except BaseException:
            session.close()
            raise
        self.close()
        self._session, self._head = session, replace(head, companion=self.companion)
        self.continued_from = came_from if came_from not in (None, self.shape) else None

    def _take_over(self, head: Head, session: FileSession) -> Shape | None:
        """Begin the log from the history in the session's file; the shape that was taken."""
        path = self.folder / f"{head.id}.json"
        whole = read_json(path, {})
        other: Shape = "vertex" if self.shape == "openai" else "openai"
        shape = next((each for each in (self.shape, other) if has_words(each, whole.get(FIELDS[each]))), None)
        if shape is None:
            return None
        before = path.with_name(f"{path.name}.before")
        if not before.exists():
            shutil.copy2(path, before)
        messages = READERS[shape](whole.get(FIELDS[shape]))
        session.append({"type": "compact", "why": "taken over", "from": shape, "messages": messages})
        return shape

    def _shape_of(self, session: str) -> Shape | None:
        """For which kind of endpoint that session was written last."""
        whole = read_json(self.folder / f"{session}.json", {})
        shapes: tuple[Shape, ...] = ("openai", "vertex")
        full = [each for each in shapes if whole.get(FIELDS[each])]
        return full[0] if len(full) == 1 else None

    def _take_up_legacy(self) -> None:
        """Move the conversation of an older Numen in here, as a session."""
        old = self._legacy
        if old is None or not old.exists():
            return
        FileSession(old).close()  # nobody else has it, and it is of a version that we can read
        taken = {each.stem.lower() for each in self._files()}
        path = self.folder / f"{titles.new_id(taken, self._make_id)}.log"
        self.folder.mkdir(parents=True, exist_ok=True)
        shutil.move(old, path)
        old.with_name(f"{old.name}.lock").unlink(missing_ok=True)
        head = replace(self._head_of_log(path), companion=self.companion)
        session = FileSession(path, companion=self.companion)
        messages = restore(session.records()).messages
        session.close()
        self._write(head, {self.shape: WRITERS[self.shape](messages)})
        self._point_to(head.id)
        log.info("the conversation %s is now the session %s", old, path)

    def _write(self, head: Head, histories: Mapping[Shape, Sequence[Mapping[str, Any]]]) -> None:
        """The whole file in one stroke: the head first, so that a listing need not read the rest."""
        fields: dict[str, Any] = {
            "id": head.id,
            "title": head.title,
            "titleSlug": head.slug,
            "createdAt": head.created_at,
            "updatedAt": head.updated_at,
            "titleGenerated": head.title_generated,
            "companion": head.companion,
        }
        lines = [
            f"  {json.dumps(key)}: {json.dumps(each, ensure_ascii=False)}" for key, each in fields.items()
        ]
        shapes: tuple[Shape, ...] = ("openai", "vertex")
        for shape in shapes:
            items = [f"    {json.dumps(each, ensure_ascii=False)}" for each in histories.get(shape, ())]
            inside = "\n" + ",\n".join(items) + "\n  " if items else ""
            lines.append(f"  {json.dumps(FIELDS[shape])}: [{inside}]")
        write_text(self.folder / f"{head.id}.json", "{\n" + ",\n".join(lines) + "\n}\n")


def _front(path: Path) -> dict[str, Any] | None:
    """The fields before the history; None when they cannot be told from its first bytes."""
    try:
        with path.open("rb") as file:
            raw = file.read(FRONT)
    except OSError:
        return None
    at = raw.find(b'"openAiHistory"')
    if at < 0 or b'"companion"' not in raw[:at]:  # ours; what stands elsewhere in another's file is unknown
        return None
    try:
        fields = json.loads(raw[:at].rstrip().rstrip(b",") + b"}")
    except ValueError:
        return None
    return fields if isinstance(fields, dict) else None


def _content(line: bytes) -> str:
    try:
        record = json.loads(line)
        content = record["message"]["content"] if record["message"]["role"] == "user" else ""
    except (ValueError, KeyError, TypeError):
        return ""
    return content if isinstance(content, str) else ""


def _number(value: Any) -> int:
    return int(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else 0
