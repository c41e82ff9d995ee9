"""The MCP servers of a process: their tools in a registry, for as long as they are there.

Each server's tools are registered as `mcp_<server>_<tool>`. They follow the server when it says that its
tools are others now, and a server that goes away is fetched back, with longer and longer pauses; its tools
stay meanwhile, and a call to one tries to connect by itself. A server that cannot be started is named and
skipped, and tried again like one that went away.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterable, Iterator
from typing import Any

from numen.tool.jiuwen.adapter import AdaptedTool
from numen.tool.jiuwen.mcp import McpServerConfig, McpTool
from numen.tool.jiuwen.mcp_client import McpUnavailable, SdkMcpClient
from numen.tool.registry import DuplicateTool, ToolRegistry

log = logging.getLogger(__name__)

Pause = Callable[[float], Coroutine[Any, Any, None]]


def doubling(first_s: float = 1.0, longest_s: float = 60.0) -> Iterator[float]:
    """Seconds to wait before each try."""
    delay = first_s
    while True:
        yield delay
        delay = min(delay * 2, longest_s)


class McpServers:
    """Keeps the tools of several servers in one registry. `start` it, and `stop` it before the loop ends."""

    def __init__(
        self,
        configs: Iterable[McpServerConfig],
        registry: ToolRegistry,
        *,
        on_problem: Callable[[str], None] = log.warning,
        delays: Callable[[], Iterator[float]] = doubling,
        pause: Pause = asyncio.sleep,
    ) -> None:
        """`on_problem` gets one sentence for whatever keeps a server or one of its tools out."""
        self._servers = [_Server(each, registry, on_problem, delays, pause) for each in configs]

    async def start(self) -> None:
        """Connect to every server, side by side, and register what they have.

        Raises nothing: what cannot be reached is a problem, and is tried again in the background.
        """
        listings = await asyncio.gather(*(each.first_listing() for each in self._servers))
        # Only now, and in the order of the configuration: the order of tools is part of the prompt.
        for server, listing in zip(self._servers, listings, strict=True):
            server.begin(listing)

    async def stop(self) -> None:
        """Close every connection. The tools stay registered, and fail from now on."""
        await asyncio.gather(*(each.stop() for each in self._servers))

    @property
    def connected(self) -> dict[str, bool]:
        """By server name, whether it is there now."""
        return {each.name: each.client.connected for each in self._servers}


class _Server:
    """One server: its client, the names it has in the registry, and the task that looks after both."""

    def __init__(
        self,
        config: McpServerConfig,
        registry: ToolRegistry,
        on_problem: Callable[[str], None],
        delays: Callable[[], Iterator[float]],
        pause: Pause,
    ) -> None:
        self.name = config.server_name or config.server_id
        self.client = SdkMcpClient(config, on_tools_changed=self._look_again, on_lost=self._lost)
        self._registry = registry
        self._on_problem = on_problem
        self._delays = delays
        self._pause = pause
        self._registered: dict[str, AdaptedTool] = {}
        self._stale = asyncio.Event()
        self._keeper: asyncio.Task[None] | None = None

    async def first_listing(self) -> list[McpTool] | None:
        try:
            return await self.client.tools()
        except Exception as error:
            self._on_problem(_sentence(self.name, error))
            return None

    def begin(self, listing: list[McpTool] | None) -> None:
        if listing is None:
            self._stale.set()
        else:
            self._register(listing)
        self._keeper = asyncio.create_task(self._keep(), name=f"mcp {self.name} keeper")

    async def stop(self) -> None:
        keeper, self._keeper = self._keeper, None
        if keeper is not None:
            keeper.cancel()
            await asyncio.gather(keeper, return_exceptions=True)
        await self.client.disconnect(for_good=True)

    def _look_again(self) -> None:
        self._stale.set()

    def _lost(self, reason: str) -> None:
        if self._keeper is not None:
            self._on_problem(f"mcp server {self.name} went away ({reason}); fetching it back")
        self._stale.set()

    async def _keep(self) -> None:
        """List the tools whenever what is registered may not be true any more, until it succeeds."""
        while True:
            await self._stale.wait()
            for delay in self._delays():
                self._stale.clear()
                try:
                    self._register(await self.client.tools())
                    break
                except Exception as error:
                    log.debug("%s", _sentence(self.name, error))
                await self._pause(delay)

    def _register(self, listing: list[McpTool]) -> None:
        wanted = {each.name: each for each in map(AdaptedTool, listing)}
        for name in [each for each in self._registered if each not in wanted]:
            self._registry.remove(name)
            del self._registered[name]
        for name, tool in wanted.items():
            if self._registered.get(name) == tool:
                continue
            if name in self._registered:
                self._registry.remove(name)
                del self._registered[name]
            try:
                self._registry.register(tool)
                self._registered[name] = tool
            except (DuplicateTool, ValueError) as error:
                self._on_problem(f"mcp server {self.name}: {error}")


def _sentence(server: str, error: Exception) -> str:
    return str(error) if isinstance(error, McpUnavailable) else f"mcp server {server}: {error}"
