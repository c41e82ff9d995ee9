"""Servers that nobody of Numen wrote the codec of, started for one test and always ended with it.

async with node_server(world="hills") as server:
    connection = await connect("127.0.0.1", server.port, "Steve")
    ...
assert server.judged["dig_too_fast"] == 0
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

import pytest

SCRIPTS: Final = Path(__file__).parents[1] / "node"
OLDEST_NODE: Final = 20

#: What a client that plays fair never does, whatever the terrain.
NEVER: Final = (
    *("dig_too_fast", "dig_reach", "place_reach", "attack_reach", "attack_bad_target", "click_wrong_window"),
    *("bad_teleport_confirm", "moved_too_quickly", "inside_block"),
)
#: How many of the other judgements a session may bring.
FEW: Final = 3

_LISTENING: Final = re.compile(rb"listening 127\.0\.0\.1:(\d+)")


@dataclass
class Server:
    """One running server process."""

    process: asyncio.subprocess.Process
    port: int
    journal: Path | None = None
    #: Everything the process has printed.
    printed: bytearray = field(default_factory=bytearray)

    @property
    def log(self) -> list[dict[str, Any]]:
        """The journal so far: a dict a line. Empty for a server that keeps none."""
        if self.journal is None or not self.journal.exists():
            return []
        lines = self.journal.read_bytes().split(b"\n")[:-1]  # what comes last may not be whole yet
        return [json.loads(line) for line in lines]

    @property
    def judged(self) -> Counter[str]:
        """How often each thing was done that a client must not do."""
        return Counter(line["judge"] for line in self.log if "judge" in line)

    def events(self, kind: str) -> list[dict[str, Any]]:
        """What the server itself noted: dug, placed, picked_up, hit, killed, damage, eaten, …"""
        return [line for line in self.log if line.get("event") == kind]

    def received(self, packet: str) -> list[dict[str, Any]]:
        """Fields of all packets of one name that clients sent."""
        return [line["data"] for line in self.log if line.get("packet") == packet]

    def assert_fair(self, *, but: Collection[str] = ()) -> None:
        """Nothing was done that never may be, and little of the rest; `but` these kinds are not counted."""
        lines = [line for line in self.log if "judge" in line and line["judge"] not in but]
        assert [line for line in lines if line["judge"] in NEVER] == []
        assert len(lines) <= FEW, lines

    async def kill(self) -> None:
        """End the process at once, as a power cut would."""
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()


def packages() -> Path:
    """The node_modules folder: what NUMEN_NODE_MODULES names, else the one beside the scripts."""
    return Path(os.environ.get("NUMEN_NODE_MODULES") or SCRIPTS / "node_modules").resolve()


def require_node() -> str:
    """The Node program. Without it or its packages the test is skipped, or fails where they are required
    (NUMEN_REQUIRE_NODE=1)."""
    problem = _problem()
    if problem:
        if os.environ.get("NUMEN_REQUIRE_NODE") == "1":
            pytest.fail(problem)
        pytest.skip(problem)
    program = shutil.which("node")
    assert program is not None
    return program


@cache
def _problem() -> str:
    program = shutil.which("node")
    if program is None:
        return f"Node {OLDEST_NODE} or newer is not installed; the independent servers and clients need it."
    version = subprocess.run([program, "--version"], capture_output=True, text=True).stdout.strip()
    if int(version.removeprefix("v").split(".")[0] or 0) < OLDEST_NODE:
        return f"Node {version} is too old for the independent servers: {OLDEST_NODE} or newer is needed."
    if not (packages() / "minecraft-protocol").is_dir():
        return f"The Node packages are not in {packages()}; run `make node` to fetch them."
    return ""


@asynccontextmanager
async def node_process(script: str, *arguments: object) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run a script of tests/node with its packages, its output in a pipe; it is dead afterwards."""
    process = await asyncio.create_subprocess_exec(
        require_node(),
        str(SCRIPTS / script),
        *map(str, arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env={**os.environ, "NUMEN_NODE_MODULES": str(packages()), "NODE_PATH": str(packages())},
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


@asynccontextmanager
async def node_server(
    *,
    world: Literal["flat", "hills", "maze", "palette"] = "flat",
    threshold: int = 256,
    encrypt: bool = False,
    view: int = 6,
    port: int = 0,
    gamemode: str = "survival",
    drop_after_ms: int = 0,
    min_pace: float = 4.0,
) -> AsyncIterator[Server]:
    """The scripted survival server of tests/node/server.js.

    `port` 0 picks a free one. With `drop_after_ms` the first connection breaks so long after it joined.
    """
    with tempfile.TemporaryDirectory() as folder:
        journal = Path(folder) / "journal.jsonl"
        arguments = {
            "port": port,
            "world": world,
            "threshold": threshold,
            "encrypt": int(encrypt),
            "view": view,
            "gamemode": gamemode,
            "drop-after": drop_after_ms,
            "min-pace": min_pace,
            "log": journal,
        }
        flat = [each for name, value in arguments.items() for each in (f"--{name}", value)]
        async with node_process("server.js", *flat) as process, listening(process, journal) as server:
            yield server


@asynccontextmanager
async def flying_squid(
    *, generator: str = "superflat", view: int = 6, port: int = 0
) -> AsyncIterator[Server]:
    """A flying-squid server. It judges nothing and forgives much."""
    arguments = ("--generator", generator, "--view", view, "--port", port)
    async with node_process("flying_squid.js", *arguments) as process, listening(process, None) as server:
        yield server


@asynccontextmanager
async def wire(script: str, *, to: int = 0, required: str = "", session: str = "") -> AsyncIterator[Server]:
    """tests/node/wire.js with one of its scripts."""
    with tempfile.TemporaryDirectory() as folder:
        journal = Path(folder) / "journal.jsonl"
        arguments = (
            "--script",
            script,
            "--log",
            journal,
            "--to",
            to,
            "--required",
            required or ",",
            "--session",
            session,
        )
        async with (
            node_process("wire.js", *arguments) as process,
            listening(process, journal) as server,
        ):
            yield server


async def noted(server: Server, event: str) -> dict[str, Any]:
    """Wait for something to be in the journal. What failed there fails here."""
    while True:
        for line in server.log:
            assert line.get("event") not in ("failed", "error"), line
            if line.get("event") == event:
                return line
        await asyncio.sleep(0.02)


@asynccontextmanager
async def listening(process: asyncio.subprocess.Process, journal: Path | None) -> AsyncIterator[Server]:
    """Wait for the line that names the port; then read on, so that the process never waits for its reader."""
    assert process.stdout is not None
    server = Server(process, 0, journal)
    while not server.port:
        line = await process.stdout.readline()
        server.printed += line
        if not line:
            raise AssertionError(f"the server ended before it listened: {server.printed.decode()}")
        found = _LISTENING.search(line)
        if found:
            server.port = int(found[1])
    reading = asyncio.ensure_future(_drain(process.stdout, server.printed))
    try:
        yield server
    finally:
        reading.cancel()


async def _drain(stream: asyncio.StreamReader, into: bytearray) -> None:
    while piece := await stream.read(4096):
        into += piece
