"""A tool in its shortest form: a typed function with a docstring. Put the file into config/numen/tools/."""

from typing import Annotated

from pydantic import Field

from numen.api import TaskResult, ToolContext, ToolFailure, tool


@tool
def light_level(
    context: ToolContext,
    x: int,
    y: int,
    z: int,
    below: Annotated[int, Field(ge=0, le=15)] = 8,
) -> TaskResult:
    """Say how light a block is and whether monsters may come there.

    Args:
        x: East of the origin.
        y: Height.
        z: South of the origin.
        below: From which level down it counts as dark.
    """
    body = context.anchor()
    if body is None:
        raise ToolFailure("I am not in the world just now; try again when I am back.")
    light = body.world.light_at(x, y, z)
    if light is None:
        raise ToolFailure("That place is too far away to see; go nearer.")
    level = max(light.block, light.sky)
    dark = "dark" if level < below else "light enough"
    return TaskResult.ok(f"level {level}, {dark}", {"level": level, "dark": level < below})
