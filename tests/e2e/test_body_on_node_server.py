"""The body on a server that shares no code with it, and that judges every step."""

from __future__ import annotations

import math

import pytest

from numen.body import combat, crafting, digging, eating, gather, pickup, placing, walk
from tests.e2e.players import Player, joined
from tests.e2e.servers import node_server
from tests.e2e.slow_line import slow_line

pytestmark = [pytest.mark.node, pytest.mark.timeout(120)]


@pytest.mark.parametrize("world", ["flat", "hills", "maze"])
async def test_forty_blocks_are_walked_as_the_server_wants_it(world: str) -> None:
    async with node_server(world=world) as server:  # type: ignore[arg-type]
        async with joined(server.port) as player:
            start = player.body.position
            await player.do(walk.go_to(player.body, player.ahead(40)))
            assert math.dist(start, player.body.position) > 35
        server.assert_fair()


@pytest.mark.parametrize("world", ["flat", "hills"])
async def test_a_block_is_dug_picked_up_and_placed(world: str) -> None:
    async with node_server(world=world) as server:  # type: ignore[arg-type]
        async with joined(server.port) as player:
            x, y, z = player.body.feet
            await player.do(digging.dig(player.body, (x + 1, y - 1, z)))
            await player.do(pickup.collect(player.body))
            assert player.count("dirt") == 1
            cell = player.room_beside()
            await player.do(placing.place(player.body, "dirt", cell))
            assert player.block_name(*cell) == "dirt"
            assert player.count("dirt") == 0
        assert [each["block"] for each in server.events("dug")] == ["grass_block"]
        assert [each["item"] for each in server.events("picked_up")] == ["dirt"]
        assert [each["block"] for each in server.events("placed")] == ["dirt"]
        server.assert_fair()


@pytest.mark.slow
async def test_from_bare_hands_to_a_wooden_pickaxe_and_stone() -> None:
    async with node_server(world="hills") as server:
        async with joined(server.port) as player:
            await player.do(gather.mine(player.body, ["oak_log"], 4))
            await player.do(crafting.craft(player.body, "oak_planks", 12))
            await player.do(crafting.craft(player.body, "stick", 4))
            await player.do(crafting.craft(player.body, "crafting_table"))
            await player.do(placing.place(player.body, "crafting_table", player.room_beside()))
            await player.do(crafting.craft(player.body, "wooden_pickaxe"))
            assert player.count("wooden_pickaxe") == 1
            await player.do(gather.mine(player.body, ["stone"], 3))
            assert player.count("cobblestone") >= 3
        server.assert_fair()


async def test_a_pig_is_killed_and_its_meat_collected() -> None:
    async with node_server() as server:
        async with joined(server.port) as player:
            await player.command("/summon pig ~5 ~ ~2", lambda: pigs(player))
            await player.do(combat.attack(player.body, pigs(player)))
            assert player.count("porkchop") == 2
        assert len(server.events("killed")) == 1
        server.assert_fair()


async def test_a_zombie_is_fought_and_its_blows_are_felt() -> None:
    async with node_server() as server:
        async with joined(server.port) as player:
            await player.give("iron_sword")
            await player.command("/summon zombie ~6 ~ ~", lambda: kinds(player, "zombie"))
            await player.until(lambda: player.world.me.health < 20)
            await player.do(combat.attack(player.body, kinds(player, "zombie")))
            assert player.world.me.alive
        server.assert_fair()


async def test_bread_is_eaten() -> None:
    async with node_server() as server:
        async with joined(server.port) as player:
            await player.give("bread", 2)
            await player.command("/food 10", lambda: player.world.me.food == 10)
            verdict = await player.do(eating.eat(player.body, "bread"))
            assert player.world.me.food == 15
            assert verdict.data["left"] == player.count("bread") == 1
        assert len(server.events("eaten")) == 1
        server.assert_fair()


async def test_a_fall_hurts_and_is_noticed() -> None:
    async with node_server() as server:
        async with joined(server.port) as player:
            hurt: list[tuple[float, float]] = []
            player.world.events.on("health", lambda old, new: hurt.append((old, new)))
            await player.command("/tp ~ ~10 ~", lambda: hurt)
            assert hurt[0] == (20.0, 13.0)
            assert player.body.position[1] == 64.0
        assert [each["kind"] for each in server.events("damage")] == ["fall"]
        server.assert_fair()


async def test_after_a_death_it_stands_at_the_spawn_point_again() -> None:
    async with node_server() as server:
        async with joined(server.port) as player:
            await player.give("dirt", 3)
            await player.do(walk.go_to(player.body, player.ahead(8)))
            deaths: list[str] = []
            player.world.events.on("death", deaths.append)
            await player.command("/kill", lambda: deaths)
            await player.until(lambda: player.body.ready)
            assert player.world.me.health == 20
            assert player.body.feet == (0, 64, 0)
            await player.until(lambda: player.count("dirt") == 0)
            await player.do(walk.go_to(player.body, player.ahead(8)))
            await player.do(pickup.collect(player.body))
            assert player.count("dirt") == 3
        server.assert_fair()


async def test_a_push_is_followed() -> None:
    async with node_server() as server:
        async with joined(server.port) as player:
            x, _, z = player.body.position
            await player.command("/velocity 0.8 0.4 0", lambda: player.body.position[0] > x + 2)
            await player.until(lambda: player.body.state is not None and player.body.state.on_ground)
            assert player.body.position[2] == z
        server.assert_fair()


@pytest.mark.parametrize(
    ("threshold", "encrypt"), [(64, False), (0, False), (-1, False), (256, True), (-1, True)]
)
async def test_it_plays_with_every_kind_of_link(threshold: int, encrypt: bool) -> None:
    async with node_server(threshold=threshold, encrypt=encrypt, view=4) as server:
        async with joined(server.port) as player:
            await player.do(walk.go_to(player.body, player.ahead(10)))
        server.assert_fair()


@pytest.mark.parametrize("delay_ms", [40, 120])
async def test_a_server_far_away_sees_no_other_play(delay_ms: int) -> None:
    async with node_server(view=4) as server:
        async with slow_line(server.port, delay_ms / 1000) as port, joined(port) as player:
            _, y, z = player.body.feet
            await player.give("oak_log", 8)
            await player.give("crafting_table")
            await player.do(crafting.craft(player.body, "oak_planks", 16))
            await player.do(crafting.craft(player.body, "stick", 8))
            await player.do(placing.place(player.body, "crafting_table", player.room_beside()))
            await player.do(crafting.craft(player.body, "wooden_pickaxe"))
            await player.do(crafting.craft(player.body, "wooden_axe"))
            await player.do(walk.go_to(player.body, player.ahead(-6)))
            await player.do(digging.dig(player.body, (player.body.feet[0] + 1, y - 1, z)))
            await player.do(pickup.collect(player.body))
            assert player.count("wooden_pickaxe") == player.count("wooden_axe") == player.count("dirt") == 1
        server.assert_fair(but=("resync",))


async def test_a_kick_and_a_broken_line_end_with_a_plain_reason() -> None:
    async with node_server(view=2) as server:
        for command, reason in (("/kickme enough for today", "enough for today"), ("/dropme", "")):
            async with joined(server.port) as player:
                ended: list[str] = []
                player.connection.on_closed(lambda why: ended.append(why.reason))  # noqa: B023
                await player.command(command, lambda: ended)  # noqa: B023
                assert reason in ended[0]
                assert not player.body.online


def kinds(player: Player, kind: str) -> list[int]:
    """Ids of the creatures of a kind that it sees."""
    return [each.id for each in player.world.entities if each.kind == f"minecraft:{kind}"]


def pigs(player: Player) -> list[int]:
    return kinds(player, "pig")
