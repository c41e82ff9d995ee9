"""Several companions in one practice world, with scripted endpoints that count what they are asked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from numen.app import companion_of, live_in
from numen.companion import Companion, CompanionEvent
from numen.config import CompanionConfig, Config, LlmConfig, ServerConfig
from numen.doors import Fleet
from numen.sandbox.server import Sandbox, start_sandbox
from numen.testing.endpoint import Brain, ScriptedEndpoint, says


@dataclass
class House:
    """A practice world with companions in it."""

    sandbox: Sandbox
    fleet: Fleet
    endpoint: ScriptedEndpoint
    companions: dict[str, Companion] = field(default_factory=dict)
    events: list[CompanionEvent] = field(default_factory=list)

    def __getitem__(self, name: str) -> Companion:
        return self.companions[name]

    async def until(self, condition: Callable[[], object]) -> None:
        while not condition():
            await asyncio.sleep(0.02)

    async def give(self, name: str, item: str, count: int = 1) -> None:
        """Have the server put items into an inventory."""
        body = self[name].body
        assert body is not None
        before = sum(body.world.inventory.counts().values())
        body.talk.say(f"/give {name} {item} {count}")
        await self.until(lambda: sum(body.world.inventory.counts().values()) >= before + count)


@asynccontextmanager
async def house(
    folder: Path, *names: str, owners: dict[str, str] | None = None, brain: Brain | None = None
) -> AsyncIterator[House]:
    """Companions of these names, each in the world; `owners` says whom they serve."""
    async with AsyncExitStack() as stack:
        endpoint = await stack.enter_async_context(
            ScriptedEndpoint(brain=brain or (lambda request: says("Yes?")))
        )
        sandbox = await start_sandbox(seed=1, world="flat", mobs=False, daylight_cycle=False, view_distance=3)
        stack.push_async_callback(sandbox.stop)
        here = House(sandbox, Fleet(), endpoint)
        lives: list[asyncio.Task[None]] = []
        config = Config(
            llm=LlmConfig(model="test", base_url=endpoint.url),
            companions=tuple(CompanionConfig(name=name, owner=(owners or {}).get(name)) for name in names),
        )
        for section in config.companions:
            server = ServerConfig(port=sandbox.port, reconnect_for_s=0)
            companion = companion_of(config, section, server, here.events.append, data=folder)
            here.companions[section.name] = companion
            lives.append(asyncio.ensure_future(live_in(here.fleet, companion)))
        try:
            await here.until(
                lambda: (
                    all(each.here for each in here.companions.values()) or any(each.done() for each in lives)
                )
            )
            yield here
        finally:
            for each in here.companions.values():
                each.leave()
            await asyncio.gather(*lives)
