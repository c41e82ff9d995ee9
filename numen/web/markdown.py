"""HTML as Markdown that a model can read, and the parts of a long text worth showing.

Imports nothing of ours: it also runs as a process of its own.
"""

from __future__ import annotations

import html
import json
import re
import sys
from typing import Final

SOURCE_LIMIT: Final = 120_000
SHOWN_WHOLE: Final = 3_500
CHUNK: Final = 1_200
BEST: Final = 3

#: More tags than this are not turned into a tree: it would take seconds, and no page for people has them.
MAX_TAGS: Final = 40_000
#: Nesting deeper than this is not followed: the conversion recurses.
MAX_DEPTH: Final = 150

_UNSEEN: Final = ("script", "style", "noscript", "template", "svg", "iframe", "object", "head", "title")
# Every pattern stops at the next "<" or at the end: a page made to be slow stays linear.
_SCRIPTS: Final = re.compile(
    r"<(script|style|noscript|template|svg|head|title)\b[^<>]{0,2000}>.*?(</\1\s*>|\Z)", re.I | re.S
)
_COMMENT: Final = re.compile(r"<!--.*?(-->|\Z)", re.S)
_TAG: Final = re.compile(r"<[^<>]{0,2000}>")
_BREAK: Final = re.compile(r"</?(p|div|br|li|tr|h[1-6]|section|article|table|ul|ol)\b[^<>]{0,2000}>", re.I)
_TITLE: Final = re.compile(r"<title\b[^<>]{0,200}>([^<]{0,2000})</title", re.I)


def to_markdown(source: str) -> tuple[str, str]:
    """(title, Markdown) of an HTML page. Falls back to its bare text for what is no tree to walk.

    Takes seconds for a large page, and holds the interpreter for parts of them.
    """
    title = _title(source)
    body = _COMMENT.sub("", _SCRIPTS.sub("", source))
    if body.count("<") <= MAX_TAGS:
        try:
            return title, tidy(_converted(body))
        except (RecursionError, ValueError, AssertionError):
            pass
    return title, tidy(bare_text(body))


def bare_text(source: str) -> str:
    """The words of an HTML page without its tags."""
    return html.unescape(_TAG.sub("", _BREAK.sub("\n", source)))


def tidy(text: str) -> str:
    """Without blanks at line ends and without more than one empty line in a row."""
    lines = [line.rstrip() for line in text.splitlines()]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def looks_like_html(text: str) -> bool:
    """Whether a body of unknown type begins as a page does."""
    start = text[:1000].lstrip().lower()
    return start.startswith(("<!doctype html", "<html", "<head", "<body")) or "<html" in start


def chunks(text: str, size: int = CHUNK) -> list[str]:
    """`text` in pieces of about `size` characters, broken between paragraphs where there are any."""
    pieces: list[str] = []
    current = ""
    for paragraph in re.split(r"\n\s*\n", text):
        paragraph = paragraph.strip("\n")
        if not paragraph.strip():
            continue
        if current and len(current) + len(paragraph) + 2 > size:
            pieces.append(current)
            current = ""
        current = f"{current}\n\n{paragraph}" if current else paragraph
        while len(current) > size:
            cut = max(current.rfind("\n", size // 2, size), current.rfind(" ", size // 2, size))
            cut = cut if cut > 0 else size
            pieces.append(current[:cut].rstrip())
            current = current[cut:].lstrip()
    if current:
        pieces.append(current)
    return pieces


def excerpt(text: str, about: str = "overview") -> str:
    """`text` whole when it is short, else the three chunks that say most about `about`, in their order.

    A chunk scores how often it has each word of `about`, and 4 more when it has over 800 characters; the
    earlier of equals is shown.
    """
    text = text[:SOURCE_LIMIT]
    if len(text) <= SHOWN_WHOLE:
        return text
    words = [word for word in re.findall(r"\w+", about.casefold()) if word] or ["overview"]
    pieces = chunks(text)

    def score(piece: str) -> int:
        folded = piece.casefold()
        return sum(folded.count(word) for word in words) + (4 if len(piece) > 800 else 0)

    ranked = sorted(range(len(pieces)), key=lambda at: (-score(pieces[at]), at))[:BEST]
    return "\n\n[…]\n\n".join(pieces[at] for at in sorted(ranked))


def _title(source: str) -> str:
    found = _TITLE.search(source)
    return " ".join(html.unescape(found[1]).split())[:300] if found else ""


def _converted(source: str) -> str:
    from bs4 import BeautifulSoup
    from markdownify import MarkdownConverter

    tree = BeautifulSoup(source, "html.parser")
    deepest = 0
    depth: dict[int, int] = {id(tree): 0}
    for tag in tree.find_all(True):
        own = depth.get(id(tag.parent), 0) + 1
        depth[id(tag)] = own
        deepest = max(deepest, own)
    if deepest > MAX_DEPTH:
        raise ValueError("nested too deeply")
    for tag in tree.find_all(_UNSEEN):
        tag.decompose()
    converter = MarkdownConverter(heading_style="ATX", bullets="-", strip=["img"])
    converted: str = converter.convert_soup(tree)
    return converted


def _as_process() -> None:
    """A page on standard input, [title, Markdown] as JSON on standard output."""
    title, text = to_markdown(sys.stdin.buffer.read().decode("utf-8", "replace"))
    json.dump([title, text[: 2 * SOURCE_LIMIT]], sys.stdout)


if __name__ == "__main__":
    _as_process()
