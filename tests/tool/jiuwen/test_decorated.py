"""`@tool` in the openJiuwen layer, and `scan`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from numen.tool import BadArguments, Dispatcher, ToolContext, ToolRegistry, tool
from numen.tool.jiuwen import LocalFunction, ToolCard, observed_by, scan
from tests.tool.jiuwen.recorder import Recorder

CTX = ToolContext(companion="Numen")
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


@tool
async def double(n: int, times: int = 1) -> int:
    """Double a number.

    More than once, if wished.

    Args:
        n: The number.
    """
    return n * 2**times


async def dispatch(*tools: Any, name: str, raw: str = "{}") -> Any:
    registry = ToolRegistry()
    for each in tools:
        registry.register(each)
    content = (await Dispatcher(registry).run("c1", name, raw, CTX)).content
    return json.loads(content) if content[:1] in "{[0123456789" else content


def test_a_decorated_function_has_a_card_with_its_name_as_id() -> None:
    assert (double.card.id, double.card.name) == ("double", "double")
    assert double.card.description == double.description
    assert double.card.input_params["properties"] == {
        "n": {"type": "integer", "description": "The number."},
        "times": {"type": "integer", "default": 1, "description": "times"},
    }
    assert double.card.input_params["additionalProperties"] is False


async def test_a_decorated_function_is_invoked_with_a_map_or_by_the_engine() -> None:
    assert await double.invoke({"n": 2}) == 4
    assert await double.invoke({"n": 2, "times": 2}, {"session": "s"}) == 8
    assert await dispatch(double, name="double", raw='{"n": "3"}') == 6


async def test_a_decorated_generator_streams() -> None:
    @tool
    def count(to: int) -> Iterator[int]:
        """Count."""
        yield from range(to)

    assert [each async for each in count.stream({"to": 3})] == [0, 1, 2]


async def test_name_description_and_schema_may_be_given() -> None:
    @tool(name="twice", description="Doubles.", input_params=SCHEMA, stateless=True)
    def anything(n):  # type: ignore[no-untyped-def]
        return n * 2

    assert (anything.name, anything.description) == ("twice", "Doubles.")
    assert anything.parameter_schema == SCHEMA
    assert anything.card == ToolCard("twice", "twice", "Doubles.", SCHEMA, stateless=True)
    assert await anything.invoke({"n": 4}) == 8
    assert await dispatch(anything, name="twice", raw='{"n": "4"}') == 8


async def test_a_given_schema_is_checked_for_the_engine_too() -> None:
    @tool(description="Doubles.", input_params=SCHEMA)
    def twice(n):  # type: ignore[no-untyped-def]
        return n * 2

    result = await dispatch(twice, name="twice")

    assert result["success"] is False
    assert result["message"] == "Missing required field: n"
    assert result["data"]["parameters"] == SCHEMA


async def test_a_card_brings_all_three_and_is_left_as_it_is() -> None:
    card = ToolCard("id-1", "twice", "Doubles.", SCHEMA, {"p": 1}, idempotent=True)

    @tool(card=card)
    def plain(n: int) -> int:
        return n * 2

    @tool(card=card, name="two_times")
    def renamed(n: int) -> int:
        return n * 2

    assert plain.card is card
    assert (plain.name, plain.description, plain.parameter_schema) == ("twice", "Doubles.", SCHEMA)
    assert renamed.card == card.altered(name="two_times")
    assert card.name == "twice"


async def test_without_extraction_nothing_is_read_from_the_function() -> None:
    @tool(auto_extract=False)
    def ping(whatever=7):  # type: ignore[no-untyped-def]
        """Ping.

        Args:
            nothing: Of the sort.
        """
        return f"pong {whatever}"

    assert ping.description == "Ping. Args: nothing: Of the sort."
    assert ping.parameter_schema == {"type": "object", "properties": {}}
    assert await ping.invoke() == "pong 7"
    assert await dispatch(ping, name="ping") == "pong 7"


def test_a_description_stands_in_for_a_docstring() -> None:
    @tool(description="Jumps.")
    def jump(times: int) -> None: ...

    assert jump.description == "Jumps."
    with pytest.raises(TypeError, match="no docstring"):

        @tool(name="hop")
        def hop(times: int) -> None: ...


async def test_what_takes_none_may_be_left_out() -> None:
    @tool
    def greet(name: str, title: str | None) -> str:
        """Greet."""
        return f"{title} {name}"

    assert greet.parameter_schema["required"] == ["name"]
    assert greet.bind({"name": "Alex"}) == {"name": "Alex", "title": None}
    with pytest.raises(BadArguments, match="'name' is missing"):
        greet.bind({})


class Base:
    @tool
    def first(self) -> str:
        """The first."""
        return "base"

    @tool
    def second(self) -> str:
        """The second."""
        return "base"


class Toolbox(Base):
    def __init__(self, words: str) -> None:
        self.words = words

    @tool
    def say(self, loud: bool = False) -> str:
        """Say the words.

        Args:
            loud: With all might.
        """
        return self.words.upper() if loud else self.words

    @tool(name="number")
    @staticmethod
    def _number() -> int:
        """A number."""
        return 7

    @staticmethod
    @tool
    def other() -> int:
        """Another number."""
        return 8

    @classmethod
    @tool
    def kind(cls) -> str:
        """The kind of box."""
        return cls.__name__

    @tool
    def second(self) -> str:
        """The second, again."""
        return self.words

    def untouched(self) -> None:
        """Not a tool."""


async def test_scanning_an_object_finds_its_tools_in_order_base_first() -> None:
    found = scan(Toolbox("hello"))

    assert all(isinstance(each, LocalFunction) for each in found)
    assert [each.card.name for each in found] == ["first", "second", "say", "number", "other", "kind"]
    assert [each.card.id for each in found] == [each.card.name for each in found]
    results = [await each.invoke() for each in found]
    assert results == ["base", "hello", "hello", 7, 8, "Toolbox"]


def test_scanning_a_class_finds_only_what_needs_no_object() -> None:
    assert [each.card.name for each in scan(Toolbox)] == ["number", "other", "kind"]


async def test_a_scanned_tool_converts_checks_and_describes_its_arguments() -> None:
    say = next(each for each in scan(Toolbox("hello")) if each.card.name == "say")

    assert say.card.description == "Say the words."
    assert say.card.input_params["properties"] == {
        "loud": {"type": "boolean", "default": False, "description": "With all might."}
    }
    assert await say.invoke({"loud": True}) == "HELLO"


async def test_two_objects_of_a_class_have_tools_of_their_own() -> None:
    one, other = Toolbox("one"), Toolbox("other")

    assert await one.say.invoke({}) == "one"
    assert await other.say.invoke({}) == "other"
    assert one.say() == "one"


async def test_scanned_tools_can_be_registered_as_they_are() -> None:
    assert await dispatch(*scan(Toolbox("hello")), name="say", raw='{"loud": true}') == "HELLO"


def test_something_else_in_a_subclass_is_no_tool_any_more() -> None:
    class Quiet(Toolbox):
        say = None  # type: ignore[assignment]

    assert "say" not in [each.card.name for each in scan(Quiet("x"))]


async def test_the_calls_of_a_decorated_function_are_observed_either_way() -> None:
    recorder = Recorder()
    life = ["tool_call_started", "tool_parse_started", "tool_parse_finished", "tool_call_finished"]

    with observed_by(recorder):
        await double.invoke({"n": 2})
        assert await dispatch(double, name="double", raw='{"n": 2}') == 4

    assert recorder.events() == ["tool_invoke_input", *life, "tool_invoke_output"] * 2
    assert [each["result"] for each in recorder.payloads("tool_call_finished")] == [4, 4]
