"""Whose words, other than the person's own, a conversation holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from numen.session import Record
from numen.session.assets import MADE_AMONG_OTHERS
from numen.tool import ToolRegistry
from numen.tool.trust import HEARSAY

MARKS = (MADE_AMONG_OTHERS, HEARSAY)
CHAT = '<event kind="chat"'


def foreign_in(records: Iterable[Record], registry: ToolRegistry) -> list[str]:
    """Where other people's words have come into the conversation that a log holds, told once each.

    All that was ever said counts, as a summary may carry it on: chat of others, results of tools that are
    marked `untrusted`, and those of tools that nobody knows any more.
    """
    known = {tool.name: registry.untrusted(tool) for tool in registry}
    found: dict[str, None] = {}
    for message in _messages(records):
        content = message.get("content")
        match message.get("role"):
            case "user" if isinstance(content, str) and (CHAT in content or MADE_AMONG_OTHERS in content):
                chat = CHAT in content
                found["what others said in chat" if chat else "notes made while others spoke"] = None
            case "tool":
                name = str(message.get("name"))
                # Records of assets and answers of the server tell that they may hold words of others.
                marked = isinstance(content, str) and any(each in content for each in MARKS)
                if known.get(name, True) or marked:
                    found[f"what {name} returned"] = None
    return list(found)


def _messages(records: Iterable[Record]) -> Iterator[Mapping[str, Any]]:
    for record in records:
        each = [record.get("message")] if record.get("type") == "message" else record.get("messages")
        yield from (item for item in each or () if isinstance(item, Mapping))
