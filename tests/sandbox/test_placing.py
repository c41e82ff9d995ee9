"""Placing and using blocks: what goes, what is refused, and that the client is always put right."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from numen.sandbox.entities.kinds import summon
from numen.testing.sandbox import Client, Env
from protocol.game import GAME


def acks(client: Client) -> list[int]:
    return [each["sequenceId"] for each in client.seen("acknowledge_player_digging")]


def state(env: Env, at: tuple[int, int, int]) -> dict[str, str]:
    return GAME.properties(env.world.block(*at))


def test_places_a_block_takes_one_from_the_stack_and_acks() -> None:
    env = Env()
    steve, alex = env.join("Steve"), env.join("Alex")
    steve.give("cobblestone", 3)
    env.tick()
    steve.forget()
    alex.forget()
    sequence = steve.place((2, 63, 0))
    assert env.block((2, 64, 0)) == "cobblestone"
    assert steve.count("cobblestone") == 2
    assert acks(steve) == [sequence]
    env.tick()
    placed = GAME.state("cobblestone")
    assert {"location": (2, 64, 0), "type": placed} in steve.seen("block_change")
    assert {"location": (2, 64, 0), "type": placed} in alex.seen("block_change")
    assert not env.judge.counts


def test_a_refusal_is_put_right_in_cells_slot_and_ack() -> None:
    env = Env()
    steve = env.join()
    steve.give("cobblestone", 3)
    env.tick()
    steve.forget()
    sequence = steve.place((0, 63, 0))
    assert env.block((0, 64, 0)) == "air"
    assert steve.count("cobblestone") == 3
    assert {"location": (0, 64, 0), "type": 0} in steve.seen("block_change")
    told = steve.last("set_slot")
    assert (told["slot"], told["item"]["itemCount"]) == (36, 3)
    assert acks(steve) == [sequence]
    assert steve.order.index("block_change") < steve.order.index("acknowledge_player_digging")
    assert env.judge.counts["place_refused"] == 1


def far(client: Client) -> int:
    return client.place((9, 63, 0))


def beside_the_block(client: Client) -> int:
    sequence = client.sequence()
    point = {"cursorX": 1.6, "cursorY": 1.0, "cursorZ": 0.5}
    client.send(
        "block_place",
        hand=0,
        location=(2, 63, 0),
        direction=1,
        insideBlock=False,
        sequence=sequence,
        **point,
    )
    client.env.tick()
    return sequence


def into_a_pig(client: Client) -> int:
    summon(client.env.world, "pig", 2.5, 64.0, 0.5)
    return client.place((2, 63, 0))


def a_torch_on_water(client: Client) -> int:
    client.env.put((2, 63, 0), "water")
    client.player.inventory.clear()
    client.give("torch")
    return client.place((2, 62, 0))


def while_dead(client: Client) -> int:
    client.player.kill()
    return client.place((2, 63, 0))


def with_nothing(client: Client) -> int:
    client.player.inventory.clear()
    return client.place((2, 63, 0))


@pytest.mark.parametrize(
    "attempt", [far, beside_the_block, into_a_pig, a_torch_on_water, while_dead, with_nothing]
)
def test_every_way_out_is_acknowledged_and_changes_nothing(attempt: Callable[[Client], int]) -> None:
    env = Env()
    steve = env.join()
    steve.give("cobblestone", 3)
    env.tick()
    steve.forget()
    sequence = attempt(steve)
    assert acks(steve)[-1] == sequence
    assert env.block((2, 64, 0)) == "air"
    assert env.block((9, 64, 0)) == "air"


def test_a_pending_teleport_ties_the_hands() -> None:
    env = Env()
    steve = env.join()
    steve.give("cobblestone", 3)
    steve.player.movement.teleport(0.5, 64.0, 0.5)
    steve.player.movement._awaited = (0.5, 64.0, 0.5)
    packet = {
        "location": (2, 63, 0),
        "direction": 1,
        "hand": 0,
        "cursorX": 0.5,
        "cursorY": 1.0,
        "cursorZ": 0.5,
    }
    from numen.sandbox.handlers.place import HANDLERS

    HANDLERS["block_place"](steve.player, {**packet, "sequence": 4})
    assert env.block((2, 64, 0)) == "air"


def test_a_creative_player_keeps_what_he_places() -> None:
    env = Env(game_mode="creative")
    steve = env.join()
    steve.give("cobblestone", 1)
    steve.place((2, 63, 0))
    assert env.block((2, 64, 0)) == "cobblestone"
    assert steve.count("cobblestone") == 1


def test_grass_gives_way_and_a_log_takes_the_axis_of_its_face() -> None:
    env = Env()
    steve = env.join()
    steve.give("oak_log", 2)
    env.put((2, 64, 0), "short_grass")
    steve.place((2, 64, 0))
    assert env.block((2, 64, 0)) == "oak_log"
    assert state(env, (2, 64, 0))["axis"] == "y"
    steve.place((2, 64, 0), 2)
    assert state(env, (2, 64, -1))["axis"] == "z"


def test_two_slabs_make_one_block() -> None:
    env = Env()
    steve = env.join()
    steve.give("oak_slab", 2)
    steve.place((2, 63, 0))
    assert state(env, (2, 64, 0))["type"] == "bottom"
    steve.place((2, 64, 0))
    assert state(env, (2, 64, 0))["type"] == "double"
    assert not steve.count("oak_slab")


def test_a_door_has_two_halves_that_open_and_go_together() -> None:
    env = Env()
    steve = env.join()
    steve.give("oak_door")
    steve.place((2, 63, 0))
    assert [state(env, (2, y, 0))["half"] for y in (64, 65)] == ["lower", "upper"]
    steve.place((2, 64, 0))
    assert [state(env, (2, y, 0))["open"] for y in (64, 65)] == ["true", "true"]
    steve.send("block_dig", status=0, location=(2, 65, 0), face=1, sequence=steve.sequence())
    env.tick(100)
    steve.send("block_dig", status=2, location=(2, 65, 0), face=1, sequence=steve.sequence())
    env.tick(2)
    assert [env.block((2, y, 0)) for y in (64, 65)] == ["air", "air"]
    drops = [entity for entity in env.world.entities.values() if entity.kind == "minecraft:item"]
    assert [str(entity.stack) for entity in drops] == ["1 oak_door"]  # type: ignore[attr-defined]


def test_a_torch_falls_off_when_its_ground_is_gone() -> None:
    env = Env()
    steve = env.join()
    steve.give("torch", 2)
    env.put((2, 64, 0), "stone")
    steve.place((2, 64, 0))
    assert env.block((2, 65, 0)) == "torch"
    env.put((2, 64, 0), "air")
    env.tick(2)
    assert env.block((2, 65, 0)) == "air"
    drops = [entity for entity in env.world.entities.values() if entity.kind == "minecraft:item"]
    assert [str(entity.stack) for entity in drops] == ["1 torch"]  # type: ignore[attr-defined]


def test_sand_falls_two_ticks_after_its_ground_is_gone() -> None:
    env = Env()
    steve = env.join()
    env.put((2, 66, 0), "stone")
    env.put((2, 67, 0), "sand")
    env.put((2, 68, 0), "sand")
    env.tick(5)
    assert env.block((2, 67, 0)) == "sand"
    steve.forget()
    env.put((2, 66, 0), "air")
    env.tick(30)
    assert [env.block((2, y, 0)) for y in (64, 65, 66, 67, 68)] == ["sand", "sand", "air", "air", "air"]
    fallen = [each for each in steve.seen("spawn_entity") if each["type"] == GAME.entity("falling_block").id]
    assert [each["objectData"] for each in fallen] == [GAME.state("sand")] * 2


def test_sneaking_places_against_a_table_instead_of_opening_it() -> None:
    env = Env()
    steve = env.join()
    steve.give("cobblestone", 2)
    env.put((2, 64, 0), "crafting_table")
    steve.send("entity_action", entityId=steve.player.id, actionId=0, jumpBoost=0)
    env.tick()
    steve.place((2, 64, 0), 1)
    assert env.block((2, 65, 0)) == "cobblestone"
    assert not steve.seen("open_window")
    steve.send("entity_action", entityId=steve.player.id, actionId=1, jumpBoost=0)
    env.tick()
    steve.place((2, 64, 0), 1)
    assert steve.seen("open_window")
    assert steve.count("cobblestone") == 1


def test_two_chests_join_and_part() -> None:
    env = Env()
    steve = env.join()
    steve.give("chest", 2)
    steve.place((2, 63, 0))
    steve.place((1, 63, 0))
    kinds = sorted(state(env, (x, 64, 0))["type"] for x in (1, 2))
    assert kinds == ["left", "right"]
    steve.place((2, 64, 0))
    assert steve.last("open_window")["inventoryType"] == 5
    assert len(steve.last("window_items")["items"]) == 54 + 36
    env.put((1, 64, 0), "air")
    env.tick()
    assert state(env, (2, 64, 0))["type"] == "single"


def test_fences_join_their_neighbours() -> None:
    env = Env()
    env.join()
    env.put((3, 64, 3), "oak_fence")
    env.put((4, 64, 3), "oak_fence")
    assert state(env, (3, 64, 3))["east"] == "true"
    env.put((4, 64, 3), "air")
    assert state(env, (3, 64, 3))["east"] == "false"


def test_a_bed_is_where_one_comes_back() -> None:
    env = Env()
    steve = env.join()
    steve.stand(20.5, 64.0, 0.5)
    steve.give("white_bed")
    steve.place((22, 63, 0))
    assert state(env, (22, 64, 0))["part"] == "foot"
    steve.place((22, 64, 0))
    steve.player.kill()
    env.tick(2)
    steve.send("client_command", actionId=0)
    env.tick(5)
    assert abs(steve.player.x - 22) < 3
    assert not steve.player.dead
    env.put((22, 64, 0), "air")
    steve.player.kill()
    env.tick(2)
    steve.send("client_command", actionId=0)
    env.tick(5)
    assert steve.player.x == 0.5


def look_down(client: Client) -> None:
    """Use what is in hand while looking steeply down to the east."""
    client.send("use_item", hand=0, sequence=client.sequence(), rotation={"x": -90.0, "y": 65.0})
    client.env.tick()


def test_a_bucket_takes_a_source_away_and_puts_it_down() -> None:
    env = Env()
    steve = env.join()
    steve.give("bucket")
    env.put((1, 63, 0), "water")
    env.tick()
    steve.forget()
    look_down(steve)
    assert str(steve.player.inventory.held) == "1 water_bucket"
    assert env.block((1, 63, 0)) == "air"
    assert acks(steve) == [1]
    look_down(steve)
    assert str(steve.player.inventory.held) == "1 bucket"
    assert env.block((1, 63, 0)) == "water"
    assert not env.judge.counts
