"""Fighting."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from numen.body import combat
from numen.tool import TaskResult, ToolContext, tool
from tools.support import begin, present


@tool
def attack(
    context: ToolContext, entity_ids: Annotated[list[int], Field(min_length=1, max_length=20)]
) -> TaskResult:
    """Fight the given beings until they are dead (background job): walks up to them, strikes with your best
    weapon at full strength, collects what they drop.

    Args:
        entity_ids: The ids that scan_nearby_entities told, in the order you want them.
    """
    body = present(context)
    ids = list(dict.fromkeys(entity_ids))
    seconds = min(600.0, max(120.0, 60.0 * len(ids)))
    return begin(body, "attack", combat.attack(body, ids), seconds)
