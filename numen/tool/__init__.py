"""The tool contract: what a tool is, how a call is parsed, what a result looks like. Knows no Minecraft.

contract     NumenTool, ToolCall, ToolContext
registry     ToolRegistry: names, order, nearest name
args         ToolArgs: one argument at a time, for tools written as classes
extract      reads a function: what it is for, what it takes
decorator    @tool: a typed function becomes a tool
result       TaskResult, ToolFailure
trust        what a model may only do with leave: the gate before powers
dispatcher   runs calls one after another and tells when each begins and ends
hooks        who observes the lifecycle of calls, if anybody
jiuwen       cards, tools and events of openJiuwen, MCP servers and HTTP endpoints; loaded when used
"""

from numen.tool.args import NameChecker, ToolArgs
from numen.tool.contract import BadArguments, NumenTool, ToolCall, ToolContext
from numen.tool.decorator import FunctionTool, tool
from numen.tool.dispatcher import Dispatcher, ToolCalled, ToolEvent, ToolFinished
from numen.tool.registry import Adaptable, DuplicateTool, ToolRegistry, UnknownTool
from numen.tool.result import TaskResult, ToolFailure
from numen.tool.trust import Trust

__all__ = [
    "Adaptable",
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
    "Trust",
    "UnknownTool",
    "tool",
]
