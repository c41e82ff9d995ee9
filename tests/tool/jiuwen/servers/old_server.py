"""An MCP server of 2024-11-05 in plain Python, on stdio: one JSON message a line, and nothing newer.

`python old_server.py [silent|babbling|dying]`: never answers the handshake, writes lines that are no JSON
first, ends at once with a word on its standard error.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

TOOLS: list[dict[str, Any]] = [
    {
        "name": "shout",
        "description": "Shouts.",
        "inputSchema": {
            "type": "object",
            "properties": {"text": {"type": "string"}},
            "required": ["text"],
            "additionalProperties": False,
        },
    }
]


def say(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def answer(method: str, params: dict[str, Any]) -> dict[str, Any] | None:
    if method == "initialize":
        return {
            "protocolVersion": "2024-11-05",
            "capabilities": {"tools": {"listChanged": True}},
            "serverInfo": {"name": "old", "version": "1"},
        }
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call" and params["name"] == "shout":
        if params["arguments"]["text"] == "more":
            TOOLS.append({**TOOLS[0], "name": "whisper"})
            say({"method": "notifications/tools/list_changed"})
        text = (
            str(os.getpid()) if params["arguments"]["text"] == "pid" else params["arguments"]["text"].upper()
        )
        return {"content": [{"type": "text", "text": text}]}
    return None


def main() -> None:
    mode = sys.argv[1] if len(sys.argv) > 1 else ""
    if mode == "dying":
        sys.exit("no key in this house")
    if mode == "babbling":
        sys.stdout.write("Welcome to the server!\n")
        sys.stdout.flush()
    for line in sys.stdin:
        message = json.loads(line)
        if mode == "silent" or "id" not in message:
            continue
        result = answer(message["method"], message.get("params") or {})
        if result is not None:
            say({"id": message["id"], "result": result})
        else:
            say({"id": message["id"], "error": {"code": -32601, "message": f"no {message['method']} here"}})


if __name__ == "__main__":
    main()
