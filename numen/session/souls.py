"""Souls: how a companion speaks and what it cares about, a Markdown file each, chosen by each person.

A soul is called as its file is, without `.md`. The owner's folder goes before what came with Numen. A name
that somebody gives is looked up in the listing; no path is ever made of it.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Final

from numen.session.files import write_text

log = logging.getLogger(__name__)

DEFAULT: Final = "default"
LONGEST: Final = 64_000
"""Characters of a soul that are read."""


class UnknownSoul(ValueError):
    """There is no soul of that name. `names` are those there are."""

    def __init__(self, name: str, names: list[str]) -> None:
        super().__init__(f"there is no soul {name!r}; there are: {', '.join(names)}")
        self.names = names


def bundled_souls() -> Path:
    """The folder of the souls that came with Numen: within the package, or in a checkout beside it."""
    package = Path(__file__).resolve().parents[1]
    installed = package / "config_default" / "souls"
    return installed if installed.is_dir() else package.parent / "config" / "numen" / "souls"


class Souls:
    """The souls there are, and who has chosen which."""

    def __init__(self, folder: Path | None, data: Path, *, bundled: Path | None = None) -> None:
        """`folder` is the owner's own and need not exist; choices are kept in `data`."""
        self._folders = [each for each in (bundled or bundled_souls(), folder) if each is not None]
        self._choices = data / "souls" / ".active"

    def names(self) -> list[str]:
        """Every soul, in the order of the alphabet whatever the case. `default` is always among them."""
        return sorted({DEFAULT, *self._files()}, key=lambda name: (name.casefold(), name))

    def find(self, name: str) -> str:
        """The soul that `name` means, whatever its case. Raises UnknownSoul."""
        wanted, names = name.strip(), self.names()
        if wanted in names:
            return wanted
        for each in names:
            if each.casefold() == wanted.casefold():
                return each
        raise UnknownSoul(name, names)

    def text(self, name: str) -> str:
        """The text of a soul, "" for the default. One that cannot be read counts as the default, with a
        warning."""
        path = self._files().get(name)
        if path is None:
            return ""
        try:
            return path.read_text(encoding="utf-8-sig")[:LONGEST].strip()
        except (OSError, ValueError) as error:
            log.warning("the soul %s cannot be read, so the default speaks: %s", path, error)
            return ""

    def chosen(self, key: str) -> str:
        """The soul of the person with that key; the default when it is none, or one that is gone."""
        try:
            lines = (self._choices / f"{key}.txt").read_text(encoding="utf-8-sig").splitlines()
            return self.find(next((each for each in lines if each.strip()), DEFAULT))
        except (OSError, ValueError):
            return DEFAULT

    def choose(self, key: str, name: str) -> str:
        """Let the person with that key have this soul; its name as it is written.

        Raises UnknownSoul, OSError.
        """
        found = self.find(name)
        write_text(self._choices / f"{key}.txt", found + "\n")
        return found

    def _files(self) -> dict[str, Path]:
        found: dict[str, Path] = {}
        for folder in self._folders:
            try:
                listed = sorted(folder.iterdir())
            except OSError:
                continue
            for path in listed:
                if path.suffix.lower() == ".md" and not path.name.startswith(".") and path.is_file():
                    found[path.stem] = path
        return found
