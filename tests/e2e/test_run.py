"""`numen run` as a person starts it: a process of its own, a server and an endpoint behind real sockets.

The "model" is the rehearsal's rules behind a scripted endpoint, so every decision travels as a request and an
answer. The owner is a player on the server who speaks in its chat.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

import pytest

from numen.testing.brains import rehearsing
from numen.testing.endpoint import RecordedRequest, Reply, ScriptedEndpoint, calls, says
from tests.e2e.players import Player, joined
from tests.e2e.servers import Server, flying_squid, node_server

pytestmark = [pytest.mark.node, pytest.mark.timeout(240)]

ROOT = Path(__file__).parents[2]
OWNER = "Steve"


class Run:
    """A running `numen run`. `printed` is all that it has said so far."""

    def __init__(self, process: asyncio.subprocess.Process, data: Path) -> None:
        self.process = process
        self.data = data
        self.printed = ""
        self._news = asyncio.Event()

    async def read(self) -> None:
        assert self.process.stdout is not None
        async for line in self.process.stdout:
            self.printed += line.decode()
            self._news.set()
        self._news.set()

    async def until(self, condition: Callable[[], object]) -> None:
        """Wait until a condition on what was printed (or on anything) holds."""
        while not condition():
            if self.process.returncode is not None:
                raise AssertionError(f"numen run ended with {self.process.returncode}:\n{self.printed}")
            self._news.clear()
            try:
                await asyncio.wait_for(self._news.wait(), 0.2)
            except TimeoutError:
                continue

    async def says(self, text: str, times: int = 1) -> None:
        """Wait until `text` was printed so often."""
        await self.until(lambda: self.printed.count(text) >= times)

    def log(self) -> list[dict[str, Any]]:
        """The conversation log on disk; each line has to be whole."""
        raw = (self.data / "conversations/Numen.jsonl").read_bytes()
        return [json.loads(line) for line in raw.split(b"\n")[:-1]]

    def heard(self) -> list[str]:
        """The owner's words and the events that are on disk, in order."""
        return [str(each["text"]) for each in self.log() if each.get("type") == "heard"]


@asynccontextmanager
async def numen_run(folder: Path, port: int, endpoint: str) -> AsyncIterator[Run]:
    """`numen run -c FILE` with the six lines of the README."""
    file = folder / "numen.yaml"
    file.write_text(
        f"""
server: {{host: 127.0.0.1, port: {port}}}
llm: {{provider: custom, model: scripted, base_url: "{endpoint}", api_key: "${{TEST_KEY}}"}}
companions:
  - {{name: Numen, owner: {OWNER}}}
data: {folder / "data"}
""",
        encoding="utf-8",
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "numen", "run", "-c", str(file)),
        cwd=ROOT,
        env={**os.environ, "TEST_KEY": "sk-never-shown", "LANG": "C.UTF-8", "PYTHONUNBUFFERED": "1"},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    run = Run(process, folder / "data")
    reading = asyncio.ensure_future(run.read())
    try:
        yield run
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
            assert await process.wait() == 0
        await reading
        assert "sk-never-shown" not in run.printed
        assert "Traceback" not in run.printed
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        reading.cancel()


async def tell(owner: Player, words: str) -> None:
    """The owner says something in the game's chat."""
    assert owner.body.talk.say(words).ok


def steps_of(job: list[tuple[str, dict[str, Any]]]) -> Callable[[RecordedRequest], Reply]:
    """A model that works through a list of calls, waits for background jobs, and says "All done." at the
    end.
    """
    todo = iter(job)

    def answer(request: RecordedRequest) -> Reply:
        last = request.messages[-1]
        if last["role"] == "tool" and '"async": true' in str(last["content"]):
            return says("")  # the job runs; an event will tell how it ended
        step = next(todo, None)
        return says("All done.") if step is None else calls(step)

    return answer


async def test_the_readmes_job_on_a_flat_world_is_fair_play(tmp_path: Path) -> None:
    async with node_server(world="flat", view=5) as server, ScriptedEndpoint(brain=rehearsing()) as endpoint:
        async with numen_run(tmp_path, server.port, endpoint.url) as run:
            await run.says("Numen is in minecraft:overworld")
            async with joined(server.port, OWNER, view=3) as owner:
                await owner.command("/give Numen oak_log 4", lambda: True)
                await tell(owner, "Make a wooden pickaxe and mine 3 cobblestone with it.")
                await run.says("Numen: ")
                assert "I hold a wooden pickaxe" in run.printed
        assert server.events("dug")
        server.assert_fair()


async def everything(tmp_path: Path, server: Server, world: Literal["flat", "hills"]) -> Run:
    """Walk, dig, pick up, place, craft from planks to a pickaxe, kill a pig and collect its drop."""
    async with joined(server.port, OWNER, view=3) as owner:
        found: dict[str, Any] = {}

        def brain(request: RecordedRequest) -> Reply:
            return found["model"](request)  # type: ignore[no-any-return]

        async with (
            ScriptedEndpoint(brain=brain) as endpoint,
            numen_run(tmp_path, server.port, endpoint.url) as run,
        ):
            await run.says("Numen is in minecraft:overworld")
            companion = await _companion(owner)
            x, y, z = (int(each // 1) for each in (companion.x, companion.y, companion.z))
            await owner.command("/give Numen oak_log 4", lambda: True)
            await owner.command("/give Numen iron_sword 1", lambda: True)
            found["model"] = steps_of(
                [
                    ("look_around", {}),
                    ("mine", {"block_ids": ["grass_block", "dirt"], "count": 2}),
                    ("craft", {"item_id": "oak_planks", "count": 12}),
                    ("craft", {"item_id": "stick", "count": 4}),
                    ("craft", {"item_id": "crafting_table"}),
                    ("move_to", {"x": x + 40, "z": z}),
                ]
            )
            await tell(owner, "Numen, go")
            await run.says("Numen: All done.")
            companion = await _companion(owner)
            x, y, z = (int(each // 1) for each in (companion.x, companion.y, companion.z))
            await owner.command(f"/summon pig {x + 3} {y} {z + 3}", lambda: True)
            pig = await _pig(owner)
            found["model"] = steps_of(
                [
                    ("place_block", {"block_id": "crafting_table", "x": x + 2, "y": y, "z": z}),
                    ("craft", {"item_id": "wooden_pickaxe"}),
                    ("equip_item", {"item_id": "iron_sword"}),
                    ("attack", {"entity_ids": [pig]}),
                    ("get_self_status", {}),
                ]
            )
            await tell(owner, "Numen, go on")
            await run.says("Numen: All done.", times=2)
            return run


async def _companion(owner: Player) -> Any:
    await owner.until(lambda: owner.world.entities.player("Numen") is not None)
    return owner.world.entities.player("Numen")


async def _pig(owner: Player) -> int:
    """The id that the server told the owner, who has just summoned one."""

    def told() -> list[str]:
        return [line.text for line in owner.world.chat if line.text.startswith("summoned ")]

    await owner.until(told)
    return int(told()[-1].split()[1])


@pytest.mark.parametrize("world", ["flat", "hills"])
async def test_a_first_day_is_fair_play(tmp_path: Path, world: Literal["flat", "hills"]) -> None:
    async with node_server(world=world, view=6) as server:
        run = await everything(tmp_path, server, world)
        assert "Crafted 1x wooden_pickaxe" in run.printed
        assert "Killed pig" in run.printed
        assert "✗" not in run.printed
        picked = [str(each.get("item")) for each in server.events("picked_up")]
        assert any("porkchop" in each for each in picked)
        server.assert_fair()


async def test_on_flying_squid_it_walks_digs_and_places(tmp_path: Path) -> None:
    async with flying_squid() as server, joined(server.port, OWNER, view=3) as owner:
        found: dict[str, Any] = {}
        async with (
            ScriptedEndpoint(brain=lambda request: found["model"](request)) as endpoint,
            numen_run(tmp_path, server.port, endpoint.url) as run,
        ):
            await run.says("Numen is in minecraft:overworld")
            joined_at = re.search(r"overworld at \((-?\d+), (-?\d+), (-?\d+)\)", run.printed)
            assert joined_at is not None
            x, y, z = map(int, joined_at.groups())
            found["model"] = steps_of(
                [
                    ("move_to", {"x": x + 40, "z": z}),
                    ("mine", {"block_ids": ["grass_block", "dirt"], "count": 1}),
                    ("move_to", {"x": x + 30, "z": z}),
                    ("place_block", {"block_id": "dirt", "x": x + 28, "y": y, "z": z}),
                ]
            )
            await tell(owner, "Numen, go")
            await run.says("Numen: All done.")
            assert "✗" not in run.printed


async def test_a_killed_server_is_told_found_again_and_the_conversation_goes_on(tmp_path: Path) -> None:
    def brain(request: RecordedRequest) -> Reply:
        said = str(request.messages[-1]["content"])
        if "wait for me" in said and "disconnected" not in said:
            return calls(("wait", {"seconds": 60}))
        if '"async": true' in said:
            return says("")
        return says("I am here again.")

    async with ScriptedEndpoint(brain=brain) as endpoint:
        async with node_server(view=3) as first:
            port = first.port
            run_of = numen_run(tmp_path, port, endpoint.url)
            run = await run_of.__aenter__()
            await run.says("Numen is in minecraft:overworld")
            async with joined(port, OWNER, view=3) as owner:
                await tell(owner, "wait for me")
                await run.says("wait has begun")
            await first.kill()
        await run.says("Trying again in")
        async with node_server(view=3, port=port):
            await run.says("Numen is back at")
            await run.says("Numen: I am here again.")
            assert "wait for me" in run.heard()
            assert any("onnection" in each for each in run.heard())
            await run_of.__aexit__(None, None, None)


async def test_a_killed_endpoint_fails_the_turn_plainly_and_the_body_lives_on(tmp_path: Path) -> None:
    async with node_server(view=3) as server:
        endpoint = ScriptedEndpoint(says("Hello Steve."))
        await endpoint.__aenter__()
        async with numen_run(tmp_path, server.port, endpoint.url) as run:
            await run.says("Numen is in minecraft:overworld")
            async with joined(server.port, OWNER, view=3) as owner:
                await tell(owner, "hello")
                await run.says("Numen: Hello Steve.")
                await endpoint.__aexit__(None, None, None)
                await tell(owner, "are you there?")
                await run.says("✗")
                assert "are you there?" in run.heard()
                assert [each["message"]["content"] for each in run.log() if each.get("type") == "message"][
                    1
                ] == ("Hello Steve.")
                moves = len(server.received("position") + server.received("position_look"))
                await run.until(
                    lambda: len(server.received("position") + server.received("position_look")) > moves
                )
