"""Reads a conversation back into facts: what was asked, what was done, what it led to.

A rehearsal keeps nothing between requests. All that it knows stands in the request, as it would for a model.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from numen.llm.messages import AssistantMessage, Request, ToolMessage, UserMessage
from numen.llm.rehearsal.lore import bare

QUERY = re.compile(r"<query[^>]*>(.*?)</query>", re.DOTALL)
EVENT = re.compile(r"<event ([^>]*)>(.*?)</event>", re.DOTALL)
ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')

ASIDE = "aside"
"""How an answer is marked that does not end the job under way."""

CHANGING = frozenset(
    {"mine", "break_block", "place_block", "collect_items", "craft", "equip_item", "eat_item", "drop_items"}
    | {"attack", "move_to"}
)
"""Tools after which an older status no longer holds."""


@dataclass(slots=True)
class Step:
    """A tool call and what came of it.

    For a job in the background, `ended` tells whether that is over, and `at` is when it was; `begun` is the
    call.
    """

    at: int
    name: str
    args: Mapping[str, Any]
    ok: bool
    message: str
    data: Mapping[str, Any]
    begun: int = 0
    task_id: str | None = None
    ended: bool = True

    def __post_init__(self) -> None:
        self.begun = self.begun or self.at


@dataclass(slots=True)
class Words:
    """Something the owner said."""

    at: int
    text: str


@dataclass(slots=True)
class Story:
    """The conversation in order of `at`, a counter over all that happened."""

    tools: frozenset[str]
    system: str
    words: list[Words] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    answers: list[tuple[int, bool]] = field(default_factory=list)
    """(at, whether it was an aside) of each plain answer."""
    endings: list[int] = field(default_factory=list)
    """When a background job was told to have ended, also one that we know nothing of."""
    stops: list[int] = field(default_factory=list)
    """When the owner pressed Stop."""

    @property
    def running(self) -> Step | None:
        """The background job that goes on, as far as we were told."""
        last = next((step for step in reversed(self.steps) if step.task_id is not None), None)
        return last if last is not None and not last.ended else None

    def since(self, at: int) -> list[Step]:
        """What was begun after `at`, in the order in which it ended."""
        return sorted((step for step in self.steps if step.begun > at), key=lambda step: step.at)

    def last(self, name: str, since: int) -> Step | None:
        """The last call of that tool after `since`."""
        return next((step for step in reversed(self.since(since)) if step.name == name), None)

    def can(self, *tools: str) -> bool:
        return all(each in self.tools for each in tools)


def read_story(request: Request) -> Story:
    """The story so far."""
    story = Story(tools=frozenset(each.name for each in request.tools), system=request.system)
    calls: dict[str, tuple[str, Mapping[str, Any]]] = {}
    at = 0
    for message in request.messages:
        at += 2
        match message:
            case UserMessage():
                for kind, attrs, text in _parts(message.content):
                    at += 2
                    if kind == "query":
                        story.words.append(Words(at, text))
                    else:
                        _take_event(story, at, attrs, text)
            case AssistantMessage():
                for call in message.calls:
                    calls[call.id] = (call.name, _object(call.arguments))
                if not message.calls and message.content.strip():
                    story.answers.append((at, message.extra.get("rehearsal") == ASIDE))
            case ToolMessage():
                name, args = calls.get(message.call_id, (message.name, {}))
                _take_result(story, Step(at, name, args, *_verdict(message.content)))
    return story


def _take_result(story: Story, step: Step) -> None:
    if step.ok and step.data.get("async") is True:
        step.task_id = str(step.data.get("task_id", ""))
        step.ended = False
    running = story.running
    idle = (step.name == "task_status" and step.ok and step.data.get("state") == "idle") or (
        step.name == "get_self_status" and step.ok and "task" in step.data and step.data["task"] is None
    )
    if running is not None and (idle or "program ended" in step.message):
        running.ended, running.ok, running.message = True, False, "it ended without word"
        running.at = step.at - 1
    story.steps.append(step)


def _take_event(story: Story, at: int, attrs: Mapping[str, str], text: str) -> None:
    kind = attrs.get("kind")
    if kind == "stop":
        story.stops.append(at)
    elif kind == "task_finished":
        story.endings.append(at)
        task_id = attrs.get("task_id")
        jobs = [step for step in story.steps if step.task_id is not None and task_id in (None, step.task_id)]
        if jobs:
            job = jobs[-1]
            ok, job.message, job.data = _verdict(text)
            job.ok = attrs.get("status", "done" if ok else "failed") == "done"
            job.at, job.ended = at, True
    elif kind in ("reconnected", "respawned") and (running := story.running) is not None:
        running.ended, running.ok, running.message = True, False, "it was cut short"
        running.at = at


def _parts(content: str) -> Iterator[tuple[str, Mapping[str, str], str]]:
    found: list[tuple[int, str, Mapping[str, str], str]] = []
    for query in QUERY.finditer(content):
        found.append((query.start(), "query", {}, query.group(1).strip()))
    for event in EVENT.finditer(content):
        attributes = dict(ATTRIBUTE.findall(event.group(1)))
        found.append((event.start(), "event", attributes, event.group(2).strip()))
    for _, kind, attrs, text in sorted(found, key=lambda each: each[0]):
        yield kind, attrs, text


def _object(text: str) -> Mapping[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _verdict(content: str) -> tuple[bool, str, Mapping[str, Any]]:
    """(ok, message, data) of a result: an envelope, a bare object (its own data), or plain text."""
    try:
        # A remark of the loop may follow the JSON.
        value, _ = json.JSONDecoder().raw_decode(content)
    except ValueError:
        return True, content, {}
    if not isinstance(value, dict):
        return True, content, {}
    if isinstance(value.get("success"), bool):
        data = value.get("data")
        return value["success"], str(value.get("message", "")), data if isinstance(data, dict) else {}
    return True, str(value.get("message", "")), value


@dataclass(frozen=True, slots=True)
class Status:
    """A result of get_self_status, as far as a plan needs it."""

    items: Mapping[str, int]
    held: str | None
    position: tuple[int, int, int] | None
    health: float | None
    hunger: float | None
    raw: Mapping[str, Any]


def read_status(data: Mapping[str, Any]) -> Status:
    """The facts in a get_self_status result; what is missing is None or empty."""
    items: Counter[str] = Counter()
    inventory = data.get("inventory")
    listed = inventory.get("items") if isinstance(inventory, Mapping) else None
    for entry in listed if isinstance(listed, list) else []:
        if isinstance(entry, Mapping):
            items[bare(str(entry.get("item", "")))] += int(entry.get("count", 1) or 0)
    equipment = data.get("equipment")
    hand = equipment.get("mainhand") if isinstance(equipment, Mapping) else None
    held = hand.get("item") if isinstance(hand, Mapping) else hand
    return Status(
        items=items,
        held=bare(str(held)) if held else None,
        position=read_position(data.get("block_position")) or read_position(data.get("position")),
        health=_number(data.get("hp")),
        hunger=_number(data.get("hunger")),
        raw=data,
    )


def read_position(value: Any) -> tuple[int, int, int] | None:
    """A cell out of `{x, y, z}` or `[x, y, z]`."""
    if isinstance(value, Mapping):
        value = [value.get("x"), value.get("y"), value.get("z")]
    if not isinstance(value, list) or len(value) != 3:
        return None
    numbers = [_number(each) for each in value]
    if any(each is None for each in numbers):
        return None
    x, y, z = (int(each // 1) for each in numbers if each is not None)
    return (x, y, z)


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
