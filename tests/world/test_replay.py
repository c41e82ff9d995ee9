"""Recorded sessions of servers that are not ours, replayed into a world: it ends with the right facts."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import Any

import pytest

from numen.testing.simulation import Simulation
from numen.world import KINDS
from protocol.game import GAME
from tests.protocol.captures import expected_chunks, packets


class Replay:
    """A whole session, with the events it led to."""

    def __init__(self, session: str, username: str) -> None:
        self.sim = Simulation("login", username=username)
        self.events: Counter[str] = Counter()
        self.chunks: list[str] = []
        for kind in KINDS:
            self.sim.world.events.on(kind, lambda *_, kind=kind: self.events.update([kind]))
        self.sim.world.events.on("chunk_loaded", self._chunk)
        for packet in packets(session):
            if packet.direction == "toClient":
                self.sim.receive_payload(packet.payload)

    def _chunk(self, cx: int, cz: int) -> None:
        states = self.sim.world.chunks.columns[cx, cz].data.states()
        self.chunks.append(hashlib.sha1(states.astype("<u4").tobytes()).hexdigest())


@pytest.fixture(scope="module")
def hills() -> Replay:
    return Replay("hills", "bot1")


@pytest.fixture(scope="module")
def squid() -> Replay:
    return Replay("flying-squid", "fsq1")


def told(stacks: Any) -> dict[int, tuple[str, int]]:
    return {place: (stack.name, stack.count) for place, stack in enumerate(stacks) if stack is not None}


@pytest.mark.parametrize(("session", "username"), [("hills", "bot1"), ("flying-squid", "fsq1")])
def test_every_block_of_every_chunk_is_as_recorded(
    session: str, username: str, request: pytest.FixtureRequest
) -> None:
    replay: Replay = request.getfixturevalue({"hills": "hills", "flying-squid": "squid"}[session])
    expected = expected_chunks(session)
    key = next(name for name in expected[0] if "block" in name or "state" in name)
    assert replay.chunks == [chunk[key] for chunk in expected]
    assert replay.sim.link.username == username


def test_the_hills_end_with_the_right_facts(hills: Replay) -> None:
    sim, world = hills.sim, hills.sim.world
    assert not sim.link.dropped
    me = world.me
    assert (me.entity_id, me.name, me.game_mode, me.health, me.food) == (101, "bot1", "survival", 12.0, 20)
    assert me.pos == (27.0, 75.0, 25.0)  # where the rejected cheat was put back to
    assert (len(world.chunks), world.chunks.center, world.chunks.broken) == (441, (1, 1), 0)
    assert (world.time.age, world.time.time_of_day, world.environment.difficulty) == (860, 1860, "normal")
    assert world.environment.spawn_point == (0, 66, 0)
    assert told(world.inventory.slots) == {
        9: ("minecraft:oak_log", 7),
        10: ("minecraft:oak_planks", 2),
        11: ("minecraft:bread", 4),
        12: ("minecraft:stick", 4),
        36: ("minecraft:dirt", 14),
        38: ("minecraft:diamond_pickaxe", 1),
        43: ("minecraft:iron_sword", 1),
    }
    menu = world.menu
    assert menu is not None
    assert (menu.kind, menu.own_size, menu.properties[3]) == ("minecraft:furnace", 3, 200)
    assert [player.name for player in world.players] == ["bot1"]


def test_the_hills_blocks_changed_as_told(hills: Replay) -> None:
    world = hills.sim.world
    final = {
        tuple(packet.reading["location"].values()): packet.reading
        for packet in packets("hills", "block_change")
        if packet.direction == "toClient"
    }
    assert hills.events["block_changed"] == 6
    for reading in final.values():
        at = reading["location"]
        assert world.block(at["x"], at["y"], at["z"]) == reading["type"]
    placed = {GAME.block_of(reading["type"]).name for reading in final.values()}
    assert placed >= {"minecraft:chest", "minecraft:furnace", "minecraft:crafting_table"}


def test_the_hills_entities_came_and_went(hills: Replay) -> None:
    (item,) = hills.sim.world.entities
    assert item.kind == "minecraft:item"
    assert item.stack is not None
    assert (hills.events["entity_added"], hills.events["entity_removed"], hills.events["damage"]) == (
        2,
        1,
        11,
    )


def test_the_hills_talk_is_heard(hills: Replay) -> None:
    lines = list(hills.sim.world.chat)
    assert [line.text for line in lines if line.own] == ["hello world"]
    assert lines[0].display == "bot1 joined"
    assert lines[-1].kind == "system"


def test_the_squid_ends_with_the_right_facts(squid: Replay) -> None:
    sim, world = squid.sim, squid.sim.world
    assert not sim.link.dropped
    assert (world.me.entity_id, world.me.pos) == (1, (18.0, 27.0, 4.0))
    assert world.me.saturation == 5.0  # it sends what is not a number
    assert (squid.events["chunk_loaded"], squid.events["chunk_unloaded"], len(world.chunks)) == (423, 40, 383)
    assert (world.environment.difficulty, world.dimension.name) == ("easy", "minecraft:overworld")
    assert [line.text for line in world.chat if line.own] == ["hi"]
    assert GAME.block_of(world.block(18, 20, 4)).name != "minecraft:air"


def test_every_batch_of_the_hills_was_acknowledged(hills: Replay) -> None:
    assert len(hills.sim.sent.take("chunk_batch_received")) == 431
    assert len(hills.sim.sent.take("keep_alive")) == 7
