"""A typed function becomes a tool."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Annotated, Any, Literal

import pytest
from pydantic import AfterValidator, BaseModel, Field

from numen.tool import BadArguments, Dispatcher, TaskResult, ToolContext, ToolRegistry, tool

CTX = ToolContext(companion="Numen")


class Todo(BaseModel):
    content: str
    status: Literal["pending", "done"] = "pending"


def known(name: str) -> str:
    if name != "oak_log":
        raise ValueError("no block is called that; near: oak_log")
    return name


@tool
async def gather(
    ctx: ToolContext,
    block_ids: Annotated[list[str], Field(min_length=1)],
    count: Annotated[int, Field(ge=1, le=256)],
    radius: Annotated[int, Field(ge=1, le=96)] | None = None,
    mode: Literal["near", "far"] = "near",
    todos: list[Todo] | None = None,
    one: Annotated[str, AfterValidator(known)] = "oak_log",
) -> dict[str, Any]:
    """Gather blocks.

    Goes on until enough
    are held.

    Args:
        block_ids: Which blocks,
            all variants listed.
        count: How many items.
        radius (int): Where to look.

    Returns:
        What was gained.
    """
    return {"who": ctx.companion, "ids": block_ids, "count": count, "radius": radius, "mode": mode}


def test_the_schema_comes_from_hints_and_docstring() -> None:
    assert gather.name == "gather"
    assert gather.description == "Gather blocks. Goes on until enough are held. What was gained."
    assert gather.parameter_schema == {
        "type": "object",
        "properties": {
            "block_ids": {
                "type": "array",
                "items": {"type": "string"},
                "minItems": 1,
                "description": "Which blocks, all variants listed.",
            },
            "count": {"type": "integer", "minimum": 1, "maximum": 256, "description": "How many items."},
            "radius": {"type": "integer", "minimum": 1, "maximum": 96, "description": "Where to look."},
            "mode": {"type": "string", "enum": ["near", "far"], "default": "near"},
            "todos": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "content": {"type": "string"},
                        "status": {"type": "string", "enum": ["pending", "done"], "default": "pending"},
                    },
                    "required": ["content"],
                },
            },
            "one": {"type": "string", "default": "oak_log"},
        },
        "required": ["block_ids", "count"],
    }


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"block_ids": ["stone"], "count": 3}, {"block_ids": ["stone"], "count": 3}),
        ({"block_ids": "stone", "count": "3"}, {"block_ids": ["stone"], "count": 3}),
        ({"block_ids": '["a", "b"]', "count": 3.0}, {"block_ids": ["a", "b"], "count": 3}),
        ({"block_ids": "a, b", "count": 9999}, {"block_ids": ["a", "b"], "count": 256}),
        ({"block_ids": ["a"], "count": 0, "radius": None}, {"count": 1, "radius": None}),
        ({"block_ids": ["a"], "count": 1, "mode": "FAR"}, {"mode": "far"}),
        ({"block_ids": ["a"], "count": 1, "reason": "because"}, {"mode": "near"}),
        ({"block_ids": [7], "count": 1}, {"block_ids": ["7"]}),
    ],
)
def test_harmless_habits_of_models_are_taken(given: dict[str, Any], expected: dict[str, Any]) -> None:
    bound = gather.bind(given)

    assert {key: bound[key] for key in expected} == expected


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"count": 1},
            "argument 'block_ids' is missing; a list of texts with at least one entry was expected",
        ),
        ({"block_ids": [], "count": 1}, "argument 'block_ids' is []; a list of texts"),
        ({"block_ids": ["a"], "count": "many"}, "argument 'count' is \"many\"; a whole number from 1 to 256"),
        ({"block_ids": ["a"], "count": 2.5}, "argument 'count' is 2.5; a whole number"),
        (
            {"block_ids": ["a"], "count": 1, "mode": "x"},
            "argument 'mode' is \"x\"; one of near, far was expected",
        ),
        ({"block_id": ["a"], "count": 1}, "there is no argument 'block_id'; did you mean 'block_ids'?"),
        ({"block_ids": ["a"], "count": 1, "todos": [{}]}, "argument 'todos[0].content'"),
        (
            {"block_ids": ["a"], "count": 1, "one": "x"},
            "argument 'one': no block is called that; near: oak_log",
        ),
        (
            {},
            "argument 'block_ids' is missing; a list of texts with at least one entry was expected; ",
        ),
    ],
)
def test_what_cannot_be_taken_is_named(given: dict[str, Any], message: str) -> None:
    with pytest.raises(BadArguments) as caught:
        gather.bind(given)

    assert message in str(caught.value)


async def run(*tools: Any, name: str, raw: str = "{}") -> Any:
    registry = ToolRegistry()
    for each in tools:
        registry.register(each)
    finished = await Dispatcher(registry).run("c1", name, raw, CTX)
    return json.loads(finished.content)


async def test_the_context_is_handed_in_and_not_part_of_the_schema() -> None:
    result = await run(gather, name="gather", raw='{"block_ids": ["stone"], "count": 2}')

    assert result == {"who": "Numen", "ids": ["stone"], "count": 2, "radius": None, "mode": "near"}
    assert "ctx" not in gather.parameter_schema["properties"]


async def test_a_plain_function_runs_on_the_loop_unless_a_thread_is_asked_for() -> None:
    here = threading.get_ident()

    @tool
    def inline() -> dict[str, bool]:
        """Where am I?"""
        return {"same": threading.get_ident() == here}

    @tool(in_thread=True)
    def aside() -> dict[str, bool]:
        """Where am I?"""
        return {"same": threading.get_ident() == here}

    assert await run(inline, name="inline") == {"same": True}
    assert await run(aside, name="aside") == {"same": False}


async def test_a_background_job_returns_its_id_at_once() -> None:
    @tool
    async def mine() -> TaskResult:
        """Mine."""
        return TaskResult.accepted("t1", "mine", "mining has begun")

    registry = ToolRegistry()
    registry.register(mine)

    finished = await Dispatcher(registry).run("c1", "mine", "", CTX)

    assert finished.background
    assert json.loads(finished.content)["data"] == {"task_id": "t1", "task": "mine", "async": True}


def test_a_function_that_cannot_be_a_tool_is_refused_when_it_is_declared() -> None:
    def silent(x: int) -> None: ...

    def untyped(x) -> None:  # type: ignore[no-untyped-def]
        """Text."""

    def variadic(*xs: int) -> None:
        """Text."""

    def stray(x: int) -> None:
        """Text.

        Args:
            y: Not there.
        """

    for function, reason in (
        (silent, "no docstring"),
        (untyped, "no type"),
        (variadic, "by name"),
        (stray, "describes y"),
    ):
        with pytest.raises(TypeError, match=reason):
            tool(function)


async def test_a_decorated_function_can_still_be_called() -> None:
    assert (await gather(CTX, ["a"], 1))["ids"] == ["a"]
    assert asyncio.iscoroutinefunction(gather.function)
