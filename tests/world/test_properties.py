"""What must hold whatever a server sends, tried with many random sessions."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from numen.testing.packets import EMPTY, slot
from numen.testing.simulation import Simulation
from protocol.game import GAME

STATES = st.sampled_from([0, 1, 10, 130, 26683, 70_000])
CELL = st.tuples(st.integers(-17, 17), st.integers(-66, 322), st.integers(-17, 17))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(CELL, STATES, st.booleans()), max_size=60))
def test_blocks_are_what_was_told_last(changes: list[tuple[tuple[int, int, int], int, bool]]) -> None:
    sim = Simulation()
    sim.terrain(radius=1, floor="stone")
    stone = GAME.state("stone")
    told: dict[tuple[int, int, int], int] = {}
    for (x, y, z), state, in_section in changes:
        if in_section:
            sim.receive(
                "multi_block_change",
                chunkCoordinates={"x": x >> 4, "y": y >> 4, "z": z >> 4},
                records=[state << 12 | (x & 15) << 8 | (z & 15) << 4 | y & 15],
            )
        else:
            sim.receive("block_change", location=(x, y, z), type=state)
        if -64 <= y < 320 and -16 <= x < 32 and -16 <= z < 32:
            told[x, y, z] = state
    for (x, y, z), _, _ in changes:
        inside = -16 <= x < 32 and -16 <= z < 32
        ground = 0 if not -64 <= y <= 63 else stone
        expected = told.get((x, y, z), ground if inside else -1)
        assert sim.world.block(x, y, z) == expected


Places = st.integers(-3, 66)
Stacks = st.one_of(st.just(EMPTY), st.builds(slot, st.integers(1, 9), st.integers(1, 64)))
Menus = st.sampled_from([("generic_9x3", 27), ("furnace", 3), ("crafting", 10), ("generic_9x6", 54)])
Steps = st.one_of(
    st.tuples(st.just("set"), st.sampled_from([-2, -1, 0, 1, 2]), Places, Stacks),
    st.tuples(st.just("open"), st.sampled_from([1, 2]), Menus),
    st.tuples(st.just("close")),
    st.tuples(st.just("contents"), st.lists(Stacks, min_size=46, max_size=46)),
    st.tuples(st.just("click"), st.sampled_from([0, 1, 2]), Places),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(Steps, max_size=40))
def test_the_menu_and_the_inventory_never_disagree(steps: list[tuple[Any, ...]]) -> None:
    sim = Simulation()
    world = sim.world
    for step in steps:
        match step:
            case "set", window, place, stack:
                sim.receive("set_slot", windowId=window, slot=place, item=stack)
            case "open", window, (kind, size):
                sim.open_menu(kind, window_id=window, size=size)
            case ("close",):
                sim.receive("close_window", windowId=1)
            case "contents", stacks:
                sim.receive("window_items", windowId=0, items=stacks)
            case "click", window, place:
                world.menus.clicked(window, {place: world.cursor}, None)
        menu = world.menu
        assert len(world.inventory.slots) == 46
        if menu is not None and menu.ready:
            assert menu.slots[menu.own_size : menu.own_size + 36] == world.inventory.slots[9:45]
