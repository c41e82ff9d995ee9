"""The names for outsiders. Everything that is not here may change without notice.

Three doors lead in, and one out:

- **A tool of one's own**: a typed function with a docstring, or a class with four members, put into
  `ToolRegistry.register`. `context.anchor()` is the companion's body, or None while it is not in the world;
  raise `ToolFailure` to say why something could not be done and what to try.
- **Words**: `NumenGateway.enqueue` hands a line to a companion as its owner's.
- **The body**: `NumenActuator` lets an outside brain take a body over, run its tools and hand it back.
- **What happens**: `Numen.live.subscribe()` gives every `LiveEvent` of every request: words as they are
  streamed, the tool at work, how it ended (`LiveKind`).

A bridge is a Python file in `config/numen/bridges/` (or a distribution with the entry point `numen.bridges`)
with ``async def start(numen: Numen)``; `numen run` starts it and hands it all of them.

`Fleet` holds the companions of the process and is what the doors are made of; `NumenPlayer` is one of their
bodies, with whose it is and what it carries. `examples/` has a small program for each, which the tests run.

The openJiuwen layer (cards, LocalFunction, RestfulApi, McpTool, the events of a call) is loaded by the first
use of one of its names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numen.agent.inbox import Event
from numen.agent.live import Kind as LiveKind
from numen.agent.live import LiveBus, LiveEvent, Subscription, ToolStatus, tool_status
from numen.doors import CompanionInfo, Fleet, Numen, NumenActuator, NumenGateway, NumenPlayer, Reply
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

if TYPE_CHECKING:
    from numen.tool.jiuwen import (
        AbortCall,
        Callbacks,
        JiuwenError,
        LocalFunction,
        McpServerConfig,
        McpTool,
        McpToolCard,
        RestfulApi,
        RestfulApiCard,
        SdkMcpClient,
        StatusCode,
        Tool,
        ToolCallEvents,
        ToolCard,
        ToolInfo,
        as_numen_tool,
        as_tool,
        observed_by,
        scan,
        set_callback_framework,
    )

__all__ = [
    "AbortCall",
    "BadArguments",
    "Callbacks",
    "CompanionInfo",
    "Event",
    "Fleet",
    "FunctionTool",
    "JiuwenError",
    "LiveBus",
    "LiveEvent",
    "LiveKind",
    "LocalFunction",
    "McpServerConfig",
    "McpTool",
    "McpToolCard",
    "Numen",
    "NumenActuator",
    "NumenGateway",
    "NumenPlayer",
    "NumenTool",
    "Reply",
    "RestfulApi",
    "RestfulApiCard",
    "SdkMcpClient",
    "StatusCode",
    "Subscription",
    "TaskResult",
    "Tool",
    "ToolArgs",
    "ToolCall",
    "ToolCallEvents",
    "ToolCard",
    "ToolContext",
    "ToolFailure",
    "ToolInfo",
    "ToolRegistry",
    "ToolStatus",
    "as_numen_tool",
    "as_tool",
    "observed_by",
    "scan",
    "set_callback_framework",
    "tool",
    "tool_status",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # What is imported above never gets here; the rest is the openJiuwen layer.
    from numen.tool import jiuwen

    return getattr(jiuwen, name)
