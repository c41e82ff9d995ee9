"""Getting and placing blocks: mine, break, place, pick up."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, Literal

from pydantic import Field

from numen.body import digging, gather, pickup, placing, walk
from numen.body.acts import Verdict
from numen.body.approach import go_where_visible
from numen.body.body import Body
from numen.body.path import goals
from numen.body.prediction import BlockPos
from numen.tool import TaskResult, ToolContext, tool
from tools.support import begin, item_name, known_blocks, known_items, perform, present

#: Walking up to a block and digging or placing it, seconds.
ONE_BLOCK_S: Final = 60.0
#: How far from a broken block its drops are looked for.
DROP_RADIUS: Final = 6.0


@tool
def mine(
    context: ToolContext,
    block_ids: Annotated[list[str], Field(min_length=1)],
    count: Annotated[int, Field(ge=1, le=256)],
    radius: Annotated[int, Field(ge=1, le=96)] = 48,
) -> TaskResult:
    """Mine blocks of the given kinds until you have gained `count` new items from them, or none are left
    (background job). Finds the nearest, walks there, takes the best tool you carry, collects the drops.

    Args:
        block_ids: Kinds that will do, such as ["minecraft:oak_log", "minecraft:birch_log"]; list every ore
            variant.
        count: How many new items you want.
        radius: How far from here to look, in blocks.
    """
    body = present(context)
    names = known_blocks(block_ids)
    return begin(body, "mine", gather.mine(body, names, count, radius=radius), max(90.0, 30.0 * count))


@tool
async def break_block(context: ToolContext, x: int, y: int, z: int) -> TaskResult:
    """Walk within reach of one block and break it, with the best tool you carry; then pick up what it drops.

    Args:
        x: East-west coordinate.
        y: Height.
        z: North-south coordinate.
    """
    body = present(context)
    return await perform(body, "break_block", _break(body, (x, y, z)), ONE_BLOCK_S)


async def _break(body: Body, pos: BlockPos) -> Verdict:
    await go_where_visible(body, pos)
    verdict = await digging.dig(body, pos)
    if not verdict.ok or not verdict.data.get("drops"):
        return verdict
    collected = await pickup.collect(body, verdict.data["drops"], DROP_RADIUS)
    return replace(verdict, data={**verdict.data, "collected": collected.data["collected"]})


@tool
async def place_block(
    context: ToolContext,
    block_id: str,
    x: int,
    y: int,
    z: int,
    facing: Literal["north", "south", "east", "west", "up", "down"] | None = None,
    axis: Literal["x", "y", "z"] | None = None,
    half: Literal["top", "bottom"] | None = None,
) -> TaskResult:
    """Place one block you carry. The coordinate is the cell that the block will fill; it must be empty and
    have a neighbour to attach to. Tells how the block really stands, or which cells nearby would do.

    Args:
        block_id: The block's id, such as minecraft:crafting_table.
        x: East-west coordinate.
        y: Height.
        z: North-south coordinate.
        facing: Which way it should face, where that matters.
        axis: Which way a log or pillar should lie.
        half: Upper or lower half, for slabs, stairs and trapdoors.
    """
    body = present(context)
    name = item_name(block_id)

    async def walk_and_place() -> Verdict:
        goal = goals.InReach(x, y, z)
        if not goals.contains(goal, body.feet):
            arrived = await walk.go_to(body, goal)
            if not arrived.ok:
                return arrived
        return await placing.place(body, name, (x, y, z), facing=facing, axis=axis, half=half)

    return await perform(body, "place_block", walk_and_place(), ONE_BLOCK_S)


@tool
def collect_items(
    context: ToolContext,
    item_ids: list[str] | None = None,
    radius: Annotated[int, Field(ge=1, le=48)] = 16,
) -> TaskResult:
    """Walk to the items that lie around and pick them up (background job).

    Args:
        item_ids: Only these; leave out to take everything.
        radius: How far to go, in blocks.
    """
    body = present(context)
    wanted = None if item_ids is None else known_items(item_ids)
    return begin(body, "collect_items", pickup.collect(body, wanted, radius), 60.0)
