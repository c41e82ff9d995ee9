"""What goes to an endpoint and what comes back, in no vendor's dialect.

A conversation is a tuple of user, assistant and tool messages; the system prompt and the tools stand beside
it in the `Request`. What a vendor adds to its messages is kept in `extra` and sent back to that vendor only.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, assert_never


@dataclass(frozen=True, slots=True, kw_only=True)
class UserMessage:
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionCall:
    """A tool call as the model wrote it. `arguments` is raw text, not always JSON."""

    id: str
    name: str
    arguments: str
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class AssistantMessage:
    """An answer. `content` is the text as received, thoughts included; `origin` names who wrote `extra`."""

    content: str = ""
    calls: tuple[FunctionCall, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)
    origin: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolMessage:
    """The result of the call with that id."""

    call_id: str
    name: str
    content: str


Message = UserMessage | AssistantMessage | ToolMessage


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """A tool as the model sees it; `parameters` is a JSON schema of type object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """All that one answer depends on. `max_tokens` overrides the endpoint's own setting."""

    system: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one answer, as the endpoint counted them. `cached_tokens` is part of `prompt_tokens`."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDelta:
    """Words for the owner, thoughts already taken out."""

    text: str
    kind: Literal["text"] = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasoningDelta:
    """Thoughts. Never spoken."""

    text: str
    kind: Literal["reasoning"] = "reasoning"


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrying:
    """The request failed before it began to answer and will be sent again after `delay_s` seconds."""

    reason: str
    delay_s: float
    kind: Literal["retrying"] = "retrying"


@dataclass(frozen=True, slots=True, kw_only=True)
class Restarted:
    """The words so far are void: the answer broke off and starts over, or they were thoughts."""

    reason: str
    asked_again: bool = True
    """The endpoint gets the request a second time."""
    kind: Literal["restarted"] = "restarted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed:
    """The whole answer, always the last event. `finish` is the endpoint's own word (`stop`, `length` …)."""

    message: AssistantMessage
    finish: str = "stop"
    usage: Usage | None = None
    kind: Literal["completed"] = "completed"


StreamEvent = TextDelta | ReasoningDelta | Retrying | Restarted | Completed


class Provider(Protocol):
    """Something that answers requests: an HTTP endpoint, or plain rules."""

    @property
    def label(self) -> str:
        """What people see, such as `deepseek deepseek-chat`."""
        ...

    def stream(self, request: Request) -> AsyncGenerator[StreamEvent, None]:
        """Answer `request`.

        Ends with one `Completed`, or raises EndpointError. Closing it cancels the request.
        """
        ...

    async def aclose(self) -> None:
        """Let go of connections."""
        ...


def to_record(message: Message) -> dict[str, Any]:
    """`message` as a JSON object for a log; `from_record` is its inverse."""
    match message:
        case UserMessage():
            return {"role": "user", "content": message.content}
        case ToolMessage():
            return {
                "role": "tool",
                "call_id": message.call_id,
                "name": message.name,
                "content": message.content,
            }
        case AssistantMessage():
            record: dict[str, Any] = {"role": "assistant", "content": message.content}
            if message.calls:
                record["calls"] = [_call_record(call) for call in message.calls]
            if message.extra:
                record["extra"] = dict(message.extra)
            if message.origin:
                record["origin"] = message.origin
            return record
        case _:
            assert_never(message)


def from_record(record: Mapping[str, Any]) -> Message | None:
    """The message a record holds, or None when it holds none that we know."""
    role = record.get("role")
    content = record.get("content")
    if not isinstance(content, str):
        return None
    if role == "user":
        return UserMessage(content=content)
    if role == "tool":
        return ToolMessage(
            call_id=str(record.get("call_id", "")), name=str(record.get("name", "")), content=content
        )
    if role == "assistant":
        calls = record.get("calls")
        extra = record.get("extra")
        return AssistantMessage(
            content=content,
            calls=tuple(_call_from(each) for each in calls if isinstance(each, Mapping))
            if isinstance(calls, list)
            else (),
            extra=extra if isinstance(extra, Mapping) else {},
            origin=str(record.get("origin", "")),
        )
    return None


def _call_record(call: FunctionCall) -> dict[str, Any]:
    record: dict[str, Any] = {"id": call.id, "name": call.name, "arguments": call.arguments}
    if call.extra:
        record["extra"] = dict(call.extra)
    return record


def _call_from(record: Mapping[str, Any]) -> FunctionCall:
    extra = record.get("extra")
    return FunctionCall(
        id=str(record.get("id", "")),
        name=str(record.get("name", "")),
        arguments=str(record.get("arguments", "")),
        extra=extra if isinstance(extra, Mapping) else {},
    )
