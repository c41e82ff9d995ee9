"""What a person sees and types: words as they are written, the tool at work, each step's verdict, a prompt.

On a terminal the last lines belong to what is going on right now: the words that are being written and the
tool at work, above the prompt. Without a terminal the same steps go to standard output, one finished line
each, and nothing is read.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TextIO

from numen.agent import events
from numen.agent.labels import READING, gist_of, label_of
from numen.agent.live import Kind, LiveBus, LiveEvent, Subscription, tool_status
from numen.agent.questions import QuestionAsked, QuestionClosed, lines_of
from numen.companion import Away, ChatHeard, CompanionEvent, JobEnded, Joined
from numen.companion.served import Told
from numen.console.columns import Wrapping, columns, cut, one_line
from numen.messages import Language, say

RESET, DIM, BOLD, GREEN, RED, YELLOW, CYAN = (f"\x1b[{code}m" for code in (0, 2, 1, 32, 31, 33, 36))
#: A line of a result longer than this is cut; the model has all of it.
WIDEST: Final = 160
FRAMES: Final = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
#: Companions whose work is shown at once.
MOST_AT_WORK: Final = 4


@dataclass(slots=True)
class _Work:
    """What one request is doing now."""

    words: Wrapping | None = None
    tool: str = ""
    label: str = ""
    since: float = 0.0
    front: str = field(default="")


class Console:
    """Prints what companions report. Several companions are told apart by their names in front."""

    def __init__(
        self,
        language: Language = "en",
        *,
        out: TextIO | None = None,
        colour: bool | None = None,
        named: bool = False,
        show_chat: bool = True,
        width: Callable[[], int] = lambda: shutil.get_terminal_size().columns,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """`named` puts the companion's name before each step; `colour` None asks the stream."""
        self.language: Language = language
        self._out = out
        self._colour = sys.stdout.isatty() if colour is None else colour
        self._named = named
        self._show_chat = show_chat
        self._width = width
        self._now = now
        self._thinking: dict[str, str] = {}
        self._names: set[str] = set()
        self._ear: str | None = None
        """The companion through which public chat is heard: all hear the same."""
        self._live: Subscription | None = None
        self._work: dict[tuple[str, str], _Work] = {}
        self.changed: Callable[[], None] = lambda: None
        """Called when `now_lines` has changed."""

    # -- what companions report

    def report(self, event: CompanionEvent) -> None:
        """Print `event`, if it is one that people want to see."""
        self.catch_up()
        self._names.add(event.companion)
        match event:
            case events.ToolCalled():
                self._called(event)
            case events.ToolFinished():
                self._finished(event)
            case events.TextDelta():
                if self._live is None:
                    self._thinking[event.companion] = self._thinking.get(event.companion, "") + event.text
            case events.TextWithdrawn():
                self._thinking.pop(event.companion, None)
                if self._live is None:
                    self.note(say("withdrawn", self.language, reason=event.reason))
            case events.Answered():
                self._thinking.pop(event.companion, None)
                if self._live is None:
                    first, *rest = event.text.splitlines() or [""]
                    self._print((BOLD, event.companion), ("", f": {first}"))
                    for line in rest:
                        self._print(("", line))
                else:
                    self._end_words(event.companion)
            case events.EndpointRetried():
                self.note(say("retried", self.language, reason=event.reason, seconds=round(event.delay_s)))
            case events.TurnFailed():
                self._thinking.pop(event.companion, None)
                self._end_words(event.companion)
                self._step(event.companion, RED, "✗", event.message)
            case QuestionAsked():
                self._end_words(event.companion)
                first, *rest = lines_of(event.question, self.language)
                self._step(event.companion, YELLOW, "?", first)
                for line in rest:
                    self._print(("", f"  {line}"))
            case Told():
                self._step(event.companion, YELLOW, "•", event.text)
            case QuestionClosed(result=result) if result.startswith("SKIPPED"):
                self.note(say("question_over", self.language))
            case JobEnded():
                done = event.status == "done"
                text = say(
                    "job_done",
                    self.language,
                    task=event.task,
                    id=event.task_id,
                    seconds=f"{event.seconds:.1f}",
                    message=_short(event.message),
                )
                self._step(event.companion, GREEN if done else YELLOW, "  ✓" if done else "  ✗", text)
            case Joined():
                place = ", ".join(map(str, event.place))
                facts = {"name": event.companion, "address": event.address, "place": f"({place})"}
                key = "back" if event.again else "joined"
                self.note(say(key, self.language, dimension=event.dimension, **facts))
            case Away():
                self._away(event)
            case ChatHeard() if self._show_chat and event.line.display:
                self._heard(event)
            case _:
                pass

    def _called(self, event: events.ToolCalled) -> None:
        """Words before a call are thinking aloud."""
        self._end_words(event.companion)
        words = _short(self._thinking.pop(event.companion, ""))
        if words:
            self._step(event.companion, DIM, "…", words)
        if self._live is None:
            self._step(event.companion, CYAN, "→", f"{event.tool} {_arguments(event)}")
        elif event.tool not in READING:
            label = label_of(event.tool, event.arguments, self.language)
            self._step(event.companion, CYAN, "→", f"{event.tool} · {label}")

    def _finished(self, event: events.ToolFinished) -> None:
        gist = gist_of(event.tool, event.message or event.content, event.content, self.language)
        if self._live is not None and event.tool in READING and event.ok:
            self._step(event.companion, DIM, "·", f"{event.tool}: {_short(gist)}")
            return
        colour, sign = (GREEN, "✓") if event.ok else (RED, "✗")
        self._step(event.companion, colour, f"  {sign}", _short(gist))

    def _away(self, event: Away) -> None:
        self._end_words(event.companion)
        if self._ear == event.companion:
            self._ear = None
        if event.retry_in_s is None:
            self.note(say("gone", self.language, name=event.companion, reason=event.reason))
        else:
            seconds = f"{event.retry_in_s:.0f}"
            self.note(say("lost", self.language, reason=event.reason, seconds=seconds))

    def _heard(self, event: ChatHeard) -> None:
        """Public chat is heard by all companions and shown once; what our own say is shown already."""
        line = event.line
        if line.kind != "whisper":
            self._ear = self._ear or event.companion
            if self._ear != event.companion or line.sender in self._names:
                return
        self._print((DIM, line.display))

    # -- what happens right now

    def follow(self, bus: LiveBus) -> Subscription:
        """Show words and tools while they come, from now on; for terminals. The subscription wakes whoever
        calls `catch_up`."""
        self._live = bus.subscribe()
        return self._live

    def catch_up(self) -> None:
        """Take in what the live stream has brought."""
        if self._live is not None:
            for event in self._live.take():
                self._take(event)

    def _take(self, event: LiveEvent) -> None:
        key = (event.companion, event.request_id)
        work = self._work.setdefault(key, _Work(since=self._now()))
        match event.kind:
            case Kind.DELTA:
                self._words(event, work)
            case Kind.TOOL_STATUS:
                status = tool_status(event.payload)
                work.tool, work.label, work.since = status.tool, status.label, self._now()
            case Kind.TOOL_STATUS_CLEAR:
                work.tool, work.since = "", self._now()
            case Kind.ERROR if event.origin == "server":
                self._flush(work)
                self._step(event.companion, RED, "✗", event.payload)
            case Kind.DONE:
                self._flush(self._work.pop(key))
            case _:
                pass
        self.changed()

    def _words(self, event: LiveEvent, work: _Work) -> None:
        if work.words is None:
            if not event.payload.strip():
                return
            name = say("server_agent", self.language) if event.origin == "server" else event.companion
            work.front = f"{one_line(name)}: "
            work.words = Wrapping(self._width() - 1, columns(work.front))
        for line in work.words.add(event.payload.lstrip("\n") if work.front else event.payload):
            self._commit(work, line)

    def _commit(self, work: _Work, line: str) -> None:
        """A line of words that is full."""
        front, work.front = work.front, ""
        self._print((BOLD, front), ("", line))

    def _flush(self, work: _Work) -> None:
        if work.words is not None:
            for line in work.words.flush():
                self._commit(work, line)
        work.words, work.front = None, ""

    def _end_words(self, companion: str) -> None:
        for (name, _), work in self._work.items():
            if name == companion:
                self._flush(work)

    @property
    def at_work(self) -> bool:
        """Something goes on that the person should see moving."""
        return bool(self._work)

    def now_lines(self) -> list[str]:
        """The lines above the prompt: words that are not a full line yet, and the tools at work."""
        width, lines = self._width() - 1, []
        for (companion, _), work in list(self._work.items())[-MOST_AT_WORK:]:
            if work.words is not None and work.words.tail.strip():
                lines.append(cut(work.front + work.words.tail, width))
            seconds = self._now() - work.since
            frame = FRAMES[int(seconds * 8) % len(FRAMES)]
            doing = f"{work.tool} · {work.label}" if work.tool else say("thinking", self.language)
            if work.tool and one_line(work.label) == one_line(work.tool):
                doing = work.tool
            front = f"{companion} " if self._named else ""
            told = f"{frame} {front}{one_line(doing)} · {seconds:.0f} s"
            lines.append(self._paint(CYAN, cut(told, width)))
        return lines

    # -- lines

    def note(self, text: str) -> None:
        """A line about the run itself."""
        self._print((YELLOW, "• "), ("", text))

    def line(self, text: str) -> None:
        """One line, without signs that would move a terminal's cursor."""
        self._print(("", text))

    def _print(self, *parts: tuple[str, str]) -> None:
        """One line of coloured parts, each harmless."""
        text = "".join(self._paint(colour, "".join(filter(str.isprintable, part))) for colour, part in parts)
        try:
            print(text, file=self._out or sys.stdout, flush=True)
        except BrokenPipeError:
            self._gone()  # whoever read this has gone; a companion doesn't fall with its console

    def _gone(self) -> None:
        """Nobody reads any more: further lines go nowhere."""
        self._out = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - open for as long as we print
        if sys.stdout is not None:
            # The interpreter flushes standard output at its end, and would complain about the pipe then.
            os.dup2(self._out.fileno(), sys.stdout.fileno())

    def _step(self, companion: str, colour: str, sign: str, text: str) -> None:
        front = f"{companion} " if self._named else ""
        if self._live is not None:
            text = cut(one_line(text), self._width() - 1 - columns(f"{front}{sign} "))
        self._print(("", front), (colour, sign), ("", f" {text}"))

    def _paint(self, colour: str, text: str) -> str:
        return f"{colour}{text}{RESET}" if self._colour and colour and text else text


def _arguments(event: events.ToolCalled) -> str:
    arguments: Mapping[str, Any] | str = event.arguments
    if isinstance(arguments, str):
        return _short(arguments)
    return _short(json.dumps(dict(arguments), ensure_ascii=False)) if arguments else ""


def _short(text: str) -> str:
    return cut(one_line(text), WIDEST)
