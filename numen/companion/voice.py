"""How a companion's words reach people through the game: few lines, in private where they are meant for one.

A private line goes by /tellraw where the companion may use that (nobody signs it, and it can be clicked),
else by /msg. An answer that would fill the chat stops after some lines; the rest waits until it is asked for.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable
from typing import Any, Final

from numen.agent.questions import Question, lines_of
from numen.agent.words import say as sentence
from numen.body.body import Body
from numen.body.talk import MAX_UNITS, clean, split, units
from protocol.command_usage import root_names

log = logging.getLogger(__name__)

#: Lines of one answer in the chat; what is longer waits until it is asked for.
MOST_LINES: Final = 4
#: A rest longer than this is not kept: it stays in the conversation.
MOST_KEPT: Final = 60
#: The level from which vanilla 1.21.1 lets a player use /tellraw.
TELLRAW_LEVEL: Final = 2  #: Characters of a private line; what stands around it in a command takes the rest.
PIECE: Final = 180

_NAME: Final = re.compile(r"[A-Za-z0-9_.*]{1,17}")


class Voice:
    """Speaks through one body. Nothing here waits or raises; what can't be said is logged."""

    def __init__(self, body: Callable[[], Body | None], language: str) -> None:
        self._body = body
        self._language = language
        self._rest: dict[str, list[str]] = {}

    # -- answers

    def answer(self, text: str, *, to: str | None = None, private: bool = False) -> None:
        """Say an answer, in public unless `private`; `to` is who may ask for the rest of a long one."""
        lines = split(clean(text), MAX_UNITS - self._front(to) if private else MAX_UNITS)
        self._rest.pop(to or "", None)
        self._page(lines, to, private)

    def more(self, to: str | None, *, private: bool = False) -> bool:
        """Go on with the rest of the last answer; False when nothing is left of it."""
        lines = self._rest.pop(to or "", [])
        self._page(lines, to, private)
        return bool(lines)

    def _page(self, lines: list[str], to: str | None, private: bool) -> None:
        page, rest = lines[:MOST_LINES], lines[MOST_LINES:]
        if rest:
            self._rest[to or ""] = rest[:MOST_KEPT]
            page.append(sentence("more_waits", self._language, count=len(rest)))
        for each in page:
            if private and to is not None:
                self.tell(to, each)
            else:
                self._send(each, words_only=True)

    # -- to one person

    def tell(self, name: str, text: str) -> bool:
        """A private line to the player of that name. False when it can't be said."""
        text = clean(text)
        if not _NAME.fullmatch(name) or not text:
            return False
        if self.may_tellraw:
            # Short pieces: servers may hold commands to the 256 characters that a player can type.
            return all(self.tell_raw(name, {"text": each, "color": "gray"}) for each in split(text, PIECE))
        room = MAX_UNITS - self._front(name)
        return all(self._send(f"/msg {name} {each}") for each in split(text, room))

    def tell_raw(self, name: str, component: Any) -> bool:
        """A private line of text components. False when it can't be said."""
        if not _NAME.fullmatch(name):
            return False
        body = self._body()
        if body is None or not body.online:
            return False
        line = f"tellraw {name} {json.dumps(component, ensure_ascii=False, separators=(',', ':'))}"
        verdict = body.talk.command(line)
        if not verdict.ok:
            log.warning("could not tell %s something: %s", name, verdict.message)
        return verdict.ok

    def tell_tool(self, name: str, tool: str, label: str) -> bool:
        """A small line about the tool at work; it is left out rather than that it keeps others waiting."""
        body, text = self._body(), clean(label)[:PIECE]
        if body is None or not body.talk.at_ease:
            return False
        if not self.may_tellraw:
            return self.tell(name, f"… {text}")
        hover = {"action": "show_text", "contents": tool}
        line = {"text": f"… {text}", "color": "dark_gray", "italic": True, "hoverEvent": hover}
        return self.tell_raw(name, line)

    def offer(self, name: str, text: str, words: str) -> bool:
        """A private line about `words` that the person may want to say; where it can be, it is clickable."""
        if self.may_tellraw:
            return self.tell_raw(name, _button(text, f"/msg {self._me} {words}"))
        return self.tell(name, text)

    def ask(self, name: str, question: Question) -> None:
        """Put a question before the player of that name, as numbered lines to answer or to click."""
        lines = lines_of(question, self._language)
        clickable = self.may_tellraw
        for number, line in enumerate(lines):
            is_option = 0 < number <= len(question.options)
            if not (clickable and self.tell_raw(name, _line(line, number if is_option else 0, self._me))):
                self.tell(name, line)
        if clickable and question.kind == "choice":
            skip = sentence("skip_button", self._language)
            self.tell_raw(name, [_button(skip, f"/msg {self._me} skip")])

    @property
    def may_tellraw(self) -> bool:
        """Whether the server lets the companion use /tellraw."""
        body = self._body()
        if body is None or not body.online:
            return False
        roots = root_names(body.link.latest("declare_commands"))
        return body.world.me.permission_level >= TELLRAW_LEVEL if roots is None else "tellraw" in roots

    @property
    def _me(self) -> str:
        body = self._body()
        return body.world.me.name if body is not None else ""

    @staticmethod
    def _front(name: str | None) -> int:
        return units(f"/msg {name} ")

    def _send(self, line: str, *, words_only: bool = False) -> bool:
        body = self._body()
        if body is None or not body.online:
            return False
        verdict = body.talk.say(line, words_only=words_only)
        if not verdict.ok:
            log.warning("could not say a line: %s", verdict.message)
        return verdict.ok


def _line(text: str, number: int, companion: str) -> list[Any]:
    """A line of a question; an option (numbered from 1) can be clicked."""
    if number == 0:
        return [{"text": text, "color": "gray"}]
    return [_button(text, f"/msg {companion} {number}")]


def _button(text: str, command: str) -> dict[str, Any]:
    # A click can't run /msg by itself: its words would have to be signed (vanilla 1.21.1). So it is typed for
    # the player, who presses Enter.
    click = {"action": "suggest_command", "value": command}
    return {"text": text, "color": "aqua", "clickEvent": click}
