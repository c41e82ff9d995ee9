"""How full one model's window is, across turns: what was measured, and what has failed."""

from __future__ import annotations

from collections.abc import Callable

from numen.agent.history import History
from numen.agent.tokens import Meter, message_tokens, tokens_of, tool_tokens
from numen.llm import Message, ToolSpec, Usage

WINDOW = 64_000
"""Tokens a model of unknown size is trusted to read."""

MARGIN = 13_000
"""Tokens kept free for the answer and for errors of guessing; in a small window a quarter of it."""

MOST_FAILURES = 3
"""After so many summaries in a row that came to nothing, no more are tried."""


class Context:
    """The conversation of one companion, measured against its model's window."""

    def __init__(
        self, history: History, *, window: int | None = None, told_anew: Callable[[], str] = str
    ) -> None:
        """`told_anew` gives lines that have to follow a summary, such as the index of notes."""
        self.history = history
        self.told_anew = told_anew
        self.failures = 0
        """Summaries in a row that came to nothing."""
        self._meter = Meter()
        self._window = window or WINDOW
        self._fixed: tuple[str, tuple[ToolSpec, ...], int] = ("", (), 0)

    @property
    def limit(self) -> int:
        """Tokens from which on the conversation is shortened."""
        return self._window - min(MARGIN, self._window // 4)

    @property
    def may_summarise(self) -> bool:
        return self.failures < MOST_FAILURES

    def size(self, system: str, tools: tuple[ToolSpec, ...]) -> int:
        """Tokens of the next request, as far as is known."""
        return self._meter.size(self._guess(system, tools))

    def answered(self, system: str, tools: tuple[ToolSpec, ...], usage: Usage | None) -> None:
        """The endpoint has answered the conversation as it stands, and has counted it (or not)."""
        self._meter.learn(self._guess(system, tools), usage)

    def overflowed(self, size: int) -> None:
        """The endpoint found `size` tokens too many: its window is smaller than was thought."""
        self._window = min(self._window, size)

    def replace(self, shorter: list[Message], why: str, **facts: float) -> bool:
        """Go on with `shorter`, if that is what it is. The log keeps all that was before the boundary."""
        if sum(map(message_tokens, shorter)) >= self.history.tokens:
            return False
        facts["dropped"] = len(self.history.messages) - len(shorter)
        self.history.replace(shorter, why=why, **facts)
        return True

    def _guess(self, system: str, tools: tuple[ToolSpec, ...]) -> int:
        if self._fixed[:2] != (system, tools):
            self._fixed = (system, tools, tokens_of(system) + tool_tokens(tools))
        return self._fixed[2] + self.history.tokens
