"""A companion in a practice world, whose tools a test calls itself: the real road from call to verdict."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from numen.agent.mind import Halt
from numen.app import companion_of
from numen.body.body import Body
from numen.companion import Companion, CompanionEvent, JobEnded, Joined
from numen.config import CompanionConfig, Config, ServerConfig
from numen.config.web import WebConfig
from numen.sandbox.server import Sandbox, start_sandbox


class Playing:
    """One companion at play. Its mind is silent; `call` runs a tool, `job` one that goes on beside it."""

    def __init__(self, companion: Companion, sandbox: Sandbox) -> None:
        self.companion = companion
        self.sandbox = sandbox
        self.events: list[CompanionEvent] = []
        self._news = asyncio.Event()
        self._calls = 0

    def report(self, event: CompanionEvent) -> None:
        self.events.append(event)
        self._news.set()

    @property
    def body(self) -> Body:
        assert self.companion.body is not None
        return self.companion.body

    async def until(self, condition: Callable[[], object]) -> None:
        """Wait until `condition()` holds; asked at every event and every tick."""
        while not condition():
            self._news.clear()
            try:
                await asyncio.wait_for(self._news.wait(), 0.05)
            except TimeoutError:
                continue

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """What the tool answered, as the model would read it; text that is no JSON comes as {"text": …}."""
        self._calls += 1
        mind = self.companion.mind
        ended = await mind.dispatcher.run(f"call_{self._calls}", tool, json.dumps(arguments), mind.context)
        try:
            found = json.loads(ended.content)
        except ValueError:
            return {"text": ended.content}
        assert isinstance(found, dict)
        return found

    async def job(self, tool: str, **arguments: Any) -> JobEnded:
        """Start a background job and wait for its end."""
        begun = await self.call(tool, **arguments)
        assert begun["success"], begun
        return await self.ended(begun["data"]["task_id"])

    async def ended(self, task_id: str) -> JobEnded:
        def found() -> JobEnded | None:
            ends = (each for each in self.events if isinstance(each, JobEnded))
            return next((each for each in ends if each.task_id == task_id), None)

        await self.until(found)
        end = found()
        assert end is not None
        return end

    async def give(self, item: str, count: int = 1) -> None:
        """Have the server put items into the inventory."""
        before = sum(self.body.world.inventory.counts().values())
        self.body.talk.say(f"/give {self.companion.name} {item} {count}")
        await self.until(lambda: sum(self.body.world.inventory.counts().values()) >= before + count)


@asynccontextmanager
async def playing(
    folder: Path,
    *,
    world: str = "flat",
    owner: str | None = None,
    web: WebConfig | None = None,
    **options: Any,
) -> AsyncIterator[Playing]:
    """A companion called Numen in a fresh practice world."""
    settings = {"mobs": False, "daylight_cycle": False, "view_distance": 4, **options}
    sandbox = await start_sandbox(seed=4, world=world, **settings)
    companions = (CompanionConfig(name="Numen", owner=owner),)
    config = Config(companions=companions, web=web or WebConfig())
    reports: list[Callable[[CompanionEvent], None]] = []
    companion = companion_of(
        config,
        config.companions[0],
        ServerConfig(port=sandbox.port, reconnect_for_s=0),
        lambda event: reports[0](event),
        data=folder,
    )
    companion.mind.suspend(Halt.EXTERNAL)
    here = Playing(companion, sandbox)
    reports.append(here.report)
    life = asyncio.ensure_future(companion.live())
    try:
        await here.until(lambda: any(isinstance(each, Joined) for each in here.events) or life.done())
        yield here
    finally:
        companion.leave()
        await life
        await sandbox.stop()
