"""`numen run` as a person starts it: a process, a YAML file, a server by others, an endpoint over sockets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from numen.testing.brains import rehearsing
from numen.testing.endpoint import ScriptedEndpoint
from tests.e2e.running import NAME, Plan, Run, following, next_packet, numen_run, owner, speak
from tests.e2e.servers import flying_squid, node_server

pytestmark = [pytest.mark.node, pytest.mark.slow, pytest.mark.timeout(180)]

Status = dict[str, Any]


def errands(words: str) -> Plan:
    """Walk, dig, pick up, place, as a careful model would: look first, then act."""
    start = feet((yield "get_self_status", {}))
    walked = yield "move_to", {"x": start[0] + 40, "z": start[2]}
    x, y, z = there = feet((yield "get_self_status", {}))
    assert there[0] == start[0] + 40, walked
    dug = yield "break_block", {"x": x + 1, "y": y - 1, "z": z}
    assert dug["success"], dug
    yield "collect_items", {}
    x, y, z = feet((yield "get_self_status", {}))
    placed = yield "place_block", {"block_id": "minecraft:dirt", "x": x - 2, "y": y, "z": z}
    if not placed["success"]:  # the hole, a slope: it is told what would do
        placed = yield "place_block", {"block_id": "minecraft:dirt", **placed["nearby"][-1]}
    assert placed["success"], placed
    return f"Went from {start} to {there}, dug and placed a block."


def hunt(words: str) -> Plan:
    """Find a pig and kill it."""
    seen = yield "scan_nearby_entities", {"radius": 32, "type_filter": "passive"}
    pigs = [each["id"] for each in seen["entities"] if each["type"] == "minecraft:pig"]
    yield "attack", {"entity_ids": pigs[:1]}
    status = yield "get_self_status", {}
    meat = sum(each["count"] for each in status["inventory"]["items"] if each["item"].endswith("porkchop"))
    return f"The pig gave {meat} porkchops."


def feet(status: Status) -> tuple[int, int, int]:
    at = status["block_position"]
    return at["x"], at["y"], at["z"]


@pytest.mark.parametrize("world", ["flat", "hills"])
async def test_errands_and_a_hunt_on_the_node_server(world: str, tmp_path: Path) -> None:
    async with node_server(world=world) as server:  # type: ignore[arg-type]
        plans = following(lambda words: hunt(words) if "pig" in words else errands(words))
        async with (
            ScriptedEndpoint(brain=plans) as endpoint,
            numen_run(tmp_path, port=server.port, endpoint=endpoint.url) as run,
            owner(server.port) as steve,
        ):
            speak(steve, "/summon pig")
            speak(steve, "kill a pig")
            await run.until("The pig gave 2 porkchops.")
            speak(steve, "walk, dig and place something")
            await run.until("dug and placed a block.")
        assert [each["kind"] for each in server.events("killed")] == ["pig"]
        assert [each["block"] for each in server.events("dug")] == ["grass_block"]
        assert [each["block"] for each in server.events("placed")] == ["dirt"]
        server.assert_fair()


async def test_errands_on_flying_squid(tmp_path: Path) -> None:
    async with (
        flying_squid() as server,
        ScriptedEndpoint(brain=following(errands)) as endpoint,
        numen_run(tmp_path, port=server.port, endpoint=endpoint.url) as run,
        owner(server.port) as steve,
    ):
        speak(steve, "walk, dig and place something")
        await run.until("dug and placed a block.")


async def test_a_first_day_on_the_hills(tmp_path: Path) -> None:
    async with node_server(world="hills") as server:
        async with (
            ScriptedEndpoint(brain=rehearsing()) as endpoint,
            numen_run(tmp_path, port=server.port, endpoint=endpoint.url) as run,
            owner(server.port) as steve,
        ):
            speak(steve, "Make a wooden pickaxe and mine 3 cobblestone with it.")
            await run.until(f"{NAME}: ")
        assert "crafting_table" in [each["block"] for each in server.events("placed")]
        assert [each["block"] for each in server.events("dug")].count("stone") >= 3
        server.assert_fair()


async def test_a_server_that_dies_is_waited_for_and_the_talk_goes_on(tmp_path: Path) -> None:
    def plans(words: str) -> Plan | str:
        return dig_on(words) if "dig" in words else "I am here."

    def dig_on(words: str) -> Plan:
        told = yield "mine", {"block_ids": ["minecraft:dirt", "minecraft:grass_block"], "count": 64}
        return f"It ended: {told['message']}"

    async with ScriptedEndpoint(brain=following(plans)) as endpoint, node_server() as first:
        async with numen_run(tmp_path, port=first.port, endpoint=endpoint.url) as run:
            async with owner(first.port) as steve:
                speak(steve, "dig me a stack of dirt")
                await run.until("✓ mine has begun")
                await next_packet(steve, "block_change")
                await first.kill()
            await run.until("Trying again in")
            async with node_server(port=first.port) as second:
                await run.until(f"{NAME} is back")
                async with owner(second.port) as steve:
                    speak(steve, "are you there?")
                    await run.until(f"{NAME}: I am here.")
        told = "\n".join(str(each["content"]) for each in run.conversation)
        for words in (
            "dig me a stack of dirt",
            'kind="disconnected"',
            'kind="reconnected"',
            "are you there?",
        ):
            assert words in told
        assert_nothing_lost(run, endpoint)


async def test_a_line_that_breaks_is_mended(tmp_path: Path) -> None:
    async with (
        node_server(view=3, drop_after_ms=2000) as server,
        ScriptedEndpoint(brain=following(lambda words: "Still here.")) as endpoint,
        numen_run(tmp_path, port=server.port, endpoint=endpoint.url) as run,
    ):
        await run.until("Trying again in")
        await run.until(f"{NAME} is back")
        async with owner(server.port) as steve:
            speak(steve, "hello?")
            await run.until(f"{NAME}: Still here.")
        assert len(server.events("joined")) == 3


async def test_an_endpoint_that_dies_fails_the_turn_and_not_the_body(tmp_path: Path) -> None:
    async with node_server(view=3) as server:
        endpoint = ScriptedEndpoint(brain=following(lambda words: f"You said: {words}"))
        await endpoint.start()
        port = endpoint.port
        async with (
            numen_run(tmp_path, port=server.port, endpoint=endpoint.url) as run,
            owner(server.port) as steve,
        ):
            speak(steve, "one")
            await run.until(f"{NAME}: You said: one")
            await endpoint.stop()
            speak(steve, "two")
            failed = await run.until("✗")
            assert "cannot be reached" in failed
            speak(steve, "three")
            await run.until("three")
            await next_packet(steve, "entity_teleport")  # the body is alive: it still tells where it stands
            await endpoint.start(port)
            speak(steve, "four")
            await run.until(f"{NAME}: You said: four")
            assert not [line for line in run.lines if "Traceback" in line]
        told = "\n".join(str(each["content"]) for each in run.conversation)
        for words in ("one", "two", "three", "four"):
            assert f"<query>{words}</query>" in told
        assert_nothing_lost(run, endpoint)
        await endpoint.stop()
        server.assert_fair()


def assert_nothing_lost(run: Run, endpoint: ScriptedEndpoint) -> None:
    """All that the model was ever told stands in the log on disk, in the same order. (On the wire, what was
    told in several messages without an answer in between is one.)"""
    on_disk = [str(each["content"]) for each in run.conversation if each["role"] in ("user", "tool")]
    told = [
        str(each["content"]) for each in endpoint.requests[-1].messages if each["role"] in ("user", "tool")
    ]
    assert "\n".join(told) == "\n".join(on_disk)
