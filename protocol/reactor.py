"""The one event loop: Twisted's reactor on an asyncio loop.

quarry imports ``twisted.internet.reactor`` while it is imported, and the first import decides which reactor a
process has. So `install` must come before ``quarry.net``; `protocol.connection` calls it on its first line.

The game's sockets are plain TCP: `protocol.encryption` encrypts what is encrypted, and what speaks HTTPS uses
Python's own `ssl`. So Twisted and quarry are loaded as on a machine without pyOpenSSL, which spares each
process a tenth of a second and some megabytes.
"""

from __future__ import annotations

import asyncio
import importlib
import sys
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")

_loop: asyncio.AbstractEventLoop | None = None


def install() -> asyncio.AbstractEventLoop:
    """Put the asyncio reactor in place and return its loop. Calling it again returns the same loop.

    Raises RuntimeError when some other reactor was imported first.
    """
    global _loop
    if _loop is not None:
        return _loop
    if "twisted.internet.reactor" in sys.modules:
        raise RuntimeError(
            "another Twisted reactor is already installed; import protocol.reactor and call install() first"
        )
    with _without("OpenSSL"):
        from twisted.internet import asyncioreactor

        loop = _new_loop()
        asyncio.set_event_loop(loop)
        asyncioreactor.install(loop)
        from twisted.internet import reactor

        importlib.import_module("quarry.net.client")

    # Starting it without its own signal handlers lets asyncio drive the loop while Twisted's sockets,
    # delayed calls and thread pool all work.
    reactor.startRunning(installSignalHandlers=False)
    # Twisted joins its worker threads when a reactor stops. Ours is never stopped, so they must not
    # keep a finished process alive.
    reactor.getThreadPool().threadFactory = partial(threading.Thread, daemon=True)
    _loop = loop
    return loop


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run `main` on the reactor's loop to its end, then cancel what it left running."""
    loop = install()
    task = loop.create_task(main)
    try:
        return loop.run_until_complete(task)
    except KeyboardInterrupt:
        task.cancel()
        loop.run_until_complete(asyncio.gather(task, return_exceptions=True))
        raise
    finally:
        left = [each for each in asyncio.all_tasks(loop) if not each.done()]
        for each in left:
            each.cancel()
        if left:
            loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))


@contextmanager
def _without(package: str) -> Iterator[None]:
    """Meanwhile `package` can't be imported, unless it has been already."""
    if package in sys.modules:
        yield
        return
    sys.modules[package] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules[package]


def _new_loop() -> asyncio.AbstractEventLoop:
    try:
        import uvloop  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        return asyncio.SelectorEventLoop()
    return uvloop.new_event_loop()  # type: ignore[no-any-return, unused-ignore]
