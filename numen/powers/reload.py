"""What a reload of the server's scripts has to complain about, read from the end of its logs.

Sizes of the logs are noted before; after it only what has been written since is read. A log that has become
shorter, or is another file, was turned over: then it is read from its beginning. The command for a reload
answers at once, while the server works on beside the game (vanilla 1.21.1); so the logs are read until they
tell that it has ended.
"""

from __future__ import annotations

import asyncio
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

#: Those of KubeJS itself; 1.21.1 has the first, older ones the others.
KUBEJS_LOGS: Final = ("logs/kubejs/server.log", "kubejs/logs/server.txt", "kubejs/logs/server.log")
LOGS: Final = ("logs/latest.log", *KUBEJS_LOGS)
#: Bytes of each log that are read at most, its last ones.
MAX_DELTA: Final = 512_000
#: Seconds between two looks; without a new word; after the end was told; altogether.
PAUSE_S: Final = 0.08
SILENCE_S: Final = 0.5
GRACE_S: Final = 0.25
LIMIT_S: Final = 20.0
MAX_LINES: Final = 120
MAX_LINE: Final = 500

_ABOUT: Final = ("kubejs", "server_scripts:", "startup_scripts:", "mineclawd/")
_TROUBLE: Final = ("error", "exception", "failed")  # the kinds of JavaScript errors end in the first
#: A line of KubeJS's own log: ``[12:00:00] [ERROR] …``. It gets the name that latest.log has in its lines.
_OWN_HEAD: Final = re.compile(r"^\[[\d:]+\] \[[A-Z]+\] ", re.MULTILINE)
OWN_MARK: Final = "[KubeJS Server/]: "
_NO_ERRORS: Final = re.compile(r"\b(?:0|no) errors\b|\berrors: ?0\b", re.IGNORECASE)
#: What vanilla 1.21.1 writes when the new data are in place.
_ENDED: Final = re.compile(
    r"\bLoaded \d+ (?:recipes|advancements)\b|Failed to (?:execute reload|load datapacks)"
)
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
    return "\n".join(_named(_delta(server / name, before.get(name)), name in KUBEJS_LOGS) for name in LOGS)


def _named(text: str, of_kubejs: bool) -> str:
    """`text` with what the log is about in its lines: KubeJS's own do not name it."""
    return _OWN_HEAD.sub(rf"\g<0>{OWN_MARK}", text) if of_kubejs else text


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


@dataclass(frozen=True, slots=True)
class Found:
    """The complaints about scripts; `ended` tells whether the logs say that the reload is over."""

    errors: list[str]
    ended: bool


async def errors_since(
    server: Path,
    before: Mark,
    *,
    pause_s: float = PAUSE_S,
    silence_s: float = SILENCE_S,
    grace_s: float = GRACE_S,
    limit_s: float = LIMIT_S,
) -> Found:
    """The complaints since `before`, read until the reload has ended, or for `limit_s`.

    Logs to which nothing at all is written are left after `silence_s`.
    """
    now = asyncio.get_running_loop().time
    begun = now()
    ended_at: float | None = None
    while True:
        text = await asyncio.to_thread(written_since, server, before)
        since = now() - begun
        if ended_at is None and _ENDED.search(text):
            ended_at = since
        if (
            (ended_at is not None and since - ended_at >= grace_s)
            or (since >= silence_s and not text.strip())
            or since >= limit_s
        ):
            return Found(errors_in(text), ended_at is not None)
        await asyncio.sleep(pause_s)


def report(answer: str, output: str, found: Found | None) -> str:
    """What a reload came to; `found` is None where the logs can't be read."""
    if found is None:
        told = "kubejs errors: unknown, as the server's folder is not known here"
    else:
        lines = found.errors
        told = "kubejs errors (new in the logs):\n" + "\n".join(lines) if lines else "kubejs errors: none"
        if not found.ended:
            told += "\nThe logs do not tell that the reload has ended, so there may be more errors to come."
    return f"reload command result: {answer}\ncommand output: {output or '(none)'}\n{told}"
