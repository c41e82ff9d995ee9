"""A conversation as a written book: its pages, and the ways to hand it over.

A page has about 900 characters, a book 100 pages (vanilla 1.21.1); what is older than 300 entries is left
out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal

from numen.session.files import write_text

PAGE: Final = 900
MAX_PAGES: Final = 100
MAX_ENTRIES: Final = 300
#: A command packet holds a string of this many characters (vanilla 1.21.1).
MAX_COMMAND: Final = 32_767
MAX_TITLE: Final = 32
MAX_AUTHOR: Final = 16

Language = Literal["en", "zh"]

_WORDS: Final[Mapping[Language, Mapping[str, str]]] = {
    "en": {
        "title": "Conversation",
        "updated": "Last words: {when}",
        "entries": "Entries: {count}",
        "you": "You:",
        "them": "{name}:",
        "cut": "The rest does not fit into a book. Older pages are kept in the session itself.",
        "older": "{count} older entries are left out.",
        "empty": "Nothing has been said yet.",
    },
    "zh": {
        "title": "对话",
        "updated": "最后更新：{when}",
        "entries": "条目：{count}",
        "you": "你：",
        "them": "{name}：",
        "cut": "其余内容超出一本书的篇幅，仍保存在会话里。",
        "older": "更早的 {count} 条已略去。",
        "empty": "还没有说过话。",
    },
}
_QUERY: Final = re.compile(r"<query\b[^>]{0,100}>(.*?)</query>", re.S)
_EVENT: Final = re.compile(r"<event\b[^>]{0,1000}>.*?</event>", re.S)
_THOUGHT: Final = re.compile(r"<think>.*?(</think>|\Z)", re.S)


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing said: by the person, or by the companion."""

    yours: bool
    text: str


def entries_of(messages: Iterable[Mapping[str, Any]]) -> list[Entry]:
    """What was visibly said in the messages of a log, oldest first: a person's words and a companion's
    answers, without events, results, calls and thoughts."""
    found: list[Entry] = []
    for message in messages:
        content = message.get("content")
        if not isinstance(content, str):
            continue
        if message.get("role") == "user":
            wrapped = [part.strip() for part in _QUERY.findall(_EVENT.sub("", content))]
            said = wrapped if wrapped or content.lstrip().startswith("<") else [content.strip()]
            found += [Entry(True, each) for each in said if each]
        elif message.get("role") == "assistant":
            text = _THOUGHT.sub("", content).strip()
            if text:
                found.append(Entry(False, text))
    return found


def pages_of(
    entries: Sequence[Entry],
    *,
    companion: str,
    token: str,
    updated_at: int,
    language: Language = "en",
) -> list[str]:
    """The pages, a title page first. `updated_at` is in milliseconds since 1970, shown in UTC.

    Of more than 300 entries the newest stand here; of more than 100 pages the last says that some are
    missing.
    """
    words = _WORDS[language]
    shown = entries[-MAX_ENTRIES:]
    when = datetime.fromtimestamp(updated_at / 1000, UTC).strftime("%Y-%m-%d %H:%M UTC")
    head = [
        words["title"],
        "",
        token,
        words["updated"].format(when=when),
        words["entries"].format(count=len(entries)),
    ]
    if len(shown) < len(entries):
        head.append(words["older"].format(count=len(entries) - len(shown)))
    pages = ["\n".join(head)]
    for entry in shown:
        speaker = words["you"] if entry.yours else words["them"].format(name=companion)
        pages += _section(speaker, _clean(entry.text))
    if len(pages) == 1:
        pages.append(words["empty"])
    if len(pages) > MAX_PAGES:
        pages = [*pages[: MAX_PAGES - 1], words["cut"]]
    return pages


def to_text(pages: Sequence[str]) -> str:
    """The pages as a plain text for a file, numbered."""
    return "\n".join(f"--- {number} ---\n{page}\n" for number, page in enumerate(pages, 1))


def write_book(folder: Path, token: str, pages: Sequence[str]) -> Path:
    """Write the pages to `books/<token>.txt` under the data folder; returns where. Raises OSError."""
    name = re.sub(r"[^A-Za-z0-9._-]", "_", token).strip(".") or "session"
    path = folder / "books" / f"{name[:80]}.txt"
    write_text(path, to_text(pages))
    return path


def page_lines(pages: Sequence[str], number: int, width: int = 240) -> list[str]:
    """Page `number` (from 1) as lines for the chat, each of at most `width` characters, the place in the book
    first. Raises IndexError where there is no such page."""
    if not 1 <= number <= len(pages):
        raise IndexError(f"the book has pages 1 to {len(pages)}")
    lines = [f"[{number}/{len(pages)}]"]
    for line in pages[number - 1].split("\n"):
        rest = line.strip()
        while rest:
            cut = len(rest) if len(rest) <= width else max(rest.rfind(" ", 1, width), 0) or width
            lines.append(rest[:cut].rstrip())
            rest = rest[cut:].lstrip()
    return lines


def give_commands(
    player: str,
    pages: Sequence[str],
    *,
    title: str,
    author: str,
    limit: int = MAX_COMMAND,
) -> list[str]:
    """Commands (without slash) that give `player` the pages as written books, as many books as the length of
    a command asks for. Raises ValueError for no player's name, or a `limit` too small for a page."""
    if not re.fullmatch(r"[A-Za-z0-9_]{1,16}|@s", player):
        raise ValueError(f"{player!r} is no player's name")
    written = [_quoted(json.dumps(_clean(page), ensure_ascii=False)) for page in pages]
    # The longest number that a title can end in is reckoned with from the start.
    room = limit - _units(_command(player, (), title, author, f" {len(pages)}/{len(pages)}"))
    books: list[list[str]] = [[]]
    used = 0
    for page in written:
        size = _units(page) + 1
        if size > room:
            raise ValueError(f"a page does not fit into {limit} characters")
        if books[-1] and used + size > room:
            books.append([])
            used = 0
        books[-1].append(page)
        used += size
    if len(books) == 1:
        return [_command(player, books[0], title, author)]
    return [
        _command(player, book, title, author, f" {number}/{len(books)}")
        for number, book in enumerate(books, 1)
    ]


def _command(player: str, pages: Sequence[str], title: str, author: str, number: str = "") -> str:
    name = _quoted(_one_line(title)[: MAX_TITLE - len(number)] + number)
    by = _quoted(_one_line(author)[:MAX_AUTHOR])
    return (
        f"give {player} minecraft:written_book[minecraft:written_book_content="
        f"{{title:{name},author:{by},pages:[{','.join(pages)}]}}]"
    )


def _section(speaker: str, text: str) -> list[str]:
    """An entry on pages of its own, each headed by who speaks."""
    pages = []
    room = PAGE - len(speaker) - 1
    rest = text
    while rest:
        cut = len(rest)
        if cut > room:
            breaks = (rest.rfind("\n", room // 2, room), rest.rfind(" ", room // 2, room))
            cut = next((each for each in breaks if each > 0), room)
        pages.append(f"{speaker}\n{rest[:cut].rstrip()}")
        rest = rest[cut:].lstrip()
    return pages


def _clean(text: str) -> str:
    """Without what a client would be kicked for, or the game would take for formatting."""
    kept = (
        sign for sign in text.replace("\r\n", "\n") if sign == "\n" or (sign.isprintable() and sign != "§")
    )
    return "".join(kept).strip()


def _one_line(text: str) -> str:
    return " ".join(_clean(text.replace("\n", " ")).split())


def _quoted(text: str) -> str:
    """`text` as a string of SNBT."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _units(text: str) -> int:
    """The length as the game counts it, in units of UTF-16."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
