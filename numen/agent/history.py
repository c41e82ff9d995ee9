"""The conversation of one companion: what is recorded, and what of it may be sent.

A history can be odd: a killed process leaves calls without results, a model writes arguments that are no
JSON. An endpoint answers an odd history with 400, every time. So what is sent passes through `repair`, which
is deterministic and changes nothing that is already right; the same prefix comes out the same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from numen.agent.tokens import message_tokens
from numen.llm import (
    AssistantMessage,
    FunctionCall,
    Message,
    ToolMessage,
    UserMessage,
    from_record,
    to_record,
)
from numen.session import Restored, Session
from numen.tool import TaskResult

KEPT = 200
"""Messages taken up again after a restart."""

KNOWN_LENGTH = 2_000
"""Arguments up to this length are remembered as read."""

LOST = TaskResult.cancelled(
    "interrupted: the program ended while this call was running. "
    "It may have had some effect; look before you repeat it"
).to_json()

NAME = re.compile(r"[^A-Za-z0-9_-]")
LEGAL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


class History:
    """Messages in order, each on disk before it counts."""

    def __init__(self, session: Session, restored: Restored) -> None:
        self._session = session
        found = [message for message in map(from_record, restored.messages) if message is not None]
        self._messages: list[Message] = recent(found)
        self._tokens = sum(map(message_tokens, self._messages))
        for call in self.dangling():
            self.record(ToolMessage(call_id=call.id, name=call.name, content=LOST))

    @property
    def messages(self) -> tuple[Message, ...]:
        return tuple(self._messages)

    @property
    def tokens(self) -> int:
        """About how many tokens the messages are."""
        return self._tokens

    @property
    def wants_answer(self) -> bool:
        """The last word is not the model's."""
        return bool(self._messages) and not isinstance(self._messages[-1], AssistantMessage)

    def record(self, message: Message, drains: Sequence[str] = ()) -> None:
        """Keep `message`. The inbox items it tells, named by `drains`, leave the inbox in the same stroke."""
        record = {"type": "message", "message": to_record(message)}
        if drains:
            record["drains"] = list(drains)
        self._session.append(record)
        self._messages.append(message)
        self._tokens += message_tokens(message)

    def withdraw(self, drained: Sequence[str]) -> None:
        """Take back the last message, a user's without answer; events it told (`drained`) wait again."""
        self._session.append({"type": "withdrawn", "ids": list(drained)})
        self._tokens -= message_tokens(self._messages.pop())

    def dangling(self) -> tuple[FunctionCall, ...]:
        """Calls of the last assistant message that have no result yet."""
        answered: set[str] = set()
        for message in reversed(self._messages):
            if isinstance(message, ToolMessage):
                answered.add(message.call_id)
            elif isinstance(message, AssistantMessage):
                return tuple(call for call in message.calls if call.id not in answered)
            else:
                break
        return ()

    def replace(self, messages: list[Message], **facts: object) -> None:
        """Go on with `messages` in the place of all before. The log keeps both, and `facts` between them."""
        self._session.append({"type": "compact", **facts, "messages": [to_record(each) for each in messages]})
        self._messages = messages
        self._tokens = sum(map(message_tokens, messages))


def recent(messages: list[Message], kept: int = KEPT) -> list[Message]:
    """The last `kept` messages, and as many before them as it takes to begin with a user message."""
    start = max(0, len(messages) - kept)
    while start > 0 and not isinstance(messages[start], UserMessage):
        start -= 1
    return messages[start:]


def repair(messages: Iterable[Message]) -> tuple[Message, ...]:
    """`messages` as any endpoint will take them.

    Every tool call is answered exactly once, right after its message and in its order; arguments are JSON
    objects and names are legal; ids are unique within a message; nothing is empty; what one side says in a
    row is one message.
    """
    out: list[Message] = []
    source = list(messages)
    index = 0
    while index < len(source):
        message = source[index]
        index += 1
        match message:
            case UserMessage():
                if message.content.strip():
                    _append(out, message)
            case ToolMessage():
                pass  # its call is gone: a result alone is illegal
            case AssistantMessage():
                results: list[ToolMessage] = []
                while index < len(source) and isinstance(each := source[index], ToolMessage):
                    results.append(each)
                    index += 1
                if message.calls and _is_whole(message.calls, results):
                    out.append(message)
                    out += results
                elif message.calls:
                    calls, answers = _paired(message.calls, results)
                    out.append(replace(message, calls=calls))
                    out += answers
                elif message.content.strip():
                    _append(out, message)
    return tuple(out)


def _append(out: list[Message], message: UserMessage | AssistantMessage) -> None:
    last = out[-1] if out else None
    if isinstance(message, UserMessage) and isinstance(last, UserMessage):
        out[-1] = UserMessage(content=f"{last.content}\n{message.content}")
    elif isinstance(message, AssistantMessage) and isinstance(last, AssistantMessage) and not last.calls:
        out[-1] = replace(message, content=f"{last.content}\n{message.content}")
    else:
        out.append(message)


def _is_whole(calls: tuple[FunctionCall, ...], results: list[ToolMessage]) -> bool:
    """Whether calls and results are right as they are; most are, and then nothing is built anew."""
    ids = [call.id for call in calls]
    return (
        [result.call_id for result in results] == ids
        and all(ids)
        and len(set(ids)) == len(ids)
        and all(
            result.content and result.name == call.name for call, result in zip(calls, results, strict=True)
        )
        and all(
            LEGAL_NAME.fullmatch(call.name) and object_text(call.arguments) == call.arguments
            for call in calls
        )
    )


def _paired(
    calls: tuple[FunctionCall, ...], results: list[ToolMessage]
) -> tuple[tuple[FunctionCall, ...], list[Message]]:
    fixed: list[FunctionCall] = []
    answers: list[Message] = []
    used: set[str] = set()
    left = list(results)
    for number, call in enumerate(calls):
        result = next((each for each in left if each.call_id == call.id), None)
        if result is not None:
            left.remove(result)
        call_id = call.id if call.id and call.id not in used else f"{call.id or 'call'}_{number}"
        used.add(call_id)
        name = NAME.sub("_", call.name)[:64] or "unnamed"
        fixed.append(replace(call, id=call_id, name=name, arguments=object_text(call.arguments)))
        content = result.content if result is not None else LOST
        answers.append(ToolMessage(call_id=call_id, name=name, content=content or "(no output)"))
    return tuple(fixed), answers


def object_text(arguments: str) -> str:
    """The arguments as the text of a JSON object: as they are where they are one, else `{}`."""
    # The whole conversation is looked through before each request; long texts are not worth keeping for that.
    return _known_object_text(arguments) if len(arguments) < KNOWN_LENGTH else _object_text(arguments)


def _object_text(arguments: str) -> str:
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        return "{}"
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return "{}"
        return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else "{}"
    return arguments if isinstance(value, dict) else "{}"


_known_object_text = lru_cache(maxsize=4096)(_object_text)
