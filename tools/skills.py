"""Reading up how something is done."""

from __future__ import annotations

from numen.tool import ToolContext, ToolFailure, tool
from skills import SkillShelf, UnknownSkill


@tool
def load_skill(context: ToolContext, name: str, file: str | None = None) -> str:
    """Read a skill: how something is done, step by step. Do so before a job that a listed skill covers.

    Args:
        name: The skill's name, as listed.
        file: A support file of the skill, where its text names one.
    """
    shelf = context.service(SkillShelf)
    try:
        return shelf.wrapped(name, file)
    except UnknownSkill as error:
        raise ToolFailure(str(error), {"available": error.available}) from None
