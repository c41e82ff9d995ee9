"""Taking over what a MineClawd folder holds: sessions, assets, souls and who has chosen which.

Nothing that is here already is overwritten: a session whose id is taken gets another, an asset file or a
choice that exists stays. Nothing in the folder that is read is changed.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from numen.session import titles
from numen.session.files import parse_json, write_json, write_text
from numen.session.people import People, Person, owner_key, person_of
from numen.session.store import ACTIVE

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Imported:
    """What came of it."""

    sessions: int = 0
    others: int = 0
    """Asset files, souls and choices."""
    problems: list[str] = field(default_factory=list)
    """What could not be read, in a sentence each."""


def import_folder(source: Path, people: People, souls: Path | None = None) -> Imported:
    """Take over `source`, a MineClawd folder or one that holds it, into the data folder of `people`.

    `souls` is where its souls go; without it they stay behind. Raises OSError when the data folder cannot be
    written, and FileNotFoundError when there is nothing of MineClawd's in `source`.
    """
    root = source / "mineclawd" if (source / "mineclawd").is_dir() else source
    if not any((root / each).is_dir() for each in ("sessions", "assets", "souls")):
        raise FileNotFoundError(f"{source} has no sessions, assets or souls")
    done = Imported()
    for folder in _folders(root / "sessions"):
        adopt(folder, people.data / "sessions" / _key(folder.name, people), done)
    for path in _files(root / "assets", ".json"):
        _take(path, people.data / "assets" / f"{_key(path.stem, people)}.json", done)
    for path in _files(root / "souls" / ".active", ".txt"):
        _take(path, people.data / "souls" / ".active" / f"{_key(path.stem, people)}.txt", done)
    if souls is not None:
        for path in _files(root / "souls", ".md"):
            _take(path, souls / path.name, done)
    return done


def adopt(folder: Path, target: Path, done: Imported) -> None:
    """Take the sessions of one person, in MineClawd's shape, over into another folder."""
    renamed: dict[str, str] = {}
    for path in _files(folder, ".json"):
        if path.name == ACTIVE:
            continue
        whole = _object(path, done)
        if whole is None:
            continue
        taken = {each.stem.lower() for each in _files(target, ".json") + _files(target, ".log")}
        name = path.stem
        there = target / path.name
        if name.lower() in taken:
            if there.exists() and _same(there, whole):
                renamed[name] = name
                continue
            name = titles.new_id(taken)
        renamed[path.stem] = name
        write_json(target / f"{name}.json", {**whole, "id": name})
        done.sessions += 1
    pointer = folder / ACTIVE
    if pointer.exists() and not (target / ACTIVE).exists():
        active = (_object(pointer, done) or {}).get("activeSessionId")
        if active in renamed:
            write_json(target / ACTIVE, {"activeSessionId": renamed[active]})


def _key(name: str, people: People) -> str:
    """Under which key the things of that owner of MineClawd's lie here."""
    person = person_of(name)
    if person.uuid is not None:
        return people.folder_of(person.uuid) or owner_key(name)
    return people.key_of(Person(name))


def _same(path: Path, whole: dict[str, Any]) -> bool:
    try:
        there = parse_json(path)
    except (OSError, ValueError):
        return False
    return isinstance(there, dict) and there.get("createdAt") == whole.get("createdAt")


def _take(path: Path, target: Path, done: Imported) -> None:
    if target.exists():
        return
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        done.problems.append(f"{path} cannot be read: {error}")
        return
    write_text(target, text)
    done.others += 1


def _object(path: Path, done: Imported) -> dict[str, Any] | None:
    try:
        value = parse_json(path)
    except (OSError, ValueError) as error:
        done.problems.append(f"{path} cannot be read: {error}")
        return None
    if not isinstance(value, dict):
        done.problems.append(f"{path} holds no session")
        return None
    return value


def _folders(folder: Path) -> list[Path]:
    return sorted(each for each in folder.iterdir() if each.is_dir()) if folder.is_dir() else []


def _files(folder: Path, suffix: str) -> list[Path]:
    if not folder.is_dir():
        return []
    return sorted(each for each in folder.iterdir() if each.suffix == suffix and each.is_file())
