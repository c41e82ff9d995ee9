"""One request to the model: its words are told as they come, its whole answer is returned.

Before it the conversation is made to fit: old results first, then a summary, and where the model cannot be
had for one, the older half.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import assert_never

from numen.agent import compaction
from numen.agent.context import Context
from numen.agent.history import repair
from numen.agent.telling import Teller
from numen.agent.tokens import tokens_of
from numen.llm import (
    Completed,
    EndpointError,
    Message,
    Provider,
    ReasoningDelta,
    Request,
    Restarted,
    Retrying,
    TextDelta,
    ToolSpec,
)
from numen.llm.errors import ContextOverflow

log = logging.getLogger(__name__)

FEWEST = 8
"""A conversation of fewer messages is not summarised."""

PRUNING_SUFFICES = 0.75
"""Below this share of the limit no summary is needed; above it, one would be due again in a few rounds."""

OVERFLOWS = 4
"""How often one request is made shorter for a model that finds it too long."""


@dataclass(frozen=True, kw_only=True)
class Asker:
    """Asks for one turn."""

    provider: Provider
    context: Context
    system: str
    tools: tuple[ToolSpec, ...]
    teller: Teller
    check: Callable[[], None]
    """Raises once the turn no longer counts."""

    async def ask(self) -> Completed:
        """The model's answer to the conversation as it stands.

        Raises EndpointError, and what `check` raises.
        """
        await self._make_room()
        overflows = 0
        while True:
            messages = repair(self.context.history.messages)
            try:
                answer = await self._stream(Request(system=self.system, messages=messages, tools=self.tools))
            except ContextOverflow:
                self.check()
                overflows += 1
                if overflows > OVERFLOWS or not await self._make_shorter():
                    raise
            else:
                self.check()
                self.context.answered(self.system, self.tools, answer.usage)
                return answer

    async def compact(self) -> tuple[int, int] | None:
        """Sum the conversation up now: (tokens before, after), or None when nothing came of it."""
        before = self._size()
        if not self.context.history.messages or not await self._summarise():
            return None
        return before, self._size()

    async def _stream(self, request: Request) -> Completed:
        async with aclosing(self.provider.stream(request)) as stream:
            async for event in stream:
                match event:
                    case TextDelta():
                        self.teller.text(event.text)
                    case Restarted():
                        self.teller.withdrawn(event.reason)
                    case Retrying():
                        self.teller.retried(event.reason, event.delay_s)
                    case ReasoningDelta():
                        pass
                    case Completed():
                        if event.usage is not None:
                            self.teller.usage(event.usage)
                        return event
                    case _:
                        assert_never(event)
        raise AssertionError("a provider's stream ends with Completed or raises")

    async def _make_room(self) -> None:
        """Shorten a conversation that nears the end of the window. No failure in this ends the turn."""
        history, limit = self.context.history, self.context.limit
        if self._size() < limit or len(history.messages) < FEWEST:
            return
        self._replace(compaction.pruned(history.messages), "pruned")
        if self._size() >= limit * PRUNING_SUFFICES and self.context.may_summarise:
            await self._summarise()

    async def _make_shorter(self) -> bool:
        """Shorten a conversation that the endpoint found too long; False when it cannot be."""
        history = self.context.history
        self.context.overflowed(self._size())
        if self._replace(compaction.pruned(history.messages), "pruned"):
            return True
        if len(history.messages) >= FEWEST and self.context.may_summarise and await self._summarise():
            return True
        return self._replace(compaction.halved(history.messages), "overflow")

    async def _summarise(self) -> bool:
        """Put a summary in the place of the conversation; False, and nothing changed, when there is none."""
        messages, begun = self.context.history.messages, time.monotonic()
        old, _ = compaction.split(messages)
        try:
            summary = await compaction.summarise(self.provider, old, self.context.limit // 2)
        except (EndpointError, compaction.NoSummary) as error:
            self.check()
            self.context.failures += 1
            log.warning("%s: no summary of the conversation: %s", self.teller.companion, error)
            return False
        self.check()
        shorter = compaction.compacted(messages, summary, self.context.told_anew())
        done = self._replace(
            shorter,
            "window",
            summary_tokens=tokens_of(summary),
            seconds=round(time.monotonic() - begun, 3),
        )
        self.context.failures = 0 if done else self.context.failures + 1
        return done

    def _replace(self, shorter: list[Message], why: str, **facts: float) -> bool:
        before = self._size()
        if not self.context.replace(shorter, why, pre_tokens=before, **facts):
            return False
        after = self._size()
        log.info("%s: shortened (%s) from %d to %d tokens", self.teller.companion, why, before, after)
        self.teller.shortened(why, before, after)
        return True

    def _size(self) -> int:
        return self.context.size(self.system, self.tools)
