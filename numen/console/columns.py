"""Text in the columns of a terminal: Chinese characters take two, and nothing foreign moves the cursor."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

ELLIPSIS = "…"


def harmless(text: str) -> str:
    """`text` without signs that could move a cursor or turn the order of letters around."""
    return "".join(sign for sign in text if sign.isprintable())


def one_line(text: str) -> str:
    """All of `text` in one harmless line."""
    return harmless(" ".join(text.split()))


def width_of(sign: str) -> int:
    """Columns of one character: 2 for wide ones, 0 for those that are written over another."""
    if unicodedata.east_asian_width(sign) in "WF":
        return 2
    return 0 if unicodedata.category(sign) in ("Mn", "Me", "Cf") else 1


def columns(text: str) -> int:
    """Columns of a line without escapes."""
    return sum(map(width_of, text))


def cut(text: str, width: int) -> str:
    """As much of `text` as fits into `width` columns; an ellipsis stands for the rest."""
    if columns(text) <= width:
        return text
    kept, used = [], 0
    for sign in text:
        used += width_of(sign)
        if used > width - 1:
            break
        kept.append(sign)
    return "".join(kept) + ELLIPSIS


class Wrapping:
    """Words that come bit by bit, made into lines of at most `width` columns."""

    def __init__(self, width: int, front: int = 0) -> None:
        """`front` columns of the first line are taken."""
        self._width = max(16, width)
        self._room = self._width - front
        self.tail = ""
        """What has not become a line yet."""

    def add(self, text: str) -> Iterator[str]:
        """Take more words; gives each line that is full by them."""
        for sign in text.expandtabs(4):
            if sign == "\n":
                yield self._next(self.tail, "")
            elif sign.isprintable():
                yield from self._sign(sign)

    def _sign(self, sign: str) -> Iterator[str]:
        if columns(self.tail) + width_of(sign) <= self._room:
            self.tail += sign
        elif sign == " ":
            yield self._next(self.tail, "")
        else:
            blank = self.tail.rfind(" ")
            # A line breaks at its last blank; one without, and before or after a wide sign, anywhere.
            word = self.tail[blank + 1 :]
            if blank > 0 and word and width_of(sign) == 1 and all(width_of(each) < 2 for each in word):
                yield self._next(self.tail[:blank], word + sign)
            else:
                yield self._next(self.tail, sign)

    def flush(self) -> Iterator[str]:
        """What is left, as a last line, if anything."""
        if self.tail.strip():
            yield self._next(self.tail, "")
        self.tail = ""

    def _next(self, line: str, rest: str) -> str:
        self.tail, self._room = rest, self._width
        return line.rstrip()
