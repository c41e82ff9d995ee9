"""What block states mean to a walker, and which moves follow from a few blocks."""

from __future__ import annotations

import pytest

from numen.body.path import flags, moves
from numen.body.path.ground import Ground
from numen.body.path.moves.kinds import Kind
from numen.testing.terrain import state_of
from tests.body.path.terrain import Drawn

NAMES = {
    name: getattr(flags, name)
    for name in (
        *("CLEAR", "FLOOR", "LOW", "WATER", "CLIMB", "DANGER", "TALL", "DOOR", "SLOW", "FALLING", "LAVA"),
        *("WALL_WEST", "WALL_EAST", "WALL_NORTH", "WALL_SOUTH"),
    )
}


def _flags_of(block: str) -> set[str]:
    bits = int(flags.tables().walking[state_of(block)])
    return {name for name, bit in NAMES.items() if bits & bit}


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        ("air", {"CLEAR"}),
        ("stone", {"FLOOR"}),
        ("short_grass", {"CLEAR"}),
        ("water", {"CLEAR", "WATER"}),
        ("lava", {"DANGER", "LAVA"}),
        ("stone_slab[type=bottom]", {"LOW"}),
        ("stone_slab[type=top]", {"FLOOR"}),
        ("oak_stairs", {"FLOOR"}),
        ("oak_fence", {"TALL"}),
        ("oak_fence_gate", {"CLEAR", "DOOR"}),
        ("oak_door", {"CLEAR", "DOOR"}),
        ("iron_door[facing=north]", {"CLEAR", "WALL_SOUTH"}),
        ("ladder[facing=north]", {"CLEAR", "CLIMB", "WALL_SOUTH"}),
        ("soul_sand", {"LOW", "SLOW"}),
        ("sand", {"FLOOR", "FALLING"}),
        ("magma_block", {"DANGER"}),
        ("cactus", {"DANGER"}),
        ("chest", {"LOW"}),
        ("lantern", set()),
        ("snow[layers=1]", {"CLEAR"}),
        ("snow[layers=3]", {"LOW"}),
    ],
)
def test_blocks(block: str, expected: set[str]) -> None:
    assert _flags_of(block) == expected


def test_heights_of_low_floors() -> None:
    tops = flags.tables().tops
    assert tops[state_of("stone_slab[type=bottom]")] == 8
    assert tops[state_of("white_carpet")] == 1
    assert tops[state_of("white_bed")] == 9
    assert tops[state_of("chest")] == 14


def test_what_is_not_known_is_nothing_to_walk_on_or_in() -> None:
    table = flags.tables()
    assert int(table.walking[table.unknown]) == flags.UNKNOWN


def _moves(terrain: Drawn, cell: tuple[int, int, int]) -> set[tuple[str, int, int, int]]:
    x, y, z = cell
    block = Ground(terrain).block(x & ~31, y & ~15, z & ~31, 3, True)
    code = block.code_at(x, y, z)
    if code is None:
        return set()
    return {(edge.kind.value, edge.dx, edge.dy, edge.dz) for edge in moves.edges(code, True)}


def test_a_plain_has_eight_ways_out() -> None:
    found = _moves(Drawn(), (5, 64, 5))
    assert {kind for kind, *_ in found} == {"walk", "diagonal"}
    assert len(found) == 8


def test_a_jump_needs_room_above_the_head() -> None:
    low = Drawn("..#", "...", "###", at=(4, 64, 5))
    assert ("ascend", 1, 1, 0) not in _moves(low, (5, 64, 5))
    high = Drawn("..#", "...", "...", "###", at=(4, 64, 5))
    assert ("ascend", 1, 1, 0) in _moves(high, (5, 64, 5))


def test_a_door_costs_the_opening() -> None:
    doors = {(6, 64, 5): "oak_door[half=lower]", (6, 65, 5): "oak_door[half=upper]"}
    found = _moves(Drawn(fill=doors), (5, 64, 5))
    assert ("door", 1, 0, 0) in found
    assert ("walk", 1, 0, 0) not in found


def test_a_ladder_is_entered_from_its_open_sides_only() -> None:
    ladder = {(6, y, 5): "ladder[facing=west]" for y in (64, 65, 66)}
    assert ("walk", 1, 0, 0) in _moves(Drawn(fill=ladder), (5, 64, 5))
    assert ("walk", -1, 0, 0) not in _moves(Drawn(fill=ladder), (7, 64, 5))
    assert (Kind.CLIMB.value, 0, 1, 0) in _moves(Drawn(fill=ladder), (6, 64, 5))


def test_nobody_walks_over_a_fence() -> None:
    found = _moves(Drawn(fill={(6, 64, 5): "oak_fence"}), (5, 64, 5))
    assert not any(dx == 1 and dz == 0 for _, dx, _, dz in found)


def test_fences_below_a_floor_reach_into_the_cell_above() -> None:
    terrain = Drawn(fill={(6, 63, 5): "oak_fence"})
    assert _moves(terrain, (6, 64, 5)) == set()
