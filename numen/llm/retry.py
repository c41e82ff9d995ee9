"""Sends a request again when that may help. One helper for every provider."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass

from numen.llm.errors import EndpointError, RateLimited
from numen.llm.messages import Restarted, Retrying, StreamEvent

TOO_FAST_S = 1.5
"""The first wait after "too many requests"; the second is twice as long."""

MAX_WAIT_S = 60.0
"""An endpoint that asks for a longer wait than this is given up for now."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and after how long. `jitter` returns a number from 0 to 1."""

    retries: int = 2
    jitter: Callable[[], float] = random.random

    def delay_s(self, error: EndpointError, attempt: int) -> float | None:
        """Seconds to wait before another go after the `attempt`-th failure (from 0), or None to give up.

        Half a second, doubled each time, at most 8, less up to a quarter; 1.5 s, then 3 s, for one that finds
        us too fast; what the endpoint asks for goes first.
        """
        if attempt >= self.retries or not error.may_retry:
            return None
        if error.retry_after_s is not None:
            return error.retry_after_s if error.retry_after_s <= MAX_WAIT_S else None
        if isinstance(error, RateLimited):
            return TOO_FAST_S * (attempt + 1)
        return min(0.5 * 2.0**attempt, 8.0) * (1.0 - 0.25 * self.jitter())


async def with_retries(
    once: Callable[[], AsyncGenerator[StreamEvent, None]],
    policy: RetryPolicy,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> AsyncGenerator[StreamEvent, None]:
    """The events of `once()`, asked again where that may help.

    Before the first event a failure is retried by `policy`. After it, the answer has been heard in part: it
    is declared void with `Restarted` and asked for once more, and that is all.
    """
    attempt = 0
    restarted = False
    while True:
        begun = False
        try:
            async with aclosing(once()) as events:
                async for event in events:
                    begun = True
                    yield event
            return
        except EndpointError as error:
            if begun:
                if restarted or not error.may_retry:
                    raise
                restarted = True
                yield Restarted(reason=str(error))
                continue
            delay = policy.delay_s(error, attempt)
            if delay is None:
                raise
            attempt += 1
            yield Retrying(reason=str(error), delay_s=delay)
            await sleep(delay)
