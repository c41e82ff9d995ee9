"""Google's generateContent: how a conversation is written for it and how its chunks are read.

In what it differs: roles are user and model, and take turns; calls and results are parts of a message, all
results of one answer in one message; a result is an object; schemas are a subset of OpenAPI's. A model that
thinks signs its calls, and wants each signature back with its call.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, assert_never

from numen.llm.answer import AnswerBuilder, Delta
from numen.llm.endpoint import Endpoint
from numen.llm.messages import AssistantMessage, Message, Request, ToolMessage, ToolSpec, UserMessage
from numen.llm.think import spoken

SIGNATURE = "thoughtSignature"
FOREIGN_SIGNATURE = "skip_thought_signature_validator"
"""Stands for a signature on calls that another model made; Google's own word for it."""

BUDGETS = {"off": 0, "low": 1_024, "medium": 8_192, "high": 24_576}
LEVELS = {"off": "low", "low": "low", "medium": "medium", "high": "high"}
"""Models from Gemini 3 on take a level, and cannot be kept from thinking."""

FINISHES = {"STOP": "stop", "MAX_TOKENS": "length", "MALFORMED_FUNCTION_CALL": "malformed_call"}
"""In OpenAI's words; all others are filters of some kind."""

SCHEMA_KEYS = (
    *("format", "description", "nullable", "default", "minimum", "maximum", "minItems", "maxItems"),
    *("minLength", "maxLength", "pattern", "required"),
)


def request_body(
    request: Request, endpoint: Endpoint, *, thinking: bool = True, sign: bool = False
) -> dict[str, Any]:
    """The JSON body of `request`. `thinking` says whether the level may be asked for; `sign` puts a stand-in
    on calls that bear no signature. Equal requests give equal bytes.
    """
    body: dict[str, Any] = {}
    if request.system:
        body["systemInstruction"] = {"parts": [{"text": request.system}]}
    if request.tools:
        body["tools"] = [{"functionDeclarations": [_declaration(each) for each in request.tools]}]
    config: dict[str, Any] = {}
    if endpoint.temperature is not None:
        config["temperature"] = endpoint.temperature
    most = request.max_tokens or endpoint.max_tokens
    if most is not None:
        config["maxOutputTokens"] = most
    if thinking and endpoint.thinking != "auto":
        config["thinkingConfig"] = _thinking(endpoint)
    if config:
        body["generationConfig"] = config
    body["contents"] = contents(request.messages, endpoint.origin, sign=sign)
    return body


def contents(messages: Sequence[Message], origin: str, *, sign: bool = False) -> list[dict[str, Any]]:
    """The conversation as turns of user and model. It begins with the user."""
    out: list[dict[str, Any]] = []
    for message in messages:
        match message:
            case UserMessage():
                _add(out, "user", [{"text": message.content}])
            case ToolMessage():
                _add(out, "user", [_response(message)])
            case AssistantMessage():
                words = spoken(message.content)
                parts: list[dict[str, Any]] = [{"text": words}] if words else []
                for call in message.calls:
                    part: dict[str, Any] = {
                        "functionCall": {"name": call.name, "args": _object(call.arguments)}
                    }
                    signature = call.extra.get(SIGNATURE) if message.origin == origin else None
                    if signature or (sign and not any(SIGNATURE in each for each in parts)):
                        part[SIGNATURE] = signature or FOREIGN_SIGNATURE
                    parts.append(part)
                if parts:
                    _add(out, "model", parts)
            case _:
                assert_never(message)
    if out and out[0]["role"] == "model":
        out.insert(0, {"role": "user", "parts": [{"text": "(What was said before is left out.)"}]})
    return out


def _add(out: list[dict[str, Any]], role: str, parts: list[dict[str, Any]]) -> None:
    if out and out[-1]["role"] == role:
        out[-1]["parts"] += parts
    else:
        out.append({"role": role, "parts": parts})


def _response(message: ToolMessage) -> dict[str, Any]:
    try:
        value = json.loads(message.content)
    except (ValueError, RecursionError):
        value = None
    response = value if isinstance(value, dict) else {"result": message.content}
    return {"functionResponse": {"name": message.name or "unnamed", "response": response}}


def _object(arguments: str) -> dict[str, Any]:
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _declaration(spec: ToolSpec) -> dict[str, Any]:
    declared: dict[str, Any] = {"name": spec.name, "description": spec.description}
    if spec.parameters.get("properties"):  # an object without properties is refused
        declared["parameters"] = schema(spec.parameters)
    return declared


def schema(given: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON schema in the subset that Google takes; what it does not know is left out."""
    branches = given.get("anyOf") or given.get("oneOf")
    if isinstance(branches, list) and branches:
        return {"anyOf": [schema(each) for each in branches if isinstance(each, Mapping)]}
    kind = given.get("type")
    out: dict[str, Any] = {key: given[key] for key in SCHEMA_KEYS if key in given}
    if isinstance(kind, list):
        names = [each for each in kind if each != "null"]
        out["nullable"] = "null" in kind
        kind = names[0] if names else "string"
    choices = [given["const"]] if "const" in given else given.get("enum")
    if isinstance(choices, list):
        if all(isinstance(each, str) for each in choices):
            out["enum"], kind = choices, "string"
        else:  # only text may be one of several
            told = f"one of {', '.join(json.dumps(each) for each in choices)}"
            out["description"] = f"{out['description']} ({told})" if "description" in out else told
    if kind is None:
        kind = "object" if "properties" in given else "string"
    out["type"] = str(kind).upper()
    if kind == "object":
        properties = given.get("properties")
        known = properties if isinstance(properties, Mapping) else {}
        out["properties"] = {str(name): schema(each) for name, each in known.items()}
    if kind == "array":
        items = given.get("items")
        out["items"] = schema(items) if isinstance(items, Mapping) and items else {"type": "STRING"}
    return out


def _thinking(endpoint: Endpoint) -> dict[str, Any]:
    level = endpoint.thinking
    if endpoint.model_name.rsplit("/", 1)[-1].startswith(("gemini-1", "gemini-2")):
        return {"thinkingBudget": BUDGETS[level]}
    return {"thinkingLevel": LEVELS[level]}


class GeminiReader(AnswerBuilder):
    """Reads an answer chunk by chunk, by putting each into OpenAI's form."""

    _next_call = 0

    def feed(self, chunk: Mapping[str, Any]) -> list[Delta]:
        out: list[Delta] = []
        candidates = chunk.get("candidates")
        candidate = candidates[0] if isinstance(candidates, list) and candidates else {}
        candidate = candidate if isinstance(candidate, Mapping) else {}
        content = candidate.get("content")
        parts = content.get("parts") if isinstance(content, Mapping) else None
        for part in parts if isinstance(parts, list) else []:
            if isinstance(part, Mapping):
                out += super().feed({"choices": [{"delta": self._delta(part)}]})
        reason = candidate.get("finishReason")
        if reason:
            self.finish = FINISHES.get(str(reason), "content_filter")
        feedback = chunk.get("promptFeedback")
        if isinstance(feedback, Mapping) and feedback.get("blockReason"):
            self.finish = "content_filter"
        usage = chunk.get("usageMetadata")
        if isinstance(usage, Mapping):
            super().feed({"usage": _usage(usage)})
        return out

    def end(self) -> None:
        """Its streams bear no end mark: one that gave no reason has broken off."""

    def _delta(self, part: Mapping[str, Any]) -> dict[str, Any]:
        call = part.get("functionCall")
        if isinstance(call, Mapping):
            function = {"name": call.get("name"), "arguments": call.get("args") or {}}
            fragment = {"index": self._next_call, "function": function, SIGNATURE: part.get(SIGNATURE)}
            self._next_call += 1
            return {"tool_calls": [fragment]}
        return {"reasoning_content" if part.get("thought") else "content": part.get("text")}


def _usage(given: Mapping[str, Any]) -> dict[str, Any]:
    written = [given.get(key) for key in ("candidatesTokenCount", "thoughtsTokenCount")]
    return {
        "prompt_tokens": given.get("promptTokenCount"),
        "completion_tokens": sum(each for each in written if isinstance(each, int)),
        "prompt_tokens_details": {"cached_tokens": given.get("cachedContentTokenCount")},
    }
