"""Tool calls as plain JSON, for models and servers that know no others.

The tools stand in the system prompt, each answer is one JSON object, either a call or words, and results come
back as the user's. A JSON schema in `response_format` makes servers that can (llama.cpp, LM Studio, Ollama,
vLLM) let nothing else out, so even a small model calls correctly.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, assert_never

from numen.llm.messages import AssistantMessage, Message, ToolMessage, ToolSpec, UserMessage
from numen.llm.think import spoken
from numen.llm.written import repaired

RULES = """\
# How you answer

Each answer is one JSON object and nothing else: either a call of one tool,
{"tool": "<name>", "arguments": {…}}
or words to your owner, which end your turn,
{"say": "<words>"}
The result of a call comes back to you as <result tool="<name>">…</result>. To end without words, say "".

Tools, each with the JSON schema of its arguments:
"""

ANNOTATIONS = frozenset({"description", "title", "default", "examples"})


def system_with_tools(system: str, tools: Sequence[ToolSpec]) -> str:
    """The system prompt with the tools in it; equal tools give equal bytes."""
    if not tools:
        return system
    lines = [f"- {each.name}: {each.description}\n  {_text(each.parameters)}" for each in tools]
    return f"{system}\n{RULES}\n" + "\n".join(lines) + "\n"


def answer_format(tools: Sequence[ToolSpec]) -> dict[str, Any]:
    """The `response_format` that lets only a call of one of `tools`, or words, through."""
    calls = [_object(tool={"const": each.name}, arguments=_bare(dict(each.parameters))) for each in tools]
    schema = {"anyOf": [*calls, _object(say={"type": "string"})]}
    return {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema}}


def plain_messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The conversation in the roles user and assistant alone, taking turns."""
    out: list[dict[str, Any]] = []
    for message in messages:
        match message:
            case UserMessage():
                _add(out, "user", message.content)
            case ToolMessage():
                _add(out, "user", f'<result tool="{message.name}">{message.content}</result>')
            case AssistantMessage():
                answers = [_answer(call.name, call.arguments) for call in message.calls]
                _add(
                    out,
                    "assistant",
                    "\n".join(answers) if answers else _text({"say": spoken(message.content)}),
                )
            case _:
                assert_never(message)
    return out


def said(content: str) -> str:
    """The words in an answer that is no call: those in its JSON object, or all of it when it is none."""
    words = spoken(content)
    value = repaired(words) if words.startswith("{") else None
    if isinstance(value, list) and value:
        value = value[0]
    given = value.get("say") if isinstance(value, Mapping) else None
    return given if isinstance(given, str) else words


def _answer(name: str, arguments: str) -> str:
    try:
        given = json.loads(arguments)
    except (ValueError, RecursionError):
        given = {}
    return _text({"tool": name, "arguments": given})


def _add(out: list[dict[str, Any]], role: str, content: str) -> None:
    if out and out[-1]["role"] == role:
        out[-1]["content"] += f"\n{content}"
    else:
        out.append({"role": role, "content": content})


def _object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _bare(schema: Any) -> Any:
    """A schema without what only explains it: a grammar is made of the rest, and it stands in the prompt."""
    if isinstance(schema, list):
        return [_bare(each) for each in schema]
    if not isinstance(schema, Mapping):
        return schema
    return {
        key: {name: _bare(each) for name, each in value.items()} if key == "properties" else _bare(value)
        for key, value in schema.items()
        if key not in ANNOTATIONS
    }


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
