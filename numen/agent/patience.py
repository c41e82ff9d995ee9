"""How long a mind waits for an endpoint that fails, and how often it complains of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from numen.llm import EndpointError

FIRST_RETRY_S = 30.0
LAST_RETRY_S = 600.0


class Patience:
    """Waits of half a minute, doubled each time up to ten minutes; what the endpoint asks for goes first."""

    def __init__(self, call_later: Callable[[float, Callable[[], None]], Any] | None) -> None:
        """`call_later` replaces the loop's own clock."""
        self._call_later = call_later
        self._failures = 0
        self._complaint = ""
        self._handle: Any = None

    @property
    def waiting(self) -> bool:
        """Another try is due later."""
        return self._handle is not None

    def wait(self, error: EndpointError, then: Callable[[], None]) -> float:
        """Have `then` called after a while; returns the seconds until then."""
        self._failures += 1
        delay = min(FIRST_RETRY_S * 2.0 ** (self._failures - 1), LAST_RETRY_S)
        delay = max(delay, error.retry_after_s or 0.0)
        call_later = self._call_later or asyncio.get_running_loop().call_later

        def due() -> None:
            self._handle = None
            then()

        self._handle = call_later(delay, due)
        return delay

    def cancel(self) -> None:
        """Call off the next try."""
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None

    def is_news(self, complaint: str) -> bool:
        """Whether this is to be said: an outage of an hour must not fill the chat."""
        news, self._complaint = complaint != self._complaint, complaint
        return news

    def forget(self) -> None:
        """It answers again, or the owner wants another try."""
        self._failures = 0
        self._complaint = ""
