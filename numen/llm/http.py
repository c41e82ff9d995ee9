"""Asking an endpoint over HTTP: limits of time and size, what goes wrong, what is tried again.

What the endpoint speaks is left to a subclass: how a request is written and how a chunk is read. httpx is
imported when the first request is made: it takes longer to load than a companion takes to log in.
"""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Protocol

from numen.llm.endpoint import Endpoint
from numen.llm.errors import (
    BadAnswer,
    BadKey,
    BadRequest,
    ContextOverflow,
    EndpointError,
    StreamDied,
    TimedOut,
    Unreachable,
    classify,
)
from numen.llm.messages import AssistantMessage, Completed, Request, StreamEvent, Usage
from numen.llm.retry import RetryPolicy, with_retries
from numen.llm.secret import scrub
from numen.llm.sse import EventReader, LineTooLong

if TYPE_CHECKING:
    import httpx

log = logging.getLogger(__name__)

MAX_BODY = 16 * 1024 * 1024
MAX_ERROR_BODY = 64 * 1024


def random_id() -> str:
    return f"call_{secrets.token_hex(8)}"


class Reader(Protocol):
    """Puts one answer together from its chunks. `finish` is "" until the endpoint has said why it ended."""

    finish: str
    usage: Usage | None
    started: bool

    @property
    def too_long(self) -> bool: ...

    def feed(self, chunk: Mapping[str, Any]) -> Sequence[StreamEvent]:
        """Take a chunk; returns the deltas that it brings."""
        ...

    def end(self) -> None:
        """The stream has ended as it should."""
        ...

    def flush(self) -> Sequence[StreamEvent]:
        """What was held back until the end."""
        ...

    def message(self) -> AssistantMessage: ...


class HttpProvider(ABC):
    """A provider over HTTP. One instance serves one companion; connections are kept between requests."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        policy: RetryPolicy | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        new_id: Callable[[], str] = random_id,
    ) -> None:
        self.endpoint = endpoint
        self._policy = policy or RetryPolicy(endpoint.retries)
        self._sleep = sleep
        self._new_id = new_id
        self._client: httpx.AsyncClient | None = None
        self._opening = asyncio.Lock()

    @property
    def label(self) -> str:
        return self.endpoint.label

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.label}>"

    async def stream(self, request: Request) -> AsyncGenerator[StreamEvent, None]:
        """Answer `request`; see `Provider.stream`."""
        async with aclosing(with_retries(lambda: self._once(request), self._policy, self._sleep)) as events:
            async for event in events:
                yield event

    async def aclose(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    # -- what the endpoint speaks

    @abstractmethod
    def encode(self, request: Request) -> bytes:
        """The body of a request."""

    @abstractmethod
    def reader(self, request: Request) -> Reader:
        """Who reads the answer to it."""

    @abstractmethod
    def relent(self, request: Request, error: EndpointError) -> bool:
        """Do without what was refused from now on; False when there is nothing to do without."""

    def headers(self) -> dict[str, str]:
        """Headers of every request."""
        return {}

    async def credentials(self, client: httpx.AsyncClient) -> dict[str, str]:
        """Headers that may change from one request to the next."""
        return {}

    # -- one request

    async def _once(self, request: Request) -> AsyncGenerator[StreamEvent, None]:
        """One request, or several while the endpoint refuses what can be done without."""
        while True:
            try:
                async with aclosing(self._ask(request)) as events:
                    async for event in events:
                        yield event
                return
            except (BadRequest, BadKey) as error:
                if isinstance(error, ContextOverflow) or not self.relent(request, error):
                    raise

    async def _ask(self, request: Request) -> AsyncGenerator[StreamEvent, None]:
        import httpx

        client = await self._open()
        body = self.encode(request)
        limit = asyncio.timeout(None)
        begun = False
        builder = self.reader(request)
        try:
            async with limit:
                limit.reschedule(_after(self.endpoint.connect_s + self.endpoint.first_byte_s))
                headers = await self.credentials(client)
                url = self.endpoint.url
                async with client.stream("POST", url, content=body, headers=headers) as response:
                    if response.status_code != 200:
                        raise await self._refusal(response)
                    content_type = response.headers.get("content-type", "").lower()
                    if "html" in content_type:
                        raise self._error(BadAnswer, f"a web page came back ({content_type})")
                    whole = "application/json" in content_type
                    async with aclosing(self._chunks(response, whole=whole)) as chunks:
                        async for chunk in chunks:
                            limit.reschedule(_after(self.endpoint.silence_s))
                            begun = True
                            if chunk is None:
                                continue
                            if chunk is DONE:
                                builder.end()
                                break
                            for delta in builder.feed(chunk):
                                # The consumer's time is not the endpoint's silence.
                                limit.reschedule(None)
                                yield delta
                                limit.reschedule(_after(self.endpoint.silence_s))
                            if builder.too_long:
                                builder.finish = "length"
                                break
        except TimeoutError:
            if not limit.expired():
                raise
            if begun:
                raise self._error(StreamDied, f"silent for {self.endpoint.silence_s:g} s") from None
            raise self._error(TimedOut, f"nothing within {self.endpoint.first_byte_s:g} s") from None
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError, httpx.PoolTimeout) as error:
            raise self._error(Unreachable, _reason(error)) from None
        except (httpx.TransportError, httpx.StreamError, httpx.DecodingError) as error:
            if not builder.finish:
                raise self._error(StreamDied if begun else Unreachable, _reason(error)) from None
        except (httpx.InvalidURL, LineTooLong, UnicodeError) as error:
            raise self._error(BadAnswer, _reason(error)) from None
        if not builder.finish:
            raise self._error(StreamDied if builder.started else BadAnswer, "it ended without a finish")
        for delta in builder.flush():
            yield delta
        yield Completed(message=builder.message(), finish=builder.finish, usage=builder.usage)

    async def _chunks(self, response: httpx.Response, *, whole: bool) -> AsyncGenerator[Any, None]:
        """Decoded chunks, DONE at the end mark, and None for bytes alone, which still are a sign of life."""
        if whole:
            body = await self._read(response, MAX_BODY)
            try:
                value = json.loads(body)
            except (ValueError, RecursionError):
                raise self._error(BadAnswer, f"not JSON: {body[:80]!r}") from None
            # Google answers with a list of chunks where no events were asked for.
            is_list = isinstance(value, list) and value and isinstance(value[0], Mapping)
            for each in value if is_list else [value]:
                yield self._checked(each)
            yield DONE
            return
        reader = EventReader()
        total = 0
        malformed = 0
        useful = False
        async for piece in _with_end(response.aiter_bytes()):
            total += len(piece)
            if total > MAX_BODY:
                raise self._error(BadAnswer, f"more than {MAX_BODY} bytes")
            yield None
            for data in reader.feed(piece) if piece else reader.finish():
                for value in _values(data):
                    if value is None:
                        malformed += 1
                        continue
                    useful = True
                    yield value if value is DONE else self._checked(value)
        if malformed:
            log.warning("%s: %d malformed events skipped", self.label, malformed)
        if not useful:
            raise self._error(BadAnswer, "no events in the stream")

    def _checked(self, value: Any) -> Mapping[str, Any]:
        """A chunk as a map. Raises what an error chunk stands for."""
        if not isinstance(value, Mapping):
            raise self._error(BadAnswer, f"a {type(value).__name__} where an object was due")
        fault = value.get("error")
        if fault and not value.get("choices") and not value.get("candidates"):
            code = fault.get("code") if isinstance(fault, Mapping) else None
            status = code if isinstance(code, int) and 400 <= code < 600 else 500
            raise classify(self.label, status, self._scrubbed(json.dumps(value, ensure_ascii=False)))
        return value

    async def _refusal(self, response: httpx.Response) -> EndpointError:
        body = (await self._read(response, MAX_ERROR_BODY)).decode("utf-8", "replace")
        headers = {key.lower(): value for key, value in response.headers.items()}
        return classify(self.label, response.status_code, self._scrubbed(body), headers)

    @staticmethod
    async def _read(response: httpx.Response, limit: int) -> bytes:
        body = bytearray()
        async for piece in response.aiter_bytes():
            body += piece
            if len(body) > limit:
                break
        return bytes(body[:limit])

    def _error(self, kind: type[EndpointError], detail: str) -> EndpointError:
        return kind(self.label, self._scrubbed(detail))

    def _scrubbed(self, text: str) -> str:
        return scrub(text, self.endpoint.secrets())

    async def _open(self) -> httpx.AsyncClient:
        """The client, built on a worker thread: loading certificates would hold up the body's clock."""
        async with self._opening:
            if self._client is None:
                try:
                    self._client = await asyncio.to_thread(self._build)
                except (ValueError, OSError, ImportError) as error:
                    raise self._error(Unreachable, _reason(error)) from None
            return self._client

    def _build(self) -> httpx.AsyncClient:
        import httpx
        import json_repair  # noqa: F401 - loaded here, since on the loop it would hold up the body's clock

        endpoint = self.endpoint
        headers = {"Accept": "text/event-stream", "Content-Type": "application/json", "User-Agent": "numen"}
        headers.update(endpoint.preset.headers)
        headers.update(self.headers())
        headers.update(endpoint.headers)
        proxy = endpoint.proxy.strip()
        if proxy and "://" not in proxy:
            proxy = f"http://{proxy}"
        # Reading is bounded by our own limits, which tell the first byte from silence.
        timeout = httpx.Timeout(30.0, connect=endpoint.connect_s, read=None)
        return httpx.AsyncClient(
            headers=headers, timeout=timeout, proxy=proxy or None, follow_redirects=False
        )


DONE = object()


def _values(data: str) -> list[Any]:
    """The JSON values in the data of one event; None for each that is not JSON, DONE for the end mark."""
    text = data.strip()
    if not text:
        return []
    if text == "[DONE]":
        return [DONE]
    try:
        return [json.loads(text)]
    except (ValueError, RecursionError):
        # A server that forgets the blank lines between events: each line is one.
        lines = text.split("\n")
        return [value for line in lines for value in _values(line)] if len(lines) > 1 else [None]


async def _with_end(pieces: AsyncIterable[bytes]) -> AsyncGenerator[bytes, None]:
    """Every piece that holds something, then one empty piece for the end."""
    async for piece in pieces:
        if piece:
            yield piece
    yield b""


def _after(seconds: float) -> float:
    return asyncio.get_running_loop().time() + seconds


def _reason(error: BaseException) -> str:
    text = str(error).strip()
    return text if text else type(error).__name__
