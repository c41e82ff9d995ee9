"""The names of the lifecycle's events, and the framework that brings them to callbacks.

What each event carries, in the order in which one call has them:

    tool_invoke_input, tool_stream_input    inputs, kwargs, _args ([inputs]), tool_name, tool_info
    tool_call_started                       tool_name, tool_id, inputs (([inputs], kwargs))
    tool_parse_started                      tool_name, tool_id, raw_inputs, schema
    tool_parse_finished                     tool_name, tool_id, formatted_inputs
    tool_result_received                    tool_name, tool_id, inputs, result: each raw chunk of a stream
    tool_call_finished                      tool_name, tool_id, and after invoke inputs and the raw result
    tool_call_error                         tool_name, tool_id, error
    tool_invoke_output, tool_stream_output  result, tool_name, tool_info
    tool_auth                               auth_config

Inputs may hold what a person would not want in a log: nothing here logs a payload.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import Any, Literal, TypeVar

from numen.tool.hooks import UNCHANGED
from numen.tool.jiuwen.errors import AbortCall

log = logging.getLogger(__name__)

SCOPE = "_framework:"
"""Stands before every event of the framework itself, so that nobody's own events are taken for one."""


class ToolCallEvents:
    """Names to register for; `Callbacks.on` takes them with or without their scope."""

    TOOL_INVOKE_INPUT = SCOPE + "tool_invoke_input"
    TOOL_INVOKE_OUTPUT = SCOPE + "tool_invoke_output"
    TOOL_STREAM_INPUT = SCOPE + "tool_stream_input"
    TOOL_STREAM_OUTPUT = SCOPE + "tool_stream_output"
    TOOL_CALL_STARTED = SCOPE + "tool_call_started"
    TOOL_CALL_FINISHED = SCOPE + "tool_call_finished"
    TOOL_CALL_ERROR = SCOPE + "tool_call_error"
    TOOL_PARSE_STARTED = SCOPE + "tool_parse_started"
    TOOL_PARSE_FINISHED = SCOPE + "tool_parse_finished"
    TOOL_RESULT_RECEIVED = SCOPE + "tool_result_received"
    TOOL_AUTH = SCOPE + "tool_auth"


CallbackKind = Literal["plain", "transform"]
Callback = Callable[[Mapping[str, Any]], Any]
Filter = Callable[[str, Mapping[str, Any]], "FilterAction"]

F = TypeVar("F", bound=Callback)


class FilterAction(Enum):
    CONTINUE = "continue"
    SKIP = "skip"
    """Leave this callback out, this once."""
    STOP = "stop"
    """Leave out this callback and all after it."""


@dataclass
class Registration:
    """One callback and how it wants to be called."""

    callback: Callback
    kind: CallbackKind
    priority: int
    once: bool
    namespace: str
    tags: frozenset[str]
    filters: tuple[Filter, ...]
    retries: int
    timeout_s: float | None
    spent: bool = False


@dataclass(frozen=True)
class BoundArgs:
    """What an input transform may answer: the arguments of the call as it should be made.

    The inputs are the first of `args`, or `kwargs["inputs"]`; the options are `kwargs["kwargs"]`.
    """

    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)


class Callbacks:
    """The callback framework: who listens to what, and in which order.

    A callback gets the payload as one read-only map, and may be a coroutine function. What it raises is
    logged and goes no further, except AbortCall, which stops the call. Transforms answer with a replacement
    value; of several the last one counts.
    """

    def __init__(self) -> None:
        self._registered: dict[str, list[Registration]] = {}

    def on(
        self,
        event: str,
        *,
        kind: CallbackKind = "plain",
        priority: int = 0,
        once: bool = False,
        namespace: str = "default",
        tags: Iterable[str] = (),
        filters: Iterable[Filter] = (),
        retries: int = 0,
        timeout_s: float | None = None,
    ) -> Callable[[F], F]:
        """A decorator that registers a callback for `event`: `callbacks.on(event)(callback)`.

        Higher priorities come first, equal ones in order of registration. `once` ends with the first run.
        `retries` more tries follow a failed one; `timeout_s` bounds each, for coroutine functions.
        """

        def register(callback: F) -> F:
            entry = Registration(
                callback, kind, priority, once, namespace, frozenset(tags), tuple(filters), retries, timeout_s
            )
            entries = [*self._registered.get(scoped(event), ()), entry]
            # A new list each time: a callback may register another while the old list is being walked.
            self._registered[scoped(event)] = sorted(entries, key=lambda each: -each.priority)
            return callback

        return register

    def off(
        self,
        event: str | None = None,
        callback: Callback | None = None,
        *,
        namespace: str | None = None,
        tag: str | None = None,
    ) -> int:
        """Forget the callbacks that match everything given; returns how many there were."""
        removed = 0
        for name in [scoped(event)] if event is not None else list(self._registered):
            kept = [
                each
                for each in self._registered.get(name, [])
                if (callback is not None and each.callback is not callback)
                or (namespace is not None and each.namespace != namespace)
                or (tag is not None and tag not in each.tags)
            ]
            removed += len(self._registered.get(name, [])) - len(kept)
            self._registered[name] = kept
        return removed

    async def trigger(self, event: str, payload: Mapping[str, Any]) -> list[Any]:
        """Run the plain callbacks of `event`; returns their answers. Raises AbortCall when one did."""
        return await self._run(event, payload, "plain")

    async def transform(self, event: str, payload: Mapping[str, Any]) -> Any:
        """Run the transforms of `event`; returns the last answer, UNCHANGED when there is none."""
        answers = await self._run(event, payload, "transform")
        return answers[-1] if answers else UNCHANGED

    async def _run(self, event: str, payload: Mapping[str, Any], kind: CallbackKind) -> list[Any]:
        entries = self._registered.get(event)
        if not entries:
            return []
        shown = MappingProxyType(dict(payload))
        answers = []
        for entry in entries:
            if entry.kind != kind or entry.spent:
                continue
            action = _filtered(entry, event, shown)
            if action is FilterAction.STOP:
                break
            if action is FilterAction.SKIP:
                continue
            if entry.once:
                entry.spent = True
            answered, answer = await _call(entry, event, shown)
            if answered:
                answers.append(answer)
        return answers


def scoped(event: str) -> str:
    return event if event.startswith(SCOPE) else SCOPE + event


def _filtered(entry: Registration, event: str, payload: Mapping[str, Any]) -> FilterAction:
    for each in entry.filters:
        action = each(event, payload)
        if action is not FilterAction.CONTINUE:
            return action
    return FilterAction.CONTINUE


async def _call(entry: Registration, event: str, payload: Mapping[str, Any]) -> tuple[bool, Any]:
    """(whether it answered, its answer)."""
    for attempt in range(entry.retries + 1):
        try:
            answer = entry.callback(payload)
            if inspect.isawaitable(answer):
                async with asyncio.timeout(entry.timeout_s):
                    answer = await answer
            return True, answer
        except AbortCall as abort:
            if abort.cause is not None:
                raise abort.cause from None
            raise
        except Exception as error:
            # Without the payload: it may hold secrets.
            log.warning(
                "callback %s for %s failed (try %d of %d): %s",
                getattr(entry.callback, "__qualname__", entry.callback),
                event,
                attempt + 1,
                entry.retries + 1,
                error if not isinstance(error, TimeoutError) else f"no answer within {entry.timeout_s} s",
            )
    return False, None
