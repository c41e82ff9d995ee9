"""A long way to a server: bytes take their time in both directions, and arrive in order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


@asynccontextmanager
async def slow_line(port: int, delay_s: float) -> AsyncIterator[int]:
    """A port that leads to `port` on this machine, `delay_s` later each way."""
    loop = asyncio.get_running_loop()
    pumps: set[asyncio.Task[None]] = set()

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while piece := await reader.read(65536):
                loop.call_later(delay_s, writer.write, piece)
        except ConnectionError:
            pass
        finally:
            loop.call_later(delay_s, writer.close)

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", port)
        for task in (asyncio.ensure_future(pump(reader, back)), asyncio.ensure_future(pump(there, writer))):
            pumps.add(task)
            task.add_done_callback(pumps.discard)

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task in [*pumps]:
            task.cancel()
        await asyncio.gather(*pumps, return_exceptions=True)
