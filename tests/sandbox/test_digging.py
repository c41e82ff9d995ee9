"""The server believes no digger who is faster than his tool."""

from __future__ import annotations

import pytest

from numen.rules.digging import dig_ticks
from numen.rules.items import ItemStack
from numen.testing.sandbox import Client, Env
from protocol.game import GAME

AT = (2, 63, 0)


def acks(client: Client) -> list[int]:
    return [each["sequenceId"] for each in client.seen("acknowledge_player_digging")]


@pytest.mark.parametrize(
    ("block", "tool", "ticks"),
    [("dirt", None, 15), ("grass_block", None, 18), ("stone", "wooden_pickaxe", 23), ("oak_log", None, 61)],
)
def test_breaks_a_block_that_was_dug_long_enough(block: str, tool: str | None, ticks: int) -> None:
    env = Env()
    steve = env.join()
    env.put(AT, block)
    if tool:
        steve.give(tool)
    env.tick()
    assert dig_ticks(GAME.state(block), ItemStack.of(tool) if tool else None) == ticks
    steve.dig(AT, ticks - 1)
    assert env.block(AT) == "air"
    assert not env.judge.counts


def test_refuses_a_dig_that_ends_too_soon() -> None:
    env = Env()
    steve = env.join()
    steve.forget()
    last = steve.dig(AT, 5)
    assert env.block(AT) == "grass_block"
    assert env.judge.counts["dig_too_fast"] == 1
    assert acks(steve)[-1] == last
    told = [each for each in steve.seen("block_change") if each["location"] == AT]
    assert told[-1]["type"] == GAME.state("grass_block")
    assert steve.order.index("block_change") < len(steve.order) - steve.order[::-1].index(
        "acknowledge_player_digging"
    )


def test_finishes_by_itself_what_was_called_finished_too_soon() -> None:
    env = Env()
    steve = env.join()
    steve.dig(AT, 5)
    env.tick(9)
    assert env.block(AT) == "grass_block"
    env.tick(5)
    assert env.block(AT) == "air"


def test_believes_a_dig_at_seven_tenths() -> None:
    env = Env()
    steve = env.join()
    env.put(AT, "stone")
    steve.give("wooden_pickaxe")
    env.tick()
    steve.dig(AT, 16)
    assert env.block(AT) == "air"


def test_acks_every_sequence() -> None:
    env = Env()
    steve = env.join()
    steve.forget()
    for status, location in ((0, AT), (1, AT), (0, (90, 64, 90)), (2, (2, 64, 0)), (0, (0, -70, 0))):
        sequence = steve.sequence()
        steve.send("block_dig", status=status, location=location, face=1, sequence=sequence)
        env.tick()
        assert acks(steve)[-1] == sequence


def test_one_ack_a_tick_settles_all() -> None:
    env = Env()
    steve = env.join()
    steve.forget()
    for _ in range(3):
        steve.send("block_dig", status=0, location=AT, face=1, sequence=steve.sequence())
    env.tick()
    assert acks(steve) == [3]


def test_digging_is_out_of_reach_at_six_blocks() -> None:
    env = Env()
    steve = env.join()
    far = (7, 63, 0)
    steve.forget()
    steve.dig(far, 40)
    assert env.block(far) == "grass_block"
    assert env.judge.counts["dig_reach"] == 2
    assert [each["location"] for each in steve.seen("block_change")] == [far, far]


def test_breaks_at_once_what_one_tick_breaks() -> None:
    env = Env()
    steve = env.join()
    env.put((1, 64, 0), "short_grass")
    steve.send("block_dig", status=0, location=(1, 64, 0), face=1, sequence=1)
    env.tick()
    assert env.block((1, 64, 0)) == "air"


def test_an_aborted_dig_breaks_nothing() -> None:
    env = Env()
    steve = env.join()
    steve.send("block_dig", status=0, location=AT, face=1, sequence=1)
    env.tick(30)
    steve.send("block_dig", status=1, location=AT, face=1, sequence=2)
    env.tick(30)
    assert env.block(AT) == "grass_block"


def test_bedrock_stays() -> None:
    env = Env()
    steve = env.join()
    env.put(AT, "bedrock")
    steve.dig(AT, 200)
    env.tick(100)
    assert env.block(AT) == "bedrock"


def test_in_the_air_digging_takes_five_times_as_long() -> None:
    env = Env()
    steve = env.join()
    steve.move(0.0, 0.3, 0.0, on_ground=False)
    env.tick()
    steve.dig(AT, 14)
    assert env.block(AT) == "grass_block"


def test_a_creative_player_breaks_at_once_and_gets_nothing() -> None:
    env = Env(game_mode="creative")
    steve = env.join()
    env.put(AT, "obsidian")
    steve.send("block_dig", status=0, location=AT, face=1, sequence=1)
    env.tick(3)
    assert env.block(AT) == "air"
    assert not [entity for entity in env.world.entities.values() if entity.kind == "minecraft:item"]


def test_others_see_the_cracks() -> None:
    env = Env()
    steve, alex = env.join("Steve"), env.join("Alex")
    steve.forget()
    alex.forget()
    steve.dig(AT, 17)
    stages = [each["destroyStage"] for each in alex.seen("block_break_animation")]
    assert stages[0] == 0
    assert stages[-1] == -1
    assert stages[:-1] == sorted(stages[:-1])
    assert not steve.seen("block_break_animation")
    assert alex.seen("world_event")
    assert not steve.seen("world_event")


def test_a_tool_wears_and_breaks() -> None:
    env = Env()
    steve = env.join()
    steve.player.inventory.slots[36] = ItemStack.of("wooden_pickaxe").with_damage(57)
    for expected in (58, None):
        env.put(AT, "stone")
        env.tick()
        steve.dig(AT, 23)
        held = steve.player.inventory.held
        assert (held.damage if held else None) == expected
    assert steve.last("entity_status")["entityStatus"] == 47


def test_water_stays_where_a_waterlogged_block_was() -> None:
    env = Env(game_mode="creative")
    steve = env.join()
    env.put((2, 64, 0), "oak_slab", waterlogged="true")
    steve.send("block_dig", status=0, location=(2, 64, 0), face=1, sequence=1)
    env.tick()
    assert env.block((2, 64, 0)) == "water"
