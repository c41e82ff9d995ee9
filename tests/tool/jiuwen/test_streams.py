"""Streamed calls."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from numen.tool.jiuwen import Tool, ToolCard, ToolInfo, observed_by
from tests.tool.jiuwen.recorder import Recorder


class Streaming(Tool):
    def __init__(self, make: Callable[[], Any]) -> None:
        super().__init__(ToolCard("s-1", "count"))
        self.make = make

    def stream_internal(self, inputs: dict[str, Any], kwargs: dict[str, Any]) -> Any:
        return self.make()


async def two() -> AsyncIterator[int]:
    yield 1
    yield 2


async def one_then_boom() -> AsyncIterator[int]:
    yield 1
    raise ValueError("boom")


async def test_a_stream_tells_its_events_in_order_and_received_is_the_raw_chunk() -> None:
    recorder = Recorder({"tool_stream_output": lambda payload: payload["result"] * 10})

    with observed_by(recorder):
        assert [chunk async for chunk in Streaming(two).stream({"n": 2})] == [10, 20]

    chunk = ["tool_result_received", "transform tool_stream_output", "tool_stream_output"]
    assert recorder.names == [
        "transform tool_stream_input",
        "tool_stream_input",
        "tool_call_started",
        *chunk,
        *chunk,
        "tool_call_finished",
    ]
    assert [each["result"] for each in recorder.payloads("tool_result_received")] == [1, 2]
    assert [each["result"] for each in recorder.payloads("tool_stream_output")] == [10, 20]


async def test_each_event_carries_its_fields_and_no_others() -> None:
    recorder = Recorder()
    info = ToolInfo(name="count")

    with observed_by(recorder):
        _ = [chunk async for chunk in Streaming(lambda: [7]).stream({"n": 1}, {"k": 2})]

    pair = ([{"n": 1}], {"k": 2})
    assert recorder.payload("tool_stream_input") == {
        "inputs": {"n": 1},
        "kwargs": {"k": 2},
        "_args": [{"n": 1}],
        "tool_name": "count",
        "tool_info": info,
    }
    assert recorder.payload("tool_call_started") == {"tool_name": "count", "tool_id": "s-1", "inputs": pair}
    assert recorder.payload("tool_result_received") == {
        "tool_name": "count",
        "tool_id": "s-1",
        "inputs": pair,
        "result": 7,
    }
    assert recorder.payload("tool_stream_output") == {"result": 7, "tool_name": "count", "tool_info": info}
    assert recorder.payload("tool_call_finished") == {"tool_name": "count", "tool_id": "s-1"}


async def coroutine_with_iterator() -> Any:
    return iter([1, 2])


@pytest.mark.parametrize(
    ("make", "chunks"),
    [
        (two, [1, 2]),
        (lambda: iter([1, 2]), [1, 2]),
        (lambda: [1, 2], [1, 2]),
        (coroutine_with_iterator, [1, 2]),
        (lambda: None, []),
    ],
)
async def test_a_tool_may_stream_in_any_of_these_ways(make: Callable[[], Any], chunks: list[int]) -> None:
    recorder = Recorder()

    with observed_by(recorder):
        assert [each async for each in Streaming(make).stream()] == chunks

    assert recorder.events()[-1] == "tool_call_finished"


async def test_nothing_happens_before_the_first_chunk_is_asked_for() -> None:
    recorder = Recorder()

    with observed_by(recorder):
        stream = Streaming(two).stream()
        assert recorder.names == []

        assert await anext(stream) == 1

    assert recorder.events().count("tool_result_received") == 1


async def test_awaiting_a_stream_begins_it_without_pulling_a_chunk() -> None:
    recorder = Recorder()

    with observed_by(recorder):
        stream = await Streaming(two).stream()

        assert recorder.events() == ["tool_stream_input", "tool_call_started"]
        assert [each async for each in stream] == [1, 2]

    assert recorder.events().count("tool_call_started") == 1


async def test_an_input_transform_reaches_the_stream() -> None:
    class Echo(Tool):
        def stream_internal(self, inputs: dict[str, Any], kwargs: dict[str, Any]) -> Any:
            return [inputs, kwargs]

    recorder = Recorder({"tool_stream_input": lambda payload: {"inputs": {"b": 2}}})

    with observed_by(recorder):
        assert [each async for each in Echo(ToolCard("e")).stream({"a": 1})] == [{"b": 2}, {}]


async def test_an_error_while_the_stream_begins_is_told_once() -> None:
    def broken() -> Any:
        raise ValueError("at the start")

    recorder = Recorder()
    with observed_by(recorder):
        stream = Streaming(broken).stream()
        with pytest.raises(ValueError, match="at the start"):
            await stream

    assert [each async for each in stream] == []
    assert recorder.events() == ["tool_stream_input", "tool_call_started", "tool_call_error"]


async def test_an_error_while_pulling_is_told_once_and_the_stream_is_over() -> None:
    recorder = Recorder()

    with observed_by(recorder):
        stream = Streaming(one_then_boom).stream()
        assert await anext(stream) == 1
        with pytest.raises(ValueError, match="boom"):
            await anext(stream)

    for _ in range(3):
        assert not await stream.has_next()
        with pytest.raises(StopAsyncIteration):
            await anext(stream)
    assert recorder.events().count("tool_call_error") == 1
    assert "tool_call_finished" not in recorder.names


async def test_the_end_is_told_once_whichever_way_and_however_often_it_is_asked() -> None:
    recorder = Recorder()

    with observed_by(recorder):
        stream = Streaming(lambda: [1]).stream()
        assert await stream.has_next()
        assert await stream.has_next()
        assert await anext(stream) == 1
        assert not await stream.has_next()
        with pytest.raises(StopAsyncIteration):
            await anext(stream)
        assert not await stream.has_next()

    assert recorder.events().count("tool_result_received") == 1
    assert recorder.events().count("tool_call_finished") == 1
    assert "tool_call_error" not in recorder.names


async def test_an_observer_that_fails_on_a_chunk_does_not_end_the_stream() -> None:
    recorder = Recorder(raises={"tool_stream_output": RuntimeError("observer")})

    with observed_by(recorder):
        stream = Streaming(two).stream()
        for _ in range(2):
            with pytest.raises(RuntimeError, match="observer"):
                await anext(stream)
        with pytest.raises(StopAsyncIteration):
            await anext(stream)

    assert recorder.events().count("tool_call_finished") == 1
    assert "tool_call_error" not in recorder.names


async def test_a_stream_left_half_read_tells_neither_end_and_cleans_up() -> None:
    cleaned = []

    async def long() -> AsyncIterator[int]:
        try:
            for number in range(1000):
                yield number
        finally:
            cleaned.append(True)

    recorder = Recorder()
    with observed_by(recorder):
        stream = Streaming(long).stream()
        assert await anext(stream) == 0
        await stream.aclose()

    assert cleaned == [True]
    assert [each async for each in stream] == []
    assert recorder.events()[-1] == "tool_stream_output"


async def test_a_consumer_cancelled_in_a_pull_tells_neither_end() -> None:
    async def endless() -> AsyncIterator[int]:
        await asyncio.Event().wait()
        yield 1

    recorder = Recorder()
    with observed_by(recorder):
        stream = Streaming(endless).stream()
        pull = asyncio.ensure_future(anext(stream))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        pull.cancel()
        with pytest.raises(asyncio.CancelledError):
            await pull

    assert [each async for each in stream] == []
    assert recorder.events() == ["tool_stream_input", "tool_call_started"]


async def test_without_a_framework_the_chunks_are_the_same() -> None:
    assert [each async for each in Streaming(two).stream()] == [1, 2]
