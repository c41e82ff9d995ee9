"""The live stream: its events in their order, and what a slow listener loses."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from numen.agent import events
from numen.agent.live import Feed, Kind, LiveBus, LiveEvent, Subscription, kind_of, tool_status

TURN: dict[str, Any] = {"companion": "Numen", "turn": 1}
STARTED = events.TurnStarted(**TURN, request="dig\nhere " + "x" * 700, session_id="ab12", request_id="r1")


def called(tool: str = "mine", **arguments: object) -> events.ToolCalled:
    return events.ToolCalled(**TURN, call_id="c", tool=tool, arguments=arguments)


def finished(tool: str = "mine") -> events.ToolFinished:
    return events.ToolFinished(
        **TURN, call_id="c", tool=tool, outcome="ok", message="m", content="m", seconds=0.1
    )


def words(text: str) -> events.TextDelta:
    return events.TextDelta(**TURN, text=text)


def stream(*reports: events.AgentEvent, language: str = "en") -> list[LiveEvent]:
    bus = LiveBus()
    heard = bus.subscribe()
    feed = Feed(bus, "Numen", language=language)
    for each in reports:
        feed.report(each)
    return heard.take()


def kinds(heard: list[LiveEvent]) -> list[str]:
    return [each.kind.name for each in heard]


def test_the_numbers_of_the_kinds_and_unknown_ones_are_words() -> None:
    assert [each.name for each in sorted(Kind)] == [
        *("START", "DELTA", "DONE", "ERROR", "TOOL_STATUS", "TOOL_STATUS_CLEAR")
    ]
    assert [kind_of(number) for number in (0, 5, 6, 255, -1)] == [
        *(Kind.START, Kind.TOOL_STATUS_CLEAR, Kind.DELTA, Kind.DELTA, Kind.DELTA)
    ]


def test_a_request_with_a_tool_in_its_order() -> None:
    heard = stream(
        STARTED,
        words("Let me "),
        words("dig."),
        called("mine", block_ids=["minecraft:oak_log"], count=3),
        finished(),
        words("Done."),
        events.Answered(**TURN, text="Done."),
        events.TurnEnded(**TURN, how="answered"),
    )

    assert kinds(heard) == [
        *("START", "DELTA", "DELTA", "TOOL_STATUS", "TOOL_STATUS_CLEAR", "DELTA", "DELTA"),
        *("TOOL_STATUS_CLEAR", "DONE"),
    ]
    assert {each.request_id for each in heard} == {"r1"}
    start = json.loads(heard[0].payload)
    assert start["sessionId"] == "ab12"
    assert start["request"].startswith("dig here xxx")
    assert len(start["request"]) == 600
    assert [each.payload for each in heard[5:7]] == ["\n\n", "Done."]
    status = tool_status(heard[3].payload)
    assert (status.tool, status.label) == ("mine", "mining oak log ×3")


def test_a_failed_request_ends_with_error_then_done_and_the_retry_token_last() -> None:
    failed = events.TurnFailed(**TURN, error="Overloaded", message="It failed.", token="0a1b2c3d")
    heard = stream(STARTED, failed, events.TurnEnded(**TURN, how="failed"))

    assert kinds(heard) == ["START", "ERROR", "DONE"]
    assert heard[1].payload == "It failed.\nRetry token: 0a1b2c3d"


def test_what_broke_here_clears_the_tool_first() -> None:
    failed = events.TurnFailed(**TURN, error="ValueError", message="It broke.", runtime=True)
    heard = stream(STARTED, failed, events.TurnEnded(**TURN, how="failed"))

    assert kinds(heard) == ["START", "TOOL_STATUS_CLEAR", "ERROR", "DONE"]
    assert heard[2].payload == "It broke."


@pytest.mark.parametrize("in_tool", [True, False])
def test_a_stop_clears_the_tool_then_error_then_done(in_tool: bool) -> None:
    meanwhile = (called(), finished()) if in_tool else (words("I "),)
    heard = stream(STARTED, *meanwhile, events.TurnEnded(**TURN, how="halted"))

    assert kinds(heard)[-3:] == ["TOOL_STATUS_CLEAR", "ERROR", "DONE"]
    assert kinds(heard).count("TOOL_STATUS_CLEAR") == 1
    assert heard[-2].payload == "Stopped by user."


def test_words_that_were_not_streamed_come_as_one_answer() -> None:
    heard = stream(STARTED, events.Answered(**TURN, text="Shall I go on?"))
    assert [each.payload for each in heard[1:]] == ["Shall I go on?"]


def test_an_answer_that_begins_anew_says_so() -> None:
    heard = stream(
        STARTED, words("Hal"), events.TextWithdrawn(**TURN, reason="cut"), words("Hallo"), language="zh"
    )
    assert [each.payload for each in heard[1:]] == ["Hal", "\n\n（回答中断，重新开始。）", "\n\n", "Hallo"]


@pytest.mark.parametrize("kind", [Kind.DELTA, Kind.ERROR])
@pytest.mark.parametrize(
    ("length", "lengths"), [(3000, [3000]), (3001, [3000, 1]), (7000, [3000, 3000, 1000])]
)
def test_long_texts_are_split_at_3000(kind: Kind, length: int, lengths: list[int]) -> None:
    bus = LiveBus()
    heard = bus.subscribe()
    bus.publish(LiveEvent("i" * 100, kind, "x" * length))
    taken = heard.take()
    assert [len(each.payload) for each in taken] == lengths
    assert {each.request_id for each in taken} == {"i" * 64}


def test_calls_from_outside_a_turn_are_no_stream() -> None:
    outside = events.ToolCalled(companion="Numen", turn=0, call_id="c", tool="mine", arguments={})
    assert stream(outside) == []


@pytest.mark.parametrize(
    ("payload", "tool", "label"),
    [
        ("mine", "mine", "mine"),
        ('{"short": "Reading", "hover": "more"}', "Reading", "Reading"),
        ("[]", "[]", "[]"),
        ("{", "{", "{"),
    ],
)
def test_a_servers_tool_status_is_read_in_either_form(payload: str, tool: str, label: str) -> None:
    status = tool_status(payload)
    assert (status.tool, status.label) == (tool, label)


def request(bus: LiveBus, number: int, deltas: int) -> None:
    name = f"r{number}"
    bus.publish(LiveEvent(name, Kind.START))
    for index in range(deltas):
        bus.publish(LiveEvent(name, Kind.DELTA, f"{index} "))
    bus.publish(LiveEvent(name, Kind.TOOL_STATUS, "mine"))
    bus.publish(LiveEvent(name, Kind.ERROR, "e"))
    bus.publish(LiveEvent(name, Kind.DONE))


def test_a_slow_listener_gets_words_joined_and_every_beginning_and_end() -> None:
    bus = LiveBus()
    slow, quick = bus.subscribe(capacity=8), bus.subscribe(capacity=10_000)
    for number in range(5):
        request(bus, number, 500)

    taken = slow.take()
    for kind in (Kind.START, Kind.ERROR, Kind.DONE):
        assert [each.request_id for each in taken if each.kind is kind] == [f"r{n}" for n in range(5)]
    assert slow.lost > 0
    assert quick.lost == 0
    assert len(quick.take()) == 5 * 504
    everything = sum(len(f"{index} ") for index in range(500)) * 5
    assert sum(len(each.payload) for each in taken if each.kind is Kind.DELTA) + slow.lost == everything


def test_a_listener_who_sleeps_for_ever_costs_a_bounded_amount() -> None:
    bus = LiveBus()
    asleep = bus.subscribe(capacity=4)
    for number in range(10_000):
        request(bus, number, 3)
    assert len(asleep.take()) <= 16 * 4 + 1


async def test_iterating_ends_when_the_subscription_is_closed() -> None:
    bus = LiveBus()
    heard = bus.subscribe()

    async def read(subscription: Subscription) -> list[str]:
        return [each.kind.name async for each in subscription]

    reading = asyncio.ensure_future(read(heard))
    await asyncio.sleep(0)
    bus.publish(LiveEvent("r", Kind.START))
    heard.close()
    bus.publish(LiveEvent("r", Kind.DONE))
    assert await reading == ["START"]
