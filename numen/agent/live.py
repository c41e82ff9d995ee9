"""The live stream of what minds are doing, for everything that wants to show it while it happens.

A request begins with START and ends with DONE; between them come words (DELTA) and the tool at work
(TOOL_STATUS, TOOL_STATUS_CLEAR), and ERROR before the DONE of one that failed or was stopped. Nobody who
listens can hold a mind up: each has a queue of its own, with an end. When that is full, words are joined and
then shortened, and the tool at work is only the latest; START, ERROR and DONE always arrive.
"""

from __future__ import annotations

import asyncio
import enum
import json
import logging
import uuid
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal

from numen.agent import events, words
from numen.agent.labels import label_of

log = logging.getLogger(__name__)

LONGEST_REQUEST: Final = 600
LONGEST_TEXT: Final = 3_000
LONGEST_ID: Final = 64
#: What stands between an assistant's words and its next round.
PAUSE: Final = "\n\n"
CAPACITY: Final = 256


class Kind(enum.IntEnum):
    """What an event says, with its number on the wire."""

    START = 0
    DELTA = 1
    DONE = 2
    ERROR = 3
    TOOL_STATUS = 4
    TOOL_STATUS_CLEAR = 5


def kind_of(number: int) -> Kind:
    """The kind of that number; an unknown one is read as words."""
    try:
        return Kind(number)
    except ValueError:
        return Kind.DELTA


@dataclass(frozen=True, slots=True)
class LiveEvent:
    """One event of one request.

    `payload` is JSON for START (`sessionId`, `request`) and TOOL_STATUS (`tool`, `short`, `hover`), text
    for DELTA and ERROR, empty for the others.
    """

    request_id: str
    kind: Kind
    payload: str = ""
    companion: str = ""
    person: str | None = None
    """Whose request it is; None for the owner's, or whoever is at the console."""
    origin: Literal["here", "server"] = "here"
    """`server`: the stream of an agent that runs on the Minecraft server."""


@dataclass(frozen=True, slots=True)
class ToolStatus:
    """The tool at work: its name, and what it does in a few words."""

    tool: str
    label: str


def tool_status(payload: str) -> ToolStatus:
    """Read a TOOL_STATUS, ours or a server's: JSON with a label, or only the tool's name."""
    try:
        value = json.loads(payload)
    except ValueError:
        return ToolStatus(payload.strip(), payload.strip())
    if not isinstance(value, dict):
        return ToolStatus(str(value), str(value))
    label = str(value.get("short") or value.get("tool") or "")
    return ToolStatus(str(value.get("tool") or label), label)


def start_payload(session_id: str, request: str) -> str:
    """The payload of START: the request in one line of at most 600 characters."""
    line = " ".join(request.split())[:LONGEST_REQUEST]
    return json.dumps({"sessionId": session_id, "request": line}, ensure_ascii=False)


def pieces(text: str) -> Iterator[str]:
    """`text` in pieces of at most 3,000 characters."""
    for at in range(0, len(text), LONGEST_TEXT):
        yield text[at : at + LONGEST_TEXT]


class Subscription:
    """The events that one listener has not seen yet. Iterate over it, or `take` what is there."""

    def __init__(self, bus: LiveBus, capacity: int) -> None:
        self._bus = bus
        self._capacity = max(4, capacity)
        self._waiting: deque[LiveEvent] = deque()
        self._news = asyncio.Event()
        self._open = True
        self.lost = 0
        """Characters of words that this listener was too slow for."""

    def put(self, event: LiveEvent) -> None:
        """Queue `event` within the bound. Never waits."""
        if not self._open:
            return
        if len(self._waiting) < self._capacity:
            self._waiting.append(event)
        elif event.kind is Kind.DELTA:
            self._join(event)
        else:
            self._make_room()
            self._waiting.append(event)
        self._news.set()

    def _join(self, event: LiveEvent) -> None:
        """Add words to the last words that still wait, as far as one event can hold them."""
        last = self._waiting[-1]
        if last.kind is not Kind.DELTA or last.request_id != event.request_id:
            self.lost += len(event.payload)
            return
        room = LONGEST_TEXT - len(last.payload)
        self.lost += max(0, len(event.payload) - room)
        self._waiting[-1] = replace(last, payload=last.payload + event.payload[:room])

    def _make_room(self) -> None:
        """Let the oldest event go that is not needed: a tool's status first, then words."""
        for kinds in ((Kind.TOOL_STATUS, Kind.TOOL_STATUS_CLEAR), (Kind.DELTA,)):
            for index, each in enumerate(self._waiting):
                if each.kind in kinds:
                    self.lost += len(each.payload) if each.kind is Kind.DELTA else 0
                    del self._waiting[index]
                    return
        # Only beginnings and ends are left: thousands of requests that nobody looked at.
        if len(self._waiting) >= 16 * self._capacity:
            log.warning("a listener of the live stream has stopped listening, and was let go")
            self.close()

    def take(self) -> list[LiveEvent]:
        """Everything that waits, without waiting."""
        taken = list(self._waiting)
        self._waiting.clear()
        self._news.clear()
        return taken

    def close(self) -> None:
        """Hear no more."""
        self._open = False
        self._bus.drop(self)
        self._news.set()

    async def __aiter__(self) -> AsyncIterator[LiveEvent]:
        while True:
            await self._news.wait()
            for event in self.take():
                yield event
            if not self._open:
                return


class LiveBus:
    """Carries live events from whoever makes them to whoever shows them, on one event loop."""

    def __init__(self) -> None:
        self._subscriptions: list[Subscription] = []

    def subscribe(self, capacity: int = CAPACITY) -> Subscription:
        """Hear every event from now on. `capacity` bounds how many may wait."""
        made = Subscription(self, capacity)
        self._subscriptions.append(made)
        return made

    def drop(self, subscription: Subscription) -> None:
        """Tell that one no more; to be called by itself."""
        if subscription in self._subscriptions:
            self._subscriptions.remove(subscription)

    def publish(self, event: LiveEvent) -> None:
        """Hand `event` to everybody. Words that are too long for one event become several."""
        long = event.kind in (Kind.DELTA, Kind.ERROR) and len(event.payload) > LONGEST_TEXT
        each_text = pieces(event.payload) if long else (event.payload,)
        for text in each_text:
            piece = replace(event, payload=text, request_id=event.request_id[:LONGEST_ID])
            for each in list(self._subscriptions):
                each.put(piece)


class Feed:
    """Makes live events of what one mind tells. `report` takes every AgentEvent of it."""

    def __init__(
        self,
        bus: LiveBus,
        companion: str,
        *,
        person: str | None = None,
        language: str = "en",
        new_id: Callable[[], str] = lambda: str(uuid.uuid4()),
    ) -> None:
        self._bus = bus
        self._companion = companion
        self.person = person
        self._language = language
        self._new_id = new_id
        self._id = ""
        self._spoken = ""
        """Words of this round that were sent."""
        self._pause_due = False
        self._failure: events.TurnFailed | None = None
        self._last: Kind | None = None

    def report(self, event: events.AgentEvent) -> None:
        """Publish what `event` means. Calls that belong to no turn are not part of a stream."""
        if event.turn == 0:
            return
        match event:
            case events.TurnStarted():
                self._id = event.request_id or self._new_id()
                self._spoken, self._pause_due, self._failure = "", False, None
                self._publish(Kind.START, start_payload(event.session_id, event.request))
            case events.TextDelta():
                self._words(event.text)
            case events.TextWithdrawn():
                if self._spoken:
                    self._words(PAUSE + words.say("begins_anew", self._language))
                    self._end_of_round()
            case events.ToolCalled():
                self._end_of_round()
                label = label_of(event.tool, event.arguments, self._language)
                status = {"tool": event.tool, "short": label, "hover": f"{event.tool}: {label}"}
                self._publish(Kind.TOOL_STATUS, json.dumps(status, ensure_ascii=False))
            case events.ToolFinished():
                self._no_tool()
            case events.Answered():
                if self._spoken.strip() != event.text.strip():
                    self._end_of_round()
                    self._words(event.text)
            case events.TurnFailed():
                self._failure = event
            case events.TurnEnded():
                self._ended(event.how)
            case _:
                pass

    def _words(self, text: str) -> None:
        if not text:
            return
        if self._pause_due:
            self._publish(Kind.DELTA, PAUSE)
            self._pause_due = False
        self._spoken += text
        self._publish(Kind.DELTA, text)

    def _end_of_round(self) -> None:
        """What is said after this is another round's."""
        self._pause_due = self._pause_due or bool(self._spoken)
        self._spoken = ""

    def _ended(self, how: events.EndingKind) -> None:
        failure = self._failure
        if failure is None or failure.runtime or how == "halted":
            self._no_tool()
        if how == "halted":
            self._publish(Kind.ERROR, words.say("stopped_by_user", self._language))
        elif failure is not None:
            token = f"Retry token: {failure.token}" if failure.token else ""
            self._publish(Kind.ERROR, "\n".join(each for each in (failure.message, token) if each))
        self._publish(Kind.DONE)
        self._spoken, self._failure = "", None

    def _no_tool(self) -> None:
        """No tool is at work any more; said once where nothing came in between."""
        if self._last is not Kind.TOOL_STATUS_CLEAR:
            self._publish(Kind.TOOL_STATUS_CLEAR)

    def _publish(self, kind: Kind, payload: str = "") -> None:
        self._last = kind
        self._bus.publish(LiveEvent(self._id, kind, payload, self._companion, self.person))


async def write_log(subscription: Subscription) -> None:
    """Write the stream to the log, at the level of details, until the subscription is closed."""
    async for event in subscription:
        who = f"{event.companion}/{event.person}" if event.person else event.companion
        log.debug("%s %s %s %r", who, event.request_id[:8], event.kind.name, event.payload[:200])
