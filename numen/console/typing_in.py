"""The prompt of a terminal: what a person types, while other lines go on above it."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any, Final, cast

from numen.console import Console

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.input import Input
    from prompt_toolkit.output import Output

#: Seconds between two frames of what moves.
FRAME_S: Final = 0.125


async def typed_lines(
    prompt: str, console: Console, *, source: Input | None = None, screen: Output | None = None
) -> AsyncIterator[str]:
    """What the person types, line by line. Ends at Ctrl-D and at Ctrl-C.

    What `console` says of the present moment stands above the prompt and moves. `source` and `screen` take
    the place of the terminal of this process.
    """
    from prompt_toolkit import PromptSession
    from prompt_toolkit.application import create_app_session

    with create_app_session(input=source, output=screen):
        async for line in _lines(PromptSession(), prompt, console):
            yield line


async def _lines(session: PromptSession[str], prompt: str, console: Console) -> AsyncIterator[str]:
    from prompt_toolkit.formatted_text import ANSI

    session.app.min_redraw_interval = FRAME_S / 2

    def message() -> ANSI:
        # What is left standing when a line was typed is the prompt alone.
        above = [] if session.app.is_done else console.now_lines()
        return ANSI("\n".join([*above, prompt]))

    console.changed = session.app.invalidate
    moving = asyncio.ensure_future(_move(console))
    try:
        with _prints_above():
            while True:
                try:
                    line = await session.prompt_async(message)
                except (EOFError, KeyboardInterrupt):
                    return
                if line.strip():
                    yield line.strip()
    finally:
        moving.cancel()
        console.changed = lambda: None


async def _move(console: Console) -> None:
    while True:
        await asyncio.sleep(FRAME_S)
        console.catch_up()
        if console.at_work:
            console.changed()


class _Above:
    """A stream whose full lines appear above the prompt. Writing is fine from any thread and never waits."""

    encoding = "utf-8"

    def __init__(self) -> None:
        from prompt_toolkit.application import get_app_session

        self._screen = get_app_session().output
        self._loop = asyncio.get_running_loop()
        self._context = contextvars.copy_context()
        self._lock = threading.Lock()
        self._text = ""
        self._due = False

    def write(self, text: str) -> int:
        with self._lock:
            self._text += text
            if "\n" in text and not self._due:
                self._due = True
                self._loop.call_soon_threadsafe(self._soon, context=self._context)
        return len(text)

    def flush(self) -> None:
        """Lines come by themselves; half a line waits for its end."""

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._screen.fileno()

    def _soon(self) -> None:
        # What comes together is printed together: each time the prompt has to step aside.
        self._loop.call_later(FRAME_S / 4, self._show, context=self._context)

    def _show(self) -> None:
        from prompt_toolkit.application import run_in_terminal

        run_in_terminal(self.print)

    def print(self) -> None:
        """Print the full lines where the cursor is."""
        with self._lock:
            full, end, self._text = self._text.rpartition("\n")
            self._due = False
        if end:
            self._screen.write_raw(full.replace("\n", "\r\n") + "\r\n")
            self._screen.flush()


@contextlib.contextmanager
def _prints_above() -> Iterator[None]:
    """While this lasts, what is written to standard output and error goes above the prompt, line by line."""
    above = _Above()
    before = sys.stdout, sys.stderr
    sys.stdout = sys.stderr = cast(Any, above)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
        above.print()
