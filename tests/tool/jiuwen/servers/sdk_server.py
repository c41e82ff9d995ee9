"""An MCP server on the official SDK: `python sdk_server.py NOTES`, on stdio.

`… NOTES sse|http FD` serves HTTP on a listening socket handed down by the test. Each call is noted as one
line of the file NOTES, so that a test can count them after the process is gone.
"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from pathlib import Path
from typing import Any

import uvicorn
from mcp.server.mcpserver import Context, Image, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations

NOTES = Path(sys.argv[1])
server = MCPServer("practice")


def note(line: str) -> None:
    with NOTES.open("a", encoding="utf-8") as notes:
        notes.write(line + "\n")


@server.tool()
def add(a: int, b: int = 2) -> str:
    """Add two numbers."""
    note(f"add {a} {b}")
    return str(a + b)


@server.tool()
def two_texts() -> list[str]:
    """Two blocks of text."""
    return ["one", "two"]


@server.tool()
def picture() -> Image:
    """An image."""
    return Image(data=b"\x89PNG....", format="png")


@server.tool()
def refuse() -> str:
    """Always fails."""
    raise ToolError("the ore is too deep")


@server.tool()
async def wait() -> str:
    """Never answers."""
    note("wait")
    await asyncio.Event().wait()
    return "never"


@server.tool()
def whoami() -> str:
    """The process and a variable of its environment."""
    return f"{os.getpid()} {os.environ.get('MINE', '')} {os.getcwd()}"


@server.tool()
def crash() -> str:
    """Ends the process in the middle of the call."""
    note("crash")
    sys.stderr.write("the roof fell in\n")
    sys.stderr.flush()
    os._exit(3)


@server.tool(annotations=ToolAnnotations(idempotent_hint=True))
def crash_once() -> str:
    """Ends the process the first time and answers the second."""
    note("crash_once")
    if NOTES.read_text(encoding="utf-8").count("crash_once") < 2:
        os._exit(3)
    return "second time"


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def look() -> str:
    """Looks only."""
    return "nothing here"


@server.tool()
async def grow(ctx: Context[Any, Any]) -> str:
    """Adds a tool and says so."""

    def grown() -> str:
        return "grown"

    server.add_tool(grown)
    await ctx.notify_tools_changed()
    return "grown"


@server.resource("note://one")
def one() -> str:
    return "a note"


if __name__ == "__main__":
    if len(sys.argv) > 2:
        app = server.sse_app() if sys.argv[2] == "sse" else server.streamable_http_app()
        listener = socket.socket(fileno=int(sys.argv[3]))
        uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])
    else:
        server.run()
