"""Brains for a scripted endpoint: what stands in for a model behind real sockets.

async with ScriptedEndpoint(brain=rehearsing()) as endpoint:
    ...                                    # an endpoint that plays through jobs by plain rules
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from numen.llm.messages import (
    AssistantMessage,
    FunctionCall,
    Message,
    Request,
    ToolMessage,
    ToolSpec,
    UserMessage,
)
from numen.llm.rehearsal.planner import next_move
from numen.llm.rehearsal.provider import to_message
from numen.llm.rehearsal.story import read_story
from numen.testing.endpoint import Brain, RecordedRequest, Reply, calls, says


def rehearsing() -> Brain:
    """A brain that answers as the rehearsal provider does, but over the wire."""

    def answer(recorded: RecordedRequest) -> Reply:
        request = request_from(recorded.body)
        message = to_message(next_move(read_story(request)), number=len(request.messages))
        if message.calls:
            made = [(call.name, call.arguments) for call in message.calls]
            return calls(*made, ids=[call.id for call in message.calls])
        return (
            says(*re.findall(r"\S+\s*", message.content), extra=message.extra) if message.content else says()
        )

    return answer


def request_from(body: Mapping[str, Any]) -> Request:
    """The request in the body of an OpenAI-style chat completion."""
    system = ""
    messages: list[Message] = []
    for each in body["messages"]:
        content = each.get("content") or ""
        match each["role"]:
            case "system":
                system = content
            case "user":
                messages.append(UserMessage(content=content))
            case "tool":
                messages.append(ToolMessage(call_id=each["tool_call_id"], name="", content=content))
            case "assistant":
                made = tuple(
                    FunctionCall(
                        id=call["id"], name=call["function"]["name"], arguments=call["function"]["arguments"]
                    )
                    for call in each.get("tool_calls", [])
                )
                extra = {
                    key: value for key, value in each.items() if key not in ("role", "content", "tool_calls")
                }
                messages.append(AssistantMessage(content=content, calls=made, extra=extra))
    tools = tuple(
        ToolSpec(
            name=each["function"]["name"],
            description=each["function"]["description"],
            parameters=each["function"]["parameters"],
        )
        for each in body.get("tools", [])
    )
    return Request(system=system, messages=tuple(messages), tools=tools)
