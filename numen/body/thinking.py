"""Long searches beside the tick: at once in a simulation, in short slices on the event loop otherwise."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Generator
from typing import Any, Final, Generic, Protocol, TypeVar

T = TypeVar("T")

#: How long a search may keep the event loop, seconds. A keep-alive is never later than this.
SLICE_S: Final = 0.004


class Thought(Generic[T]):
    """A search under way: `done`, then `result()`."""

    def __init__(self, work: Generator[Any, Any, T]) -> None:
        self._work = work
        self._value: T | None = None
        self._error: BaseException | None = None
        self.done = False

    def step(self) -> None:
        """Run the search to its next yield."""
        try:
            next(self._work)
        except StopIteration as end:
            self._value = end.value
            self.done = True
        except Exception as error:
            self._error = error
            self.done = True

    def result(self) -> T:
        """What the search returned; raises what it raised."""
        if self._error is not None:
            raise self._error
        return self._value  # type: ignore[return-value]

    def cancel(self) -> None:
        """Drop the search; its `finally` blocks run."""
        if not self.done:
            self.done = True
            self._work.close()
            self._error = RuntimeError("the search was dropped")


class Background(Protocol):
    """Where searches run."""

    def start(self, work: Generator[Any, Any, T]) -> Thought[T]:
        """Begin `work`, a generator that yields every few hundred steps and returns its result."""


class AtOnce:
    """Runs a search to its end before `start` returns: the result can't depend on the machine's speed."""

    def start(self, work: Generator[Any, Any, T]) -> Thought[T]:
        thought = Thought(work)
        while not thought.done:
            thought.step()
        return thought


class Slices:
    """Runs searches on an event loop, a slice at a time, with everything else that waits in between."""

    def __init__(self, loop: asyncio.AbstractEventLoop | None = None, slice_s: float = SLICE_S) -> None:
        self._loop = loop
        self._slice_s = slice_s

    def start(self, work: Generator[Any, Any, T]) -> Thought[T]:
        loop = self._loop or asyncio.get_running_loop()
        thought = Thought(work)

        def go_on() -> None:
            until = time.perf_counter() + self._slice_s
            while not thought.done:
                thought.step()
                if time.perf_counter() >= until:
                    break
            if not thought.done:
                loop.call_soon(go_on)

        loop.call_soon(go_on)
        return thought
