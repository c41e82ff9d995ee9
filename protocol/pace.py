"""How many chunks a tick we ask for (protocol 767, `chunk_batch_received`).

The server sends chunks in batches and waits to hear how fast we take them. Like vanilla, the answer is what
fits into 7 ms of a tick at the averaged time a chunk has cost so far. Unlike vanilla, only the time this
process spent on the batch counts: waiting for a slow server to send it does not make us slow.
"""

from __future__ import annotations

import time
from collections.abc import Callable

#: Milliseconds of each tick that may go into chunks.
BUDGET_MS = 7.0
#: What a chunk is taken to cost before the first measurement.
FIRST_GUESS_MS = 2.0
#: Earlier batches weigh in the average like this many at most.
MEMORY = 49
#: Never ask for less, or the world trickles in; the server takes no more than the upper bound (vanilla
#: 1.21.1).
SLOWEST, FASTEST = 1.0, 64.0


class ChunkPace:
    """Times the batches of one connection. `now` gives seconds."""

    def __init__(self, now: Callable[[], float] = time.perf_counter) -> None:
        self._now = now
        self._average_ms = FIRST_GUESS_MS
        self._weight = 1
        self._spent = 0.0
        self._since: float | None = None
        #: A batch has begun and not ended.
        self.open = False

    def begin(self) -> None:
        """A batch begins."""
        self.open = True
        self._spent = 0.0
        self._since = self._now()

    def pause(self) -> None:
        """The bytes at hand are used up: what follows is waiting."""
        if self._since is not None:
            self._spent += self._now() - self._since
            self._since = None

    def resume(self) -> None:
        """More bytes of the batch are here."""
        if self._since is None:
            self._since = self._now()

    def finish(self, chunks: int) -> float:
        """The batch ends and had this many chunks. Gives the chunks per tick to ask for."""
        self.pause()
        if self.open and chunks > 0:
            # One batch counts for at most three times faster or slower than the average.
            average = self._average_ms
            each = min(max(self._spent * 1000 / chunks, average / 3), average * 3)
            self._average_ms = (average * self._weight + each) / (self._weight + 1)
            self._weight = min(MEMORY, self._weight + 1)
        self.open = False
        return min(max(BUDGET_MS / self._average_ms, SLOWEST), FASTEST)
