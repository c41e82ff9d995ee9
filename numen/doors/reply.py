"""An outcome that is still to come, for whoever waits: `await reply` on the loop, `reply.result()` in a
thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Generator
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")


class Reply(Future[T]):
    """A `concurrent.futures.Future` that can also be awaited."""

    def __init__(self, loop_thread: int | None = None) -> None:
        """`loop_thread` is the thread that will settle it, where waiting for it would wait for ever."""
        super().__init__()
        self._loop_thread = loop_thread
        self.on_cancel: Callable[[], object] | None = None
        """Calls off what is under way; the reply then comes, and says so."""

    def __await__(self) -> Generator[Any, None, T]:
        return asyncio.wrap_future(self).__await__()

    def cancel(self) -> bool:
        """True when it had not begun. What has begun is called off and still replies."""
        if super().cancel():
            return True
        if not self.done() and self.on_cancel is not None:
            self.on_cancel()
        return False

    def result(self, timeout: float | None = None) -> T:
        """The outcome, waited for. Raises RuntimeError on the event loop's own thread: await it there."""
        if not self.done() and self._loop_thread == threading.get_ident():
            raise RuntimeError(
                "this would stop the event loop that has to bring the result; await it instead"
            )
        return super().result(timeout)


def settled(value: T) -> Reply[T]:
    """A reply that has come already."""
    reply: Reply[T] = Reply()
    reply.set_result(value)
    return reply
