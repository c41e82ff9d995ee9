"""A connection to an MCP server, over the official SDK.

One task of our own opens, keeps and closes each connection, because the SDK insists that whoever opened it
closes it. Calls come from any task. A connection that ends, for whatever reason, is opened again by the next
call; nothing here repeats a call.

The SDK is an extra (`pip install "numen[mcp]"`) and is loaded with the first connection.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

from numen.tool.jiuwen.auth import AuthType, ToolAuthConfig, tool_auth
from numen.tool.jiuwen.card import McpToolCard, McpToolInfo
from numen.tool.jiuwen.mcp import NO_TIMEOUT, McpConnectionLost, McpServerConfig, McpTool
from numen.tool.jiuwen.threads import load

if TYPE_CHECKING:
    import mcp
    import mcp_types

log = logging.getLogger(__name__)

CONNECT_S = 30.0
CALL_S = 60.0
CLOSE_S = 10.0
WORDS_S = 2.0
"""How long the last words of a process that is gone are waited for: a child of its own may hold the pipe."""
MAX_TOOLS = 1000
"""Tools taken from one server: a listing may have pages without end."""

T = TypeVar("T")


class McpUnavailable(Exception):
    """There is no connection to the server, and why."""

    def __init__(self, config: McpServerConfig, reason: str) -> None:
        self.config = config
        self.reason = reason
        super().__init__(f"mcp server {config.server_name or config.server_id} cannot be reached: {reason}")


class SdkMcpClient:
    """A client for one server, whatever the transport.

    `on_tools_changed` is called when the server says that its tools are others now; `on_lost` when a
    connection ends that nobody closed, with the reason. Both on the loop.
    """

    def __init__(
        self,
        config: McpServerConfig,
        *,
        on_tools_changed: Callable[[], None] | None = None,
        on_lost: Callable[[str], None] | None = None,
    ) -> None:
        self.config = config
        self._on_tools_changed = on_tools_changed or (lambda: None)
        self._on_lost = on_lost or (lambda reason: None)
        self._connection: _Connection | None = None
        self._opening = asyncio.Lock()
        self._closed = False

    @property
    def connected(self) -> bool:
        return self._connection is not None and self._connection.alive

    async def connect(self) -> None:
        """Open the connection unless it is open. Raises McpUnavailable with the reason."""
        await self._ready()

    async def disconnect(self, *, for_good: bool = False) -> None:
        """Close the connection, within ten seconds; the next call opens another, unless this was for good."""
        self._closed = self._closed or for_good
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()

    async def list_tools(self) -> list[McpToolCard]:
        """A card for each tool, in the server's order."""
        found: list[McpToolCard] = []
        cursor: str | None = None

        def next_page(session: mcp.Client) -> Awaitable[mcp_types.ListToolsResult]:
            return session.list_tools(cursor=cursor)

        while True:
            page = await self._ask(next_page)
            found.extend(self._card(each) for each in page.tools)
            cursor = page.next_cursor
            if not cursor:
                return found
            if len(found) >= MAX_TOOLS:
                log.warning("mcp server %s lists tools without end", self.config.server_name)
                return found

    async def tools(self) -> list[McpTool]:
        """Every tool of the server, ready to be called."""
        return [McpTool(card, self) for card in await self.list_tools()]

    async def call_tool(
        self, name: str, arguments: dict[str, Any], timeout: float = NO_TIMEOUT
    ) -> mcp_types.CallToolResult:
        """Call a tool; `timeout` in seconds.

        Raises McpConnectionLost when the connection broke under the call, TimeoutError when the answer did
        not come in time, McpUnavailable when there is no connection to begin with.
        """
        return await self._ask(lambda session: session.call_tool(name, arguments), timeout)

    async def get_tool_info(self, name: str) -> McpToolInfo | None:
        """What the server says of one tool, None when it has none of that name."""
        return next((each.tool_info() for each in await self.list_tools() if each.name == name), None)

    async def list_resources(self) -> list[Any]:
        return list((await self._ask(lambda session: session.list_resources())).resources)

    async def read_resource(self, uri: str) -> list[Any]:
        return list((await self._ask(lambda session: session.read_resource(uri))).contents)

    def _card(self, tool: mcp_types.Tool) -> McpToolCard:
        hints = tool.annotations
        reads_only = bool(hints and hints.read_only_hint)
        return McpToolCard(
            f"{self.config.server_id}.{tool.name}",
            tool.name,
            tool.description or "",
            tool.input_schema,
            # Its own word, and all it decides is whether the server gets a call twice.
            idempotent=reads_only or bool(hints and hints.idempotent_hint),
            parallel_safe=reads_only,
            server_name=self.config.server_name,
            server_id=self.config.server_id,
        )

    async def _ask(self, question: Callable[[mcp.Client], Awaitable[T]], timeout: float = NO_TIMEOUT) -> T:
        connection = await self._ready()
        limit = timeout if timeout > 0 else self.config.call_timeout_s
        limit = limit if limit > 0 else CALL_S
        try:
            async with asyncio.timeout(limit):
                return await connection.ask(question)
        except TimeoutError:
            raise TimeoutError(f"no answer within {limit:g} s") from None

    async def _ready(self) -> _Connection:
        async with self._opening:
            if self._closed:
                raise McpUnavailable(self.config, "it was closed for good")
            connection = self._connection
            if connection is None or not connection.alive:
                connection = _Connection(self.config, self._on_tools_changed, self._lost)
                await connection.open()
                self._connection = connection
            return connection

    def _lost(self, reason: str) -> None:
        log.warning("mcp server %s: connection lost (%s)", self.config.server_name, reason)
        self._on_lost(reason)


class _Connection:
    """One connection from its opening to its end, in a task of its own."""

    def __init__(
        self,
        config: McpServerConfig,
        on_tools_changed: Callable[[], None],
        on_lost: Callable[[str], None],
    ) -> None:
        self._config = config
        self._on_tools_changed = on_tools_changed
        self._on_lost = on_lost
        self._session: mcp.Client | None = None
        self._end = asyncio.Event()
        self._ended = asyncio.Event()
        self._closing = False
        self._subscribed = False
        self._failure: BaseException | None = None
        self._words = _LastWords(config.server_name or config.server_id)
        self._task: asyncio.Task[None] | None = None

    @property
    def alive(self) -> bool:
        return self._session is not None and not self._end.is_set() and not self._ended.is_set()

    async def open(self) -> None:
        try:
            sdk = await load("mcp")
        except ImportError as error:
            reason = 'the MCP SDK is not installed; run: pip install "numen[mcp]"'
            raise McpUnavailable(self._config, reason) from error
        _hush()
        opened = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._live(sdk, opened), name=f"mcp {self._config.server_name}")
        limit = self._config.connect_timeout_s if self._config.connect_timeout_s > 0 else CONNECT_S
        try:
            async with asyncio.timeout(limit):
                await opened
        except BaseException as error:
            await self.close()
            if not isinstance(error, Exception):
                raise
            reason = f"no answer within {limit:g} s" if isinstance(error, TimeoutError) else _reason(error)
            raise McpUnavailable(self._config, self._words.beside(reason)) from error

    async def close(self) -> None:
        self._closing = True
        self._end.set()
        task = self._task
        if task is None or task.done():
            return
        if self._session is None:
            task.cancel()  # still opening: it does not look at the event yet
        await asyncio.wait([task], timeout=CLOSE_S)
        if not task.done():
            task.cancel()
            await asyncio.wait([task], timeout=CLOSE_S)

    async def ask(self, question: Callable[[mcp.Client], Awaitable[T]]) -> T:
        """The answer to `question`, or McpConnectionLost as soon as the connection is gone."""
        session = self._session
        if session is None or not self.alive:
            raise McpConnectionLost("the connection is closed")

        async def put() -> T:
            return await question(session)

        asking = asyncio.create_task(put())
        ended = asyncio.create_task(self._ended.wait())
        try:
            await asyncio.wait({asking, ended}, return_when=asyncio.FIRST_COMPLETED)
            if not asking.done():
                # The SDK wakes its callers when a connection ends in order; this is for all other ways.
                raise McpConnectionLost(self._words.beside("the connection ended"))
            try:
                return asking.result()
            except Exception as error:
                if not _is_loss(error):
                    raise
                self._end.set()
                await asyncio.wait({ended}, timeout=WORDS_S)
                raise McpConnectionLost(self._words.beside(_reason(error))) from error
        finally:
            for each in (asking, ended):
                each.cancel()
            await asyncio.gather(asking, ended, return_exceptions=True)

    async def _live(self, sdk: Any, opened: asyncio.Future[None]) -> None:
        try:
            async with (
                self._transport() as transport,
                sdk.Client(
                    _watched(transport, self._end.set),
                    message_handler=self._heard,
                    cache=None,
                    client_info=await _who_we_are(),
                ) as session,
            ):
                self._session = session
                if not opened.done():
                    opened.set_result(None)
                listening = asyncio.create_task(self._listen(session))
                try:
                    await self._end.wait()
                finally:
                    listening.cancel()
                    await asyncio.gather(listening, return_exceptions=True)
        except (Exception, BaseExceptionGroup) as error:
            self._failure = error
        finally:
            self._words.close()
            if not (self._closing and opened.done()):
                await self._words.all_read()
            self._ended.set()
            if not opened.done():
                opened.set_exception(self._failure or McpConnectionLost("the server went away at once"))
                opened.exception()
            elif not self._closing:
                reason = _reason(self._failure) if self._failure else "the server ended it"
                self._on_lost(self._words.beside(reason))

    @asynccontextmanager
    async def _transport(self) -> AsyncIterator[Any]:
        config = self._config
        if config.client_type == "stdio":
            stdio = await load("mcp.client.stdio")
            params = {"command": config.server_path, **config.params}
            wanted = ("command", "args", "env", "cwd", "encoding_error_handler")
            given = stdio.StdioServerParameters(**{k: params[k] for k in wanted if params.get(k)})
            yield stdio.stdio_client(given, errlog=self._words.pipe())
            return
        headers, query = await self._credentials()
        httpx2 = await load("httpx2")

        def client(headers: dict[str, str] | None = headers, timeout: Any = None, auth: Any = None) -> Any:
            limits = timeout or httpx2.Timeout(CONNECT_S, read=300.0)
            return httpx2.AsyncClient(headers=headers, params=query or None, timeout=limits, auth=auth)

        if config.client_type == "sse":
            sse = await load("mcp.client.sse")
            yield sse.sse_client(config.server_path, headers=headers, httpx_client_factory=client)
            return
        http = await load("mcp.client.streamable_http")
        async with client() as opened:
            yield http.streamable_http_client(config.server_path, http_client=opened)

    async def _credentials(self) -> tuple[dict[str, str], dict[str, str]]:
        config = self._config
        wanted = {
            "auth_headers": config.auth_headers or None,
            "auth_query_params": config.auth_query_params or None,
        }
        answer = await tool_auth(
            ToolAuthConfig(AuthType.HEADER_AND_QUERY, wanted, config.client_type, config.server_id)
        )
        provider = answer.auth_data.get("auth_provider")
        if provider is None:
            return {}, {}
        return dict(provider.headers), dict(provider.query)

    async def _heard(self, message: Any) -> None:
        """A notification of the server's, as servers of the handshake era send them."""
        changed = getattr(message, "method", None) == "notifications/tools/list_changed"
        if changed and not self._subscribed:
            self._on_tools_changed()

    async def _listen(self, session: mcp.Client) -> None:
        """The same from servers that are to be asked for it. Those that cannot be asked tell by `_heard`."""
        try:
            tools = session.server_capabilities.tools
            if tools is None or not tools.list_changed:
                return
            async with session.listen(tools_list_changed=True) as changes:
                self._subscribed = True
                async for _ in changes:
                    self._on_tools_changed()
        except Exception as error:
            self._subscribed = False
            log.debug("mcp server %s: no changes are told (%s)", self._config.server_name, _reason(error))


def _hush() -> None:
    """Let the SDK's own log speak only when asked: it prints a traceback for what it also raises."""
    its_log = logging.getLogger("mcp")
    if its_log.level == logging.NOTSET:
        its_log.setLevel(logging.CRITICAL)


async def _who_we_are() -> Any:
    types = await load("mcp_types")
    from importlib import metadata

    try:
        version = metadata.version("numen")
    except metadata.PackageNotFoundError:
        version = "0"
    return types.Implementation(name="numen", version=version)


@asynccontextmanager
async def _watched(transport: Any, ended: Callable[[], None]) -> AsyncIterator[Any]:
    """`transport`, calling `ended` when its reading side does, so that a dead server is known of at once."""
    async with transport as (reading, writing):
        yield _Watched(reading, ended), writing


class _Watched:
    """A stream of messages that says when it is over."""

    def __init__(self, stream: Any, ended: Callable[[], None]) -> None:
        self._stream = stream
        self._ended = ended

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __aiter__(self) -> _Watched:
        return self

    async def __anext__(self) -> Any:
        return await self._next(self._stream.__anext__())

    async def receive(self) -> Any:
        return await self._next(self._stream.receive())

    async def _next(self, coming: Coroutine[Any, Any, T]) -> T:
        try:
            return await coming
        except Exception:
            self._ended()
            raise

    async def __aenter__(self) -> _Watched:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *reason: Any) -> Any:
        return await self._stream.__aexit__(*reason)


class _LastWords:
    """What a server process writes to its standard error: logged, and the end of it kept for an error.

    Its own terminal would be ours otherwise, in the middle of a conversation.
    """

    def __init__(self, server: str) -> None:
        self._log = logging.getLogger(f"{__name__}.{server}")
        self._lines: deque[str] = deque(maxlen=5)
        self._pipe: Any = None
        self._done: asyncio.Future[None] | None = None

    def pipe(self) -> Any:
        """The writing end, for the process."""
        reading, writing = os.pipe()
        self._pipe = os.fdopen(writing, "w")
        loop = asyncio.get_running_loop()
        self._done = loop.create_future()
        threading.Thread(
            target=self._read, args=(reading, loop, self._done), daemon=True, name="mcp stderr"
        ).start()
        return self._pipe

    def _read(self, reading: int, loop: asyncio.AbstractEventLoop, done: asyncio.Future[None]) -> None:
        with os.fdopen(reading, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                if line.strip():
                    self._lines.append(line.strip()[:300])
                    self._log.debug("%s", line.rstrip())
        with suppress(RuntimeError):  # the loop may have ended before the process did
            loop.call_soon_threadsafe(done.set_result, None)

    async def all_read(self) -> None:
        """Wait until everything that was written is in, within reason. To be called after `close`."""
        if self._done is not None:
            await asyncio.wait({self._done}, timeout=WORDS_S)

    def close(self) -> None:
        """Let go of our end; the reader ends with the process."""
        if self._pipe is not None:
            self._pipe.close()
            self._pipe = None

    def beside(self, reason: str) -> str:
        return f"{reason}; its last words: {self._lines[-1]}" if self._lines else reason


def _reason(error: BaseException) -> str:
    """The innermost of what an exception group holds, in words."""
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    return str(error).strip() or type(error).__name__


_LOST_CODES = frozenset({-32000})
"""CONNECTION_CLOSED of the SDK: it says this itself, no server does."""


def _is_loss(error: BaseException) -> bool:
    """Whether an error means that the connection is gone, rather than that the server said no."""
    if isinstance(error, BaseExceptionGroup):
        return any(_is_loss(each) for each in error.exceptions)
    if getattr(error, "code", None) in _LOST_CODES or str(error) == "Session terminated":
        return True
    names = {each.__name__ for each in type(error).__mro__}
    return bool(names & {"ClosedResourceError", "BrokenResourceError", "EndOfStream", "TransportError"})
