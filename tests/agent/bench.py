"""A mind with a toy body, asking a scripted endpoint over real sockets."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable
from itertools import count
from types import TracebackType
from typing import Any, TypeVar

from numen.agent import AgentEvent, Event, Halt, Limits, Mind, Persona
from numen.agent.commands import Command
from numen.llm import Endpoint, OpenAICompatible, Secret
from numen.llm.retry import RetryPolicy
from numen.session import MemorySession, Session
from numen.testing.clock import SteppedClock
from numen.testing.endpoint import RecordedRequest, Reply, ScriptedEndpoint
from numen.tool import TaskResult, ToolContext, ToolFailure, ToolRegistry, tool

E = TypeVar("E")

START = 1_700_000_000.0


class ToyBody:
    """Keeps count of what was done. One background job at a time, ended by hand."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.job: str | None = None
        self.gate = asyncio.Event()
        self.entered = asyncio.Event()
        self._numbers = count(1)

    def begin(self, task: str) -> TaskResult:
        if self.job is not None:
            raise ToolFailure(
                f"busy: {self.job} is running; wait for its task_finished event or call task_stop"
            )
        self.job = f"t{next(self._numbers)}"
        self.done.append(task)
        return TaskResult.accepted(self.job, task, f"{task} has begun as {self.job}")


@tool
async def mine(ctx: ToolContext, block_ids: list[str], count: int) -> TaskResult:
    """Mine blocks.

    Args:
        block_ids: Which.
        count: How many.
    """
    return ctx.service(ToyBody).begin(f"mine {block_ids[0]} {count}")


@tool
async def craft(ctx: ToolContext, item_id: str, count: int = 1) -> TaskResult:
    """Craft an item.

    Args:
        item_id: What.
        count: How many.
    """
    ctx.service(ToyBody).done.append(f"craft {item_id} {count}")
    return TaskResult.ok(f"crafted {count} {item_id}", {"crafted": count})


@tool
async def fail(message: str) -> TaskResult:
    """Fail.

    Args:
        message: With what words.
    """
    return TaskResult.fail(message)


@tool
async def boom() -> None:
    """Break."""
    raise RuntimeError("a bug in a tool")


@tool
async def long_call(ctx: ToolContext) -> TaskResult:
    """Stay open until the test says so."""
    body = ctx.service(ToyBody)
    body.done.append("long_call")
    body.entered.set()
    await body.gate.wait()
    return TaskResult.ok("at last")


@tool
async def deaf_call(ctx: ToolContext) -> TaskResult:
    """Like long_call, but does not let itself be cancelled."""
    body = ctx.service(ToyBody)
    body.entered.set()
    while not body.gate.is_set():
        with contextlib.suppress(asyncio.CancelledError):
            await body.gate.wait()
    body.done.append("deaf_call")
    return TaskResult.ok("late")


class Bench:
    """`async with Bench(reply, …) as bench:` and the mind is running."""

    def __init__(
        self,
        *script: Reply,
        brain: Callable[[RecordedRequest], Reply] | None = None,
        session: Session | None = None,
        companion: str = "Numen",
        language: str = "en",
        limits: Limits | None = None,
        **settings: Any,
    ) -> None:
        self.endpoint = ScriptedEndpoint(*script, brain=brain)
        self.body = ToyBody()
        self.session = session or MemorySession()
        self.said: list[str] = []
        self.events: list[AgentEvent] = []
        self.stopped: list[Halt] = []
        self.situation = ""
        self.waits: list[float] = []
        """Seconds waited between two tries of one request, noted instead of waited."""
        self.clock = SteppedClock()
        self.registry = ToolRegistry()
        for each in (mine, craft, fail, boom, long_call, deaf_call):
            self.registry.register(each)
        self._companion = companion
        self._language = language
        self._limits = limits or Limits()
        self._settings = settings

    async def __aenter__(self) -> Bench:
        await self.endpoint.start()
        self.mind = self.new_mind()
        self.mind.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.mind.stop()
        await self.endpoint.stop()

    def new_mind(self) -> Mind:
        numbers = count(1)
        settings = {
            "base_url": self.endpoint.url,
            "model": "m",
            "api_key": Secret("sk-key-123456"),
            **self._settings,
        }
        policy = RetryPolicy(settings.pop("retries", 0), jitter=lambda: 1.0)
        provider = OpenAICompatible(
            Endpoint(**settings),
            policy=policy,
            sleep=self._note_wait,
            new_id=lambda: f"made_{next(numbers)}",
        )
        return Mind(
            persona=Persona(companion=self._companion, owner="Steve"),
            provider=provider,
            registry=self.registry,
            context=ToolContext(companion=self._companion, owner="Steve", services={ToyBody: self.body}),
            session=self.session,
            speak=self.said.append,
            emit=self.events.append,
            stop_body=self.stopped.append,
            situation=lambda: self.situation,
            job_running=lambda: self.body.job is not None,
            language=self._language,
            limits=self._limits,
            now=lambda: START + self.clock.seconds(),
            call_later=self.clock.callLater,
        )

    async def _note_wait(self, seconds: float) -> None:
        self.waits.append(seconds)

    async def ask(self, text: str) -> str:
        """Say something to the companion and wait until it has nothing more to do; returns the last words."""
        self.mind.hear(text)
        await self.mind.rest()
        return self.said[-1] if self.said else ""

    async def set_goal(self, text: str) -> None:
        """Give the companion a goal and wait until it has nothing more to do."""
        self.mind.order(Command("goal", text))
        await self.mind.rest()

    def finish_job(self, status: str = "done", text: str = "") -> None:
        """The body's job ends, as the companion would tell the mind."""
        job, self.body.job = self.body.job, None
        self.mind.notify(
            Event(
                kind="task_finished", text=text or f"{job} {status}", attrs={"task_id": job, "status": status}
            )
        )

    def told(self, kind: type[E]) -> list[E]:
        return [each for each in self.events if isinstance(each, kind)]

    def request(self, number: int = -1) -> list[dict[str, Any]]:
        """The messages of a request, without the system prompt."""
        return self.endpoint.requests[number].messages[1:]


def results(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The tool results in `messages`, parsed."""
    return [json.loads(each["content"].split("\n")[0]) for each in messages if each["role"] == "tool"]


def assert_legal(messages: list[dict[str, Any]]) -> None:
    """What every endpoint demands of a conversation."""
    open_calls: list[str] = []
    for each in messages:
        role = each["role"]
        if role == "tool":
            assert open_calls, "a result without a call"
            assert each["tool_call_id"] == open_calls.pop(0), "results out of order"
            assert each["content"], "an empty result"
            continue
        assert not open_calls, f"calls without results: {open_calls}"
        if role == "assistant":
            calls = each.get("tool_calls", [])
            open_calls = [call["id"] for call in calls]
            assert len(set(open_calls)) == len(open_calls), "two calls with one id"
            for call in calls:
                assert isinstance(json.loads(call["function"]["arguments"]), dict)
            assert calls or each["content"], "an empty answer"
        else:
            assert role in ("user", "system")
            assert each["content"].strip(), "an empty question"
    assert not open_calls, f"calls without results: {open_calls}"


def shared_share(sooner: bytes, later: bytes) -> float:
    """How much of the request `later` an endpoint that kept `sooner` need not read again."""
    low, high = 0, min(len(sooner), len(later))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if sooner[:middle] == later[:middle] else (low, middle - 1)
    return low / len(later)
