"""The job under way: how it stands, and ending it."""

from __future__ import annotations

from typing import Any

from numen.tool import TaskResult, ToolContext, tool
from tools.support import TICKS_A_SECOND, body_of


@tool
def task_status(context: ToolContext) -> dict[str, Any]:
    """Say which background job is running, for how long, and how much time it has left."""
    task = body_of(context).tasks.current
    if task is None:
        return {"state": "idle", "message": "No job is running."}
    status: dict[str, Any] = {
        "task_id": task.id,
        "task": task.name,
        "state": "stopping" if task.stopping else task.state,
        "elapsed_s": round(task.elapsed / TICKS_A_SECOND, 1),
    }
    if task.budget is not None:
        status["budget_left_s"] = round(max(0, task.budget - task.elapsed) / TICKS_A_SECOND, 1)
    return status


@tool
def task_stop(context: ToolContext, task_id: str | None = None) -> TaskResult:
    """Stop the background job. Its task_finished event then says "stopped".

    Args:
        task_id: Stop only if this job is the one running; leave out to stop whatever runs.
    """
    tasks = body_of(context).tasks
    task = tasks.current
    if task is None:
        return TaskResult.fail("No job is running, so there is nothing to stop.")
    if task_id is not None and task_id != task.id:
        return TaskResult.fail(
            f"{task_id} is not running; {task.id} ({task.name}) is. Nothing was stopped.",
            {"task_id": task.id, "task": task.name},
        )
    tasks.cancel("Stopped on request.")
    return TaskResult.ok(f"{task.id} ({task.name}) is being stopped.", {"task_id": task.id})
