"""Recipes and crafting."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Final

from pydantic import Field

from numen.body import crafting
from numen.tool import TaskResult, ToolContext, tool
from protocol.game import GAME, Recipe
from tools.support import item_name, perform, present

MAX_RECIPES: Final = 4


@tool
async def craft(
    context: ToolContext, item_id: str, count: Annotated[int, Field(ge=1, le=256)] = 1
) -> TaskResult:
    """Craft something from what you carry: in your own 2×2 grid, or at a crafting table nearby, which is
    opened and closed for you. Tells what is missing when it cannot be done.

    Args:
        item_id: What to make, such as minecraft:wooden_pickaxe.
        count: How many items you want; recipes that yield several may give a few more.
    """
    body = present(context)
    name = item_name(item_id)
    return await perform(body, "craft", crafting.craft(body, name, count), 60.0)


@tool
def lookup_recipe(item_id: str) -> dict[str, Any]:
    """How something is crafted: the grid or the list of ingredients, at most four ways.

    Args:
        item_id: What you want to make.
    """
    item = GAME.item(item_name(item_id))
    ways = _ways(GAME.recipes_for(item.id))
    told: dict[str, Any] = {"item": item.name, "recipes": ways[:MAX_RECIPES]}
    if not ways:
        told["message"] = f"{item.name} has no crafting recipe; it may be smelted, mined, traded or dropped."
    elif len(ways) > MAX_RECIPES:
        told["more"] = len(ways) - MAX_RECIPES
    return told


def _ways(recipes: Iterable[Recipe]) -> list[dict[str, Any]]:
    """The recipes as text; those that differ only in the kind of one ingredient (any planks) are told
    once.
    """
    ways: dict[Any, dict[str, Any]] = {}
    for recipe in recipes:
        if recipe.shape is not None:
            grid = [[_common(cell) for cell in row] for row in recipe.shape]
            key: Any = ("shaped", tuple(map(tuple, grid)))
            way: dict[str, Any] = {"grid": grid}
        else:
            needed = sorted(_common(each) for each in recipe.ingredients or ())
            key = ("shapeless", tuple(needed))
            way = {"ingredients": needed}
        ways.setdefault(
            key,
            {**way, "makes": recipe.result_count, "needs_crafting_table": not recipe.fits_2x2},
        )
    return list(ways.values())


#: Kinds of wood and stone that stand for one another in recipes, by the end of their names.
_FAMILIES: Final = ("_planks", "_log", "_stem", "_wool", "_wooden_slab")


def _common(item_id: int | None) -> str:
    if item_id is None:
        return ""
    name = GAME.item_by_id(item_id).name
    family = next((end for end in _FAMILIES if name.endswith(end)), None)
    return f"any {family.lstrip('_')}" if family else name
