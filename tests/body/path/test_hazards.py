"""What a walk keeps away from, and what it does when the world won't let it through."""

from __future__ import annotations

from numen.body import walk
from numen.body.path import goals
from tests.body.path.yard import GROUND, Garden

HOT = {"m": "magma_block", "c": "cactus", "f": "fire", "b": "sweet_berry_bush[age=3]", "w": "cobweb"}


def _path_of(garden: Garden, goal: goals.Goal, ticks: int = 600) -> set[tuple[int, int, int]]:
    cells: set[tuple[int, int, int]] = set()
    verdict = garden.run(walk.go_to(garden.body, goal), ticks, each=lambda: cells.add(garden.feet))
    assert verdict.ok, verdict.message
    return cells


def test_does_not_walk_into_lava() -> None:
    def pool(garden: Garden) -> None:
        garden.fill((4, 63, -3), (6, 63, 3), "lava")

    garden = Garden(before=pool)
    cells = _path_of(garden, goals.at(10, 64, 0))
    assert not any(4 <= x <= 6 and -3 <= z <= 3 for x, _, z in cells)
    assert garden.player.health == 20


def test_walks_a_plank_over_lava_without_falling_in() -> None:
    def moat(garden: Garden) -> None:
        garden.fill((3, 63, -40), (8, 63, 40), "lava")
        garden.fill((3, 63, 0), (8, 63, 0), "stone")

    garden = Garden(before=moat, view_distance=2)
    cells = _path_of(garden, goals.at(11, 64, 0))
    assert (5, 64, 0) in cells
    assert garden.player.health == 20


def test_goes_around_what_burns_stings_and_holds_fast() -> None:
    for letter in "mcfbw":
        row = "..." + letter + "...."
        garden = Garden("\n".join([row] * 3), at=(0.5, 64, 1.5), legend=HOT)
        cells = _path_of(garden, goals.at(7, 64, 1))
        assert not any(x == 3 and 0 <= z <= 2 for x, _, z in cells), letter
        assert garden.player.health == 20


def test_does_not_step_off_a_cliff() -> None:
    def pit(garden: Garden) -> None:
        garden.fill((3, 40, -8), (6, 63, 8), "air")

    garden = Garden(before=pit)
    garden_cells = _path_of(garden, goals.at(9, 64, 0))
    assert all(y == GROUND for _, y, _ in garden_cells)


def test_waits_at_the_border_of_what_is_loaded() -> None:
    garden = Garden(view_distance=2)
    verdict = garden.run(walk.go_to(garden.body, goals.column(60, 0)), 900)
    assert verdict.ok
    assert garden.feet[0] == 60


def test_finds_another_way_when_a_wall_rises_in_front_of_it() -> None:
    garden = Garden()
    built = []

    def build() -> None:
        if garden.body.position[0] > 5 and not built:
            built.append(True)
            garden.fill((9, 64, -3), (9, 66, 3), "stone")

    verdict = garden.run(walk.go_to(garden.body, goals.at(14, 64, 0)), each=build)
    assert verdict.ok, verdict.message
    assert built


def test_walks_on_when_the_floor_is_dug_away_under_its_nose() -> None:
    garden = Garden()
    dug = []

    def dig() -> None:
        if garden.body.position[0] > 5 and not dug:
            dug.append(True)
            garden.fill((8, 60, -2), (8, 63, 2), "air")

    verdict = garden.run(walk.go_to(garden.body, goals.at(14, 64, 0)), each=dig)
    assert verdict.ok, verdict.message
    assert garden.player.health == 20


def test_a_stopped_walk_lets_go_of_the_keys() -> None:
    garden = Garden()
    task = garden.start(walk.go_to(garden.body, goals.at(20, 64, 0)))
    garden.tick(20)
    garden.body.tasks.cancel("Stopped.")
    garden.tick(20)
    assert task.state == "cancelled"
    assert task.verdict is not None
    assert "final_x" in task.verdict.data
    x = garden.body.position[0]
    garden.tick(5)
    assert garden.body.position[0] == x


def test_is_carried_off_and_finds_its_way_back() -> None:
    garden = Garden()
    pushed = []

    def push() -> None:
        if garden.body.position[0] > 5 and not pushed:
            pushed.append(True)
            assert garden.body.state is not None
            garden.player.movement.teleport(5.5, 64.0, 7.5)

    verdict = garden.run(walk.go_to(garden.body, goals.at(12, 64, 0)), each=push)
    assert verdict.ok, verdict.message
