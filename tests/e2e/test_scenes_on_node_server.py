"""A body on a server on npm minecraft-protocol that interrupts it, and what it sends then.

The server's script (tests/node/wire_scenes.js) checks the answers and their order; here is checked what the
body and its world made of it, and that it walks on afterwards.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from numen.body import walk
from numen.body.path import goals
from numen.body.warm import warm_up
from protocol.accounts import Account
from protocol.connection import ConnectFailed, ConnectionOptions, connect, onward
from protocol.link import Disconnect
from protocol.neoforge_payloads import Channel
from protocol.player_keys import PlayerKeys
from tests.e2e.players import Player, playing
from tests.e2e.servers import Server, noted, wire
from tests.protocol.account_services import CLIENT_ID, account_services, certificate

pytestmark = [pytest.mark.node, pytest.mark.timeout(60)]


@asynccontextmanager
async def body_in(script: str, *, to: int = 0, **options: Any) -> AsyncIterator[tuple[Player, Server]]:
    """A body on a server with one of the scripts."""
    async with wire(script, to=to) as server, body_on(server, **options) as player:
        yield player, server


@asynccontextmanager
async def body_on(server: Server, **options: Any) -> AsyncIterator[Player]:
    """A body on a server."""
    warm_up()
    options = {"view_distance": 3, **options}
    connection = await connect("127.0.0.1", server.port, "Steve", options=ConnectionOptions(**options))
    async with playing(Player(connection)) as player:
        yield player


async def assert_alive(player: Player, server: Server) -> None:
    """It can still walk, the server hears of it, and nothing of ours has failed on the way."""
    await player.until(lambda: player.body.ready)
    x, _, z = player.body.feet
    await player.do(walk.go_to(player.body, goals.Column(x + 4, z)))
    while not any(step["x"] > x + 4 for step in steps(server)):
        await asyncio.sleep(0.02)
    assert not player.connection.failures


def steps(server: Server) -> list[dict[str, Any]]:
    """Every place that the body has told."""
    return server.received("position") + server.received("position_look")


def start_walking(player: Player, blocks: int) -> asyncio.Task[Any]:
    return asyncio.ensure_future(player.try_to(walk.go_to(player.body, player.ahead(blocks))))


async def test_a_reconfiguration_in_mid_walk() -> None:
    async with body_in("midWalk") as (player, server):
        await noted(server, "stands")
        task = start_walking(player, 40)
        await noted(server, "back")
        z = player.body.position[2]
        assert z > 24, "it is where the server put it"
        assert [each.kind for each in player.world.entities] == []
        # where it was going it still goes, from the new place
        assert (await task).ok
        assert player.body.feet == (40, 64, 0)
        await assert_alive(player, server)
        await noted(server, "done")


@pytest.mark.parametrize("how", ["switch", "respawn"])
@pytest.mark.parametrize("kept", [True, False])
async def test_another_backend_or_world_with_its_data_kept_and_not_kept(how: str, kept: bool) -> None:
    async with body_in(how + ("Kept" if kept else "Dropped")) as (player, server):
        world = player.world
        await noted(server, "before")
        await player.until(lambda: world.menu is not None and world.me.effects)
        assert world.me.attributes.value("generic.movement_speed") == pytest.approx(0.15)
        assert len(world.entities) == 1
        player.body.swing()
        await noted(server, "after")
        await player.until(lambda: player.body.ready)
        assert world.menu is None
        assert not world.me.effects
        assert len(world.entities) == 0
        assert world.me.dimension == "minecraft:overworld"
        # a login makes a new player of whom nothing is known; what a respawn keeps is said in it
        still = kept and how == "respawn"
        assert world.me.attributes.value("generic.movement_speed") == pytest.approx(0.15 if still else 0.1)
        assert bool(world.me.metadata) is still
        await assert_alive(player, server)
        await noted(server, "done")


async def test_a_burst_of_ten_thousand_packets_about_entities() -> None:
    async with body_in("burst") as (player, server):
        await noted(server, "stands")
        task = start_walking(player, 12)
        await noted(server, "burst")
        await player.until(lambda: len(player.world.entities) == 50)
        # of each pig's 200 packets every second one moves it, and one pig of two is moved by small steps
        moved = {each.id: each.x - (each.id - 100) % 10 for each in player.world.entities}
        assert moved[100] == pytest.approx(100 * 41 / 4096)
        assert moved[101] == pytest.approx(100 * 1 / 4096)
        assert not player.connection.dropped
        assert (await task).ok
        await assert_alive(player, server)
        await noted(server, "done")


async def test_a_packet_nobody_can_read_each_second() -> None:
    async with body_in("malformed") as (player, server):
        await noted(server, "stands")
        task = start_walking(player, 16)
        await noted(server, "malformed")
        assert set(player.connection.dropped) == {"entity_metadata", "remove_resource_pack"}
        assert (await task).ok
        await assert_alive(player, server)
        await noted(server, "done")


async def test_silence_ends_the_connection_and_the_next_one_lives() -> None:
    async with wire("silence") as server:
        async with body_on(server, idle_timeout_s=1.0) as player:
            ended: list[Disconnect] = []
            player.connection.on_closed(ended.append)
            task = start_walking(player, 40)
            await player.until(lambda: ended)
            assert (ended[0].details["kind"], ended[0].details["silent_s"]) == ("timeout", 1.0)
            assert not (await task).ok
            assert not player.body.online
            assert not player.connection.failures
        async with body_on(server) as player:
            await assert_alive(player, server)


@pytest.mark.parametrize("script", ["plain", "cookies", "packs", "neoforge"])
async def test_what_is_asked_in_every_state_leaves_the_body_alive(script: str) -> None:
    async with body_in(script) as (player, server):
        await noted(server, "done")
        await assert_alive(player, server)
        assert not player.connection.dropped


async def test_required_channels_leave_the_body_alive() -> None:
    channels = (Channel("create:main", "6.0", "clientbound"),)
    required = "create:main/6.0/clientbound"
    async with wire("neoforge", required=required) as server, body_on(server, channels=channels) as player:
        await noted(server, "done")
        await assert_alive(player, server)


async def test_a_transfer_in_mid_walk_leaves_the_body_alive_on_the_other_server() -> None:
    async with wire("arrival") as there, body_in("transferWalking", to=there.port) as (player, here):
        ended: list[Disconnect] = []
        player.connection.on_closed(ended.append)
        await noted(here, "stands")
        task = start_walking(player, 40)
        await player.until(lambda: ended)
        assert not (await task).ok
        further = onward(ended[0], ConnectionOptions(view_distance=3, follow_transfer=lambda *to: True))
        assert further is not None
        host, port, options = further
        connection = await connect(host, port, "Steve", options=options)
        async with playing(Player(connection)) as again:
            assert (await noted(there, "cookie"))["value"] == "here"
            await assert_alive(again, there)


async def test_enforced_signatures_leave_the_body_alive() -> None:
    async def keys() -> PlayerKeys:
        return PlayerKeys.from_json(certificate("2100-01-02T00:00:00Z", "2100-01-01T00:00:00Z"))

    async with body_in("chatWalking", player_keys=keys) as (player, server):

        def speak(fields: dict[str, Any]) -> None:
            player.connection.chat.say("on my way")
            player.connection.chat.command("w Other on my way")

        player.connection.subscribe("system_chat", speak)
        player.body.swing()
        task = start_walking(player, 10)
        await noted(server, "done")
        assert (await task).ok
        await assert_alive(player, server)
        assert len(server.events("said")) == 12


async def test_an_account_gets_into_a_foreign_server_that_wants_one(tmp_path: Path) -> None:
    async with account_services() as (stand_in, services), wire("online", session=services.session) as server:
        stand_in.pending = 0
        account = Account(CLIENT_ID, tmp_path / "login.json", prompt=lambda code: None, services=services)
        await account.log_in()
        options = account.options(ConnectionOptions(view_distance=3))
        connection = await connect("127.0.0.1", server.port, account.name, options=options)
        async with playing(Player(connection)) as player:
            assert player.connection.cipher is not None
            assert player.world.me.uuid == account.uuid
            await assert_alive(player, server)
        stand_in.instead["/session/session/minecraft/join"] = [(204, None)]
        stand_in.joined = "another server"
        with pytest.raises(ConnectFailed, match="the login has expired") as caught:
            await connect("127.0.0.1", server.port, account.name, options=options)
        assert caught.value.disconnect.details["kind"] == "auth_down"


async def test_without_an_account_such_a_server_is_named_for_what_it_is() -> None:
    async with wire("online") as server:
        with pytest.raises(ConnectFailed, match="online-mode=true") as caught:
            await connect("127.0.0.1", server.port, "Steve")
        assert caught.value.disconnect.details["kind"] == "online_account"
