"""The connection against a server on npm minecraft-protocol: what a server may ask outside the world."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from protocol.connection import ConnectFailed, Connection, ConnectionOptions, connect, onward
from protocol.link import Disconnect
from protocol.neoforge_payloads import Channel
from protocol.player_keys import PlayerKeys
from protocol.text import plain_text
from tests.e2e.servers import Server, noted, wire
from tests.protocol.account_services import certificate

pytestmark = [pytest.mark.node, pytest.mark.timeout(60)]


async def join(server: Server, **options: Any) -> Connection:
    return await connect("127.0.0.1", server.port, "Steve", options=ConnectionOptions(**options))


def ended(link: Connection) -> asyncio.Future[Disconnect]:
    future: asyncio.Future[Disconnect] = asyncio.get_running_loop().create_future()
    link.on_closed(future.set_result)
    return future


def subscribe(link: Connection, *packets: str) -> list[tuple[str, dict[str, Any]]]:
    seen: list[tuple[str, dict[str, Any]]] = []

    def note(packet: str) -> None:
        link.subscribe(packet, lambda fields: seen.append((packet, fields)))

    for packet in packets:
        note(packet)
    return seen


@pytest.mark.parametrize("script", ["plain", "cookies", "packs"])
async def test_what_a_server_asks_is_answered_in_every_state(script: str) -> None:
    async with wire(script) as server:
        link = await join(server)
        subscribe(link, "login")
        await noted(server, "done")
        assert link.state == "play"
        assert not link.dropped
        link.close()


async def test_a_transfer_in_configuration_is_followed_with_its_cookies() -> None:
    async with wire("arrival") as there, wire("transfer", to=there.port) as here:
        link = await join(here, follow_transfer=lambda host, port: port == there.port)
        assert (await noted(there, "cookie"))["value"] == "here"
        assert [each["nextState"] for each in there.received("set_protocol")] == [3]
        link.close()


async def test_a_transfer_in_play_is_told_to_whoever_may_follow_it() -> None:
    async with wire("arrival") as there, wire("transferFromPlay", to=there.port) as here:
        link = await join(here)
        why = await ended(link)
        assert why.details["kind"] == "transfer"
        further = onward(why, ConnectionOptions(follow_transfer=lambda host, port: True))
        assert further is not None
        host, port, options = further
        link = await connect(host, port, "Steve", options=options)
        assert (await noted(there, "cookie"))["value"] == "here"
        link.close()


async def test_no_packet_of_play_goes_out_while_a_proxy_switches_servers() -> None:
    async with wire("switches") as server:
        link = await join(server)
        subscribe(link, "login")

        async def busy() -> None:
            """Somebody who speaks at every opportunity."""
            while not link.closed:
                if link.state == "play":
                    link.send("flying", onGround=True)
                await asyncio.sleep(0)

        speaking = asyncio.ensure_future(busy())
        await noted(server, "done")
        speaking.cancel()
        # beside its answers it has told brand and settings once, in the first of six configurations
        assert (await noted(server, "rest"))["names"] == ["custom_payload", "settings"]
        link.close()


async def test_neoforges_tasks_and_payloads_are_answered_and_read() -> None:
    async with wire("neoforge") as server:
        link = await join(server)
        seen = subscribe(link, "update_time", "open_window", "craft_progress_bar")
        await noted(server, "done")
        assert link.registries.name_of("item", 20000) == "create:cogwheel"
        assert link.neoforge.mods == ("create",)
        assert [name for name, _ in seen] == [
            "update_time",
            "open_window",
            "craft_progress_bar",
            "update_time",
        ]
        fields = [fields for _, fields in seen]
        assert (fields[0]["age"], fields[0]["time"]) == (24000, 6000)
        assert (fields[1]["windowId"], fields[1]["inventoryType"]) == (3, 40)
        assert plain_text(fields[1]["windowTitle"]) == "Basin"
        assert (fields[2]["property"], fields[2]["value"]) == (1, 70000)
        assert (fields[3]["age"], fields[3]["time"]) == (48000, 12000)
        assert not link.dropped
        link.close()


async def test_a_mod_that_insists_is_named_and_satisfied() -> None:
    required = "create:main/6.0/clientbound"
    async with wire("neoforge", required=required) as server:
        with pytest.raises(ConnectFailed, match="create:main") as caught:
            await join(server)
        assert caught.value.disconnect.details["kind"] == "neoforge"
    async with wire("neoforge", required=required) as server:
        link = await join(server, channels=(Channel("create:main", "6.0", "clientbound"),))
        subscribe(link, "login")
        await noted(server, "done")
        link.close()


async def test_signed_chat_is_accepted_where_it_is_enforced() -> None:
    async def keys() -> PlayerKeys:
        return PlayerKeys.from_json(certificate("2100-01-02T00:00:00Z", "2100-01-01T00:00:00Z"))

    async with wire("chat") as server:
        link = await join(server, player_keys=keys)

        def speak(fields: dict[str, Any]) -> None:
            link.chat.say("hello, 世界")
            link.chat.command("w Other are you there?")

        link.subscribe("system_chat", speak)
        await noted(server, "done")
        said = [(line["content"], line["seen"]) for line in server.events("said")]
        assert said == [
            (content, seen)
            for seen in (0, 1, 20, 20, 20, 20)
            for content in ("hello, 世界", "are you there?")
        ]
        link.close()
