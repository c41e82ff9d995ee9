"""Finding the channels a server's mods insist on, against a server that negotiates by NeoForge's rules."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import yaml

from numen.testing.link import LOGIN
from protocol.connection import ConnectFailed, ConnectionOptions, connect
from protocol.neoforge_learn import learn_channels, to_yaml
from protocol.neoforge_payloads import Channel
from protocol.server import Server, ServerConnection, ServerOptions, serve
from tests.protocol.neoforge_server import Declared, NeoForgeServer

MODS = {
    4: [Declared("create:hello", "3", None, False), Declared("create:sync", "1", 1, False)],
    1: [
        Declared("create:main", "6.0.4", 1, False),
        Declared("create:up", "6.0.4", 0, False),
        Declared("jei:both", "19", None, False),
        Declared("jei:extra", "2", 1, True),
    ],
}


@asynccontextmanager
async def forge(required: dict[int, list[Declared]], **options: object) -> AsyncIterator[Server]:
    class This(NeoForgeServer):
        pass

    This.required = required
    running = await serve("127.0.0.1", 0, on_play=lambda connection: None, options=ServerOptions(**options))
    running.factory.protocol = This
    try:
        yield running
    finally:
        await running.close()


async def test_required_channels_are_found_with_version_flow_and_phase() -> None:
    lines: list[str] = []
    async with forge(MODS) as server:
        found = await learn_channels("127.0.0.1", server.port, pause_s=0, progress=lines.append)
    assert found == [
        Channel("create:hello", "3", "both", "configuration"),
        Channel("create:sync", "1", "clientbound", "configuration"),
        Channel("create:main", "6.0.4", "clientbound", "play"),
        Channel("create:up", "6.0.4", "serverbound", "play"),
        Channel("jei:both", "19", "both", "play"),
    ]
    assert len(lines) <= 7


async def test_with_what_was_found_the_server_lets_us_in() -> None:
    async with forge(MODS) as server:
        server.factory.on_play = lambda connection: connection.send("login", **LOGIN)
        found = await learn_channels("127.0.0.1", server.port, pause_s=0)
        options = ConnectionOptions(channels=tuple(found))
        link = await connect("127.0.0.1", server.port, "Tester", options=options)
        assert link.neoforge.mods == ("create", "jei")
        link.close()


async def test_a_wrong_beginning_is_mended() -> None:
    begin = (
        Channel("create:main", "5", "serverbound"),
        Channel("jei:both", "18", "clientbound"),
        Channel("create:up", "6.0.4", "clientbound"),
        Channel("gone:away", "1"),
    )
    async with forge({1: MODS[1]}) as server:
        found = await learn_channels(
            "127.0.0.1", server.port, options=ConnectionOptions(channels=begin), pause_s=0
        )
    assert [(each.id, each.version, each.flow) for each in found] == [
        ("create:main", "6.0.4", "clientbound"),
        ("create:up", "6.0.4", "serverbound"),
        ("jei:both", "19", "both"),
    ]


async def test_a_server_without_required_channels_needs_none() -> None:
    async with forge({}) as server:
        assert await learn_channels("127.0.0.1", server.port, pause_s=0) == []


async def test_another_refusal_is_told_as_it_is() -> None:
    async with forge(MODS, refuse=lambda name, uuid: "Not you") as server:
        with pytest.raises(ConnectFailed, match="Not you"):
            await learn_channels("127.0.0.1", server.port, pause_s=0)


async def test_a_server_that_no_answer_pleases_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    body = b"\x01\x0bcreate:main\x08\x00\x04nope"

    def refuse(self: ServerConnection, declared: object) -> None:
        self.send("custom_payload", channel="neoforge:modded_network_setup_failed", data=body)
        self.close("Incompatible")

    async with forge(MODS) as server:
        monkeypatch.setattr(NeoForgeServer, "_negotiate", refuse)
        with pytest.raises(ConnectFailed, match=r"keeps refusing channels of its mods.*create:main"):
            await learn_channels("127.0.0.1", server.port, pause_s=0)


def test_what_was_found_is_written_as_yaml() -> None:
    channels = [
        Channel("create:hello", "3", "both", "configuration"),
        Channel("jei:up", "1.0", "serverbound"),
    ]
    assert yaml.safe_load(to_yaml(channels)) == {
        "server": {
            "neoforge": {
                "channels": [
                    {"id": "create:hello", "version": "3", "flow": "both", "phase": "configuration"},
                    {"id": "jei:up", "version": "1.0", "flow": "serverbound", "phase": "play"},
                ]
            }
        }
    }
    assert yaml.safe_load(to_yaml([])) == {"server": {"neoforge": {"channels": []}}}
