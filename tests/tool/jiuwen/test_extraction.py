"""Schemas and descriptions read from functions."""

from __future__ import annotations

import datetime
import decimal
import enum
import pathlib
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Optional, TypeVar, Union

import pytest
from pydantic import BaseModel, Field

from numen.tool import ToolContext
from numen.tool.extract import humanise, read_docstring
from numen.tool.jiuwen import JiuwenError, LocalFunction, StatusCode, ToolCard, ToolInfo

T = TypeVar("T")


class Colour(enum.Enum):
    """A colour of wool."""

    RED = "red"
    BLUE = "blue"


class Inner(BaseModel):
    n: int
    kind: Literal["a", "b"] = "a"


class Outer(BaseModel):
    inner: Inner
    several: list[Inner] = []


@dataclass
class Spot:
    x: int
    y: int = 64


class Plain:
    """A class pydantic knows nothing of."""


def property_of(hint: Any) -> dict[str, Any]:
    def function(value: Any) -> None: ...

    function.__annotations__ = {"value": hint}
    declared: dict[str, Any] = LocalFunction.of(function).card.input_params["properties"]["value"]
    return {key: value for key, value in declared.items() if key != "description"}


INNER = {
    "type": "object",
    "properties": {
        "n": {"type": "integer"},
        "kind": {"type": "string", "enum": ["a", "b"], "default": "a"},
    },
    "required": ["n"],
}


@pytest.mark.parametrize(
    ("hint", "schema"),
    [
        (str, {"type": "string"}),
        (int, {"type": "integer"}),
        (float, {"type": "number"}),
        (bool, {"type": "boolean"}),
        (Any, {}),
        (list[int], {"type": "array", "items": {"type": "integer"}}),
        (set[str], {"type": "array", "items": {"type": "string"}, "uniqueItems": True}),
        (tuple[int, ...], {"type": "array", "items": {"type": "integer"}}),
        (
            tuple[int, str],
            {
                "type": "array",
                "items": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
                "minItems": 2,
                "maxItems": 2,
            },
        ),
        (tuple[float, float], {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}),
        (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (Sequence[str], {"type": "array", "items": {"type": "string"}}),
        (Mapping[str, bool], {"type": "object", "additionalProperties": {"type": "boolean"}}),
        (Optional[int], {"type": "integer", "nullable": True, "default": None}),  # noqa: UP045
        (int | None, {"type": "integer", "nullable": True, "default": None}),
        (Union[int, str], {"anyOf": [{"type": "integer"}, {"type": "string"}]}),  # noqa: UP007
        (
            int | str | None,
            {"anyOf": [{"type": "integer"}, {"type": "string"}], "nullable": True, "default": None},
        ),
        (Literal["near", "far"], {"type": "string", "enum": ["near", "far"]}),
        (Literal["only"], {"type": "string", "enum": ["only"]}),
        (Colour, {"type": "string", "enum": ["red", "blue"]}),
        (Inner, INNER),
        (
            Outer,
            {
                "type": "object",
                "properties": {
                    "inner": INNER,
                    "several": {"type": "array", "items": INNER, "default": []},
                },
                "required": ["inner"],
            },
        ),
        (
            Spot,
            {
                "type": "object",
                "properties": {"x": {"type": "integer"}, "y": {"type": "integer", "default": 64}},
                "required": ["x"],
            },
        ),
        (Annotated[int, Field(ge=1, le=9)], {"type": "integer", "minimum": 1, "maximum": 9}),
        (datetime.datetime, {"type": "string", "format": "date-time"}),
        (datetime.date, {"type": "string", "format": "date"}),
        (datetime.time, {"type": "string", "format": "time"}),
        (uuid.UUID, {"type": "string", "format": "uuid"}),
        (pathlib.Path, {"type": "string", "format": "path"}),
        (bytes, {"type": "string", "format": "binary"}),
        (decimal.Decimal, {"type": "number"}),
        (T, {}),
        (Plain, {"type": "object"}),
    ],
    ids=str,
)
def test_every_type_has_its_schema(hint: Any, schema: dict[str, Any]) -> None:
    assert property_of(hint) == schema


def test_required_is_what_has_no_default_and_takes_no_null() -> None:
    def mine(block: str, count: int = 1, near: int | None = None) -> None: ...

    def rest(block: str, owner: str | None) -> None: ...

    assert LocalFunction.of(mine).card.input_params["required"] == ["block"]
    assert LocalFunction.of(rest).card.input_params["required"] == ["block"]
    assert "required" not in LocalFunction.of(lambda: 1).card.input_params


async def test_an_optional_parameter_that_is_left_out_is_none() -> None:
    def greet(name: str, title: str | None) -> str:
        return f"{title} {name}"

    assert await LocalFunction.of(greet).invoke({"name": "Alex"}) == "None Alex"


def test_a_schema_is_closed_and_titled_and_every_parameter_described() -> None:
    def placeTorchOn(block_id: str, maxCount: int = 4) -> None:
        """Place torches.

        Args:
            block_id: On which block.
        """

    assert LocalFunction.of(placeTorchOn).card.input_params == {
        "type": "object",
        "title": "place torch on",
        "properties": {
            "block_id": {"type": "string", "description": "On which block."},
            "maxCount": {"type": "integer", "default": 4, "description": "max count"},
        },
        "required": ["block_id"],
        "additionalProperties": False,
    }


async def test_varargs_open_the_schema_and_are_spread() -> None:
    def total(first: int, *values: int, scale: int = 1, **rest: int) -> tuple[int, dict[str, int]]:
        return (first + sum(values)) * scale, rest

    tool = LocalFunction.of(total)

    assert tool.card.input_params["additionalProperties"] is True
    assert list(tool.card.input_params["properties"]) == ["first", "scale"]
    assert await tool.invoke({"first": 1, "values": [2, 3], "scale": 2, "more": 7}) == (12, {"more": 7})
    assert await tool.invoke({"first": 1}) == (1, {})


async def test_a_place_only_parameter_is_given_by_place() -> None:
    def power(base: int, /, exponent: int = 2) -> int:
        return base**exponent  # type: ignore[no-any-return]

    assert await LocalFunction.of(power).invoke({"base": 3}) == 9


async def test_names_that_mean_something_to_the_schema_are_only_names() -> None:
    def odd(copy: int, schema: str, _hidden: int = 3, model_config: str = "m", json: bool = True) -> Any:
        return copy, schema, _hidden, model_config, json

    tool = LocalFunction.of(odd)

    assert list(tool.card.input_params["properties"]) == ["copy", "schema", "_hidden", "model_config", "json"]
    assert await tool.invoke({"copy": 1, "schema": "s", "_hidden": 9}) == (1, "s", 9, "m", True)


async def test_inputs_arrive_as_the_types_of_the_parameters() -> None:
    def build(what: Outer, colour: Colour, at: Spot, when: datetime.date, where: tuple[int, int]) -> Any:
        return what, colour, at, when, where

    result = await LocalFunction.of(build).invoke(
        {
            "what": {"inner": {"n": 1}},
            "colour": "blue",
            "at": {"x": 3},
            "when": "2024-06-13",
            "where": [1, 2],
        }
    )

    assert result == (Outer(inner=Inner(n=1)), Colour.BLUE, Spot(3), datetime.date(2024, 6, 13), (1, 2))


async def test_what_cannot_be_converted_is_an_invalid_input() -> None:
    def on(day: datetime.date) -> None: ...

    with pytest.raises(JiuwenError, match="day") as caught:
        await LocalFunction.of(on).invoke({"day": "some day"})

    assert caught.value.status is StatusCode.SCHEMA_VALIDATE_INVALID


async def test_the_context_parameter_is_filled_from_the_options() -> None:
    def who(ctx: ToolContext, loud: bool = False) -> str:
        return ctx.companion

    tool = LocalFunction.of(who)

    assert list(tool.card.input_params["properties"]) == ["loud"]
    assert await tool.invoke({}, {"context": ToolContext(companion="Numen")}) == "Numen"
    with pytest.raises(JiuwenError, match="needs a ToolContext"):
        await tool.invoke({})


def documented(x: int) -> None:
    """Find ore
    near here.

    Slow underground.

    Args:
        x: Where,
            roughly.

    Returns:
        What was found.
    """


def short(x: int) -> None:
    """Find ore.
    note: this line is none of it
    """


def sphinx(x: int, y: int) -> None:
    """Find ore.

    :param x: Where,
        roughly.
    :param int y: How deep.
    :returns: What was found.
    """


def test_the_first_paragraph_describes_and_the_argument_block_names() -> None:
    tool = LocalFunction.of(documented)

    assert tool.card.description == "Find ore near here."
    assert tool.card.input_params["properties"]["x"]["description"] == "Where, roughly."
    assert LocalFunction.of(short).card.description == "Find ore."


def test_parameters_may_be_described_in_sphinx_lines() -> None:
    assert read_docstring(sphinx).parameters == {"x": "Where, roughly.", "y": "How deep."}
    assert LocalFunction.of(sphinx).card.description == "Find ore."


def test_without_a_docstring_the_name_describes() -> None:
    def digDownTo(y: int) -> None: ...

    assert LocalFunction.of(digDownTo).card.description == "dig down to"
    assert LocalFunction.of(digDownTo, auto_extract=False).card.description == "Function digDownTo"
    assert LocalFunction.of(documented, auto_extract=False).card.description.startswith(
        "Find ore near here. Slow underground. Args:"
    )


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("maxItemCount", "max item count"),
        ("max_item_count", "max item count"),
        ("HTTPServer", "http server"),
        ("x", "x"),
        ("_hidden", "hidden"),
        ("place-torch", "place torch"),
    ],
)
def test_a_name_in_words(name: str, words: str) -> None:
    assert humanise(name) == words


def test_id_and_name_are_those_of_the_function_unless_given() -> None:
    assert (LocalFunction.of(short).card.id, LocalFunction.of(short).card.name) == ("short", "short")
    assert LocalFunction.of(short, name="find").card.id == "find"


def test_what_is_given_goes_before_what_is_read() -> None:
    schema = {"type": "object", "properties": {"x": {"type": "number"}}}
    tool = LocalFunction.of(
        documented, name="find", description="Finds.", input_params=schema, stateless=True
    )

    assert tool.card == ToolCard("find", "find", "Finds.", schema, stateless=True)


def test_without_extraction_a_tool_takes_no_arguments() -> None:
    assert LocalFunction.of(documented, auto_extract=False).card.input_params == {
        "type": "object",
        "properties": {},
    }


def test_a_function_that_cannot_be_read_takes_no_arguments_and_says_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def puzzling(x: "NoSuchType") -> None: ...  # type: ignore[name-defined]  # noqa: F821, UP037

    tool = LocalFunction.of(puzzling)

    assert tool.card.input_params == {"type": "object", "properties": {}}
    assert "puzzling" in caplog.text


def test_a_given_card_is_used_as_it_is() -> None:
    given = ToolCard("id-9", "find", "Finds.", {"type": "object", "properties": {}})

    assert LocalFunction.of(documented, card=given).card is given


def test_a_given_card_with_something_else_beside_it_is_copied_and_stays_as_it_was() -> None:
    given = ToolCard("id-9", "find", "Finds.", {"type": "object"}, {"p": 1}, idempotent=True)

    changed = LocalFunction.of(documented, card=given, name="seek", description="Seeks.").card

    assert changed == given.altered(name="seek", description="Seeks.")
    assert changed is not given
    assert given == ToolCard("id-9", "find", "Finds.", {"type": "object"}, {"p": 1}, idempotent=True)


def test_an_empty_schema_on_a_given_card_is_read_from_the_function() -> None:
    given = ToolCard("id-9", "find", "Finds.")

    card = LocalFunction.of(documented, card=given).card

    assert list(card.input_params["properties"]) == ["x"]
    assert given.input_params == {}


def test_the_info_of_a_function_made_a_tool() -> None:
    def add(a: int, b: int = 2) -> int:
        """Add."""
        return a + b

    assert LocalFunction.of(add).card.tool_info() == ToolInfo(
        "function",
        "add",
        "Add.",
        {
            "type": "object",
            "title": "add",
            "properties": {
                "a": {"type": "integer", "description": "a"},
                "b": {"type": "integer", "default": 2, "description": "b"},
            },
            "required": ["a"],
            "additionalProperties": False,
        },
    )
