"""What one companion costs: process start to spawn, resident memory and idle CPU, beside a mineflayer bot.

.venv/bin/python -m tests.bench.bench_companion

All are measured from outside, on the same server, in the same run: from the start of the process to its word
that it is in the world; memory once it has all chunks of view distance 10; CPU while it stands there.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import yaml

from protocol import reactor
from tests.bench import node
from tests.e2e.servers import SCRIPTS, Server, node_server

ROOT: Final = Path(__file__).parents[2]
VIEW: Final = 10
STARTS: Final = 5
#: Rest before the idle CPU is measured, and how long that is, in seconds.
SETTLE_S: Final = 3.0
IDLE_S: Final = 10.0


@dataclass
class Figures:
    """What was measured of one kind of client."""

    starts_ms: list[float] = field(default_factory=list)
    memory_mb: float = 0.0
    cpu_percent: float = 0.0
    chunks: int = 0

    @property
    def start_ms(self) -> float:
        return statistics.median(self.starts_ms)


@dataclass(frozen=True)
class Kind:
    """How to start a client of one kind, and how it says that it is in the world."""

    title: str
    command: Sequence[str]
    word: str

    @asynccontextmanager
    async def running(self, name: str) -> AsyncIterator[tuple[int, float]]:
        """Start one; its process id, and how many milliseconds it took to be in the world."""
        command = [each.replace("NAME", name) for each in self.command]
        began = time.perf_counter()
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            cwd=ROOT,
            env={**os.environ, "NUMEN_NODE_MODULES": str(node.modules() or "")},
        )
        assert process.stdout is not None
        try:
            async for line in process.stdout:
                if self.word in line.decode():
                    break
            else:
                raise RuntimeError(f"{self.title} ended before it was in the world")
            took = (time.perf_counter() - began) * 1000
            reading = asyncio.ensure_future(_drain(process.stdout))
            yield process.pid, took
            reading.cancel()
        finally:
            if process.returncode is None:
                process.kill()
            await process.wait()


async def _drain(stream: asyncio.StreamReader) -> None:
    async for _ in stream:
        pass


def kinds(port: int, folder: Path) -> list[Kind]:
    """The clients to compare: the bot first."""
    config = folder / "numen.yaml"
    settings = {
        "server": {"port": port, "view_distance": VIEW},
        "llm": {"provider": "rehearsal"},
        "companions": [{"name": "Companion"}],
        "data": str(folder / "data"),
        "language": "en",
    }
    config.write_text(yaml.safe_dump(settings), encoding="utf-8")
    python = sys.executable
    return [
        Kind("mineflayer", ("node", str(SCRIPTS / "bench_bot.js"), str(port), "NAME"), '"spawn"'),
        Kind("body alone", (python, "-m", "tests.bench.lone_body", str(port), "NAME"), '"spawn"'),
        Kind("numen run", (python, "-m", "numen", "run", "-c", str(config)), "is in minecraft:"),
    ]


def resident_mb(pid: int) -> float:
    """Resident memory of a process, in millions of bytes."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024 / 1e6
    raise RuntimeError(f"process {pid} has no resident memory")


def cpu_seconds(pid: int) -> float:
    """Processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def all_seen(server: Server, name: str) -> int:
    """Wait until a player has all chunks of its view; how many."""
    while True:
        for event in server.events("view_complete"):
            if event["who"] == name:
                return int(event["chunks"])
        await asyncio.sleep(0.2)


async def measure(server: Server, kind: Kind, figures: Figures) -> None:
    """Memory and idle CPU of one client."""
    name = "Companion" if kind.title == "numen run" else f"Idle{len(kind.title)}"
    async with kind.running(name) as (pid, _):
        figures.chunks = await all_seen(server, name)
        await asyncio.sleep(SETTLE_S)
        before, since = cpu_seconds(pid), time.perf_counter()
        await asyncio.sleep(IDLE_S)
        figures.cpu_percent = (cpu_seconds(pid) - before) / (time.perf_counter() - since) * 100
        figures.memory_mb = resident_mb(pid)


async def compare(folder: Path) -> dict[str, Figures]:
    """Everything, on one server of hills."""
    async with node_server(world="hills", view=VIEW, min_pace=20.0) as server:
        rows = kinds(server.port, folder)
        found = {kind.title: Figures() for kind in rows}
        for number in range(-1, STARTS):  # one round for the file cache and the server's terrain
            for kind in rows:
                async with kind.running(f"Start{number + 1}") as (_, took):
                    if number >= 0:
                        found[kind.title].starts_ms.append(took)
        for kind in rows:
            await measure(server, kind, found[kind.title])
    return found


def main() -> None:
    if node.modules() is None:
        print("Node or its packages are missing (make node): there is no server to measure on.")
        return
    if not Path("/proc/self/status").exists():
        print("This system does not tell the memory of processes in /proc.")
        return
    with tempfile.TemporaryDirectory() as folder:
        # As installed: with the bytecode that pip makes. The first round, which isn't counted, writes it.
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = str(Path(folder) / "bytecode")
        found = reactor.run(compare(Path(folder)))
    peer = found["mineflayer"]
    print(f"On hills, view distance {VIEW}, {peer.chunks} chunks:")
    print(f"{'':12} {'start to spawn':>24} {'':>6} {'memory':>9} {'idle CPU':>9}")
    for title, each in found.items():
        start = f"{each.start_ms:7.0f} ms ({min(each.starts_ms):.0f}-{max(each.starts_ms):.0f})"
        share = f"x{each.start_ms / peer.start_ms:.2f}"
        print(f"{title:12} {start:>24} {share:>6} {each.memory_mb:6.0f} MB {each.cpu_percent:7.1f} %")


if __name__ == "__main__":
    main()
