"""A companion's mind in a process of its own, to be killed: `python -m tests.agent.victim URL FOLDER FIRST`.

It says a line to itself whenever it is idle, and prints the number of each line once the mind has taken it.
Each tool call leaves its id in a file, so that a call run twice is seen.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from numen.agent import Mind, Persona
from numen.llm import Endpoint, OpenAICompatible
from numen.session import FileSession, log_path
from numen.tool import ToolCall, ToolContext, ToolRegistry


class Leave:
    """Leaves a mark on the world."""

    name = "leave"
    description = "Leave a mark."
    parameter_schema = {"type": "object", "properties": {}}  # noqa: RUF012

    def __init__(self, marks: Path) -> None:
        self._file = os.open(marks, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    async def invoke(self, call: ToolCall) -> str:
        os.write(self._file, f"{call.id}\n".encode())
        await asyncio.sleep(0)
        return "marked"


async def live(url: str, folder: Path, number: int) -> None:
    registry = ToolRegistry()
    registry.register(Leave(folder / "marks"))
    mind = Mind(
        persona=Persona(companion="Victim", owner="Steve"),
        provider=OpenAICompatible(Endpoint(base_url=url, model="m")),
        registry=registry,
        context=ToolContext(companion="Victim"),
        session=FileSession(log_path(folder, "Victim")),
        speak=lambda text: None,
    )
    mind.start()
    while True:
        for _ in range(2):
            assert mind.hear(f"line {number}")
            os.write(1, f"{number}\n".encode())
            number += 1
        await mind.rest()


if __name__ == "__main__":
    asyncio.run(live(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])))
