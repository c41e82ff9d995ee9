"""What a companion must be able to do on any 1.21.1 server, the same list on each.

It runs on the practice server and on the Node server, or, unchanged, on the one that NUMEN_TEST_SERVER names;
see `tests.e2e.anywhere`.
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from numen.body import combat, containers, crafting, digging, eating, gather, pickup, placing, walk
from numen.body.path import goals
from numen.testing.endpoint import ScriptedEndpoint
from tests.e2e.anywhere import OURS, BlockPos, Operator, Place, Stage, built, named, place, stage_near
from tests.e2e.players import Player, joined, log_in, playing
from tests.e2e.running import NAME, OWNER, Plan, following, numen_run, speak
from tests.e2e.test_run import Status, feet

pytestmark = [
    pytest.mark.node,
    pytest.mark.timeout(120),
    pytest.mark.parametrize("kind", ["named"] if named() else OURS),
]


class Actor(Player):
    """A player on a stage, and the hand that sets it."""

    where: Place
    stage: Stage
    operator: Operator

    async def order(self, *commands: str) -> None:
        """Have the operator do something."""
        await self.operator.run(*commands)

    async def provide(self, item: str, count: int = 1) -> None:
        """Have it given something."""
        await self.order(f"give {self.connection.username} minecraft:{item} {count}")
        await self.until(lambda: self.count(item) >= count)

    async def set(self, cell: BlockPos, block: str) -> None:
        """Have a block put somewhere."""
        x, y, z = cell
        await self.order(f"setblock {x} {y} {z} minecraft:{block}")
        await self.until(lambda: self.block_name(*cell) == block)

    async def fill(self, corner: BlockPos, other: BlockPos, block: str) -> None:
        """Have a box of the stage filled."""
        await self.order(self.stage.fill(corner, other, block))
        ends = self.stage.cell(*corner), self.stage.cell(*other)
        await self.until(lambda: {self.block_name(*end) for end in ends} == {block})

    async def summon(self, kind: str, cell: BlockPos) -> int:
        """Have a creature appear; its id."""
        before = set(self.kinds(kind))
        x, y, z = cell
        await self.order(f"summon minecraft:{kind} {x} {y} {z}")
        await self.until(lambda: set(self.kinds(kind)) - before)
        return (set(self.kinds(kind)) - before).pop()

    def kinds(self, kind: str) -> list[int]:
        """Ids of the creatures of a kind that it sees."""
        return [each.id for each in self.world.entities if each.kind == f"minecraft:{kind}"]

    async def enter(self) -> None:
        """Go on a new stage."""
        self.stage = stage_near(self.body.position)
        await self.order(*self.stage.commands(self.connection.username))
        await self.until(lambda: built(self.world, self.stage) and self._stands())

    def _stands(self) -> bool:
        state = self.body.state
        on_stage = self.body.ready and self.body.feet == self.stage.cell(0)
        empty = not any(self.world.inventory.slots)
        return bool(on_stage and empty and state is not None and state.on_ground)


@asynccontextmanager
async def acting(kind: str) -> AsyncIterator[Actor]:
    """A player on a stage of one of the servers."""
    async with place(kind) as where:
        connection = await log_in(where.port, NAME, host=where.host)
        async with playing(Actor(connection)) as player, where.operator(connection) as player.operator:
            player.where = where
            await player.enter()
            yield player
            assert not connection.failures


async def test_it_walks_over_steps_and_around_a_wall(kind: str) -> None:
    async with acting(kind) as player:
        await player.fill((8, 0, -5), (10, 0, 5), "stone")
        await player.fill((9, 1, -5), (9, 1, 5), "stone")
        await player.fill((20, 0, -5), (20, 2, 3), "stone")
        x, y, z = player.stage.cell(40)
        await player.do(walk.go_to(player.body, goals.Column(x, z)))
        assert player.body.feet == (x, y, z)


async def test_it_digs_picks_up_and_places(kind: str) -> None:
    async with acting(kind) as player:
        cell = player.stage.cell(2, -1)
        await player.do(digging.dig(player.body, cell))
        await player.do(pickup.collect(player.body))
        assert player.count("dirt") == 1
        await player.do(placing.place(player.body, "dirt", player.stage.cell(2, 0, 2)))
        await player.until(lambda: player.count("dirt") == 0)
        assert player.block_name(*player.stage.cell(2, 0, 2)) == "dirt"


async def test_it_crafts_its_way_to_stone(kind: str) -> None:
    async with acting(kind) as player:
        await player.provide("oak_log", 3)
        await player.do(crafting.craft(player.body, "oak_planks", 12))
        await player.do(crafting.craft(player.body, "stick", 4))
        await player.do(crafting.craft(player.body, "crafting_table"))
        await player.do(placing.place(player.body, "crafting_table", player.stage.cell(2)))
        await player.do(crafting.craft(player.body, "wooden_pickaxe"))
        for south in (-1, 0, 1):
            await player.set(player.stage.cell(5, 0, south), "stone")
        await player.do(gather.mine(player.body, ["stone"], 3))
        assert player.count("cobblestone") == 3


async def test_it_opens_a_chest(kind: str) -> None:
    async with acting(kind) as player:
        cell = player.stage.cell(3)
        await player.set(cell, "chest")
        verdict = await player.do(containers.open_container(player.body, cell))
        assert (verdict.data["kind"], verdict.data["slots"]) == ("generic_9x3", 27)
        assert containers.close_menu(player.body)


async def test_it_kills_a_pig_for_its_meat(kind: str) -> None:
    async with acting(kind) as player:
        pig = await player.summon("pig", player.stage.cell(6, 0, 1))
        await player.do(combat.attack(player.body, [pig]))
        await player.do(pickup.collect(player.body))
        assert 1 <= player.count("porkchop") <= 3


async def test_it_wins_against_a_zombie(kind: str) -> None:
    async with acting(kind) as player:
        await player.order("time set night")
        await player.provide("iron_sword")
        zombie = await player.summon("zombie", player.stage.cell(8))
        await player.do(combat.attack(player.body, [zombie]))
        assert player.world.me.alive
        await player.order("time set day")


async def test_it_eats(kind: str) -> None:
    async with acting(kind) as player:
        await player.provide("golden_apple", 2)
        await player.do(eating.eat(player.body, "golden_apple"))
        assert player.count("golden_apple") == 1


async def test_it_feels_a_fall(kind: str) -> None:
    async with acting(kind) as player:
        hurt: list[float] = []
        player.world.events.on("health", lambda old, new: hurt.append(old - new))
        x, y, z = player.stage.cell(5)
        await player.order(f"tp {NAME} {x}.5 {y + 10} {z}.5")
        await player.until(lambda: hurt)
        assert hurt[0] == 7.0
        assert player.body.feet == (x, y, z)


async def test_it_hears_and_is_heard(kind: str) -> None:
    async with acting(kind) as player, joined(player.where.port, OWNER, host=player.where.host) as steve:
        speak(steve.connection, "hello Numen, 你好")
        await player.until(lambda: (OWNER, "hello Numen, 你好") in heard(player))
        assert player.body.talk.say("hello Steve").ok
        await steve.until(lambda: (NAME, "hello Steve") in heard(steve))


async def test_it_lives_on_after_a_death(kind: str) -> None:
    async with acting(kind) as player:
        deaths: list[str] = []
        player.world.events.on("death", deaths.append)
        await player.order(f"kill {NAME}")
        await player.until(lambda: deaths)
        await player.until(lambda: player.body.ready and player.world.me.health == 20)
        await player.enter()
        await player.do(walk.go_to(player.body, goals.Column(*player.stage.cell(8)[::2])))


async def test_a_kick_ends_with_the_reason_given(kind: str) -> None:
    async with acting(kind) as player:
        ended: list[str] = []
        player.connection.on_closed(lambda why: ended.append(why.reason))
        await player.order(f"kick {NAME} enough for today")
        await player.until(lambda: ended)
        assert "enough for today" in ended[0]
        assert not player.body.online


def heard(player: Player) -> list[tuple[str | None, str]]:
    return [(line.sender, line.text) for line in player.world.chat.lines]


# --- with a mind ---------------------------------------------------------------------------------------


@pytest.mark.slow
async def test_a_companion_does_errands_hunts_and_comes_back_after_a_kick(kind: str, tmp_path: Path) -> None:
    def plans(words: str) -> Plan | str:
        if "pig" in words:
            return hunt()
        return errands(stage) if "walk" in words else "I am here."

    async with place(kind) as where, ScriptedEndpoint(brain=following(plans)) as endpoint:
        async with (
            numen_run(tmp_path, port=where.port, endpoint=endpoint.url, host=where.host) as run,
            joined(where.port, OWNER, host=where.host) as steve,
            where.operator(steve.connection) as operator,
        ):
            stage = stage_near(steve.body.position)
            await operator.run(*stage.commands(NAME))
            await steve.until(lambda: built(steve.world, stage) and at(steve, stage.cell(0)))
            speak(steve.connection, "walk, dig and place something")
            await run.until("Walked, dug and placed.")
            x, y, z = stage.cell(30)
            await operator.run(f"summon minecraft:pig {x} {y} {z}")
            speak(steve.connection, "kill a pig")
            await run.until("The pig is dead.")
            await operator.run(f"kick {NAME} for a moment")
            await run.until(f"{NAME} is back")
            speak(steve.connection, "are you there?")
            await run.until(f"{NAME}: I am here.")
        assert not [line for line in run.lines if "Traceback" in line]


def at(player: Player, cell: BlockPos) -> bool:
    """Whether the companion is seen there."""
    return any(
        (math.floor(each.x), math.floor(each.y), math.floor(each.z)) == cell
        for each in player.world.entities
        if each.name == NAME
    )


def errands(stage: Stage) -> Plan:
    """Walk, dig, pick up, place: look first, then act."""
    x, y, z = stage.cell(30)
    walked = yield "move_to", {"x": x, "z": z}
    status: Status = yield "get_self_status", {}
    assert feet(status) == (x, y, z), walked
    dug = yield "break_block", {"x": x + 1, "y": y - 1, "z": z}
    assert dug["success"], dug
    yield "collect_items", {}
    placed = yield "place_block", {"block_id": "minecraft:dirt", "x": x - 2, "y": y, "z": z}
    if not placed["success"]:
        placed = yield "place_block", {"block_id": "minecraft:dirt", **placed["nearby"][-1]}
    assert placed["success"], placed
    return "Walked, dug and placed."


def hunt() -> Plan:
    """Find a pig and kill it."""
    seen = yield "scan_nearby_entities", {"radius": 32, "type_filter": "passive"}
    pigs = [each["id"] for each in seen["entities"] if each["type"] == "minecraft:pig"]
    killed = yield "attack", {"entity_ids": pigs[:1]}
    assert "success" in str(killed), killed
    return "The pig is dead."
