"""What others have written into the world: signs, names, books. It is theirs, and taints the conversation."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Final

from pydantic import Field

from numen.rules.items import ItemStack
from numen.tool import ToolContext, ToolFailure, tool
from numen.tool.trust import HEARSAY, trust_of
from protocol.text import parse_json, plain_text
from tools.support import present

#: A name that an account can have; anything else as a being's name is somebody's text.
ACCOUNT: Final = re.compile(r"[A-Za-z0-9_]{1,16}")
MAX_LINE: Final = 400
PAGES: Final = 10
MAX_PAGE: Final = 2_000

BOOKS: Final = ("written_book_content", "writable_book_content")


def hearsay(context: ToolContext, source: str) -> str:
    """Note that words of `source` go into the conversation; returns what marks them there."""
    trust_of(context.services).taint(source)
    return HEARSAY


def sign_text(data: Mapping[str, Any]) -> dict[str, list[str]]:
    """What stands on a sign, by side, from the tag of its block entity (vanilla 1.21.1: each line is a
    component as JSON text). Empty for an empty sign, and for what is none."""
    found = {}
    for side in ("front", "back"):
        text = data.get(f"{side}_text")
        lines = text.get("messages") if isinstance(text, Mapping) else None
        if isinstance(lines, list):
            read = [_line(each) for each in lines[:4]]
            if any(read):
                found[side] = read
    return found


def _line(message: Any) -> str:
    component = parse_json(message) if isinstance(message, str) else message
    return " ".join(plain_text(component).split())[:MAX_LINE]


@tool(untrusted=True)
def read_book(
    context: ToolContext, item_id: str = "", page: Annotated[int, Field(ge=1, le=100)] = 1
) -> dict[str, Any]:
    """Read a book that you carry, ten pages at a time.

    Args:
        item_id: written_book or writable_book; without it the first that you carry, the one in hand before.
        page: The page to begin with.
    """
    body = present(context)
    inventory = body.world.inventory
    wanted = item_id.strip().removeprefix("minecraft:")
    carried = [inventory.held, *inventory.slots]
    for stack in carried:
        name = stack.name.removeprefix("minecraft:") if stack is not None else ""
        if stack is not None and name in ("written_book", "writable_book") and wanted in ("", name):
            return _book(stack, page)
    raise ToolFailure("I carry no book that is written in")


def _book(stack: ItemStack, first: int) -> dict[str, Any]:
    content: Mapping[str, Any] = next(
        (each["data"] for each in stack.components if each.get("type") in BOOKS), {}
    )
    pages = [_page(each) for each in content.get("pages", ())]
    told: dict[str, Any] = {"item": stack.name, "pages_total": len(pages)}
    for key, name in (("rawTitle", "title"), ("author", "author")):
        if content.get(key):
            told[name] = str(content[key])[:MAX_LINE]
    told["pages"] = pages[first - 1 : first - 1 + PAGES]
    return told


def _page(page: Any) -> str:
    content = page.get("content") if isinstance(page, Mapping) else page
    return plain_text(content)[:MAX_PAGE]


def is_foreign_name(name: str | None) -> bool:
    """Whether a being's name is a text that somebody gave it, and not an account's or a kind's."""
    return bool(name) and ACCOUNT.fullmatch(str(name)) is None
