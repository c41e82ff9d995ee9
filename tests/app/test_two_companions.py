"""Two companions in one world, each with an endpoint of its own: nothing of one ever reaches the other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from numen.agent.events import ToolCalled, ToolFinished, TurnEnded, TurnStarted
from numen.app import companion_of
from numen.companion import CompanionEvent, JobEnded
from numen.config import CompanionConfig, Config, LlmConfig, ServerConfig
from numen.sandbox.server import start_sandbox
from numen.testing.endpoint import RecordedRequest, Reply, ScriptedEndpoint, calls, says
from numen.world.store import Worlds
from tests.agent.bench import assert_legal

TURNS = 30


def brain(name: str, lane: int) -> Callable[[RecordedRequest], Reply]:
    """Walks along a lane of its own when it is told to, and speaks of nobody but itself."""

    def answer(request: RecordedRequest) -> Reply:
        last = request.messages[-1]
        if last["role"] == "tool":
            return says()
        if "task_finished" in last["content"]:
            return says(f"{name} is there")
        if "walk" in last["content"]:
            step = len(request.messages) % 2 + 1
            return calls(("move_to", {"x": step, "z": lane}))
        return says(f"{name} hears")

    return answer


@pytest.mark.timeout(120)
async def test_thirty_turns_with_jobs_and_stops_side_by_side(tmp_path: Path) -> None:
    sandbox = await start_sandbox(seed=1, world="flat", mobs=False, daylight_cycle=False, view_distance=3)
    names = {"Ada": -3, "Bob": 3}
    events: dict[str, list[CompanionEvent]] = {name: [] for name in names}
    async with (
        ScriptedEndpoint(brain=brain("Ada", -3)) as adas,
        ScriptedEndpoint(brain=brain("Bob", 3)) as bobs,
    ):
        endpoints = {"Ada": adas, "Bob": bobs}
        config = Config(
            companions=tuple(
                CompanionConfig(name=name, llm=LlmConfig(model=name, base_url=endpoints[name].url))
                for name in names
            )
        )
        server, shared = ServerConfig(port=sandbox.port, reconnect_for_s=0), Worlds()
        pair = {
            each.name: companion_of(
                config, each, server, events[each.name].append, data=tmp_path, shared=shared
            )
            for each in config.companions
        }
        lives = [asyncio.ensure_future(each.live()) for each in pair.values()]
        try:
            while not all(each.here for each in pair.values()):
                await asyncio.sleep(0.02)
            for turn in range(TURNS):
                for name, companion in pair.items():
                    assert companion.hear(f"walk, {name}, {turn}" if turn % 3 else f"hello {name} {turn}")
                if turn % 7 == 3:
                    pair["Ada"].hear("stop")
                if turn % 7 == 5:
                    pair["Bob"].hear("stop")
                await asyncio.gather(*(each.mind.rest() for each in pair.values()))
            while any(
                each.body is None or each.body.tasks.current or each.mind.busy for each in pair.values()
            ):
                await asyncio.sleep(0.02)
            places = {name: each.body.feet for name, each in pair.items() if each.body is not None}
            histories = {name: str(each.mind.history.messages) for name, each in pair.items()}
        finally:
            for each in pair.values():
                each.leave()
            await asyncio.gather(*lives)
            await sandbox.stop()

    for name, other in (("Ada", "Bob"), ("Bob", "Ada")):
        assert places[name][2] == names[name], "each has walked along its own lane"
        for request in endpoints[name].requests:
            assert request.body["model"] == name
            assert_legal(request.messages)
            words = [each for each in request.messages[1:] if f'from="{other}"' not in str(each)]
            assert f"hello {other}" not in str(words)
            assert f"walk, {other}" not in str(words)
        assert f"walk, {other}" not in histories[name]
        assert {each.companion for each in events[name]} == {name}
        seen = events[name]
        assert sum(isinstance(each, TurnStarted) for each in seen) >= TURNS
        assert sum(isinstance(each, TurnStarted) for each in seen) == sum(
            isinstance(each, TurnEnded) for each in seen
        )
        called = [each.call_id for each in seen if isinstance(each, ToolCalled)]
        assert called == [each.call_id for each in seen if isinstance(each, ToolFinished)]
        assert any(isinstance(each, JobEnded) for each in seen)
