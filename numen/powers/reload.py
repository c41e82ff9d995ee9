"""What a reload of the server's scripts has to complain about, read from the end of its logs.

Sizes of the logs are noted before; after it only what has been written since is read. A log that has become
shorter, or is another file, was turned over: then it is read from its beginning.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

#: Those of KubeJS itself; 1.21.1 has the first, older ones the others.
KUBEJS_LOGS: Final = ("logs/kubejs/server.log", "kubejs/logs/server.txt", "kubejs/logs/server.log")
LOGS: Final = ("logs/latest.log", *KUBEJS_LOGS)
#: Bytes of each log that are read at most, its last ones.
MAX_DELTA: Final = 512_000
TRIES: Final = 6
PAUSE_S: Final = 0.08
MAX_LINES: Final = 120
MAX_LINE: Final = 500

_ABOUT: Final = ("kubejs", "server_scripts:", "startup_scripts:", "mineclawd/")
_TROUBLE: Final = ("error", "exception", "failed")  # the kinds of JavaScript errors end in the first
_NO_ERRORS: Final = re.compile(r"\b(?:0|no) errors\b|\berrors: ?0\b", re.IGNORECASE)
_STACK: Final = re.compile(
    r"\s+at |\s*Caused by:|\s*\.\.\. \d+ more|\s+\S*\.[jt]s[:#]\d+|\s*[\w.]+(?:Error|Exception)\b"
)

Mark = dict[str, tuple[int, int]]
"""Log → (which file it is, its size)."""


def mark(server: Path) -> Mark:
    """Where the logs of a server end just now."""
    found: Mark = {}
    for name in LOGS:
        try:
            status = os.stat(server / name)
        except OSError:
            continue
        found[name] = status.st_ino, status.st_size
    return found


def written_since(server: Path, before: Mark) -> str:
    """What has been written to the logs since `before`, at most the last 512,000 bytes of each."""
    return "\n".join(_delta(server / name, before.get(name)) for name in LOGS)


def _delta(log: Path, before: tuple[int, int] | None) -> str:
    try:
        with open(log, "rb") as file:
            status = os.fstat(file.fileno())
            number, size = before or (status.st_ino, 0)
            start = size if number == status.st_ino and size <= status.st_size else 0
            begin = max(start, status.st_size - MAX_DELTA)
            file.seek(begin)
            text = file.read(MAX_DELTA).decode("utf-8", "replace")
    except OSError:
        return ""
    return text.partition("\n")[2] if begin > start else text  # no line that begins in its middle


def errors_in(text: str) -> list[str]:
    """The lines that complain about scripts, each once, with the stack under it."""
    found: dict[str, None] = {}
    under = False
    for raw in text.splitlines():
        bare = raw.partition("]: ")[2] if "]: " in raw else raw
        low = raw.casefold()
        if under and raw == bare and _STACK.match(raw):
            pass
        else:
            under = (
                any(each in low for each in _ABOUT)
                and any(each in low for each in _TROUBLE)
                and _NO_ERRORS.search(low) is None
            )
        if under:
            found.setdefault(bare.rstrip()[:MAX_LINE])
    return list(found)[:MAX_LINES]


async def errors_since(
    server: Path, before: Mark, *, tries: int = TRIES, pause_s: float = PAUSE_S
) -> list[str]:
    """The complaints since `before`; looked for several times, as a server writes its logs behind.

    Ends at the first that is found.
    """
    for last in range(tries):
        found = errors_in(await asyncio.to_thread(written_since, server, before))
        if found or last == tries - 1:
            return found
        await asyncio.sleep(pause_s)
    return []


def report(answer: str, output: str, errors: Iterable[str] | None) -> str:
    """What a reload came to; `errors` is None where the logs can't be read."""
    if errors is None:
        told = "kubejs errors: unknown, as the server's folder is not known here"
    else:
        lines = list(errors)
        told = "kubejs errors (new in the logs):\n" + "\n".join(lines) if lines else "kubejs errors: none"
    return f"reload command result: {answer}\ncommand output: {output or '(none)'}\n{told}"
