"""Connections that are checked where they are made.

Loaded with the first request, since it needs httpx.
"""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Iterable
from contextlib import suppress
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import unquote, urlsplit

import httpcore
import httpx

from numen.web.addresses import PUBLIC, Lookup, Reach, resolve, system_lookup

TimedOut: Final = (httpcore.TimeoutException, httpx.TimeoutException, TimeoutError)

#: How long one of several addresses may take to answer before the next is tried, in seconds.
NEXT_ADDRESS_S: Final = 5.0


class CheckedBackend(httpcore.AsyncNetworkBackend):
    """Resolves a name once, judges every address it has, and connects to one of those and no other."""

    def __init__(
        self,
        *,
        reach: Reach = PUBLIC,
        trusted_host: str | None = None,
        lookup: Lookup = system_lookup,
    ) -> None:
        """`trusted_host` is the owner's own proxy, wherever it stands."""
        self._reach = reach
        self._trusted_host = trusted_host
        self._lookup = lookup
        self._inner = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        reach = Reach(everything=True) if host == self._trusted_host else self._reach
        *others, last = await resolve(host, port, reach=reach, lookup=self._lookup)
        # TLS is spoken to the name afterwards; only the connection goes to the judged address.
        for address in others:
            with suppress(httpcore.ConnectError, httpcore.ConnectTimeout):
                return await self._inner.connect_tcp(
                    str(address), port, NEXT_ADDRESS_S, local_address, socket_options
                )
        return await self._inner.connect_tcp(str(last), port, timeout, local_address, socket_options)

    async def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore.AsyncNetworkStream:
        raise httpcore.ConnectError("tools do not use local sockets")

    async def sleep(self, seconds: float) -> None:
        await self._inner.sleep(seconds)


class CheckedTransport(httpx.AsyncBaseTransport):
    """One call's connections."""

    def __init__(
        self,
        *,
        reach: Reach = PUBLIC,
        context: ssl.SSLContext | None = None,
        proxy: str | None = None,
        lookup: Lookup = system_lookup,
    ) -> None:
        """A target behind `proxy` is judged as well, before the proxy hears of it."""
        through = urlsplit(proxy) if proxy else None
        self._reach = reach
        self._lookup = lookup
        self._behind_proxy = bool(proxy)
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=context,
            proxy=_proxy(proxy, context) if proxy else None,
            http1=True,
            network_backend=CheckedBackend(
                reach=reach, trusted_host=through.hostname if through else None, lookup=lookup
            ),
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if self._behind_proxy:
            # A name that only the proxy knows is the proxy's to judge.
            with suppress(OSError):
                port = request.url.port or 443
                await resolve(request.url.host, port, reach=self._reach, lookup=self._lookup)
        answer = await self._pool.handle_async_request(
            httpcore.Request(
                method=request.method,
                url=httpcore.URL(
                    scheme=request.url.raw_scheme,
                    host=request.url.raw_host,
                    port=request.url.port,
                    target=request.url.raw_path,
                ),
                headers=request.headers.raw,
                content=request.stream,
                extensions=request.extensions,
            )
        )
        return httpx.Response(
            status_code=answer.status,
            headers=answer.headers,
            stream=_Stream(answer),
            extensions=answer.extensions,
        )

    async def __aenter__(self) -> Self:
        await self._pool.__aenter__()
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None = None,
        exc_value: BaseException | None = None,
        traceback: TracebackType | None = None,
    ) -> None:
        await self._pool.__aexit__(exc_type, exc_value, traceback)

    async def aclose(self) -> None:
        await self._pool.aclose()


class _Stream(httpx.AsyncByteStream):
    def __init__(self, answer: httpcore.Response) -> None:
        self._answer = answer

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._answer.aiter_stream():
            yield part

    async def aclose(self) -> None:
        await self._answer.aclose()


def _proxy(url: str, context: ssl.SSLContext | None) -> httpcore.Proxy:
    parts = urlsplit(url)
    auth = None
    if parts.username is not None:
        auth = (unquote(parts.username), unquote(parts.password or ""))
    port = f":{parts.port}" if parts.port else ""
    host = f"[{parts.hostname}]" if parts.hostname and ":" in parts.hostname else parts.hostname
    return httpcore.Proxy(
        f"{parts.scheme}://{host}{port}/", auth=auth, ssl_context=context if parts.scheme == "https" else None
    )
