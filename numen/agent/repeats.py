"""Notices when a model goes in circles.

The same failing call three times in a row ends the turn with a question to the owner. A call that keeps
giving the same result is remarked on the third time and ends the turn at the fifth.
"""

from __future__ import annotations

from dataclasses import dataclass

from numen.agent.history import object_text

FAILURES = 3
SAME_REMARKED = 3
SAME_ENDED = 5

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
