"""Other people's blocking code, kept off the event loop."""

from __future__ import annotations

import asyncio
import contextvars
import importlib
import queue
import sys
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any, TypeVar

T = TypeVar("T")

Job = tuple[asyncio.Future[Any], contextvars.Context, Callable[[], Any]]


class Worker:
    """One thread that runs jobs in order, for a function and the generator it may return.

    A thread of its own rather than one of a pool: a tool that never returns must not starve the others, and
    a generator's every step must run where the first did (a database cursor insists on it). It is a daemon,
    so such a tool cannot keep a finished process alive either.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._started = False
        self._closed = False

    async def run(self, function: Callable[..., T], *args: Any) -> T:
        """`function(*args)` on the thread, in the context of the caller.

        Cancelling the wait does not stop the function: nothing can. What it returns then is dropped.
        """
        loop = asyncio.get_running_loop()
        done: asyncio.Future[T] = loop.create_future()
        self._jobs.put((done, contextvars.copy_context(), lambda: function(*args)))
        if not self._started:
            self._started = True
            threading.Thread(target=_work, args=(self._jobs,), name=self._name, daemon=True).start()
        return await done

    def close(self, last: Callable[[], Any] | None = None) -> None:
        """End the thread once its job is done, after a `last` one whose outcome nobody waits for."""
        if self._closed or not self._started:
            return
        self._closed = True
        if last is not None:
            loop = asyncio.get_running_loop()
            self._jobs.put((loop.create_future(), contextvars.copy_context(), last))
        self._jobs.put(None)


def _work(jobs: queue.SimpleQueue[Job | None]) -> None:
    while (job := jobs.get()) is not None:
        done, context, function = job
        value: Any = None
        error: BaseException | None = None
        try:
            value = context.run(function)
        except BaseException as raised:
            # StopIteration cannot travel through a future.
            error = RuntimeError("StopIteration") if isinstance(raised, StopIteration) else raised
        try:
            done.get_loop().call_soon_threadsafe(_settle, done, value, error)
        except RuntimeError:
            return  # the loop is closed: nobody waits any more
        del done, context, function, job, value, error


def _settle(done: asyncio.Future[Any], value: Any, error: BaseException | None) -> None:
    if done.done():
        return
    if error is None:
        done.set_result(value)
    else:
        done.set_exception(error)
        # Read once: the error of a job nobody waits for is no news.
        done.exception()


async def load(module: str) -> ModuleType:
    """Import `module` without holding up the loop; big libraries take tenths of a second the first time."""
    loaded = sys.modules.get(module)
    if loaded is not None and not getattr(loaded.__spec__, "_initializing", False):
        return loaded
    worker = Worker(f"import {module}")
    try:
        return await worker.run(importlib.import_module, module)
    finally:
        worker.close()
