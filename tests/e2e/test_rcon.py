"""The console of a foreign server, as the list in `test_anywhere` asks it."""

from __future__ import annotations

import asyncio
import struct
from typing import Any, cast

import pytest

from tests.e2e.anywhere import InChat, Place, address


class Console:
    """A server's RCON: notes what it is asked, and lets in who knows the password."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, str]] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            try:
                (size,) = struct.unpack("<i", await reader.readexactly(4))
            except asyncio.IncompleteReadError:
                writer.close()
                return
            body = await reader.readexactly(size)
            ident, kind = struct.unpack_from("<ii", body)
            text = body[8:-2].decode()
            self.asked.append((kind, text))
            answer = -1 if (kind, text) == (3, "wrong") else ident
            writer.write(struct.pack("<iiixx", 10, answer, 2 if kind == 3 else 0))


async def test_commands_go_to_the_console_when_one_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    console = Console()
    server = await asyncio.start_server(console.serve, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        monkeypatch.setenv("NUMEN_TEST_SERVER", "127.0.0.1:25565")
        monkeypatch.setenv("NUMEN_TEST_RCON", f"127.0.0.1:{port}")
        monkeypatch.setenv("NUMEN_TEST_RCON_PASSWORD", "wrong")
        nobody = cast(Any, None)
        with pytest.raises(PermissionError, match="NUMEN_TEST_RCON_PASSWORD"):
            async with Place("127.0.0.1", 25565).operator(nobody):
                pass
        monkeypatch.setenv("NUMEN_TEST_RCON_PASSWORD", "s3cret")
        async with Place("127.0.0.1", 25565).operator(nobody) as operator:
            await operator.run("time set day", "give Numen minecraft:bread 2")
    assert console.asked[1:] == [(3, "s3cret"), (2, "time set day"), (2, "give Numen minecraft:bread 2")]


async def test_without_a_console_the_player_gives_the_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NUMEN_TEST_SERVER", raising=False)
    async with Place("127.0.0.1", 25565).operator(cast(Any, None)) as operator:
        assert isinstance(operator, InChat)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("play.example.org", ("play.example.org", 25565)),
        ("10.0.0.1:25570", ("10.0.0.1", 25570)),
        ("[::1]:25570", ("::1", 25570)),
    ],
)
def test_addresses_may_leave_the_port_out(text: str, parts: tuple[str, int]) -> None:
    assert address(text, 25565) == parts
