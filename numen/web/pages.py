"""A web page as the model sees it: where it came from, its title, and its text in bounds."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from typing import Final

from numen.web import markdown
from numen.web.bounds import FetchError, capped
from numen.web.fetcher import Fetcher, Page
from numen.web.markdown import SOURCE_LIMIT, excerpt, looks_like_html, to_markdown

#: Larger pages are converted in a process of their own: for a megabyte the conversion, and single expressions
#: in it, take so long that the body's clock would stumble, and a page can be made to take longer still.
SMALL: Final = 16_000
#: How long such a process may take, in seconds.
PATIENCE_S: Final = 15.0

_TEXT_TYPES = ("json", "xml", "javascript", "yaml", "toml", "x-sh", "x-httpd-php")


async def read_page(fetcher: Fetcher, url: str, about: str = "overview") -> str:
    """The page at `url`: the lines `source:`, `title:` where it has one, `mode:`, and its text or the best of
    it. Raises FetchError."""
    page = await fetcher.get(url)
    return await render_page(page, about)


async def render_page(page: Page, about: str = "overview") -> str:
    """As `read_page`, for a page that is there already. Raises FetchError for what is no text."""
    return await asyncio.to_thread(_render, page, about)


def _render(page: Page, about: str) -> str:
    text = page.text()
    title, mode = "", page.type
    if "html" in page.type or (
        page.type in ("text/plain", "application/octet-stream") and looks_like_html(text)
    ):
        title, text = _converted(text)
        mode = "markdown"
    elif "\x00" in text[:1000] or not (page.type.startswith("text/") or _is_text(page.type)):
        raise FetchError(f"{page.url} is {page.type}, which is no text to read")
    elif "json" in page.type:
        mode = "json"
    elif page.type in ("text/markdown", "text/x-markdown"):
        mode = "markdown"
    elif _is_json(text):
        mode = "json"
    text = text.strip()
    lines = [f"source: {page.url}"]
    if title:
        lines.append(f"title: {title}")
    lines.append(f"mode: {mode}")
    if not page.whole or len(text) > SOURCE_LIMIT:
        lines.append("note: the page is longer than what was read")
    body = excerpt(text, about) or "(the page has no text)"
    return capped("\n".join([*lines, "", body]))


def _converted(source: str) -> tuple[str, str]:
    """(title, Markdown) of a page. Raises FetchError for one that takes too long."""
    if len(source) <= SMALL:
        return to_markdown(source)
    command = [sys.executable, "-I", "-X", "utf8", markdown.__file__]
    try:
        done = subprocess.run(
            command, input=source.encode("utf-8", "replace"), capture_output=True, timeout=PATIENCE_S, env={}
        )
        title, text = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        raise FetchError("the page is too tangled to read") from None
    except (OSError, ValueError):
        # No process to be had: what can be read in a moment is better than nothing.
        return to_markdown(source[:SMALL])
    return str(title), str(text)


def _is_text(kind: str) -> bool:
    return any(word in kind for word in _TEXT_TYPES)


def _is_json(text: str) -> bool:
    start = text[:200].lstrip()
    if not start.startswith(("{", "[")) or len(text) > SOURCE_LIMIT:
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
