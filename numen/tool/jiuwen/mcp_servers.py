"""The MCP servers of a process: their tools in each registry, for as long as they are there.

Each server's tools are registered as `mcp_<server>_<tool>`. They follow the server when it says that its
tools are others now, and a server that goes away is fetched back, with longer and longer pauses; its tools
stay meanwhile, and a call to one tries to connect by itself. A server that cannot be started is named and
skipped, and tried again like one that went away.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from typing import Any

from numen.tool.jiuwen.adapter import AdaptedTool
from numen.tool.jiuwen.mcp import McpServerConfig, McpTool
from numen.tool.jiuwen.mcp_client import McpUnavailable, SdkMcpClient
from numen.tool.registry import DuplicateTool, ToolRegistry

log = logging.getLogger(__name__)

STEADY_S = 60.0
"""A server that was there this long and goes away is fetched back at once; one that keeps falling, slower."""

Pause = Callable[[float], Coroutine[Any, Any, None]]


def doubling(first_s: float = 1.0, longest_s: float = 60.0) -> Iterator[float]:
    """Seconds to wait before each try."""
    delay = first_s
    while True:
        yield delay
        delay = min(delay * 2, longest_s)


class McpServers:
    """Keeps the tools of several servers in one registry or more. `start` it, and `stop` it before the loop
    ends.
    """

    def __init__(
        self,
        configs: Iterable[McpServerConfig],
        *registries: ToolRegistry,
        on_problem: Callable[[str], None] = log.warning,
        delays: Callable[[], Iterator[float]] = doubling,
        pause: Pause = asyncio.sleep,
    ) -> None:
        """`on_problem` gets one sentence for whatever keeps a server or one of its tools out."""
        self._servers = [_Server(each, registries, on_problem, delays, pause) for each in configs]

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

    def origins(self) -> dict[str, str]:
        """By tool, the server that it is from."""
        return {
            tool: f"mcp server {each.name}"
            for each in self._servers
            for shelf in each.shelves
            for tool in shelf.there
        }

    @property
    def connected(self) -> dict[str, bool]:
        """By server name, whether it is there now."""
        return {each.name: each.client.connected for each in self._servers}


class _Server:
    """One server: its client, the names it has in the registry, and the task that looks after both."""

    def __init__(
        self,
        config: McpServerConfig,
        registries: Sequence[ToolRegistry],
        on_problem: Callable[[str], None],
        delays: Callable[[], Iterator[float]],
        pause: Pause,
    ) -> None:
        self.name = config.server_name or config.server_id
        self.client = SdkMcpClient(config, on_tools_changed=self._look_again, on_lost=self._lost)
        self.shelves = [_Shelf(each) for each in registries]
        self._on_problem = on_problem
        self._delays = delays
        self._pause = pause
        self._stale = asyncio.Event()
        self._waits = delays()
        self._up_since = -STEADY_S
        self._fell = False
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
        self._fell = True
        self._stale.set()

    async def _keep(self) -> None:
        """List the tools whenever what is registered may not be true any more, until it succeeds."""
        while True:
            await self._stale.wait()
            if self._fell and not self._was_steady():
                await self._pause(next(self._waits))
            while not await self._listed():
                await self._pause(next(self._waits))

    def _was_steady(self) -> bool:
        steady = asyncio.get_running_loop().time() - self._up_since >= STEADY_S
        if steady:
            self._waits = self._delays()
        return steady

    async def _listed(self) -> bool:
        self._stale.clear()
        self._fell = False
        try:
            self._register(await self.client.tools())
        except Exception as error:
            log.debug("%s", _sentence(self.name, error))
            return False
        return True

    def _register(self, listing: list[McpTool]) -> None:
        self._up_since = asyncio.get_running_loop().time()
        wanted = {each.name: each for each in map(AdaptedTool, listing)}
        problems = {each: None for shelf in self.shelves for each in shelf.put(wanted)}
        for each in problems:
            self._on_problem(f"mcp server {self.name}: {each}")


class _Shelf:
    """What one server has in one registry."""

    def __init__(self, registry: ToolRegistry) -> None:
        self._registry = registry
        self.there: dict[str, AdaptedTool] = {}

    def put(self, wanted: dict[str, AdaptedTool]) -> Iterator[str]:
        """Let the registry have these and no others of the server; yields why one could not be taken.

        What has not changed keeps its place.
        """
        for name in [each for each, tool in self.there.items() if wanted.get(each) != tool]:
            self._registry.remove(name)
            del self.there[name]
        for name, tool in wanted.items():
            if name in self.there:
                continue
            try:
                self._registry.register(tool)
                self.there[name] = tool
            except (DuplicateTool, ValueError) as error:
                yield str(error)


def _sentence(server: str, error: Exception) -> str:
    return str(error) if isinstance(error, McpUnavailable) else f"mcp server {server}: {error}"
