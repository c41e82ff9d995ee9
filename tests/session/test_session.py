"""One suite for every kind of session, and what a file survives."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from numen.session import FileSession, LogInUse, MemorySession, Session, UnknownVersion, log_path, restore
from numen.session.record import Record


@pytest.fixture(params=["memory", "file"])
def session(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Session]:
    made: Session = (
        MemorySession() if request.param == "memory" else FileSession(tmp_path / "a" / "log.jsonl")
    )
    yield made
    made.close()


def user(text: str, *drains: str) -> Record:
    record: dict[str, object] = {"type": "message", "message": {"role": "user", "content": text}}
    return {**record, "drains": list(drains)} if drains else record


def heard(name: str, text: str = "hi") -> Record:
    return {"type": "heard", "id": name, "source": "owner", "text": text, "at": 1.0}


def test_records_come_back_in_order_as_they_were(session: Session) -> None:
    records = [
        heard("a", "你好\n\u2028\U0001f600"),
        user("x", "a"),
        {"type": "later kind", "n": [1, {"a": None}]},
    ]
    for each in records:
        session.append(each)

    assert session.records() == records


def test_clear_begins_anew(session: Session) -> None:
    session.append(user("x"))
    session.clear()
    session.append(user("y"))

    assert session.records() == [user("y")]


def test_restore_gives_messages_and_what_was_not_yet_told(session: Session) -> None:
    for each in (
        heard("a"),
        heard("b"),
        user("a told", "a"),
        {"type": "message", "message": {"role": "assistant", "content": "yes"}},
        heard("c"),
        heard("d"),
        {"type": "dropped", "ids": ["c"], "why": "stop"},
        {"type": "note", "text": "for people"},
        {"type": "unheard of"},
    ):
        session.append(each)

    restored = restore(session.records())

    assert [each["content"] for each in restored.messages] == ["a told", "yes"]
    assert [each["id"] for each in restored.pending] == ["b", "d"]


def test_a_compaction_replaces_what_came_before_and_leaves_the_inbox(session: Session) -> None:
    for each in (
        heard("a"),
        user("old"),
        {"type": "compact", "messages": [{"role": "user", "content": "summary"}]},
        user("new"),
    ):
        session.append(each)

    restored = restore(session.records())

    assert [each["content"] for each in restored.messages] == ["summary", "new"]
    assert len(restored.pending) == 1


def test_a_log_is_continued_after_reopening(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    for text in ("one", "two"):
        session = FileSession(path, companion="Numen", now=lambda: 12.0)
        session.append(user(text))
        session.close()

    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert lines == [{"numen_log": 1, "companion": "Numen", "begun": 12.0}, user("one"), user("two")]
    assert path.stat().st_mode & 0o077 == 0, "a conversation is nobody else's business"


def test_a_torn_last_line_is_dropped_and_reported(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    session = FileSession(path)
    session.append(user("kept"))
    session.close()
    with path.open("ab") as file:
        file.write(b'{"type":"message","message":{"role":"us')

    session = FileSession(path)
    session.append(user("next"))

    assert session.records() == [user("kept"), user("next")]
    assert "cut off" in session.report[0]
    session.close()
    again = FileSession(path)
    assert again.report == []
    again.close()


def test_a_last_line_that_lost_only_its_end_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    session = FileSession(path)
    session.append(user("a"))
    session.close()
    path.write_bytes(path.read_bytes().rstrip(b"\n"))

    session = FileSession(path)
    session.append(user("b"))

    assert session.records() == [user("a"), user("b")]
    session.close()


def test_a_damaged_line_in_the_middle_is_set_aside_not_lost(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    session = FileSession(path)
    for text in ("a", "b", "c"):
        session.append(user(text))
    session.close()
    lines = path.read_bytes().split(b"\n")
    lines[2] = b"\x00\xff garbage " + lines[2][5:]
    path.write_bytes(b"\n".join(lines))

    session = FileSession(path)

    assert session.records() == [user("a"), user("c")]
    assert "line 3 is damaged" in session.report[0]
    assert lines[2] in (tmp_path / "log.jsonl.damaged").read_bytes()
    session.close()


def test_a_log_without_a_header_is_still_read(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps(user("a")) + "\n")

    session = FileSession(path)

    assert session.records() == [user("a")]
    session.close()


def test_a_log_of_a_later_version_is_refused_untouched(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    content = '{"numen_log": 99}\n{"type": "new"}\n{"torn'
    path.write_text(content)

    with pytest.raises(UnknownVersion, match="later Numen"):
        FileSession(path)

    assert path.read_text() == content


def test_two_processes_cannot_write_one_log(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    session = FileSession(path)

    with pytest.raises(LogInUse, match="is running"):
        FileSession(path)
    session.close()
    FileSession(path).close()


def test_a_killed_writer_loses_no_record_it_was_told_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    code = f"""
        import os, signal, sys
        from pathlib import Path
        from numen.session import FileSession
        session = FileSession(Path({str(path)!r}))
        for n in range(500):
            session.append({{"type": "note", "n": n, "pad": "x" * 1000}})
            print(n, flush=True)
            if n == 137:
                os.kill(os.getpid(), signal.SIGKILL)
    """
    found = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True)
    told = int(found.stdout.split()[-1])

    session = FileSession(path)

    assert [each["n"] for each in session.records()] == list(range(told + 1))
    assert session.report == []
    session.close()


@pytest.mark.parametrize(
    ("name", "file"), [("Numen", "Numen.jsonl"), ("../x", "___x.jsonl"), ("", "_.jsonl")]
)
def test_a_companions_name_cannot_lead_out_of_the_folder(tmp_path: Path, name: str, file: str) -> None:
    assert log_path(tmp_path, name) == tmp_path / "conversations" / file
