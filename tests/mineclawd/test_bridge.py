"""What the bridge sends and what becomes of what comes, on a link that keeps what is sent."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from numen.agent.live import Kind, LiveBus
from numen.agent.questions import Questions
from numen.mineclawd import payloads as p
from numen.mineclawd.bridge import CHANNELS, ServerBridge


@dataclass
class Agreed:
    """What a server and we have agreed on."""

    speaking: bool = False
    agreed: dict[str, dict[str, str]] = field(default_factory=lambda: {"configuration": {}, "play": {}})


class Wire:
    """The end of a connection, without a connection."""

    def __init__(self) -> None:
        self.neoforge, self.server_brand = Agreed(), "fabric"
        self.sent: list[tuple[str, bytes]] = []
        self.heard: dict[str, Callable[[bytes], None]] = {}
        self.login: Callable[[dict[str, Any]], None] | None = None

    def subscribe(self, packet: str, handler: Callable[[dict[str, Any]], None], /) -> None:
        assert packet == "login"
        self.login = handler

    def on_payload(self, channel: str, handler: Callable[[bytes], None], /) -> None:
        self.heard[channel] = handler

    def send(self, packet: str, /, **fields: Any) -> None:
        assert packet == "custom_payload"
        self.sent.append((fields["channel"], fields["data"]))


def string(text: str) -> bytes:
    raw = text.encode()
    assert len(raw) < 16_384
    return (bytes([len(raw)]) if len(raw) < 128 else bytes([len(raw) & 127 | 128, len(raw) >> 7])) + raw


def bridge_on(wire: Wire, *, on: bool = True) -> tuple[ServerBridge, LiveBus, Questions]:
    bus, questions = LiveBus(), Questions(language="en")
    made = ServerBridge("Numen", bus, lambda: questions, on=on)
    made.attach(wire)
    return made, bus, questions


EVENT = string("r1") + b"\1" + string("Hello")
QUESTION = string(json.dumps({"questionId": "a1", "question": "Wood?", "options": ["Oak", "Fir", "Other"]}))


async def test_ready_is_said_on_each_login_and_stream_events_come_onto_the_bus() -> None:
    wire = Wire()
    _, bus, _ = bridge_on(wire)
    heard = bus.subscribe()
    assert wire.login is not None
    wire.login({})
    wire.login({})
    assert [each[0] for each in wire.sent] == ["minecraft:register", p.CLIENT_READY] * 2
    assert wire.sent[1][1] == bytes.fromhex("020101")
    wire.heard[p.AGENT_STREAM_EVENT](EVENT)
    wire.heard[p.AGENT_STREAM_EVENT](b"\xff\xff")
    (event,) = heard.take()
    assert (event.request_id, event.kind, event.payload) == ("r1", Kind.DELTA, "Hello")
    assert event.origin == "server"


async def test_a_neoforge_server_hears_only_of_channels_that_were_agreed_on() -> None:
    wire = Wire()
    bridge_on(wire)
    assert wire.login is not None
    wire.server_brand = "neoforge"
    wire.login({})
    assert wire.sent == [], "a vanilla client says nothing there"
    wire.neoforge.speaking = True
    wire.login({})
    assert wire.sent == [], "the server has no such mod"
    wire.neoforge.agreed["play"][p.CLIENT_READY] = "mineclawd"
    wire.login({})
    assert [each[0] for each in wire.sent] == [p.CLIENT_READY]


async def test_without_the_bridge_nothing_is_sent_and_placeholders_are_still_read() -> None:
    wire = Wire()
    bridge, bus, questions = bridge_on(wire, on=False)
    heard = bus.subscribe()
    wire.heard[p.AGENT_STREAM_EVENT](EVENT)
    wire.heard[p.OPEN_QUESTION](QUESTION)
    item = {"slot": 2, "active": True, "name": "Ruby"}
    wire.heard[p.SYNC_DYNAMIC_CONTENT](string(json.dumps({"enabled": True, "items": [item]})))
    await asyncio.sleep(0)
    assert (wire.login, wire.sent, heard.take(), questions.pending) == (None, [], [], None)
    assert bridge.placeholders is not None
    assert bridge.placeholders.name_of("mineclawd:dynamic_item_002") == "Ruby"


async def answered(answer: str) -> p.Body | None:
    """What goes to the server when the owner says `answer`."""
    wire = Wire()
    _, _, questions = bridge_on(wire)
    wire.heard[p.OPEN_QUESTION](QUESTION)
    while questions.pending is None:
        await asyncio.sleep(0)
    questions.hear(answer)
    while not wire.sent:
        await asyncio.sleep(0)
    ((channel, data),) = wire.sent
    return p.decode(channel, data)


async def test_the_owners_answer_goes_back() -> None:
    assert await answered("2") == p.QuestionResponse("a1", "option", 1, "Fir")
    assert await answered("birch, please") == p.QuestionResponse("a1", "other", -1, "birch, please")
    assert await answered("skip") == p.QuestionResponse("a1", "skip")


async def test_a_question_of_ours_is_not_replaced_by_one_of_the_servers() -> None:
    wire = Wire()
    _, _, questions = bridge_on(wire)
    ours = asyncio.ensure_future(questions.confirm("Really?"))
    while questions.pending is None:
        await asyncio.sleep(0)
    wire.heard[p.OPEN_QUESTION](QUESTION)
    while not wire.sent:
        await asyncio.sleep(0)
    assert p.decode(*wire.sent[0]) == p.QuestionResponse("a1", "skip")
    assert questions.pending.text == "Really?"
    questions.hear("yes")
    assert await ours


def test_every_channel_is_declared_with_the_namespace_as_its_version() -> None:
    assert {each.version for each in CHANNELS} == {"mineclawd"}
    assert len(CHANNELS) == 12
