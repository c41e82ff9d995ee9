"""One way out to the web: GET and POST with every address, redirect, byte and second accounted for.

Nothing here trusts the URL, who gave it, or who answers. Proxies of the environment are not used: what stands
behind a proxy could not be judged.
"""

from __future__ import annotations

import asyncio
import json
import re
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urljoin

from numen.web.addresses import PUBLIC, ForbiddenAddress, Lookup, Reach, system_lookup
from numen.web.body import Body, Unreadable, content_type
from numen.web.bounds import FetchError

if TYPE_CHECKING:
    import httpx

    from numen.web.transport import CheckedTransport

USER_AGENT: Final = "numen (a companion in Minecraft)"
MAX_URL: Final = 2048
#: Bytes of an answer in JSON: reading more would hold up the body's clock.
MAX_JSON: Final = 512 * 1024

_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
#: Ports above 1023 on which other protocols listen that can be fooled with HTTP (WHATWG Fetch, "bad port").
_BAD_PORTS: Final = frozenset(
    {
        *(1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669),
        *(6679, 6697, 10080),
    }
)
_META_CHARSET: Final = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]{1,40})", re.I)
_BOMS: Final = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """Seconds, redirects, and bytes of a body after unpacking."""

    connect_s: float = 12.0
    total_s: float = 20.0
    redirects: int = 5
    max_bytes: int = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Page:
    """What a URL answered with: `url` is the last one, after redirects; `whole` is False for a cut body."""

    url: str
    status: int
    type: str
    charset: str
    body: bytes
    whole: bool

    def text(self) -> str:
        """The body as text, in the charset that its mark, its headers or a page's own head name."""
        charset = self.charset
        for mark, name in _BOMS:
            if self.body.startswith(mark):
                charset = name
        if not charset:
            found = _META_CHARSET.search(self.body[:4096])
            charset = found[1].decode("ascii") if found else "utf-8"
        try:
            return self.body.decode(charset, "replace")
        except (LookupError, ValueError):
            return self.body.decode("utf-8", "replace")

    def json(self) -> Any:
        """The body as JSON. Raises FetchError."""
        if not self.whole or len(self.body) > MAX_JSON:
            raise FetchError(f"the answer of {_host(self.url)} is larger than {MAX_JSON} bytes")
        try:
            return json.loads(self.text())
        except (ValueError, RecursionError):
            raise FetchError(f"{_host(self.url)} answered with invalid JSON") from None


class Fetcher:
    """Fetches pages within its limits. One serves all companions; it keeps no cookies and no connections."""

    def __init__(
        self,
        *,
        limits: FetchLimits | None = None,
        reach: Reach = PUBLIC,
        lookup: Lookup = system_lookup,
    ) -> None:
        self.limits = limits or FetchLimits()
        self._reach = reach
        self._lookup = lookup
        self._context: ssl.SSLContext | None = None

    async def get(self, url: str, *, headers: Mapping[str, str] | None = None) -> Page:
        """The page at `url`, redirects followed. Raises FetchError, also for every status but 2xx."""
        return await self._bounded("GET", url, headers or {}, None)

    async def post_json(self, url: str, payload: Any, *, headers: Mapping[str, str] | None = None) -> Page:
        """What `url` answers to `payload`. Redirects are refused: they would carry the payload elsewhere."""
        body = json.dumps(payload, ensure_ascii=False).encode()
        return await self._bounded("POST", url, {"Content-Type": "application/json", **(headers or {})}, body)

    async def _bounded(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None) -> Page:
        limit = asyncio.timeout(self.limits.total_s)
        try:
            async with limit:
                await asyncio.to_thread(self._load)
                return await self._follow(method, url, headers, body)
        except TimeoutError:
            if not limit.expired():
                raise
            host = _host(url)
            raise FetchError(
                f"{host} took longer than {self.limits.total_s:g} seconds and was given up"
            ) from None

    def _load(self) -> None:
        """Libraries and certificates, on a worker thread: they would hold up the body's clock."""
        import httpx

        import numen.web.transport  # noqa: F401

        if self._context is None:
            self._context = httpx.create_ssl_context()

    async def _follow(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None) -> Page:
        from numen.web.transport import CheckedTransport

        for _ in range(self.limits.redirects + 1):
            target = checked_url(url)
            async with CheckedTransport(
                reach=self._reach, context=self._context, lookup=self._lookup
            ) as transport:
                answer = await self._once(transport, method, target, headers, body)
            if isinstance(answer, Page):
                return answer
            if body is not None:
                raise FetchError(f"{target.host} redirects elsewhere, which is not followed here")
            try:
                following = urljoin(str(target), answer)
            except ValueError:
                raise FetchError(f"{target.host} redirects to something that is no address") from None
            if target.scheme == "https" and not following.lower().startswith("https:"):
                raise FetchError(f"{target.host} redirects from https to something less safe: refused")
            url = following
        raise FetchError(f"more than {self.limits.redirects} redirects; the last one led to {_host(url)}")

    async def _once(
        self,
        transport: CheckedTransport,
        method: str,
        url: httpx.URL,
        headers: Mapping[str, str],
        body: bytes | None,
    ) -> Page | str:
        """The page, or where a redirect leads."""
        import httpcore
        import httpx

        seconds = httpx.Timeout(self.limits.total_s, connect=self.limits.connect_s).as_dict()
        usual = {"User-Agent": USER_AGENT, "Accept": "*/*", "Accept-Encoding": "gzip, deflate"}
        try:
            request = httpx.Request(
                method, url, headers={**usual, **headers}, content=body, extensions={"timeout": seconds}
            )
            answer = await transport.handle_async_request(request)
            try:
                where: str = answer.headers.get("location", "")
                if answer.status_code in _REDIRECTS and where:
                    return where
                return await self._read(answer, url)
            finally:
                await answer.aclose()
        except ForbiddenAddress as error:
            raise FetchError(str(error)) from None
        except Unreadable as error:
            raise FetchError(f"{url.host}: {error}") from None
        except httpcore.ConnectTimeout:
            raise FetchError(
                f"{url.host} did not take the connection within {self.limits.connect_s:g} seconds"
            ) from None
        except UnicodeError:
            raise FetchError(f"{url.host[:80]!r} is no host name") from None
        except OSError as error:
            raise FetchError(f"{url.host} was not found or not reached ({_reason(error)})") from None
        except network_errors() as error:
            raise FetchError(f"the request to {url.host} failed ({_reason(error)})") from None

    async def _read(self, answer: httpx.Response, url: httpx.URL) -> Page:
        limit = self.limits.max_bytes if answer.is_success else 4096
        data, whole = await Body(answer.headers, limit).read_some(answer.aiter_raw())
        header = answer.headers.get("content-type", "")
        kind, charset = content_type(header)
        named = charset if "charset" in header.lower() else ""
        page = Page(str(url), answer.status_code, kind, named, data, whole)
        if not answer.is_success:
            excerpt = " ".join(page.text().split())[:400]
            text = f"{url.host} answered HTTP {answer.status_code}"
            raise FetchError(
                f"{text}: {excerpt}" if excerpt else text, status=answer.status_code, excerpt=excerpt
            )
        return page


def checked_url(url: str) -> httpx.URL:
    """`url` as what will be connected to. Raises FetchError for one that must not or cannot be fetched."""
    import httpx

    url = url.strip()
    if len(url) > MAX_URL:
        raise FetchError(f"the address is longer than {MAX_URL} characters")
    if any(sign <= " " or sign in "\\\x7f" for sign in url):
        raise FetchError("the address has blanks, backslashes or control characters in it")
    try:
        parsed = httpx.URL(url)
        # The ASCII form is what is looked up.
        host = parsed.raw_host.decode("ascii")
    except (httpx.InvalidURL, UnicodeError, ValueError) as error:
        raise FetchError(f"this is no web address ({_reason(error)})") from None
    if parsed.scheme not in ("http", "https"):
        raise FetchError(f"only http and https addresses can be fetched, not {parsed.scheme or 'this'!r}")
    if not host:
        raise FetchError("the address has no host")
    if parsed.userinfo:
        raise FetchError("the address has a user in front of its host; leave that out")
    port = parsed.port
    if port is not None and (port in _BAD_PORTS or not (port in (80, 443) or 1024 <= port < 65536)):
        raise FetchError(f"port {port} is not one of the web")
    return parsed


def network_errors() -> tuple[type[Exception], ...]:
    """What httpx and what is under it raise when a request fails on its way."""
    import httpcore
    import httpx

    network = (httpcore.NetworkError, httpcore.TimeoutException, httpcore.ProtocolError)
    return (*network, httpcore.UnsupportedProtocol, httpx.HTTPError, httpx.StreamError, ssl.SSLError)


def _host(url: str) -> str:
    try:
        return checked_url(url).host
    except FetchError:
        return "the address"


def _reason(error: BaseException) -> str:
    return str(error).strip()[:200] or type(error).__name__
