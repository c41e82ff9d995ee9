"""The real clock: a tick every 50 ms on the event loop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from numen.body.acts import Task, Verdict

log = logging.getLogger(__name__)

TICK_S: Final = 0.05

#: A clock that is later than this many ticks forgets them. A burst of movement packets would look like a
#: speed hack to the server (vanilla 1.21.1 allows for five in one tick), and the world has moved on anyway.
FORGET_AFTER: Final = 5


class Clock:
    """Calls `tick()` twenty times a second until stopped. A short delay is caught up, one tick a turn of the
    loop; a long one (a suspended machine) is forgotten."""

    def __init__(self, tick: Callable[[], None], loop: asyncio.AbstractEventLoop | None = None) -> None:
        self._tick = tick
        self._loop = loop
        self._handle: asyncio.TimerHandle | None = None
        self._due = 0.0
        #: Ticks that were forgotten because the clock was late.
        self.forgotten = 0

    @property
    def running(self) -> bool:
        return self._handle is not None

    def start(self) -> None:
        """Begin ticking, the first tick 50 ms from now. Does nothing when it already runs."""
        if self._handle is not None:
            return
        self._loop = self._loop or asyncio.get_running_loop()
        self._due = self._loop.time() + TICK_S
        self._handle = self._loop.call_at(self._due, self._turn)

    def stop(self) -> None:
        """No tick comes after this."""
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None

    def _turn(self) -> None:
        assert self._loop is not None
        self._due = self.next_due(self._due, self._loop.time())
        self._handle = self._loop.call_at(self._due, self._turn)
        try:
            self._tick()
        except Exception:
            log.exception("a tick failed")

    def next_due(self, due: float, now: float) -> float:
        """When the tick after the one that was due at `due` is due, `now` being the time it really ran."""
        late = int((now - due) / TICK_S)
        if late > FORGET_AFTER:
            self.forgotten += late
            return now + TICK_S
        return due + TICK_S


async def finished(task: Task) -> Verdict:
    """Wait on the event loop (not inside an act) until `task` has ended; its verdict."""
    future: asyncio.Future[Verdict] = asyncio.get_running_loop().create_future()

    def settle(done: Task) -> None:
        if not future.done() and done.verdict is not None:
            future.set_result(done.verdict)

    task.add_done_callback(settle)
    return await future
