"""What may be asked in a minute and spent in a day, for one companion and for all of them together.

A loop that goes wrong at night must not end in a bill or a closed account. `Budgeted` stands before any
provider: it waits for a request to be due, counts what comes back, and refuses once the day's tokens are
used.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import time
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from pathlib import Path

from numen.llm.errors import EndpointError
from numen.llm.messages import (
    AssistantMessage,
    Completed,
    Provider,
    Request,
    Restarted,
    Retrying,
    StreamEvent,
    Usage,
)

log = logging.getLogger(__name__)

MINUTE_S = 60.0
CACHED_SHARE = 0.1
"""What a token that the endpoint had kept costs, of a token's price; most ask about a tenth."""

TOLD_FROM_S = 2.0
"""A wait of at least this long is told to those who watch."""


class BudgetSpent(EndpointError):
    en = (
        "The {detail} tokens allowed for one day are used up. "
        "I think again tomorrow, or when you raise {endpoint}."
    )
    zh = "今天允许的 {detail} 个 token 已用完。我明天再思考，或者请调高 {endpoint}。"


class Budget:
    """Limits on requests and tokens; None is no limit. Several providers may share one.

    `name` is the setting that a person would raise. `store` keeps the day's tokens over a restart.
    """

    def __init__(
        self,
        name: str = "llm.budget",
        *,
        requests_per_minute: int | None = None,
        tokens_per_day: int | None = None,
        floor_s: float = 0.0,
        store: Path | None = None,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """`floor_s` is the least time between the beginnings of two requests."""
        self.name = name
        self.requests_per_minute = requests_per_minute
        self.tokens_per_day = tokens_per_day
        self.floor_s = floor_s
        self._store = store
        self._clock = clock
        self._now = now
        self._sleep = sleep
        self._begun: deque[float] = deque()
        self._queue = asyncio.Lock()
        self._day, self._tokens = self._restored()

    @property
    def tokens_today(self) -> int:
        return round(self._tokens) if self._day == self._today() else 0

    def check(self) -> None:
        """Raise BudgetSpent once the day's tokens are used."""
        if self.tokens_per_day is not None and self.tokens_today >= self.tokens_per_day:
            raise BudgetSpent(f"{self.name}.tokens_per_day", f"{self.tokens_per_day:,}")

    def due_in(self) -> float:
        """Seconds until another request may begin."""
        now = self._clock()
        while self._begun and now - self._begun[0] >= max(MINUTE_S, self.floor_s):
            self._begun.popleft()
        wait = self._begun[-1] + self.floor_s - now if self._begun else 0.0
        most = self.requests_per_minute
        if most is not None and len(self._begun) >= most:
            wait = max(wait, self._begun[-most] + MINUTE_S - now)
        return max(0.0, wait)

    async def admitted(self) -> None:
        """Wait until a request may begin, first come first served, and count it. Raises BudgetSpent."""
        async with self._queue:
            self.check()
            while (wait := self.due_in()) > 0:
                await self._sleep(wait)
            self.begun()

    def begun(self) -> None:
        """A request has begun, whoever began it."""
        self._begun.append(self._clock())

    def spend(self, usage: Usage) -> None:
        """Count what an answer has cost; what the endpoint had kept of the prompt costs a tenth."""
        today = self._today()
        if self._day != today:
            self._day, self._tokens = today, 0.0
        cached = min(usage.cached_tokens, usage.prompt_tokens)
        self._tokens += usage.prompt_tokens - cached * (1 - CACHED_SHARE) + usage.completion_tokens
        self._keep()

    def _today(self) -> str:
        return time.strftime("%Y-%m-%d", time.localtime(self._now()))

    def _restored(self) -> tuple[str, float]:
        if self._store is not None:
            try:
                value = json.loads(self._store.read_text(encoding="utf-8"))
                return str(value["day"]), float(value["tokens"])
            except FileNotFoundError:
                pass
            except (OSError, ValueError, TypeError, KeyError) as error:
                log.warning("%s is not readable (%s); the day's tokens are counted anew", self._store, error)
        return self._today(), 0.0

    def _keep(self) -> None:
        if self._store is None or self.tokens_per_day is None:
            return
        fresh = self._store.with_name(self._store.name + ".new")
        try:
            self._store.parent.mkdir(parents=True, exist_ok=True)
            fresh.write_text(json.dumps({"day": self._day, "tokens": round(self._tokens)}), encoding="utf-8")
            os.replace(fresh, self._store)
        except OSError as error:
            log.warning("the day's tokens cannot be kept in %s: %s", self._store, error)


class Budgeted:
    """A provider that keeps to every one of `budgets`."""

    def __init__(self, provider: Provider, *budgets: Budget) -> None:
        self.provider = provider
        self.budgets = budgets

    @property
    def label(self) -> str:
        return self.provider.label

    async def stream(self, request: Request) -> AsyncGenerator[StreamEvent, None]:
        """Answer `request` when it is due; see `Provider.stream`. Raises BudgetSpent as well."""
        wait = max((each.due_in() for each in self.budgets), default=0.0)
        for budget in self.budgets:
            budget.check()
        if wait >= TOLD_FROM_S:
            yield Retrying(reason="the budget of requests is used up for the moment", delay_s=wait)
        for budget in self.budgets:
            await budget.admitted()
        async with aclosing(self.provider.stream(request)) as events:
            async for event in events:
                if isinstance(event, Retrying) or (isinstance(event, Restarted) and event.asked_again):
                    for budget in self.budgets:
                        budget.begun()
                elif isinstance(event, Completed):
                    usage = event.usage or guessed(request, event.message)
                    for budget in self.budgets:
                        budget.spend(usage)
                yield event

    async def aclose(self) -> None:
        await self.provider.aclose()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.provider!r}>"


def guessed(request: Request, answer: AssistantMessage) -> Usage:
    """About what a request has cost that the endpoint did not count: a token for three bytes, to be safe."""
    prompt = len(request.system.encode("utf-8", "replace"))
    prompt += sum(len(str(each).encode("utf-8", "replace")) for each in (*request.messages, *request.tools))
    return Usage(
        prompt_tokens=prompt // 3, completion_tokens=len(str(answer).encode("utf-8", "replace")) // 3
    )
