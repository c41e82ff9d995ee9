"""Walks over open terrain, by the real body, judged by the practice server."""

from __future__ import annotations

from itertools import pairwise

from numen.body import walk
from numen.body.path import goals
from tests.body.path.yard import Garden

SLABS = {"b": "stone_slab[type=bottom]", "s": "oak_stairs[facing=east]", "t": "stone_slab[type=top]"}


def test_walks_twenty_blocks_at_nearly_a_sprint() -> None:
    garden = Garden()
    verdict = garden.run(walk.go_to(garden.body, goals.at(20, 64, 0)))
    assert verdict.ok
    assert garden.feet == (20, 64, 0)
    assert garden.took <= 20 * 3.6 + 6


def test_stops_in_the_cell_it_was_sent_to() -> None:
    garden = Garden()
    for cell in ((3, 64, 0), (3, 64, 7), (-2, 64, 5), (-2, 64, 4)):
        assert garden.run(walk.go_to(garden.body, goals.at(*cell))).ok
        garden.tick(10)
        assert garden.feet == cell


def test_is_there_already_without_a_step() -> None:
    garden = Garden()
    assert garden.run(walk.go_to(garden.body, goals.near(2, 64, 0, 3)), ticks=3).ok


def test_walks_around_a_wall() -> None:
    garden = Garden("...#....\n" * 4 + "S..#...." + "\n...#...." * 4, "...#....\n" * 9)
    verdict = garden.run(walk.go_to(garden.body, goals.at(6, 64, 4)))
    assert verdict.ok
    assert garden.feet == (6, 64, 4)


def test_climbs_a_staircase() -> None:
    garden = Garden("S..######", "....#####", ".....####", "......###", ".......##", "........#")
    verdict = garden.run(walk.go_to(garden.body, goals.at(8, 70, 0)))
    assert verdict.ok
    assert garden.feet == (8, 70, 0)
    assert garden.took <= 6 * 9 + 25


def test_goes_down_a_staircase_unhurt() -> None:
    garden = Garden("#######..", "######...", "#####....", "####.....", "S........", at=(0.5, 68, 0.5))
    verdict = garden.run(walk.go_to(garden.body, goals.at(8, 64, 0)))
    assert verdict.ok
    assert garden.player.health == 20


def test_goes_up_slabs_and_stairs_without_a_jump() -> None:
    garden = Garden("S.b###", "....b#", legend=SLABS)
    heights = []
    verdict = garden.run(
        walk.go_to(garden.body, goals.at(5, 66, 0)), each=lambda: heights.append(garden.body.position[1])
    )
    assert verdict.ok
    assert all(b - a <= 0.5 for a, b in pairwise(heights))
    assert max(heights) == 66.0


def test_jumps_from_slab_to_slab() -> None:
    garden = Garden("S.b##", "...b#", legend=SLABS)
    assert garden.run(walk.go_to(garden.body, goals.at(4, 66, 0))).ok


def test_climbs_oak_stairs() -> None:
    garden = Garden("S.s##", "...s#", legend=SLABS)
    assert garden.run(walk.go_to(garden.body, goals.at(4, 66, 0))).ok


def test_falls_three_blocks_but_not_four() -> None:
    three = Garden("###......", "###......", "###......", at=(0.5, 67, 0.5))
    assert three.run(walk.go_to(three.body, goals.at(6, 64, 0))).ok
    assert three.player.health == 20
    four = Garden("###......", "###......", "###......", "###......", at=(0.5, 68, 0.5))
    verdict = four.run(walk.go_to(four.body, goals.at(6, 64, 0)))
    assert not verdict.ok
    assert verdict.kind == "no_path"
    assert four.player.health == 20


def test_lands_on_a_narrow_ledge() -> None:
    """Two down onto a ledge of one block, with a deep drop behind it."""
    drawing = ["##.......", "##......."] + ["###......"] * 4 + ["##......."] * 1 + ["S#......."]
    garden = Garden(*drawing, at=(0.5, 72, 0.5))
    verdict = garden.run(walk.go_to(garden.body, goals.at(2, 70, 0)))
    assert verdict.ok
    assert garden.feet == (2, 70, 0)
    assert garden.player.health == 20


def test_jumps_over_a_gap_of_one_and_of_two() -> None:
    for gap in (1, 2):
        row = "S##" + "." * gap + "###"
        garden = Garden(*["###" + "." * gap + "###"] * 5, row.replace("#", "."), at=(0.5, 69, 0.5))
        verdict = garden.run(walk.go_to(garden.body, goals.at(5 + gap, 69, 0)))
        assert verdict.ok, verdict.message
        assert garden.player.health == 20


def test_takes_the_diagonal_over_open_ground() -> None:
    garden = Garden()
    assert garden.run(walk.go_to(garden.body, goals.at(12, 64, 12))).ok
    assert garden.took <= 12 * 1.4142 * 3.6 + 8


def test_climbs_onto_a_chest_and_down_again() -> None:
    garden = Garden("S.C..")
    assert garden.run(walk.go_to(garden.body, goals.at(2, 64, 0))).ok
    assert garden.body.position[1] == 64.875
    assert garden.run(walk.go_to(garden.body, goals.at(4, 64, 0))).ok
