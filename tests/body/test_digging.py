"""Breaking blocks: the packets, the ticks, and what the server makes of it."""

from __future__ import annotations

from numen.body.digging import dig
from numen.rules.digging import dig_ticks
from numen.rules.items import ItemStack
from tests.body.kit import Obliging, Yard, state

DIRT = (2, 64, 0)
START, ABORT, STOP = 0, 1, 2


def test_a_dig_is_a_look_a_start_swings_and_a_stop() -> None:
    yard = Yard({DIRT: "dirt"})
    task = yard.start(dig(yard.me, DIRT))
    yard.tick()
    yard.sent.expect("look")
    yard.sent.expect_nothing()
    yard.tick()
    yard.sent.expect("block_dig", status=START, location=DIRT, sequence=1)
    yard.sent.expect("arm_animation", hand=0)
    yard.sent.expect_nothing()
    for _ in range(13):
        yard.tick()
        yard.sent.expect("arm_animation")
        yard.sent.maybe("position")
        yard.sent.expect_nothing()
    yard.tick()
    yard.sent.expect("arm_animation")
    yard.sent.expect("block_dig", status=STOP, location=DIRT, sequence=2)
    yard.sent.expect_nothing()
    yard.set_block(DIRT, "air")
    yard.ack(2)
    yard.tick(6)
    assert task.verdict is not None
    assert task.verdict.ok, task.verdict.message
    assert task.verdict.data["ticks"] == 15


def test_the_clicked_face_is_the_one_that_is_seen() -> None:
    yard = Yard({DIRT: "dirt"})
    yard.start(dig(yard.me, DIRT))
    yard.tick(2)
    start = yard.sent.skip_to("block_dig", status=START)
    assert start["face"] in (1, 4)  # from the west and above: its top or its west side
    assert 0 < yard.me.controls.pitch < 60
    assert -100 < yard.me.controls.yaw < -80


def test_stone_by_hand_takes_151_ticks_when_it_is_forced() -> None:
    yard = Yard({DIRT: "stone"})
    answer = Obliging(yard)
    verdict = yard.run(dig(yard.me, DIRT, force=True), each=answer)
    assert verdict.ok
    assert verdict.data["ticks"] == 151
    assert answer.count("arm_animation") == 151


def test_dig_is_rolled_back_when_the_server_refuses() -> None:
    yard = Yard({DIRT: "dirt"})
    task = yard.start(dig(yard.me, DIRT))
    yard.tick(16)
    stop = yard.dig_packet(STOP)
    assert yard.me.block(*DIRT) == state("air")
    assert yard.world.block(*DIRT) == state("dirt")
    yard.set_block(DIRT, "dirt")
    yard.ack(stop["sequence"])
    assert yard.me.block(*DIRT) == state("dirt")
    yard.tick(12)
    assert task.verdict is not None
    assert task.verdict.kind == "refused"
    assert "put dirt at (2, 64, 0) back" in task.verdict.message


def test_a_body_inside_a_block_that_came_back_steps_back_out() -> None:
    yard = Yard({(1, 64, 0): "dirt"})
    yard.start(dig(yard.me, (1, 64, 0)))
    yard.tick(16)
    stop = yard.dig_packet(STOP)
    yard.me.tasks.cancel()
    stood = yard.me.position
    yard.me.controls.turn(-90, 0)
    yard.me.controls.forward = 1
    yard.tick(4)
    assert yard.me.position[0] > 0.75
    yard.ack(stop["sequence"])
    assert yard.me.position == stood


def test_a_server_that_breaks_the_block_a_little_later_is_believed() -> None:
    yard = Yard({DIRT: "dirt"})
    task = yard.start(dig(yard.me, DIRT))
    yard.tick(16)
    yard.ack(yard.dig_packet(STOP)["sequence"])
    yard.tick(5)
    assert task.verdict is None
    yard.set_block(DIRT, "air")
    yard.tick(6)
    assert task.verdict is not None
    assert task.verdict.ok


def test_a_drop_and_an_ack_without_a_word_about_the_block_count_as_broken() -> None:
    yard = Yard({DIRT: "dirt"})
    task = yard.start(dig(yard.me, DIRT))
    yard.tick(16)
    Obliging(yard).spawn_item("dirt", (2.5, 64.2, 0.5))
    yard.ack(yard.dig_packet(STOP)["sequence"])
    yard.tick(12)
    assert task.verdict is not None
    assert task.verdict.ok
    assert yard.me.block(*DIRT) == state("air")
    yard.tick(200)
    assert yard.me.block(*DIRT) == state("air")
    yard.set_block(DIRT, "dirt")
    assert yard.me.block(*DIRT) == state("dirt")


def test_a_server_that_never_answers_is_not_taken_for_a_success() -> None:
    yard = Yard({DIRT: "dirt"})
    verdict = yard.run(dig(yard.me, DIRT))
    assert not verdict.ok
    assert verdict.kind == "no_answer"


def test_cancelling_a_dig_aborts_it_on_the_server() -> None:
    yard = Yard({DIRT: "dirt"})
    yard.start(dig(yard.me, DIRT))
    yard.tick(5)
    yard.sent.clear()
    yard.me.tasks.cancel()
    yard.sent.expect("block_dig", status=ABORT, location=DIRT, sequence=0)
    yard.sent.expect_nothing()
    yard.tick(10)
    yard.sent.expect_nothing()


def test_a_block_that_somebody_else_took_is_reported_and_aborted() -> None:
    yard = Yard({DIRT: "dirt"})
    task = yard.start(dig(yard.me, DIRT))
    yard.tick(5)
    yard.set_block(DIRT, "air")
    yard.tick(2)
    assert task.verdict is not None
    assert task.verdict.kind == "bad_target"
    yard.dig_packet(ABORT)


def test_an_instant_block_breaks_by_the_start_alone() -> None:
    yard = Yard({DIRT: "short_grass"})
    task = yard.start(dig(yard.me, DIRT, force=True))
    yard.tick(2)
    start = yard.sent.skip_to("block_dig", status=START)
    yard.set_block(DIRT, "air")
    yard.ack(start["sequence"])
    yard.tick(8)
    assert not [each for each in yard.sent_of("block_dig") if each.fields["status"] == STOP]
    assert task.verdict is not None
    assert task.verdict.ok
    assert task.verdict.data["ticks"] == 1


def test_creative_breaks_everything_at_once() -> None:
    yard = Yard({DIRT: "obsidian"}, gamemode="creative")
    answer = Obliging(yard)
    answer.on_block_dig = lambda fields: (yard.set_block(DIRT, "air"), yard.ack(fields["sequence"]))  # type: ignore[method-assign]
    verdict = yard.run(dig(yard.me, DIRT), each=answer)
    assert verdict.ok
    assert verdict.data["ticks"] == 1


def test_the_fastest_tool_that_gets_the_drop_is_taken_in_hand() -> None:
    tools = {
        36: ItemStack.of("wooden_pickaxe"),
        38: ItemStack.of("stone_pickaxe"),
        39: ItemStack.of("diamond_sword"),
        40: ItemStack.of("diamond_shovel"),
    }
    yard = Yard({DIRT: "iron_ore"}, tools)
    answer = Obliging(yard)
    verdict = yard.run(dig(yard.me, DIRT), each=answer)
    assert verdict.ok
    assert verdict.data["tool"] == "stone_pickaxe"
    assert answer.of("held_item_slot") == [{"slotId": 2}]
    assert verdict.data["ticks"] == 23


def test_a_block_that_would_drop_nothing_is_left_alone_with_advice() -> None:
    yard = Yard({DIRT: "iron_ore"}, {36: ItemStack.of("wooden_pickaxe")})
    verdict = yard.run(dig(yard.me, DIRT))
    assert verdict.kind == "wrong_tool"
    assert "a stone_pickaxe or better" in verdict.message
    yard.sent.expect_nothing()


def test_what_fell_out_is_counted() -> None:
    yard = Yard({DIRT: "dirt"})
    verdict = yard.run(dig(yard.me, DIRT), each=Obliging(yard, drop="dirt"))
    assert verdict.data["drops"] == {"dirt": 1}


def test_a_block_out_of_reach_says_how_far_it_is() -> None:
    yard = Yard({(9, 64, 0): "dirt"})
    verdict = yard.run(dig(yard.me, (9, 64, 0)))
    assert verdict.kind == "out_of_reach"
    assert "8.5 blocks away" in verdict.message
    yard.sent.expect_nothing()


def test_a_block_behind_another_names_what_is_in_the_way() -> None:
    wall = {(1, 64, z): "glass" for z in range(-3, 4)} | {(1, 65, z): "glass" for z in range(-3, 4)}
    yard = Yard({DIRT: "dirt", **wall})
    verdict = yard.run(dig(yard.me, DIRT))
    assert verdict.kind == "occluded"
    assert "glass at (1, " in verdict.message


def test_unknown_and_unbreakable_blocks_are_refused_before_anything_is_sent() -> None:
    yard = Yard({DIRT: "bedrock"})
    assert yard.run(dig(yard.me, DIRT)).kind == "bad_target"
    yard.set_block(DIRT, 30000)
    verdict = yard.run(dig(yard.me, DIRT))
    assert verdict.kind == "bad_target"
    assert "of a mod" in verdict.message
    assert yard.run(dig(yard.me, (200, 64, 0))).kind == "out_of_reach"
    assert yard.run(dig(yard.me, (2, 65, 0))).kind == "bad_target"
    yard.sent.expect_nothing()


def test_the_next_block_waits_five_ticks() -> None:
    yard = Yard({DIRT: "dirt", (0, 64, 2): "dirt"})
    answer = Obliging(yard)
    yard.run(dig(yard.me, DIRT), each=answer)
    done = yard.me.ticks
    yard.run(dig(yard.me, (0, 64, 2)), each=answer)
    assert yard.me.dig_pause_until > done
    sequences = [each["sequence"] for each in answer.of("block_dig")]
    assert sequences == [1, 2, 3, 4]


def test_water_stays_where_a_waterlogged_block_was() -> None:
    yard = Yard({DIRT: state("oak_slab", waterlogged="true")})
    yard.start(dig(yard.me, DIRT))
    yard.tick(70)
    yard.dig_packet(STOP)
    assert yard.me.block(*DIRT) == state("water")


def test_digging_in_the_air_is_five_times_slower() -> None:
    yard = Yard({(2, 71, 0): "dirt"}, at=(0.5, 70.0, 0.5))
    yard.set_block((0, 69, 0), "ladder")
    yard.receive("abilities", flags=6)  # flying: hangs in the air without falling
    answer = Obliging(yard)
    verdict = yard.run(dig(yard.me, (2, 71, 0)), each=answer)
    assert verdict.ok, verdict.message
    assert verdict.data["ticks"] == dig_ticks(state("dirt"), None, on_ground=False) == 76


def test_a_dig_that_was_interrupted_begins_again() -> None:
    from numen.body.acts import Verdict, rest

    async def flinch() -> Verdict:
        await rest(3)
        return Verdict(True, "flinched")

    yard = Yard({DIRT: "dirt"})
    answer = Obliging(yard)
    task = yard.start(dig(yard.me, DIRT))
    for number in range(60):
        if number == 8:
            yard.me.tasks.interrupt("flinch", flinch())
        yard.tick()
        answer()
    assert task.verdict is not None
    assert task.verdict.ok
    assert [each["status"] for each in answer.of("block_dig")] == [START, ABORT, START, STOP]
