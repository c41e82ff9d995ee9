"""One call: its arguments, its context, its one completion."""

from __future__ import annotations

import logging
import threading
from typing import Any

import pytest

from numen.tool import BadArguments, ToolCall, ToolContext, ToolFailure, ToolRegistry


def call(raw: str = "", delivered: list[str] | None = None, ctx: ToolContext | None = None) -> ToolCall:
    deliver = (delivered if delivered is not None else []).append
    return ToolCall("c1", "dig", raw, ctx or ToolContext(companion="Numen"), deliver)


@pytest.mark.parametrize(
    ("raw", "arguments"),
    [
        ("", {}),
        ("  \n", {}),
        ("{}", {}),
        ("null", {}),
        ('{"x": 1, "y": null}', {"x": 1, "y": None}),
        ('"{\\"x\\": 1}"', {"x": 1}),
        ('""', {}),
        ('{"名": "矿石"}', {"名": "矿石"}),
    ],
)
def test_arguments_are_a_map_and_blank_is_an_empty_one(raw: str, arguments: dict[str, Any]) -> None:
    assert call(raw).args() == arguments
    assert call(raw).raw_args == raw


@pytest.mark.parametrize(
    ("raw", "fault"),
    [
        ("[1]", "the arguments are a list"),
        ("3", "the arguments are a number"),
        ("true", "the arguments are a boolean"),
        ('"dig here"', "the arguments are a JSON string"),
        ('"[1]"', "the arguments are a list"),
        ('{"x": }', "not valid JSON (Expecting value: line 1 column 7"),
        ('{"x": 1', "not valid JSON"),
        ("dig", "not valid JSON"),
    ],
)
def test_anything_but_an_object_is_a_fault_that_is_named(raw: str, fault: str) -> None:
    with pytest.raises(BadArguments) as caught:
        call(raw).args()

    assert fault in str(caught.value)
    assert "send one JSON object" in str(caught.value)


def test_only_the_first_completion_is_delivered_and_later_ones_are_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    delivered: list[str] = []
    one = call(delivered=delivered)
    with caplog.at_level(logging.INFO):
        one.complete("first")
        one.complete("second")

    assert delivered == ["first"]
    assert not one.is_open
    assert "late result of dig (c1) ignored" in caplog.text


def test_of_completions_from_many_threads_one_is_delivered() -> None:
    delivered: list[str] = []
    one = call(delivered=delivered)
    together = threading.Barrier(16)

    def complete(number: int) -> None:
        together.wait()
        one.complete(str(number))

    threads = [threading.Thread(target=complete, args=(number,)) for number in range(16)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()

    assert len(delivered) == 1


def test_a_closed_call_takes_no_completion() -> None:
    delivered: list[str] = []
    one = call(delivered=delivered)

    assert one.close()
    assert not one.close()
    one.complete("late")
    assert delivered == []


def test_the_context_lends_services_by_their_type() -> None:
    class Body: ...

    class Shelf: ...

    body = Body()
    ctx = ToolContext("Numen", owner="Alex", services={Body: body}, find_anchor=lambda: body)

    assert call(ctx=ctx).ctx.service(Body) is body
    assert ctx.anchor() is body
    assert ToolContext("Numen").anchor() is None
    with pytest.raises(ToolFailure, match="Numen has no Shelf here"):
        ctx.service(Shelf)


@pytest.mark.parametrize("name", ["dig", "dig_down", "dig-down", "digDown2", "x" * 64])
def test_names_every_endpoint_takes_are_accepted(name: str) -> None:
    registry = ToolRegistry()
    registry.register(odd(name, {"type": "object", "properties": {}}))

    assert name in registry


@pytest.mark.parametrize("schema", [{}, {"type": "string"}])
def test_a_schema_that_is_no_object_is_refused(schema: dict[str, Any]) -> None:
    registry = ToolRegistry()

    with pytest.raises(ValueError, match="must be of type object"):
        registry.register(odd("dig", schema))
    assert len(registry) == 0


def odd(name: str, schema: dict[str, Any]) -> Any:
    class Odd:
        description = "Odd."
        parameter_schema = schema

        def invoke(self, call: ToolCall) -> None: ...

    Odd.name = name  # type: ignore[attr-defined]
    return Odd()
