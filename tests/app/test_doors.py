"""The three doors: words, bodies, and whose a body is. And the examples of each, run as they stand."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

import numen.api
from examples.drive_bodies import send_off
from examples.owner_and_hand import show_me
from examples.tool_class import TallySheet, add_to
from examples.tool_function import light_level
from numen.agent.events import ToolCalled, ToolFinished, TurnStarted
from numen.agent.inbox import Event
from numen.api import Fleet, NumenActuator, NumenGateway, NumenPlayer
from numen.llm import UserMessage
from numen.testing.endpoint import RecordedRequest, Reply, calls, says
from numen.tool import DuplicateTool, ToolCall
from protocol.connection import connect
from protocol.endpoint import offline_uuid
from tests.app.fleet import House, house

ADA, BOB, CID = (offline_uuid(name) for name in ("Ada", "Bob", "Cid"))
STEVE, ALEX = offline_uuid("Steve"), offline_uuid("Alex")


def result(text: str) -> dict[str, Any]:
    value = json.loads(text)
    assert isinstance(value, dict)
    return value


def turns(here: House) -> int:
    return sum(isinstance(each, TurnStarted) for each in here.events)


# -- words


async def test_words_through_the_gateway_arrive_as_they_are(tmp_path: Path) -> None:
    async with house(tmp_path, "Ada") as here:
        gateway = NumenGateway(here.fleet)
        assert gateway.enqueue(ADA, "  hello <b>there</b>\n/clear ")
        assert gateway.enqueue(str(ADA), "/clear"), "an order to the engine is words here"
        await here["Ada"].mind.rest()

        told = [each for each in here["Ada"].mind.history.messages if isinstance(each, UserMessage)]
        assert told[0].content.endswith("<query>  hello <b>there</b>\n/clear </query>\n<query>/clear</query>")


async def test_blank_words_and_unknown_companions_are_refused(tmp_path: Path) -> None:
    async with house(tmp_path, "Ada") as here:
        gateway = NumenGateway(here.fleet)
        for uuid, text in ((ADA, "  \n"), (ADA, ""), (uuid4(), "hello"), ("no uuid", "hello")):
            assert not gateway.enqueue(uuid, text)
        assert not gateway.enqueue(ADA, None)  # type: ignore[arg-type]
        assert not NumenGateway(Fleet()).enqueue(ADA, "hello")
        assert turns(here) == 0


async def test_the_gateway_takes_words_from_any_thread(tmp_path: Path) -> None:
    async with house(tmp_path, "Ada") as here:
        gateway = NumenGateway(here.fleet)
        taken = await asyncio.gather(
            *(asyncio.to_thread(gateway.enqueue, ADA, f"line {number}") for number in range(20))
        )
        assert taken == [True] * 20
        assert not await asyncio.to_thread(gateway.enqueue, uuid4(), "x")
        await here["Ada"].mind.rest()

        told = str(here["Ada"].mind.history.messages)
        assert all(told.count(f"<query>line {number}</query>") == 1 for number in range(20))

    assert not await asyncio.to_thread(gateway.enqueue, ADA, "x"), "nobody lives here any more"


# -- bodies


async def test_three_bodies_are_driven_at_once_while_their_minds_stay_silent(tmp_path: Path) -> None:
    async with house(tmp_path, "Ada", "Bob", "Cid") as here:
        ends = await asyncio.create_task(send_off(here.fleet, steps=6))

        assert ends == {"Ada": "done", "Bob": "done", "Cid": "done"}
        assert here.endpoint.requests == []
        assert turns(here) == 0
        spans = [
            (type(each).__name__, each.companion)
            for each in here.events
            if isinstance(each, (ToolCalled, ToolFinished)) and each.turn == 0
        ]
        assert len(spans) == 12, "watchers see what is done from outside"
        assert all(each.mind.history.messages == () for each in here.companions.values())

        for each in here.companions.values():
            assert each.hear("are you there?")
        await asyncio.gather(*(each.mind.rest() for each in here.companions.values()))
        assert len(here.endpoint.requests) == 3, "handed back, they think again"
        assert 'kind="task_finished"' in here.endpoint.requests[0].messages[-1]["content"]


async def test_taking_over_ends_the_turn_and_the_task_under_way(tmp_path: Path) -> None:
    gate = asyncio.Event()

    def brain(request: RecordedRequest) -> Reply:
        gate.set()
        if request.messages[-1]["role"] == "tool":
            return says("a").hang(after=1)
        return calls(("move_to", {"x": 500, "z": 500}))

    async with house(tmp_path, "Ada", brain=brain) as here:
        here["Ada"].hear("go far")
        request = await here.endpoint.wait_for_requests(2)
        body = here["Ada"].body
        assert body is not None
        task = body.tasks.current
        assert task is not None

        actuator = NumenActuator(here.fleet)
        assert actuator.acquire(ADA)
        assert actuator.acquire(ADA), "twice is fine"
        await request.abandoned.wait()
        await here.until(lambda: task.done)

        assert task.state == "cancelled"
        assert not here["Ada"].mind.busy
        here["Ada"].hear("hello?")
        assert not here["Ada"].mind.busy, "words wait"
        assert "message" in result(await actuator.invoke(ADA, "task_status"))
        assert actuator.release(ADA)
        assert not here["Ada"].mind.busy, "handing back does not start the mind"
        assert not actuator.release(ADA)


async def test_calls_on_one_body_keep_their_order_and_never_fail(tmp_path: Path) -> None:
    async with house(tmp_path, "Ada") as here:
        actuator = NumenActuator(here.fleet)
        actuator.acquire(ADA)
        replies = [
            actuator.invoke(ADA, "wait", {"seconds": 1, "reason": "to see"}),
            actuator.invoke(ADA, "wait", {"seconds": 1, "reason": "to see"}),
            actuator.invoke(ADA, "no_such_tool"),
            actuator.invoke(ADA, "Get-Self-Status", "  "),
            actuator.invoke(ADA, "craft", "{not json"),
            actuator.invoke(ADA, "craft", "[1]"),
            actuator.invoke(ADA, "task_status", None),
            actuator.invoke(uuid4(), "task_status"),
        ]
        first, second, unknown, status, broken, listed, task, nobody = [
            result(each) for each in await asyncio.gather(*replies)
        ]
        assert first["success"]
        assert "busy" in second["message"]
        assert "there is no tool named 'no_such_tool'" in unknown["message"]
        assert status["name"] == "Ada"
        assert "not valid JSON" in broken["message"]
        assert "are a list" in listed["message"]
        assert task["task"] == "wait"
        assert "there is no companion" in nobody["message"]
        called = [each.call_id for each in here.events if isinstance(each, ToolCalled)]
        assert called == [f"outside_{number}" for number in range(1, 8)]


async def test_a_body_that_was_not_acquired_is_not_moved(tmp_path: Path) -> None:
    async with house(tmp_path, "Ada") as here:
        mine, other = NumenActuator(here.fleet), NumenActuator(here.fleet)
        assert "was not acquired" in result(await mine.invoke(ADA, "task_status"))["message"]
        assert mine.acquire(ADA)
        assert [each.driven for each in mine.companions()] == [True]
        assert not other.acquire(ADA)
        assert "another brain has Ada" in result(await other.invoke(ADA, "task_status"))["message"]
        assert not other.release(ADA)
        assert mine.release(ADA)
        assert other.acquire(ADA)


async def test_a_brain_gets_only_the_bodies_of_its_owner(tmp_path: Path) -> None:
    owners = {"Ada": str(STEVE), "Bob": str(ALEX)}
    async with house(tmp_path, "Ada", "Bob", "Cid", owners=owners) as here:
        steves = NumenActuator(here.fleet, STEVE)
        assert [each.name for each in steves.companions()] == ["Ada"]
        assert [each.name for each in NumenActuator(here.fleet).companions()] == ["Ada", "Bob", "Cid"]
        assert steves.acquire(ADA)
        assert not steves.acquire(BOB)
        assert not steves.acquire(CID)
        assert not steves.acquire(uuid4())
        assert "is not your owner's" in result(await steves.invoke(BOB, "task_status"))["message"]


async def test_a_reply_can_be_waited_for_in_a_thread_and_called_off(tmp_path: Path) -> None:
    async with house(tmp_path, "Ada") as here:
        actuator = NumenActuator(here.fleet)

        def in_a_thread() -> dict[str, Any]:
            assert actuator.acquire(ADA)
            return result(actuator.invoke(ADA, "get_world_info").result(timeout=10))

        assert "dimension" in await asyncio.to_thread(in_a_thread)

        gate = SlowTool()
        here["Ada"].mind.registry.register(gate)
        reply = actuator.invoke(ADA, "slow")
        with pytest.raises(RuntimeError, match="await it instead"):
            reply.result()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(actuator.invoke(ADA, "slow"), 0.05)
        await gate.begun.wait()
        reply.cancel()
        assert result(await reply)["interrupted"] is True
        waiting = actuator.invoke(ADA, "slow")
        assert await asyncio.to_thread(actuator.release, ADA)
        assert result(await waiting)["interrupted"] is True


class SlowTool:
    """Never ends by itself."""

    name = "slow"
    description = "Take for ever."
    parameter_schema = {"type": "object", "properties": {}}  # noqa: RUF012

    def __init__(self) -> None:
        self.begun = asyncio.Event()

    async def invoke(self, call: ToolCall) -> None:
        self.begun.set()
        await asyncio.Event().wait()


async def test_a_body_that_leaves_is_let_go(tmp_path: Path) -> None:
    async with house(tmp_path, "Ada", "Bob") as here:
        actuator = NumenActuator(here.fleet)
        actuator.acquire(ADA)
        here["Ada"].mind.registry.register(SlowTool())
        waiting = actuator.invoke(ADA, "slow")
        here["Ada"].leave()
        assert result(await waiting)["success"] is False
        await here.until(lambda: here.fleet.find(ADA) is None)
        assert not actuator.acquire(ADA)
        assert [each.name for each in actuator.companions()] == ["Bob"]


async def test_what_came_while_a_body_was_driven_wakes_nobody_afterwards(tmp_path: Path) -> None:
    async with house(tmp_path, "Ada") as here:
        heard: list[Event] = []
        actuator = NumenActuator(here.fleet, on_event=lambda uuid, event: heard.append(event))
        actuator.acquire(ADA)
        mind = here["Ada"].mind
        mind.notify(Event(kind="timer", text="ding"))
        actuator.release(ADA)
        mind.notify(Event(kind="chat", text="a fact"))
        assert not mind.busy
        assert [each.kind for each in heard] == ["timer"]
        mind.notify(Event(kind="timer", text="dong"))
        assert mind.busy
        await mind.rest()
        assert "ding" in here.endpoint.requests[0].messages[-1]["content"]


# -- whose it is, and what it holds


async def test_a_body_knows_its_owner_by_uuid_alone(tmp_path: Path) -> None:
    async with house(tmp_path, "Ada", owners={"Ada": "Steve"}) as here:
        player = NumenPlayer.find_by_uuid(here.fleet, ADA)
        assert player is not None
        assert NumenPlayer.find_by_uuid(here.fleet, uuid4()) is None
        assert player.owner_uuid is None, "a name that was never seen has no uuid yet"
        assert player.resolve_owner_player() is None

        steve = await connect("127.0.0.1", here.sandbox.port, "Steve")
        await here.until(player.resolve_owner_player)
        seen = player.resolve_owner_player()
        assert seen is not None
        assert (seen.name, seen.uuid) == ("Steve", STEVE)
        assert player.is_owned_by_player(seen)
        assert player.is_owned_by_player(STEVE)
        assert not player.is_owned_by_player(ALEX)
        steve.close("bye")
        await here.until(lambda: player.resolve_owner_player() is None)
        assert player.is_owned_by_player(STEVE), "also while he is away"

        player.owner_uuid = ALEX
        assert (player.owner_uuid, player.is_owned_by_player(STEVE)) == (ALEX, False)
        player.owner_uuid = None
        assert not player.is_owned_by_player(ALEX)


async def test_slots_are_taken_in_hand_as_in_the_game(tmp_path: Path) -> None:
    async with house(tmp_path, "Ada") as here:
        player = NumenPlayer.find_by_uuid(here.fleet, ADA)
        assert player is not None
        for item in ("dirt", "stone", "oak_log"):
            await here.give("Ada", item)
        inventory = here["Ada"].world.inventory
        assert player.ensure_in_inventory("oak_log")
        assert not player.ensure_in_inventory("diamond")

        assert await player.hold_in_hand(2)
        assert inventory.held is not None
        assert inventory.held.name == "minecraft:oak_log"
        assert await player.hold_in_hand(-1)
        assert inventory.held.name == "minecraft:oak_log"

        assert await player.hold_in_hand(20), "an empty backpack slot changes places too"
        assert inventory.held is None
        stack = player.stack_in(20)
        assert stack is not None
        assert stack.name == "minecraft:oak_log"
        assert await player.hold_in_hand(20)
        assert inventory.held.name == "minecraft:oak_log"
        assert not await player.hold_in_hand(99)


# -- the examples


async def test_the_example_of_a_hand_shows_what_is_carried_to_the_owner_alone(tmp_path: Path) -> None:
    async with house(tmp_path, "Ada", owners={"Ada": str(STEVE)}) as here:
        await here.give("Ada", "dirt")
        await here.give("Ada", "bread")
        assert await show_me(here.fleet, ADA, STEVE, "bread") == "Ada holds bread"
        assert await show_me(here.fleet, ADA, STEVE, "cake") == "Ada has no cake"
        assert await show_me(here.fleet, ADA, ALEX, "bread") == "Ada serves somebody who is not online"
        assert await show_me(here.fleet, uuid4(), STEVE, "bread") == "nobody is there"


async def test_the_examples_of_tools_work_with_a_body(tmp_path: Path) -> None:
    async with house(tmp_path, "Ada") as here:
        registry = here["Ada"].mind.registry
        registry.register(light_level)
        add_to(registry)
        with pytest.raises(DuplicateTool):
            registry.register(OtherTally())
        actuator = NumenActuator(here.fleet)
        actuator.acquire(ADA)

        x, y, z = here["Ada"].body.feet  # type: ignore[union-attr]
        light = result(await actuator.invoke(ADA, "light_level", {"x": x, "y": y, "z": z}))
        assert light["data"] == {"level": 15, "dark": False}
        far = result(await actuator.invoke(ADA, "light_level", {"x": 9_999, "y": 64, "z": 0}))
        assert far == {"success": False, "message": "That place is too far away to see; go nearer."}
        for expected in (2, 4):
            tally = result(await actuator.invoke(ADA, "tally", {"what": "sheep", "by": "2"}))
            assert tally["data"] == {"count": expected}
        missing = result(await actuator.invoke(ADA, "tally"))
        assert missing["message"] == "argument 'what' is missing; text was expected"


class OtherTally(TallySheet):
    description = "Another tool of the same name."


def test_the_doors_are_public_and_every_public_name_is_documented() -> None:
    doors = {"CompanionInfo", "Event", "Fleet", "NumenActuator", "NumenGateway", "NumenPlayer", "Reply"}
    assert doors | {"ToolRegistry", "ToolArgs", "TaskResult", "NumenTool"} <= set(numen.api.__all__)
    assert numen.api.__all__ == sorted(numen.api.__all__)
    assert all(getattr(numen.api, name).__doc__ for name in numen.api.__all__)


def test_uuids_of_offline_servers_are_as_the_game_makes_them() -> None:
    assert UUID("5627dd98-e6be-3c21-b8a8-e92344183641") == STEVE
    assert threading.current_thread() is threading.main_thread()
