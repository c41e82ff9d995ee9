"""Runs tool calls: resolve, parse, run, one after another, each with exactly one beginning and one end.

Whatever goes wrong in a tool becomes a failed result that the model can act on. Only cancellation passes
through.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from numen.tool.contract import BadArguments, NumenTool, ToolCall, ToolContext, parse_arguments
from numen.tool.hooks import CallbackFramework, callback_framework, observed_by
from numen.tool.registry import ToolRegistry, UnknownTool
from numen.tool.result import TaskResult, ToolFailure, render
from numen.tool.trust import admit, taint_by

log = logging.getLogger(__name__)

BACKSTOP_S = 15 * 60.0
"""A call that never completes fails after this long."""

OutcomeKind = Literal["ok", "failed", "timeout", "cancelled", "unknown_tool", "bad_arguments"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCalled:
    """A call is about to run. `arguments` is the parsed map, or the raw text where it cannot be parsed."""

    call_id: str
    tool: str
    arguments: Mapping[str, Any] | str
    kind: Literal["tool_called"] = "tool_called"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolFinished:
    """A call has ended. `content` is the text the model gets; `message` its sentence for people."""

    call_id: str
    tool: str
    outcome: OutcomeKind
    message: str
    content: str
    seconds: float
    background: bool = False
    kind: Literal["tool_finished"] = "tool_finished"

    @property
    def ok(self) -> bool:
        return self.outcome == "ok"


ToolEvent = ToolCalled | ToolFinished


def ignore(event: ToolEvent) -> None:
    """A listener for those who need none."""


class Dispatcher:
    """The one road by which calls reach the tools of one body.

    Calls run in the order they came, never in parallel.
    """

    def __init__(
        self,
        registry: ToolRegistry,
        *,
        backstop_s: float = BACKSTOP_S,
        now: Callable[[], float] = time.monotonic,
        callbacks: CallbackFramework | None = None,
    ) -> None:
        """`callbacks` hears the lifecycle of every call made here, in place of the process's own observer."""
        self.registry = registry
        self._callbacks = callbacks
        self._backstop_s = backstop_s
        self._now = now
        self._turn = asyncio.Lock()

    async def run(
        self,
        call_id: str,
        name: str,
        raw_args: str,
        ctx: ToolContext,
        on_event: Callable[[ToolEvent], None] = ignore,
    ) -> ToolFinished:
        """Run one call to its end. Emits one `ToolCalled` and one `ToolFinished`, whatever happens.

        Raises only CancelledError, after the call was closed and its end was told.
        """
        async with self._turn:
            try:
                tool: NumenTool | UnknownTool = self.registry.resolve(name)
            except UnknownTool as error:
                tool = error
            shown = name if isinstance(tool, UnknownTool) else tool.name
            on_event(ToolCalled(call_id=call_id, tool=shown, arguments=_readable(raw_args)))
            begun = self._now()

            def finish(outcome: OutcomeKind, content: str) -> ToolFinished:
                verdict = read_content(content)
                if outcome == "ok" and not verdict.ok:
                    outcome = "timeout" if verdict.timed_out else "failed"
                event = ToolFinished(
                    call_id=call_id,
                    tool=shown,
                    outcome=outcome,
                    message=verdict.message,
                    content=content,
                    seconds=self._now() - begun,
                    background=verdict.background,
                )
                on_event(event)
                return event

            if isinstance(tool, UnknownTool):
                return finish("unknown_tool", TaskResult.fail(str(tool)).to_json())
            try:
                with observed_by(self._callbacks):
                    return finish(*await self._invoke(tool, call_id, raw_args, ctx))
            except asyncio.CancelledError:
                finish(
                    "cancelled", TaskResult.cancelled("the call was interrupted before it ended").to_json()
                )
                raise

    async def _invoke(
        self, tool: NumenTool, call_id: str, raw_args: str, ctx: ToolContext
    ) -> tuple[OutcomeKind, str]:
        limit = asyncio.timeout(self._backstop_s)
        run = completion if callback_framework() is None else _observed
        try:
            async with limit:
                await admit(tool, tool.name, raw_args, ctx.services)
                if self.registry.untrusted(tool):
                    taint_by(tool.name, ctx.services)  # also when it fails: errors carry words, too
                return "ok", await run(tool, call_id, raw_args, ctx)
        except ToolFailure as failure:
            return "failed", TaskResult.fail(failure.message, failure.data).to_json()
        except BadArguments as fault:
            # The schema goes along: a model that did not look at it once may look now.
            data = {"parameters": tool.parameter_schema}
            return "bad_arguments", TaskResult.fail(str(fault), data).to_json()
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            # Something the tool waited for was cancelled, not the call itself.
            return "cancelled", TaskResult.cancelled(f"what {tool.name} was doing was called off").to_json()
        except Exception as error:
            if limit.expired():
                minutes = f"{self._backstop_s / 60:g} minutes"
                text = (
                    f"{tool.name} gave no result within {minutes} and was given up; check what it has changed"
                )
                return "timeout", TaskResult.timeout(text).to_json()
            log.exception("tool %s failed", tool.name)
            return "failed", TaskResult.fail(f"{tool.name} broke: {_named(error)}").to_json()


async def completion(tool: NumenTool, call_id: str, raw_args: str, ctx: ToolContext) -> str:
    """The text with which `tool` completes a call, in whichever way and on whichever thread it does so.

    Raises what the tool raises. Once this has ended, the call takes no completion any more.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[str] = loop.create_future()

    def settle(text: str) -> None:
        if not done.done():
            done.set_result(text)

    def deliver(text: str) -> None:
        loop.call_soon_threadsafe(settle, text)

    call = ToolCall(call_id, tool.name, raw_args, ctx, deliver)
    try:
        pending = tool.invoke(call)
        if inspect.isawaitable(pending):
            value = await pending
            if value is not None:
                call.complete(render(value))
        return await done
    finally:
        call.close()


async def _observed(tool: NumenTool, call_id: str, raw_args: str, ctx: ToolContext) -> str:
    # Here and not above: a process in which nobody observes calls never loads the openJiuwen layer.
    from numen.tool.jiuwen.adapter import observed_completion

    return await observed_completion(tool, call_id, raw_args, ctx)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a result text says of itself."""

    ok: bool
    message: str
    timed_out: bool = False
    background: bool = False


def read_content(content: str) -> Verdict:
    """The verdict in a result text. Bare objects and plain text have no envelope and count as success."""
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return Verdict(True, _first_line(content))
    if not isinstance(value, dict):
        return Verdict(True, _first_line(content))
    if not isinstance(value.get("success"), bool):
        return Verdict(True, _shorten(str(value.get("message") or _summary(value))))
    data = value.get("data")
    return Verdict(
        ok=value["success"],
        message=str(value.get("message", "")),
        timed_out=value.get("timed_out") is True,
        background=isinstance(data, dict) and data.get("async") is True,
    )


def _first_line(text: str) -> str:
    return _shorten(text.strip().split("\n", 1)[0])


def _summary(value: Mapping[str, Any]) -> str:
    """A bare object in a line for people: its scalars, and how many entries its lists have."""
    parts: list[str] = []
    for key, item in value.items():
        name = key.replace("_", " ")
        if isinstance(item, list):
            parts.append(f"{len(item)} {name}")
        elif isinstance(item, dict):
            flat = all(isinstance(each, (int, float, str)) for each in item.values())
            parts.append(f"{name} {' '.join(map(str, item.values()))}" if flat and len(item) <= 4 else name)
        elif item is not None:
            parts.append(f"{name} {item}")
    return ", ".join(parts)


def _shorten(line: str) -> str:
    return line if len(line) <= 200 else line[:199] + "…"


def _readable(raw_args: str) -> Mapping[str, Any] | str:
    try:
        return parse_arguments(raw_args)
    except BadArguments:
        return raw_args


def _named(error: Exception) -> str:
    text = str(error).strip()
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
