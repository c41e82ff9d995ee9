"""The tool contract: what a tool is, how a call is parsed, what a result looks like. Knows no Minecraft.

contract     NumenTool, ToolCall, ToolContext
registry     ToolRegistry: names, order, nearest name
args         ToolArgs: one argument at a time, for tools written as classes
decorator    @tool: a typed function becomes a tool
result       TaskResult, ToolFailure
dispatcher   runs calls one after another and tells when each begins and ends
"""

from numen.tool.args import NameChecker, ToolArgs
from numen.tool.contract import BadArguments, NumenTool, ToolCall, ToolContext
from numen.tool.decorator import FunctionTool, tool
from numen.tool.dispatcher import Dispatcher, ToolCalled, ToolEvent, ToolFinished
from numen.tool.registry import DuplicateTool, ToolRegistry, UnknownTool
from numen.tool.result import TaskResult, ToolFailure

__all__ = [
    "BadArguments",
    "Dispatcher",
    "DuplicateTool",
    "FunctionTool",
    "NameChecker",
    "NumenTool",
    "TaskResult",
    "ToolArgs",
    "ToolCall",
    "ToolCalled",
    "ToolContext",
    "ToolEvent",
    "ToolFailure",
    "ToolFinished",
    "ToolRegistry",
    "UnknownTool",
    "tool",
]
