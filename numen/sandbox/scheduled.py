"""Block ticks that are due later: sand that is about to fall, plants that lost their ground.

The order is the game's: by due tick, then by priority, then by order of asking. A cell can wait only once
for the same block.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator

BlockPos = tuple[int, int, int]


class ScheduledTicks:
    """A queue of (cell, block id), asked for in ticks from now."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, int, BlockPos, int]] = []
        self._waiting: set[tuple[BlockPos, int]] = set()
        self._asked = 0

    def __len__(self) -> int:
        return len(self._heap)

    def ask(self, now: int, delay: int, position: BlockPos, block_id: int, priority: int = 0) -> None:
        """Have `position` ticked in `delay` ticks, if its block is still `block_id` then."""
        if (position, block_id) in self._waiting:
            return
        self._waiting.add((position, block_id))
        self._asked += 1
        heapq.heappush(self._heap, (now + delay, priority, self._asked, position, block_id))

    def due(self, now: int) -> Iterator[tuple[BlockPos, int]]:
        """Take out what is due. What is asked for meanwhile with a delay of 0 waits for the next tick."""
        last = self._asked
        late = []
        while self._heap and self._heap[0][0] <= now:
            entry = heapq.heappop(self._heap)
            if entry[2] > last:
                late.append(entry)
                continue
            self._waiting.discard((entry[3], entry[4]))
            yield entry[3], entry[4]
        for entry in late:
            heapq.heappush(self._heap, entry)
