"""Puts an answer together from the pieces of an OpenAI-style stream.

Vendors differ in small ways: calls without an index, calls that all have index 0, names sent twice, arguments
as an object, content as a list of parts, calls as JSON among the words, fields nobody has heard of. All of
it ends in one `AssistantMessage`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from numen.llm.json_calls import said
from numen.llm.messages import AssistantMessage, FunctionCall, ReasoningDelta, Restarted, TextDelta, Usage
from numen.llm.think import ThoughtFilter
from numen.llm.written import Holder, mended, read_written

MAX_CHARS = 400_000
"""An answer longer than this is cut off; no model of use says more in one go."""

KNOWN = frozenset({"role", "content", "tool_calls", "function_call"})
REASONING = ("reasoning_content", "reasoning", "reasoning_text")

THOUGHT = "that was thought, not said"

Delta = TextDelta | ReasoningDelta | Restarted


@dataclass(slots=True)
class _Call:
    id: str = ""
    name: str = ""
    arguments: str = ""
    extra: dict[str, Any] = field(default_factory=dict)

    def is_whole(self) -> bool:
        try:
            return isinstance(json.loads(self.arguments), dict)
        except (ValueError, RecursionError):
            return False


class AnswerBuilder:
    """Takes the chunks of one answer in order."""

    def __init__(
        self,
        origin: str,
        new_id: Callable[[], str],
        *,
        tools: Collection[str] = (),
        as_json: bool = False,
        wary: bool = False,
    ) -> None:
        """`tools` are the names that a call written among the words may have; `as_json` says that the answer
        was asked for as one JSON object (see `json_calls`); `wary` holds words back that may turn out to be
        thoughts (see `ThoughtFilter`)."""
        self.finish = ""
        self.usage: Usage | None = None
        self.started = False
        self._origin = origin
        self._new_id = new_id
        self._content: list[str] = []
        self._chars = 0
        self._extra: dict[str, Any] = {}
        self._calls: list[_Call] = []
        self._by_index: dict[int, _Call] = {}
        self._filter = ThoughtFilter(wary=wary)
        self._holder = Holder() if tools or as_json else None
        self._tools = tools
        self._as_json = as_json
        self._told = False
        self._message: AssistantMessage | None = None

    @property
    def closes_unopened(self) -> bool:
        """Thoughts came without their opening tag."""
        return self._filter.unopened > 0

    @property
    def too_long(self) -> bool:
        return self._chars > MAX_CHARS

    def feed(self, chunk: Mapping[str, Any]) -> list[Delta]:
        """Take one chunk, or the whole body of an answer that was not streamed."""
        usage = chunk.get("usage")
        if isinstance(usage, Mapping):
            self.usage = read_usage(usage)
        choices = chunk.get("choices")
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], Mapping):
            return []
        choice = choices[0]
        out: list[Delta] = []
        delta = choice.get("delta")
        if not isinstance(delta, Mapping):
            delta = choice.get("message")
        if isinstance(delta, Mapping):
            out = self._take(delta)
        if choice.get("finish_reason"):
            self.finish = str(choice["finish_reason"])
        return out

    def end(self) -> None:
        """The end mark has come, with or without a reason before it."""
        self.finish = self.finish or "stop"

    def flush(self) -> list[Delta]:
        """The last words that were held back because they might have become a tag or a call."""
        out = [each for thought, text in self._filter.flush() for each in self._deltas(thought, text)]
        held = self._holder.flush() if self._holder else ""
        if held and not self.message().calls:
            words = said(held) if self._as_json else held
            out += [TextDelta(text=words)] if words else []
        return out

    def message(self) -> AssistantMessage:
        """The whole answer. Calls without a name are no calls; every call has an id of its own."""
        if self._message is None:
            self._message = self._put_together()
        return self._message

    def _put_together(self) -> AssistantMessage:
        cut_off = self.finish == "length"
        calls: list[FunctionCall] = []
        used: set[str] = set()
        for each in self._calls:
            if not each.name.strip():
                continue
            call_id = each.id if each.id and each.id not in used else self._new_id()
            used.add(call_id)
            arguments = each.arguments if cut_off else mended(each.arguments)
            calls.append(
                FunctionCall(id=call_id, name=each.name.strip(), arguments=arguments, extra=each.extra)
            )
        content = "".join(self._content)
        extra = {key: value for key, value in self._extra.items() if value not in (None, "", [], {})}
        if not calls and self._holder is not None:
            written = read_written(content, self._tools, cut_off=cut_off)
            if written is not None:
                content = written.content
                calls = [
                    FunctionCall(id=self._new_id(), name=name, arguments=arguments)
                    for name, arguments in written.calls
                ]
            elif self._as_json:
                content = said(content)
        refusal = extra.get("refusal")
        if isinstance(refusal, str) and not content.strip():
            content = refusal
        return AssistantMessage(
            content=content, calls=tuple(calls), extra=extra, origin=self._origin if extra or calls else ""
        )

    def _take(self, delta: Mapping[str, Any]) -> list[Delta]:
        out: list[Delta] = []
        for key in REASONING:
            text = delta.get(key)
            if isinstance(text, str) and text:
                out.append(ReasoningDelta(text=text))
                break
        text = _content_text(delta.get("content"))
        if text:
            self._content.append(text)
            before = self._filter.unopened
            pieces = self._filter.feed(text)
            if self._filter.unopened > before:
                out += self._taken_back()
            for thought, piece in pieces:
                out += self._deltas(thought, piece)
        self._chars += len(text) + sum(len(each.text) for each in out if isinstance(each, ReasoningDelta))
        calls = delta.get("tool_calls")
        for fragment in calls if isinstance(calls, list) else []:
            if isinstance(fragment, Mapping):
                self._merge_call(fragment)
        legacy = delta.get("function_call")
        if isinstance(legacy, Mapping):
            self._merge_call({"index": 0, "function": legacy})
        for key, value in delta.items():
            if key not in KNOWN and value is not None:
                self._extra[key] = _merged(self._extra.get(key), value)
        self.started = self.started or bool(out) or bool(self._content) or bool(self._calls)
        return out

    def _deltas(self, thought: bool, text: str) -> list[Delta]:
        if thought:
            return [ReasoningDelta(text=text)]
        words = text if self._holder is None else self._holder.feed(text)
        self._told = self._told or bool(words)
        return [TextDelta(text=words)] if words else []

    def _taken_back(self) -> list[Delta]:
        """What was taken for words was thought."""
        told, self._told = self._told, False
        self._holder = Holder() if self._holder is not None else None
        return [Restarted(reason=THOUGHT, asked_again=False)] if told else []

    def _merge_call(self, fragment: Mapping[str, Any]) -> None:
        function = fragment.get("function")
        function = function if isinstance(function, Mapping) else {}
        name = str(function.get("name") or "")
        call_id = str(fragment.get("id") or "")
        arguments = function.get("arguments")
        if not isinstance(arguments, str):
            arguments = "" if arguments is None else json.dumps(arguments, ensure_ascii=False)
        call = self._slot(fragment.get("index"), call_id, name)
        call.id = call.id or call_id
        if name and name != call.name:
            call.name += name
        call.arguments += arguments
        self._chars += len(arguments)
        for key, value in fragment.items():
            if key not in ("index", "id", "type", "function") and value is not None:
                call.extra[key] = _merged(call.extra.get(key), value)

    def _slot(self, index: Any, call_id: str, name: str) -> _Call:
        """The call a fragment belongs to, new if need be."""
        old: _Call | None = None
        if isinstance(index, int):
            old = self._by_index.get(index)
        elif call_id:
            old = next((each for each in self._calls if each.id == call_id), None)
        elif self._calls and not name:
            old = self._calls[-1]
        if old is not None:
            other_id = bool(call_id and old.id and call_id != old.id)
            starts_over = bool(name and old.name and old.is_whole())
            if not other_id and not starts_over:
                return old
        call = _Call()
        self._calls.append(call)
        if isinstance(index, int):
            self._by_index[index] = call
        return call


def read_usage(usage: Mapping[str, Any]) -> Usage:
    """Token counts in the words of OpenAI or of DeepSeek."""
    details = usage.get("prompt_tokens_details")
    cached = (
        details.get("cached_tokens") if isinstance(details, Mapping) else usage.get("prompt_cache_hit_tokens")
    )
    return Usage(
        prompt_tokens=_count(usage.get("prompt_tokens")),
        completion_tokens=_count(usage.get("completion_tokens")),
        cached_tokens=_count(cached),
    )


def _count(value: Any) -> int:
    return int(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else 0


def _content_text(content: Any) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = (part.get("text") if isinstance(part, Mapping) else part for part in content)
        return "".join(part for part in parts if isinstance(part, str))
    return ""


def _merged(old: Any, new: Any) -> Any:
    """Strings grow, lists grow (entries with the same index into one), maps merge, the rest is replaced."""
    if old is None:
        return [*new] if isinstance(new, list) else new
    if isinstance(old, str) and isinstance(new, str):
        return old + new
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        return {**old, **{key: _merged(old.get(key), value) for key, value in new.items()}}
    if isinstance(old, list) and isinstance(new, list):
        grown = [*old]
        for entry in new:
            last = grown[-1] if grown else None
            if isinstance(entry, Mapping) and isinstance(last, Mapping) and _same_entry(entry, last):
                grown[-1] = {**last, **{k: _grown(last.get(k), v, k) for k, v in entry.items()}}
            else:
                grown.append(entry)
        return grown
    return new


def _same_entry(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return "index" in one and all(one.get(key) == other.get(key) for key in ("index", "type"))


def _grown(old: Any, new: Any, key: str) -> Any:
    """A part of an indexed entry: text grows, names and numbers stay."""
    if key in ("index", "type", "format", "id"):
        return new if new is not None else old
    return _merged(old, new) if new is not None else old
