"""What a person sees and types: each step of a companion as a line, and a prompt to talk to it.

The prompt needs a terminal. Without one, the same lines go to standard output and nothing is read.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final, TextIO

from numen.agent import events
from numen.companion import Away, ChatHeard, CompanionEvent, JobEnded, Joined
from numen.messages import Language, say

RESET, DIM, BOLD, GREEN, RED, YELLOW, CYAN = (f"\x1b[{code}m" for code in (0, 2, 1, 32, 31, 33, 36))
#: A line of a result longer than this is cut; the model has all of it.
WIDEST: Final = 160


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
    ) -> None:
        """`named` puts the companion's name before each step; `colour` None asks the stream."""
        self.language: Language = language
        self._out = out
        self._colour = sys.stdout.isatty() if colour is None else colour
        self._named = named
        self._show_chat = show_chat
        self._thinking = ""

    def report(self, event: CompanionEvent) -> None:
        """Print `event`, if it is one that people want to see."""
        match event:
            case events.ToolCalled():
                self._flush_thinking(event.companion)
                self._step(event.companion, CYAN, "→", f"{event.tool} {_arguments(event.arguments)}")
            case events.ToolFinished():
                colour, sign = (GREEN, "✓") if event.ok else (RED, "✗")
                self._step(event.companion, colour, f"  {sign}", _one_line(event.message or event.content))
            case events.TextDelta():
                self._thinking += event.text
            case events.TextWithdrawn():
                self._thinking = ""
                self.note(say("withdrawn", self.language, reason=event.reason))
            case events.Answered():
                self._thinking = ""
                self.line(f"{self._paint(BOLD, event.companion)}: {event.text}")
            case events.EndpointRetried():
                self.note(say("retried", self.language, reason=event.reason, seconds=round(event.delay_s)))
            case events.TurnFailed():
                self._thinking = ""
                self._step(event.companion, RED, "✗", event.message)
            case JobEnded():
                done = event.status == "done"
                text = say(
                    "job_done",
                    self.language,
                    task=event.task,
                    id=event.task_id,
                    seconds=f"{event.seconds:.1f}",
                    message=_one_line(event.message),
                )
                self._step(event.companion, GREEN if done else YELLOW, "  ✓" if done else "  ✗", text)
            case Joined():
                place = ", ".join(map(str, event.place))
                facts = {"name": event.companion, "address": event.address, "place": f"({place})"}
                key = "back" if event.again else "joined"
                self.note(say(key, self.language, dimension=event.dimension, **facts))
            case Away(retry_in_s=None):
                self.note(say("gone", self.language, name=event.companion, reason=event.reason))
            case Away():
                seconds = f"{event.retry_in_s:.0f}"
                self.note(say("lost", self.language, reason=event.reason, seconds=seconds))
            case ChatHeard() if self._show_chat and event.line.display:
                self.line(self._paint(DIM, event.line.display))
            case _:
                pass

    def note(self, text: str) -> None:
        """A line about the run itself."""
        self.line(self._paint(YELLOW, "• ") + text)

    def line(self, text: str) -> None:
        """One line, without signs that would move a terminal's cursor."""
        safe = "".join(sign for sign in text if sign == "\x1b" or sign.isprintable())
        try:
            print(
                safe if self._colour else safe.replace("\x1b", ""), file=self._out or sys.stdout, flush=True
            )
        except BrokenPipeError:
            self._gone()  # whoever read this has gone; a companion doesn't fall with its console

    def _gone(self) -> None:
        """Nobody reads any more: further lines go nowhere."""
        self._out = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - open for as long as we print
        if sys.stdout is not None:
            # The interpreter flushes standard output at its end, and would complain about the pipe then.
            os.dup2(self._out.fileno(), sys.stdout.fileno())

    def _flush_thinking(self, companion: str) -> None:
        """Words before a tool call are thinking aloud."""
        words, self._thinking = _one_line(self._thinking), ""
        if words:
            self._step(companion, DIM, "…", words)

    def _step(self, companion: str, colour: str, sign: str, text: str) -> None:
        front = f"{companion} " if self._named else ""
        self.line(f"{front}{self._paint(colour, sign)} {_safe(text)}")

    def _paint(self, colour: str, text: str) -> str:
        return f"{colour}{text}{RESET}" if self._colour else text


def _arguments(arguments: Mapping[str, Any] | str) -> str:
    if isinstance(arguments, str):
        return _one_line(arguments)
    return _one_line(json.dumps(dict(arguments), ensure_ascii=False)) if arguments else ""


def _one_line(text: str) -> str:
    line = _safe(" ".join(text.split()))
    return line if len(line) <= WIDEST else line[: WIDEST - 1] + "…"


def _safe(text: str) -> str:
    """`text` from elsewhere can't colour or move anything on this terminal."""
    return text.replace("\x1b", "")


async def typed_lines(prompt: str) -> AsyncIterator[str]:
    """What the person at the terminal types, line by line, while other lines go on above. Ends at Ctrl-D and
    at Ctrl-C."""
    from prompt_toolkit import PromptSession
    from prompt_toolkit.patch_stdout import patch_stdout

    session: PromptSession[str] = PromptSession()
    with patch_stdout(raw=True):
        while True:
            try:
                line = await session.prompt_async(prompt)
            except (EOFError, KeyboardInterrupt):
                return
            if line.strip():
                yield line.strip()
