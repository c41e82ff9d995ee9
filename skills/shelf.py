"""Finds skills and hands them out.

A skill is `<name>.md`, or `SKILL.md` in a folder of its own beside which support files may lie. Its name is
the `name` in its head, else the name of the file or folder. Skills come from the player's folder and from the
bundled one; where both have a name, the player's counts.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from skills import frontmatter

MAX_BYTES = 200_000
"""No skill is longer than this; a bigger file is something else."""

MAX_DESCRIPTION = 320

Origin = Literal["user", "bundled"]


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill as the shelf knows it; the body is read when it is asked for."""

    name: str
    description: str
    """One line for the prompt. Without it the model is not told of the skill."""
    path: Path
    origin: Origin
    disabled: bool = False

    @property
    def folder(self) -> Path | None:
        """Where its support files lie, if it may have any."""
        return self.path.parent if self.path.name == "SKILL.md" else None


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that is no usable skill, and why."""

    path: Path
    reason: str


class UnknownSkill(LookupError):
    """No skill (or no support file) of that name. `available` lists those there are."""

    def __init__(self, name: str, available: list[str], what: str = "skill") -> None:
        listed = ", ".join(available) if available else "none"
        super().__init__(f"there is no {what} named {name!r}; available: {listed}")
        self.name = name
        self.available = available


class SkillShelf:
    """All skills of one configuration folder."""

    def __init__(self, user: Path | None, bundled: Path | None = None, state: Path | None = None) -> None:
        """`user` is the player's folder (it need not exist); `bundled` defaults to what came with Numen.

        `state` is a JSON file with the names under `disabled`; by default `skills_state.json` beside `user`.
        """
        self._user = user
        self._bundled = bundled if bundled is not None else bundled_folder()
        self._state = state if state is not None else user.parent / "skills_state.json" if user else None
        self._seen: tuple[tuple[str, int, int], ...] | None = None
        self._skills: dict[str, Skill] = {}
        self._problems: list[Problem] = []

    def refresh(self) -> bool:
        """Look again if any file changed since the last time; True when so. Cheap when nothing did."""
        seen = tuple(_stamps(self._files()))
        if seen == self._seen:
            return False
        self._seen = seen
        self._scan()
        return True

    def all(self) -> list[Skill]:
        """Every skill, the disabled ones too, by name."""
        self.refresh()
        return sorted(self._skills.values(), key=lambda each: each.name)

    def listed(self) -> list[Skill]:
        """Those the model is told of: not disabled and with a description, by name."""
        return [each for each in self.all() if each.description and not each.disabled]

    def problems(self) -> list[Problem]:
        """Files that were skipped, or are hidden, and why."""
        self.refresh()
        return list(self._problems)

    def get(self, name: str) -> Skill:
        """The skill of that name, exactly or ignoring case. Raises UnknownSkill, for disabled ones too."""
        self.refresh()
        usable = {key: each for key, each in self._skills.items() if not each.disabled}
        found = usable.get(name)
        if found is None:
            folded = {key.casefold().replace("-", "_"): each for key, each in usable.items()}
            found = folded.get(name.strip().casefold().replace("-", "_"))
        if found is None:
            raise UnknownSkill(name, sorted(usable))
        return found

    def read(self, name: str, file: str | None = None) -> str:
        """The text of a skill, or of a support file of it given by its path inside the skill's folder.

        Raises UnknownSkill; a path that leads out of the folder is unknown.
        """
        skill = self.get(name)
        if not file:
            return frontmatter.split(_read(skill.path))[1].strip()
        folder = skill.folder
        support = _support_files(folder) if folder else []
        wanted = file.strip().replace("\\", "/").removeprefix("./")
        if folder is None or wanted not in support:
            raise UnknownSkill(file, support, f"file of skill {skill.name}")
        return _read(folder / wanted)

    def wrapped(self, name: str, file: str | None = None) -> str:
        """What a `load_skill` tool answers: the text in a tag that names it, support files listed below."""
        skill = self.get(name)
        text = self.read(name, file)
        if file:
            return f'<skill name="{skill.name}" file="{file}">\n{text}\n</skill>'
        support = _support_files(skill.folder) if skill.folder else []
        more = f"\n\nSupport files: {', '.join(support)}" if support else ""
        return f'<skill name="{skill.name}">\n{text}{more}\n</skill>'

    def _scan(self) -> None:
        self._skills = {}
        self._problems = []
        disabled = self._disabled()
        origins: list[tuple[Path | None, Origin]] = [(self._user, "user"), (self._bundled, "bundled")]
        for folder, origin in origins:
            for path in _skill_files(folder):
                try:
                    fields, body = frontmatter.split(_read(path))
                except (OSError, ValueError) as error:
                    self._problems.append(Problem(path, _reason(error)))
                    continue
                default = path.parent.name if path.name == "SKILL.md" else path.stem
                name = fields.get("name") or default
                if not body.strip():
                    self._problems.append(Problem(path, "it is empty"))
                    continue
                old = self._skills.get(name)
                if old is not None:
                    if old.origin == origin:
                        self._problems.append(Problem(path, f"the name {name} is taken by {old.path}"))
                    continue
                description = " ".join(fields.get("description", "").split())[:MAX_DESCRIPTION]
                if not description:
                    self._problems.append(
                        Problem(path, "it has no description, so the model is not told of it")
                    )
                self._skills[name] = Skill(name, description, path, origin, name in disabled)

    def _disabled(self) -> set[str]:
        if self._state is None or not self._state.exists():
            return set()
        try:
            names = json.loads(_read(self._state)).get("disabled", [])
            return {str(each) for each in names}
        except (OSError, ValueError, AttributeError, TypeError) as error:
            self._problems.append(Problem(self._state, f"not readable: {_reason(error)}"))
            return set()

    def _files(self) -> Iterator[Path]:
        yield from _skill_files(self._user)
        yield from _skill_files(self._bundled)
        if self._state is not None:
            yield self._state


def bundled_folder() -> Path | None:
    """The skills that came with Numen: in the package when installed, in `config/numen` of a checkout."""
    spec = importlib.util.find_spec("numen")
    for place in (spec.submodule_search_locations or []) if spec else []:
        for folder in (Path(place) / "config_default" / "skills", Path(place).parent / "config/numen/skills"):
            if folder.is_dir():
                return folder
    return None


def _skill_files(folder: Path | None) -> list[Path]:
    """`*.md` and `*/SKILL.md` in the folder, by name. A README is for people."""
    if folder is None or not folder.is_dir():
        return []
    found = [each for each in folder.glob("*.md") if each.is_file() and each.stem.upper() != "README"]
    return sorted(found) + sorted(each for each in folder.glob("*/SKILL.md") if each.is_file())


def _support_files(folder: Path) -> list[str]:
    """Paths inside the folder, without those that lead out of it by a link."""
    root = folder.resolve()
    return sorted(
        each.relative_to(folder).as_posix()
        for each in folder.rglob("*")
        if each.is_file() and each.name != "SKILL.md" and each.resolve().is_relative_to(root)
    )


def _stamps(files: Iterator[Path]) -> Iterator[tuple[str, int, int]]:
    for path in files:
        try:
            stat = path.stat()
        except OSError:
            continue
        yield (str(path), stat.st_mtime_ns, stat.st_size)


def _read(path: Path) -> str:
    if path.stat().st_size > MAX_BYTES:
        raise ValueError(f"it is longer than {MAX_BYTES} bytes")
    return path.read_bytes().decode("utf-8-sig")


def _reason(error: Exception) -> str:
    return "it is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else str(error)
