"""Trajectories with known numbers: positions tick by tick, speeds, landings.

Exact ones are compared to 1e-9, the others, known to six digits, to 1e-5.
"""

from __future__ import annotations

import math

import pytest

from numen.rules.f32 import f32
from numen.rules.physics import Inputs, PlayerState, Traits
from tests.rules.worlds import STANDING_VY, Yard, run, standing

WALK = Inputs(forward=1)
SPRINT = Inputs(forward=1, sprint=True)
IDLE = Inputs()
FLAT = Yard()


def steady(state: PlayerState, inputs: Inputs, view: Yard = FLAT, ticks: int = 80) -> float:
    """Blocks per tick once the speed no longer changes."""
    a, b = run(state, inputs, view, ticks)[-2:]
    return math.hypot(b.x - a.x, b.z - a.z)


def near6(*values: float) -> object:
    return pytest.approx(values, abs=1e-5)


def exact(*values: float) -> object:
    return pytest.approx(values, abs=1e-9)


def test_walk_from_rest_far_from_the_origin() -> None:
    first = run(standing(31.5, 64, 370.5), WALK, Yard(top=64), 1)[0]
    assert first.z == 370.59800000336764
    assert first.y == 64


def test_walk_from_rest() -> None:
    states = run(standing(z=0), WALK, FLAT, 8)
    assert [s.z for s in states] == near6(
        0.098, 0.249508, 0.430231, 0.626906, 0.832291, 1.042431, 1.255167, 1.469321
    )
    assert steady(standing(), WALK) == pytest.approx(0.215859, abs=1e-5)


def test_sprint_from_rest() -> None:
    states = run(standing(), SPRINT, FLAT, 3)
    assert [s.z for s in states] == [0.6274000124096872, 0.8243604396746886, 1.0593008578621674]
    assert steady(standing(), SPRINT) == pytest.approx(0.280617, abs=1e-5)


@pytest.mark.parametrize(("inputs", "ticks"), [(WALK, 48), (SPRINT, 37)])
def test_ticks_for_ten_blocks(inputs: Inputs, ticks: int) -> None:
    states = run(standing(), inputs, FLAT, 60)
    assert next(n for n, s in enumerate(states, 1) if s.z - 0.5 >= 10) == ticks


def test_sneaking_slows_a_sprint_one_tick_late() -> None:
    states = run(standing(), lambda n: Inputs(forward=1, sprint=True, sneak=n >= 3), FLAT, 5)
    assert [s.z for s in states[2:]] == [1.0593008578621674, 1.2257983479146455, 1.3549259948648078]


def test_sneak_from_rest() -> None:
    crouched = standing(sneaking=True, crouching=True, pose="crouching")
    sneak = Inputs(forward=1, sneak=True)
    states = run(crouched, sneak, FLAT, 3)
    assert [s.z for s in states] == [0.5294000033944846, 0.5748524105068866, 0.6290694310673044]
    assert steady(crouched, sneak) == pytest.approx(0.064758, abs=1e-5)


def test_diagonal_walking_is_a_little_faster() -> None:
    assert steady(standing(), Inputs(forward=1, strafe=1)) == pytest.approx(0.220264, abs=1e-5)
    crouched = standing(sneaking=True, crouching=True, pose="crouching")
    sneaking = steady(crouched, Inputs(forward=1, strafe=1, sneak=True))
    assert sneaking == pytest.approx(0.091581, abs=1e-5)


@pytest.mark.parametrize(("inputs", "total"), [(WALK, 0.255846), (SPRINT, 0.332600)])
def test_letting_go_of_the_keys(inputs: Inputs, total: float) -> None:
    moving = run(standing(), inputs, FLAT, 100)[-1]
    states = run(moving, IDLE, FLAT, 12)
    covered = [s.z - moving.z for s in states]
    assert covered[-1] == pytest.approx(total, abs=1e-5)
    assert covered[6] == covered[-1]
    assert covered[5] < covered[6]
    if inputs is WALK:
        assert covered[:3] == near6(0.117859, 0.182210, 0.217346)


def test_jump_in_place() -> None:
    states = run(standing(), Inputs(jump=True), FLAT, 12)
    assert [s.y for s in states] == near6(
        0.42,
        0.7532,
        1.001336,
        1.166109,
        1.249187,
        1.252203,
        1.176759,
        1.024424,
        0.796736,
        0.495201,
        0.121297,
        0,
    )
    assert states[0].y == 0.41999998688697815
    assert max(s.y for s in states) == 1.2522033402537238
    assert [s.on_ground for s in states] == [False] * 11 + [True]


def test_jump_under_a_two_block_ceiling() -> None:
    room = Yard().box((-1, 2, -1), (1, 2, 1), "stone")
    states = run(standing(), lambda n: Inputs(jump=n == 1), room, 3)
    assert states[0].y == 0.20000004768371582
    assert [s.y for s in states] == near6(0.2, 0.1216, 0)


@pytest.mark.parametrize(("level", "apex", "ticks"), [(1, 1.836132, 14), (2, 2.516794, 16)])
def test_jump_boost(level: int, apex: float, ticks: int) -> None:
    boosted = standing(traits=Traits(jump_boost=level))
    states = run(boosted, lambda n: Inputs(jump=n == 1), FLAT, 20)
    assert max(s.y for s in states) == pytest.approx(apex, abs=1e-5)
    assert next(n for n, s in enumerate(states, 1) if s.on_ground) == ticks


def test_jump_from_honey_is_low() -> None:
    honey = Yard().box((-1, 0, -1), (1, 0, 1), "honey_block")
    states = run(standing(y=0.9375), lambda n: Inputs(jump=n == 1), honey, 8)
    assert max(s.y for s in states) - 0.9375 == pytest.approx(0.38385, abs=1e-5)
    assert next(n for n, s in enumerate(states, 1) if s.on_ground) == 7


def test_jump_forward_from_rest() -> None:
    states = run(standing(z=0), Inputs(forward=1, jump=True), FLAT, 12)
    assert [(s.z, s.y) for s in states[:3]] == [
        near6(0.098, 0.42),
        near6(0.17111, 0.7532),
        near6(0.25724, 1.00134),
    ]
    assert (states[11].z, states[11].y) == near6(1.45574, 0)


def test_running_jumps() -> None:
    for keys, distance in ((WALK, 2.035234), (SPRINT, 3.629170)):
        start = run(standing(), keys, FLAT, 100)[-1]
        jump = Inputs(forward=1, sprint=keys.sprint, jump=True)
        states = run(start, jump, FLAT, 12)
        assert states[-1].on_ground
        assert states[-1].z - start.z == pytest.approx(distance, abs=1e-5)
        if keys is SPRINT:
            assert states[0].z - start.z == pytest.approx(0.4806, abs=1e-4)
    states = run(standing(), Inputs(forward=1, sprint=True, jump=True), FLAT, 12)
    assert states[-1].z - 0.5 == pytest.approx(2.875829, abs=1e-5)


def test_sprint_jumping_all_the_way() -> None:
    states = run(standing(z=0), Inputs(forward=1, sprint=True, jump=True), FLAT, 200)
    assert states[-1].z == pytest.approx(69.68618, abs=1e-5)


def test_free_fall() -> None:
    states = run(PlayerState(y=300.0), IDLE, Yard(floor=None), 60)
    fallen = [300 - s.y for s in states]
    assert fallen[:10] == near6(
        0, 0.0784, 0.23363, 0.46416, 0.76848, 1.14511, 1.59260, 2.10955, 2.69456, 3.34627
    )
    assert (fallen[19], fallen[39], fallen[59]) == near6(13.251164, 48.157290, 97.520447)


def test_terminal_velocity() -> None:
    states = run(PlayerState(y=4000.0), IDLE, Yard(floor=None), 600)
    assert states[-2].y - states[-1].y == pytest.approx(3.920, abs=1e-3)


@pytest.mark.parametrize(
    ("height", "tick", "damage"), [(1, 6, 0), (3, 10, 0), (4, 11, 1), (5, 13, 2), (10, 18, 7), (23, 27, 19)]
)
def test_drops(height: int, tick: int, damage: int) -> None:
    states = run(PlayerState(y=float(height)), IDLE, FLAT, 40)
    landing = next(n for n, s in enumerate(states, 1) if s.on_ground)
    assert landing == tick
    # The tick of landing adds nothing to the fall, so a long one hurts less than its height says.
    fallen = states[landing - 1].landed_from
    assert fallen == pytest.approx(height - states[landing - 2].y, abs=1e-4)
    assert max(0, math.ceil(fallen - 3)) == damage
    assert states[landing].landed_from == 0


@pytest.mark.parametrize(
    ("keys", "depth", "distance", "ticks"),
    [
        (WALK, 1, 0.7534, 5),
        (WALK, 2, 1.0932, 7),
        (WALK, 3, 1.4495, 9),
        (SPRINT, 1, 0.9794, 5),
        (SPRINT, 2, 1.4211, 7),
        (SPRINT, 3, 1.8843, 9),
    ],
)
def test_falling_on_from_a_ledge_at_full_speed(keys: Inputs, depth: int, distance: float, ticks: int) -> None:
    speed = run(standing(), keys, FLAT, 100)[-1]
    start = standing(vz=speed.vz, sprinting=keys.sprint, on_ground=False)
    states = run(start, keys, Yard(top=-depth), ticks + 1)
    landing = next(n for n, s in enumerate(states, 1) if s.on_ground)
    assert landing == ticks
    assert states[landing - 1].z - start.z == pytest.approx(distance, abs=1e-4)


@pytest.mark.parametrize(
    ("block", "walk", "sprint"), [("ice", 0.207862, 0.270220), ("blue_ice", None, 0.284440)]
)
def test_ice(block: str, walk: float | None, sprint: float) -> None:
    ice = Yard(floor=block)
    if walk is not None:
        assert steady(standing(), WALK, ice, 1000) == pytest.approx(walk, abs=1e-5)
    assert steady(standing(), SPRINT, ice, 2000) == pytest.approx(sprint, abs=1e-5)


def test_coasting_on_ice() -> None:
    ice = Yard(floor="ice")
    start = run(standing(), SPRINT, ice, 1000)[-1]
    assert run(start, IDLE, ice, 40)[-1].z - start.z == pytest.approx(2.2016, abs=1e-4)


def test_soul_sand_is_slow() -> None:
    sand = Yard(floor="soul_sand")
    feet = standing(y=-0.125)
    assert steady(feet, WALK, sand) == pytest.approx(0.125384, abs=1e-5)
    assert steady(feet, SPRINT, sand) == pytest.approx(0.162999, abs=1e-5)


def test_slow_falling_levitation_and_speed() -> None:
    gentle = run(PlayerState(y=1000.0, traits=Traits(slow_falling=True)), IDLE, Yard(floor=None), 1000)
    assert gentle[-1].y - gentle[-2].y == pytest.approx(-0.48998, abs=1e-4)
    drop = run(PlayerState(y=10.0, traits=Traits(slow_falling=True)), IDLE, FLAT, 80)
    assert next(n for n, s in enumerate(drop, 1) if s.on_ground) == 54
    rising = run(PlayerState(traits=Traits(levitation=1)), IDLE, Yard(floor=None), 300)
    assert rising[-1].y - rising[-2].y == pytest.approx(0.045370, abs=1e-5)
    fast = Traits(movement_speed=f32(0.1) * 1.4)
    assert steady(standing(traits=fast), WALK) == pytest.approx(0.302203, abs=1e-5)


def test_ladder() -> None:
    # A ladder on the south side of the cell, its wall one further.
    tower = Yard().box((0, 0, 1), (0, 40, 1), "stone").box((0, 0, 0), (0, 40, 0), "ladder", facing="north")
    up = run(standing(), WALK, tower, 40)
    assert up[20].y - up[19].y == pytest.approx(0.1176, abs=1e-5)
    high = PlayerState(x=0.5, y=20.0, z=0.5)
    down = run(high, IDLE, tower, 20)
    assert down[19].y - down[18].y == pytest.approx(-0.15, abs=1e-5)
    held = run(high, Inputs(sneak=True), tower, 20)
    assert held[19].y == held[5].y
    jumping = run(high, Inputs(jump=True), tower, 20)
    assert jumping[19].y - jumping[18].y == pytest.approx(0.1176, abs=1e-5)


SEA = Yard(floor="stone", top=-60, fill="water")


def test_water_idle_jump_and_sneak() -> None:
    start = PlayerState()
    idle = run(start, IDLE, SEA, 100)
    assert [s.y for s in idle[:5]] == near6(0, -0.005, -0.014, -0.0262, -0.04096)
    assert idle[-1].y - idle[-2].y == pytest.approx(-0.025, abs=1e-5)
    up = run(start, Inputs(jump=True), SEA, 100)
    assert [s.y for s in up[:4]] == near6(0.04, 0.107, 0.1956, 0.30148)
    assert up[-1].y - up[-2].y == pytest.approx(0.175, abs=1e-5)
    down = run(start, Inputs(sneak=True), SEA, 60)
    assert down[-1].y - down[-2].y == pytest.approx(-0.225, abs=1e-5)


def test_water_forward_and_swimming() -> None:
    assert steady(PlayerState(), WALK, SEA) == pytest.approx(0.098, abs=1e-5)
    swimmer = run(PlayerState(), SPRINT, SEA, 200)
    assert swimmer[-1].swimming
    assert swimmer[-1].pose == "swimming"
    assert swimmer[-1].z - swimmer[-2].z == pytest.approx(0.196, abs=1e-5)


def test_deep_lava() -> None:
    pit = Yard(floor="stone", top=-60, fill="lava")
    sinking = run(PlayerState(), IDLE, pit, 60)
    assert sinking[-1].y - sinking[-2].y == pytest.approx(-0.04, abs=1e-5)
    assert steady(PlayerState(), WALK, pit) == pytest.approx(0.0392, abs=1e-5)


def test_slime_bounces() -> None:
    slime = Yard(floor="slime_block")
    ys = [s.y for s in run(PlayerState(y=3.0), IDLE, slime, 80)]
    peaks = [b for a, b, c in zip(ys, ys[1:], ys[2:], strict=False) if a < b >= c]
    assert peaks[:2] == near6(2.10169, 1.44746)


def test_a_wall_stops_at_the_edge_of_the_box() -> None:
    wall = Yard().box((-1, 0, 2), (1, 1, 2), "stone")
    last = run(standing(), WALK, wall, 20)[-1]
    assert last.z == 1.699999988079071
    assert last.horizontal_collision
    assert last.vz == 0


def test_a_slab_is_stepped_onto_in_one_tick() -> None:
    step_up = Yard().box((-1, 0, 2), (1, 0, 9), "oak_slab", type="bottom")
    states = run(standing(), WALK, step_up, 12)
    ys = [s.y for s in states]
    climb = ys.index(0.5)
    assert set(ys) == {0.0, 0.5}
    assert states[climb].z > states[climb - 1].z + 0.2
    assert states[climb].on_ground


def test_landing_on_a_slab_and_a_wall_is_exact() -> None:
    slab = Yard(floor=None).set((0, 69, 0), "oak_slab", type="bottom")
    assert run(PlayerState(x=0.5, y=71.0, z=0.5), IDLE, slab, 20)[-1].y == 69.5
    top = Yard(floor=None).set((0, 69, 0), "oak_slab", type="top")
    assert run(PlayerState(x=0.5, y=71.0, z=0.5), IDLE, top, 20)[-1].y == 70.0
    fence = Yard(floor=None).set((0, 69, 0), "cobblestone_wall", up="true")
    assert run(PlayerState(x=0.5, y=72.0, z=0.5), IDLE, fence, 20)[-1].y == 70.5


def test_knockback() -> None:
    hit = standing(z=0, vy=0.3608, vz=0.4)
    states = run(hit, IDLE, FLAT, 10)
    assert [(s.z, s.y) for s in states[:4]] == [
        near6(0.4, 0.3608),
        near6(0.6184, 0.63598),
        near6(0.81714, 0.82726),
        near6(0.998, 0.93632),
    ]
    assert states[9].on_ground
    assert states[9].z == pytest.approx(1.78822, abs=1e-5)


def test_standing_still_changes_nothing() -> None:
    state = standing()
    last = run(state, IDLE, FLAT, 20)[-1]
    assert (last.x, last.y, last.z, last.vx, last.vz) == (0.5, 0.0, 0.5, 0.0, 0.0)
    assert last.vy == STANDING_VY
    assert last.on_ground
