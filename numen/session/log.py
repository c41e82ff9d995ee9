"""A session in a file: one JSON object a line, only ever appended to.

The first line is a header with the version. A record counts once `append` has returned: by then the operating
system has the whole line, so a killed process loses nothing. (`sync=True` also waits for the disk, for power
cuts.)

What damage does: a last line that was cut off is dropped and reported; a damaged line further up is moved to
`<name>.damaged` and reported; a file of a later version is refused untouched.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

from numen.session.record import Record

try:
    import fcntl
except ImportError:  # Windows has no flock; there two processes could open one log
    fcntl = None  # type: ignore[assignment]

VERSION = 1

VERSIONS = {1: "heard, message, dropped, compact and note records after a header"}
"""What each version of the file holds, in a line. A new version adds a line here and its migration below."""


class SessionError(Exception):
    """A log that cannot be used. The message says which and what to do."""


class LogInUse(SessionError):
    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} is in use: another companion of this name is running. Stop it first.")
        self.path = path


class UnknownVersion(SessionError):
    def __init__(self, path: Path, version: object) -> None:
        super().__init__(
            f"{path} was written by a later Numen (log version {version}, this one reads up to {VERSION}). "
            "Update Numen, or move the file away to begin anew."
        )
        self.path = path


def read_records(path: Path) -> list[Record]:
    """All records of a log, also of one that somebody else has open. Raises OSError."""
    parsed = (_parse(line) for line in path.read_bytes().split(b"\n"))
    return [each for each in parsed if each is not None and "numen_log" not in each]


class FileSession:
    """A conversation log on disk. Only one process at a time can hold it."""

    def __init__(
        self,
        path: Path,
        *,
        companion: str = "",
        now: Callable[[], float] = time.time,
        sync: bool = False,
    ) -> None:
        """Open or begin the log at `path`. `report` then says what was damaged, if anything.

        Raises LogInUse, UnknownVersion, OSError.
        """
        self.path = path
        self.report: list[str] = []
        self._companion = companion
        self._now = now
        self._sync = sync
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = self._take_lock()
        try:
            self._file = self._load()
        except BaseException:
            self._lock.close()
            raise

    def records(self) -> list[Record]:
        """All records, read from the file: an idle companion need not hold its past in memory."""
        return read_records(self.path)

    def append(self, record: Record) -> None:
        """Keep `record`. Raises OSError (a full disk), leaving the log as it was."""
        line = (
            json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"
        )
        size = os.fstat(self._file).st_size
        try:
            # One write of one line: what reaches the file is the record or a torn last line, nothing between.
            written = os.write(self._file, line)
            if written < len(line):
                raise OSError(f"only {written} of {len(line)} bytes were written to {self.path}")
            if self._sync:
                os.fsync(self._file)
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(self._file, size)
            raise

    def clear(self) -> None:
        """Begin anew; the old log stays beside it as `<name>.<seconds>.old`."""
        os.close(self._file)
        if self.path.exists():
            self.path.rename(self._beside(f".{int(self._now())}.old"))
        self._file = self._begin()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            os.close(self._file)
        self._lock.close()

    def _take_lock(self) -> IO[bytes]:
        # A file of its own: the log itself may be replaced while it is held.
        lock = self._beside(".lock").open("ab")
        if fcntl is not None:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                lock.close()
                raise LogInUse(self.path) from None
        return lock

    def _load(self) -> int:
        if not self.path.exists() or self.path.stat().st_size == 0:
            return self._begin()
        raw = self.path.read_bytes()
        lines = raw.split(b"\n")
        torn = lines.pop()
        good: list[bytes] = []
        damaged: list[tuple[int, bytes]] = []
        header: Record | None = None
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            record = _parse(line)
            if record is None:
                damaged.append((number, line))
            elif number == 1 and "numen_log" in record:
                header = record
                if record["numen_log"] not in VERSIONS:
                    raise UnknownVersion(self.path, record["numen_log"])
            else:
                good.append(line)
        if torn.strip():
            whole = _parse(torn)
            if whole is not None and "numen_log" not in whole:
                good.append(torn)  # only its line end was lost
            self.report.append(
                f"{self.path}: the last line was cut off ({len(torn)} bytes); "
                + ("it is whole and was kept" if whole is not None else "it was dropped")
            )
        if damaged:
            self._set_aside(damaged)
        if damaged or torn or header is None:
            self._rewrite(good)
        return os.open(self.path, os.O_WRONLY | os.O_APPEND)

    def _begin(self) -> int:
        file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_TRUNC, 0o600)
        os.write(file, self._header())
        return file

    def _header(self) -> bytes:
        header = {"numen_log": VERSION, "companion": self._companion, "begun": round(self._now(), 3)}
        return json.dumps(header, ensure_ascii=False).encode() + b"\n"

    def _set_aside(self, damaged: list[tuple[int, bytes]]) -> None:
        aside = self._beside(".damaged")
        with aside.open("ab") as file:
            for number, line in damaged:
                file.write(f"# line {number}\n".encode() + line + b"\n")
                self.report.append(f"{self.path}: line {number} is damaged and was moved to {aside.name}")

    def _rewrite(self, lines: list[bytes]) -> None:
        fresh = self._beside(".new")
        with fresh.open("wb") as file:
            file.write(self._header())
            file.writelines(line + b"\n" for line in lines)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self.path)

    def _beside(self, suffix: str) -> Path:
        return self.path.with_name(self.path.name + suffix)


class MemorySession:
    """A session that ends with the process: for tests, and for companions that shall remember nothing."""

    def __init__(self) -> None:
        self._records: list[Record] = []

    def records(self) -> list[Record]:
        return list(self._records)

    def append(self, record: Record) -> None:
        # Through JSON and back, so that what a file could not hold fails here too.
        self._records.append(json.loads(json.dumps(record)))

    def clear(self) -> None:
        self._records = []

    def close(self) -> None:
        pass


def _parse(line: bytes) -> Record | None:
    try:
        value = json.loads(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
