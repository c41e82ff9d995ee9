"""Commands for operators, and the other things that run a server."""

from __future__ import annotations

import asyncio

import pytest

from numen.rules.items import ItemStack
from numen.sandbox import SandboxOptions, start_sandbox
from numen.testing.sandbox import Client, Env
from protocol.game import GAME
from protocol.link import Disconnect
from protocol.status import ServerStatus
from protocol.text import plain_text


def answer(client: Client, line: str) -> str:
    client.forget()
    client.say(line)
    return plain_text(client.last("system_chat")["content"])


def test_gives_things() -> None:
    env = Env()
    steve, alex = env.join("Steve"), env.join("Alex")
    assert answer(steve, "/give Alex minecraft:oak_log 70") == "Gave 70 Oak Log to Alex"
    assert alex.count("oak_log") == 70
    assert alex.player.inventory.slots[36] == ItemStack.of("oak_log", 64)
    assert "Unknown item" in answer(steve, "/give @s unobtainium")
    assert "whole number" in answer(steve, "/give @s stone many")
    assert "No player was found" in answer(steve, "/give Nobody stone")
    assert answer(steve, "/give Steve").startswith("Usage: /give")


def test_teleports_to_points_relative_points_and_players() -> None:
    env = Env()
    steve, alex = env.join("Steve"), env.join("Alex")
    steve.say("/tp 10 70 -5")
    assert (steve.player.x, steve.player.y, steve.player.z) == (10.5, 70.0, -4.5)
    steve.say("/tp @s ~ ~2 ~0.5")
    assert (steve.player.x, steve.player.y, steve.player.z) == (10.5, 72.0, -4.0)
    steve.say("/tp Alex Steve")
    assert (alex.player.x, alex.player.y, alex.player.z) == (10.5, 72.0, -4.0)
    assert "coordinate" in answer(steve, "/tp a b c")
    assert "out of this world" in answer(steve, "/tp 1e300 0 0")


def test_changes_the_game_mode() -> None:
    env = Env()
    steve = env.join()
    assert answer(steve, "/gamemode creative") == "Your game mode has been updated to Creative Mode"
    assert steve.last("game_state_change") == {"reason": 3, "gameMode": 1.0}
    assert steve.last("abilities")["flags"] == 13
    assert steve.last("player_info")["data"][0]["gamemode"] == 1
    assert "Unknown game mode" in answer(steve, "/gamemode god")


def test_summons_what_it_knows() -> None:
    env = Env()
    steve = env.join()
    assert answer(steve, "/summon minecraft:zombie 5 64 5") == "Summoned new Zombie"
    assert [e.kind for e in env.world.entities.values() if e is not steve.player] == ["minecraft:zombie"]
    assert "chicken, cow, pig, sheep, zombie" in answer(steve, "/summon wither")


def test_sets_the_time() -> None:
    env = Env()
    steve = env.join()
    assert answer(steve, "/time set night") == "Set the time to 13000"
    assert env.world.day_time == 13000


def test_sets_blocks_with_their_properties() -> None:
    env = Env()
    steve = env.join()
    answer(steve, "/setblock 3 64 3 oak_log[axis=x]")
    assert env.world.block(3, 64, 3) == GAME.state("oak_log", axis="x")
    assert answer(steve, "/setblock 3 64 3 oak_log[axis=x]") == "Could not set the block"
    assert "Unknown block" in answer(steve, "/setblock ~ ~ ~ nothing_at_all")


def test_fills_a_box_between_two_corners() -> None:
    env = Env()
    steve = env.join("Steve")
    assert answer(steve, "/fill 4 80 4 2 81 3 stone") == "Successfully filled 12 block(s)"
    stone = GAME.state("stone")
    assert {env.world.block(x, y, z) for x in (2, 3, 4) for y in (80, 81) for z in (3, 4)} == {stone}
    assert env.world.block(5, 80, 4) != stone
    assert answer(steve, "/fill 2 80 3 4 81 4 stone") == "No blocks were filled"
    assert "Too many blocks" in answer(steve, "/fill 0 0 0 100 100 100 stone")
    assert "Unknown block" in answer(steve, "/fill 0 80 0 1 80 1 nothing_at_all")


def test_kicks_with_the_reason_given() -> None:
    env = Env()
    steve, alex = env.join("Steve"), env.join("Alex")
    ended: list[Disconnect] = []
    alex.pair.client.on_closed(ended.append)
    steve.say("/kick Alex that was enough")
    env.tick(2)
    assert [player.name for player in env.world.players] == ["Steve"]
    assert "that was enough" in ended[0].reason


def test_kills_and_clears() -> None:
    env = Env()
    steve = env.join()
    steve.give("dirt", 3)
    steve.say("/clear")
    assert not steve.count("dirt")
    assert answer(steve, "/kill") == "Steve was killed" or steve.player.dead
    assert steve.player.dead


def test_difficulty_is_told_to_all() -> None:
    env = Env()
    steve, alex = env.join("Steve"), env.join("Alex")
    assert answer(steve, "/difficulty") == "The difficulty is Normal"
    alex.forget()
    steve.say("/difficulty hard")
    assert alex.last("difficulty")["difficulty"] == 3
    assert "Unknown difficulty" in answer(steve, "/difficulty 9")


def test_list_names_who_is_here() -> None:
    env = Env()
    env.join("Alex")
    steve = env.join("Steve")
    assert answer(steve, "/list") == "There are 2 of a max of 20 players online: Alex, Steve"


def test_commands_are_for_operators() -> None:
    env = Env(operators=frozenset({"Alex"}))
    steve, alex = env.join("Steve"), env.join("Alex")
    assert "Unknown" in answer(steve, "/give @s diamond")
    assert not steve.count("diamond")
    assert env.judge.counts["not_operator"] == 1
    assert answer(steve, "/list").startswith("There are 2")
    answer(alex, "/give @s diamond")
    assert alex.count("diamond") == 1
    assert steve.seen("entity_status") == []


def test_an_unknown_command_is_said_to_be_one() -> None:
    env = Env()
    steve = env.join()
    assert "Unknown" in answer(steve, "/fly")


def test_a_whisper_reaches_one_and_only_one() -> None:
    env = Env(operators=frozenset())
    steve, alex, other = env.join("Steve"), env.join("Alex"), env.join("Other")
    steve.say("/msg Alex psst, over here")
    incoming = alex.last("player_chat")
    assert incoming["plainMessage"] == "psst, over here"
    assert incoming["type"] == {"chatType": env.sandbox.chat_type("msg_command_incoming")}
    outgoing = steve.last("player_chat")
    assert outgoing["type"] == {"chatType": env.sandbox.chat_type("msg_command_outgoing")}
    assert plain_text(outgoing["networkTargetName"]) == "Alex"
    assert not other.seen("player_chat")


async def test_a_server_listens_ticks_and_stops() -> None:
    from protocol.connection import connect
    from protocol.status import fetch_status

    sandbox = await start_sandbox(seed=3, world="flat", view_distance=2, motd="yard")
    try:
        assert sandbox.port > 0
        told: ServerStatus = await fetch_status("127.0.0.1", sandbox.port)
        assert told.description == "yard"
        connection = await connect("127.0.0.1", sandbox.port, "Steve")
        ended: asyncio.Future[Disconnect] = asyncio.get_running_loop().create_future()
        connection.on_closed(ended.set_result)
        assert [player.name for player in sandbox.players] == ["Steve"]
    finally:
        await sandbox.stop()
    assert (await ended).by_server


async def test_a_taken_port_is_said_to_be_taken() -> None:
    sandbox = await start_sandbox(world="flat")
    try:
        with pytest.raises(OSError, match="listen"):
            await start_sandbox(port=sandbox.port, options=SandboxOptions(world="flat"))
    finally:
        await sandbox.stop()
