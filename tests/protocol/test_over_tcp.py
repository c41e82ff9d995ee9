"""Connecting, serving and status over real sockets, and every way that can fail."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from numen.testing.link import LOGIN
from protocol import codec
from protocol.connection import ConnectFailed, ConnectionOptions, connect, onward
from protocol.framing import FrameSplitter, join
from protocol.link import Disconnect
from protocol.server import Server, ServerConnection, ServerOptions, serve
from protocol.status import ServerStatus, StatusError, fetch_status

#: For servers that are no servers: do not wait long for them.
HURRY = ConnectionOptions(login_timeout_s=0.2)


@asynccontextmanager
async def server(host: str = "127.0.0.1", **options: Any) -> AsyncIterator[Server]:
    def on_play(connection: ServerConnection) -> None:
        connection.send("login", **LOGIN)

    status = options.pop("status", ServerStatus)
    running = await serve(host, 0, on_play=on_play, status=status, options=ServerOptions(**options))
    try:
        yield running
    finally:
        await running.close()


@asynccontextmanager
async def plain(answer: bytes | None) -> AsyncIterator[int]:
    """A port where something says `answer` to anything and hangs up. None: it stays and is silent."""
    writers: list[asyncio.StreamWriter] = []

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        if answer is not None:
            await reader.read(1)
            writer.write(answer)
            await writer.drain()
            writer.close()

    listening = await asyncio.start_server(talk, "127.0.0.1", 0)
    try:
        yield listening.sockets[0].getsockname()[1]
    finally:
        for writer in writers:
            writer.close()
        listening.close()


def closed_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def ended(link: Any) -> asyncio.Future[Disconnect]:
    future: asyncio.Future[Disconnect] = asyncio.get_running_loop().create_future()
    link.on_closed(future.set_result)
    return future


async def failure(port: int, *, host: str = "127.0.0.1", **more: Any) -> Disconnect:
    with pytest.raises(ConnectFailed) as caught:
        await connect(host, port, **more)
    return caught.value.disconnect


@pytest.mark.parametrize("threshold", [256, 64, 0, -1])
@pytest.mark.parametrize("encrypt", [False, True])
async def test_a_client_joins_and_leaves(threshold: int, encrypt: bool) -> None:
    async with server(threshold=threshold, encrypt=encrypt) as running:
        link = await connect("127.0.0.1", running.port, "Tester")
        assert link.state == "play"
        assert [each.username for each in running.players] == ["Tester"]
        gone = ended(running.players[0])
        link.close()
        assert (await gone).details["kind"] == "lost"
        assert running.players == []


async def test_a_name_of_a_host_is_resolved() -> None:
    async with server() as running:
        link = await connect("localhost", running.port, "Tester")
        assert running.players[0].host == "localhost"
        link.close()


async def test_ipv6_works() -> None:
    try:
        async with server("::1") as running:
            link = await connect("::1", running.port, "Tester")
            assert link.state == "play"
            link.close()
    except OSError:
        pytest.skip("this machine has no IPv6")


async def test_a_large_packet_arrives_whole() -> None:
    text = "wide " * 50_000
    async with server() as running:
        link = await connect("127.0.0.1", running.port, "Tester")
        seen: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        link.subscribe("custom_payload", lambda fields: seen.set_result(fields["data"].decode()))
        running.players[0].send("custom_payload", channel="test:wide", data=text.encode())
        assert await seen == text
        link.close()


async def test_many_packets_keep_their_order() -> None:
    async with server() as running:
        link = await connect("127.0.0.1", running.port, "Tester")
        seen: list[int] = []
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def note(fields: dict[str, Any]) -> None:
            seen.append(fields["id"])
            if fields["id"] == 999:
                done.set_result(None)

        running.players[0].subscribe("ping_request", note)
        for number in range(1000):
            link.send("ping_request", id=number)
        await done
        assert seen == list(range(1000))
        link.close()


async def test_two_companions_of_one_process_are_two_players() -> None:
    async with server() as running:
        links = await asyncio.gather(*(connect("127.0.0.1", running.port, name) for name in ("One", "Two")))
        assert {each.username for each in running.players} == {"One", "Two"}
        for link in links:
            link.close()


async def test_a_server_that_closes_tells_its_players() -> None:
    async with server() as running:
        link = await connect("127.0.0.1", running.port, "Tester")
        gone = ended(link)
        await running.close({"translate": "multiplayer.disconnect.server_shutdown"})
        assert (await gone).reason == "The server kicked the companion: Server closed."
        assert (await gone).details["kind"] == "shutdown"


async def test_nothing_listening_is_said_plainly() -> None:
    port = closed_port()
    end = await failure(port)
    assert end.reason == f"Nothing answers at 127.0.0.1:{port}: is the server running, and is that its port?"
    assert end.details["kind"] == "unreachable"


async def test_an_unknown_host_is_said_plainly() -> None:
    end = await failure(25565, host="no.such.host.invalid")
    assert end.reason == "There is no host called 'no.such.host.invalid'."
    assert end.details["kind"] == "unknown_host"


async def test_a_name_that_no_player_can_have_is_refused_before_connecting() -> None:
    for name in ("", "far too long a name", "two words", "naïve"):
        assert (await failure(1, username=name)).details["kind"] == "username"


async def test_a_port_that_says_nothing_is_given_up() -> None:
    async with plain(None) as port:
        end = await failure(port, options=HURRY)
    assert end.reason == "The server got stuck in login: waited 0.2 s for an answer to the login."


async def test_something_that_is_no_minecraft_server_is_given_up() -> None:
    async with plain(b"HTTP/1.1 400 Bad Request\r\n\r\n") as port:
        end = await failure(port, options=HURRY)
    assert end.state == "login"


async def test_a_server_of_another_version_is_named_with_its_version() -> None:
    older = replace(ServerStatus(), version="Paper 1.20.4", protocol=765)
    refuse = {"text": "Please use 1.20.4"}
    async with server(status=lambda: older, refuse=lambda name, uuid: refuse) as running:
        end = await failure(running.port)
        assert end.reason == (
            f"The server at 127.0.0.1:{running.port} runs Minecraft Paper 1.20.4 (protocol 765); "
            "Numen plays 1.21.1 (protocol 767)."
        )
        assert end.details["kind"] == "version"


async def test_a_refusal_by_a_server_of_our_version_stands() -> None:
    async with server(refuse=lambda name, uuid: "Not you") as running:
        end = await failure(running.port)
        assert end.reason == "The server refused the companion: Not you."


async def test_a_transfer_is_followed_where_that_is_allowed() -> None:
    async with server() as there:

        class Lobby(ServerConnection):
            def _configure(self) -> None:
                self.send("store_cookie", key="a:b", value=b"1")
                self.send("transfer", host="127.0.0.1", port=there.port)

        async with server() as here:
            here.factory.protocol = Lobby
            end = await failure(here.port)
            assert end.details["transfer"] == ("127.0.0.1", there.port)
            options = ConnectionOptions(follow_transfer=lambda host, port: host == "127.0.0.1")
            link = await connect("127.0.0.1", here.port, "Tester", options=options)
            assert there.players[0].transferred
            assert link.cookies == {"a:b": b"1"}
            link.close()


async def test_cancelling_a_connect_hangs_up() -> None:
    async with plain(None) as port:
        attempt = asyncio.ensure_future(connect("127.0.0.1", port, "Tester"))
        await asyncio.sleep(0.05)
        attempt.cancel()
        with pytest.raises(asyncio.CancelledError):
            await attempt


async def test_a_taken_port_is_an_os_error() -> None:
    async with server() as running:
        with pytest.raises(OSError, match="can't listen"):
            await serve("127.0.0.1", running.port, on_play=lambda connection: None)


# --- status ------------------------------------------------------------------------------------------------


async def test_the_status_comes_with_its_latency() -> None:
    told = ServerStatus(players=2, max_players=5, sample=("Ann", "Bob"), description="A §ayard")
    async with server(status=lambda: told) as running:
        status = await fetch_status("127.0.0.1", running.port)
    assert (status.version, status.protocol, status.players, status.max_players) == ("1.21.1", 767, 2, 5)
    assert status.sample == ("Ann", "Bob")
    assert status.description == "A yard"
    assert status.latency_ms is not None
    assert status.latency_ms >= 0


async def test_an_odd_status_is_read_as_far_as_it_goes() -> None:
    odd = {
        "version": "x",
        "players": {"online": 3, "sample": {}},
        "description": ["a", {"text": "b"}],
        "extra": 1,
    }
    answer = join(codec.encode("status", "toClient", "server_info", {"response": json.dumps(odd)}))
    async with plain(answer) as port:
        status = await fetch_status("127.0.0.1", port)
    assert (status.version, status.protocol, status.players, status.description) == ("?", -1, 3, "ab")
    assert status.latency_ms is None
    assert status.raw["extra"] == 1


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "is no Minecraft server"),
        (b"", "is no Minecraft server: it hung up"),
        (join(codec.encode("status", "toClient", "server_info", {"response": "[1]"})), "no object"),
        (join(codec.encode("status", "toClient", "server_info", {"response": "{"})), "no Minecraft server"),
        (
            join(codec.encode("status", "toClient", "server_info", {"response": "[" * 20_000})),
            "no Minecraft server",
        ),
        (None, "gave no status within 0.2 s"),
    ],
)
async def test_what_is_no_status_is_an_error_in_plain_words(answer: bytes | None, message: str) -> None:
    async with plain(answer) as port:
        with pytest.raises(StatusError, match=message):
            await fetch_status("127.0.0.1", port, timeout_s=0.2)


async def test_a_status_nobody_gives_is_an_error_in_plain_words() -> None:
    with pytest.raises(StatusError, match="Nothing answers at"):
        await fetch_status("127.0.0.1", closed_port())
    with pytest.raises(StatusError, match="no host called"):
        await fetch_status("no.such.host.invalid", 1)


async def test_a_login_of_another_version_is_refused_in_the_clients_words() -> None:
    async with server() as running:
        reader, writer = await asyncio.open_connection("127.0.0.1", running.port)
        shake = {"protocolVersion": 765, "serverHost": "x", "serverPort": 1, "nextState": 2}
        writer.write(join(codec.encode("handshaking", "toServer", "set_protocol", shake)))
        splitter = FrameSplitter()
        splitter.feed(await reader.read())
        packets = [codec.decode("login", "toClient", payload) for payload in splitter.packets()]
        writer.close()
    assert [packet.name for packet in packets] == ["disconnect"]
    assert "multiplayer.disconnect.incompatible" in packets[0].fields["reason"]


async def test_asked_for_first_a_status_of_another_version_is_enough() -> None:
    older = replace(ServerStatus(), version="1.20.4", protocol=765)
    joined: list[str] = []

    def refuse(name: str, uuid: UUID) -> None:
        joined.append(name)

    async with server(status=lambda: older, refuse=refuse) as running:
        end = await failure(running.port, options=ConnectionOptions(status_first=True))
    assert "runs Minecraft 1.20.4 (protocol 765); Numen plays 1.21.1 (protocol 767)." in end.reason
    assert joined == []


async def test_a_transfer_from_play_tells_where_to_go_on() -> None:
    async with server() as there, server() as here:
        link = await connect("127.0.0.1", here.port, "Tester")
        gone = ended(link)
        here.players[0].send("store_cookie", key="a:b", value=b"1")
        here.players[0].send("transfer", host="127.0.0.1", port=there.port)
        why = await gone
        assert onward(why, ConnectionOptions()) is None
        further = onward(why, ConnectionOptions(follow_transfer=lambda host, port: True))
        assert further is not None
        host, port, options = further
        link = await connect(host, port, "Tester", options=options)
        assert there.players[0].transferred
        assert link.cookies == {"a:b": b"1"}
        link.close()
