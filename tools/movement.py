"""Going places, following the owner, standing still."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from numen.body import walk
from numen.body.acts import Verdict, rest
from numen.body.path import goals
from numen.tool import BadArguments, TaskResult, ToolContext, ToolFailure, tool
from tools.support import begin, owner_entity, present

#: A walk may take this long before it is given up; the same call then goes on from there.
BASE_S = 60.0
S_PER_BLOCK = 1.0
LONGEST_S = 600.0


@tool
def move_to(
    context: ToolContext,
    x: float | None = None,
    y: float | None = None,
    z: float | None = None,
    modify_terrain: bool = True,
) -> TaskResult:
    """Walk to a place (background job). Give x, y and z for one exact cell, x and z for that column's
    surface, or y alone to change height where you are.

    Args:
        x: East-west coordinate.
        y: Height.
        z: North-south coordinate.
        modify_terrain: Whether you may dig through and bridge with the blocks you carry where there is no
            open way.
    """
    body = present(context)
    goal = _goal(x, y, z)
    px, py, pz = body.position
    distance = (
        abs((px if x is None else x) - px)
        + abs((pz if z is None else z) - pz)
        + abs((py if y is None else y) - py)
    )
    seconds = min(LONGEST_S, BASE_S + distance * S_PER_BLOCK)
    return begin(
        body, "move_to", walk.go_to(body, goal, may_dig=modify_terrain, may_place=modify_terrain), seconds
    )


def _goal(x: float | None, y: float | None, z: float | None) -> goals.Goal:
    if x is not None and y is not None and z is not None:
        return goals.at(int(x // 1), int(y // 1), int(z // 1))
    if x is not None and z is not None and y is None:
        return goals.column(int(x // 1), int(z // 1))
    if y is not None and x is None and z is None:
        return goals.height(int(y // 1))
    raise BadArguments(
        "give x, y and z for an exact place, x and z for the surface there, or y alone to change height"
    )


@tool
def follow(context: ToolContext, distance: Annotated[int, Field(ge=2, le=16)] = 3) -> TaskResult:
    """Follow your owner until you are told otherwise (background job without an end; task_stop ends it).

    Args:
        distance: How close to stay, in blocks.
    """
    body = present(context)
    if context.owner is None:
        raise ToolFailure("I have no owner to follow; an owner can be named in the configuration.")
    return begin(
        body, "follow", walk.follow(body, lambda: owner_entity(body, context), distance=distance), None
    )


@tool
def wait(
    context: ToolContext, seconds: Annotated[int, Field(ge=1, le=60)], reason: str | None = None
) -> TaskResult:
    """Stand still for a while (background job); the task_finished event is the alarm.

    Args:
        seconds: How long.
        reason: What you wait for.
    """
    body = present(context)

    async def stand() -> Verdict:
        await rest(seconds * 20)
        return Verdict(True, f"Waited {seconds} s{f' for {reason}' if reason else ''}.")

    return begin(body, "wait", stand(), seconds + 2.0)
