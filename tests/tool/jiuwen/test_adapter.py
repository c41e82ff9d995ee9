"""Any Tool runs in the engine, any NumenTool in the openJiuwen layer, and every call is told alike."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest

from numen.tool import (
    BadArguments,
    Dispatcher,
    DuplicateTool,
    NumenTool,
    TaskResult,
    ToolCall,
    ToolContext,
    ToolFailure,
    ToolFinished,
    ToolRegistry,
    tool,
)
from numen.tool.jiuwen import (
    AbortCall,
    Callbacks,
    JiuwenError,
    LocalFunction,
    McpToolCard,
    StatusCode,
    Tool,
    ToolCallEvents,
    ToolCard,
    as_numen_tool,
    as_tool,
    current_session,
    fault,
    observed_by,
)
from numen.tool.jiuwen.adapter import model_name
from tests.tool.jiuwen.recorder import Recorder

CTX = ToolContext(companion="Numen")
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"n": {"type": "integer", "title": "N", "maximum": 9}, "to": {"type": "string"}},
    "required": ["n"],
    "additionalProperties": False,
}
LIFE = [
    "tool_invoke_input",
    "tool_call_started",
    "tool_parse_started",
    "tool_parse_finished",
    "tool_call_finished",
    "tool_invoke_output",
]


async def dispatch(each: Any, raw: str = "{}", **options: Any) -> ToolFinished:
    registry = ToolRegistry()
    registry.register(each)
    return await Dispatcher(registry, **options).run("c1", registry.all()[0].name, raw, CTX)


def doubling(schema: Mapping[str, Any] = SCHEMA) -> LocalFunction:
    return LocalFunction(ToolCard("d-1", "double", "Doubles.", dict(schema)), lambda inputs: inputs["n"] * 2)


class ByHand:
    """A NumenTool written as a class, that completes from another thread."""

    name = "by_hand"
    description = "Echoes."
    parameter_schema: Mapping[str, Any] = {"type": "object", "properties": {"n": {"type": "integer"}}}

    def invoke(self, call: ToolCall) -> None:
        args = call.args()
        threading.Thread(target=lambda: call.complete(TaskResult.ok("done", args).to_json())).start()


async def test_a_tool_is_a_numen_tool_with_the_schema_an_endpoint_takes() -> None:
    adapted = as_numen_tool(doubling())

    assert isinstance(adapted, NumenTool)
    assert (adapted.name, adapted.description) == ("double", "Doubles.")
    assert adapted.parameter_schema == {
        "type": "object",
        "properties": {"n": {"type": "integer", "maximum": 9}, "to": {"type": "string"}},
        "required": ["n"],
    }


@pytest.mark.parametrize(("raw", "result"), [('{"n": 4}', "8"), ('{"n": "4"}', "8"), ('{"n": 400}', "18")])
async def test_the_harmless_habits_of_models_are_taken_for_any_tool(raw: str, result: str) -> None:
    finished = await dispatch(doubling(), raw)

    assert (finished.outcome, finished.content) == ("ok", result)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ("{}", "Missing required field: n"),
        ('{"n": "many"}', "n: 'many' is not of type 'integer'"),
        ('{"n": 1, "m": 2}', "Unexpected keyword argument: m"),
        ("[1]", "the arguments are a list; send one JSON object"),
        ("{n}", "the arguments are not valid JSON"),
    ],
)
async def test_bad_arguments_come_back_with_the_schema(raw: str, message: str) -> None:
    finished = await dispatch(doubling(), raw)

    assert finished.outcome == "bad_arguments"
    assert message in finished.message
    assert json.loads(finished.content)["data"]["parameters"]["required"] == ["n"]


async def test_a_fault_with_a_code_reaches_the_model_with_it() -> None:
    def broken(inputs: dict[str, Any]) -> None:
        raise fault(StatusCode.TOOL_EXECUTION_ERROR, card="c", reason="out of bread", details={"bread": 0})

    result = json.loads((await dispatch(LocalFunction(ToolCard("b", "bake"), broken))).content)

    assert result["message"] == "[182012] tool failed, card: c, reason: out of bread"
    assert result["data"] == {"code": 182012, "bread": 0}


async def test_any_other_error_is_a_failed_call_and_not_a_crash() -> None:
    def broken(inputs: dict[str, Any]) -> None:
        raise ZeroDivisionError("by nothing")

    finished = await dispatch(LocalFunction(ToolCard("b", "bake"), broken))

    assert finished.outcome == "failed"
    assert "ZeroDivisionError: by nothing" in finished.message


async def test_a_tool_that_only_streams_is_collected() -> None:
    async def numbers(inputs: dict[str, Any]) -> AsyncIterator[int]:
        yield 1
        yield 2

    async def words(inputs: dict[str, Any]) -> AsyncIterator[str]:
        yield "to"
        yield "gether"

    assert json.loads((await dispatch(LocalFunction(ToolCard("n", "numbers"), numbers))).content) == [1, 2]
    assert (await dispatch(LocalFunction(ToolCard("w", "words"), words))).content == "together"


async def test_a_tool_learns_who_calls() -> None:
    def who(inputs: dict[str, Any], kwargs: dict[str, Any]) -> Any:
        return {"by": kwargs["context"].companion, "id": kwargs["call_id"], "same": current_session() is CTX}

    result = json.loads((await dispatch(LocalFunction(ToolCard("w", "who"), who))).content)

    assert result == {"by": "Numen", "id": "c1", "same": True}


@pytest.mark.parametrize(
    ("card", "name"),
    [
        (ToolCard("i", "search_web"), "search_web"),
        (ToolCard("i", "Search the web!"), "Search_the_web"),
        (ToolCard("i", "搜索"), "tool"),
        (ToolCard("abc", ""), "abc"),
        (ToolCard("i", "9lives"), "tool_9lives"),
        (ToolCard("i", "x" * 80), "x" * 64),
        (McpToolCard("i", "add", server_name="calc"), "mcp_calc_add"),
        (McpToolCard("i", "a.b/c", server_name="my server"), "mcp_my_server_a_b_c"),
    ],
)
def test_a_name_an_endpoint_takes_is_made_from_the_card(card: ToolCard, name: str) -> None:
    assert model_name(card) == name


def test_the_same_declaration_is_registered_once_and_another_is_a_conflict() -> None:
    registry = ToolRegistry()
    registry.register(doubling())
    registry.register(doubling())

    assert len(registry) == 1
    with pytest.raises(DuplicateTool):
        registry.register(doubling({"type": "object", "properties": {}}))
    with pytest.raises(DuplicateTool):
        registry.register(LocalFunction(ToolCard("other-id", "double", "Doubles.", SCHEMA), lambda inputs: 1))
    assert registry.resolve("double").parameter_schema["required"] == ["n"]


async def test_a_numen_tool_is_a_tool_whose_result_is_its_text() -> None:
    adapted = as_tool(ByHand(), CTX)

    assert isinstance(adapted, Tool)
    assert adapted.card.name == adapted.card.id == "by_hand"
    assert (adapted.card.parallel_safe, adapted.card.idempotent) == (False, False)
    assert adapted.card.tool_info().parameters == ByHand.parameter_schema
    result = json.loads(await adapted.invoke({"n": 1}))
    assert result == {"success": True, "message": "done", "data": {"n": 1}}


async def test_a_numen_tool_fails_as_a_tool_with_what_it_raised() -> None:
    @tool
    def fail() -> None:
        """Fail."""
        raise ToolFailure("no bread", {"bread": 0})

    with pytest.raises(ToolFailure, match="no bread"):
        await as_tool(fail, CTX).invoke()
    with pytest.raises(BadArguments, match="'n' is missing"):
        await as_tool(count, CTX).invoke()
    with pytest.raises(JiuwenError, match="needs a ToolContext"):
        await as_tool(ByHand()).invoke()
    with pytest.raises(JiuwenError) as caught:
        await as_tool(ByHand(), CTX).stream()
    assert caught.value.status is StatusCode.TOOL_STREAM_NOT_SUPPORTED


@tool
def count(n: int) -> int:
    """Count."""
    return n


async def test_there_and_back_again_is_the_same_tool() -> None:
    there = doubling()
    by_hand = ByHand()

    assert as_tool(as_numen_tool(there)) is there
    assert as_numen_tool(as_tool(by_hand, CTX)) is by_hand


@pytest.mark.parametrize("make", [doubling, ByHand, lambda: count], ids=["openJiuwen", "class", "@tool"])
async def test_every_call_is_told_the_same_whoever_wrote_the_tool(make: Any) -> None:
    recorder = Recorder()
    each = make()

    with observed_by(recorder):
        finished = await dispatch(each, '{"n": 1}')

    assert finished.ok
    assert recorder.events() == LIFE
    assert recorder.payload("tool_invoke_input")["inputs"] == {"n": 1}
    assert recorder.payload("tool_parse_finished")["formatted_inputs"]["n"] == 1
    assert recorder.payload("tool_call_started")["inputs"][1]["call_id"] == "c1"


@pytest.mark.parametrize("make", [doubling, ByHand, lambda: count], ids=["openJiuwen", "class", "@tool"])
@pytest.mark.parametrize("raw", ["[1]", "{n}"])
async def test_arguments_nobody_can_read_are_told_as_an_error(make: Any, raw: str) -> None:
    recorder = Recorder()

    with observed_by(recorder):
        finished = await dispatch(make(), raw)

    assert finished.outcome == "bad_arguments"
    assert recorder.events()[:2] == ["tool_invoke_input", "tool_call_started"]
    assert recorder.events()[-1] == "tool_call_error"
    assert isinstance(recorder.payload("tool_call_error")["error"], BadArguments)


@pytest.mark.parametrize("make", [doubling, ByHand, lambda: count], ids=["openJiuwen", "class", "@tool"])
async def test_transforms_reach_every_tool(make: Any) -> None:
    recorder = Recorder(
        {
            "tool_invoke_input": lambda payload: {"inputs": {"n": 3}},
            "tool_invoke_output": lambda payload: {"changed": True},
        }
    )

    with observed_by(recorder):
        finished = await dispatch(make(), '{"n": 1}')

    assert json.loads(finished.content) == {"changed": True}
    assert recorder.payload("tool_parse_finished")["formatted_inputs"]["n"] == 3


async def test_each_dispatcher_may_have_an_observer_of_its_own() -> None:
    one, other = Recorder(), Recorder()

    await asyncio.gather(
        dispatch(doubling(), '{"n": 1}', callbacks=one), dispatch(count, '{"n": 2}', callbacks=other)
    )

    assert one.payload("tool_call_finished")["result"] == 2
    assert other.payload("tool_call_finished")["result"] == 2
    assert [each["tool_name"] for each in one.payloads("tool_call_started")] == ["double"]
    assert [each["tool_name"] for each in other.payloads("tool_call_started")] == ["count"]


@pytest.mark.parametrize("make", [doubling, ByHand, lambda: count], ids=["openJiuwen", "class", "@tool"])
async def test_an_abort_refuses_the_call_with_its_reason(make: Any) -> None:
    callbacks = Callbacks()

    @callbacks.on(ToolCallEvents.TOOL_CALL_STARTED)
    def gate(payload: Mapping[str, Any]) -> None:
        raise AbortCall("the owner said no")

    finished = await dispatch(make(), '{"n": 1}', callbacks=callbacks)

    assert finished.outcome == "failed"
    assert "the owner said no" in finished.message


async def test_a_call_that_ends_with_a_failure_in_its_text_is_finished_and_not_an_error() -> None:
    @tool
    def dig() -> TaskResult:
        """Dig."""
        return TaskResult.fail("too hard")

    recorder = Recorder()
    with observed_by(recorder):
        finished = await dispatch(dig)

    assert finished.outcome == "failed"
    assert recorder.events()[-2:] == ["tool_call_finished", "tool_invoke_output"]


async def test_without_an_observer_nothing_is_told_and_results_are_the_same() -> None:
    assert (await dispatch(doubling(), '{"n": 2}')).content == "4"
    assert (await dispatch(count, '{"n": 2}')).content == "2"
    assert (await dispatch(ByHand(), '{"n": 2}')).ok
