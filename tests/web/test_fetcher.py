"""How much and how long: sizes, packings, slow servers, redirects and errors, over real sockets."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from numen.web import FetchError
from numen.web.addresses import Reach
from numen.web.fetcher import Fetcher, FetchLimits
from tests.tool.jiuwen.http_server import Answer, Seen, serving
from tests.tool.jiuwen.test_restful import certificate

HERE = Reach(neighbours=True)
CAP = 64 * 1024


def fetcher(*, total_s: float = 20, redirects: int = 5) -> Fetcher:
    limits = FetchLimits(connect_s=2, total_s=total_s, redirects=redirects, max_bytes=CAP)
    return Fetcher(limits=limits, reach=HERE)


class Sent:
    """How many bytes of body a server got rid of."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}/"
        self.bytes = 0


@asynccontextmanager
async def writing(head: str, pieces: Callable[[], AsyncIterator[bytes]]) -> AsyncIterator[Sent]:
    """A server that answers each request with `head` and then with `pieces` until nobody reads on."""
    tasks: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(head.encode())
            async for piece in pieces():
                writer.write(piece)
                await writer.drain()
                sent.bytes += len(piece)
        except ConnectionError:
            pass
        finally:
            writer.close()
            tasks.discard(task)

    listener = await asyncio.start_server(connected, "127.0.0.1", 0)
    sent = Sent(listener.sockets[0].getsockname()[1])
    try:
        yield sent
    finally:
        listener.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


GIGABYTE = 1024 * 1024 * 1024


@pytest.mark.parametrize("promised", [f"Content-Length: {GIGABYTE}\r\n", ""], ids=["told", "untold"])
async def test_a_gigabyte_is_stopped_at_the_cap(promised: str) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        piece = b"x" * 65_536
        for _ in range(GIGABYTE // len(piece)):
            yield piece

    head = f"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n{promised}Connection: close\r\n\r\n"
    async with writing(head, pieces) as sent:
        page = await fetcher().get(sent.url)

    assert not page.whole
    assert page.body == b"x" * CAP
    # What the kernel's buffers took is all that was sent beyond it.
    assert sent.bytes < 32 * 1024 * 1024


@pytest.mark.parametrize("packing", ["gzip", "deflate"])
async def test_a_packed_bomb_is_stopped_at_the_cap(packing: str) -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31 if packing == "gzip" else 15)
    bomb = b"".join(packer.compress(bytes(1 << 20)) for _ in range(64)) + packer.flush()
    assert len(bomb) < 100_000  # of 64 megabytes
    answer = Answer(bomb, headers={"Content-Type": "text/plain", "Content-Encoding": packing})
    async with serving(answer) as server:
        page = await fetcher().get(server.url)

    assert not page.whole
    assert len(page.body) == CAP


async def test_a_packed_page_is_unpacked() -> None:
    answer = Answer(
        gzip.compress("日本".encode()),
        headers={"Content-Type": "text/html; charset=utf-8", "Content-Encoding": "gzip"},
    )
    async with serving(answer) as server:
        page = await fetcher().get(server.url)
    assert (page.text(), page.whole, page.type) == ("日本", True, "text/html")


@pytest.mark.parametrize("packing", ["br", "gzip, gzip", "zstd", "x-unknown"])
async def test_a_packing_that_was_not_asked_for_is_refused(packing: str) -> None:
    async with serving(Answer(b"x", headers={"Content-Encoding": packing})) as server:
        with pytest.raises(FetchError, match="not asked for"):
            await fetcher().get(server.url)


async def test_a_body_that_is_badly_packed_is_refused() -> None:
    async with serving(Answer(b"no gzip at all", headers={"Content-Encoding": "gzip"})) as server:
        with pytest.raises(FetchError, match="badly packed"):
            await fetcher().get(server.url)


async def test_a_slow_drip_is_stopped_at_the_time_limit() -> None:
    async def pieces() -> AsyncIterator[bytes]:
        never = asyncio.Event()
        while True:
            yield b"."
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(never.wait(), 0.02)

    head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"
    async with writing(head, pieces) as sent:
        with pytest.raises(FetchError, match=r"longer than 0\.4 seconds"):
            await fetcher(total_s=0.4).get(sent.url)
    assert 1 < sent.bytes < 1000


async def test_headers_that_drip_are_stopped_as_well() -> None:
    async def pieces() -> AsyncIterator[bytes]:
        never = asyncio.Event()
        while True:
            yield b"X-More: 1\r\n"
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(never.wait(), 0.02)

    async with writing("HTTP/1.1 200 OK\r\n", pieces) as sent:
        with pytest.raises(FetchError, match=r"longer than 0\.4 seconds"):
            await fetcher(total_s=0.4).get(sent.url)


async def test_silence_is_stopped_at_the_time_limit() -> None:
    async with serving(Answer(b"x", hang=0)) as server:
        with pytest.raises(FetchError, match=r"127\.0\.0\.1 took longer than 0\.3 seconds"):
            await fetcher(total_s=0.3).get(server.url)


# Redirects


async def test_redirects_are_followed_and_the_last_address_is_told() -> None:
    def answer(request: Seen) -> Answer:
        where = {"/": "/one", "/one": "two?x=1"}.get(request.path)
        if where:
            return Answer(b"", 302, headers={"Location": where})
        return Answer(b"here", headers={"Content-Type": "text/plain"})

    async with serving(answer) as server:
        page = await fetcher().get(server.url)
    assert page.url == f"{server.url}/two?x=1"
    assert page.text() == "here"


async def test_redirects_in_a_circle_end() -> None:
    async with serving(Answer(b"", 302, headers={"Location": "/"})) as server:
        with pytest.raises(FetchError, match="more than 3 redirects"):
            await fetcher(redirects=3).get(server.url)
    assert len(server.seen) == 4


async def test_a_redirect_to_nonsense_ends() -> None:
    for where in ("http://[::1", "http://a b/", "http://:99999/"):
        async with serving(Answer(b"", 302, headers={"Location": where})) as server:
            with pytest.raises(FetchError):
                await fetcher().get(server.url)


async def test_a_payload_is_not_carried_elsewhere() -> None:
    async with serving() as other, serving(Answer(b"", 307, headers={"Location": other.url})) as server:
        with pytest.raises(FetchError, match="redirects elsewhere"):
            await fetcher().post_json(server.url, {"key": "secret"})
    assert other.connections == 0


async def test_no_cookie_is_kept() -> None:
    answer = Answer(b"x", headers={"Content-Type": "text/plain", "Set-Cookie": "id=1"})
    async with serving(answer) as server:
        one = fetcher()
        await one.get(server.url)
        await one.get(server.url)
    assert all("cookie" not in each.headers for each in server.seen)
    assert all(each.headers["user-agent"].startswith("numen") for each in server.seen)


# Errors


@pytest.mark.parametrize("status", [305, 400, 401, 403, 404, 418, 429, 500, 503])
async def test_every_status_but_2xx_is_an_error_with_its_words(status: int) -> None:
    async with serving(Answer(b"not  here\n", status)) as server:
        with pytest.raises(FetchError, match=f"HTTP {status}: not here") as caught:
            await fetcher().get(server.url)
    assert caught.value.status == status


async def test_the_words_of_an_error_are_bounded() -> None:
    async with serving(Answer(b"e" * 100_000, 500)) as server:
        with pytest.raises(FetchError) as caught:
            await fetcher().get(server.url)
    assert len(str(caught.value)) < 500


async def test_a_closed_port_and_an_unknown_name_are_told_in_words() -> None:
    async with serving() as server:
        pass
    with pytest.raises(FetchError, match=r"127\.0\.0\.1"):
        await fetcher().get(server.url)
    with pytest.raises(FetchError, match=r"nowhere\.invalid"):
        await fetcher().get("http://nowhere.invalid/")


@pytest.mark.parametrize("head", ["garbage\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "\x00\xff\r\n\r\n", ""])
async def test_a_server_that_speaks_no_http_is_told_in_words(head: str) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        return
        yield b""

    async with writing(head, pieces) as sent:
        with pytest.raises(FetchError, match=r"127\.0\.0\.1"):
            await fetcher().get(sent.url)


async def test_a_certificate_that_nobody_vouches_for_is_refused_in_words(tmp_path: Path) -> None:
    _, context = certificate(tmp_path)
    async with serving(Answer(b"secret"), context=context) as server:
        with pytest.raises(FetchError, match="certificate"):
            await fetcher().get(f"https://localhost:{server.port}/")
    assert server.seen == []


async def test_a_certificate_is_held_against_the_name_and_not_the_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority, context = certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))
    async with serving(Answer(b"hi"), context=context) as server:
        assert (await fetcher().get(f"https://localhost:{server.port}/")).body == b"hi"
        with pytest.raises(FetchError, match="certificate"):
            await fetcher().get(f"https://127.0.0.1:{server.port}/")
    assert len(server.seen) == 1


async def test_a_redirect_from_https_to_http_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority, context = certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))
    async with serving() as plain:
        answer = Answer(b"", 302, headers={"Location": plain.url})
        async with serving(answer, context=context) as server:
            with pytest.raises(FetchError, match="less safe"):
                await fetcher().get(f"https://localhost:{server.port}/")
    assert plain.connections == 0


@pytest.mark.parametrize(
    ("body", "header", "text"),
    [
        ("héé".encode("latin-1"), "text/plain; charset=latin-1", "héé"),
        ("héé".encode(), "text/plain", "héé"),
        (b"<html><head><meta charset=gb2312></head>" + "中".encode("gb2312"), "text/html", "中"),
        ("中".encode("utf-16"), "text/plain", "中"),
        (b"\xef\xbb\xbfhi", "text/plain", "hi"),
        (b"\xff\xfe\xff", "text/plain; charset=no-such", ""),
        (b"caf\xe9", "text/plain", "caf\ufffd"),
    ],
)
async def test_the_text_is_read_in_the_charset_it_names(body: bytes, header: str, text: str) -> None:
    async with serving(Answer(body, headers={"Content-Type": header})) as server:
        page = await fetcher().get(server.url)
    assert text in page.text()
