"""Functions as tools."""

from __future__ import annotations

import asyncio
import concurrent.futures
import gc
import threading
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from typing import Any

import pytest
from pydantic import BaseModel

from numen.tool.jiuwen import (
    JiuwenError,
    LocalFunction,
    StatusCode,
    ToolCard,
    current_session,
    observed_by,
)
from tests.tool.jiuwen.recorder import Recorder

READ: dict[str, Any] = {
    "type": "object",
    "properties": {"path": {"type": "string"}, "mode": {"type": "string", "default": "text"}},
    "required": ["path"],
}


def card(schema: Mapping[str, Any] | None = None) -> ToolCard:
    return ToolCard("f-1", "read", "Reads.", dict(schema or {}))


@pytest.mark.parametrize("func", [None, 7])
def test_a_tool_without_a_function_is_refused(func: Any) -> None:
    with pytest.raises(JiuwenError) as caught:
        LocalFunction(card(), func)

    assert caught.value.status is StatusCode.TOOL_LOCAL_FUNCTION_FUNC_NOT_SUPPORTED


def test_the_function_is_handed_back_as_it_was() -> None:
    def read(path: str) -> str:
        return path

    assert LocalFunction(card(), read).func is read


async def test_a_map_function_gets_the_inputs_with_defaults_filled() -> None:
    tool = LocalFunction(card(READ), lambda inputs: f"{inputs['path']}:{inputs['mode']}")

    assert await tool.invoke({"path": "readme.md"}) == "readme.md:text"


async def test_a_function_with_declared_names_gets_them_by_name() -> None:
    tool = LocalFunction(card(READ), lambda path, mode: f"{path}:{mode}")

    assert await tool.invoke({"path": "readme.md"}) == "readme.md:text"


async def test_the_context_form_also_gets_the_options_and_so_the_session() -> None:
    def read(inputs: dict[str, Any], kwargs: dict[str, Any]) -> Any:
        return inputs["path"], kwargs["session"], current_session()

    tool = LocalFunction(card(READ), read)

    assert await tool.invoke({"path": "a"}, {"session": "s1"}) == ("a", "s1", "s1")


async def test_a_form_may_be_said_where_the_guess_is_wrong() -> None:
    tool = LocalFunction(card(READ), lambda path: path, form="map")

    assert await tool.invoke({"path": "a"}) == {"path": "a", "mode": "text"}


async def test_keys_the_function_has_no_place_for_are_kept_for_those_that_have_one() -> None:
    recorder = Recorder()

    with observed_by(recorder):
        assert await LocalFunction(card(READ), lambda path: path).invoke({"path": "a", "more": 1}) == "a"
        assert await LocalFunction(card(READ), lambda path, **rest: rest).invoke(
            {"path": "a", "more": 1}
        ) == {
            "mode": "text",
            "more": 1,
        }

    assert recorder.payloads("tool_parse_finished")[0]["formatted_inputs"]["more"] == 1


async def test_parsing_is_told_between_start_and_end() -> None:
    recorder = Recorder()

    with observed_by(recorder):
        await LocalFunction(card(READ), lambda inputs: 1).invoke({"path": "a"})

    assert recorder.events() == [
        "tool_invoke_input",
        "tool_call_started",
        "tool_parse_started",
        "tool_parse_finished",
        "tool_call_finished",
        "tool_invoke_output",
    ]
    assert recorder.payload("tool_parse_started") == {
        "tool_name": "read",
        "tool_id": "f-1",
        "raw_inputs": {"path": "a"},
        "schema": READ,
    }
    assert recorder.payload("tool_parse_finished") == {
        "tool_name": "read",
        "tool_id": "f-1",
        "formatted_inputs": {"path": "a", "mode": "text"},
    }


async def test_parsing_is_told_for_a_tool_without_parameters_too() -> None:
    recorder = Recorder()

    with observed_by(recorder):
        assert await LocalFunction(card(), lambda: 1).invoke() == 1

    assert recorder.events().count("tool_parse_finished") == 1


async def test_inputs_that_do_not_fit_never_reach_the_function() -> None:
    calls: list[Any] = []
    recorder = Recorder()

    with observed_by(recorder), pytest.raises(JiuwenError, match="Missing required field: path"):
        await LocalFunction(card(READ), calls.append).invoke({})

    assert calls == []
    assert recorder.events()[-2:] == ["tool_parse_started", "tool_call_error"]


async def test_checks_may_be_skipped_and_nulls_dropped() -> None:
    tool = LocalFunction(card(READ), lambda inputs: inputs)

    assert await tool.invoke({"mode": 3}, skip_inputs_validate=True) == {"mode": 3}
    assert await tool.invoke({"path": "a", "mode": None}, {"skip_none_value": True}) == {
        "path": "a",
        "mode": "text",
    }
    assert await tool.invoke({"path": "a", "mode": None}) == {"path": "a", "mode": None}


async def test_a_plain_function_runs_on_a_worker_thread_and_a_coroutine_on_the_loop() -> None:
    async def here() -> int:
        return threading.get_ident()

    loop_thread = threading.get_ident()

    assert await LocalFunction(card(), threading.get_ident).invoke() != loop_thread
    assert await LocalFunction(card(), here).invoke() == loop_thread
    assert await LocalFunction(card(), threading.get_ident, in_thread=False).invoke() == loop_thread


async def test_a_function_that_blocks_does_not_hold_up_the_loop() -> None:
    gate = threading.Event()
    tool = LocalFunction(card(), gate.wait)

    call = asyncio.ensure_future(tool.invoke())
    ticks = 0
    while ticks < 20:
        await asyncio.sleep(0)
        ticks += 1
    assert not call.done()

    gate.set()
    assert await call is True


async def test_a_cancelled_call_returns_at_once_though_its_function_goes_on() -> None:
    gate = threading.Event()
    call = asyncio.ensure_future(LocalFunction(card(), gate.wait).invoke())
    await asyncio.sleep(0)
    call.cancel()

    with pytest.raises(asyncio.CancelledError):
        await call
    gate.set()


async def test_whatever_can_be_awaited_is() -> None:
    async def later() -> str:
        return "later"

    def future() -> concurrent.futures.Future[str]:
        done: concurrent.futures.Future[str] = concurrent.futures.Future()
        done.set_result("from a thread")
        return done

    assert await LocalFunction(card(), later).invoke() == "later"
    assert await LocalFunction(card(), lambda: later()).invoke() == "later"
    assert await LocalFunction(card(), future).invoke() == "from a thread"


async def test_the_error_of_a_function_is_raised_as_it_was() -> None:
    error = KeyError("gone")

    def broken() -> None:
        raise error

    async def broken_later() -> None:
        raise error

    for function in (broken, broken_later):
        with pytest.raises(KeyError) as caught:
            await LocalFunction(card(), function).invoke()
        assert caught.value is error


def counting() -> Iterator[int]:
    yield 1
    yield 2


async def counting_later() -> AsyncIterator[int]:
    yield 1
    yield 2


@pytest.mark.parametrize("function", [counting, counting_later, lambda: iter([1, 2])])
async def test_invoke_refuses_a_generator(function: Any) -> None:
    with pytest.raises(JiuwenError, match="func can not be generator") as caught:
        await LocalFunction(card(), function).invoke()

    assert caught.value.status is StatusCode.TOOL_LOCAL_FUNCTION_EXECUTION_ERROR
    assert caught.value.params["method"] == "invoke"


async def test_a_list_is_an_ordinary_result() -> None:
    assert await LocalFunction(card(), lambda: [1, 2]).invoke() == [1, 2]


class Endless:
    """Iterable, with no items at hand."""

    def __iter__(self) -> Iterator[int]:
        return iter([1, 2])


class Point(BaseModel):
    x: int = 1


async def chunks(tool: LocalFunction, **options: Any) -> list[Any]:
    return [chunk async for chunk in tool.stream({}, options)]


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (counting, [1, 2]),
        (counting_later, [1, 2]),
        (lambda: iter([1, 2]), [1, 2]),
        (lambda: [1, 2], [1, 2]),
        (lambda: (1, 2), [1, 2]),
        (lambda: range(2), [0, 1]),
        (Endless, [1, 2]),
        (lambda: 7, [7]),
        (lambda: "text", ["text"]),
        (lambda: b"bytes", [b"bytes"]),
        (lambda: {"a": 1}, [{"a": 1}]),
        (Point, [Point()]),
        (lambda: None, [None]),
        (list, []),
    ],
)
async def test_any_result_streams_and_what_is_one_thing_is_one_chunk(function: Any, expected: Any) -> None:
    assert await chunks(LocalFunction(card(), function)) == expected
    assert await chunks(LocalFunction(card(), function, in_thread=False)) == expected


@pytest.mark.parametrize("result", [7, "text", b"bytes", {"a": 1}, None])
async def test_strict_streams_nothing_but_iterables(result: Any) -> None:
    with pytest.raises(JiuwenError, match="func is not generator") as caught:
        await chunks(LocalFunction(card(), lambda: result, strict=True))

    assert caught.value.status is StatusCode.TOOL_LOCAL_FUNCTION_EXECUTION_ERROR
    assert caught.value.params["method"] == "stream"
    assert await chunks(LocalFunction(card(), counting, strict=True)) == [1, 2]
    assert await chunks(LocalFunction(card(), lambda: [1], strict=True)) == [1]


async def test_a_stream_tells_its_parsing_before_its_chunks() -> None:
    recorder = Recorder()

    with observed_by(recorder):
        assert await chunks(LocalFunction(card(), counting)) == [1, 2]

    assert recorder.events() == [
        "tool_stream_input",
        "tool_call_started",
        "tool_parse_started",
        "tool_parse_finished",
        "tool_result_received",
        "tool_stream_output",
        "tool_result_received",
        "tool_stream_output",
        "tool_call_finished",
    ]


async def test_a_generator_runs_every_step_on_one_worker_thread() -> None:
    threads: list[int] = []

    def stepping() -> Iterable[int]:
        for number in range(3):
            threads.append(threading.get_ident())
            yield number

    assert await chunks(LocalFunction(card(), stepping)) == [0, 1, 2]
    assert len(set(threads)) == 1
    assert threads[0] != threading.get_ident()


async def test_a_generator_left_half_read_is_closed() -> None:
    closed = threading.Event()

    def long() -> Iterator[int]:
        try:
            yield from range(1000)
        finally:
            closed.set()

    stream = LocalFunction(card(), long).stream()
    assert await anext(stream) == 0
    await stream.aclose()

    assert await LocalFunction(card(), lambda: closed.wait(20)).invoke()


@pytest.mark.parametrize("how", ["read", "left", "closed", "forgotten"])
async def test_no_thread_outlives_its_stream(how: str) -> None:
    def ours() -> set[threading.Thread]:
        return {each for each in threading.enumerate() if each.name == "tool read"}

    before = ours()
    stream = await LocalFunction(card(), counting).stream()
    (thread,) = ours() - before
    if how == "read":
        assert [each async for each in stream] == [1, 2]
    elif how == "left":
        assert await anext(stream) == 1
    if how != "forgotten":
        await stream.aclose()
    del stream
    gc.collect()
    thread.join(20)

    assert not thread.is_alive()


async def test_an_error_in_a_generator_ends_its_stream_once() -> None:
    def broken() -> Iterator[int]:
        yield 1
        raise ValueError("boom")

    recorder = Recorder()
    with observed_by(recorder):
        stream = LocalFunction(card(), broken).stream()
        assert await anext(stream) == 1
        with pytest.raises(ValueError, match="boom"):
            await anext(stream)
        assert [each async for each in stream] == []

    assert recorder.events().count("tool_call_error") == 1


async def test_the_session_is_bound_for_the_call_and_put_back_even_after_an_error() -> None:
    def who() -> Any:
        return current_session()

    async def nested() -> Any:
        inner = await LocalFunction(card(), who).invoke({}, {"session": "inner"})
        return inner, current_session()

    def broken() -> None:
        raise ValueError(current_session())

    assert await LocalFunction(card(), nested).invoke({}, {"session": "outer"}) == ("inner", "outer")
    with pytest.raises(ValueError, match="s1"):
        await LocalFunction(card(), broken).invoke({}, {"session": "s1"})
    assert current_session() is None


async def test_parallel_calls_do_not_see_each_others_session() -> None:
    async def who() -> Any:
        await asyncio.sleep(0)
        return current_session()

    tool = LocalFunction(card(), who)

    seen = await asyncio.gather(*(tool.invoke({}, {"session": number}) for number in range(20)))

    assert seen == list(range(20))


@pytest.mark.parametrize("in_thread", [True, False])
async def test_a_stream_sees_its_session_and_its_reader_does_not(in_thread: bool) -> None:
    def plain() -> Iterator[Any]:
        for _ in range(2):
            yield current_session()

    async def later() -> AsyncIterator[Any]:
        for _ in range(2):
            yield current_session()

    for function in (plain, later):
        stream = LocalFunction(card(), function, in_thread=in_thread).stream({}, {"session": "s1"})
        async for chunk in stream:
            assert chunk == "s1"
            assert current_session() is None


async def test_more_slow_tools_than_any_pool_has_threads_run_side_by_side() -> None:
    everybody = threading.Barrier(60)
    tool = LocalFunction(card(), lambda: everybody.wait(20))

    assert len(await asyncio.gather(*(tool.invoke() for _ in range(60)))) == 60
