"""A provider asked over real sockets, with waits noted instead of waited."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest

from numen.llm import (
    Completed,
    Endpoint,
    EndpointError,
    OpenAICompatible,
    Request,
    Secret,
    StreamEvent,
    ToolSpec,
    UserMessage,
)
from numen.llm.retry import RetryPolicy
from numen.testing.endpoint import Reply, ScriptedEndpoint

KEY = "sk-very-secret-0123456789"
MINE = ToolSpec(name="mine", description="Mine.", parameters={"type": "object", "properties": {}})
HELLO = Request(system="You are Numen.", messages=(UserMessage(content="hi"),), tools=(MINE,))


class Asked:
    """A provider on that endpoint, with waits noted instead of waited."""

    def __init__(self, server: ScriptedEndpoint, **settings: Any) -> None:
        self.waits: list[float] = []
        settings = {"base_url": server.url, "model": "m", "api_key": Secret(KEY), **settings}
        numbers = count(1)
        self.provider = OpenAICompatible(
            Endpoint(**settings),
            policy=RetryPolicy(settings.get("retries", 2), jitter=lambda: 0.0),
            sleep=self._note,
            new_id=lambda: f"new_{next(numbers)}",
        )

    async def _note(self, seconds: float) -> None:
        self.waits.append(seconds)

    async def events(self, request: Request = HELLO) -> list[StreamEvent]:
        try:
            return [each async for each in self.provider.stream(request)]
        finally:
            await self.provider.aclose()

    async def answer(self, request: Request = HELLO) -> Completed:
        last = (await self.events(request))[-1]
        assert isinstance(last, Completed)
        return last


async def ask(reply: Reply, **settings: Any) -> Completed:
    async with ScriptedEndpoint(reply) as server:
        answer = await Asked(server, **settings).answer()
        server.assert_complete()
        return answer


async def fail(*replies: Reply, **settings: Any) -> EndpointError:
    async with ScriptedEndpoint(*replies) as server:
        asked = Asked(server, **{"retries": 0, **settings})
        with pytest.raises(EndpointError) as caught:
            await asked.events()
        server.assert_complete()
        return caught.value
