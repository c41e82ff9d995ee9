"""Swimming, diving, climbing."""

from __future__ import annotations

from numen.body import walk
from numen.body.path import goals
from tests.body.path.yard import Garden


def _pond(garden: Garden) -> None:
    garden.fill((-4, 59, -4), (4, 63, 4), "water")


def test_swims_out_of_a_pond() -> None:
    garden = Garden(before=_pond, at=(0.5, 62, 0.5))
    verdict = garden.run(walk.go_to(garden.body, goals.at(8, 64, 0)))
    assert verdict.ok, verdict.message
    assert garden.feet == (8, 64, 0)


def test_swims_across_a_river() -> None:
    def river(garden: Garden) -> None:
        garden.fill((3, 60, -40), (8, 63, 40), "water")

    garden = Garden(before=river)
    verdict = garden.run(walk.go_to(garden.body, goals.at(12, 64, 0)))
    assert verdict.ok, verdict.message


def test_dives_to_the_bottom_and_comes_up_again() -> None:
    garden = Garden(before=_pond, at=(0.5, 63, 0.5))
    verdict = garden.run(walk.go_to(garden.body, goals.at(2, 59, 2)))
    assert verdict.ok, verdict.message
    verdict = garden.run(walk.go_to(garden.body, goals.at(8, 64, 0)))
    assert verdict.ok, verdict.message


def test_wades_through_shallow_water() -> None:
    def ford(garden: Garden) -> None:
        garden.fill((3, 63, -40), (8, 63, 40), "water")

    garden = Garden(before=ford)
    assert garden.run(walk.go_to(garden.body, goals.at(12, 64, 0))).ok


def test_jumps_into_deep_water_from_high_up() -> None:
    def tower(garden: Garden) -> None:
        garden.fill((0, 64, 0), (2, 73, 2), "stone")
        garden.fill((3, 58, -4), (12, 63, 6), "water")

    garden = Garden(before=tower, at=(1.5, 74, 1.5))
    verdict = garden.run(walk.go_to(garden.body, goals.at(16, 64, 1)))
    assert verdict.ok, verdict.message
    assert garden.player.health == 20


def _tower(garden: Garden) -> None:
    garden.fill((4, 64, -2), (8, 69, 2), "stone")
    for y in range(64, 70):
        garden.put((3, y, 0), "ladder[facing=west]")


def test_climbs_a_ladder_and_down_again() -> None:
    garden = Garden(before=_tower)
    verdict = garden.run(walk.go_to(garden.body, goals.at(6, 70, 0)))
    assert verdict.ok, verdict.message
    verdict = garden.run(walk.go_to(garden.body, goals.at(0, 64, 0)))
    assert verdict.ok, verdict.message
    assert garden.player.health == 20


def test_climbs_a_ladder_out_of_a_shaft() -> None:
    def shaft(garden: Garden) -> None:
        garden.fill((0, 55, 0), (0, 63, 0), "air")
        for y in range(55, 64):
            garden.put((0, y, 0), "ladder[facing=north]")

    garden = Garden(before=shaft, at=(0.5, 55, 0.5))
    verdict = garden.run(walk.go_to(garden.body, goals.at(5, 64, 0)))
    assert verdict.ok, verdict.message


def test_does_not_run_out_of_breath_in_a_long_flooded_tunnel() -> None:
    def tunnel(garden: Garden) -> None:
        garden.fill((-40, 58, -2), (40, 62, 2), "stone")
        garden.fill((0, 60, 0), (34, 61, 0), "water")
        garden.fill((0, 62, 0), (0, 63, 0), "water")
        garden.fill((34, 62, 0), (34, 63, 0), "water")
        garden.fill((15, 64, -45), (15, 66, 45), "stone")

    garden = Garden(before=tunnel, view_distance=4)
    verdict = garden.run(walk.go_to(garden.body, goals.at(36, 64, 0)), 900)
    assert garden.player.health == 20
    assert verdict.ok, verdict.message


def test_dives_under_a_short_wall() -> None:
    def pool(garden: Garden) -> None:
        garden.fill((1, 59, -40), (8, 63, 40), "water")
        garden.fill((4, 62, -40), (5, 67, 40), "stone")

    garden = Garden(before=pool)
    verdict = garden.run(walk.go_to(garden.body, goals.at(12, 64, 0)))
    assert verdict.ok, verdict.message
    assert garden.player.health == 20
