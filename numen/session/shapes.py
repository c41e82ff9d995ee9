"""A conversation in the two shapes that MineClawd keeps: for chat completions, and for Gemini.

Both are made from, and read back into, the messages of a log (`role` user, assistant or tool). What stands at
the head of a foreign history, the system prompt, is no part of the conversation and is left out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal

Shape = Literal["openai", "vertex"]
Item = dict[str, Any]

FIELDS: Final[Mapping[Shape, str]] = {"openai": "openAiHistory", "vertex": "vertexHistory"}
SIGNATURE: Final = "thoughtSignature"
PROMPT_HERE: Final = "(The system prompt stands here.)"
"""The first user turn of a Gemini history; MineClawd puts its own system prompt into it."""
LOST: Final = "ERROR: the result of this call was lost"


def to_openai(messages: Sequence[Mapping[str, Any]]) -> list[Item]:
    """Items of `openAiHistory`: role, content, toolCallId, toolCalls [{id, name, arguments}]."""
    return [item for item in map(openai_item, messages) if item is not None]


def openai_item(message: Mapping[str, Any]) -> Item | None:
    match message.get("role"):
        case "user":
            return {"role": "user", "content": message.get("content", "")}
        case "tool":
            return {
                "role": "tool",
                "content": message.get("content", ""),
                "toolCallId": message.get("call_id"),
            }
        case "assistant":
            item: Item = {"role": "assistant", "content": message.get("content") or None}
            calls = message.get("calls")
            if calls:
                item["toolCalls"] = [
                    {"id": each.get("id"), "name": each.get("name"), "arguments": each.get("arguments", "")}
                    for each in calls
                ]
            return item
    return None


def from_openai(items: Any) -> list[Item]:
    """The messages in an `openAiHistory`; what is no message is left out."""
    out: list[Item] = []
    names: dict[str, str] = {}
    for item in items if isinstance(items, list) else ():
        if not isinstance(item, Mapping):
            continue
        content = item.get("content")
        text = content if isinstance(content, str) else _texts(content)
        match item.get("role"):
            case "user" if text.strip():
                out.append({"role": "user", "content": said(text)})
            case "tool":
                call_id = str(item.get("toolCallId") or "unknown")
                out.append(
                    {
                        "role": "tool",
                        "call_id": call_id,
                        "name": names.get(call_id, "unnamed"),
                        "content": text,
                    }
                )
            case "assistant":
                message: Item = {"role": "assistant", "content": text}
                calls = item.get("toolCalls")
                kept = (
                    [each for each in calls if isinstance(each, Mapping)] if isinstance(calls, list) else []
                )
                if kept:
                    message["calls"] = [
                        {
                            "id": str(each.get("id") or "unknown"),
                            "name": str(each.get("name") or "unnamed"),
                            "arguments": _arguments(each.get("arguments")),
                        }
                        for each in kept
                    ]
                    names |= {each["id"]: each["name"] for each in message["calls"]}
                if kept or text.strip():
                    out.append(message)
    return out


def to_vertex(messages: Sequence[Mapping[str, Any]]) -> list[Item]:
    """Items of `vertexHistory`: turns of user and model, all results of a round in one user turn."""
    turns: list[Item] = [{"role": "user", "parts": [{"text": PROMPT_HERE}]}] if messages else []
    joins = False
    for message in messages:
        role, parts = _vertex_parts(message)
        if not parts:
            continue
        if joins and message.get("role") == "tool":
            turns[-1]["parts"] += parts
        else:
            turns.append({"role": role, "parts": parts})
        joins = message.get("role") == "tool"
    return turns


def _vertex_parts(message: Mapping[str, Any]) -> tuple[str, list[Item]]:
    content = str(message.get("content") or "")
    if message.get("role") == "tool":
        response = {"result": content, "is_error": _is_error(content)}
        return "user", [
            {"functionResponse": {"name": message.get("name") or "unnamed", "response": response}}
        ]
    parts: list[Item] = [{"text": content}] if content else []
    if message.get("role") != "assistant":
        return "user", parts
    for call in message.get("calls") or ():
        part: Item = {"functionCall": {"name": call.get("name"), "args": _object(call.get("arguments"))}}
        signature = (call.get("extra") or {}).get(SIGNATURE)
        if signature:
            part[SIGNATURE] = signature
        parts.append(part)
    return "model", parts


def from_vertex(items: Any) -> list[Item]:
    """The messages in a `vertexHistory`.

    Its calls bear no ids: each gets one, and results find theirs by name and order.
    """
    turns = [each for each in items if isinstance(each, Mapping)] if isinstance(items, list) else []
    if turns and turns[0].get("role") == "user" and (len(turns) == 1 or turns[1].get("role") == "user"):
        turns = turns[1:]  # the system prompt, as the first user turn
    out: list[Item] = []
    waiting: list[tuple[str, str]] = []
    number = 0
    for turn in turns:
        parts = [each for each in turn.get("parts") or () if isinstance(each, Mapping)]
        text = "".join(str(each["text"]) for each in parts if isinstance(each.get("text"), str))
        if turn.get("role") == "model":
            message: Item = {"role": "assistant", "content": text}
            calls: list[Item] = []
            for part in parts:
                call = part.get("functionCall")
                if isinstance(call, Mapping):
                    number += 1
                    made: Item = {
                        "id": f"call_{number}",
                        "name": str(call.get("name") or "unnamed"),
                        "arguments": json.dumps(call.get("args") or {}, ensure_ascii=False),
                    }
                    if part.get(SIGNATURE):
                        made["extra"] = {SIGNATURE: part[SIGNATURE]}
                    calls.append(made)
            if calls:
                message["calls"] = calls
            waiting = [(each["id"], each["name"]) for each in calls]
            if calls or text.strip():
                out.append(message)
            continue
        for part in parts:
            response = part.get("functionResponse")
            if not isinstance(response, Mapping):
                continue
            name = str(response.get("name") or "unnamed")
            found = next((each for each in waiting if each[1] == name), waiting[0] if waiting else None)
            if found is not None:
                waiting.remove(found)
                out.append(
                    {"role": "tool", "call_id": found[0], "name": found[1], "content": _result(response)}
                )
        if text.strip():
            out.append({"role": "user", "content": said(text)})
    return out


def repair_vertex(items: Any) -> tuple[list[Item], int]:
    """A `vertexHistory` that Gemini takes: every turn of calls is followed by one turn with their results.

    Results without a call go, calls without a result get one that says so. Also how many turns were changed.
    """
    turns = [dict(each) for each in items if isinstance(each, Mapping)] if isinstance(items, list) else []
    out: list[Item] = []
    changed = (len(items) if isinstance(items, list) else 0) - len(turns)
    index = 0
    while index < len(turns):
        turn = turns[index]
        index += 1
        names = [str(each.get("name") or "unnamed") for each in _parts(turn, "functionCall")]
        if turn.get("role") == "model" and names:
            out.append(turn)
            found: list[Item] = []
            more: list[Item] = []
            taken = 0
            while index < len(turns) and _parts(turns[index], "functionResponse"):
                for part in turns[index].get("parts") or ():
                    (found if "functionResponse" in part else more).append(part)
                index += 1
                taken += 1
            parts = [_taken(found, name) for name in names]
            answer = {"role": "user", "parts": parts}
            changed += taken != 1 or bool(more) or turns[index - 1].get("parts") != parts
            out.append(answer)
            if more:
                out.append({"role": "user", "parts": more})
        elif _parts(turn, "functionResponse"):
            rest = [each for each in turn.get("parts") or () if "functionResponse" not in each]
            changed += 1
            if rest:
                out.append({**turn, "parts": rest})
        elif turn.get("parts"):
            out.append(turn)
        else:
            changed += 1
    return out, changed


def _parts(turn: Mapping[str, Any], kind: str) -> list[Mapping[str, Any]]:
    parts = turn.get("parts")
    found = [each.get(kind) for each in parts if isinstance(each, Mapping)] if isinstance(parts, list) else []
    return [each for each in found if isinstance(each, Mapping)]


def _taken(found: list[Item], name: str) -> Item:
    part = next((each for each in found if each["functionResponse"].get("name") == name), None)
    if part is None:
        return {"functionResponse": {"name": name, "response": {"result": LOST, "is_error": True}}}
    found.remove(part)
    return part


WRITERS: Final[Mapping[Shape, Callable[[Sequence[Mapping[str, Any]]], list[Item]]]] = {
    "openai": to_openai,
    "vertex": to_vertex,
}
READERS: Final[Mapping[Shape, Callable[[Any], list[Item]]]] = {"openai": from_openai, "vertex": from_vertex}


def has_words(shape: Shape, items: Any) -> bool:
    """Whether a person or the model has said anything in that history that a reader would see."""
    return any(
        each["role"] in ("user", "assistant") and each["content"].strip() for each in READERS[shape](items)
    )


def said(text: str) -> str:
    """A person's words as they stand in our own conversations; what was written by us stays as it is."""
    return text if text.lstrip().startswith("<") else f"<query>{text}</query>"


def _texts(content: Any) -> str:
    parts = content if isinstance(content, list) else ()
    return "".join(str(each.get("text") or "") for each in parts if isinstance(each, Mapping))


def _arguments(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments or {}, ensure_ascii=False)


def _object(arguments: Any) -> Item:
    try:
        value = json.loads(arguments)
    except (TypeError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def _result(response: Mapping[str, Any]) -> str:
    given = response.get("response")
    if isinstance(given, Mapping) and isinstance(given.get("result"), str):
        return str(given["result"])
    return json.dumps(given, ensure_ascii=False)


def _is_error(content: str) -> bool:
    value = _object(content)
    return value.get("success") is False or content.startswith("ERROR:")
