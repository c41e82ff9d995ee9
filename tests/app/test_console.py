"""What a person sees of a companion, line by line."""

from __future__ import annotations

import io

from numen.agent import events
from numen.companion import Away, ChatHeard, CompanionEvent, JobEnded, Joined
from numen.console import Console
from numen.messages import SENTENCES, language_of_the_machine
from numen.world.chat import ChatLine


def shown(*reports: CompanionEvent, language: str = "en", **options: bool) -> list[str]:
    out = io.StringIO()
    console = Console("zh" if language == "zh" else "en", out=out, colour=False, **options)
    for each in reports:
        console.report(each)
    return out.getvalue().splitlines()


def called(tool: str, **arguments: object) -> events.ToolCalled:
    return events.ToolCalled(companion="Numen", turn=1, call_id="c1", tool=tool, arguments=arguments)


def finished(outcome: str, message: str) -> events.ToolFinished:
    return events.ToolFinished(
        companion="Numen",
        turn=1,
        call_id="c1",
        tool="craft",
        outcome="ok" if outcome == "ok" else "failed",
        message=message,
        content=message,
        seconds=0.1,
    )


def test_a_call_and_its_verdict() -> None:
    lines = shown(
        called("craft", item_id="stick"), finished("ok", "Crafted 4x stick."), finished("failed", "No.")
    )

    assert lines == ['→ craft {"item_id": "stick"}', "  ✓ Crafted 4x stick.", "  ✗ No."]


def test_words_before_a_call_are_shown_as_thought_and_the_answer_once() -> None:
    lines = shown(
        events.TextDelta(companion="Numen", turn=1, text="Let me "),
        events.TextDelta(companion="Numen", turn=1, text="look."),
        called("look_around"),
        events.TextDelta(companion="Numen", turn=1, text="Done"),
        events.Answered(companion="Numen", turn=1, text="Done"),
    )

    assert lines == ["… Let me look.", "→ look_around ", "Numen: Done"]


def test_a_lost_server_is_told_with_what_comes_next() -> None:
    lines = shown(
        Joined(
            companion="Numen", address="a:1", place=(1, 2, 3), dimension="minecraft:overworld", again=False
        ),
        Away(companion="Numen", reason="The connection was lost.", retry_in_s=2.2),
        Joined(
            companion="Numen", address="a:1", place=(1, 2, 3), dimension="minecraft:overworld", again=True
        ),
        Away(companion="Numen", reason="You are banned.", retry_in_s=None),
    )

    assert lines == [
        "• Numen is in minecraft:overworld at (1, 2, 3) (a:1).",
        "• The connection was lost. Trying again in 2 s.",
        "• Numen is back at (1, 2, 3) (a:1).",
        "• Numen is gone: You are banned.",
    ]


def test_a_job_that_was_stopped_is_not_ticked_off() -> None:
    end = JobEnded(
        companion="Numen", task_id="t1", task="mine", status="stopped", message="Stopped.", seconds=3.04
    )

    assert shown(end) == ["  ✗ mine (t1) ended after 3.0 s: Stopped."]
    assert shown(end, language="zh") == ["  ✗ mine（t1）用时 3.0 秒：Stopped."]


def test_nobody_can_move_the_cursor_from_the_chat() -> None:
    line = ChatLine(text="x", kind="chat", sender="Eve", display="<Eve> \x1b[2J\x07hello\r\nworld")

    assert shown(ChatHeard(companion="Numen", line=line)) == ["<Eve> [2Jhelloworld"]


def test_a_long_result_is_cut_for_people() -> None:
    (line,) = shown(finished("ok", "x" * 1000))

    assert len(line) < 200
    assert line.endswith("…")


def test_several_companions_are_told_apart() -> None:
    assert shown(called("follow"), named=True) == ["Numen → follow "]


def test_both_languages_say_the_same_facts() -> None:
    import re

    for english, chinese in SENTENCES.values():
        assert set(re.findall(r"{(\w+)", english)) == set(re.findall(r"{(\w+)", chinese)) | (
            {"dimension", "name"} & set(re.findall(r"{(\w+)", english))
        )


def test_the_language_of_the_machine() -> None:
    assert language_of_the_machine({"LANG": "zh_CN.UTF-8"}) == "zh"
    assert language_of_the_machine({"LANG": "de_DE.UTF-8"}) == "en"
    assert language_of_the_machine({"LC_ALL": "zh_TW", "LANG": "en_US"}) == "zh"
