"""A scripted OpenAI-compatible endpoint over real sockets, with real server-sent events.

    async with ScriptedEndpoint(calls(("mine", {"block_ids": ["stone"], "count": 3})), says("Done.")) as
    endpoint:
        provider = OpenAICompatible(Endpoint(base_url=endpoint.url, model="scripted"))
        ...
        endpoint.assert_complete()

Instead of a list of replies it takes a function of the request. A reply can hang, wait for the test, or be
cut off at any piece; nothing here sleeps.
"""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any

from numen.session.titles import INSTRUCTION

USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": 80}}


class Hang:
    """Say nothing more until the client goes away."""


class Cut:
    """Drop the connection here."""


Step = bytes | Hang | Cut | asyncio.Event
"""Bytes to send, or what to do instead. An Event is waited for."""


@dataclass(frozen=True, kw_only=True)
class Reply:
    """One answer: head, then steps. `before` steps come even before the head is sent."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: {"content-type": "text/event-stream"})
    steps: tuple[Step, ...] = ()
    before: tuple[Step, ...] = ()

    def hang(self, after: int | None = None) -> Reply:
        """The same, but silent after `after` pieces (all of them when None)."""
        return replace(self, steps=(*self.steps[: self._at(after)], Hang()))

    def cut(self, after: int | None = None) -> Reply:
        """The same, but the connection is dropped after `after` pieces."""
        return replace(self, steps=(*self.steps[: self._at(after)], Cut()))

    def hold(self, gate: asyncio.Event, after: int = 0) -> Reply:
        """The same, but it goes on after `after` pieces only when `gate` is set."""
        at = self._at(after)
        return replace(self, steps=(*self.steps[:at], gate, *self.steps[at:]))

    def hang_before_head(self) -> Reply:
        return replace(self, before=(Hang(),))

    def cut_before_head(self) -> Reply:
        return replace(self, before=(Cut(),))

    def _at(self, after: int | None) -> int:
        return len(self.steps) if after is None else after


@dataclass(kw_only=True)
class RecordedRequest:
    """What the client sent. `abandoned` is set when it went away before the reply was whole."""

    method: str
    path: str
    headers: dict[str, str]
    raw: bytes
    abandoned: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def body(self) -> dict[str, Any]:
        value = json.loads(self.raw)
        assert isinstance(value, dict)
        return value

    @property
    def messages(self) -> list[dict[str, Any]]:
        messages = self.body["messages"]
        assert isinstance(messages, list)
        return messages

    @property
    def tool_names(self) -> list[str]:
        return [each["function"]["name"] for each in self.body.get("tools", [])]


Brain = Callable[[RecordedRequest], Reply | Awaitable[Reply]]


def event(chunk: Mapping[str, Any] | str) -> bytes:
    """One server-sent event."""
    data = chunk if isinstance(chunk, str) else json.dumps(chunk, ensure_ascii=False)
    return f"data: {data}\n\n".encode()


def delta(finish: str | None = None, **fields: Any) -> dict[str, Any]:
    """A chunk with one delta."""
    return {"choices": [{"index": 0, "delta": fields, "finish_reason": finish}]}


def stream(*chunks: Mapping[str, Any] | str | bytes, done: bool = True) -> Reply:
    """A reply of these chunks, each sent as a piece of its own; raw bytes go out as they are."""
    steps = [each if isinstance(each, bytes) else event(each) for each in chunks]
    return Reply(steps=(*steps, event("[DONE]")) if done else tuple(steps))


def says(
    *pieces: str,
    reasoning: str = "",
    finish: str = "stop",
    usage: Mapping[str, Any] | None = USAGE,
    extra: Mapping[str, Any] | None = None,
) -> Reply:
    """A plain answer, streamed in these pieces."""
    chunks: list[dict[str, Any]] = [delta(role="assistant", content="")]
    if reasoning:
        chunks.append(delta(reasoning_content=reasoning))
    chunks += [delta(content=piece) for piece in pieces]
    if extra:
        chunks.append(delta(**extra))
    chunks.append(delta(finish=finish))
    if usage is not None:
        chunks.append({"choices": [], "usage": dict(usage)})
    return stream(*chunks)


def calls(
    *each: tuple[str, Mapping[str, Any] | str],
    text: str = "",
    ids: Iterable[str] | None = None,
    finish: str = "tool_calls",
    usage: Mapping[str, Any] | None = USAGE,
) -> Reply:
    """Tool calls as (name, arguments), their arguments streamed in two halves.

    Text arguments go out as they are.
    """
    chunks: list[dict[str, Any]] = [delta(role="assistant", content=text or None)]
    given = list(ids) if ids is not None else [f"call_{name}_{n}" for n, (name, _) in enumerate(each)]
    for index, (name, arguments) in enumerate(each):
        text_args = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
        half = len(text_args) // 2
        head = {"name": name, "arguments": text_args[:half]}
        chunks.append(
            delta(tool_calls=[{"index": index, "id": given[index], "type": "function", "function": head}])
        )
        chunks.append(delta(tool_calls=[{"index": index, "function": {"arguments": text_args[half:]}}]))
    chunks.append(delta(finish=finish))
    if usage is not None:
        chunks.append({"choices": [], "usage": dict(usage)})
    return stream(*chunks)


def refuses(
    status: int, message: str = "", code: str | None = None, headers: Mapping[str, str] | None = None
) -> Reply:
    """An HTTP error with an OpenAI-style body."""
    body = json.dumps({"error": {"message": message or f"status {status}", "code": code}}).encode()
    return Reply(
        status=status, headers={"content-type": "application/json", **(headers or {})}, steps=(body,)
    )


def answers(body: Mapping[str, Any] | bytes, content_type: str = "application/json") -> Reply:
    """One body that is not streamed."""
    raw = body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()
    return Reply(headers={"content-type": content_type}, steps=(raw,))


class ScriptedEndpoint:
    """The server.

    Replies are given out in the order requests come; one request too many is answered with 500.
    """

    def __init__(self, *script: Reply, brain: Brain | None = None, title: str | None = "A talk") -> None:
        """Who asks for the title of a session gets `title`, without a place in the script or in `requests`;
        None treats that as a request like any other.
        """
        self.title = title
        self.requests: list[RecordedRequest] = []
        self.port = 0
        self._script = list(script)
        self._brain = brain
        self._used = 0
        self._complaints: list[str] = []
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()
        self._asked = asyncio.Condition()

    @property
    def url(self) -> str:
        """What belongs into `llm.base_url`."""
        return f"http://127.0.0.1:{self.port}/v1"

    async def __aenter__(self) -> ScriptedEndpoint:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.stop()

    async def start(self, port: int = 0) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Stop listening and drop every connection, as a killed server would."""
        if self._server is not None:
            self._server.close()
        for writer in list(self._open):
            writer.transport.abort()
        if self._server is not None:
            await self._server.wait_closed()
            self._server = None

    def add(self, *script: Reply) -> None:
        """More replies, after those already there."""
        self._script += script

    async def wait_for_requests(self, count: int) -> RecordedRequest:
        """Wait until `count` requests have come in all; returns the last of these."""
        async with self._asked:
            await self._asked.wait_for(lambda: len(self.requests) >= count)
        return self.requests[count - 1]

    def assert_complete(self) -> None:
        """Every reply was asked for, and nothing else."""
        left = len(self._script) - self._used
        if left > 0:
            self._complaints.append(f"{left} of {len(self._script)} scripted replies were never asked for")
        assert not self._complaints, "; ".join(self._complaints)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        try:
            while (request := await _read_request(reader)) is not None:
                if self.title is not None and _wants_title(request):
                    if not await self._play(says(self.title), request, reader, writer):
                        break
                    continue
                reply = await self._reply(request)
                async with self._asked:
                    self.requests.append(request)
                    self._asked.notify_all()
                if not await self._play(reply, request, reader, writer):
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            self._open.discard(writer)
            writer.close()

    async def _reply(self, request: RecordedRequest) -> Reply:
        if self._brain is not None:
            try:
                answer = self._brain(request)
                return await answer if inspect.isawaitable(answer) else answer
            except Exception as error:
                self._complaints.append(f"the brain failed: {error!r}")
                return refuses(500, f"the brain failed: {error!r}", headers={"x-should-retry": "false"})
        if self._used < len(self._script):
            self._used += 1
            return self._script[self._used - 1]
        self._complaints.append(f"request {len(self.requests) + 1} was not expected")
        return refuses(500, "the script has ended", headers={"x-should-retry": "false"})

    async def _play(
        self,
        reply: Reply,
        request: RecordedRequest,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> bool:
        """Send the reply; False when the connection is over."""
        gone = asyncio.ensure_future(reader.read(1))
        try:
            for step in reply.before:
                if not await self._step(step, gone, request, writer, framed=False):
                    return False
            head = [f"HTTP/1.1 {reply.status} Scripted", "transfer-encoding: chunked", "connection: close"]
            head += [f"{key}: {value}" for key, value in reply.headers.items()]
            writer.write("\r\n".join([*head, "", ""]).encode())
            for step in reply.steps:
                if not await self._step(step, gone, request, writer, framed=True):
                    return False
            writer.write(b"0\r\n\r\n")
            await writer.drain()
            return False
        except ConnectionError:
            request.abandoned.set()
            return False
        finally:
            gone.cancel()

    async def _step(
        self,
        step: Step,
        gone: asyncio.Future[bytes],
        request: RecordedRequest,
        writer: asyncio.StreamWriter,
        *,
        framed: bool,
    ) -> bool:
        if isinstance(step, bytes):
            if step:
                writer.write(b"%x\r\n%b\r\n" % (len(step), step) if framed else step)
                await writer.drain()
            return True
        if isinstance(step, Cut):
            writer.transport.abort()
            return False
        opened: asyncio.Future[Any] = (
            asyncio.ensure_future(step.wait())
            if isinstance(step, asyncio.Event)
            else asyncio.get_running_loop().create_future()
        )
        await asyncio.wait({opened, gone}, return_when=asyncio.FIRST_COMPLETED)
        if gone.done() and not opened.done():
            opened.cancel()
            request.abandoned.set()
            return False
        return True


def _wants_title(request: RecordedRequest) -> bool:
    try:
        first = request.messages[0]
        return bool(first["role"] == "system" and first["content"] == INSTRUCTION)
    except (ValueError, KeyError, IndexError, AssertionError):
        return False


async def _read_request(reader: asyncio.StreamReader) -> RecordedRequest | None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.decode("latin-1").strip().split("\r\n")
    method, path, _ = first.split(" ", 2)
    headers = {key.lower(): value.strip() for key, _, value in (line.partition(":") for line in lines)}
    raw = await reader.readexactly(int(headers.get("content-length", "0")))
    return RecordedRequest(method=method, path=path, headers=headers, raw=raw)
