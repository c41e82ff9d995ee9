"""A request in the OpenAI chat format, with the differences a profile names."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, assert_never

from numen.llm.endpoint import Endpoint
from numen.llm.json_calls import answer_format, plain_messages, system_with_tools
from numen.llm.messages import AssistantMessage, Message, Request, ToolMessage, ToolSpec, UserMessage
from numen.llm.presets import CallStyle, Profile, thinking_fields

OPTIONAL = (
    "parallel_tool_calls",
    "stream_options",
    "reasoning_effort",
    "reasoning",
    "thinking",
    "enable_thinking",
    "chat_template_kwargs",
    "temperature",
    "response_format",
)
"""Fields we can do without. An endpoint that refuses one by name is asked again without it."""


def request_body(
    request: Request,
    endpoint: Endpoint,
    without: frozenset[str] = frozenset(),
    style: CallStyle | None = None,
) -> dict[str, Any]:
    """The JSON body of a streaming chat completion.

    Equal requests give equal bytes, and a longer conversation starts with the bytes of the shorter one, so
    that an endpoint's prompt cache keeps working. `style` overrides the endpoint's way of calling tools.
    """
    profile = endpoint.preset.profile
    body: dict[str, Any] = {"model": endpoint.model_name, "stream": True}
    if profile.usage_option:
        body["stream_options"] = {"include_usage": True}
    if endpoint.temperature is not None:
        body["temperature"] = endpoint.temperature
    max_tokens = request.max_tokens or endpoint.max_tokens
    if max_tokens is not None:
        body[profile.max_tokens_field] = max_tokens
    body.update(thinking_fields(profile.thinking, endpoint.thinking))
    system = request.system
    if (style or endpoint.call_style) == "json":
        if request.tools:
            system = system_with_tools(system, request.tools)
            body["response_format"] = answer_format(request.tools)
        messages = plain_messages(request.messages)
    else:
        if request.tools:
            body["tools"] = [_tool(each) for each in request.tools]
            if profile.parallel_flag:
                body["parallel_tool_calls"] = False
        messages = [wire_message(each, endpoint.origin, profile) for each in request.messages]
    body["messages"] = ([{"role": "system", "content": system}] if system else []) + messages
    for key in without:
        body.pop(key, None)
    return body


class Encoder:
    """Writes the bodies of one conversation. What it wrote before is not written again.

    The bytes are those of `request_body` as compact JSON; a conversation of a thousand messages would
    otherwise hold up the body's clock at every request.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._tools: tuple[ToolSpec, ...] = ()
        self._tools_text = "[]"
        self._texts: dict[int, tuple[Message, str]] = {}

    def encode(
        self, request: Request, without: frozenset[str] = frozenset(), style: CallStyle | None = None
    ) -> bytes:
        """The body of `request`; see `request_body`."""
        if (style or self._endpoint.call_style) == "json" or not request.messages:
            return _bytes(_dump(request_body(request, self._endpoint, without, style)))
        bare = Request(
            system=request.system, messages=(), tools=request.tools[:1], max_tokens=request.max_tokens
        )
        fields = request_body(bare, self._endpoint, without, style)
        parts = []
        for key, value in fields.items():
            if key == "messages":
                text = ",".join([*map(_dump, value), *self._messages(request.messages)])
                parts.append(f'"messages":[{text}]')
            elif key == "tools":
                parts.append(f'"tools":{self._tools_of(request.tools)}')
            else:
                parts.append(f"{_dump(key)}:{_dump(value)}")
        return _bytes("{" + ",".join(parts) + "}")

    def _tools_of(self, tools: tuple[ToolSpec, ...]) -> str:
        if tools != self._tools:
            self._tools, self._tools_text = tools, _dump([_tool(each) for each in tools])
        return self._tools_text

    def _messages(self, messages: tuple[Message, ...]) -> list[str]:
        # Messages never change, so one that is still the same object is still the same text. Only those of
        # the latest request are kept.
        kept: dict[int, tuple[Message, str]] = {}
        origin, profile = self._endpoint.origin, self._endpoint.preset.profile
        for message in messages:
            found = self._texts.get(id(message))
            kept[id(message)] = found or (message, _dump(wire_message(message, origin, profile)))
        self._texts = kept
        return [kept[id(message)][1] for message in messages]


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _bytes(text: str) -> bytes:
    # Half a surrogate pair, cut out of somebody's emoji, must not make the conversation unsendable.
    return text.encode("utf-8", "replace")


def _tool(spec: ToolSpec) -> dict[str, Any]:
    function = {
        "name": spec.name,
        "description": spec.description,
        "parameters": dict(spec.parameters),
    }
    return {"type": "function", "function": function}


def wire_message(message: Message, origin: str, profile: Profile) -> dict[str, Any]:
    """One message. What a vendor added is sent back only to where it came from."""
    match message:
        case UserMessage():
            return {"role": "user", "content": message.content}
        case ToolMessage():
            return {"role": "tool", "tool_call_id": message.call_id, "content": message.content}
        case AssistantMessage():
            ours = message.origin == origin
            out: dict[str, Any] = {"role": "assistant", "content": message.content or None}
            if ours:
                out.update(_kept(message.extra, profile))
            if message.calls:
                out["tool_calls"] = [
                    {
                        "id": call.id,
                        "type": "function",
                        "function": {"name": call.name, "arguments": call.arguments},
                        **(call.extra if ours else {}),
                    }
                    for call in message.calls
                ]
                if profile.reasoning_filler:
                    out.setdefault("reasoning_content", "")
            elif not message.content:
                out["content"] = ""
            return out
        case _:
            assert_never(message)


def _kept(extra: Mapping[str, Any], profile: Profile) -> dict[str, Any]:
    return {
        key: value
        for key, value in extra.items()
        if key not in ("role", "content", "tool_calls") and (profile.keeps is None or key in profile.keeps)
    }
