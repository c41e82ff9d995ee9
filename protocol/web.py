"""HTTP for the few who need it. httpx and the system's certificates take tens of milliseconds to load, which
a game connection must not wait for: they are loaded beside the event loop, once."""

from __future__ import annotations

import asyncio
import functools
import ssl
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import httpx


async def web_client(**options: Any) -> httpx.AsyncClient:
    """A new client, for an ``async with``; `options` are those of httpx.AsyncClient."""
    context = await asyncio.to_thread(_load)
    import httpx

    return httpx.AsyncClient(verify=context, **options)


@functools.cache
def _load() -> ssl.SSLContext:
    import httpx

    return httpx.create_ssl_context()
