"""The columns a player has been sent, and the pace at which more are.

Flow control as vanilla 1.21.1's `PlayerChunkSender`: columns go in batches, nearest first; the client
answers each with the number of columns a tick it can take (0.01 to 64, 9 before its first answer); one
batch may be unanswered at first, ten once the client has answered.
"""

from __future__ import annotations

import math
from collections.abc import Callable

ColumnPos = tuple[int, int]


#: A batch is written in one go, and compressing a column takes half a millisecond.
MOST_A_BATCH = 8


class View:
    """What one player sees of the world.

    `prepare` takes a step towards a column's packet and says whether it is there, `send_column` writes it,
    `send` writes any other packet.
    """

    def __init__(
        self,
        radius: int,
        send: Callable[..., None],
        prepare: Callable[[int, int], bool],
        send_column: Callable[[int, int], None],
    ) -> None:
        self.radius = radius
        self._send = send
        self._prepare = prepare
        self._send_column = send_column
        self.center: ColumnPos | None = None
        self._sent: set[ColumnPos] = set()
        #: Wanted and not sent, farthest first.
        self._wanted: list[ColumnPos] = []
        #: The next batch, and which of it still has to be made ready.
        self._batch: list[ColumnPos] = []
        self._unready: list[ColumnPos] = []
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
        self._batch.clear()
        self._unready.clear()
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
        self._unready = [column for column in self._unready if column in inside]
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
        """Once a tick: choose the next batch when the client is ready for one."""
        if self._batch or not self._wanted or self._unanswered >= self._may_wait_for:
            return
        self._quota = min(self._quota + self._rate, max(1.0, self._rate))
        count = min(int(self._quota), len(self._wanted), MOST_A_BATCH)
        if count < 1:
            return
        self._quota -= count
        self._batch = self._wanted[: -count - 1 : -1]
        del self._wanted[-count:]
        self._unready = self._batch[::-1]

    def work(self) -> bool:
        """A step towards the next column of the batch, or send the batch when it is ready. False when there
        is nothing to do.

        Clients time a batch from its start to its end, so nothing is written before all of it is there.
        """
        if not self._batch:
            return False
        if self._unready:
            if self._prepare(*self._unready[-1]):
                self._unready.pop()
            return True
        self._unanswered += 1
        self._send("chunk_batch_start")
        for column in self._batch:
            self._sent.add(column)
            self._send_column(*column)
        self._send("chunk_batch_finished", batchSize=len(self._batch))
        self._batch.clear()
        return True
