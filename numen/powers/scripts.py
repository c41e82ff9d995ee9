"""The folder of server scripts (KubeJS), and nothing outside it.

A path comes from a model, so it is taken for an attack: what is no plain name on every system is refused,
links are resolved and must end in the folder, and only regular files with a single name are touched. All
of it blocks; call it on a worker thread.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Final

#: Where scripts lie in a server's folder.
SCRIPTS: Final = Path("kubejs/server_scripts/mineclawd")
MAX_LISTED: Final = 200
#: Characters of a script that are told.
MAX_READ: Final = 64_000
#: Bytes of a script that are written.
MAX_WRITTEN: Final = 512_000
#: Bytes of one name: a file system takes 255, and the name of a file in the making is longer.
MAX_NAME: Final = 200
MAX_PATH: Final = 400
MAX_DEPTH: Final = 16

#: Names that Windows gives to devices, whatever follows behind a dot.
DEVICES: Final = frozenset(
    {"con", "prn", "aux", "nul", "conin$", "conout$", "clock$"}
    | {f"{port}{number}" for port in ("com", "lpt") for number in "0123456789¹²³"}
)
#: Signs that a name may hold beside letters and digits.
SIGNS: Final = frozenset(" ._-+@#()[],=")


class ScriptError(ValueError):
    """A path or a script that is refused. The message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A script: its path under the folder, bytes, seconds since 1970."""

    path: str
    size: int
    changed: float


def clean(path: str) -> tuple[str, ...]:
    """The names that a path is made of. Raises ScriptError for one that could lead anywhere else."""
    text = path.strip().replace("\\", "/").lstrip("/")
    if not text:
        raise ScriptError("the path is empty; name a file such as welcome.js or mobs/boss.js")
    if len(text.encode("utf-8", "surrogatepass")) > MAX_PATH:
        raise ScriptError(f"the path is longer than {MAX_PATH} bytes")
    names = text.split("/")
    if len(names) > MAX_DEPTH:
        raise ScriptError(f"the path is deeper than {MAX_DEPTH} folders")
    for name in names:
        _check(name)
    return tuple(names)


def _check(name: str) -> None:
    if name in ("", ".", ".."):
        raise ScriptError("a path names every folder, without empty parts, . and ..")
    if ".." in name:
        raise ScriptError(f"{name!r} holds two dots in a row, which is not allowed")
    if not all(sign.isalnum() or sign in SIGNS for sign in name):
        raise ScriptError(f"{name!r} has signs that no script's name needs; use letters, digits, . - and _")
    if unicodedata.normalize("NFKC", name) != name:
        raise ScriptError(f"{name!r} is written with look-alike letters; use plain ones")
    if name[0] in " ." or name[-1] in " .":
        raise ScriptError(f"{name!r} begins or ends with a dot or a space")
    if len(name.encode()) > MAX_NAME:
        raise ScriptError(f"a name may have {MAX_NAME} bytes")
    if name.partition(".")[0].strip().casefold() in DEVICES:
        raise ScriptError(f"{name!r} is the name of a device on some systems")


class ScriptFolder:
    """The scripts of one server."""

    def __init__(self, server: Path, folder: Path = SCRIPTS) -> None:
        """`server` is the server's own folder."""
        self.server = server
        self.root = server / folder

    # -- what tools do

    def list(self) -> tuple[list[Listed], bool]:
        """Scripts by path, at most 200, and whether there are more. Links are passed over."""
        root = self._made_root()
        found: list[Listed] = []
        more = False
        for folder, folders, files in os.walk(root, followlinks=False):
            folders.sort()
            for name in sorted(files):
                path = Path(folder, name)
                with contextlib.suppress(OSError):
                    status = path.lstat()
                    if stat.S_ISREG(status.st_mode):
                        more = more or len(found) >= MAX_LISTED
                        shown = path.relative_to(root).as_posix()
                        found.append(Listed(shown, status.st_size, status.st_mtime))
            if more:
                break
        return sorted(found, key=lambda each: each.path)[:MAX_LISTED], more

    def read(self, path: str) -> tuple[str, bool]:
        """A script's text, at most 64,000 characters, and whether it was cut. Raises ScriptError, OSError."""
        target, shown = self._existing(path)
        handle = os.open(target, os.O_RDONLY | _flag("O_NOFOLLOW") | _flag("O_NONBLOCK") | _flag("O_BINARY"))
        with os.fdopen(handle, "rb") as file:
            _regular(os.fstat(file.fileno()), shown)
            text = file.read(4 * MAX_READ + 4).decode("utf-8", "replace")
        return text[:MAX_READ], len(text) > MAX_READ

    def write(self, path: str, content: str) -> tuple[str, int]:
        """Write a script whole or not at all; folders are made. Returns its path and its bytes.

        Raises ScriptError and OSError.
        """
        names = clean(path)
        try:
            data = content.encode()
        except UnicodeEncodeError:
            raise ScriptError("the content holds half characters that no file can hold") from None
        if len(data) > MAX_WRITTEN:
            raise ScriptError(f"a script may have {MAX_WRITTEN} bytes, this one has {len(data)}; split it")
        folder = self._made_root()
        for name in names[:-1]:
            folder = self._within(self._same_case(folder, name), "/".join(names))
            folder.mkdir(exist_ok=True)
            if not folder.is_dir():
                raise ScriptError(f"{name} is a file, not a folder")
        target = self._same_case(folder, names[-1])
        shown = "/".join(names)
        with contextlib.suppress(FileNotFoundError):
            _regular(target.lstat(), shown, links=True)
        fresh = folder / f".{secrets.token_hex(8)}.new"
        handle = os.open(
            fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _flag("O_NOFOLLOW") | _flag("O_BINARY"), 0o644
        )
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(fresh, target)
        except BaseException:
            with contextlib.suppress(OSError):
                fresh.unlink()
            raise
        return shown, len(data)

    def delete(self, path: str) -> str:
        """Take a script away. Raises ScriptError and OSError."""
        target, shown = self._existing(path)
        _regular(target.lstat(), shown, links=True)
        target.unlink()
        return shown

    # -- where a path leads

    def _made_root(self) -> Path:
        """The folder, with its links resolved. A link may be the owner's own, so it may lie elsewhere."""
        if not self.server.is_dir():
            raise ScriptError(
                f"the server's folder {self.server} is not there; see server.folder in the YAML"
            )
        self.root.mkdir(parents=True, exist_ok=True)
        return self.root.resolve()

    def _existing(self, path: str) -> tuple[Path, str]:
        names = clean(path)
        root = folder = self._made_root()
        for name in names[:-1]:
            folder = self._within(self._same_case(folder, name), "/".join(names))
        target, shown = self._same_case(folder, names[-1]), "/".join(names)
        if not os.path.lexists(target):
            raise ScriptError(f"there is no script {shown}; list-server-scripts tells which there are")
        _regular(target.lstat(), shown, links=True)
        assert target.resolve().is_relative_to(root)
        return target, shown

    def _within(self, folder: Path, shown: str) -> Path:
        """`folder` with links resolved. Raises ScriptError when that leads out of the root."""
        found, root = folder.resolve(), self.root.resolve()
        if found == root or not found.is_relative_to(root):
            raise ScriptError(f"{shown} leads out of the folder of scripts")
        return found

    def _same_case(self, folder: Path, name: str) -> Path:
        """The path of a name in a folder. Raises ScriptError for one that differs from another in case alone:
        on some systems both are one file."""
        if folder.is_dir():
            for other in os.listdir(folder):
                if other != name and other.casefold() == name.casefold():
                    raise ScriptError(f"there is {other} already, which some systems take for {name}")
        return folder / name


def _regular(status: os.stat_result, shown: str, *, links: bool = False) -> None:
    """Raises ScriptError unless that is a regular file of one name. `links` speaks of an lstat."""
    if links and stat.S_ISLNK(status.st_mode):
        raise ScriptError(f"{shown} is a link, which is not followed")
    if not stat.S_ISREG(status.st_mode):
        raise ScriptError(f"{shown} is no regular file")
    if status.st_nlink > 1:
        raise ScriptError(f"{shown} is the same file as another one elsewhere")


def _flag(name: str) -> int:
    """A flag of `os.open`, 0 where the system has no such thing."""
    return int(getattr(os, name, 0))
