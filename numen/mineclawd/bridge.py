"""What MineClawd's mod on the server tells us, on its channels.

With the bridge on we say that we are ready: the agent's stream comes onto our bus, its questions come before
the owner, and his answers go back. With it off nothing is sent; what comes all the same is only read.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, Protocol

from numen.agent.live import LiveBus, LiveEvent, kind_of
from numen.agent.questions import OTHER, NoOptions, Questions
from numen.mineclawd import payloads
from numen.mineclawd.payloads import AskedByServer, Document, QuestionResponse, StreamEvent
from numen.mineclawd.placeholders import Placeholders
from protocol.neoforge_payloads import Channel

log = logging.getLogger(__name__)

#: As NeoForge servers want them declared; the version is the namespace.
CHANNELS: Final = (
    *(Channel(each, payloads.NAMESPACE, "clientbound") for each in payloads.TO_CLIENT),
    *(Channel(each, payloads.NAMESPACE, "serverbound") for each in payloads.TO_SERVER),
)


class NeoForgeSide(Protocol):
    """What was agreed on with a NeoForge server."""

    @property
    def speaking(self) -> bool: ...
    @property
    def agreed(self) -> Mapping[Any, Mapping[str, str]]: ...


class Wire(Protocol):
    """What of a connection this needs."""

    @property
    def neoforge(self) -> NeoForgeSide: ...
    @property
    def server_brand(self) -> str | None: ...
    def subscribe(self, packet: str, handler: Callable[[dict[str, Any]], None], /) -> None: ...
    def on_payload(self, channel: str, handler: Callable[[bytes], None], /) -> None: ...
    def send(self, packet: str, /, **fields: Any) -> None: ...


class ServerBridge:
    """The mod's side of one companion."""

    def __init__(
        self,
        companion: str,
        bus: LiveBus,
        questions: Callable[[], Questions],
        *,
        on: bool,
    ) -> None:
        """`questions` are the owner's."""
        self._companion = companion
        self._bus = bus
        self._questions = questions
        self._on = on
        self._asking: set[asyncio.Task[None]] = set()
        #: The placeholders as the server told them last; None where it told nothing.
        self.placeholders: Placeholders | None = None

    def attach(self, link: Wire) -> None:
        """Hear what comes on `link`; with the bridge on, say on each login that we are ready."""
        self.placeholders = None
        for channel in payloads.TO_CLIENT:
            link.on_payload(channel, partial(self._receive, link, channel))
        if self._on:
            # The login comes on joining, and again after each configuration.
            link.subscribe("login", lambda fields: self._greet(link))

    def _greet(self, link: Wire) -> None:
        """Say that we are ready. NeoForge 21.1 ends a connection on which something comes on a channel that
        was not agreed on, so there we speak only to a server that has the mod. Others are told our channels
        first, and pass over what they do not know."""
        if link.neoforge.speaking:
            if payloads.CLIENT_READY not in link.neoforge.agreed["play"]:
                return
        elif (link.server_brand or "").casefold().startswith("neoforge"):
            log.info("nothing is said to MineClawd, as we pass for a vanilla client here")
            return
        else:
            names = "\0".join(payloads.TO_CLIENT).encode()
            link.send("custom_payload", channel="minecraft:register", data=names)
        link.send("custom_payload", channel=payloads.CLIENT_READY, data=payloads.encode_flag(True))

    def _receive(self, link: Wire, channel: str, data: bytes) -> None:
        match payloads.read(channel, data):
            case Document(value) if channel == payloads.SYNC_DYNAMIC_CONTENT:
                self.placeholders = self.placeholders or Placeholders()
                self.placeholders.take(value)
            case StreamEvent(request_id, kind, payload) if self._on:
                event = LiveEvent(request_id, kind_of(kind), payload, self._companion, origin="server")
                self._bus.publish(event)
            case AskedByServer() as asked if self._on:
                task = asyncio.ensure_future(self._ask(link, asked))
                self._asking.add(task)
                task.add_done_callback(self._asking.discard)
            case _:
                pass

    async def _ask(self, link: Wire, asked: AskedByServer) -> None:
        """Put a question of the server before the owner. It takes the place of none of ours."""
        questions, options = self._questions(), [each for each in asked.options if each != OTHER]
        result = ""
        if questions.pending is None:
            try:
                result = await questions.ask(f"MineClawd: {asked.question}", options)
            except NoOptions:
                log.warning("a question of MineClawd has nothing to choose from")
        try:
            payload = payloads.encode_question_response(response_to(asked, result))
            link.send("custom_payload", channel=payloads.QUESTION_RESPONSE, data=payload)
        except Exception as error:  # the connection may be gone, or in another state, by now
            log.info("an answer did not reach MineClawd: %s", error)


def response_to(asked: AskedByServer, result: str) -> QuestionResponse:
    """What is sent for a result of `Questions.ask`."""
    chosen = re.fullmatch(r"User selected option \d+: (.*)", result, re.DOTALL)
    if chosen is not None:
        return QuestionResponse(asked.id, "option", index_of(asked, chosen[1]), chosen[1])
    custom = result.removeprefix("User provided custom response: ")
    if custom != result:
        return QuestionResponse(asked.id, "other", -1, custom)
    return QuestionResponse(asked.id, "skip")


def index_of(asked: AskedByServer, option: str) -> int:
    """Where `option` stands among the server's, which may have more of them, longer ones or doubles."""
    for index, each in enumerate(asked.options):
        if " ".join(each.split()).startswith(option):
            return index
    return -1
