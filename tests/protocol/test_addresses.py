"""From a name to a server: SRV records from a name server of our own, two families, dead addresses."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from twisted.names.client import Resolver

from numen.testing.link import LOGIN
from protocol import addresses, connection
from protocol.addresses import SrvRecord, ask_srv, locate, resolve, tidy
from protocol.connection import connect
from protocol.server import Server, serve


class NameServer(asyncio.DatagramProtocol):
    """Answers every question about SRV with one record, and every other with none. Written by RFC 1035."""

    def __init__(self, target: str, port: int, *, silent: bool = False) -> None:
        self.target, self.port, self.silent = target, port, silent
        self.asked: list[str] = []

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def datagram_received(self, data: bytes, address: Any) -> None:
        labels, at = [], 12
        while data[at]:
            labels.append(data[at + 1 : at + 1 + data[at]].decode())
            at += 1 + data[at]
        question = data[12 : at + 5]
        self.asked.append(".".join(labels))
        if self.silent:
            return
        name = b"".join(bytes([len(part)]) + part.encode() for part in self.target.split(".")) + b"\0"
        body = (5).to_bytes(2, "big") + (1).to_bytes(2, "big") + self.port.to_bytes(2, "big") + name
        record = b"\xc0\x0c\x00\x21\x00\x01\x00\x00\x00\x3c" + len(body).to_bytes(2, "big") + body
        head = data[:2] + b"\x84\x00\x00\x01\x00\x01\x00\x00\x00\x00"
        self.transport.sendto(head + question + record, address)


@asynccontextmanager
async def name_server(target: str, port: int, **more: bool) -> AsyncIterator[tuple[NameServer, Resolver]]:
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.create_datagram_endpoint(
        lambda: NameServer(target, port, **more), local_addr=("127.0.0.1", 0)
    )
    try:
        yield protocol, Resolver(servers=[("127.0.0.1", transport.get_extra_info("sockname")[1])])
    finally:
        transport.close()


@asynccontextmanager
async def game_server() -> AsyncIterator[Server]:
    running = await serve("127.0.0.1", 0, on_play=lambda each: each.send("login", **LOGIN))
    try:
        yield running
    finally:
        await running.close()


def records(*found: SrvRecord) -> Any:
    async def lookup(name: str) -> list[SrvRecord]:
        assert name == "_minecraft._tcp.play.example.org"
        return list(found)

    return lookup


async def test_an_srv_record_is_asked_for_and_read() -> None:
    async with name_server("mc.example.org", 25599) as (server, resolver):
        assert await ask_srv("_minecraft._tcp.play.example.org", resolver) == [
            SrvRecord(5, 1, 25599, "mc.example.org")
        ]
        assert server.asked == ["_minecraft._tcp.play.example.org"]


async def test_the_record_with_the_lowest_priority_and_then_the_highest_weight_counts() -> None:
    lookup = records(
        SrvRecord(10, 99, 1, "later.example.org"),
        SrvRecord(5, 1, 2, "light.example.org"),
        SrvRecord(5, 7, 3, "heavy.example.org."),
        SrvRecord(0, 0, 4, "."),
    )
    assert await locate("play.example.org", 25565, lookup) == ("heavy.example.org", 3)


@pytest.mark.parametrize(
    ("host", "port"),
    [
        ("play.example.org", 25566),
        ("127.0.0.1", 25565),
        ("::1", 25565),
        ("localhost", 25565),
        ("yard.local", 25565),
    ],
)
async def test_where_no_record_can_be_none_is_asked_for(host: str, port: int) -> None:
    async def lookup(name: str) -> list[SrvRecord]:
        raise AssertionError(name)

    assert await locate(host, port, lookup) == (host, port)


async def test_without_a_record_a_name_leads_to_itself() -> None:
    async def fail(name: str) -> list[SrvRecord]:
        raise LookupError(name)

    assert await locate("play.example.org", 25565, records()) == ("play.example.org", 25565)
    assert await locate("play.example.org", 25565, fail) == ("play.example.org", 25565)


def test_names_are_tidied() -> None:
    assert tidy(" play.example.org. ") == "play.example.org"
    assert tidy("bücher.example") == "xn--bcher-kva.example"
    with pytest.raises(UnicodeError):
        tidy("ü" * 300)


async def test_the_handshake_names_where_the_record_leads(monkeypatch: pytest.MonkeyPatch) -> None:
    async with game_server() as running, name_server("localhost", running.port) as (_, resolver):

        async def lookup(name: str) -> list[SrvRecord]:
            return await ask_srv(name, resolver)

        monkeypatch.setattr(addresses, "ask_srv", lookup)
        link = await connect("play.example.org", 25565, "Tester")
        assert (running.players[0].host, running.players[0].port) == ("localhost", running.port)
        link.close()


async def test_the_two_families_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [
        (socket.AF_INET6, 1, 6, "", ("2001:db8::1", 1, 0, 0)),
        (socket.AF_INET6, 1, 6, "", ("2001:db8::2", 1, 0, 0)),
        (socket.AF_INET, 1, 6, "", ("192.0.2.1", 1)),
    ]

    async def getaddrinfo(*args: Any, **more: Any) -> Any:
        return found

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", getaddrinfo)
    assert await resolve("play.example.org", 1) == ["2001:db8::1", "192.0.2.1", "2001:db8::2"]


async def test_an_address_that_does_not_open_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    # A backlog that is full leaves a further connection waiting: an address as dead as one can be had here.
    with socket.socket() as full:
        full.bind(("127.0.0.2", 0))
        full.listen(0)
        port = full.getsockname()[1]
        running = await serve("127.0.0.1", port, on_play=lambda each: each.send("login", **LOGIN))
        waiting = []
        for _ in range(4):
            each = socket.socket()
            each.setblocking(False)
            each.connect_ex(("127.0.0.2", port))
            waiting.append(each)

        async def both(host: str, port: int) -> list[str]:
            return ["127.0.0.2", "127.0.0.1"]

        monkeypatch.setattr(connection, "resolve", both)
        link = await connect("two.example.org", port, "Tester")
        assert link.transport.getPeer().host == "127.0.0.1"
        link.close()
        await running.close()
        for each in waiting:
            each.close()


async def test_an_address_that_refuses_gives_way_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    async with game_server() as running:

        async def both(host: str, port: int) -> list[str]:
            return ["127.0.0.3", "127.0.0.1"]

        monkeypatch.setattr(connection, "resolve", both)
        link = await connect("two.example.org", running.port, "Tester")
        assert running.players[0].host == "two.example.org"
        link.close()
