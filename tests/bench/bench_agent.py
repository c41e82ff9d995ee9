"""What the engine itself costs: a round without endpoint and tool, the prompt cache, dispatch, idle memory.

python -m tests.bench.bench_agent
"""

from __future__ import annotations

import asyncio
import gc
import statistics
import tempfile
import time
import tracemalloc
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from numen.agent import Mind, Persona
from numen.agent.history import repair
from numen.agent.prompt import system_prompt
from numen.llm import (
    AssistantMessage,
    Completed,
    Endpoint,
    FunctionCall,
    Message,
    Request,
    StreamEvent,
    ToolMessage,
    ToolSpec,
    UserMessage,
    to_record,
)
from numen.llm.wire import Encoder
from numen.session import FileSession
from numen.tool import Dispatcher, TaskResult, ToolCall, ToolContext, ToolRegistry
from tests.agent.bench import shared_share

TOOLS = 60
MESSAGES = 100
ROUNDS = 1_000

RESULT = TaskResult.ok(
    "mined 3 cobblestone", {"gained": 3, "position": [12, 64, -30], "inventory": {"cobblestone": 11}}
).to_json()
ARGUMENTS = '{"block_ids": ["minecraft:stone", "minecraft:cobblestone"], "count": 3, "radius": 32}'


class Plain:
    """A tool with a schema of the usual size that does nothing."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.description = (
            "Mine blocks of the named kinds until the count of new items is reached or none are left "
            "within the radius; walks there, digs what is in the way and picks up what drops. " * 2
        )
        self.parameter_schema = {
            "type": "object",
            "properties": {
                "block_ids": {
                    "type": "array",
                    "items": {"type": "string"},
                    "minItems": 1,
                    "description": "Which.",
                },
                "count": {"type": "integer", "minimum": 1, "maximum": 256, "description": "How many items."},
                "radius": {"type": "integer", "minimum": 1, "maximum": 96, "description": "How far to look."},
                "facing": {"type": "string", "enum": ["north", "south", "east", "west", "up", "down"]},
                "force": {"type": "boolean", "description": "Dig even what the tool in hand cannot harvest."},
            },
            "required": ["block_ids", "count"],
        }

    async def invoke(self, call: ToolCall) -> str:
        return RESULT


class Instant:
    """An endpoint that costs nothing but what a request costs: it encodes each and answers with a call."""

    label = "instant"

    def __init__(self, endpoint: Endpoint, rounds: int) -> None:
        self._encoder = Encoder(endpoint)
        self.bodies: list[bytes] = []
        self.stamps: list[float] = []
        self._rounds = rounds
        self._number = 0

    async def stream(self, request: Request) -> AsyncGenerator[StreamEvent, None]:
        body = self._encoder.encode(request)
        self.stamps.append(time.perf_counter())
        self._number += 1
        if len(self.bodies) < 200:
            self.bodies.append(body)
        if self._number % self._rounds == 0:
            yield Completed(message=AssistantMessage(content="Done."))
        else:
            call = FunctionCall(
                id=f"call_{self._number}",
                name=f"tool_{self._number % TOOLS}",
                arguments=f'{{"n": {self._number}}}',
            )
            yield Completed(message=AssistantMessage(calls=(call,)))

    async def aclose(self) -> None:
        pass


def registry_of(count: int) -> ToolRegistry:
    registry = ToolRegistry()
    for number in range(count):
        registry.register(Plain(f"tool_{number}"))
    return registry


def history_of(count: int) -> list[Message]:
    messages: list[Message] = [UserMessage(content="<query>Build a house of stone.</query>")]
    while len(messages) < count:
        number = len(messages)
        call = FunctionCall(id=f"call_{number}", name=f"tool_{number % TOOLS}", arguments=ARGUMENTS)
        messages.append(AssistantMessage(content="Next.", calls=(call,)))
        messages.append(ToolMessage(call_id=call.id, name=call.name, content=RESULT))
    return messages


def timed(action: Callable[[], Any], times: int) -> list[float]:
    """Milliseconds of each of `times` runs."""
    out = []
    for _ in range(times):
        begun = time.perf_counter()
        action()
        out.append((time.perf_counter() - begun) * 1e3)
    return out


def row(name: str, values: list[float]) -> None:
    ordered = sorted(values)
    p99 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
    print(f"{name:<34}{statistics.median(ordered):>9.3f}{p99:>9.3f}{ordered[-1]:>9.3f}")


def parts(folder: Path) -> None:
    endpoint = Endpoint(base_url="http://127.0.0.1:1/v1", model="m")
    messages = history_of(MESSAGES)
    specs = tuple(
        ToolSpec(name=each.name, description=each.description, parameters=each.parameter_schema)
        for each in registry_of(TOOLS)
    )
    system = system_prompt(Persona(companion="Numen", owner="Steve"))
    fixed = repair(messages)
    request = Request(system=system, messages=fixed, tools=specs)
    session = FileSession(folder / "parts.jsonl")
    record = {
        "type": "message",
        "message": {"role": "tool", "call_id": "x", "name": "tool_1", "content": RESULT},
    }
    row("repair the history", timed(lambda: repair(messages), 300))
    whole = repair(history_of(MESSAGES + 400))
    grown = [replace(request, messages=whole[: MESSAGES + 1 + 2 * each]) for each in range(200)]
    encoder = Encoder(endpoint)
    row("encode a new conversation", timed(lambda: Encoder(endpoint).encode(request), 300))
    row("encode one grown by a round", [timed(lambda r=each: encoder.encode(r), 1)[0] for each in grown][1:])
    row("record one message on disk", timed(lambda: session.append(record), 2_000))
    session.close()


async def rounds(folder: Path) -> None:
    """A long turn as it is: the loop, the dispatcher, the log on disk, all but endpoint and tool."""
    session = FileSession(folder / "rounds.jsonl")
    for message in history_of(MESSAGES):
        session.append({"type": "message", "message": to_record(message)})
    per_turn = 50
    provider = Instant(Endpoint(base_url="http://127.0.0.1:1/v1", model="m"), per_turn)
    times: list[float] = []
    shares: list[float] = []
    while len(times) < ROUNDS:
        copy = folder / f"turn{len(times)}.jsonl"
        copy.write_bytes((folder / "rounds.jsonl").read_bytes())
        mind = Mind(
            persona=Persona(companion="Numen", owner="Steve"),
            provider=provider,
            registry=registry_of(TOOLS),
            context=ToolContext(companion="Numen"),
            session=FileSession(copy),
            speak=lambda text: None,
        )
        mind.start()
        provider.stamps.clear()
        provider.bodies.clear()
        mind.hear("Go on.")
        await mind.rest()
        times += [(later - sooner) * 1e3 for sooner, later in pairwise(provider.stamps)]
        shares += [shared_share(sooner, later) for sooner, later in pairwise(provider.bodies)]
        await mind.stop()
    session.close()
    row("a whole round", times)
    shared = f"{statistics.mean(shares):.2%} (worst {min(shares):.2%})"
    print(f"\nprompt bytes shared with the request before: {shared}")


async def dispatches() -> None:
    dispatcher = Dispatcher(registry_of(TOOLS))
    context = ToolContext(companion="Numen")
    count = 3_000
    begun = time.perf_counter()
    for number in range(count):
        await dispatcher.run(f"c{number}", f"tool_{number % TOOLS}", ARGUMENTS, context)
    print(f"tool dispatches a second: {count / (time.perf_counter() - begun):,.0f}")


def memory(folder: Path) -> None:
    registry = registry_of(TOOLS)
    base = folder / "rounds.jsonl"
    minds = []
    count = 20
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for number in range(count):
        path = folder / f"idle{number}.jsonl"
        path.write_bytes(base.read_bytes())
        minds.append(
            Mind(
                persona=Persona(companion=f"N{number}"),
                provider=Instant(Endpoint(base_url="http://127.0.0.1:1/v1", model="m"), 1),
                registry=registry,
                context=ToolContext(companion=f"N{number}"),
                session=FileSession(path),
                speak=lambda text: None,
            )
        )
    gc.collect()
    used = (tracemalloc.get_traced_memory()[0] - before) / count
    tracemalloc.stop()
    print(f"memory of an idle mind with {MESSAGES} messages: {used / 1024:,.0f} KiB")


async def run() -> None:
    print(f"{TOOLS} tools, {MESSAGES} messages before the turn; milliseconds\n")
    print(f"{'':<34}{'p50':>9}{'p99':>9}{'worst':>9}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        parts(folder)
        await rounds(folder)
        await dispatches()
        memory(folder)


def main() -> None:
    """Print the table."""
    asyncio.run(run())


if __name__ == "__main__":
    main()
