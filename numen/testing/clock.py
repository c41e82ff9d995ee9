"""A clock that only moves when a test moves it.

clock = SteppedClock()
clock.callLater(1.5, later)
clock.tick(30)          # 30 game ticks of 50 ms: `later` has run
"""

from __future__ import annotations

from twisted.internet.task import Clock

TICK_S = 0.05


class SteppedClock(Clock):
    """Twisted's hand-driven clock, counting in game ticks.

    It stands wherever a reactor's `callLater` or a `() -> seconds` function is asked for: pass the clock
    itself or its `seconds` method.
    """

    def tick(self, n: int = 1) -> None:
        """Let `n` game ticks (50 ms each) pass, firing what falls due in order."""
        for _ in range(n):
            # Times are multiples of a tick, not sums of ticks: ten of them are half a second exactly.
            self.rightNow = (self.ticks + 1) * TICK_S
            self.advance(0)

    @property
    def ticks(self) -> int:
        """Whole game ticks since the start."""
        return int(self.seconds() / TICK_S + 0.5)
