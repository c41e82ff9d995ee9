"""Resource packs that are downloaded, from a web server of our own."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID

import pytest

from protocol import packs
from protocol.packs import (
    ACCEPTED,
    DECLINED,
    DISCARDED,
    DOWNLOADED,
    FAILED_DOWNLOAD,
    INVALID_URL,
    LOADED,
    ResourcePacks,
)

PACK, OTHER = UUID(int=1), UUID(int=2)
CONTENT = b"PK\x03\x04" + bytes(range(256)) * 500
SHA1 = hashlib.sha1(CONTENT).hexdigest()


class Web:
    """Serves CONTENT, an error, or the beginning of something that never comes."""

    def __init__(self) -> None:
        self.requests: list[str] = []

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        self.requests.append(head)
        path = head.split()[1]
        if path == "/gone.zip":
            writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        elif path == "/moved.zip":
            writer.write(b"HTTP/1.1 302 Found\r\nLocation: /pack.zip\r\nContent-Length: 0\r\n\r\n")
        else:
            writer.write(f"HTTP/1.1 200 OK\r\nContent-Length: {len(CONTENT)}\r\n\r\n".encode())
            writer.write(CONTENT[:100] if path == "/endless.zip" else CONTENT)
        await writer.drain()
        if path == "/endless.zip":
            await reader.read()
        writer.close()


@asynccontextmanager
async def web() -> AsyncIterator[tuple[Web, str]]:
    site = Web()
    listening = await asyncio.start_server(site.talk, "127.0.0.1", 0)
    try:
        yield site, f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    finally:
        listening.close()


class Answers:
    """What was answered, and a way to wait for it."""

    def __init__(self, policy: packs.Policy = "download") -> None:
        self.given: list[tuple[UUID, int]] = []
        self.steps = 0
        self._news = asyncio.Event()
        self.packs = ResourcePacks(
            policy, self._answer, headers=lambda: {"X-Minecraft-Username": "Tester"}, progress=self._progress
        )

    def _answer(self, uuid: UUID, result: int) -> None:
        self.given.append((uuid, result))
        self._news.set()

    def _progress(self) -> None:
        self.steps += 1

    async def until(self, result: int) -> list[int]:
        while self.given[-1][1] != result:
            self._news.clear()
            await self._news.wait()
        return [each for _, each in self.given]


async def test_a_pack_is_fetched_and_checked_and_each_step_is_told() -> None:
    async with web() as (site, url):
        answers = Answers()
        answers.packs.push(PACK, f"{url}/pack.zip", SHA1.upper())
        assert await answers.until(LOADED) == [ACCEPTED, DOWNLOADED, LOADED]
        assert {uuid for uuid, _ in answers.given} == {PACK}
        assert answers.steps > 0
        assert "x-minecraft-username: tester" in site.requests[0].lower()


async def test_a_redirection_is_followed_and_a_missing_hash_is_no_fault() -> None:
    async with web() as (_, url):
        answers = Answers()
        answers.packs.push(PACK, f"{url}/moved.zip", "")
        assert await answers.until(LOADED) == [ACCEPTED, DOWNLOADED, LOADED]


@pytest.mark.parametrize(("path", "sha1"), [("/gone.zip", SHA1), ("/pack.zip", "0" * 40)])
async def test_what_is_not_there_or_not_the_pack_has_failed(path: str, sha1: str) -> None:
    async with web() as (_, url):
        answers = Answers()
        answers.packs.push(PACK, url + path, sha1)
        assert await answers.until(FAILED_DOWNLOAD) == [ACCEPTED, FAILED_DOWNLOAD]


async def test_a_pack_beyond_the_limit_has_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packs, "MAX_PACK_BYTES", 1000)
    async with web() as (_, url):
        answers = Answers()
        answers.packs.push(PACK, f"{url}/pack.zip", SHA1)
        assert await answers.until(FAILED_DOWNLOAD) == [ACCEPTED, FAILED_DOWNLOAD]


async def test_a_pack_taken_back_while_it_comes_is_discarded() -> None:
    async with web() as (site, url):
        answers = Answers()
        answers.packs.push(PACK, f"{url}/endless.zip", SHA1)
        answers.packs.push(OTHER, f"{url}/pack.zip", SHA1)
        await answers.until(LOADED)
        answers.packs.pop(None)
        assert answers.given[-1] == (PACK, DISCARDED)
        assert answers.packs.pushed == {}
        assert len(site.requests) == 2


async def test_what_is_no_web_address_is_told_so() -> None:
    answers = Answers()
    answers.packs.push(PACK, "file:///etc/passwd", "")
    assert answers.given == [(PACK, INVALID_URL)]


def test_by_default_nothing_is_fetched() -> None:
    answers = Answers("accept")
    answers.packs.push(PACK, "http://127.0.0.1:1/x", "")
    assert [result for _, result in answers.given] == [ACCEPTED, DOWNLOADED, LOADED]


def test_a_declined_pack_is_declined_by_its_own_uuid() -> None:
    answers = Answers("decline")
    answers.packs.push(OTHER, "http://127.0.0.1:1/x", "")
    assert answers.given == [(OTHER, DECLINED)]
