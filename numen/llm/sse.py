"""Server-sent events: bytes in, the data of each event out (WHATWG HTML, 9.2 Server-sent events)."""

from __future__ import annotations

import codecs

MAX_LINE = 16 * 1024 * 1024


class LineTooLong(ValueError):
    """A line grew beyond what any answer needs."""


class EventReader:
    """Feed it bytes as they arrive; it hands out the data of every event that is complete.

    Split characters, `\\r\\n`, comments, fields other than `data` and events over several lines are all
    taken.
    """

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._buffer = ""
        self._data: list[str] = []

    def feed(self, chunk: bytes) -> list[str]:
        return self._take(self._decoder.decode(chunk))

    def finish(self) -> list[str]:
        """What an ending without the last blank line left behind."""
        events = self._take(self._decoder.decode(b"", True) + "\n\n")
        self._buffer = ""
        return events

    def _take(self, text: str) -> list[str]:
        self._buffer += text
        if "\n" not in text and "\r" not in text:
            if len(self._buffer) > MAX_LINE:
                raise LineTooLong(f"a line of more than {MAX_LINE} characters")
            return []
        # A lone \r at the very end may be the first half of \r\n: it waits.
        held = "\r" if self._buffer.endswith("\r") else ""
        lines = (
            self._buffer[: len(self._buffer) - len(held)]
            .replace("\r\n", "\n")
            .replace("\r", "\n")
            .split("\n")
        )
        self._buffer = lines.pop() + held
        events: list[str] = []
        for line in lines:
            if not line:
                if self._data:
                    events.append("\n".join(self._data))
                    self._data = []
            elif line.startswith("data:"):
                self._data.append(line[6:] if line.startswith("data: ") else line[5:])
        return events
