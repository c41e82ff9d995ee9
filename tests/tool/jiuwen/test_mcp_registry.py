"""The tools of MCP servers in a registry: there at the start, true afterwards, back after a crash."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from numen.tool import Dispatcher, FunctionTool, ToolContext, ToolRegistry, tool
from numen.tool.jiuwen import McpServerConfig
from numen.tool.jiuwen.mcp_servers import McpServers, doubling

SERVERS = Path(__file__).parent / "servers"
CTX = ToolContext(companion="Numen")


def on_stdio(name: str, script: str, *args: Any) -> McpServerConfig:
    settings = {"command": sys.executable, "args": [str(SERVERS / script), *map(str, args)]}
    return McpServerConfig.from_mapping(name, settings)


class Changed(ToolRegistry):
    """A registry that can be waited on."""

    def __init__(self) -> None:
        super().__init__()
        self.happened = asyncio.Event()

    def register(self, tool: Any) -> None:
        super().register(tool)
        self.happened.set()

    def remove(self, name: str) -> bool:
        self.happened.set()
        return super().remove(name)

    async def until(self, name: str, *, there: bool = True) -> None:
        while (name in self) is not there:
            self.happened.clear()
            await self.happened.wait()


@asynccontextmanager
async def started(
    registry: ToolRegistry, *configs: McpServerConfig, **options: Any
) -> AsyncIterator[McpServers]:
    servers = McpServers(configs, registry, **options)
    await servers.start()
    try:
        yield servers
    finally:
        await servers.stop()


async def run(registry: ToolRegistry, name: str, raw: str = "{}") -> str:
    return (await Dispatcher(registry).run("c1", name, raw, CTX)).content


def named(name: str) -> FunctionTool:
    def function() -> None:
        """Ours."""

    return tool(name=name)(function)


async def test_tools_are_registered_in_the_order_of_the_configuration(tmp_path: Path) -> None:
    registry = ToolRegistry()
    registry.register(named("jump"))

    slow = on_stdio("slow", "sdk_server.py", tmp_path / "notes")
    async with started(registry, slow, on_stdio("quick", "old_server.py")) as servers:
        names = [each.name for each in registry]
        assert names[0] == "jump"
        assert names[1] == "mcp_slow_add"
        assert names[-1] == "mcp_quick_shout"
        assert servers.connected == {"slow": True, "quick": True}
        assert await run(registry, "mcp_quick_shout", '{"text": "hi"}') == "HI"


async def test_a_server_that_cannot_be_reached_is_named_and_the_others_are_there() -> None:
    registry = ToolRegistry()
    problems: list[str] = []

    async with started(
        registry,
        on_stdio("broken", "old_server.py", "dying"),
        on_stdio("fine", "old_server.py"),
        on_problem=problems.append,
    ) as servers:
        assert [each.name for each in registry] == ["mcp_fine_shout"]
        assert servers.connected == {"broken": False, "fine": True}

    assert len(problems) == 1
    assert "mcp server broken cannot be reached" in problems[0]
    assert "no key in this house" in problems[0]


async def test_a_server_that_was_not_there_at_the_start_comes_later(tmp_path: Path) -> None:
    script = tmp_path / "server.py"
    script.write_text("raise SystemExit('not yet')", encoding="utf-8")
    registry = Changed()
    pauses: list[float] = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 3:
            script.write_bytes((SERVERS / "old_server.py").read_bytes())

    settings = {"command": sys.executable, "args": [str(script)]}
    config = McpServerConfig.from_mapping("late", settings)
    async with started(registry, config, pause=pause, on_problem=lambda problem: None):
        await registry.until("mcp_late_shout")

    assert pauses == [1.0, 2.0, 4.0]


async def test_a_new_tool_of_a_server_is_there_without_a_restart() -> None:
    registry = Changed()
    async with started(registry, on_stdio("old", "old_server.py")):
        await run(registry, "mcp_old_shout", '{"text": "more"}')
        await registry.until("mcp_old_whisper")

        assert [each.name for each in registry] == ["mcp_old_shout", "mcp_old_whisper"]


async def test_a_crashed_server_comes_back_by_itself_and_its_new_self_counts() -> None:
    registry = Changed()
    problems: list[str] = []

    async def pause(seconds: float) -> None:
        await asyncio.sleep(0)

    async with started(
        registry, on_stdio("old", "old_server.py"), on_problem=problems.append, pause=pause
    ) as servers:
        await run(registry, "mcp_old_shout", '{"text": "more"}')
        await registry.until("mcp_old_whisper")
        process = int(await run(registry, "mcp_old_shout", '{"text": "pid"}'))
        os.kill(process, 9)
        # The new process has forgotten the second tool.
        await registry.until("mcp_old_whisper", there=False)

        assert servers.connected == {"old": True}
        assert await run(registry, "mcp_old_shout", '{"text": "hi"}') == "HI"

    assert len(problems) == 1
    assert "mcp server old went away" in problems[0]


async def test_a_name_that_is_taken_stays_with_the_first() -> None:
    registry = ToolRegistry()
    registry.register(named("mcp_old_shout"))
    problems: list[str] = []

    async with started(registry, on_stdio("old", "old_server.py"), on_problem=problems.append):
        assert isinstance(registry.resolve("mcp_old_shout"), FunctionTool)

    assert problems == [
        "mcp server old: a tool named 'mcp_old_shout' is already registered; choose another name"
    ]


async def test_after_the_end_a_tool_fails_and_starts_nothing() -> None:
    registry = ToolRegistry()
    async with started(registry, on_stdio("old", "old_server.py")) as servers:
        pass

    assert "it was closed for good" in await run(registry, "mcp_old_shout", '{"text": "hi"}')
    assert servers.connected == {"old": False}


async def test_without_the_sdk_the_problem_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    problems: list[str] = []

    async with started(ToolRegistry(), on_stdio("old", "old_server.py"), on_problem=problems.append):
        pass

    assert 'pip install "numen[mcp]"' in problems[0]


def test_pauses_double_up_to_a_minute() -> None:
    pauses = doubling()

    assert [next(pauses) for _ in range(8)] == [1, 2, 4, 8, 16, 32, 60, 60]
