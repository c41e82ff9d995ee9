"""Every call begins once and ends once, and no fault of a tool escapes."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import pytest

from numen.tool import (
    Dispatcher,
    TaskResult,
    ToolArgs,
    ToolCall,
    ToolContext,
    ToolEvent,
    ToolFailure,
    ToolFinished,
    ToolRegistry,
)


class Tool:
    """A tool written as a class, as an author outside this house would."""

    description = "A tool for a test."

    def __init__(
        self,
        name: str,
        invoke: Callable[[ToolCall], Awaitable[Any] | None],
        schema: Mapping[str, Any] | None = None,
    ) -> None:
        self.name = name
        self._invoke = invoke
        self.parameter_schema: Mapping[str, Any] = schema or {"type": "object", "properties": {}}

    def invoke(self, call: ToolCall) -> Awaitable[Any] | None:
        return self._invoke(call)


CTX = ToolContext(companion="Numen", services={dict: {"a": 1}})


class Bench:
    def __init__(self, *tools: Tool, backstop_s: float = 900.0) -> None:
        registry = ToolRegistry()
        for each in tools:
            registry.register(each)
        self.dispatcher = Dispatcher(registry, backstop_s=backstop_s)
        self.events: list[ToolEvent] = []

    async def run(self, name: str, raw: str = "{}", call_id: str = "c1") -> ToolFinished:
        return await self.dispatcher.run(call_id, name, raw, CTX, self.events.append)


def failing(error: Exception) -> Tool:
    def invoke(call: ToolCall) -> None:
        raise error

    return Tool("tool", invoke)


async def test_a_call_may_be_completed_later_from_any_thread() -> None:
    def invoke(call: ToolCall) -> None:
        threading.Thread(target=lambda: call.complete(TaskResult.ok("from a thread").to_json())).start()

    finished = await Bench(Tool("tool", invoke)).run("tool")

    assert finished.ok
    assert finished.message == "from a thread"


async def test_a_coroutine_may_return_its_result_instead_of_completing() -> None:
    async def invoke(call: ToolCall) -> TaskResult:
        return TaskResult.ok("returned")

    assert (await Bench(Tool("tool", invoke)).run("tool")).message == "returned"


async def test_only_the_first_completion_counts() -> None:
    kept: list[ToolCall] = []

    def invoke(call: ToolCall) -> None:
        kept.append(call)
        call.complete("first")
        call.complete("second")

    finished = await Bench(Tool("tool", invoke)).run("tool")
    kept[0].complete("third")

    assert finished.content == "first"


@pytest.mark.parametrize(
    ("tool", "raw", "outcome", "message"),
    [
        (
            failing(ToolFailure("no path; try from the east", {"kind": "no_path"})),
            "{}",
            "failed",
            "no path; try",
        ),
        (failing(RuntimeError("boom")), "{}", "failed", "tool broke: RuntimeError: boom"),
        (failing(TimeoutError()), "{}", "failed", "tool broke: TimeoutError"),
        (Tool("tool", lambda call: call.complete(TaskResult.fail("no").to_json())), "{}", "failed", "no"),
        (
            Tool("tool", lambda call: call.complete(TaskResult.timeout("late").to_json())),
            "{}",
            "timeout",
            "late",
        ),
        (Tool("tool", lambda call: call.complete(str(call.args()))), "[1]", "bad_arguments", "are a list"),
        (
            Tool("tool", lambda call: call.complete(str(call.args()))),
            "{oops",
            "bad_arguments",
            "not valid JSON",
        ),
        (Tool("tool", lambda call: call.complete(str(call.args()))), "7", "bad_arguments", "are a number"),
        (
            Tool("tool", lambda call: call.complete(str(ToolArgs(call).require_int("count")))),
            "{}",
            "bad_arguments",
            "argument 'count' is missing",
        ),
        (
            Tool("tool", lambda call: call.complete(str(call.ctx.service(list)))),
            "{}",
            "failed",
            "Numen has no list here",
        ),
    ],
)
async def test_whatever_goes_wrong_becomes_a_failed_result(
    tool: Tool, raw: str, outcome: str, message: str
) -> None:
    bench = Bench(tool)

    finished = await bench.run("tool", raw)

    assert finished.outcome == outcome
    assert message in finished.message
    assert json.loads(finished.content)["success"] is False
    assert [event.kind for event in bench.events] == ["tool_called", "tool_finished"]


async def test_bad_arguments_come_back_with_the_schema() -> None:
    schema = {"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]}
    tool = Tool("tool", lambda call: call.complete(str(ToolArgs(call).require_int("count"))), schema)

    finished = await Bench(tool).run("tool")

    assert json.loads(finished.content)["data"]["parameters"] == schema


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"hp": 20.0, "position": {"x": 1, "y": 64, "z": 2}, "task": None}, "hp 20.0, position 1 64 2"),
        ({"blocks": [1, 2], "total_found": 2}, "2 blocks, total found 2"),
        ({"state": "idle", "message": "No job is running."}, "No job is running."),
        ("<skill>\ntext</skill>", "<skill>"),
        ([1], "[1]"),
    ],
)
async def test_a_result_without_envelope_is_a_success_and_told_in_a_line(content: Any, message: str) -> None:
    text = content if isinstance(content, str) else json.dumps(content)
    finished = await Bench(Tool("tool", lambda call: call.complete(text))).run("tool")

    assert finished.ok
    assert finished.message == message
    assert finished.content == text


async def test_blank_arguments_are_an_empty_object_and_a_doubly_encoded_object_is_taken() -> None:
    tool = Tool("tool", lambda call: call.complete(json.dumps(call.args())))

    assert (await Bench(tool).run("tool", "  ")).content == "{}"
    assert (await Bench(tool).run("tool", '"{\\"x\\": 1}"')).content == '{"x": 1}'


async def test_an_unknown_tool_still_begins_and_ends_once_with_the_same_id() -> None:
    bench = Bench(Tool("mine", lambda call: call.complete("ok")))

    finished = await bench.run("mien", call_id="c9")

    assert finished.outcome == "unknown_tool"
    assert "did you mean mine?" in finished.message
    assert [(event.kind, event.call_id) for event in bench.events] == [
        ("tool_called", "c9"),
        ("tool_finished", "c9"),
    ]


async def test_a_tool_that_never_completes_is_given_up() -> None:
    kept: list[ToolCall] = []
    bench = Bench(Tool("tool", kept.append), backstop_s=0.01)

    finished = await bench.run("tool")

    assert finished.outcome == "timeout"
    assert json.loads(finished.content)["timed_out"] is True
    assert not kept[0].is_open


async def test_calls_run_one_after_another_in_the_order_they_came() -> None:
    steps: list[str] = []
    gate = asyncio.Event()

    async def invoke(call: ToolCall) -> str:
        steps.append(f"{call.id} in")
        if call.id == "a":
            await gate.wait()
        steps.append(f"{call.id} out")
        return "ok"

    bench = Bench(Tool("tool", invoke))
    running = [asyncio.create_task(bench.run("tool", call_id=each)) for each in ("a", "b")]
    while not steps:
        await asyncio.sleep(0)
    gate.set()
    await asyncio.gather(*running)

    assert steps == ["a in", "a out", "b in", "b out"]


async def test_a_cancelled_call_is_closed_and_told_and_its_late_result_ignored() -> None:
    kept: list[ToolCall] = []
    bench = Bench(Tool("tool", kept.append))
    running = asyncio.create_task(bench.run("tool"))
    while not kept:
        await asyncio.sleep(0)

    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    kept[0].complete("too late")

    last = bench.events[-1]
    assert isinstance(last, ToolFinished)
    assert last.outcome == "cancelled"
    assert (await bench.run("nothing")).outcome == "unknown_tool", "the next call still runs"


async def test_a_task_cancelled_under_a_tool_does_not_cancel_the_turn() -> None:
    async def invoke(call: ToolCall) -> None:
        work: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        work.cancel()
        await work

    finished = await Bench(Tool("tool", invoke)).run("tool")

    assert finished.outcome == "cancelled"
    assert json.loads(finished.content)["interrupted"] is True


async def test_an_anchor_is_none_while_the_body_is_not_in_the_world() -> None:
    body = object()
    places: list[Any] = [None, body]
    ctx = ToolContext(companion="Numen", find_anchor=lambda: places.pop(0))

    assert ctx.anchor() is None
    assert ctx.anchor() is body
