"""The list of what is to do, kept by the model for itself."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

from numen.tool import TaskResult, tool


class Todo(BaseModel):
    """One step of the plan."""

    content: str
    status: Literal["pending", "in_progress", "completed", "cancelled"] = "pending"
    priority: Literal["high", "medium", "low"] = "medium"


@tool
def todowrite(todos: list[Todo]) -> TaskResult:
    """Write down your plan for a job of several phases; each call replaces the whole list. While work
    remains, exactly one entry is in_progress.

    Args:
        todos: Every step, in order.
    """
    listed = [each.model_dump() for each in todos]
    unfinished = [each for each in todos if each.status in ("pending", "in_progress")]
    active = [each for each in todos if each.status == "in_progress"]
    if unfinished and len(active) != 1:
        return TaskResult.fail(
            f"{len(active)} entries are in_progress; while work remains, exactly one has to be. "
            "Send the list again.",
            {"todos": listed},
        )
    return TaskResult.ok(f"{len(unfinished)} of {len(todos)} steps remain.", {"todos": listed})
