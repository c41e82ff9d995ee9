"""Notices when a model goes in circles.

The same failing call three times in a row ends the turn with a question to the owner. So do three rounds in
a row of the same calls with the same results, failing or not; a call that gives the same result again is
remarked on before that.
"""

from __future__ import annotations

from dataclasses import dataclass

from numen.agent.history import object_text

FAILURES = 3
SAME_REMARKED = 2
SAME_ENDED = 5
"""Of calls within one round."""
MOST_REPEATS = 1
"""So often a whole round may be repeated."""

REMARK = (
    "(This is the same call with the same result as before. It will not change by itself: "
    "do something else, or say what you need.)"
)


@dataclass(frozen=True, slots=True)
class Circle:
    """The model is going in circles with this tool."""

    tool: str
    times: int
    failing: bool


class Repeats:
    """Watches the calls of one turn."""

    def __init__(self) -> None:
        self._last: tuple[str, str, str] | None = None
        self._times = 0

    def note(self, tool: str, arguments: str, content: str) -> int:
        """Count a call and its result; returns how often in a row exactly this has been."""
        seen = (tool, object_text(arguments) or arguments, content)
        self._times = self._times + 1 if seen == self._last else 1
        self._last = seen
        return self._times

    @staticmethod
    def verdict(tool: str, times: int, *, ok: bool) -> Circle | None:
        """The circle, once it is one."""
        if not ok and times >= FAILURES:
            return Circle(tool, times, failing=True)
        if ok and times >= SAME_ENDED:
            return Circle(tool, times, failing=False)
        return None


class Rounds:
    """Watches whole rounds: the calls of one answer and what came of them."""

    def __init__(self) -> None:
        self._now: list[tuple[str, str, str]] = []
        self._last: list[tuple[str, str, str]] = []
        self._repeats = 0

    def note(self, tool: str, arguments: str, content: str) -> None:
        """A call of the round under way, and its result."""
        self._now.append((tool, object_text(arguments) or arguments, content))

    def ended(self) -> Circle | None:
        """The round has ended; a Circle when it repeats those before it too often."""
        self._repeats = self._repeats + 1 if self._now and self._now == self._last else 0
        self._last, self._now = self._now, []
        if self._repeats <= MOST_REPEATS:
            return None
        return Circle(self._last[-1][0], self._repeats + 1, failing=False)
