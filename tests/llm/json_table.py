"""Eight wishes, and whether a small model answers each with one valid call in JSON mode.

    python -m tests.llm.json_table http://localhost:8080/v1 [model]

asks a real endpoint (llama.cpp's `llama-server -m model.gguf`, LM Studio, Ollama, vLLM) and prints a table.
"""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import aclosing
from dataclasses import dataclass

import jsonschema

import tools
from numen.agent.prompt import Persona, system_prompt
from numen.llm import Completed, Endpoint, EndpointError, OpenAICompatible, Request, ToolSpec, UserMessage
from numen.tool import ToolRegistry


@dataclass(frozen=True)
class Wish:
    """What the owner says, the tools that would be right, and an answer as a model might write it."""

    words: str
    right: frozenset[str]
    answer: str


def wish(words: str, *right: str, answer: str) -> Wish:
    return Wish(words, frozenset(right), answer)


TABLE = (
    wish("Come to x 10, z -4.", "move_to", answer='{"tool": "move_to", "arguments": {"x": 10, "z": -4}}'),
    wish(
        "Mine three stone.",
        "mine",
        answer='{ "tool": "mine", "arguments": { "block_ids": ["minecraft:stone"], "count": 3 } }',
    ),
    wish(
        "做四块木板。",
        *("craft", "lookup_recipe"),
        answer='{"tool":"craft","arguments":{"item_id":"minecraft:oak_planks","count":4}}',
    ),
    wish("What do you carry?", "get_self_status", answer='{"tool": "get_self_status", "arguments": {}}'),
    wish(
        "Are there monsters near you?",
        "scan_nearby_entities",
        answer='{"tool": "scan_nearby_entities", "arguments": {"radius": 32, "type_filter": "hostile"}}',
    ),
    wish("看看周围。", "look_around", answer='{"tool": "look_around", "arguments": {"radius": 8}}'),
    wish(
        "Drop two dirt.",
        "drop_items",
        answer='{"tool": "drop_items", "arguments": {"item_id": "dirt", "count": 2}}',
    ),
    wish("Stop what you are doing.", "task_stop", answer='{"tool": "task_stop", "arguments": {}}'),
)


def toolset() -> tuple[ToolSpec, ...]:
    registry = ToolRegistry()
    tools.register(registry)
    return tuple(
        ToolSpec(name=each.name, description=each.description, parameters=each.parameter_schema)
        for each in registry
    )


def request_for(words: str) -> Request:
    system = system_prompt(Persona(companion="Numen", owner="Steve"))
    return Request(system=system, messages=(UserMessage(content=f"<query>{words}</query>"),), tools=toolset())


def fault_of(answer: Completed, specs: tuple[ToolSpec, ...]) -> str:
    """Why an answer is not one valid call; "" when it is."""
    if len(answer.message.calls) != 1:
        return f"{len(answer.message.calls)} calls, said {answer.message.content[:60]!r}"
    call = answer.message.calls[0]
    spec = next((each for each in specs if each.name == call.name), None)
    if spec is None:
        return f"no tool {call.name!r}"
    try:
        jsonschema.validate(json.loads(call.arguments), dict(spec.parameters))
    except (ValueError, jsonschema.ValidationError) as error:
        return str(error).split("\n", 1)[0]
    return ""


async def answer_to(provider: OpenAICompatible, words: str) -> Completed:
    async with aclosing(provider.stream(request_for(words))) as events:
        async for event in events:
            if isinstance(event, Completed):
                return event
    raise AssertionError("a stream ends with Completed or an error")


async def ask(base_url: str, model: str) -> int:
    endpoint = Endpoint(base_url=base_url, model=model, tool_calls="json", first_byte_s=600, temperature=0)
    provider = OpenAICompatible(endpoint)
    valid = 0
    for each in TABLE:
        try:
            answer = await answer_to(provider, each.words)
        except EndpointError as error:
            print(error)
            return 1
        fault = fault_of(answer, toolset())
        valid += not fault
        called = answer.message.calls[0] if answer.message.calls else None
        fits = "fits" if called and called.name in each.right else "another tool"
        shown = f"{called.name} {called.arguments}" if called else ""
        print(f"{fault or 'valid':<8} {fits:<13} {each.words:<30} {shown}")
    await provider.aclose()
    print(f"\n{valid} of {len(TABLE)} valid")
    return 0 if valid == len(TABLE) else 1


if __name__ == "__main__":
    raise SystemExit(asyncio.run(ask(sys.argv[1], (sys.argv[2:] or ["default"])[0])))
