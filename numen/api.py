"""The names for outsiders. Everything that is not here may change without notice.

Write a tool: a typed function with a docstring. `context.anchor()` is the companion's body, or None while it
is not in the world; raise `ToolFailure` to say why something could not be done and what to try.

    from numen.api import TaskResult, ToolContext, ToolFailure, tool

    @tool
    async def count_stacks(context: ToolContext, item_id: str) -> TaskResult: ...
"""

from numen.tool import (
    BadArguments,
    FunctionTool,
    NumenTool,
    TaskResult,
    ToolArgs,
    ToolCall,
    ToolContext,
    ToolFailure,
    ToolRegistry,
    tool,
)

__all__ = [
    "BadArguments",
    "FunctionTool",
    "NumenTool",
    "TaskResult",
    "ToolArgs",
    "ToolCall",
    "ToolContext",
    "ToolFailure",
    "ToolRegistry",
    "tool",
]
