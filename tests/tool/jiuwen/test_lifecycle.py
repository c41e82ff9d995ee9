"""One invocation and the events around it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from numen.tool.jiuwen import (
    UNCHANGED,
    BoundArgs,
    JiuwenError,
    StatusCode,
    Tool,
    ToolCard,
    ToolInfo,
    clear_callback_framework,
    observed_by,
    set_callback_framework,
)
from tests.tool.jiuwen.recorder import Recorder

SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer", "default": 5}}}


class Adder(Tool):
    def __init__(self) -> None:
        super().__init__(ToolCard("add-1", "add", "Adds.", SCHEMA))

    async def invoke_internal(self, inputs: dict[str, Any], kwargs: dict[str, Any]) -> Any:
        return inputs["a"] + inputs["b"]


class Failing(Tool):
    def __init__(self, error: BaseException) -> None:
        super().__init__(ToolCard("f-1", "fail"))
        self.error = error

    async def invoke_internal(self, inputs: dict[str, Any], kwargs: dict[str, Any]) -> Any:
        raise self.error


def test_a_tool_without_a_card_is_refused() -> None:
    with pytest.raises(JiuwenError, match="card is None") as caught:
        Tool(None)  # type: ignore[arg-type]

    assert caught.value.status is StatusCode.TOOL_CARD_INVALID


def test_a_card_without_an_id_is_refused() -> None:
    with pytest.raises(JiuwenError, match="card id is None or empty") as caught:
        Tool(ToolCard(id=""))

    assert caught.value.status is StatusCode.TOOL_CARD_INVALID


async def test_an_invocation_tells_its_events_in_order() -> None:
    recorder = Recorder({"tool_invoke_output": lambda payload: 99})

    with observed_by(recorder):
        assert await Adder().invoke({"a": 3, "b": 5}) == 99

    assert recorder.names == [
        "transform tool_invoke_input",
        "tool_invoke_input",
        "tool_call_started",
        "tool_call_finished",
        "transform tool_invoke_output",
        "tool_invoke_output",
    ]
    # What ended is the tool's own result; what is told and returned is the replaced one.
    assert recorder.payload("tool_call_finished")["result"] == 8
    assert recorder.payload("tool_invoke_output")["result"] == 99


async def test_each_event_carries_its_fields_and_no_others() -> None:
    recorder = Recorder()
    info = ToolInfo("function", "add", "Adds.", SCHEMA)
    inputs, kwargs = {"a": 1, "b": 2}, {"session": "s"}

    with observed_by(recorder):
        await Adder().invoke(inputs, kwargs)

    pair = ([inputs], kwargs)
    assert recorder.payload("tool_invoke_input") == {
        "inputs": inputs,
        "kwargs": kwargs,
        "_args": [inputs],
        "tool_name": "add",
        "tool_info": info,
    }
    assert recorder.payload("tool_call_started") == {"tool_name": "add", "tool_id": "add-1", "inputs": pair}
    assert recorder.payload("tool_call_finished") == {
        "tool_name": "add",
        "tool_id": "add-1",
        "inputs": pair,
        "result": 3,
    }
    assert recorder.payload("tool_invoke_output") == {"result": 3, "tool_name": "add", "tool_info": info}


@pytest.mark.parametrize(
    "answer",
    [
        {"inputs": {"a": 10, "b": 20}, "kwargs": {"k": 1}},
        BoundArgs(({"a": 10, "b": 20},), {"kwargs": {"k": 1}}),
        BoundArgs((), {"inputs": {"a": 10, "b": 20}, "kwargs": {"k": 1}}),
    ],
)
async def test_an_input_transform_may_replace_inputs_and_options(answer: Any) -> None:
    recorder = Recorder({"tool_invoke_input": lambda payload: answer})

    with observed_by(recorder):
        assert await Adder().invoke({"a": 1, "b": 1}) == 30

    assert recorder.payload("tool_invoke_input")["inputs"] == {"a": 10, "b": 20}
    assert recorder.payload("tool_invoke_input")["_args"] == [{"a": 10, "b": 20}]
    assert recorder.payload("tool_call_started")["inputs"] == ([{"a": 10, "b": 20}], {"k": 1})


async def test_a_transform_that_replaces_one_half_leaves_the_other() -> None:
    recorder = Recorder({"tool_invoke_input": lambda payload: {"kwargs": {"k": 1}}})

    with observed_by(recorder):
        assert await Adder().invoke({"a": 1, "b": 1}, {"k": 0}) == 2

    assert recorder.payload("tool_invoke_input")["kwargs"] == {"k": 1}


@pytest.mark.parametrize("answer", [None, UNCHANGED, 7, "inputs", [{"a": 9}], ({"a": 9}, {})])
async def test_any_other_answer_of_an_input_transform_changes_nothing(answer: Any) -> None:
    with observed_by(Recorder({"tool_invoke_input": lambda payload: answer})):
        assert await Adder().invoke({"a": 1, "b": 1}) == 2


@pytest.mark.parametrize("answer", [None, UNCHANGED])
async def test_an_output_transform_cannot_make_nothing_of_a_result(answer: Any) -> None:
    with observed_by(Recorder({"tool_invoke_output": lambda payload: answer})):
        assert await Adder().invoke({"a": 1, "b": 1}) == 2


async def test_an_error_is_told_once_and_raised_as_it_was() -> None:
    error = ValueError("boom")
    recorder = Recorder()

    with observed_by(recorder), pytest.raises(ValueError, match="boom") as caught:
        await Failing(error).invoke({"x": 1})

    assert caught.value is error
    assert recorder.events() == ["tool_invoke_input", "tool_call_started", "tool_call_error"]
    assert recorder.payload("tool_call_error") == {"tool_name": "fail", "tool_id": "f-1", "error": error}


async def test_a_cancelled_call_is_neither_finished_nor_failed() -> None:
    recorder = Recorder()

    with observed_by(recorder), pytest.raises(asyncio.CancelledError):
        await Failing(asyncio.CancelledError()).invoke()

    assert recorder.events() == ["tool_invoke_input", "tool_call_started"]


async def test_an_observer_that_fails_at_the_end_makes_the_call_fail() -> None:
    recorder = Recorder(raises={"tool_call_finished": RuntimeError("observer")})

    with observed_by(recorder), pytest.raises(RuntimeError, match="observer"):
        await Adder().invoke({"a": 1, "b": 1})

    assert recorder.events()[-2:] == ["tool_call_finished", "tool_call_error"]


async def test_an_observer_that_fails_at_an_error_does_not_hide_it() -> None:
    recorder = Recorder(raises={"tool_call_error": RuntimeError("observer")})

    with observed_by(recorder), pytest.raises(ValueError, match="boom"):
        await Failing(ValueError("boom")).invoke()


async def test_an_error_of_an_output_transform_is_no_error_of_the_call() -> None:
    def broken(payload: Mapping[str, Any]) -> Any:
        raise RuntimeError("transform")

    recorder = Recorder({"tool_invoke_output": broken})

    with observed_by(recorder), pytest.raises(RuntimeError, match="transform"):
        await Adder().invoke({"a": 1, "b": 1})

    assert "tool_call_error" not in recorder.names


async def test_without_a_framework_the_result_is_the_same_and_nothing_is_told() -> None:
    assert await Adder().invoke({"a": 1, "b": 1}) == 2
    with pytest.raises(ValueError, match="boom"):
        await Failing(ValueError("boom")).invoke()


async def test_the_framework_of_the_process_hears_every_call_until_it_is_taken_away() -> None:
    recorder = Recorder()
    set_callback_framework(recorder)
    try:
        await Adder().invoke({"a": 1, "b": 1})
    finally:
        clear_callback_framework()
    await Adder().invoke({"a": 1, "b": 1})

    assert recorder.events().count("tool_call_started") == 1


async def test_two_tasks_with_observers_of_their_own_do_not_hear_each_other() -> None:
    async def one(number: int) -> Recorder:
        recorder = Recorder()
        with observed_by(recorder):
            for _ in range(3):
                await Adder().invoke({"a": number, "b": 0})
                await asyncio.sleep(0)
        return recorder

    first, second = await asyncio.gather(one(1), one(2))

    assert [each["result"] for each in first.payloads("tool_call_finished")] == [1, 1, 1]
    assert [each["result"] for each in second.payloads("tool_call_finished")] == [2, 2, 2]


async def test_inputs_and_options_are_copied() -> None:
    class Taking(Tool):
        async def invoke_internal(self, inputs: dict[str, Any], kwargs: dict[str, Any]) -> Any:
            inputs["more"], kwargs["more"] = 1, 1

    inputs: dict[str, Any] = {"a": 1}
    kwargs: dict[str, Any] = {}

    await Taking(ToolCard("t")).invoke(inputs, kwargs)

    assert (inputs, kwargs) == ({"a": 1}, {})


@pytest.mark.parametrize("given", [None, {}])
async def test_null_inputs_are_an_empty_map(given: Any) -> None:
    class Showing(Tool):
        async def invoke_internal(self, inputs: dict[str, Any], kwargs: dict[str, Any]) -> Any:
            return inputs, kwargs

    assert await Showing(ToolCard("t")).invoke(given, given) == ({}, {})
    assert await Showing(ToolCard("t")).invoke(given, timeout=3) == ({}, {"timeout": 3})


async def test_what_a_tool_does_not_offer_is_refused_inside_the_lifecycle() -> None:
    recorder = Recorder()
    tool = Tool(ToolCard("bare", "bare"))

    with observed_by(recorder):
        with pytest.raises(JiuwenError) as invoked:
            await tool.invoke({})
        with pytest.raises(JiuwenError) as streamed:
            await tool.stream({})

    assert invoked.value.status is StatusCode.TOOL_INVOKE_NOT_SUPPORTED
    assert streamed.value.status is StatusCode.TOOL_STREAM_NOT_SUPPORTED
    assert recorder.events() == [
        "tool_invoke_input",
        "tool_call_started",
        "tool_call_error",
        "tool_stream_input",
        "tool_call_started",
        "tool_call_error",
    ]
