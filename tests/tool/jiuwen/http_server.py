"""A small HTTP server on a real socket that notes what it is asked and answers as told."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit


@dataclass
class Seen:
    """One request as it came over the wire; header names in lower case."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def path(self) -> str:
        return urlsplit(self.target).path

    @property
    def query(self) -> list[tuple[str, str]]:
        return parse_qsl(urlsplit(self.target).query, keep_blank_values=True)

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Answer:
    """An answer. `hang` stops after that many bytes of the body and waits for ever; `length` is what the
    headers promise, -1 for nothing.
    """

    body: bytes = b"{}"
    status: int = 200
    reason: str = "OK"
    headers: dict[str, str] = field(default_factory=lambda: {"Content-Type": "application/json"})
    hang: int | None = None
    length: int | None = None


Handler = Callable[[Seen], Answer | Awaitable[Answer]]


class Server:
    def __init__(self, port: int, scheme: str) -> None:
        self.port = port
        self.url = f"{scheme}://127.0.0.1:{port}"
        self.seen: list[Seen] = []
        self.connections = 0

    @property
    def request(self) -> Seen:
        """The only request there was."""
        (request,) = self.seen
        return request


@asynccontextmanager
async def serving(
    answer: Answer | Handler | None = None, *, context: ssl.SSLContext | None = None
) -> AsyncIterator[Server]:
    """A server on a free port of 127.0.0.1 that answers every request with `answer`."""
    tasks: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        server.connections += 1
        try:
            while (request := await _read(reader)) is not None:
                server.seen.append(request)
                given = answer(request) if callable(answer) else answer or Answer()
                await _write(writer, request, given if isinstance(given, Answer) else await given)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()
            tasks.discard(task)

    listener = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=context)
    server = Server(listener.sockets[0].getsockname()[1], "http" if context is None else "https")
    try:
        yield server
    finally:
        listener.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _read(reader: asyncio.StreamReader) -> Seen | None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.decode("latin-1").rstrip().split("\r\n")
    method, target, _ = first.split(" ", 2)
    headers = {}
    for line in lines:
        key, _, value = line.partition(":")
        headers[key.lower()] = value.strip()
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Seen(method, target, headers, body)


async def _write(writer: asyncio.StreamWriter, request: Seen, answer: Answer) -> None:
    length = len(answer.body) if answer.length is None else answer.length
    headers = dict(answer.headers)
    if answer.status != 204 and length >= 0:
        headers["Content-Length"] = str(length)
    head = [f"HTTP/1.1 {answer.status} {answer.reason}", *(f"{k}: {v}" for k, v in headers.items())]
    writer.write("\r\n".join([*head, "", ""]).encode("latin-1"))
    body = b"" if request.method == "HEAD" else answer.body
    writer.write(body if answer.hang is None else body[: answer.hang])
    await writer.drain()
    if answer.hang is not None:
        await asyncio.Event().wait()
    if length < 0 or (length > len(answer.body) and request.method != "HEAD"):
        raise ConnectionError("the end of the connection is the end of the body, promised or not")
