"""A terminal of 80 columns that remembers what a person would see on it.

It knows what the prompt and our own lines use: moving, erasing, wrapping, wide characters, colours (ignored).
An escape that it does not know fails the test, as nobody could say what it would have done.
"""

from __future__ import annotations

import re
from typing import Any

from prompt_toolkit.data_structures import Size
from prompt_toolkit.output.vt100 import Vt100_Output

from numen.console.columns import width_of

_ESCAPE = re.compile(r"\x1b\[(?P<private>\??)(?P<numbers>[\d;]*)(?P<final>[A-Za-z])|\x1b(?P<short>[=>78])")


class Terminal:
    """Feed it text with `write`; `lines` is the whole scroll-back with the screen below it."""

    encoding = "utf-8"

    def __init__(self, columns: int = 80, rows: int = 24) -> None:
        self.columns, self.rows = columns, rows
        self._lines: list[list[str]] = [[]]
        self._row = self._column = 0
        self._rest = ""

    @property
    def lines(self) -> list[str]:
        shown = ["".join(line).rstrip() for line in self._lines]
        while shown and not shown[-1]:
            shown.pop()
        return shown

    def output(self) -> Vt100_Output:
        """This terminal, for the prompt."""
        return Vt100_Output(
            self, lambda: Size(rows=self.rows, columns=self.columns), term="xterm", enable_cpr=False
        )

    def flush(self) -> None:
        pass

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        raise OSError("a terminal in memory has no number")

    def write(self, text: str) -> int:
        data, at = self._rest + text, 0
        self._rest = ""
        while at < len(data):
            if data[at] != "\x1b":
                self._sign(data[at])
                at += 1
                continue
            escape = _ESCAPE.match(data, at)
            if escape is None:
                assert len(data) - at < 16, f"unknown escape {data[at : at + 16]!r}"
                self._rest = data[at:]
                break
            self._escape(escape)
            at = escape.end()
        return len(text)

    def _sign(self, sign: str) -> None:
        if sign == "\n":
            self._row, self._column = self._row + 1, 0
        elif sign == "\r":
            self._column = 0
        elif sign == "\b":
            self._column = max(0, self._column - 1)
        elif sign == "\a":
            pass
        else:
            assert sign.isprintable(), f"{sign!r} reached the terminal"
            self._put(sign)
        self._grow()

    def _put(self, sign: str) -> None:
        width = width_of(sign)
        if self._column + width > self.columns:
            self._row, self._column = self._row + 1, 0
        self._grow()
        line = self._lines[self._row]
        line.extend(" " for _ in range(self._column + width - len(line)))
        line[self._column : self._column + width] = [sign, ""][:width]
        self._column += width

    def _grow(self) -> None:
        while len(self._lines) <= self._row:
            self._lines.append([])

    def _escape(self, escape: re.Match[str]) -> None:
        if escape["short"] or escape["private"]:
            return  # modes of the keyboard and the cursor's looks
        numbers = [int(each or 0) for each in escape["numbers"].split(";")]
        count = max(1, numbers[0])
        line = self._lines[self._row]
        match escape["final"]:
            case "A":
                self._row = max(0, self._row - count)
            case "B":
                self._row += count
            case "C":
                self._column = min(self.columns, self._column + count)
            case "D":
                self._column = max(0, self._column - count)
            case "K" if numbers[0] == 0:
                del line[self._column :]
            case "K":
                line.clear()
            case "J" if numbers[0] == 0:
                del line[self._column :]
                del self._lines[self._row + 1 :]
            case "m" | "n" | "q" | "h" | "l":
                pass
            case other:
                raise AssertionError(f"unknown escape {other} {numbers}")
        self._grow()

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)
