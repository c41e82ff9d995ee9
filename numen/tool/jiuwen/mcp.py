"""McpTool: a tool of an MCP server, and what is known of such a server.

The connection itself is in mcp_client; anything with its methods will do in its place.
"""

from __future__ import annotations

import inspect
import os
import uuid
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import urlsplit, urlunsplit

from numen.tool.jiuwen.base import Options, Tool
from numen.tool.jiuwen.card import McpToolCard
from numen.tool.jiuwen.errors import StatusCode, fault
from numen.tool.jiuwen.formatting import drop_nulls
from numen.tool.jiuwen.threads import Worker

NO_TIMEOUT = -1.0
"""No limit of the caller's own: the client's default holds."""

TIMEOUT_KEYS = ("operation_timeout", "operationTimeout", "timeout")
ATTEMPTS = "OPENJIUWEN_MCP_RECONNECT_ATTEMPTS"
"""Environment variable: how often an idempotent call is tried when connections break."""

MAX_RESULT = 10 * 1024 * 1024
"""Signs of text that are taken from one result."""

CLIENT_TYPES = ("sse", "stdio", "streamable-http")
_SPELLINGS = {"streamable_http": "streamable-http", "http": "streamable-http"}


class McpConnectionLost(ConnectionError):
    """The connection broke before the answer was there. Whether the call was carried out is not known."""


class McpToolFailed(Exception):
    """The tool ran and says it failed; the message is its own."""


class McpClient(Protocol):
    """What McpTool needs of a connection."""

    def call_tool(
        self, name: str, arguments: dict[str, Any], timeout: float = NO_TIMEOUT
    ) -> Awaitable[Any]: ...


@dataclass
class McpServerConfig:
    """Where an MCP server is and how to talk to it.

    `server_path` is a URL for `sse` and `streamable-http`. For `stdio`, `params` holds command, args, env,
    cwd and encoding_error_handler (strict, ignore, replace), and `server_path` may name the command instead.
    Timeouts are in seconds; NO_TIMEOUT leaves them to the client.
    """

    server_name: str = ""
    server_path: str = ""
    client_type: str = "sse"
    params: dict[str, Any] = field(default_factory=dict)
    auth_headers: dict[str, str] = field(default_factory=dict)
    auth_query_params: dict[str, str] = field(default_factory=dict)
    server_id: str = ""
    connect_timeout_s: float = NO_TIMEOUT
    call_timeout_s: float = NO_TIMEOUT

    def __post_init__(self) -> None:
        """Raises ValueError for a client type there is no client for."""
        self.client_type = _SPELLINGS.get(self.client_type, self.client_type)
        if self.client_type not in CLIENT_TYPES:
            raise ValueError(f"client_type {self.client_type!r} is none of {', '.join(CLIENT_TYPES)}")
        self.server_id = self.server_id.strip() or self.server_name or uuid.uuid4().hex

    @classmethod
    def from_mapping(cls, name: str, settings: Mapping[str, Any]) -> McpServerConfig:
        """A server as configuration files write it: `command`, `args`, `env`, `cwd`, or `url`, `headers`.

        Raises ValueError that says what is missing.
        """
        known = {"type", "command", "args", "env", "cwd", "url", "headers", "query", "timeout"}
        unknown = sorted(set(settings) - known)
        if unknown:
            raise ValueError(f"mcp server {name}: unknown setting {', '.join(unknown)}")
        timeout = float(settings.get("timeout") or NO_TIMEOUT)
        if settings.get("command"):
            params = {key: settings[key] for key in ("command", "args", "env", "cwd") if settings.get(key)}
            return cls(name, client_type="stdio", params=params, call_timeout_s=timeout)
        if not settings.get("url"):
            raise ValueError(f"mcp server {name}: give either `command` or `url`")
        return cls(
            name,
            str(settings["url"]),
            str(settings.get("type") or "streamable-http"),
            auth_headers=dict(settings.get("headers") or {}),
            auth_query_params=dict(settings.get("query") or {}),
            call_timeout_s=timeout,
        )

    def same_connection(self, other: McpServerConfig) -> bool:
        """Whether both would lead to the same server in the same way, whatever they call it."""
        return self._connection() == other._connection()

    def _connection(self) -> tuple[Any, ...]:
        return (
            self.server_path,
            self.client_type,
            self.params,
            self.auth_headers,
            self.auth_query_params,
            self.connect_timeout_s,
            self.call_timeout_s,
        )

    def masked(self) -> dict[str, Any]:
        """The settings as they may be shown: no header, query or environment value among them."""
        params = dict(self.params)
        if isinstance(params.get("env"), Mapping):
            params["env"] = dict.fromkeys(params["env"], "***")
        return {
            "server_name": self.server_name,
            "server_id": self.server_id,
            "server_path": _without_secrets(self.server_path),
            "client_type": self.client_type,
            "params": params,
            "auth_headers": dict.fromkeys(self.auth_headers, "***"),
            "auth_query_params": dict.fromkeys(self.auth_query_params, "***"),
        }

    def __repr__(self) -> str:
        return f"McpServerConfig({self.masked()})"


class McpTool(Tool):
    """A tool of an MCP server. `invoke` returns a map whose `result` is the text the server gave.

    Options: `operation_timeout` (or operationTimeout, or timeout) in seconds; `skip_none_value` (default
    true: nulls are not sent). A call whose connection breaks is made again only when its card says
    idempotent. It cannot stream.
    """

    def __init__(self, card: McpToolCard, client: McpClient, *, include_image_content: bool = False) -> None:
        """`include_image_content` gives the blocks of a result with images as they are, in place of text.

        Raises TOOL_MCP_CLIENT_NOT_SUPPORTED without a client.
        """
        super().__init__(card)
        if client is None:
            raise fault(StatusCode.TOOL_MCP_CLIENT_NOT_SUPPORTED, card=card)
        self._client = client
        self._images = include_image_content

    async def invoke_internal(self, inputs: dict[str, Any], kwargs: Options) -> dict[str, Any]:
        try:
            # The schema comes from the server: it is not trusted with the loop.
            arguments = await self.format_inputs(inputs, kwargs, keep_nulls=True, trusted=False)
            if kwargs.get("skip_none_value", True):
                arguments = drop_nulls(arguments) or {}
            answer = await self._call(arguments, timeout_of(kwargs))
            return {"result": read_result(answer, images=self._images)}
        except Exception as error:
            raise fault(
                StatusCode.TOOL_MCP_EXECUTION_ERROR,
                method="invoke",
                reason=str(error).strip() or type(error).__name__,
                card=self.card,
                cause=error,
            ) from error

    async def _call(self, arguments: dict[str, Any], timeout: float) -> Any:
        tries = attempts() if self.card.idempotent else 1
        while True:
            tries -= 1
            try:
                return await self._once(arguments, timeout)
            except McpConnectionLost:
                if tries <= 0:
                    raise

    async def _once(self, arguments: dict[str, Any], timeout: float) -> Any:
        call = self._client.call_tool
        given: list[Any] = [self.card.name, arguments]
        if _takes_timeout(call):
            given.append(timeout)
        if inspect.iscoroutinefunction(call):
            return await call(*given)
        worker = Worker(f"mcp {self.card.name}")
        try:
            answer = await worker.run(call, *given)
        finally:
            worker.close()
        return await answer if inspect.isawaitable(answer) else answer

    def for_model(self, result: Any) -> Any:
        """The bare text, without the map around it."""
        return result["result"] if isinstance(result, Mapping) and set(result) == {"result"} else result


def timeout_of(kwargs: Mapping[str, Any]) -> float:
    """The caller's limit in seconds: the first of the three keys that is there; NO_TIMEOUT if unreadable."""
    for key in TIMEOUT_KEYS:
        if kwargs.get(key) is not None:
            try:
                return float(kwargs[key])
            except (TypeError, ValueError):
                return NO_TIMEOUT
    return NO_TIMEOUT


def attempts() -> int:
    try:
        return max(1, min(10, int(os.environ.get(ATTEMPTS, "3"))))
    except ValueError:
        return 3


def read_result(answer: Any, *, images: bool = False) -> Any:
    """The text of a result: its text blocks, a blank line between them, a word for what is not text.

    Anything but a result of the MCP SDK passes as it is. Raises McpToolFailed for one that says it failed.
    """
    blocks = getattr(answer, "content", None)
    if not isinstance(blocks, list):
        return answer
    text = "\n\n".join(filter(None, map(_block_text, blocks)))
    if len(text) > MAX_RESULT:
        raise McpToolFailed(f"the result is {len(text)} signs long, at most {MAX_RESULT} are taken")
    if getattr(answer, "is_error", False):
        raise McpToolFailed(text or "the tool failed and does not say why")
    if images and any(getattr(each, "type", "") == "image" for each in blocks):
        return [each.model_dump(mode="json", by_alias=True, exclude_none=True) for each in blocks]
    structured = getattr(answer, "structured_content", None)
    return structured if not text and structured is not None else text


def _block_text(block: Any) -> str:
    kind = getattr(block, "type", "")
    if kind == "text":
        return str(block.text)
    if kind in ("image", "audio"):
        size = len(block.data) * 3 // 4 - block.data[-2:].count("=")
        return f"[{kind}: {block.mime_type}, {size} bytes]"
    if kind == "resource_link":
        return f"[resource {block.name}: {block.uri}]"
    if kind == "resource":
        text = getattr(block.resource, "text", None)
        return str(text) if text is not None else f"[resource: {block.resource.uri}]"
    return str(block)


def _takes_timeout(call: Any) -> bool:
    try:
        parameters = inspect.signature(call).parameters.values()
    except (TypeError, ValueError):
        return True
    by_place = [
        each for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
    ]
    return len(by_place) >= 3 or any(each.kind is each.VAR_POSITIONAL for each in parameters)


def _without_secrets(path: str) -> str:
    if "://" not in path:
        return path
    parts = urlsplit(path)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "***" if parts.query else "", ""))
