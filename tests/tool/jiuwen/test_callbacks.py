"""The callback framework."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from numen.tool.jiuwen import (
    AbortCall,
    Callbacks,
    FilterAction,
    JiuwenError,
    LocalFunction,
    StatusCode,
    ToolCallEvents,
    ToolCard,
    observed_by,
)

Payload = Mapping[str, Any]
STARTED = ToolCallEvents.TOOL_CALL_STARTED


def adder() -> LocalFunction:
    return LocalFunction(ToolCard("a", "add"), lambda inputs: inputs["a"] + 1)


def test_events_of_the_framework_carry_its_scope() -> None:
    names = [value for key, value in vars(ToolCallEvents).items() if key.startswith("TOOL_")]

    assert len(names) == 11
    assert all(each.startswith("_framework:tool_") for each in names)


async def test_callbacks_run_by_priority_then_in_order_of_registration() -> None:
    callbacks = Callbacks()
    heard: list[str] = []
    for name, priority in (("a", 0), ("b", 5), ("c", 0), ("d", 10)):
        callbacks.on(STARTED, priority=priority)(lambda payload, name=name: heard.append(name))

    await callbacks.trigger(STARTED, {})

    assert heard == ["d", "b", "a", "c"]


async def test_an_event_may_be_named_without_its_scope() -> None:
    callbacks = Callbacks()

    @callbacks.on("tool_call_started")
    async def heard(payload: Payload) -> str:
        return payload["tool_name"]

    assert await callbacks.trigger(STARTED, {"tool_name": "add"}) == ["add"]


async def test_a_payload_cannot_be_written_to() -> None:
    callbacks = Callbacks()
    failed: list[str] = []

    @callbacks.on(STARTED)
    def write(payload: Any) -> None:
        try:
            payload["tool_name"] = "other"
        except TypeError:
            failed.append("refused")

    await callbacks.trigger(STARTED, {"tool_name": "add"})

    assert failed == ["refused"]


async def test_once_is_once() -> None:
    callbacks = Callbacks()
    callbacks.on(STARTED, once=True)(lambda payload: 1)

    assert await callbacks.trigger(STARTED, {}) == [1]
    assert await callbacks.trigger(STARTED, {}) == []


async def test_a_filter_may_skip_one_or_stop_the_rest() -> None:
    callbacks = Callbacks()

    def only_add(event: str, payload: Payload) -> FilterAction:
        return FilterAction.CONTINUE if payload["tool_name"] == "add" else FilterAction.SKIP

    def stop_at_dig(event: str, payload: Payload) -> FilterAction:
        return FilterAction.STOP if payload["tool_name"] == "dig" else FilterAction.CONTINUE

    callbacks.on(STARTED, filters=[only_add])(lambda payload: "first")
    callbacks.on(STARTED, filters=[stop_at_dig])(lambda payload: "second")
    callbacks.on(STARTED)(lambda payload: "third")

    assert await callbacks.trigger(STARTED, {"tool_name": "add"}) == ["first", "second", "third"]
    assert await callbacks.trigger(STARTED, {"tool_name": "say"}) == ["second", "third"]
    assert await callbacks.trigger(STARTED, {"tool_name": "dig"}) == []


async def test_a_failed_callback_is_tried_again_and_then_let_go(caplog: pytest.LogCaptureFixture) -> None:
    callbacks = Callbacks()
    tries: list[int] = []

    @callbacks.on(STARTED, retries=2)
    def broken(payload: Payload) -> None:
        tries.append(1)
        raise ValueError("no luck")

    callbacks.on(STARTED)(lambda payload: "still heard")

    assert await callbacks.trigger(STARTED, {"inputs": "hunter2"}) == ["still heard"]
    assert len(tries) == 3
    assert "no luck" in caplog.text
    assert "hunter2" not in caplog.text


async def test_a_slow_callback_is_given_up() -> None:
    callbacks = Callbacks()

    @callbacks.on(STARTED, timeout_s=0.01)
    async def slow(payload: Payload) -> None:
        await asyncio.Event().wait()

    assert await callbacks.trigger(STARTED, {}) == []


async def test_callbacks_are_forgotten_by_event_function_namespace_or_tag() -> None:
    callbacks = Callbacks()

    def first(payload: Payload) -> str:
        return "first"

    callbacks.on(STARTED, namespace="mine")(first)
    callbacks.on(STARTED, tags=["audit"])(lambda payload: "second")
    callbacks.on(STARTED)(lambda payload: "third")

    assert callbacks.off(STARTED, first, namespace="other") == 0
    assert callbacks.off(namespace="mine") == 1
    assert callbacks.off(tag="audit") == 1
    assert await callbacks.trigger(STARTED, {}) == ["third"]
    assert callbacks.off(STARTED) == 1


async def test_a_plain_callback_replaces_nothing_and_of_transforms_the_last_one_counts() -> None:
    callbacks = Callbacks()
    callbacks.on(ToolCallEvents.TOOL_INVOKE_OUTPUT)(lambda payload: "plain")

    with observed_by(callbacks):
        assert await adder().invoke({"a": 1}) == 2

        callbacks.on(ToolCallEvents.TOOL_INVOKE_OUTPUT, kind="transform")(lambda payload: 10)
        callbacks.on(ToolCallEvents.TOOL_INVOKE_OUTPUT, kind="transform")(lambda payload: 20)
        assert await adder().invoke({"a": 1}) == 20


async def test_what_a_callback_raises_does_not_reach_the_call() -> None:
    callbacks = Callbacks()

    @callbacks.on(ToolCallEvents.TOOL_CALL_FINISHED)
    def broken(payload: Payload) -> None:
        raise ValueError("mine alone")

    with observed_by(callbacks):
        assert await adder().invoke({"a": 1}) == 2


async def test_an_abort_stops_the_call_before_it_has_done_anything() -> None:
    callbacks = Callbacks()
    done: list[Any] = []
    errors: list[Any] = []

    @callbacks.on(STARTED)
    def gate(payload: Payload) -> None:
        raise AbortCall("not at night")

    callbacks.on(ToolCallEvents.TOOL_CALL_ERROR)(lambda payload: errors.append(payload["error"]))
    tool = LocalFunction(ToolCard("a", "add"), done.append)

    with observed_by(callbacks), pytest.raises(JiuwenError, match="not at night") as caught:
        await tool.invoke({"a": 1})

    assert caught.value.status is StatusCode.CALLBACK_EXECUTION_ABORTED
    assert done == []
    assert errors == [caught.value]


async def test_an_abort_with_a_cause_raises_the_cause() -> None:
    callbacks = Callbacks()
    cause = PermissionError("ask the owner first")

    @callbacks.on(STARTED)
    def gate(payload: Payload) -> None:
        raise AbortCall("stopped", cause)

    with observed_by(callbacks), pytest.raises(PermissionError) as caught:
        await adder().invoke({"a": 1})

    assert caught.value is cause


async def test_a_callback_may_register_another_while_it_runs() -> None:
    callbacks = Callbacks()

    @callbacks.on(STARTED, once=True)
    def more(payload: Payload) -> str:
        callbacks.on(STARTED)(lambda payload: "later")
        return "now"

    assert await callbacks.trigger(STARTED, {}) == ["now"]
    assert await callbacks.trigger(STARTED, {}) == ["later"]
