"""Text components as the server writes them."""

from __future__ import annotations

from typing import Any

Component = dict[str, Any]


def plain(words: str, colour: str | None = None) -> Component:
    """Words that are shown as they are."""
    component: Component = {"text": words}
    if colour:
        component["color"] = colour
    return component


def translated(key: str, *arguments: Any) -> Component:
    """A sentence of the game, shown in the reader's language. Arguments are components or plain words."""
    component: Component = {"translate": key}
    if arguments:
        component["with"] = [each if isinstance(each, dict) else plain(str(each)) for each in arguments]
    return component
