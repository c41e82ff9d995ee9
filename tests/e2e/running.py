"""`numen run` as a process of its own, its owner in the game, and a model that follows a plan."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from collections.abc import AsyncIterator, Callable, Generator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import yaml

from numen.testing.endpoint import Brain, RecordedRequest, Reply, calls, says
from protocol.connection import Connection, connect

ROOT: Final = Path(__file__).parents[2]
NAME: Final = "Numen"
OWNER: Final = "Steve"

#: A plan yields tool calls (name, arguments), is sent what came of each (the data of its result, with success
#: and message), and returns what to say at the end.
Plan = Generator[tuple[str, dict[str, Any]], dict[str, Any], str]

_FINISHED: Final = re.compile(r'<event[^>]*kind="task_finished"[^>]*>.*', re.DOTALL)


@dataclass
class Run:
    """The process, what it has printed, and what it has written down."""

    process: asyncio.subprocess.Process
    data: Path
    lines: list[str] = field(default_factory=list)
    _news: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def until(self, text: str, *, times: int = 1) -> str:
        """Wait until `times` lines that hold `text` have been printed; the last of them."""
        async with self._news:
            while len(found := [line for line in self.lines if text in line]) < times:
                assert self.process.returncode is None, "\n".join(["numen run has ended:", *self.lines])
                await self._news.wait()
        return found[times - 1]

    @property
    def log(self) -> list[dict[str, Any]]:
        """The conversation log, every line of it. Raises ValueError when one is broken."""
        (path,) = (self.data / "sessions").glob("*/*.log")
        raw = path.read_bytes()
        assert raw.endswith(b"\n"), raw[-200:]
        return [json.loads(line) for line in raw.splitlines()]

    @property
    def conversation(self) -> list[dict[str, Any]]:
        """The messages of the conversation, as they are on disk."""
        return [each["message"] for each in self.log if each.get("type") == "message"]

    async def read(self) -> None:
        """Take in what the process prints, to its end."""
        assert self.process.stdout is not None
        while line := await self.process.stdout.readline():
            async with self._news:
                self.lines.append(line.decode().rstrip("\n"))
                self._news.notify_all()
        await self.process.wait()
        async with self._news:
            self._news.notify_all()


@asynccontextmanager
async def numen_run(
    folder: Path, *, port: int, endpoint: str, host: str = "127.0.0.1", view: int = 6
) -> AsyncIterator[Run]:
    """Start it against a server and an endpoint; it is in the world when this begins, and gone after it."""
    data = folder / "data"
    config = folder / "numen.yaml"
    settings = {
        "server": {"host": host, "port": port, "view_distance": view, "reconnect_for_s": 120},
        "llm": {"provider": "custom", "model": "scripted", "base_url": endpoint},
        "companions": [{"name": NAME, "owner": OWNER}],
        "data": str(data),
        "language": "en",
    }
    config.write_text(yaml.safe_dump(settings), encoding="utf-8")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "numen", "run", "-c", str(config)),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        cwd=ROOT,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    run = Run(process, data)
    reading = asyncio.ensure_future(run.read())
    try:
        await run.until(f"{NAME} is in minecraft:overworld")
        yield run
        process.terminate()
        await reading
        assert process.returncode == 0, "\n".join(run.lines)
    finally:
        if process.returncode is None:
            process.kill()
        await reading


@asynccontextmanager
async def owner(port: int, *, host: str = "127.0.0.1") -> AsyncIterator[Connection]:
    """The owner's own client, far enough to talk."""
    connection = await connect(host, port, OWNER)
    connection.subscribe("login", lambda fields: None)
    try:
        yield connection
    finally:
        connection.close()


async def next_packet(connection: Connection, name: str) -> dict[str, Any]:
    """Fields of the next play packet of that name."""
    came: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()

    def note(fields: dict[str, Any]) -> None:
        if not came.done():
            came.set_result(fields)

    connection.subscribe(name, note)
    return await came


def speak(connection: Connection, text: str) -> None:
    """Say something in the chat; a text that begins with a slash is a command."""
    connection.send(
        "chat_message",
        message=text,
        timestamp=0,
        salt=0,
        signature=None,
        offset=0,
        acknowledged=bytes(3),
    )


def following(plans: Callable[[str], Plan | str]) -> Brain:
    """A brain that starts a plan for each thing its owner says, and goes through it call by call.

    `plans` is given the words and returns the plan, or at once what to answer. While a background job runs
    the model says nothing, as it should, until the event that tells how the job ended.
    """
    state: dict[str, Any] = {"plan": None, "heard": 0}

    def answer(request: RecordedRequest) -> Reply:
        messages = request.messages
        words = re.findall(r"<query>(.*?)</query>", "\n".join(_texts(messages, "user")))
        if len(words) > state["heard"]:
            state["heard"] = len(words)
            plan = plans(words[-1])
            if isinstance(plan, str):
                return says(plan)
            state["plan"] = plan
            return _next(state, None)
        last = messages[-1]
        text = str(last["content"])
        if last["role"] == "tool":
            result = json.loads(text)
            if result.get("data", {}).get("async"):
                return says()
            return _next(state, {**result.get("data", {}), **result})
        finished = _FINISHED.search(text)
        return _next(state, {"message": finished[0]}) if finished else says()

    return answer


def _next(state: dict[str, Any], result: dict[str, Any] | None) -> Reply:
    if state["plan"] is None:
        return says()
    try:
        call = state["plan"].send(result)
    except StopIteration as end:
        state["plan"] = None
        return says(str(end.value))
    return calls(call)


def _texts(messages: list[dict[str, Any]], role: str) -> list[str]:
    return [str(each["content"]) for each in messages if each["role"] == role]
