"""The openJiuwen tool layer: cards, tools, their lifecycle events, and tools made from functions.

card         ToolCard and what an endpoint is told of it
base         Tool: invoke, stream, and the events around them
events       the names of the events, and Callbacks, which brings them to listeners
function     LocalFunction: a function as a tool
scan         the `@tool` methods of an object
mcp          McpTool: a tool of an MCP server
mcp_client   the connection to one
mcp_servers  keeps the tools of several in a registry
restful      RestfulApi: an HTTP endpoint as a tool
auth         who answers when a tool asks for credentials
adapter      any Tool as a NumenTool, any NumenTool as a Tool
errors       the codes

Nothing here is loaded before somebody uses it.
"""

from numen.tool.hooks import (
    UNCHANGED,
    CallbackFramework,
    callback_framework,
    clear_callback_framework,
    observed_by,
    set_callback_framework,
)
from numen.tool.jiuwen.adapter import as_numen_tool, as_tool
from numen.tool.jiuwen.auth import AuthType, HeaderAndQuery, ToolAuthConfig, ToolAuthResult, register_auth
from numen.tool.jiuwen.base import Tool, ToolStream
from numen.tool.jiuwen.card import McpToolCard, McpToolInfo, ToolCard, ToolInfo
from numen.tool.jiuwen.errors import AbortCall, JiuwenError, StatusCode, fault
from numen.tool.jiuwen.events import BoundArgs, Callbacks, FilterAction, ToolCallEvents
from numen.tool.jiuwen.function import LocalFunction, current_session
from numen.tool.jiuwen.mcp import McpConnectionLost, McpServerConfig, McpTool
from numen.tool.jiuwen.mcp_client import McpUnavailable, SdkMcpClient
from numen.tool.jiuwen.mcp_servers import McpServers
from numen.tool.jiuwen.restful import RestfulApi, RestfulApiCard
from numen.tool.jiuwen.scan import scan

__all__ = [
    "UNCHANGED",
    "AbortCall",
    "AuthType",
    "BoundArgs",
    "CallbackFramework",
    "Callbacks",
    "FilterAction",
    "HeaderAndQuery",
    "JiuwenError",
    "LocalFunction",
    "McpConnectionLost",
    "McpServerConfig",
    "McpServers",
    "McpTool",
    "McpToolCard",
    "McpToolInfo",
    "McpUnavailable",
    "RestfulApi",
    "RestfulApiCard",
    "SdkMcpClient",
    "StatusCode",
    "Tool",
    "ToolAuthConfig",
    "ToolAuthResult",
    "ToolCallEvents",
    "ToolCard",
    "ToolInfo",
    "ToolStream",
    "as_numen_tool",
    "as_tool",
    "callback_framework",
    "clear_callback_framework",
    "current_session",
    "fault",
    "observed_by",
    "register_auth",
    "scan",
    "set_callback_framework",
]
