"""Text components to plain text.

A component comes as a bare string, a list, or a mapping, from NBT (everywhere in 767) or from JSON (status
and the login's refusal). Rendered is what a player would read, in English: `translate` with the game's own
texts and the component's `fallback`, scores, selectors, key bindings and NBT paths as far as the server has
filled them in. Colours and the old section signs go away.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from protocol.nbt import Nbt, NbtError

#: No server needs more; `with` may name an argument many times over and grow without bound.
MAX_PARTS = 4096

_SECTION = re.compile("§.?", re.DOTALL)
_PLACEHOLDER = re.compile(r"%(?:(\d+)\$)?([A-Za-z%]|$)")


def plain_text(component: Any) -> str:
    """What a player would read. Takes a component in any form, also an `Nbt`; never raises."""
    return _SECTION.sub("", "".join(_Renderer().parts(component)))


def parse_json(text: str) -> Any:
    """A component that travels as JSON text. What is no JSON is taken for plain text."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def translation_keys(component: Any) -> Iterator[str]:
    """The keys of all translations in a component, outermost first.

    They tell what a sentence is about without reading the sentence.
    """
    open_parts = [component]
    for _ in range(MAX_PARTS):
        if not open_parts:
            return
        part = _opened(open_parts.pop())
        if isinstance(part, Mapping):
            if isinstance(part.get("translate"), str):
                yield part["translate"]
            open_parts += [part.get("extra"), part.get("with")]
        elif isinstance(part, list):
            open_parts += reversed(part)


def _opened(component: Any) -> Any:
    if isinstance(component, Nbt):
        try:
            component = component.value
        except NbtError:
            return ""
    # Lists of mixed kinds travel as compounds, a bare item under an empty key.
    while isinstance(component, Mapping) and len(component) == 1 and "" in component:
        component = component[""]
    return component


class _Renderer:
    """Walks one component, for at most MAX_PARTS parts."""

    def __init__(self) -> None:
        self._left = MAX_PARTS

    def parts(self, component: Any, depth: int = 0) -> Iterator[str]:
        self._left -= 1
        if self._left < 0 or depth > 64:
            return
        component = _opened(component)
        if isinstance(component, str):
            yield component
        elif isinstance(component, bool):
            yield "true" if component else "false"
        elif isinstance(component, (int, float)):
            yield str(component)
        elif isinstance(component, list):
            for item in component:
                yield from self.parts(item, depth + 1)
        elif isinstance(component, Mapping):
            yield from self._content(component, depth)
            extra = _opened(component.get("extra"))
            if isinstance(extra, list):
                for item in extra:
                    yield from self.parts(item, depth + 1)

    def _content(self, component: Mapping[str, Any], depth: int) -> Iterator[str]:
        if "text" in component:
            yield _string(component["text"])
        elif "translate" in component:
            yield from self._translated(component, depth)
        elif "score" in component:
            score = component["score"]
            if isinstance(score, Mapping):
                yield _string(score.get("value", ""))
        elif "selector" in component:
            yield _string(component["selector"])
        elif "keybind" in component:
            key = _string(component["keybind"])
            yield _language().get(key, key)
        elif "nbt" in component:
            yield _string(component["nbt"])

    def _translated(self, component: Mapping[str, Any], depth: int) -> Iterator[str]:
        key = _string(component["translate"])
        pattern = _language().get(key)
        if pattern is None:
            pattern = _string(component.get("fallback", key))
        arguments = _opened(component.get("with"))
        if not isinstance(arguments, list):
            arguments = []
        pieces = _pieces(pattern, len(arguments))
        if pieces is None:
            yield pattern
            return
        for piece in pieces:
            if isinstance(piece, str):
                yield piece
            else:
                yield from self.parts(arguments[piece], depth + 1)


def _pieces(pattern: str, count: int) -> list[str | int] | None:
    """A pattern cut into texts and argument numbers; None where vanilla would show it raw.

    ``%s`` is the next argument, ``%2$s`` the second, ``%%`` a percent sign, and there is nothing else.
    """
    pieces: list[str | int] = []
    following = end = 0
    for match in _PLACEHOLDER.finditer(pattern):
        pieces.append(pattern[end : match.start()])
        end = match.end()
        number, letter = match.groups()
        if letter == "%" and number is None:
            pieces.append("%")
            continue
        if letter != "s":
            return None
        if number is None:
            index = following
            following += 1
        else:
            index = int(number) - 1
        if not 0 <= index < count:
            if index < 0:
                return None
            continue
        pieces.append(index)
    pieces.append(pattern[end:])
    return pieces


def _string(value: Any) -> str:
    value = _opened(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else str(value) if isinstance(value, (int, float)) else ""


def _language() -> Mapping[str, str]:
    from protocol.game import GAME

    return GAME.language
