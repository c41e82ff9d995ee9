"""Notes are files that a companion writes and its owner may edit."""

from __future__ import annotations

from pathlib import Path

import pytest

from numen.session import Notebook, NoteError


def test_a_note_is_kept_read_listed_replaced_and_forgotten(tmp_path: Path) -> None:
    book = Notebook(tmp_path / "notes")
    assert book.index() == ""

    book.write("Home Sweet Home!", "world", "where we  live", "At (1, 64, 2).\nTwo chests.")
    book.write("likes", "owner", "Steve likes oak")

    assert book.index() == (
        "<notes>\n- home-sweet-home (world): where we live\n- likes (owner): Steve likes oak\n</notes>"
    )
    assert Notebook(tmp_path / "notes").read("Home Sweet Home!").text == "At (1, 64, 2).\nTwo chests."
    book.write("likes", "owner", "Steve likes birch")
    assert "birch" in book.index()
    assert book.forget("likes").name == "likes"
    assert "likes" not in book.index()
    assert [each.name for each in (tmp_path / "notes").iterdir()] == ["home-sweet-home.md"]


def test_what_the_owner_writes_into_the_folder_counts(tmp_path: Path) -> None:
    book = Notebook(tmp_path)
    book.write("home", "world", "old")
    (tmp_path / "home.md").write_text("---\nname: home\ntype: world\ndescription: moved\n---\nnew", "utf-8")
    (tmp_path / "plain words.md").write_text("Never dig down.\nReally.", "utf-8")
    (tmp_path / "odd.md").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "empty.md").write_text("", "utf-8")

    assert book.index().split("\n")[1:-1] == [
        "- home (world): moved",
        "- plain-words (world): Never dig down.",
    ]
    book.write("plain-words", "lesson", "dig no holes")
    assert sorted(each.name for each in tmp_path.glob("*.md")) == [
        "empty.md",
        "home.md",
        "odd.md",
        "plain words.md",
    ]


@pytest.mark.parametrize(
    ("note", "message"),
    [
        (("../../etc", "world", ""), "one line"),
        (("...", "world", "x"), "needs a name"),
        (("a", "secret", "x"), "one of owner, world, lesson"),
        (("a", "world", "x" * 201), "200 characters"),
        (("a", "world", "x", "y" * 8_001), "split it"),
    ],
)
def test_a_note_that_cannot_be_kept_says_why(tmp_path: Path, note: tuple[str, ...], message: str) -> None:
    with pytest.raises(NoteError, match=message):
        Notebook(tmp_path).write(*note)


def test_a_name_cannot_lead_out_of_the_folder(tmp_path: Path) -> None:
    book = Notebook(tmp_path / "notes")
    book.write("../../evil", "world", "x")

    assert [each.relative_to(tmp_path).as_posix() for each in tmp_path.rglob("*.md")] == ["notes/evil.md"]


def test_an_unknown_note_names_those_there_are(tmp_path: Path) -> None:
    book = Notebook(tmp_path)
    with pytest.raises(NoteError, match="there are: none"):
        book.read("home")
    book.write("home", "world", "x")
    with pytest.raises(NoteError, match="there are: home"):
        book.forget("house")


def test_there_is_a_most_of_notes(tmp_path: Path) -> None:
    book = Notebook(tmp_path)
    for number in range(100):
        book.write(f"n{number}", "world", "x")
    with pytest.raises(NoteError, match="forget one first"):
        book.write("one-more", "world", "x")
    book.write("n3", "world", "replacing is fine")
