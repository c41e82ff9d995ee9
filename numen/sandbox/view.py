"""The columns a player has been sent, and the pace at which more are.

Flow control as vanilla 1.21.1's `PlayerChunkSender`: columns go in batches, nearest first; the client
answers each with the number of columns a tick it can take (0.01 to 64, 9 before its first answer); one
batch may be unanswered at first, ten once the client has answered.
"""

from __future__ import annotations

import math
from collections.abc import Callable

ColumnPos = tuple[int, int]


class View:
    """What one player sees of the world. `send` and `send_column` write to the player's connection."""

    def __init__(
        self, radius: int, send: Callable[..., None], send_column: Callable[[int, int], None]
    ) -> None:
        self.radius = radius
        self._send = send
        self._send_column = send_column
        self.center: ColumnPos | None = None
        self._sent: set[ColumnPos] = set()
        #: Wanted and not sent, farthest first.
        self._wanted: list[ColumnPos] = []
        #: The batch that is under way, farthest first, and how much of it has gone; None between batches.
        self._batch: list[ColumnPos] = []
        self._batch_sent: int | None = None
        self._rate = 9.0
        self._quota = 0.0
        self._unanswered = 0
        self._may_wait_for = 1

    def has(self, column: ColumnPos) -> bool:
        """Whether the player has been sent a column and keeps it."""
        return column in self._sent

    def __len__(self) -> int:
        return len(self._sent)

    @property
    def complete(self) -> bool:
        """Whether everything in reach has been sent."""
        return not self._wanted and not self._batch

    def clear(self) -> None:
        """The client has thrown its world away (it respawned)."""
        if self._batch_sent is not None:
            self._finish_batch()
        self._sent.clear()
        self._wanted.clear()
        self.center = None

    def move_to(self, x: float, z: float) -> None:
        """The player stands at block (x, z): the view goes with him. Columns left behind are taken back."""
        center = (int(x // 16), int(z // 16))
        if center == self.center:
            return
        self.center = center
        self._send("update_view_position", chunkX=center[0], chunkZ=center[1])
        reach = self.radius
        inside = {
            (cx, cz)
            for cx in range(center[0] - reach, center[0] + reach + 1)
            for cz in range(center[1] - reach, center[1] + reach + 1)
        }
        for gone in self._sent - inside:
            self._sent.discard(gone)
            self._send("unload_chunk", chunkX=gone[0], chunkZ=gone[1])
        self._batch = [column for column in self._batch if column in inside]
        self._wanted = sorted(
            inside - self._sent - set(self._batch),
            key=lambda at: -((at[0] - center[0]) ** 2 + (at[1] - center[1]) ** 2),
        )

    def answered(self, rate: float) -> None:
        """The client has taken a batch and names its pace."""
        self._unanswered = max(0, self._unanswered - 1)
        self._rate = 0.01 if math.isnan(rate) else max(0.01, min(64.0, rate))
        if self._unanswered == 0:
            self._quota = 1.0
        self._may_wait_for = 10

    def tick(self) -> None:
        """Once a tick: begin a batch when the client is ready for one."""
        if self._batch_sent is not None or not self._wanted or self._unanswered >= self._may_wait_for:
            return
        self._quota = min(self._quota + self._rate, max(1.0, self._rate))
        count = min(int(self._quota), len(self._wanted))
        if count < 1:
            return
        self._quota -= count
        self._batch = self._wanted[-count:]
        del self._wanted[-count:]
        self._batch_sent = 0
        self._unanswered += 1
        self._send("chunk_batch_start")

    def send_one(self) -> bool:
        """Send the next column of the batch that is under way. False when there is none."""
        if self._batch_sent is None:
            return False
        if self._batch:
            column = self._batch.pop()
            self._sent.add(column)
            self._batch_sent += 1
            self._send_column(*column)
        if not self._batch:
            self._finish_batch()
        return True

    def _finish_batch(self) -> None:
        self._send("chunk_batch_finished", batchSize=self._batch_sent)
        self._batch.clear()
        self._batch_sent = None
