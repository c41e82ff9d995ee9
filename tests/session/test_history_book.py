"""A conversation as a written book: its pages, and the ways to hand it over."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from numen.session.history_book import (
    Entry,
    entries_of,
    give_commands,
    page_lines,
    pages_of,
    to_text,
    write_book,
)

AT = 1_772_000_000_000


def pages(entries: list[Entry], **options: str) -> list[str]:
    return pages_of(entries, companion="Numen", token="ab12-house", updated_at=AT, **options)  # type: ignore[arg-type]


def test_only_what_was_visibly_said_is_in_it() -> None:
    messages = [
        {"role": "system", "content": "rules"},
        {"role": "user", "content": '<event kind="chat">Eve says: <query>op me</query></event>'},
        {"role": "user", "content": "<query>hello</query>\n<state hp='20'/>"},
        {"role": "assistant", "content": "<think>hm</think>", "calls": [{"name": "x"}]},
        {"role": "tool", "content": "result"},
        {"role": "assistant", "content": "<think>so</think>Hi!"},
        {"role": "user", "content": '<query age="2 min">one</query>\n<query>two</query>'},
        {"role": "assistant", "content": None},
        {"role": "assistant", "content": "   "},
        {"role": "user", "content": "plain words of an older kind"},
    ]
    assert entries_of(messages) == [
        Entry(True, "hello"),
        Entry(False, "Hi!"),
        Entry(True, "one"),
        Entry(True, "two"),
        Entry(True, "plain words of an older kind"),
    ]


def test_a_title_page_stands_before_the_sections() -> None:
    title, *rest = pages([Entry(True, "build me a house"), Entry(False, "Where?")])
    assert title == "Conversation\n\nab12-house\nLast words: 2026-02-25 06:13 UTC\nEntries: 2"
    assert rest == ["You:\nbuild me a house", "Numen:\nWhere?"]


def test_it_speaks_chinese() -> None:
    title, *rest = pages([Entry(True, "盖房子"), Entry(False, "好")], language="zh")
    assert title.startswith("对话")
    assert rest == ["你：\n盖房子", "Numen：\n好"]


def test_a_long_entry_goes_on_over_pages_of_900_characters_and_loses_nothing() -> None:
    text = " ".join(f"word{number}" for number in range(1000)) + "y" * 2000
    _, *rest = pages([Entry(False, text)])
    assert all(len(page) <= 900 and page.startswith("Numen:\n") for page in rest)
    said = "".join(page.removeprefix("Numen:\n") for page in rest)
    assert "".join(said.split()) == "".join(text.split())


def test_the_newest_300_entries_stand_in_it() -> None:
    short = pages([Entry(True, f"entry {number}.") for number in range(305)])
    assert "Entries: 305" in short[0]
    assert "5 older entries are left out." in short[0]
    assert short[1] == "You:\nentry 5."


def test_it_has_100_pages_and_the_last_says_what_is_missing() -> None:
    book = pages([Entry(True, "x")] * 99)
    assert len(book) == 100
    assert book[-1] == "You:\nx"
    book = pages([Entry(True, "x")] * 100)
    assert len(book) == 100
    assert "does not fit" in book[-1]


def test_nothing_said_yet_is_said() -> None:
    assert pages([])[1] == "Nothing has been said yet."


def test_it_is_written_under_the_books(tmp_path: Path) -> None:
    path = write_book(tmp_path, "ab12-../../x", pages([Entry(True, "hi")]))
    assert path.parent == tmp_path / "books"
    assert path.read_text(encoding="utf-8") == to_text(pages([Entry(True, "hi")]))


def test_a_page_goes_into_the_chat_by_lines() -> None:
    book = pages([Entry(True, "one two " * 60 + "\n" + "z" * 500)])
    lines = page_lines(book, 2)
    assert lines[0] == "[2/3]"
    assert lines[1] == "You:"
    assert all(0 < len(line) <= 240 for line in lines)
    for number in (0, 4, -1):
        with pytest.raises(IndexError, match="1 to 3"):
            page_lines(book, number)


# As an item


CONTENT = re.compile(
    r"give \S+ minecraft:written_book\[minecraft:written_book_content="
    r"\{title:(.*),author:(.*),pages:\[(.*)\]\}\]"
)


def read_strings(text: str) -> list[str]:
    """The quoted strings of a list of SNBT, unescaped as the game does."""
    return [re.sub(r"\\(.)", r"\1", each) for each in re.findall(r"'((?:[^'\\]|\\.)*)'", text)]


def content(command: str) -> tuple[str, str, list[str]]:
    found = CONTENT.fullmatch(command)
    assert found is not None, command[:200]
    (title,), (author,) = read_strings(found[1]), read_strings(found[2])
    return title, author, [json.loads(each) for each in read_strings(found[3])]


NASTY = "it's \"quoted\" \\back\\slash {x:1} [y], 'z'\nnew line 日本 😀 §c"


def test_the_command_gives_the_pages_as_they_are() -> None:
    book = [NASTY, "second"]
    (command,) = give_commands("Steve", book, title="Bob's talk", author="Numen")
    title, author, read = content(command)

    assert (title, author) == ("Bob's talk", "Numen")
    assert read == [NASTY.replace("§", ""), "second"]
    assert "\n" not in command
    assert "§" not in command


def test_a_long_conversation_takes_several_books_each_within_a_command() -> None:
    book = pages([Entry(True, 'it\'s \\ "x" 😀 ' * 60)] * 120)
    commands = give_commands("Steve", book, title="t" * 50, author="a" * 30)

    assert len(commands) > 2
    assert all(len(each.encode("utf-16-le")) // 2 <= 32_767 for each in commands)
    read = [content(each) for each in commands]
    assert [page for _, _, part in read for page in part] == [page.strip() for page in book]
    assert [title for title, _, _ in read] == [
        "t" * (32 - len(f" {n}/{len(commands)}")) + f" {n}/{len(commands)}"
        for n in range(1, len(commands) + 1)
    ]
    assert all(len(author) == 16 for _, author, _ in read)


@pytest.mark.parametrize("player", ["@a", "Steve diamond", "", "x" * 17])
def test_no_command_hides_in_a_players_name(player: str) -> None:
    with pytest.raises(ValueError, match="no player"):
        give_commands(player, ["x"], title="t", author="a")


def test_a_page_that_fits_nowhere_is_refused() -> None:
    with pytest.raises(ValueError, match="does not fit"):
        give_commands("Steve", ["x" * 900], title="t", author="a", limit=300)
