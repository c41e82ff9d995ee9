"""The console as a person sees it: eighty columns, English and Chinese, with a prompt below."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from prompt_toolkit.input import PipeInput, create_pipe_input

from numen.agent import events
from numen.agent.live import Feed, Kind, LiveBus, LiveEvent
from numen.agent.questions import Question, QuestionAsked
from numen.companion import ChatHeard, CompanionEvent, Joined
from numen.console import Console
from numen.console.columns import Wrapping, columns, cut
from numen.console.typing_in import typed_lines
from numen.messages import Language
from numen.world.chat import ChatLine
from tests.app.terminal import Terminal


class Seat:
    """A person before a terminal, with companions that report to it."""

    def __init__(self, keys: PipeInput, language: Language, named: bool) -> None:
        self.terminal = Terminal()
        self.keys = keys
        self.time = 0.0
        self.bus = LiveBus()
        self.console = Console(
            language,
            colour=True,
            named=named,
            width=lambda: 80,
            now=lambda: self.time,
        )
        self.console.follow(self.bus)
        self.typed: list[str] = []
        self._feeds: dict[str, Feed] = {}

    async def sit(self) -> None:
        async for line in typed_lines("> ", self.console, source=self.keys, screen=self.terminal.output()):
            self.typed.append(line)

    def tell(self, *reports: CompanionEvent) -> None:
        for each in reports:
            feed = self._feeds.setdefault(
                each.companion, Feed(self.bus, each.companion, language=self.console.language)
            )
            if isinstance(each, events.AgentEvent):
                feed.report(each)
            self.console.report(each)

    async def until(self, condition: Callable[[list[str]], object]) -> list[str]:
        try:
            async with asyncio.timeout(8):
                while not condition(self.terminal.lines):
                    await asyncio.sleep(0.02)
        except TimeoutError:
            pytest.fail("the screen shows:\n" + "\n".join(self.terminal.lines))
        lines = self.terminal.lines
        assert all(columns(line) <= 80 for line in lines), lines
        return lines

    async def shows(self, text: str) -> list[str]:
        return await self.until(lambda lines: any(text in line for line in lines))


@asynccontextmanager
async def seat(language: Language = "en", *, named: bool = False) -> AsyncIterator[Seat]:
    with create_pipe_input() as keys:
        here = Seat(keys, language, named)
        sitting = asyncio.ensure_future(here.sit())
        try:
            await here.shows(">")
            yield here
        finally:
            keys.send_text("\x04")
            await sitting


def started(companion: str = "Numen") -> events.TurnStarted:
    return events.TurnStarted(companion=companion, turn=1)


def words(text: str, companion: str = "Numen") -> events.TextDelta:
    return events.TextDelta(companion=companion, turn=1, text=text)


def called(tool: str, companion: str = "Numen", **arguments: object) -> events.ToolCalled:
    return events.ToolCalled(companion=companion, turn=1, call_id="c", tool=tool, arguments=arguments)


def finished(tool: str, message: str, content: str = "", companion: str = "Numen") -> events.ToolFinished:
    return events.ToolFinished(
        companion=companion,
        turn=1,
        call_id="c",
        tool=tool,
        outcome="ok",
        message=message,
        content=content or message,
        seconds=0.1,
    )


def answered(text: str) -> tuple[events.AgentEvent, ...]:
    return (
        events.Answered(companion="Numen", turn=1, text=text),
        events.TurnEnded(companion="Numen", turn=1, how="answered"),
    )


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_words_stand_above_the_prompt_while_they_are_written(language: Language) -> None:
    english = "I have found an oak forest to the north, and I am going to fell three trees there."
    chinese = (
        "我在北边找到了一片橡树林，现在就过去砍三棵树，然后做一把木镐，再回来挖三块圆石给你，请稍等一会儿。"
    )
    text = english if language == "en" else chinese
    async with seat(language) as here:
        here.tell(started(), words(text[:19]))
        lines = await here.shows(text[:19])
        assert lines[-1] == ">"
        assert lines[-3] == f"Numen: {text[:19]}"
        assert ("thinking" if language == "en" else "思考中") in lines[-2]

        here.tell(words(text[19:]))
        await here.shows(text[-5:])
        here.tell(*answered(text))
        lines = await here.until(lambda lines: len(lines) >= 3 and text[-5:] in lines[-2])
        assert lines[-1] == ">"
        told = "".join(lines[:-1]) if language == "zh" else " ".join(lines[:-1])
        assert told == f"Numen: {text}"


@pytest.mark.parametrize(
    ("language", "label", "verdict"),
    [("en", "mine · mining oak log ×3", "Gathered 3x oak_log."), ("zh", "mine · 挖 oak log ×3", "已收集。")],
)
async def test_the_tool_at_work_is_named_and_its_time_goes_on(
    language: Language, label: str, verdict: str
) -> None:
    async with seat(language) as here:
        here.tell(started(), called("mine", block_ids=["minecraft:oak_log"], count=3))
        here.time = 4.2
        lines = await here.shows("4 s")
        assert lines[-3:] == [f"→ {label}", f"⠸ {label} · 4 s", ">"]

        here.tell(finished("mine", verdict), *answered(""))
        lines = await here.until(lambda lines: lines[-2:] == [f"  ✓ {verdict}", ">"])
        assert lines == [f"→ {label}", f"  ✓ {verdict}", ">"]


@pytest.mark.parametrize(
    ("language", "last"),
    [
        ("en", "Answer with a number (1 to 3), with words of your own, or with: skip. 60 s."),
        ("zh", "回答数字（1 到 3）、直接输入内容，或输入：跳过。限时 60 秒。"),
    ],
)
async def test_a_question_with_its_choices_and_the_typed_answer(language: Language, last: str) -> None:
    asked = Question("0a1b2c3d", "Which wood? 用哪种木头？", ("Oak", "白桦", "Other"), 0.0)
    async with seat(language) as here:
        here.tell(started(), called("ask-user-question", question="?"))
        here.tell(QuestionAsked(companion="Numen", person=None, question=asked))
        lines = await here.shows(last)
        at = next(index for index, line in enumerate(lines) if line.startswith("? "))
        other = "3. Other (type your own answer)" if language == "en" else "3. 其他（自己输入）"
        assert lines[at : at + 5] == [
            "? Which wood? 用哪种木头？",
            "  1. Oak",
            "  2. 白桦",
            f"  {other}",
            f"  {last}",
        ]
        here.keys.send_text("2\r")
        await here.until(lambda lines: here.typed == ["2"])


async def test_tools_that_only_look_are_one_quiet_line() -> None:
    status = (
        '{"hp": 20.0, "max_hp": 20.0, "hunger": 18, "block_position": {"x": 1, "y": 64, "z": -3}, '
        '"inventory": {"items": [{"item": "a"}]}}'
    )
    async with seat() as here:
        here.tell(started(), called("get_self_status"), finished("get_self_status", "raw " * 60, status))
        lines = await here.shows("health")
        told = "· get_self_status: health 20/20, hunger 18/20, at (1, 64, -3), carrying 1 kinds of…"
        assert lines[0].startswith(told[:70])
        assert not any("→" in line for line in lines)


async def test_a_line_of_the_log_does_not_tear_what_is_being_typed() -> None:
    from numen.cli import _HarmlessLines, _StandardError

    handler = _StandardError()
    handler.setFormatter(_HarmlessLines("%(message)s"))
    logger = logging.getLogger("test.screen")
    logger.propagate = False
    logger.addHandler(handler)
    async with seat() as here:
        here.keys.send_text("half a sen")
        await here.shows("half a sen")
        logger.warning("something \x1b[2J\x9b5A happened")
        lines = await here.shows("happened")
        assert lines == ["something [2J5A happened", "> half a sen"]
        here.keys.send_text("tence\r")
        await here.until(lambda lines: here.typed)
        assert here.typed == ["half a sentence"]
    logger.removeHandler(handler)
    assert sys.stderr is not None


async def test_nothing_foreign_moves_the_cursor() -> None:
    evil = "\x1b[2J\x1b[H\x9b1A\rowned\x07\u202e"
    async with seat() as here:
        line = ChatLine(text="x", kind="chat", sender="Eve", display=f"<Eve> {evil}")
        here.tell(ChatHeard(companion="Numen", line=line))
        here.tell(started(), words(evil), called("mine", block_ids=[evil]), finished("mine", evil))
        here.bus.publish(LiveEvent("s", Kind.TOOL_STATUS, evil, "Server", origin="server"))
        here.bus.publish(LiveEvent("s", Kind.DELTA, evil, "Server", origin="server"))
        here.bus.publish(LiveEvent("s", Kind.DONE, "", "Server", origin="server"))
        lines = await here.until(lambda lines: sum("owned" in line for line in lines) >= 5)
        assert lines[0] == "<Eve> [2J[H1Aowned"


async def test_two_companions_at_one_console_are_told_apart_and_nothing_is_said_twice() -> None:
    def joined(name: str) -> Joined:
        return Joined(companion=name, address="a:1", place=(0, 64, 0), dimension="d", again=False)

    def heard(by: str, sender: str, text: str) -> ChatHeard:
        return ChatHeard(companion=by, line=ChatLine(text, "chat", sender, display=f"<{sender}> {text}"))

    async with seat(named=True) as here:
        here.tell(joined("Ada"), joined("Bob"), started("Ada"), words("Hi.", "Ada"))
        here.tell(events.Answered(companion="Ada", turn=1, text="Hi."))
        here.tell(events.TurnEnded(companion="Ada", turn=1, how="answered"))
        here.tell(heard("Bob", "Ada", "Hi."))
        here.tell(heard("Ada", "Steve", "Hello all"), heard("Bob", "Steve", "Hello all"))
        lines = await here.shows("Hello all")
        assert [line for line in lines if "Hi." in line or "Hello" in line] == [
            "Ada: Hi.",
            "<Steve> Hello all",
        ]


@pytest.mark.parametrize("width", [20, 33, 80])
@pytest.mark.parametrize(
    "text",
    [
        "word " * 60,
        "一二三四五六七八九十" * 20,
        "mixed 中文 and English 混排 without an end " * 8,
        "x" * 300,
        "first\nsecond\n\nthird",
    ],
)
def test_wrapped_lines_fit_and_lose_nothing(width: int, text: str) -> None:
    wrapping = Wrapping(width, 7)
    lines = [line for sign in text for line in wrapping.add(sign)] + list(wrapping.flush())
    assert all(columns(line) <= width for line in lines)
    assert columns(lines[0]) <= width - 7
    assert "".join("".join(lines).split()) == "".join(text.split())


def test_cutting_counts_wide_characters_twice() -> None:
    assert cut("一二三四五", 10) == "一二三四五"
    assert cut("一二三四五六", 10) == "一二三四…"
    assert columns(cut("一二三四五六", 10)) == 9
