"""`numen run` with bridges and MCP servers: both are there beside the companions, and end with them."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from numen import app, bridges
from numen.config import parse
from numen.console import Console
from numen.doors import Fleet, Numen, NumenGateway
from numen.sandbox.server import start_sandbox
from numen.testing.endpoint import RecordedRequest, Reply, ScriptedEndpoint, calls, says
from tests.tool.jiuwen.test_mcp_servers import handed_down, over_http

ROOT = Path(__file__).parents[2]
OLD_SERVER = ROOT / "tests/tool/jiuwen/servers/old_server.py"

#: Keeps what it was handed where the test finds it, and says how it ended.
KEEPER = """
import asyncio
from numen.api import Numen

handed, ended = [], []

async def start(numen: Numen) -> None:
    handed.append(numen)
    try:
        await asyncio.Event().wait()
    finally:
        ended.append("cancelled")
"""


@dataclass
class RunningApp:
    numen: Numen
    endpoint: ScriptedEndpoint
    ended: list[str]

    async def until_known(self, *tools: str) -> None:
        """Wait until the companion has these tools."""
        (companion,) = self.numen.fleet.all()
        while not all(each in companion.mind.registry for each in tools):
            await asyncio.sleep(0.02)


@asynccontextmanager
async def running(
    folder: Path, brain: Any, files: dict[str, str], **settings: Any
) -> AsyncIterator[RunningApp]:
    """`numen run` on the test's loop, with these bridges, until the test is over."""
    house = folder / "bridges"
    house.mkdir()
    for name, text in {**files, "keeper.py": KEEPER}.items():
        (house / name).write_text(text, encoding="utf-8")
    sandbox = await start_sandbox(seed=1, world="flat", mobs=False, view_distance=2)
    try:
        async with ScriptedEndpoint(brain=brain) as endpoint:
            config = parse(
                {
                    "server": {"port": sandbox.port, "reconnect_for_s": 0},
                    "llm": {"model": "test", "base_url": endpoint.url},
                    "companions": [{"name": "Ann"}],
                    "data": str(folder / "data"),
                    "tools": str(folder / "tools"),
                    "bridges": str(house),
                    **settings,
                },
                environment={},
            )
            life = asyncio.ensure_future(app.run(config, Console("en"), interactive=False))
            while "numen_user_bridges.keeper" not in sys.modules or not keeper().handed:
                await asyncio.sleep(0.01)
            numen, ended = keeper().handed[0], keeper().ended
            try:
                yield RunningApp(numen, endpoint, ended)
            finally:
                for each in numen.fleet.all():
                    each.leave()
                assert await life == 0
    finally:
        sys.modules.pop("numen_user_bridges.keeper", None)
        await sandbox.stop()


def keeper() -> Any:
    return sys.modules["numen_user_bridges.keeper"]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def opened(port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection to somebody who is about to listen."""
    while True:
        with contextlib.suppress(ConnectionRefusedError):
            return await asyncio.open_connection("127.0.0.1", port)
        await asyncio.sleep(0.02)


async def test_the_example_bridge_carries_lines_in_a_run(tmp_path: Path) -> None:
    port = free_port()
    own = tmp_path / "data/bridges/line"
    own.mkdir(parents=True)
    (own / "port.txt").write_text(str(port))
    files = {"line.py": (ROOT / "examples/bridge.py").read_text("utf-8")}

    async with running(tmp_path, lambda request: says("On my way."), files) as run:
        reading, writing = await opened(port)
        writing.write(b"Ann come here\nBob come here\nAnn \n")
        answers = [await reading.readline() for _ in range(3)]
        writing.close()
        asked = await run.endpoint.wait_for_requests(1)

    assert answers == [b"taken\n", b"nobody took that\n", b"taken\n"]
    assert "<query>[line] come here</query>" in asked.messages[-1]["content"]
    assert run.ended == ["cancelled"]
    with pytest.raises(OSError):
        await asyncio.open_connection("127.0.0.1", port)


@handed_down
async def test_the_tools_of_mcp_servers_are_called_in_a_run(tmp_path: Path) -> None:
    def brain(request: RecordedRequest) -> Reply:
        last = request.messages[-1]
        if last["role"] == "tool":
            return says(f"It is {last['content']}.")
        if "sum" in last["content"]:
            return calls(("mcp_far_add", {"a": 40}))
        return calls(("mcp_near_shout", {"text": "hi"}))

    with over_http(tmp_path / "notes", "http") as (far, _):
        near = {"command": sys.executable, "args": [str(OLD_SERVER)]}
        gone = {"command": "/no/such/server"}
        mcp = {"gone": gone, "near": near, "far": {"url": far.server_path}}
        async with running(tmp_path, brain, {}, mcp=mcp) as run:
            await run.until_known("mcp_near_shout", "mcp_far_add")
            uuid = run.numen.uuid_of("ann")
            assert uuid is not None
            assert run.numen.gateway.enqueue(uuid, "what is the sum?")
            await run.endpoint.wait_for_requests(2)
            (companion,) = run.numen.fleet.all()
            await companion.mind.rest()
            assert run.numen.gateway.enqueue(uuid, "and now shout")
            await run.endpoint.wait_for_requests(4)
            await companion.mind.rest()
            said = [each.content for each in companion.mind.history.messages][-1]

    first, *_, last = run.endpoint.requests
    assert [each for each in first.tool_names if each.startswith("mcp_near")] == ["mcp_near_shout"]
    assert first.tool_names.index("mcp_near_shout") < first.tool_names.index("mcp_far_add")
    assert said == "It is HI."
    assert last.messages[-1]["content"] == "HI"


async def test_a_broken_bridge_is_named_and_the_others_run(tmp_path: Path) -> None:
    house = tmp_path / "bridges"
    house.mkdir()
    began = asyncio.Event()
    for name, text in {
        "a_broken.py": "import nothing_like_that",
        "b_empty.py": "x = 1",
        "c_plain.py": "def start(numen): pass",
        "d_failing.py": "async def start(numen): raise RuntimeError('no key for the room')",
        "e_good.py": "began = []\nasync def start(numen): began.append(numen.files().name)",
    }.items():
        (house / name).write_text(text, encoding="utf-8")
    problems: list[str] = []

    def problem(text: str) -> None:
        problems.append(text)
        if "no key for the room" in text:
            began.set()

    fleet = Fleet()
    numen = Numen(fleet, NumenGateway(fleet), tmp_path / "data")
    async with bridges.running(house, numen, problem):
        await began.wait()
        while not (tmp_path / "data/e_good").is_dir():
            await asyncio.sleep(0)

    assert [each.split(":")[0].removeprefix(str(house)) for each in problems] == [
        "/a_broken.py",
        "/b_empty.py",
        "/c_plain.py",
        "the bridge d_failing has failed and is over",
    ]
    assert "No module named 'nothing_like_that'" in problems[0]
    assert "is no bridge; a bridge has `async def start(numen)`" in problems[1]
    assert problems[3].endswith("RuntimeError: no key for the room")


async def test_a_run_without_bridges_needs_no_folder(tmp_path: Path) -> None:
    fleet = Fleet()
    async with bridges.running(tmp_path / "none", Numen(fleet, NumenGateway(fleet), tmp_path)):
        pass
    assert list(tmp_path.iterdir()) == []
