"""What the companion carries: holding, wearing, eating, dropping."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from numen.body import eating, inventory
from numen.tool import TaskResult, ToolContext, tool
from tools.support import item_name, perform, present


@tool
async def equip_item(
    context: ToolContext,
    item_id: str,
    slot: Literal["mainhand", "offhand", "head", "chest", "legs", "feet"] | None = None,
) -> TaskResult:
    """Hold or wear something you carry. Armour goes where it belongs, everything else into the main hand.

    Args:
        item_id: The item's id, such as minecraft:stone_pickaxe.
        slot: Where to put it, when not where it belongs.
    """
    body = present(context)
    name = item_name(item_id)
    return await perform(body, "equip_item", inventory.equip(body, name, slot), 5.0)


@tool
async def eat_item(context: ToolContext, item_id: str) -> TaskResult:
    """Eat or drink something you carry.

    Args:
        item_id: The item's id, such as minecraft:bread.
    """
    body = present(context)
    name = item_name(item_id)
    return await perform(body, "eat_item", eating.eat(body, name), 15.0)


@tool
async def drop_items(
    context: ToolContext, item_id: str, count: Annotated[int, Field(ge=1, le=999)]
) -> TaskResult:
    """Throw items away, in front of you.

    Args:
        item_id: The item's id.
        count: How many; more than you carry drops all of them.
    """
    body = present(context)
    name = item_name(item_id)
    return await perform(body, "drop_items", inventory.drop(body, name, count), 10.0)
