"""What the body tells the server about its movement, packet by packet."""

from __future__ import annotations

import pytest

from numen.body import Body
from numen.testing.simulation import Simulation
from protocol.game import GAME

ACK = "teleport_confirm"


def standing(x: float = 0.5, y: float = 64.0, z: float = 0.5) -> Simulation:
    """A client with a body that has settled on a stone floor; what it sent so far is forgotten."""
    sim = Simulation(body=True)
    sim.terrain(floor="stone", radius=1)
    sim.teleport(x, y, z)
    sim.tick(3)
    sim.sent.clear()
    return sim


def test_a_teleport_is_confirmed_and_echoed_exactly() -> None:
    sim = Simulation(body=True)
    sim.terrain(floor="stone")
    number = sim.teleport(0.5, 70.25, 0.5, yaw=90.0, pitch=-30.0)
    sim.sent.expect(ACK, teleportId=number)
    sim.sent.expect("position_look", x=0.5, y=70.25, z=0.5, yaw=90.0, pitch=-30.0, onGround=False)
    sim.sent.expect_nothing()


def test_the_echo_is_the_only_movement_packet_of_its_tick() -> None:
    sim = Simulation(body=True)
    sim.terrain(floor="stone")
    sim.teleport(0.5, 70.0, 0.5)
    sim.sent.clear()
    sim.tick()
    sim.sent.expect_nothing()
    sim.tick()
    sim.sent.expect("position", x=0.5, z=0.5)
    sim.sent.expect_nothing()


def test_nothing_moves_before_the_chunk_under_the_feet_is_known() -> None:
    sim = Simulation(body=True)
    number = sim.teleport(100.5, 70.0, 0.5)
    sim.sent.expect(ACK, teleportId=number)
    sim.sent.expect("position_look")
    sim.tick(40)
    sim.sent.expect_nothing()
    assert sim.body.position == (100.5, 70.0, 0.5)
    sim.terrain(floor="stone", around=(6, 0))
    sim.tick(30)
    assert sim.body.position == (100.5, 64.0, 0.5)


def test_nothing_at_all_is_sent_before_the_first_teleport() -> None:
    sim = Simulation(body=True)
    sim.terrain(floor="stone")
    sim.tick(40)
    sim.sent.expect_nothing()
    assert not sim.body.ready


def test_standing_still_sends_a_position_every_twentieth_tick_only() -> None:
    sim = standing()
    sim.tick(60)
    assert sim.sent.names() == ["position"] * 3


def test_the_first_steps_of_a_walk_are_the_games_own() -> None:
    sim = Simulation(body=True)
    sim.terrain(floor="stone", radius=2, around=(1, 23))
    sim.teleport(31.5, 64.0, 370.5)
    sim.tick(3)
    sim.sent.clear()
    sim.body.controls.forward = 1
    sim.tick()
    sim.sent.expect("position", x=31.5, y=64.0, z=370.59800000336764, onGround=True)
    sim.sent.expect_nothing()


def test_the_step_over_an_edge_is_told_as_in_the_air() -> None:
    sim = Simulation(body=True)
    sim.terrain({(x, 64, z): "stone" for x in (0, 1) for z in range(-2, 3)}, floor="stone", radius=1)
    sim.teleport(1.5, 65.0, 0.5)
    sim.tick(3)
    sim.sent.clear()
    sim.body.controls.turn(-90.0, 0.0)
    sim.body.controls.forward = 1
    sim.tick(16)
    told = [(each.fields["x"] - 0.3, each.fields["onGround"]) for each in sim.sent if "x" in each.fields]
    assert all(on_ground == (left_edge < 2.0) for left_edge, on_ground in told if left_edge < 2.4)
    assert any(2.0 < left_edge < 2.4 for left_edge, _ in told)


def test_sprinting_is_told_before_the_step_and_once() -> None:
    sim = standing()
    controls = sim.body.controls
    controls.forward, controls.sprint = 1, True
    sim.tick(2)
    sim.sent.expect("entity_action", entityId=1, actionId=3, jumpBoost=0)
    sim.sent.expect("position")
    sim.sent.expect("position")
    sim.sent.expect_nothing()
    controls.release()
    sim.tick()
    sim.sent.expect("entity_action", actionId=4)


def test_sprint_goes_before_sneak_and_both_before_the_move() -> None:
    sim = standing()
    controls = sim.body.controls
    controls.forward, controls.sprint = 1, True
    sim.tick()
    sim.sent.clear()
    controls.sprint, controls.sneak = False, True
    sim.tick()
    sim.sent.expect("entity_action", actionId=4)
    sim.sent.expect("entity_action", actionId=0)
    sim.sent.expect("position")
    sim.sent.expect_nothing()


def test_a_turn_of_the_head_alone_sends_the_look_alone() -> None:
    sim = standing()
    sim.body.controls.turn(45.0, 10.0)
    sim.tick()
    sim.sent.expect("look", yaw=45.0, pitch=10.0, onGround=True)
    sim.sent.expect_nothing()


def test_walking_and_turning_share_one_packet() -> None:
    sim = standing()
    sim.body.controls.turn(0.5, 0.0)
    sim.body.controls.forward = 1
    sim.tick()
    sim.sent.expect("position_look", yaw=0.5)
    sim.sent.expect_nothing()


def test_a_relative_teleport_keeps_the_velocity_of_its_axes() -> None:
    sim = standing(y=80.0)
    falling = sim.body.state
    assert falling is not None
    speed = falling.vy
    height = falling.y
    assert speed < 0
    sim.receive("position", x=3.0, y=2.0, z=0.0, flags=("y", "z"), teleportId=9)
    sim.sent.expect(ACK, teleportId=9)
    sim.sent.expect("position_look", x=3.0, y=height + 2.0, z=0.5)
    assert sim.body.state is not None
    assert sim.body.state.vy == speed


def test_knockback_becomes_the_next_ticks_velocity() -> None:
    sim = standing()
    sim.receive("entity_velocity", entityId=1, velocity={"x": 0, "y": 2886, "z": 3200})
    sim.tick()
    step = sim.sent.expect("position", onGround=False)
    assert step["z"] == pytest.approx(0.9, abs=1e-6)
    assert step["y"] == pytest.approx(64.36075, abs=1e-6)
    sim.sent.expect_nothing()


def test_an_explosion_adds_to_the_velocity() -> None:
    sim = standing()
    sim.receive("explosion", x=0.5, y=64.0, z=-2.0, playerMotionX=0.0, playerMotionY=0.5, playerMotionZ=0.25)
    sim.tick()
    step = sim.sent.expect("position")
    assert step["z"] == pytest.approx(0.75, abs=1e-6)


def test_a_velocity_of_another_entity_moves_nobody_here() -> None:
    sim = standing()
    sim.spawn("pig", 3.5, 64, 0.5, entity_id=7)
    sim.receive("entity_velocity", entityId=7, velocity={"x": 0, "y": 2886, "z": 3200})
    sim.tick()
    sim.sent.expect_nothing()


def test_a_respawn_holds_still_until_the_next_teleport() -> None:
    sim = standing()
    sim.body.controls.forward = 1
    sim.respawn("minecraft:the_nether")
    sim.tick(10)
    sim.sent.expect_nothing()
    assert sim.body.state is None
    sim.terrain(floor="netherrack", floor_y=63)
    sim.teleport(0.5, 64.0, 0.5)
    sim.sent.expect(ACK)
    sim.sent.expect("position_look")
    sim.sent.expect_nothing()
    sim.tick(3)
    sim.sent.expect("held_item_slot", slotId=0)


def test_a_dead_body_lies_still_and_asks_for_a_new_life_after_a_second() -> None:
    sim = standing()
    sim.body.controls.forward = 1
    sim.receive("update_health", health=0.0)
    sim.tick(19)
    sim.sent.expect_nothing()
    sim.tick()
    sim.sent.expect("client_command", actionId=0)
    sim.tick(99)
    sim.sent.expect_nothing()
    sim.tick()
    sim.sent.expect("client_command", actionId=0)
    sim.respawn()
    sim.receive("update_health", health=20.0)
    sim.tick(200)
    sim.sent.expect_nothing()


def test_a_lost_connection_ends_the_task_and_the_ticks_go_on() -> None:
    from numen.body.acts import Verdict, rest

    async def wait() -> Verdict:
        await rest(100)
        return Verdict(True, "waited")

    sim = standing()
    task = sim.body.tasks.start("wait", wait())
    sim.tick()
    sim.disconnect()
    sim.tick(5)
    assert task.verdict is not None
    assert task.verdict.kind == "disconnected"


def test_a_body_lives_on_over_a_new_connection() -> None:
    first = standing()
    body: Body = first.body
    first.disconnect()
    second = Simulation(world=first.world)
    body.attach(second.link)
    second.terrain(floor="stone")
    number = second.teleport(4.5, 64.0, 4.5)
    second.sent.expect(ACK, teleportId=number)
    body.tick()
    body.controls.forward = 1
    body.tick()
    assert body.position[2] > 4.5
    second.sent.skip_to("position")


def test_speed_effects_and_attributes_reach_the_legs() -> None:
    sim = standing()
    sim.receive(
        "entity_update_attributes",
        entityId=1,
        properties=[
            {
                "key": "generic.movement_speed",
                "value": 0.1,
                "modifiers": [{"uuid": "minecraft:effect.speed", "amount": 0.4, "operation": 2}],
            }
        ],
    )
    sim.body.controls.forward = 1
    sim.tick(40)
    sim.sent.clear()
    sim.tick(2)
    first, second = (each.fields["z"] for each in sim.sent.take("position"))
    assert second - first == pytest.approx(0.302203, abs=1e-5)


def test_a_mounted_body_sends_no_steps() -> None:
    sim = standing()
    sim.spawn("pig", 0.5, 64, 0.5, entity_id=7)
    sim.receive("set_passengers", entityId=7, passengers=[1])
    sim.body.controls.forward = 1
    sim.tick(5)
    sim.sent.expect_nothing()


def test_unknown_block_states_carry_the_body() -> None:
    sim = Simulation(body=True)
    sim.terrain()
    sim.receive("block_change", location=(0, 63, 0), type=GAME.state_count + 5)
    sim.teleport(0.5, 66.0, 0.5)
    sim.tick(30)
    assert sim.body.position == (0.5, 64.0, 0.5)


def test_the_chosen_slot_is_told_again_after_a_death() -> None:
    sim = standing()
    sim.receive("held_item_slot", slot=3)
    sim.receive("update_health", health=0.0)
    sim.respawn()
    sim.receive("update_health", health=20.0)
    sim.teleport(0.5, 64.0, 0.5)
    sim.tick()
    sim.sent.skip_to("held_item_slot", slotId=3)
    sim.tick(5)
    assert "held_item_slot" not in sim.sent.names()
