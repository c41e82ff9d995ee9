"""Tells spoken words from thoughts that a model wrote into its text.

Reasoning models behind some servers put `<think>…</think>` into the content, sometimes without the opening
tag (the chat template wrote it) and sometimes without the closing one. Thoughts are kept for the wire and
never spoken.
"""

from __future__ import annotations

import re

TAG = re.compile(r"<(/?)(think|thinking|thought)>", re.IGNORECASE)
LONGEST = len("</thinking>")


def spoken(content: str) -> str:
    """`content` without its thoughts."""
    out: list[str] = []
    depth = 0
    end = 0
    for tag in TAG.finditer(content):
        if depth == 0:
            if tag.group(1):
                out.clear()  # closed but never opened: all before it was thought
            else:
                out.append(content[end : tag.start()])
        depth = max(0, depth - 1) if tag.group(1) else depth + 1
        end = tag.end()
    if depth == 0:
        out.append(content[end:])
    return "".join(out).strip()


class ThoughtFilter:
    """Splits a stream of text into words and thoughts as it comes.

    Text that stands before a closing tag without an opening one was thought. That is known late, so the
    filter counts such tags in `unopened`: whoever told the words up to there has to take them back. With
    `wary`, nothing is told before the first of them has come, or the end.
    """

    def __init__(self, *, wary: bool = False) -> None:
        self.unopened = 0
        self._wary = wary
        self._unsure = ""
        self._held = ""
        self._depth = 0

    def feed(self, text: str) -> list[tuple[bool, str]]:
        """(is thought, text) pieces that are certain by now; a piece that may be half a tag is held back."""
        text = self._held + text
        self._held = ""
        pieces: list[tuple[bool, str]] = []
        end = 0
        for tag in TAG.finditer(text):
            before = text[end : tag.start()]
            end = tag.end()
            if not tag.group(1):
                self._add(pieces, before)
                self._depth += 1
            elif self._depth:
                self._add(pieces, before)
                self._depth -= 1
            else:
                self.unopened += 1
                thought = "".join(each for is_thought, each in pieces if not is_thought)
                pieces = [each for each in pieces if each[0]]
                pieces += [(True, self._unsure + thought + before)] if self._unsure + thought + before else []
                self._unsure, self._wary = "", False
        rest = text[end:]
        start = rest.rfind("<", max(0, len(rest) - LONGEST))
        if start >= 0 and _may_become_tag(rest[start:]):
            rest, self._held = rest[:start], rest[start:]
        self._add(pieces, rest)
        return pieces

    def flush(self) -> list[tuple[bool, str]]:
        """What was held back, at the end of the text."""
        pieces: list[tuple[bool, str]] = []
        self._add(pieces, self._held)
        if self._unsure:
            pieces.insert(0, (False, self._unsure))
        self._held = self._unsure = ""
        return pieces

    def _add(self, pieces: list[tuple[bool, str]], text: str) -> None:
        if self._wary and self._depth == 0:
            self._unsure += text
        elif text:
            pieces.append((self._depth > 0, text))


def _may_become_tag(text: str) -> bool:
    lowered = text.lower()
    return any(
        tag.startswith(lowered)
        for name in ("think", "thinking", "thought")
        for tag in (f"<{name}>", f"</{name}>")
    )
