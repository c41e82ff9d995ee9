"""What blocks do to a moving player, and what keys do beyond walking."""

from __future__ import annotations

import math

import pytest

from numen.rules.physics import UNLOADED, Inputs, PlayerState, Traits, step
from protocol.game import GAME
from tests.rules.worlds import Yard, run, standing

WALK = Inputs(forward=1)
SPRINT = Inputs(forward=1, sprint=True)
IDLE = Inputs()


def test_step_leaves_the_given_state_alone() -> None:
    before = standing()
    copy = before.copy()
    step(before, WALK, Yard())
    assert before == copy


def test_a_web_holds_and_ends_the_fall() -> None:
    web = Yard().box((-1, 0, -1), (1, 9, 1), "cobweb")
    states = run(PlayerState(x=0.5, y=12.0, z=0.5), IDLE, web, 60)
    caught = [s for s in states if s.stuck is not None]
    assert caught
    assert all(s.fall_distance < 0.01 for s in caught[1:])
    # A twentieth of one tick's gravity, again and again: the velocity is lost each tick.
    assert states[-1].y - states[-2].y == pytest.approx(-0.0784 * 0.05, abs=1e-6)


def test_weaving_moves_through_webs() -> None:
    web = Yard().box((-1, 0, -1), (1, 9, 9), "cobweb")

    def speed(traits: Traits) -> float:
        a, b = run(standing(traits=traits), WALK, web, 20)[-2:]
        return b.z - a.z

    assert speed(Traits(weaving=True)) == pytest.approx(2 * speed(Traits()))


def test_berry_bushes_slow_walking() -> None:
    bush = Yard().box((-1, 0, -1), (1, 0, 9), "sweet_berry_bush")
    states = run(standing(), WALK, bush, 40)
    assert states[-1].z - states[-2].z == pytest.approx(0.098 * 0.8, abs=1e-4)


def test_bubbles_lift_and_drag() -> None:
    up = Yard(top=-1).box((0, -1, 0), (0, 30, 0), "bubble_column", drag="false")
    rising = run(PlayerState(x=0.5, y=2.0, z=0.5), IDLE, up, 40)
    assert rising[-1].y > 8
    assert all(s.vy <= 0.7 for s in rising)
    down = Yard(top=-1).box((0, -1, 0), (0, 30, 0), "bubble_column", drag="true")
    sinking = run(PlayerState(x=0.5, y=20.0, z=0.5), IDLE, down, 40)
    assert sinking[-1].y - sinking[-2].y < -0.2


def test_powder_snow_swallows_and_boots_walk_on_it() -> None:
    snow = Yard().box((-1, 0, -1), (1, 2, 1), "powder_snow")
    start = PlayerState(x=0.5, y=3.0, z=0.5)
    sunk = run(start, IDLE, snow, 40)[-1]
    assert sunk.in_powder_snow
    assert sunk.y < 2.5
    start.traits = Traits(walks_on_powder_snow=True)
    assert run(start, IDLE, snow, 40)[-1].y == 3.0
    assert run(start, Inputs(sneak=True), snow, 40)[-1].y < 3.0


def test_honey_walls_slow_the_fall() -> None:
    wall = Yard(top=-60).box((0, -40, 1), (0, 40, 1), "honey_block")
    # Pressed against the wall: its side is a sixteenth inside the cell.
    start = PlayerState(x=0.5, y=30.0, z=1.0625 - 0.30000001192092896)
    states = run(start, WALK, wall, 40)
    assert states[-1].y - states[-2].y == pytest.approx((-0.05 - 0.08) * 0.98, abs=1e-3)
    assert states[-1].fall_distance < 0.2


def test_beds_bounce_unless_sneaking() -> None:
    bed = Yard(top=-1).box((-1, -1, -1), (1, -1, 1), "red_bed")
    high = PlayerState(x=0.5, y=3.0, z=0.5)
    assert any(s.vy > 0.2 for s in run(high, IDLE, bed, 40))
    assert not any(s.vy > 0 for s in run(high, Inputs(sneak=True), bed, 40))


def test_slime_slows_walking() -> None:
    slow = run(standing(), WALK, Yard(floor="slime_block"), 100)
    assert slow[-1].z - slow[-2].z < 0.12


def test_sneaking_stops_at_an_edge() -> None:
    ledge = Yard(floor=None).box((-2, -1, -2), (2, -1, 2), "stone")
    sneak = Inputs(forward=1, sneak=True)
    last = run(standing(), sneak, ledge, 200)[-1]
    assert last.on_ground
    assert 3.0 < last.z <= 3.0 + 0.3 + 1e-6
    diagonal = run(standing(), Inputs(forward=1, strafe=1, sneak=True), ledge, 300)[-1]
    assert diagonal.on_ground
    assert run(standing(), WALK, ledge, 60)[-1].y < -1


def test_sneaking_walks_down_half_a_block() -> None:
    stairs = (
        Yard(top=-1)
        .box((-2, -1, -2), (2, -1, 1), "stone")
        .box((-2, -1, 2), (2, -1, 9), "oak_slab", type="bottom")
    )
    last = run(standing(), Inputs(forward=1, sneak=True), stairs, 100)[-1]
    assert last.z > 3
    assert last.y == -0.5


def test_a_full_block_is_not_stepped_onto_but_jumped() -> None:
    block = Yard().box((-1, 0, 2), (1, 0, 9), "stone")
    assert run(standing(), WALK, block, 30)[-1].y == 0.0
    jumped = run(standing(), Inputs(forward=1, jump=True), block, 40)
    assert any(s.on_ground and s.y == 1.0 for s in jumped)


def test_a_fence_can_not_be_jumped() -> None:
    fence = Yard().box((-3, 0, 2), (3, 0, 2), "oak_fence", east="true", west="true")
    states = run(standing(), Inputs(forward=1, jump=True, sprint=True), fence, 60)
    assert max(s.z for s in states) < 2.1


def test_holding_jump_jumps_again_only_after_a_pause() -> None:
    ceiling = Yard().box((-1, 2, -1), (1, 2, 1), "stone")
    states = run(standing(), Inputs(jump=True), ceiling, 25)
    starts = [n for n, s in enumerate(states, 1) if s.vy > 0 or s.y == pytest.approx(0.2, abs=1e-6)]
    assert starts == [1, 11, 21]


def test_a_low_ceiling_keeps_a_player_crouching_and_a_lower_one_crawling() -> None:
    tunnel = Yard().box((-1, 1, 0), (1, 1, 9), "oak_slab", type="top")
    crouched = run(standing(), lambda n: Inputs(sneak=n <= 2), tunnel, 6)
    assert crouched[-1].pose == "crouching"
    assert crouched[-1].crouching
    crawl = Yard().box((-1, 1, -9), (1, 1, 9), "stone")
    lying = run(standing(pose="swimming"), WALK, crawl, 60)
    assert lying[-1].pose == "swimming"
    assert lying[-1].z - lying[-2].z == pytest.approx(0.064758, abs=1e-5)


@pytest.mark.parametrize(
    "hindered",
    [{"food": 6}, {"using_item": True}, {"traits": Traits(blindness=True)}],
)
def test_no_sprint_when_hungry_busy_or_blind(hindered: dict[str, object]) -> None:
    assert not any(s.sprinting for s in run(standing(**hindered), SPRINT, Yard(), 10))


def test_sprint_needs_forward_and_ends_at_a_wall() -> None:
    assert not run(standing(), Inputs(strafe=1, sprint=True), Yard(), 3)[-1].sprinting
    wall = Yard().box((-9, 0, 5), (9, 2, 5), "stone")
    states = run(standing(), SPRINT, wall, 40)
    hit = next(n for n, s in enumerate(states) if s.horizontal_collision)
    assert states[hit].sprinting
    assert states[hit + 1].vz < 0.1
    grazing = run(standing(x=5.2, yaw=-4.0), SPRINT, Yard().box((6, 0, -9), (6, 2, 60), "stone"), 60)
    assert all(s.sprinting for s in grazing)
    assert any(s.horizontal_collision for s in grazing)


def test_letting_go_of_sprint_ends_it() -> None:
    states = run(standing(), lambda n: Inputs(forward=1, sprint=n <= 5), Yard(), 8)
    assert [s.sprinting for s in states] == [True] * 5 + [False] * 3


def test_eating_slows_to_a_fifth() -> None:
    speed = run(standing(using_item=True), WALK, Yard(), 60)
    assert speed[-1].z - speed[-2].z == pytest.approx(0.215859 / 5, abs=1e-4)


def test_currents_push() -> None:
    # Water runs from the source at z 0 to the edge at z 7.
    stream = Yard()
    for z in range(8):
        for x in range(-2, 3):
            stream.set((x, 0, z), "water", level=str(z))
    states = run(standing(z=1.5), IDLE, stream, 40)
    assert states[-1].z > 2.5
    assert states[-1].x == pytest.approx(0.5, abs=1e-6)
    assert states[0].in_water


def test_water_breaks_a_fall() -> None:
    pool = Yard(top=-3).box((-2, -3, -2), (2, -1, 2), "water")
    states = run(PlayerState(x=0.5, y=30.0, z=0.5), IDLE, pool, 200)
    assert max(s.fall_distance for s in states) > 25
    assert states[-1].fall_distance == 0
    assert all(s.landed_from == 0 for s in states)


def test_jumping_against_a_bank_leaves_the_water() -> None:
    pool = Yard(top=0).box((-2, -3, -2), (2, -1, 2), "water")
    states = run(PlayerState(x=0.5, y=-2.0, z=0.5), Inputs(forward=1, jump=True), pool, 80)
    assert any(s.on_ground and s.y >= 0 and s.z > 3 for s in states)


def test_swimming_follows_the_look() -> None:
    sea = Yard(floor="stone", top=-60, fill="water")
    dive = run(PlayerState(pitch=60.0), SPRINT, sea, 60)
    assert dive[-1].pose == "swimming"
    assert dive[-1].y < -2
    climb = run(dive[-1].copy(), SPRINT, sea, 1)[-1]
    climb.pitch = -60.0
    assert run(climb, SPRINT, sea, 60)[-1].y > climb.y + 2


def test_depth_strider_and_dolphins_grace_are_faster() -> None:
    sea = Yard(floor="stone", top=-1, fill="water")

    def speed(traits: Traits) -> float:
        a, b = run(standing(y=-1.0, traits=traits), WALK, sea, 200)[-2:]
        return b.z - a.z

    plain = speed(Traits())
    assert plain == pytest.approx(0.098, abs=1e-4)
    assert speed(Traits(water_movement_efficiency=1.0)) > 0.2
    assert speed(Traits(dolphins_grace=True)) > 4 * plain


def test_soul_speed_lifts_the_drag_of_soul_sand() -> None:
    sand = Yard(floor="soul_sand")
    fast = run(standing(y=-0.125, traits=Traits(movement_efficiency=1.0)), WALK, sand, 60)
    assert fast[-1].z - fast[-2].z == pytest.approx(0.215859, abs=1e-4)


def test_flying_keeps_its_height() -> None:
    states = run(PlayerState(y=50.0, flying=True), WALK, Yard(), 40)
    assert states[-1].y == 50.0
    assert states[-1].z - states[-2].z > 0.4
    assert run(PlayerState(y=50.0, flying=True), Inputs(jump=True), Yard(), 20)[-1].y > 55


def test_what_is_not_loaded_or_of_a_mod_is_solid() -> None:
    for state in (UNLOADED, GAME.state_count, GAME.state_count + 5000):
        world = Yard(floor=state).box((-1, 0, 2), (1, 1, 2), state)
        last = run(standing(), WALK, world, 30)[-1]
        assert last.y == 0.0
        assert last.z == 1.699999988079071


def test_slipperiness_is_that_of_the_block_nearest_to_the_middle() -> None:
    # Standing over the edge: most of the foot hangs over air, the block underneath is ice.
    ice = Yard(floor=None).set((0, -1, 0), "ice")
    over = standing(x=0.5, z=1.2, vz=0.1, support=(0, -1, 0))
    (state,) = run(over, IDLE, ice, 1)
    assert state.support == (0, -1, 0)
    assert state.vz == pytest.approx(0.1 * 0.98 * 0.91, abs=1e-6)


def test_scaffolding_holds_from_above_and_lets_down_who_sneaks() -> None:
    tower = Yard().box((0, 0, 0), (0, 4, 0), "scaffolding", distance="0", bottom="false")
    top = PlayerState(x=0.5, y=5.0, z=0.5)
    assert run(top, IDLE, tower, 10)[-1].y == 5.0
    down = run(top, Inputs(sneak=True), tower, 40)
    assert down[-1].y < 1.0
    assert down[20].y - down[19].y == pytest.approx(-0.15, abs=1e-6)


def test_an_open_trapdoor_over_its_ladder_is_climbed() -> None:
    shaft = Yard().box((0, 0, 1), (0, 6, 1), "stone").box((0, 0, 0), (0, 3, 0), "ladder", facing="north")
    shaft.set((0, 4, 0), "oak_trapdoor", facing="north", open="true", half="bottom")
    assert max(s.y for s in run(standing(), WALK, shaft, 80)) > 4.5
    shaft.set((0, 4, 0), "oak_trapdoor", facing="south", open="true", half="bottom")
    assert max(s.y for s in run(standing(), WALK, shaft, 80)) < 4.5


def test_step_height_and_gravity_are_attributes() -> None:
    block = Yard().box((-1, 0, 2), (1, 0, 9), "stone")
    assert run(standing(traits=Traits(step_height=1.0)), WALK, block, 30)[-1].y == 1.0
    light = run(PlayerState(y=50.0, traits=Traits(gravity=0.04)), IDLE, Yard(), 10)
    heavy = run(PlayerState(y=50.0), IDLE, Yard(), 10)
    assert 50 - light[-1].y == pytest.approx((50 - heavy[-1].y) / 2, rel=1e-6)


def test_a_player_inside_a_block_is_pushed_to_the_open_side() -> None:
    buried = Yard().box((0, 0, 0), (0, 1, 0), "stone")
    states = run(standing(x=0.9, z=0.5), IDLE, buried, 20)
    assert states[-1].x > 1.2


def test_yaw_turns_the_walk() -> None:
    for yaw, direction in ((0, (0, 1)), (90, (-1, 0)), (180, (0, -1)), (-90, (1, 0))):
        last = run(standing(yaw=float(yaw)), WALK, Yard(), 20)[-1]
        angle = math.atan2(last.z - 0.5, last.x - 0.5)
        assert math.cos(angle) == pytest.approx(direction[0], abs=1e-3)
        assert math.sin(angle) == pytest.approx(direction[1], abs=1e-3)
