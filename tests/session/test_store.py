"""Sessions of a person: ids, tokens, titles, which one is active, both shapes, and what damage does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from numen.session import (
    FileSession,
    LogInUse,
    People,
    SessionStore,
    UnknownSession,
    log_path,
    restore,
    titles,
)
from numen.session.importing import import_folder
from numen.session.shapes import from_openai, from_vertex, repair_vertex, to_openai, to_vertex

TALK: list[dict[str, Any]] = [
    {"role": "user", "content": "<query>make a stick</query>"},
    {
        "role": "assistant",
        "content": "",
        "calls": [{"id": "c1", "name": "craft", "arguments": '{"item_id": "stick"}'}],
    },
    {"role": "tool", "call_id": "c1", "name": "craft", "content": '{"success": true, "message": "done"}'},
    {"role": "assistant", "content": "Here it is."},
]


def ids(*given: str) -> Iterator[str]:
    yield from given
    for number in count():
        yield f"{number:04x}"


def store(data: Path, *given: str, companion: str = "Numen", **more: Any) -> SessionStore:
    clock, made = count(1_000), ids(*given)
    return SessionStore(
        data, "Steve", companion, now=lambda: float(next(clock)), make_id=lambda: next(made), **more
    )


def said(session: FileSession) -> list[str]:
    return [str(each["content"]) for each in restore(session.records()).messages]


# -- names


def test_an_id_is_four_hex_digits_and_free() -> None:
    taken = {"ab12"}
    made = iter(["AB12-…", "cd34ffff"])
    assert titles.new_id(taken, lambda: next(made)) == "cd34"
    with pytest.raises(OSError, match="no free session id"):
        titles.new_id({"ab12"}, lambda: "ab12")


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("New Session", "New-Session"),
        ("Build  a -- House!", "Build-a-House"),
        ("造一座房子", "session"),
        ("", "session"),
        (" - x - ", "x"),
        ("a" * 60, "a" * 48),
    ],
)
def test_a_slug_keeps_letters_digits_and_dashes(title: str, slug: str) -> None:
    assert titles.slug_of(title) == slug


@pytest.mark.parametrize(
    ("answer", "title"),
    [
        ('"A House"', "A House"),
        ("`A\nHouse`", "A House"),
        ("  ", ""),
        ("x" * 120, "x" * 100),
        ("'a' b'", "a' b"),
    ],
)
def test_a_models_title_is_cleaned(answer: str, title: str) -> None:
    assert titles.title_from_model(answer) == title


@pytest.mark.parametrize(
    ("prompt", "answer", "title"),
    [
        ("a\nb", "x", "a b"),
        ("p" * 90, "", "p" * 80),
        (" ", "the answer", "the answer"),
        ("", "", "New Session"),
    ],
)
def test_a_title_falls_back_to_the_first_words(prompt: str, answer: str, title: str) -> None:
    assert titles.fallback_title(prompt, answer) == title


@pytest.mark.parametrize(
    "ref", ["ab12", "AB12", "ab12-New-Session", "ab12-new-session", "ab12-whatever", " ab12 "]
)
def test_a_session_is_found_by_id_token_or_the_id_and_a_dash(tmp_path: Path, ref: str) -> None:
    here = store(tmp_path, "ab12")
    here.new()
    assert here.find(ref).id == "ab12"
    here.close()


@pytest.mark.parametrize("ref", ["ab1", "ab123", "", "New-Session"])
def test_anything_else_finds_nothing(tmp_path: Path, ref: str) -> None:
    here = store(tmp_path, "ab12")
    here.new()
    with pytest.raises(UnknownSession):
        here.find(ref)
    here.close()


# -- which one is active


def test_a_new_session_is_active_and_kept_so(tmp_path: Path) -> None:
    here = store(tmp_path, "ab12", "cd34")
    here.open().append({"type": "message", "message": TALK[0]})
    here.new()
    here.resume("ab12")
    here.close()

    again = store(tmp_path)
    assert said(again.open()) == [TALK[0]["content"]]
    assert json.loads((tmp_path / "sessions/Steve/active.json").read_text()) == {
        "activeSessionId": "ab12",
        "companions": {"Numen": "ab12"},
    }
    again.close()


@pytest.mark.parametrize("pointer", [None, '{"activeSessionId": "dead"}', "{", "[]"])
def test_without_a_good_pointer_the_newest_is_active(tmp_path: Path, pointer: str | None) -> None:
    here = store(tmp_path, "aaaa", "bbbb", "cccc")
    for _ in range(3):
        here.new()
    here.resume("aaaa")
    here.save(TALK)
    here.close()
    file = tmp_path / "sessions/Steve/active.json"
    if pointer is None:
        file.unlink()
    else:
        file.write_text(pointer)

    again = store(tmp_path)
    assert again.active is not None
    assert again.active.id == "aaaa"
    again.close()


def test_where_the_active_one_is_removed_the_newest_of_the_others_becomes_it(tmp_path: Path) -> None:
    here = store(tmp_path, "aaaa", "bbbb", "cccc")
    for _ in range(3):
        here.new()
    assert here.remove("cccc-New-Session").id == "cccc"
    assert here.active is not None
    assert here.active.id == "bbbb"
    here.remove("bbbb")
    here.remove("aaaa")
    assert here.active is None
    assert list((tmp_path / "sessions/Steve").iterdir()) == [tmp_path / "sessions/Steve/active.json"]
    here.open()
    assert here.active is not None, "the next words begin another"
    here.close()


def test_two_companions_of_one_person_keep_apart(tmp_path: Path) -> None:
    ada, ben = store(tmp_path, "aaaa", companion="Ada"), store(tmp_path, "bbbb", companion="Ben")
    ada.open()
    ben.open()
    assert [each.id for each in ada.all()] == ["aaaa"]
    with pytest.raises(UnknownSession):
        ben.resume("aaaa")
    ada.close()
    ben.close()
    again = store(tmp_path, companion="Ada")
    again.open()
    assert again.active is not None
    assert again.active.id == "aaaa"
    again.close()


def test_a_session_that_is_open_elsewhere_cannot_be_taken_up(tmp_path: Path) -> None:
    one, two = store(tmp_path, "aaaa"), store(tmp_path)
    one.open()
    with pytest.raises(LogInUse):
        two.open()
    one.close()


# -- what is written


@pytest.mark.parametrize(("shape", "field"), [("openai", "openAiHistory"), ("vertex", "vertexHistory")])
def test_a_session_file_has_mineclawds_fields(tmp_path: Path, shape: Any, field: str) -> None:
    here = store(tmp_path, "ab12", shape=shape)
    here.new()
    here.save(TALK)
    head = here.active
    assert head is not None
    here.entitle(head, "A Stick", TALK)
    here.close()

    whole = json.loads((tmp_path / "sessions/Steve/ab12.json").read_text())
    assert {key: whole[key] for key in ("id", "title", "titleSlug", "titleGenerated", "companion")} == {
        "id": "ab12",
        "title": "A Stick",
        "titleSlug": "A-Stick",
        "titleGenerated": True,
        "companion": "Numen",
    }
    assert whole["createdAt"] < whole["updatedAt"]
    histories = {key for key in ("openAiHistory", "vertexHistory") if whole[key]}
    assert histories == {field}


def test_both_shapes_come_back_as_they_went() -> None:
    assert from_openai(to_openai(TALK)) == TALK
    there = from_vertex(to_vertex(TALK))
    assert [each["role"] for each in there] == [each["role"] for each in TALK]
    assert [each["content"] for each in there] == [each["content"] for each in TALK]
    assert there[1]["calls"][0]["name"] == "craft"
    assert there[2]["call_id"] == there[1]["calls"][0]["id"]


def test_gemini_gets_all_results_of_a_round_in_one_turn_and_errors_marked() -> None:
    calls = [{"id": f"c{n}", "name": "dig", "arguments": "{}"} for n in range(2)]
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": "", "calls": calls},
        {"role": "tool", "call_id": "c0", "name": "dig", "content": "fine"},
        {"role": "tool", "call_id": "c1", "name": "dig", "content": "ERROR: no"},
    ]
    turns = to_vertex(messages)
    assert [each["role"] for each in turns] == ["user", "user", "model", "user"]
    assert [each["functionResponse"]["response"] for each in turns[-1]["parts"]] == [
        {"result": "fine", "is_error": False},
        {"result": "ERROR: no", "is_error": True},
    ]


def test_a_gemini_history_is_put_in_order() -> None:
    call = {"functionCall": {"name": "dig", "args": {}}}
    result = {"functionResponse": {"name": "dig", "response": {"result": "ok"}}}
    turns, changed = repair_vertex(
        [
            {"role": "user", "parts": [{"text": "go"}]},
            {"role": "user", "parts": [result]},
            {"role": "model", "parts": [call, call]},
            {"role": "user", "parts": [result]},
            "junk",
            {"role": "model", "parts": []},
        ]
    )
    assert [each["role"] for each in turns] == ["user", "model", "user"]
    assert len(turns[-1]["parts"]) == 2
    assert changed == 4
    assert repair_vertex(turns) == (turns, 0)


# -- sessions of MineClawd's, of an older Numen, and damaged ones


def mineclawd(folder: Path, name: str = "1a2b", **fields: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    session = {
        "id": name,
        "title": "Old Times",
        "createdAt": 5,
        "updatedAt": 9,
        "openAiHistory": [
            {"role": "system", "content": "You are MineClawd."},
            {"role": "user", "content": "hello"},
            {
                "role": "assistant",
                "content": None,
                "toolCalls": [{"id": "x", "name": "t", "arguments": "{}"}],
            },
            {"role": "tool", "content": "42", "toolCallId": "x"},
            {"role": "assistant", "content": "It is 42."},
        ],
        "vertexHistory": [],
        **fields,
    }
    path = folder / f"{name}.json"
    path.write_text(json.dumps(session, indent=2))
    return path


@pytest.mark.parametrize("shape", ["openai", "vertex"])
def test_a_session_of_mineclawds_goes_on(tmp_path: Path, shape: Any) -> None:
    path = mineclawd(tmp_path / "sessions/Steve")
    whole = path.read_text()
    here = store(tmp_path, shape=shape)
    session = here.open()
    assert said(session) == ["<query>hello</query>", "", "42", "It is 42."]
    assert here.active is not None
    assert (here.active.token, here.active.title_generated) == ("1a2b-Old-Times", True)
    assert here.continued_from == (None if shape == "openai" else "openai")
    here.save(restore(session.records()).messages)
    here.close()
    assert path.with_name("1a2b.json.before").read_text() == whole

    again = store(tmp_path, shape=shape)
    assert said(again.open())[-1] == "It is 42.", "the log is what counts from now on"
    assert again.continued_from is None
    again.close()


def test_the_conversation_of_an_older_numen_becomes_a_session(tmp_path: Path) -> None:
    old = log_path(tmp_path, "Numen")
    session = FileSession(old, companion="Numen")
    for message in TALK:
        session.append({"type": "message", "message": message})
    session.append({"type": "heard", "id": "a", "source": "owner", "text": "more", "at": 1.0})
    session.close()

    here = store(tmp_path, legacy=old)
    assert said(here.open()) == [each["content"] for each in TALK]
    assert [each["text"] for each in restore(here.open().records()).pending] == ["more"]
    assert here.active is not None
    assert here.active.title == "make a stick"
    assert not old.exists()
    here.close()
    again = store(tmp_path, legacy=old)
    again.open()
    assert len(again.all()) == 1
    again.close()


def test_a_damaged_head_is_set_aside_and_made_anew_from_the_log(tmp_path: Path) -> None:
    here = store(tmp_path, "ab12")
    here.open().append({"type": "message", "message": TALK[0]})
    here.close()
    head = tmp_path / "sessions/Steve/ab12.json"
    head.write_text('{"id": "ab1')

    again = store(tmp_path)
    assert said(again.open()) == [TALK[0]["content"]]
    assert again.active is not None
    assert again.active.title == "make a stick"
    assert head.with_name("ab12.json.damaged").read_text() == '{"id": "ab1'
    assert "damaged" in again.report[0]
    again.close()


def test_a_mineclawd_folder_is_taken_over_and_nothing_overwritten(tmp_path: Path) -> None:
    uuid = str(uuid4())
    source = tmp_path / "game"
    mineclawd(source / "mineclawd/sessions" / uuid)
    mineclawd(source / "mineclawd/sessions" / uuid, "ffff", createdAt=1)
    (source / "mineclawd/sessions" / uuid / "active.json").write_text('{"activeSessionId": "1a2b"}')
    (source / "mineclawd/sessions" / uuid / "bad1.json").write_text("{")
    (source / "mineclawd/assets").mkdir()
    (source / "mineclawd/assets" / f"{uuid}.json").write_text('{"assets": []}')
    (source / "mineclawd/souls/.active").mkdir(parents=True)
    (source / "mineclawd/souls/cat.md").write_text("meow")
    (source / "mineclawd/souls/.active" / f"{uuid}.txt").write_text("cat\n")
    data = tmp_path / "data"
    mineclawd(data / "sessions" / uuid, "ffff", createdAt=77)

    done = import_folder(source, People(data), tmp_path / "souls")

    assert (done.sessions, done.others, len(done.problems)) == (2, 3, 1)
    here = SessionStore(data, uuid, "Numen")
    assert len(here.all()) == 3
    here.open()
    assert here.active is not None
    assert here.active.id == "1a2b"
    here.close()
    assert (tmp_path / "souls/cat.md").read_text() == "meow"
    assert import_folder(source, People(data), tmp_path / "souls").others == 0
    with pytest.raises(FileNotFoundError):
        import_folder(tmp_path / "nowhere", People(data))
