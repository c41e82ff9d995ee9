"""The road a RestfulApi's requests take: every connection checked where it is made, proxies from outside.

Loaded with the first call, since it needs httpx.
"""

from __future__ import annotations

import ipaddress
import os
import ssl
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import suppress
from types import TracebackType
from typing import Any, Self
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies_environment

import httpcore
import httpx

from numen.tool.jiuwen.addresses import literal, resolve

TimedOut = (httpcore.TimeoutException, httpx.TimeoutException, TimeoutError)


NEXT_ADDRESS_S = 5.0
"""How long one of several addresses may take to answer before the next is tried."""


class CheckedBackend(httpcore.AsyncNetworkBackend):
    """Resolves a name once, judges every address it has, and connects to one of those and no other."""

    def __init__(self, *, allow_private: bool, trusted_host: str | None = None) -> None:
        """`trusted_host` is the owner's own proxy, wherever it stands."""
        self._allow_private = allow_private
        self._trusted_host = trusted_host
        self._inner = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        allowed = self._allow_private or host == self._trusted_host
        *others, last = await resolve(host, port, allow_private=allowed)
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
        self, *, allow_private: bool, context: ssl.SSLContext | None = None, proxy: str | None = None
    ) -> None:
        through = urlsplit(proxy) if proxy else None
        backend = CheckedBackend(
            allow_private=allow_private, trusted_host=through.hostname if through else None
        )
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=context,
            proxy=_proxy(proxy, context) if proxy else None,
            http1=True,
            network_backend=backend,
        )
        self._judge_target = bool(proxy) and not allow_private

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if self._judge_target:
            await _judge(request.url.host, request.url.port or 443)
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


async def _judge(host: str, port: int) -> None:
    """Judge a host that a proxy will connect to. A name only the proxy knows is the proxy's to judge."""
    try:
        await resolve(host, port, allow_private=False)
    except OSError:
        return


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


def proxy_for(url: str, environment: Mapping[str, str] | None = None) -> str | None:
    """The proxy that `http_proxy` or `https_proxy` names for `url`, unless `no_proxy` exempts its host.

    Either case will do; without a scheme the proxy speaks plain HTTP.
    """
    found = _proxies(os.environ if environment is None else environment)
    parts = urlsplit(url)
    proxy = found.get(parts.scheme)
    if not proxy or exempt(parts.hostname or "", found.get("no", "")):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


def exempt(host: str, no_proxy: str) -> bool:
    """Whether `no_proxy` names `host`: by itself, by a `.suffix`, an address, a network, or `*` for all."""
    address = literal(host)
    for entry in (each.strip().lower() for each in no_proxy.split(",")):
        if not entry:
            continue
        if entry == "*" or entry == host.lower():
            return True
        if entry.startswith(".") and (host.lower().endswith(entry) or host.lower() == entry[1:]):
            return True
        if address is not None and _within(address, entry):
            return True
    return False


def _within(address: ipaddress.IPv4Address | ipaddress.IPv6Address, network: str) -> bool:
    try:
        return address in ipaddress.ip_network(network.strip("[]"), strict=False)
    except ValueError:
        return False


def _proxies(environment: Mapping[str, str]) -> dict[str, str]:
    if environment is os.environ:
        return getproxies_environment()
    found: dict[str, str] = {}
    for upper in (True, False):  # the lower-case spelling wins
        for key, value in environment.items():
            if key.lower().endswith("_proxy") and key.isupper() == upper and value:
                found[key.lower().removesuffix("_proxy")] = value
    return found
