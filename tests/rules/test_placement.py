"""What a used item puts where: orientation, halves, walls, what gives way, what holds it."""

from __future__ import annotations

import pytest

from numen.rules.connections import reshaped
from numen.rules.placement import Placement, place, placed_state
from numen.rules.shapes import carries_centre, carries_rim, is_sturdy
from numen.rules.states import name_of
from numen.rules.support import survives
from protocol.game import GAME
from tests.rules.worlds import Yard

DOWN, UP, NORTH, SOUTH, WEST, EAST = range(6)
FLOOR = (0, -1, 0)
TOP = (0.5, 1.0, 0.5)
SIDE = {NORTH: (0.5, 0.5, 0.0), SOUTH: (0.5, 0.5, 1.0), WEST: (0.0, 0.5, 0.5), EAST: (1.0, 0.5, 0.5)}


def put(
    item: str,
    yard: Yard | None = None,
    clicked: tuple[int, int, int] = FLOOR,
    face: int = UP,
    cursor: tuple[float, float, float] | None = None,
    yaw: float = 0.0,
    pitch: float = 0.0,
    sneaking: bool = False,
) -> Placement | None:
    if cursor is None:
        cursor = SIDE.get(face, TOP if face == UP else (0.5, 0.0, 0.5))
    return place(item, clicked, face, cursor, yaw, pitch, yard or Yard(), sneaking=sneaking)


def shown(found: Placement | None, *keys: str) -> tuple[str, ...] | None:
    """The block's name and some of its properties."""
    if found is None:
        return None
    properties = GAME.properties(found.state)
    return (name_of(found.state), *(properties[key] for key in keys))


def pillar() -> Yard:
    return Yard().box((0, 0, 0), (0, 2, 0), "stone")


def test_a_block_goes_before_the_clicked_face() -> None:
    found = put("dirt", pillar(), (0, 1, 0), EAST)
    assert found == Placement((1, 1, 0), GAME.block("dirt").default_state)


def test_grass_and_water_give_way() -> None:
    meadow = Yard().set((0, 0, 0), "short_grass")
    found = put("dirt", meadow, (0, 0, 0))
    assert found is not None
    assert found.pos == (0, 0, 0)
    flower = Yard().set((0, 0, 0), "poppy")
    above = put("dirt", flower, (0, 0, 0))
    assert above is not None
    assert above.pos == (0, 1, 0)
    assert put("dirt", Yard().set((0, 0, 0), "poppy")) is None


@pytest.mark.parametrize(("face", "axis"), [(UP, "y"), (DOWN, "y"), (NORTH, "z"), (EAST, "x")])
def test_logs_lie_along_the_clicked_face(face: int, axis: str) -> None:
    block = Yard().set((0, 2, 0), "stone")
    assert shown(put("oak_log", block, (0, 2, 0), face), "axis") == ("oak_log", axis)


@pytest.mark.parametrize(
    ("yaw", "ahead", "back"), [(0, "south", "north"), (90, "west", "east"), (-90, "east", "west")]
)
def test_what_faces_the_player_and_what_faces_away(yaw: float, ahead: str, back: str) -> None:
    assert shown(put("furnace", yaw=yaw), "facing") == ("furnace", back)
    assert shown(put("chest", yaw=yaw), "facing") == ("chest", back)
    assert shown(put("oak_stairs", yaw=yaw), "facing") == ("oak_stairs", ahead)
    assert shown(put("campfire", yaw=yaw), "facing") == ("campfire", ahead)


def test_six_way_blocks_look_against_the_look() -> None:
    assert shown(put("barrel", pitch=80), "facing") == ("barrel", "up")
    assert shown(put("dispenser", yaw=0, pitch=10), "facing") == ("dispenser", "north")
    assert shown(put("observer", yaw=0, pitch=10), "facing") == ("observer", "south")
    assert shown(put("hopper", pillar(), (0, 1, 0), EAST), "facing") == ("hopper", "west")
    assert shown(put("hopper"), "facing") == ("hopper", "down")


def test_halves_follow_the_point_clicked() -> None:
    low, high = (1.0, 0.3, 0.5), (1.0, 0.7, 0.5)
    wall = pillar()
    assert shown(put("oak_slab", wall, (0, 1, 0), EAST, low), "type") == ("oak_slab", "bottom")
    assert shown(put("oak_slab", wall, (0, 1, 0), EAST, high), "type") == ("oak_slab", "top")
    assert shown(put("oak_slab"), "type") == ("oak_slab", "bottom")
    assert shown(put("oak_slab", wall.set((3, 3, 3), "stone"), (3, 3, 3), DOWN), "type") == (
        "oak_slab",
        "top",
    )
    assert shown(put("oak_stairs", wall, (0, 1, 0), EAST, high), "half") == ("oak_stairs", "top")
    trapdoor = put("oak_trapdoor", wall, (0, 1, 0), EAST, high)
    assert shown(trapdoor, "half", "facing") == ("oak_trapdoor", "top", "east")


def test_two_slabs_become_one_block() -> None:
    lower = Yard().set((0, 0, 0), "oak_slab", type="bottom")
    found = put("oak_slab", lower, (0, 0, 0), UP, (0.5, 0.5, 0.5))
    assert found is not None
    assert found.pos == (0, 0, 0)
    assert shown(found, "type") == ("oak_slab", "double")
    # Clicked from the side at its lower half it goes beside.
    beside = put("oak_slab", lower, (0, 0, 0), EAST, (1.0, 0.2, 0.5))
    assert beside is not None
    assert beside.pos == (1, 0, 0)
    other = put("birch_slab", lower, (0, 0, 0), UP, (0.5, 0.5, 0.5))
    assert other is not None
    assert other.pos == (0, 1, 0)


def test_torches_stand_or_hang() -> None:
    wall = pillar()
    assert shown(put("torch")) == ("torch",)
    assert shown(put("torch", wall, (0, 1, 0), EAST), "facing") == ("wall_torch", "east")
    assert put("torch", wall.set((5, 5, 5), "stone"), (5, 5, 5), DOWN) is None
    # On a block that carries no torch it falls back to the ground below.
    glass = Yard().set((0, 0, 0), "oak_leaves")
    assert shown(put("torch", glass, (0, 0, 0), EAST)) == ("torch",)
    fence = Yard().set((0, 0, 0), "oak_fence")
    assert shown(put("torch", fence, (0, 0, 0), UP)) == ("torch",)


def test_ladders_need_a_wall() -> None:
    wall = pillar()
    assert shown(put("ladder", wall, (0, 1, 0), NORTH), "facing") == ("ladder", "north")
    assert put("ladder") is None
    beside = put("ladder", wall, (1, -1, 0), UP, yaw=90.0)
    assert shown(beside, "facing") == ("ladder", "east")


def test_doors_have_two_halves_and_a_hinge() -> None:
    found = put("oak_door", yaw=0.0, cursor=(0.2, 1.0, 0.5))
    assert found is not None
    assert shown(found, "half", "facing", "hinge") == ("oak_door", "lower", "south", "right")
    ((cell, upper),) = found.others
    assert cell == (0, 1, 0)
    assert GAME.properties(upper) == GAME.properties(found.state) | {"half": "upper"}
    assert shown(put("oak_door", cursor=(0.8, 1.0, 0.5)), "hinge") == ("oak_door", "left")
    assert put("oak_door", Yard().set((0, 1, 0), "stone")) is None
    pair = Yard().set((1, 0, 0), "oak_door", half="lower", facing="south", hinge="left")
    assert shown(put("oak_door", pair), "hinge") == ("oak_door", "right")


def test_beds_reach_ahead() -> None:
    found = put("red_bed", yaw=-90.0)
    assert found is not None
    assert shown(found, "part", "facing") == ("red_bed", "foot", "east")
    ((cell, head),) = found.others
    assert (cell, GAME.properties(head)["part"]) == ((1, 0, 0), "head")
    assert put("red_bed", Yard().set((1, 0, 0), "stone"), yaw=-90.0) is None


def test_chests_join_unless_sneaking() -> None:
    yard = Yard().set((1, 0, 0), "chest", facing="north", type="single")
    joined = put("chest", yard, yaw=0.0)
    assert joined is not None
    assert shown(joined, "type", "facing") == ("chest", "left", "north")
    ((cell, other),) = joined.others
    assert (cell, GAME.properties(other)["type"]) == ((1, 0, 0), "right")
    assert shown(put("chest", yard, sneaking=True), "type") == ("chest", "single")


def test_levers_and_buttons() -> None:
    wall = pillar()
    assert shown(put("lever"), "face", "facing") == ("lever", "floor", "south")
    assert shown(put("stone_button", wall, (0, 1, 0), WEST), "face", "facing") == (
        "stone_button",
        "wall",
        "west",
    )
    under = wall.set((4, 4, 4), "stone")
    assert shown(put("lever", under, (4, 4, 4), DOWN), "face") == ("lever", "ceiling")


def test_lanterns_and_signs() -> None:
    roof = Yard().set((0, 3, 0), "stone")
    assert shown(put("lantern", roof, (0, 3, 0), DOWN), "hanging") == ("lantern", "true")
    assert shown(put("lantern"), "hanging") == ("lantern", "false")
    assert shown(put("oak_sign", yaw=0.0), "rotation") == ("oak_sign", "8")
    assert shown(put("oak_sign", yaw=90.0), "rotation") == ("oak_sign", "12")
    assert shown(put("oak_sign", pillar(), (0, 1, 0), SOUTH), "facing") == ("oak_wall_sign", "south")
    assert shown(put("zombie_head", yaw=90.0), "rotation") == ("zombie_head", "4")


def test_water_stays_in_blocks_that_can_hold_it() -> None:
    pool = Yard().set((0, 0, 0), "water")
    assert shown(put("oak_slab", pool), "waterlogged") == ("oak_slab", "true")
    flowing = Yard().set((0, 0, 0), "water", level="3")
    assert shown(put("oak_slab", flowing), "waterlogged") == ("oak_slab", "false")
    assert put("kelp") is None
    assert shown(put("kelp", pool)) == ("kelp",)


def test_plants_want_their_soil() -> None:
    soil = Yard(floor="dirt")
    assert shown(put("oak_sapling", soil)) == ("oak_sapling",)
    assert put("oak_sapling") is None
    assert put("wheat_seeds", soil) is None
    assert shown(put("wheat_seeds", Yard(floor="farmland")), "age") == ("wheat", "0")
    assert put("sugar_cane", soil) is None
    assert shown(put("sugar_cane", Yard(floor="dirt").set((1, -1, 0), "water"))) == ("sugar_cane",)
    desert = Yard(floor="sand")
    assert shown(put("cactus", desert)) == ("cactus",)
    assert put("cactus", Yard(floor="sand").set((1, 0, 0), "stone")) is None
    tall = put("sunflower", soil)
    assert tall is not None
    assert len(tall.others) == 1
    assert shown(put("bamboo", soil)) == ("bamboo_sapling",)
    assert put("wheat", soil) is None


def test_layers_and_candles_pile_up() -> None:
    snow = Yard().set((0, 0, 0), "snow", layers="3")
    assert shown(put("snow", snow, (0, 0, 0)), "layers") == ("snow", "4")
    candles = Yard().set((0, 0, 0), "candle", candles="2")
    assert shown(put("candle", candles, (0, 0, 0)), "candles") == ("candle", "3")


def test_buckets_and_plain_items_place_nothing() -> None:
    assert put("water_bucket") is None
    assert put("stick") is None


def test_fences_panes_and_walls_join_their_neighbours() -> None:
    yard = Yard().set((1, 0, 0), "stone").set((0, 0, 1), "oak_fence").set((-1, 0, 0), "oak_leaves")
    fence = GAME.properties(put("birch_fence", yard).state)  # type: ignore[union-attr]
    assert (fence["east"], fence["south"], fence["west"], fence["north"]) == (
        "true",
        "true",
        "false",
        "false",
    )
    nether = GAME.properties(put("nether_brick_fence", yard).state)  # type: ignore[union-attr]
    assert nether["south"] == "false"
    pane = GAME.properties(put("glass_pane", yard).state)  # type: ignore[union-attr]
    assert (pane["east"], pane["south"]) == ("true", "false")
    gate = Yard().set((1, 0, 0), "oak_fence_gate", facing="north")
    assert GAME.properties(put("oak_fence", gate).state)["east"] == "true"  # type: ignore[union-attr]
    row = Yard().set((1, 0, 0), "cobblestone_wall").set((-1, 0, 0), "cobblestone_wall")
    wall = GAME.properties(put("cobblestone_wall", row).state)  # type: ignore[union-attr]
    assert (wall["east"], wall["west"], wall["up"]) == ("low", "low", "false")
    row.set((0, 1, 0), "stone")
    wall = GAME.properties(put("cobblestone_wall", row).state)  # type: ignore[union-attr]
    assert (wall["east"], wall["west"], wall["up"]) == ("tall", "tall", "false")


def test_stairs_turn_corners() -> None:
    behind = Yard().set((0, 0, -1), "oak_stairs", facing="east", half="bottom")
    assert shown(put("oak_stairs", behind, yaw=0.0), "shape") == ("oak_stairs", "inner_left")
    before = Yard().set((0, 0, 1), "oak_stairs", facing="west", half="bottom")
    assert shown(put("oak_stairs", before, yaw=0.0), "shape") == ("oak_stairs", "outer_right")
    upper = Yard().set((0, 0, 1), "oak_stairs", facing="west", half="top")
    assert shown(put("oak_stairs", upper, yaw=0.0), "shape") == ("oak_stairs", "straight")


def test_reshaping_leaves_other_blocks_alone() -> None:
    stone = GAME.block("stone").default_state
    assert reshaped(stone, Yard(), (0, 0, 0)) == stone


def test_faces() -> None:
    def state(name: str, **properties: str) -> int:
        return GAME.state(name, **properties)

    assert is_sturdy(state("stone"), "up")
    assert is_sturdy(state("oak_slab", type="top"), "up")
    assert not is_sturdy(state("oak_slab", type="bottom"), "up")
    assert is_sturdy(state("oak_stairs", facing="east", half="bottom"), "east")
    assert not is_sturdy(state("oak_leaves"), "up")
    assert is_sturdy(state("soul_sand"), "up")
    assert not is_sturdy(state("farmland"), "up")
    assert carries_centre(state("oak_fence"), "up")
    assert not is_sturdy(state("oak_fence"), "up")
    assert carries_rim(state("hopper"))
    assert is_sturdy(-1, "up")


def test_what_lost_its_ground_does_not_survive() -> None:
    yard = Yard(floor=None)
    here = (0, 0, 0)
    for name in ("torch", "rail", "red_carpet", "stone_pressure_plate", "oak_door", "poppy", "snow", "wheat"):
        assert not survives(GAME.block(name).default_state, yard, here), name
    for name in ("stone", "oak_fence", "chest", "sand", "glass"):
        assert survives(GAME.block(name).default_state, yard, here), name


def test_every_item_on_every_face_has_an_answer() -> None:
    wall = pillar()
    for item in GAME.items:
        for face in range(6):
            for yaw, pitch in ((0.0, 0.0), (137.0, 80.0), (-100.0, -80.0)):
                state = placed_state(item, (0, 1, 0), face, (0.5, 0.6, 0.5), yaw, pitch, wall)
                assert state is None or 0 <= state < GAME.state_count
