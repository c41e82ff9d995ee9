"""Calls that a model wrote into its words, because its server knows no better or lost the real ones.

They come as JSON, bare, fenced or in a vendor's tags, and often a little broken. `read_written` finds them;
`Holder` keeps them out of the words while these are streamed; `mended` puts arguments right. What was broken
is repaired with json-repair, and checked against the tool's schema later like everything else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from numen.llm.think import TAG

NAME_KEYS = ("name", "tool", "tool_name", "function", "function_name", "action")
ARGUMENT_KEYS = ("arguments", "args", "parameters", "params", "input", "tool_input", "action_input")
LIST_KEYS = ("tool_calls", "calls", "function_calls")

SIGNS = ("{", "[{", "```", "<tool_call", "<function=", "[TOOL_CALLS]", "<|")
"""Where a written call may begin."""

TAGGED = re.compile(
    r"<tool_call>(?P<call>.*?)(?:</tool_call>|\Z)"
    r"|(?P<function><function=.*?)(?:</function>|\Z)"
    r"|(?:\[TOOL_CALLS\]|<\|python_tag\|>|<\|tool_calls?\|>)(?P<rest>.*)\Z"
    r"|```[\w-]*[ \t]*\n?(?P<fenced>.*?)(?:```|\Z)",
    re.DOTALL,
)
HEAD = re.compile(r"\[?\s*\{\s*[\"'“]?\w+[\"'”]?\s*:")
"""The beginning of a bare JSON object, or of a list of them."""
XML_CALL = re.compile(r"<function=(?P<name>[\w.-]+)>?(?P<body>.*)", re.DOTALL)
XML_PARAMETER = re.compile(r"<parameter=(?P<key>[\w.-]+)>\s?(?P<value>.*?)\s?(?:</parameter>|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Written:
    """What was found: (tool, arguments) each, and the content without it."""

    calls: tuple[tuple[str, str], ...]
    content: str


def read_written(content: str, tools: Collection[str], *, cut_off: bool = False) -> Written | None:
    """The calls in `content`, or None when it holds none. Thoughts are no calls.

    `tools` are the names that a call may have; one with another name counts when it is plainly meant as a
    call. When the answer was `cut_off`, a call that is not whole keeps its arguments as they stand, so that
    nothing runs that was not meant.
    """
    start, depth = 0, 0
    for tag in TAG.finditer(content):
        depth = max(0, depth - 1) if tag.group(1) else depth + 1
        start = tag.end()
    if depth:
        return None
    reader = _Reader(content[start:], {_fold(each) for each in tools}, cut_off)
    calls = list(reader.calls())
    if not calls:
        return None
    return Written(tuple(calls), content[:start] + reader.rest())


def mended(arguments: str) -> str:
    """The text of a JSON object for arguments that are nearly one; anything else as it is."""
    text = arguments.strip()
    if not text:
        return arguments
    try:
        first, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        value = repaired(text)
        return _text(value) if isinstance(value, dict) and value else arguments
    rest = text[end:].strip()
    if not rest or not isinstance(first, dict):
        return arguments
    # Some servers send the whole text twice, some models close one brace too many; two objects that differ
    # are not ours to choose from.
    return text[:end] if rest == text[:end] or not rest.strip("}") else arguments


def repaired(text: str) -> Any:
    """The JSON value that `text` was meant to be; "" when none can be seen in it."""
    import json_repair  # takes long to load, and most models never need it

    try:
        return json_repair.loads(text)
    except (ValueError, RecursionError, IndexError):
        return ""


class Holder:
    """Lets words through as they come, and holds back what may be a written call."""

    def __init__(self) -> None:
        self._held = ""
        self._holding = False

    def feed(self, text: str) -> str:
        """The words that are certain by now."""
        text = self._held + text
        if self._holding:
            self._held = text
            return ""
        found = [at for at in map(text.find, SIGNS) if at >= 0]
        if found:
            at = min(found)
            self._holding = True
        else:
            at = next(
                (at for at in range(max(0, len(text) - 12), len(text)) if _may_begin(text[at:])), len(text)
            )
        self._held = text[at:]
        return text[:at]

    def flush(self) -> str:
        """What was held back, at the end."""
        held, self._held = self._held, ""
        return held


class _Reader:
    """Reads calls out of one text, and keeps account of what is left of it."""

    def __init__(self, text: str, tools: set[str], cut_off: bool) -> None:
        self._text = text
        self._tools = tools
        self._cut_off = cut_off
        self._taken: list[tuple[int, int]] = []

    def calls(self) -> Iterator[tuple[str, str]]:
        for match in TAGGED.finditer(self._text):
            kind = match.lastgroup or ""
            body = match.group(kind)
            inner = [_xml_call(body)] if "<function=" in body else list(self._bare(body))
            found = [each for each in inner if each is not None]
            if found:
                self._taken.append(match.span())
                yield from (call for calls, _ in found for call in calls)
        if not self._taken:
            for calls, span in self._bare(self._text):
                self._taken.append(span)
                yield from calls

    def rest(self) -> str:
        out, end = [], 0
        for start, stop in self._taken:
            out.append(self._text[end:start])
            end = stop
        return "".join([*out, self._text[end:]]).strip()

    def _bare(self, text: str) -> Iterator[tuple[list[tuple[str, str]], tuple[int, int]]]:
        """Calls written as JSON anywhere in `text`, with where they stand."""
        at = 0
        while (head := HEAD.search(text, at)) is not None:
            start = head.start()
            try:
                value, stop = json.JSONDecoder().raw_decode(text, start)
                whole = True
            except (ValueError, RecursionError):
                value, stop, whole = repaired(text[start:]), len(text), False
            calls = self._read(value)
            if calls is None:
                at = head.end()
                continue
            if not whole and self._cut_off:
                calls = [(name, text[start:stop]) for name, _ in calls]
            yield calls, (start, stop)
            at = stop

    def _read(self, value: Any) -> list[tuple[str, str]] | None:
        """The calls that a JSON value stands for; None when it is something else."""
        if isinstance(value, list):
            read = [self._read(each) for each in value]
            return [call for calls in read if calls for call in calls] if read and all(read) else None
        if not isinstance(value, Mapping):
            return None
        for key in LIST_KEYS:
            if isinstance(value.get(key), list):
                return self._read(value[key])
        if isinstance(value.get("function"), Mapping):
            return self._read(value["function"])
        if len(value) == 1:
            name, arguments = next(iter(value.items()))
            if _fold(str(name)) in self._tools and isinstance(arguments, Mapping):
                return [(str(name), _text(arguments))]
        name_key = next((key for key in NAME_KEYS if isinstance(value.get(key), str)), None)
        if name_key is None:
            return None
        name = value[name_key].strip()
        known = _fold(name) in self._tools
        arguments_key = next((key for key in ARGUMENT_KEYS if key in value), None)
        if arguments_key is not None and (known or isinstance(value[arguments_key], (Mapping, str))):
            given = value[arguments_key]
            return [
                (name, mended(given) if isinstance(given, str) else _text({} if given is None else given))
            ]
        if known:
            return [
                (
                    name,
                    _text({key: each for key, each in value.items() if key not in (name_key, "id", "type")}),
                )
            ]
        return None


def _xml_call(text: str) -> tuple[list[tuple[str, str]], tuple[int, int]] | None:
    """A call as `<function=mine><parameter=count>3</parameter>`, or with a JSON object in place of these."""
    match = XML_CALL.search(text)
    if match is None:
        return None
    body = match["body"]
    arguments = {each["key"]: _loose(each["value"]) for each in XML_PARAMETER.finditer(body)}
    given = _text(arguments) if arguments else mended(body.removesuffix("</function>").strip() or "{}")
    return [(match["name"], given)], match.span()


def _loose(text: str) -> Any:
    """A value without quotes: JSON where it is some, else the text itself."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _fold(name: str) -> str:
    return name.strip().casefold().replace("-", "_")


def _may_begin(text: str) -> bool:
    return any(sign.startswith(text) for sign in SIGNS)
