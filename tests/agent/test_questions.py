"""Questions to a person: what is asked, how it is answered, and when it is over."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from numen.agent.questions import NoOptions, Question, Questions, clean_options, clean_question, lines_of


class Clock:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.due: list[tuple[float, Callable[[], None]]] = []

    def call_later(self, seconds: float, callback: Callable[[], None]) -> None:
        self.due.append((self.now + seconds, callback))

    def advance(self, seconds: float) -> None:
        self.now += seconds
        for each in [each for each in self.due if each[0] <= self.now]:
            self.due.remove(each)
            each[1]()


class Desk:
    """Questions with everything that is seen of them."""

    def __init__(self, language: str = "en") -> None:
        self.clock = Clock()
        self.shown: list[Question] = []
        self.closed: list[str] = []
        self.questions = Questions(
            language=language, now=lambda: self.clock.now, call_later=self.clock.call_later
        )
        self.questions.on_asked(self.shown.append)
        self.questions.on_closed(lambda question, result: self.closed.append(result))

    async def ask(self, text: str = "Which wood?", *options: str) -> asyncio.Task[str]:
        asked = asyncio.ensure_future(self.questions.ask(text, options or ("Oak", "Birch")))
        await asyncio.sleep(0)
        return asked

    async def confirm(self) -> asyncio.Task[bool]:
        asked = asyncio.ensure_future(self.questions.confirm("Run /stop?"))
        await asyncio.sleep(0)
        return asked


@pytest.mark.parametrize(
    "variant",
    [
        "Other",
        "other…",
        "OTHERS",
        "Something else",
        "custom",
        "Skip",
        "skip this question",
        "其他",
        "其它",
        "自定义",
        "跳过",
        "略过",
    ],
)
def test_variants_of_other_and_skip_are_dropped(variant: str) -> None:
    assert clean_options(["Oak", variant]) == ("Oak", "Other")
    with pytest.raises(NoOptions):
        clean_options([variant, "  "])


def test_options_are_cut_counted_and_told_apart_without_case() -> None:
    assert clean_options(["a", "A ", "b", "c", "", "d", "e", "f"]) == ("a", "b", "c", "d", "e", "Other")
    assert clean_options(["x" * 200])[0] == "x" * 160
    assert clean_question("one\r\ntwo \x1b[2J" + "y" * 500)[:12] == "one two [2Jy"
    assert len(clean_question("y" * 500)) == 400


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        ("2", "User selected option 2: Birch"),
        ("2.", "User selected option 2: Birch"),
        ("#1", "User selected option 1: Oak"),
        ("birch", "User selected option 2: Birch"),
        ("the red one", "User provided custom response: the red one"),
        ("skip", "SKIPPED: User skipped the question."),
        ("跳过", "SKIPPED: User skipped the question."),
    ],
)
async def test_answered_by_number_by_text_and_by_words_of_ones_own(answer: str, result: str) -> None:
    desk = Desk()
    asked = await desk.ask()
    taken = desk.questions.hear(answer)
    assert taken is not None
    assert not taken.passed_on
    assert await asked == result
    assert desk.questions.pending is None
    assert desk.closed == [result]


async def test_after_other_the_next_line_is_the_answer_even_a_number() -> None:
    desk = Desk()
    asked = await desk.ask()
    desk.questions.choose("other")
    assert desk.questions.typing
    blank = desk.questions.hear("  ")
    assert blank is not None
    assert "type your answer" in blank.told
    desk.questions.hear("2")
    assert await asked == "User provided custom response: 2"


async def test_cancel_only_leaves_typing() -> None:
    desk = Desk()
    asked = await desk.ask()
    desk.questions.choose("3")
    assert desk.questions.typing
    desk.questions.choose("cancel")
    assert not desk.questions.typing
    assert desk.questions.pending is not None
    desk.questions.choose("1")
    assert await asked == "User selected option 1: Oak"


async def test_choose_without_an_argument_shows_the_question_again() -> None:
    desk = Desk()
    asked = await desk.ask()
    assert desk.questions.choose("").told == ""
    assert [each.id for each in desk.shown] == [desk.shown[0].id] * 2
    assert len(desk.shown[0].id) == 8
    int(desk.shown[0].id, 16)
    assert "choose 1 to 3" in desk.questions.choose("9").told
    assert not asked.done()
    desk.questions.skip()
    assert await asked == "SKIPPED: Request stopped."
    assert "not asking" in desk.questions.choose("").told


async def test_sixty_seconds_from_asking_whatever_is_typed_meanwhile() -> None:
    desk = Desk()
    asked = await desk.ask()
    desk.clock.advance(50)
    desk.questions.choose("other")
    desk.clock.advance(9.9)
    assert not asked.done()
    desk.clock.advance(0.1)
    assert await asked == "SKIPPED: No answer within 60 seconds."


async def test_a_newer_question_takes_the_place_of_the_older() -> None:
    desk = Desk()
    first, second = await desk.ask("One?"), await desk.ask("Two?")
    assert await first == "SKIPPED: Replaced by a newer question."
    desk.clock.advance(59)
    desk.questions.hear("1")
    assert await second == "User selected option 1: Oak"


async def test_a_late_answer_is_told_and_given_on_as_words() -> None:
    desk = Desk()
    asked = await desk.ask()
    desk.clock.advance(61)
    await asked
    assert desk.questions.hear("come here") is None
    taken = desk.questions.hear("2")
    assert taken is not None
    assert "has ended" in taken.told
    assert taken.passed_on == "(late answer to your question “Which wood?”) Birch"
    assert desk.questions.hear("2") is None


async def test_long_after_it_a_number_is_just_a_number() -> None:
    desk = Desk()
    asked = await desk.ask()
    desk.clock.advance(60)
    await asked
    desk.clock.advance(301)
    assert desk.questions.hear("2") is None


@pytest.mark.parametrize(
    ("answer", "sure"), [("yes", True), ("1", True), ("是", True), ("no", False), ("2", False)]
)
async def test_a_confirmation_wants_a_plain_yes(answer: str, sure: bool) -> None:
    desk = Desk()
    asked = await desk.confirm()
    desk.questions.hear(answer)
    assert await asked is sure


async def test_what_is_no_yes_is_a_no_and_heard_as_what_it_says() -> None:
    desk = Desk()
    asked = await desk.confirm()
    taken = desk.questions.hear("what would that do?")
    assert taken is not None
    assert taken.passed_on == "what would that do?"
    assert await asked is False


async def test_a_late_yes_confirms_nothing() -> None:
    desk = Desk()
    asked = await desk.confirm()
    desk.clock.advance(60)
    assert await asked is False
    taken = desk.questions.hear("yes")
    assert taken is not None
    assert "nothing was done" in taken.told
    assert not taken.passed_on


async def test_a_yes_that_was_typed_for_the_question_before_does_not_confirm() -> None:
    desk = Desk()
    before = await desk.ask()
    desk.clock.advance(60)
    assert (await before).startswith("SKIPPED")
    asked = await desk.confirm()
    for answer in ("1", "yes"):
        taken = desk.questions.hear(answer)
        assert taken is not None
        assert taken.told
    assert not asked.done()
    desk.clock.advance(2)
    desk.questions.hear("yes")
    assert await asked is True


async def test_a_cancelled_asker_leaves_no_question_behind() -> None:
    desk = Desk()
    asked = await desk.ask()
    asked.cancel()
    await asyncio.wait([asked])
    assert desk.questions.pending is None
    assert desk.closed == ["SKIPPED: Request stopped."]


async def test_numbered_lines_in_both_languages() -> None:
    desk = Desk()
    asked = await desk.ask()
    question = desk.shown[0]
    english, chinese = lines_of(question, "en"), lines_of(question, "zh")
    assert english[:4] == ["Which wood?", "1. Oak", "2. Birch", "3. Other (type your own answer)"]
    assert "60 s" in english[4]
    assert chinese[3] == "3. 其他（自己输入）"
    desk.questions.skip()
    await asked
