"""What the body expects of blocks it has just changed, until the server has settled it.

The world holds only what the server said. A guess lies over it: `block` looks here first, so the physics may
walk through a block that was just dug. The server answers each sequence number with an ack, after any
correction; when it comes the guess is dropped, and what shows again is the server's block. That is the whole
rollback.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

BlockPos = tuple[int, int, int]
Point = tuple[float, float, float]

#: A server that doesn't answer a sequence at all is believed after this many ticks.
FORGET_TICKS: Final = 100


@dataclass(slots=True)
class Guess:
    """One cell: the state the body expects, under which sequence, and where the body stood."""

    sequence: int
    state: int
    stood_at: Point
    tick: int
    #: It holds until the server says something of the cell, whatever is acknowledged.
    lasting: bool = False


class Prediction:
    """Sequence numbers of dig, place and use, and the guesses that wait for their acks. One a body."""

    def __init__(
        self,
        server_block: Callable[[int, int, int], int],
        on_rollback: Callable[[BlockPos, Guess], None] | None = None,
    ) -> None:
        self._server_block = server_block
        self._on_rollback = on_rollback
        self._guesses: dict[BlockPos, Guess] = {}
        self._sent_at: dict[int, int] = {}
        self.reset()

    def reset(self) -> None:
        """A new login: counting starts again (not so on a respawn)."""
        self.sequence = 0
        #: Highest sequence the server has settled.
        self.settled = 0
        #: Ticks between sending a sequence and its ack, the latest one; None before the first.
        self.answer_ticks: int | None = None
        self.forget()

    def forget(self) -> None:
        """Drop every guess: another world."""
        self._guesses.clear()
        self._sent_at.clear()

    def next_sequence(self, tick: int) -> int:
        """The number for the next dig, place or use packet."""
        self.sequence += 1
        self._sent_at[self.sequence] = tick
        return self.sequence

    def guess(self, pos: BlockPos, state: int, sequence: int, stood_at: Point, tick: int) -> None:
        """Expect `pos` to be `state`. A later guess of the same cell keeps the first place the body stood
        at."""
        earlier = self._guesses.get(pos)
        self._guesses[pos] = Guess(sequence, state, earlier.stood_at if earlier else stood_at, tick)

    def insist(self, pos: BlockPos, state: int, stood_at: Point, tick: int) -> None:
        """Expect `pos` to be `state` until the server says something of it.

        For servers that show by its drop that a block broke, but never tell the block to who broke it.
        """
        self._guesses[pos] = Guess(0, state, stood_at, tick, lasting=True)

    def told(self, pos: BlockPos) -> None:
        """The server said what is at `pos`."""
        guess = self._guesses.get(pos)
        if guess is not None and guess.lasting:
            del self._guesses[pos]

    def told_chunk(self, cx: int, cz: int) -> None:
        """The server said what is in a whole chunk."""
        for pos in [pos for pos in self._guesses if (pos[0] >> 4, pos[2] >> 4) == (cx, cz)]:
            self.told(pos)

    def block(self, x: int, y: int, z: int) -> int:
        """The state the body counts with: the guess, else what the server said."""
        guess = self._guesses.get((x, y, z)) if self._guesses else None
        return guess.state if guess is not None else self._server_block(x, y, z)

    def acknowledged(self, sequence: int, tick: int) -> None:
        """The server has settled everything up to `sequence`."""
        self.settled = max(self.settled, sequence)
        sent = self._sent_at.get(sequence)
        if sent is not None:
            self.answer_ticks = tick - sent
        self._sent_at = {number: at for number, at in self._sent_at.items() if number > sequence}
        self._drop(
            [pos for pos, guess in self._guesses.items() if guess.sequence <= sequence and not guess.lasting]
        )

    def tick(self, tick: int) -> None:
        """Give up guesses that the server never answered."""
        if self._guesses:
            old = tick - FORGET_TICKS
            self._drop(
                [pos for pos, guess in self._guesses.items() if guess.tick < old and not guess.lasting]
            )

    def _drop(self, cells: list[BlockPos]) -> None:
        for pos in cells:
            guess = self._guesses.pop(pos)
            if self._on_rollback is not None and self._server_block(*pos) != guess.state:
                self._on_rollback(pos, guess)
