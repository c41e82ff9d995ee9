"""Connecting while the program is still being loaded.

A server takes a few tenths of a second to let a player in, and so does Python to load what a mind needs. This
module needs little itself, so that `numen run` can begin the one before the other: whoever comes to live on
the connection finds it made, or well on the way.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from importlib import import_module
from typing import Any, Final, TypeVar

from numen.config import Config
from protocol.connection import Connection, ConnectionOptions, connect

T = TypeVar("T")

#: What is loaded meanwhile: all that lives and acts.
_REST: Final = ("numen.app", "numen.console")

Calls = dict[str, "asyncio.Future[Connection]"]


def call(config: Config) -> Calls:
    """Begin to connect each companion of the configuration; by name."""
    server = config.server
    assert server is not None
    options = ConnectionOptions(view_distance=server.view_distance)
    return {
        each.name: asyncio.ensure_future(connect(server.host, server.port, each.name, options=options))
        for each in config.companions
    }


def hang_up(calls: Calls) -> None:
    """End those connections that nobody has taken."""
    for each in calls.values():
        each.add_done_callback(_close)
        each.cancel()
    calls.clear()


def _close(call: asyncio.Future[Connection]) -> None:
    if not call.cancelled() and call.exception() is None:
        call.result().close("left")


async def run(config: Config, rest: Callable[[Calls], Coroutine[Any, Any, T]]) -> T:
    """Connect, load what is missing on another thread, and go on with `rest`, which takes the connections
    out of what it is given."""
    calls = call(config)
    try:
        await asyncio.to_thread(lambda: [import_module(name) for name in _REST])
        return await rest(calls)
    finally:
        hang_up(calls)
