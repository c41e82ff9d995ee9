"""What is added to a result so that the model does better next time."""

from __future__ import annotations

from numen.agent.repeats import REMARK, SAME_REMARKED
from numen.tool import TaskResult, ToolFinished, ToolRegistry, UnknownTool

CUT_OFF = "(Your answer was cut off at the length limit in the middle of this call. Send it again, shorter.)"


def with_hints(finished: ToolFinished, registry: ToolRegistry, *, cut_off: bool, times: int) -> str:
    """The text of a result, with the schema of the tool that was meant, or a remark on what went wrong.

    `times` is how often in a row this call has had this result.
    """
    if finished.outcome == "unknown_tool":
        return _unknown(finished, registry)
    if finished.outcome == "bad_arguments" and cut_off:
        return f"{finished.content}\n{CUT_OFF}"
    if finished.ok and times >= SAME_REMARKED:
        return f"{finished.content}\n{REMARK}"
    return finished.content


def _unknown(finished: ToolFinished, registry: ToolRegistry) -> str:
    try:
        registry.resolve(finished.tool)
    except UnknownTool as error:
        if error.nearest is not None:
            schema = registry.resolve(error.nearest).parameter_schema
            return TaskResult.fail(str(error), {"nearest": error.nearest, "parameters": schema}).to_json()
    return finished.content
