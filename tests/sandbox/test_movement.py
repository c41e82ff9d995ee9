"""The server follows honest moves and puts the others right."""

from __future__ import annotations

import math

import pytest

from numen.rules.physics import Inputs, PlayerState, step
from numen.testing.sandbox import Client, Env


def server_position(client: Client) -> tuple[float, float, float]:
    player = client.player
    return (player.x, player.y, player.z)


def drive(env: Env, client: Client, inputs: Inputs, ticks: int) -> PlayerState:
    """Move a client by the real physics for some ticks."""
    state = PlayerState(x=client.x, y=client.y, z=client.z, on_ground=True)
    for _ in range(ticks):
        state = step(state, inputs, env.world)
        client.x, client.y, client.z = state.x, state.y, state.z
        client.send("position", x=state.x, y=state.y, z=state.z, onGround=state.on_ground)
        env.tick()
    return state


@pytest.mark.parametrize(
    "inputs",
    [
        Inputs(forward=1),
        Inputs(forward=1, sprint=True),
        Inputs(forward=1, sprint=True, jump=True),
        Inputs(forward=1, strafe=1, jump=True),
    ],
)
def test_what_the_physics_does_is_never_refused(inputs: Inputs) -> None:
    env = Env(world="hills", view_distance=3)
    steve = env.join(settle=30)
    drive(env, steve, inputs, 120)
    assert not env.judge.counts
    assert steve.gone is None
    assert math.dist(server_position(steve), (steve.x, steve.y, steve.z)) < 1e-9


def test_sneaking_to_an_edge_and_along_it_is_never_refused() -> None:
    env = Env()
    steve = env.join()
    for x in range(-2, 4):
        env.put((x, 70, 0), "stone")
    steve.stand(0.5, 71.0, 0.5)
    steve.send("entity_action", entityId=steve.player.id, actionId=0, jumpBoost=0)
    drive(env, steve, Inputs(forward=1, strafe=1, sneak=True), 60)
    assert not env.judge.counts
    assert steve.player.y == 71.0


def test_moves_too_quickly_is_teleported_back() -> None:
    env = Env()
    steve = env.join()
    steve.forget()
    steve.move(12.0)
    env.tick(2)
    assert server_position(steve) == (0.5, 64.0, 0.5)
    assert steve.last("position")["x"] == 0.5
    assert env.judge.counts["moved_too_quickly"] == 1


def test_moves_wrongly_is_teleported_back() -> None:
    env = Env()
    steve = env.join()
    for y in (64, 65):
        env.put((2, y, 0), "stone")
    steve.forget()
    steve.move(3.0)
    env.tick(2)
    assert server_position(steve) == (0.5, 64.0, 0.5)
    assert env.judge.counts["moved_wrongly"] == 1
    assert steve.seen("position")


def test_nobody_gets_into_a_block() -> None:
    env = Env()
    steve = env.join()
    steve.move(0.0, -0.8, 0.0)
    env.tick(2)
    assert server_position(steve)[1] == 64.0
    assert env.judge.counts["moved_wrongly"] == 1


def test_who_is_walled_in_may_leave() -> None:
    env = Env()
    steve = env.join()
    env.put((0, 64, 0), "stone")
    steve.move(0.4)
    env.tick(2)
    assert server_position(steve)[0] == 0.9
    assert not env.judge.counts["moved_wrongly"]


def test_moves_are_ignored_until_a_teleport_is_confirmed() -> None:
    env = Env()
    steve = env.join()
    player = steve.player
    player.movement.teleport(5.5, 64.0, 5.5)
    steve.send("position", x=0.7, y=64.0, z=0.5, onGround=True)
    player.read_packets(0)
    # carried together with the confirmation, but written before it
    env.tick(2)
    assert server_position(steve) == (5.5, 64.0, 5.5)
    assert not player.movement.awaits_confirmation
    assert not env.judge.counts["moved_too_quickly"]


def test_a_teleport_is_told_again_when_moves_come_without_a_confirmation() -> None:
    env = Env()
    steve = env.join()
    player = steve.player
    steve.forget()
    steve._confirm = lambda fields: None  # type: ignore[method-assign]
    player.movement.teleport(5.5, 64.0, 5.5)
    player.movement.confirm(99)
    assert env.judge.counts["bad_teleport_confirm"] == 1
    told_at = env.world.age
    while env.world.age - told_at <= 21:
        player.movement.moved(0.5, 64.0, 0.5, 0.0, 0.0, True)
        env.world.age += 1
    assert player.movement.awaits_confirmation
    env.pump()
    assert len(steve.seen("position")) == 2


def test_floating_for_more_than_eighty_ticks_ends_the_connection() -> None:
    env = Env()
    steve = env.join()
    steve.stand(0.5, 80.0, 0.5)
    for tick in range(76):
        steve.move(0.0, 0.0, 0.01 if tick % 2 else -0.01, on_ground=False)
        env.tick()
    assert steve.gone is None
    for _ in range(8):
        steve.move(0.0, 0.0, 0.0, on_ground=False)
        env.tick()
    assert steve.gone is not None
    assert "Flying" in steve.gone.reason
    assert env.judge.counts["floating"] == 1


def test_falling_is_not_floating() -> None:
    env = Env()
    steve = env.join()
    steve.stand(0.5, 300.0, 0.5)
    drive(env, steve, Inputs(), 100)
    assert steve.gone is None
    assert not env.judge.counts


def test_numbers_that_are_none_end_the_connection() -> None:
    env = Env()
    steve = env.join()
    steve.send("position", x=float("nan"), y=64.0, z=0.5, onGround=True)
    env.tick(2)
    assert steve.gone is not None
    assert env.judge.counts["not_finite"] == 1


def test_odd_moves_are_noted_and_pass() -> None:
    env = Env()
    steve = env.join()
    steve.move(1.5)
    steve.move(0.0, 0.9, 0.0, on_ground=True)
    env.tick()
    assert env.judge.counts["fast_step"] == 1
    assert env.judge.counts["high_jump"] == 1
    assert env.judge.counts["false_ground"] == 1
    assert server_position(steve) == (2.0, 64.9, 0.5)


def test_more_packets_than_ticks_are_noted() -> None:
    env = Env()
    steve = env.join()
    for _ in range(30):
        for _ in range(2):
            steve.move(0.01)
        env.tick()
    assert env.judge.counts["too_many_moves"] == 1


def test_swimmers_fit_through_a_gap_of_one_block() -> None:
    env = Env()
    steve = env.join()
    for x in range(-1, 5):
        for y in range(64, 67):
            for z in (-1, 0, 1):
                env.put((x, y, z), "water")
    for x in range(1, 4):
        for y, z in ((63, 0), (65, 0), (66, 0), (64, -1), (64, 1)):
            env.put((x, y, z), "stone")
    steve.send("entity_action", entityId=steve.player.id, actionId=3, jumpBoost=0)
    env.tick(2)
    assert steve.player.pose == "swimming"
    for _ in range(15):
        steve.move(0.15, on_ground=False)
        env.tick()
    assert not env.judge.counts["moved_wrongly"]
    assert steve.player.x > 2.5
