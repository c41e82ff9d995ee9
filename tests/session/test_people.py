"""Whose things lie where, who may ask, and which soul speaks."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from uuid import UUID, uuid3, uuid4

import pytest

from numen.session import CONSOLE, Access, People, Person, Souls, UnknownSoul, owner_key

STEVE, ALEX = uuid4(), uuid4()


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("Steve", "Steve"),
        ("a/b c", "a_b_c"),
        ("../../etc", ".._.._etc"),
        ("..", "__"),
        ("", "unknown"),
        ("  ", "unknown"),
        ("史蒂夫", "___"),
        ("a.b-c_d", "a.b-c_d"),
    ],
)
def test_a_key_holds_only_harmless_signs(text: str, key: str) -> None:
    assert owner_key(text) == key


def test_a_player_who_renames_keeps_everything(tmp_path: Path) -> None:
    (tmp_path / "sessions/Steve").mkdir(parents=True)
    people = People(tmp_path)
    assert people.key_of(Person("Steve")) == "Steve"
    assert people.key_of(Person("Steve", STEVE)) == "Steve", "known by name only until now"
    assert People(tmp_path).key_of(Person("Bob", STEVE)) == "Steve"
    assert People(tmp_path).key_of(Person("Bob")) == "Steve"
    assert People(tmp_path).key_of(Person("Steve", ALEX)) == str(ALEX), "who takes the name is somebody else"


def test_the_name_of_an_owner_belongs_to_the_account_that_bore_it(tmp_path: Path) -> None:
    people = People(tmp_path)
    access = Access(people, "Steve")
    assert access.is_owner(Person("steve", STEVE))
    people.key_of(Person("Steve", STEVE))
    assert access.is_owner(Person("Bob", STEVE))
    assert not access.is_owner(Person("Steve", ALEX))
    offline = uuid3(UUID(int=0), "OfflinePlayer:Steve")
    assert access.is_owner(Person("Steve", offline)), "an offline server has other numbers"


def test_who_may_ask(tmp_path: Path) -> None:
    ops = tmp_path / "ops.json"
    ops.write_text(
        json.dumps(
            [{"uuid": str(ALEX), "name": "Alex", "level": 4}, {"uuid": str(STEVE), "name": "S", "level": 1}]
        )
    )
    access = Access(People(tmp_path), "Owner", ["Friend", str(STEVE)], ops)
    assert access.may(CONSOLE)
    assert access.is_owner(CONSOLE)
    assert access.may(Person("owner"))
    assert access.may(Person("Friend", uuid4()))
    assert access.may(Person("Whoever", STEVE))
    assert access.may(Person("Renamed", ALEX)), "operators count by their number"
    assert not access.may(Person("Alex", uuid4()))
    assert not access.may(Person("Alex"))
    assert not access.may(Person("Eve", uuid4()))
    assert not Access(People(tmp_path), None).may(Person("Eve", uuid4()))


@pytest.mark.parametrize(
    "content", ["", "{", "[" * 50_000, "{}", '[{"uuid": 3}]', '[{"uuid": "x", "level": 4}]']
)
def test_a_broken_list_of_operators_lets_nobody_in(tmp_path: Path, content: str) -> None:
    (tmp_path / "ops.json").write_text(content)
    assert not Access(People(tmp_path), None, (), tmp_path / "ops.json").may(Person("Alex", ALEX))


def test_operators_are_read_again_when_the_file_changes(tmp_path: Path) -> None:
    access = Access(People(tmp_path), None, (), tmp_path / "ops.json")
    assert not access.may(Person("Alex", ALEX))
    (tmp_path / "ops.json").write_text(json.dumps([{"uuid": str(ALEX), "level": 2}]))
    assert access.may(Person("Alex", ALEX))
    (tmp_path / "ops.json").write_text("[]")
    assert not access.may(Person("Alex", ALEX))


def test_a_list_of_people_nested_without_end_is_damaged_like_any_other(tmp_path: Path) -> None:
    (tmp_path / "people.json").write_text('{"a":' * 50_000)
    assert People(tmp_path).key_of(Person("Steve")) == "Steve"
    assert (tmp_path / "people.json.damaged").exists()


def test_a_damaged_list_of_people_is_set_aside(tmp_path: Path) -> None:
    (tmp_path / "people.json").write_text("{nonsense")
    assert People(tmp_path).key_of(Person("Alex", ALEX)) == str(ALEX)
    assert (tmp_path / "people.json.damaged").read_text() == "{nonsense"


# -- souls


def test_the_bundled_souls_are_there() -> None:
    souls = Souls(None, Path("nowhere"))
    assert souls.names() == ["default", "orrin"]
    assert souls.text("default") == ""
    assert "Orrin" in souls.text("orrin")


def test_a_soul_is_chosen_by_each_person_whatever_the_case(tmp_path: Path) -> None:
    folder = tmp_path / "souls"
    folder.mkdir()
    (folder / "Zoe.md").write_text("\ufeffZ\n", encoding="utf-8")
    (folder / "orrin.md").write_text("another Orrin")
    souls = Souls(folder, tmp_path)
    assert souls.names() == ["default", "orrin", "Zoe"]
    assert souls.choose("Steve", "zOE") == "Zoe"
    assert (tmp_path / "souls/.active/Steve.txt").read_text() == "Zoe\n"
    assert (souls.chosen("Steve"), souls.chosen("Alex")) == ("Zoe", "default")
    assert (souls.text("Zoe"), souls.text("orrin")) == ("Z", "another Orrin")
    (folder / "Zoe.md").unlink()
    assert souls.chosen("Steve") == "default", "it is gone"


@pytest.mark.parametrize("name", ["../people", "souls/x", "", "nobody", "default.md"])
def test_a_name_that_is_no_soul_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UnknownSoul, match="there are: default, orrin"):
        Souls(tmp_path, tmp_path).choose("Steve", name)


def test_a_soul_that_cannot_be_read_is_the_default(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "bad.md").write_bytes(b"\xff\xfe\xfa")
    with caplog.at_level(logging.WARNING):
        assert Souls(tmp_path, tmp_path).text("bad") == ""
    assert "cannot be read" in caplog.text
