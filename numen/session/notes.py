"""What a companion has noted for itself: one Markdown file a note, in a folder that its owner may edit.

    ---
    name: home
    type: world
    description: where we live and what stands there
    ---
    The house is at (120, 64, -33); two chests on the left …

The model is told of names and descriptions only, and reads a note when it needs it.
"""

from __future__ import annotations

import contextlib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from numen.session.assets import MADE_AMONG_OTHERS

NoteType = Literal["owner", "world", "lesson"]
TYPES: tuple[NoteType, ...] = get_args(NoteType)
_TYPES: dict[str, NoteType] = {each: each for each in TYPES}

MAX_NAME = 64
MAX_DESCRIPTION = 200
MAX_TEXT = 8_000
MAX_NOTES = 100

UNSAFE = re.compile(r"[^\w-]+")


class NoteError(ValueError):
    """A note that cannot be kept or found. The message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Note:
    name: str
    type: NoteType
    description: str
    text: str = ""
    foreign: bool = False
    """Words of others than the owner may be in it."""

    def to_file(self) -> str:
        mark = "foreign: true\n" if self.foreign else ""
        head = f"---\nname: {self.name}\ntype: {self.type}\ndescription: {self.description}\n{mark}---\n"
        return f"{head}{self.text.strip()}\n"

    def line(self) -> str:
        """The note in the index. Its words cannot pass for a tag of ours."""
        shown = self.description.replace("<", "(").replace(">", ")")
        return f"- {self.name} ({self.type}): {shown}{f' {MADE_AMONG_OTHERS}' if self.foreign else ''}"


class Notebook:
    """The notes of one companion."""

    def __init__(self, folder: Path) -> None:
        """`folder` need not exist; it is made when the first note is."""
        self.folder = folder
        self._seen: tuple[tuple[str, int, int], ...] | None = None
        self._notes: dict[str, Note] = {}

    def all(self) -> list[Note]:
        """Every note by name. Files are read again only when one has changed."""
        files = sorted(self.folder.glob("*.md")) if self.folder.is_dir() else []
        seen = tuple((each.name, stat.st_mtime_ns, stat.st_size) for each in files if (stat := _stat(each)))
        if seen != self._seen:
            read = (_read(each) for each in files)
            self._notes = {note.name: note for note in read if note is not None}
            self._seen = seen
        return sorted(self._notes.values(), key=lambda note: note.name)

    def index(self) -> str:
        """Names and descriptions as the model is told them; "" when there are none."""
        lines = [note.line() for note in self.all()]
        return "\n".join(["<notes>", *lines, "</notes>"]) if lines else ""

    def read(self, name: str) -> Note:
        """The note of that name. Raises NoteError that lists those there are."""
        notes = {note.name: note for note in self.all()}
        found = notes.get(name) or notes.get(slug(name))
        if found is None:
            raise NoteError(f"there is no note {name!r}; there are: {', '.join(notes) or 'none'}")
        return found

    def write(
        self,
        name: str,
        type: str,  # noqa: A002
        description: str,
        text: str = "",
        *,
        foreign: bool = False,
    ) -> Note:
        """Keep a note; one of the same name is replaced. `foreign` tells that words of others may be in it.

        Raises NoteError, and OSError for a full disk."""
        kept = slug(name)
        if not kept:
            raise NoteError("a note needs a name of letters, digits, - or _")
        kind = _TYPES.get(type)
        if kind is None:
            raise NoteError(f"a note's type is one of {', '.join(TYPES)}, not {type!r}")
        description = " ".join(description.split())
        if not description or len(description) > MAX_DESCRIPTION:
            raise NoteError(f"the description has to be one line of 1 to {MAX_DESCRIPTION} characters")
        if len(text) > MAX_TEXT:
            raise NoteError(f"a note holds at most {MAX_TEXT} characters, this one has {len(text)}; split it")
        known = {note.name for note in self.all()}
        if kept not in known and len(known) >= MAX_NOTES:
            raise NoteError(f"there are {MAX_NOTES} notes already; forget one first")
        note = Note(kept, kind, description, text.strip(), foreign)
        self.folder.mkdir(parents=True, exist_ok=True)
        fresh = self.folder / f".{kept}.new"
        fresh.write_text(note.to_file(), encoding="utf-8", errors="replace")
        os.replace(fresh, self._file(kept))
        self._seen = None
        return note

    def forget(self, name: str) -> Note:
        """Take a note away. Raises NoteError when there is none of that name."""
        note = self.read(name)
        with contextlib.suppress(FileNotFoundError):
            self._file(note.name).unlink()
        self._seen = None
        return note

    def _file(self, name: str) -> Path:
        """Where a note of that name lies: its own file, or the one that a person gave it."""
        for path in self.folder.glob("*.md"):
            note = _read(path)
            if note is not None and note.name == name:
                return path
        return self.folder / f"{name}.md"


def slug(name: str) -> str:
    """`name` as a file may be called: letters of any script, digits, `-` and `_`."""
    return UNSAFE.sub("-", name.strip().casefold()).strip("-")[:MAX_NAME]


def _read(path: Path) -> Note | None:
    """The note in a file; None when it holds none. A person may have left out all but the text."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError):
        return None
    fields: dict[str, str] = {}
    lines = text.replace("\r\n", "\n").split("\n")
    body = lines
    if lines[0].strip() == "---" and "---" in (each.strip() for each in lines[1:]):
        end = next(at for at, each in enumerate(lines[1:], 1) if each.strip() == "---")
        fields = {
            key.strip(): value.strip() for key, _, value in (each.partition(":") for each in lines[1:end])
        }
        body = lines[end + 1 :]
    written = "\n".join(body).strip()
    name = slug(fields.get("name") or path.stem)
    kind = _TYPES.get(fields.get("type", ""), "world")
    description = fields.get("description") or (written.split("\n", 1)[0][:MAX_DESCRIPTION])
    foreign = fields.get("foreign", "").casefold() == "true"
    return Note(name, kind, description, written, foreign) if name and description else None


def _stat(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:
        return None
