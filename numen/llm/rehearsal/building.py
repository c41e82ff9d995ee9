"""Building a hut: earth for it, walls around where it stands, a roof over them.

It is as plain as a hut can be: one cell inside, walls two high with a doorway to the south, a flat roof. The
roof is laid from a step before the door, for whoever stands on the ground sees no top of a wall to put it on.
"""

from __future__ import annotations

from numen.llm.rehearsal.gathering import next_gathering_move
from numen.llm.rehearsal.grammar import Have
from numen.llm.rehearsal.moves import Call, GiveUp, Move
from numen.llm.rehearsal.sayings import say
from numen.llm.rehearsal.story import Step, Story, read_position, read_status

MATERIAL = "dirt"

RING = tuple((x, z) for x in (-1, 0, 1) for z in (-1, 0, 1) if (x, z) != (0, 0))
DOORWAY = (0, 1)
WALLS = tuple((x, y, z) for y in (0, 1) for x, z in RING if (x, z) != DOORWAY)
STEP = (0, 0, 2)
ROOF = (
    (-1, 2, -1),
    (0, 2, -1),
    (1, 2, -1),
    (-1, 2, 0),
    (1, 2, 0),
    (0, 2, 0),
    (-1, 2, 1),
    (1, 2, 1),
    (0, 2, 1),
)
"""From the back to the front, as it can be reached from the step."""

HUT = (*WALLS, STEP, *ROOF)
"""Cells around the feet, in the order in which each has something to be put against."""

TRIES = 2
"""How often each cell is tried."""

GOOD_ENOUGH = 0.75
"""The share of its blocks with which it is a hut."""


def next_building_move(story: Story, at: int, language: str) -> Move | None:
    """The next move towards a hut; None when it stands. Raises GiveUp."""
    for tool in ("get_self_status", "place_block"):
        if tool not in story.tools:
            raise GiveUp(say("no_tool", language, tool=tool))
    placed = _placed(story, at)
    if not placed:
        first = next((step for step in story.since(at) if step.name == "get_self_status" and step.ok), None)
        carried = read_status(first.data).items.get(MATERIAL, 0) if first is not None else 0
        earth = next_gathering_move(story, at, language, [Have(MATERIAL, max(0, len(HUT) - carried))])
        if earth is not None:
            return earth
    origin = _origin(story, at, placed)
    if origin is None:
        return Call("get_self_status", {})
    x, y, z = origin
    tried = [read_position(step.args) for step in placed]
    good = {read_position(step.args) for step in placed if step.ok}

    def next_of(part: tuple[tuple[int, int, int], ...]) -> Call | None:
        cells = [(x + dx, y + dy, z + dz) for dx, dy, dz in part]
        for times in range(TRIES):
            for cell in cells:
                if cell not in good and tried.count(cell) <= times:
                    block = {"block_id": f"minecraft:{MATERIAL}", **dict(zip("xyz", cell, strict=True))}
                    return Call("place_block", block)
        return None

    wall = next_of((*WALLS, STEP))
    if wall is not None:
        return wall
    climbed = any(step.name == "move_to" and step.begun > placed[0].at for step in story.since(at))
    if not climbed and story.can("move_to"):
        return Call("move_to", {"x": x, "y": y + 1, "z": z + STEP[2]})
    roof = next_of(ROOF)
    if roof is not None:
        return roof
    if len(good) < GOOD_ENOUGH * len(HUT):
        raise GiveUp(say("half_built", language, count=len(good), total=len(HUT)))
    return None


def stands(story: Story, at: int) -> tuple[str, int]:
    """(item, count) of what was built."""
    return MATERIAL, sum(step.ok for step in _placed(story, at))


def _placed(story: Story, at: int) -> list[Step]:
    return [
        step
        for step in story.since(at)
        if step.name == "place_block" and str(step.args.get("block_id")) == f"minecraft:{MATERIAL}"
    ]


def _origin(story: Story, at: int, placed: list[Step]) -> tuple[int, int, int] | None:
    """Where it stood when it had all it needed: the middle of the hut."""
    begun = placed[0].at if placed else None
    known = [
        step
        for step in story.since(at)
        if step.name == "get_self_status" and step.ok and (begun is None or step.at < begun)
    ]
    return read_status(known[-1].data).position if known else None
