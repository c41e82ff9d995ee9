"""Two people and one companion, over the game's chat: each has his own session, soul and question, and
nothing of the one is lost by, or reaches, the other.

It runs on the practice server and on the Node server, or on the one that NUMEN_TEST_SERVER names. There it
may be that no command carries a private line; so what people are shown is looked at on our own servers only.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import UUID

import pytest

from numen.agent import Mind, questions
from numen.agent.events import Answered, TextDelta, TurnEnded, TurnFailed
from numen.agent.live import Kind, LiveEvent
from numen.agent.questions import QuestionAsked, QuestionClosed
from numen.app import companion_of
from numen.companion import Joined
from numen.config import CompanionConfig, Config, LlmConfig, ServerConfig
from numen.llm import AssistantMessage, UserMessage
from numen.sandbox import start_sandbox
from numen.session import Person
from numen.testing.endpoint import RecordedRequest, Reply, ScriptedEndpoint, calls, says
from protocol.connection import Connection, connect
from tests.app.test_companion import Life, no_pause, speak
from tests.app.test_talking_in_the_game import Ear, whisper
from tests.e2e.anywhere import OURS, Place, named, place

pytestmark = [pytest.mark.node, pytest.mark.timeout(90)]

ON_ALL = pytest.mark.parametrize("kind", ["named"] if named() else OURS)
ANN, BEA = "Ann", "Bea"


def brain(request: RecordedRequest) -> Reply:
    """A model that does what the last words say."""
    last = request.messages[-1]
    said = str(last["content"])
    if last["role"] == "tool":
        return says(f"I heard: {said}")
    for what, options in (("wood", ["Oak", "Birch"]), ("stone", ["Granite", "Diorite"])):
        if f"ask me which {what}" in said:
            return calls(("ask-user-question", {"question": f"Which {what}?", "options": options}))
    if "late answer" in said:
        return says("Better late than never.")
    if "a long story" in said:
        return says("Once ", "upon ", "a time").hang(after=4)
    return says("Hello.")


class Pair(Life):
    """A companion with an owner and one user."""

    where: Place
    tells: bool
    """Whether private lines arrive on this server."""

    def mind_of(self, name: str) -> Mind:
        return self.companion.mind_of(Person(name, self._uuid(name)))

    def told_to(self, name: str) -> str:
        messages = self.mind_of(name).history.messages
        return "\n".join(each.content for each in messages if isinstance(each, UserMessage))

    def answers(self, name: str) -> list[str]:
        """What the companion has answered that person."""
        return [
            each.content for each in self.mind_of(name).history.messages if isinstance(each, AssistantMessage)
        ]

    def streamed(self, words: str) -> int:
        """In how many turns that was said while it came."""
        texts: dict[int, str] = {}
        for each in self.events:
            if isinstance(each, TextDelta):
                texts[each.turn] = texts.get(each.turn, "") + each.text
        return sum(words in each for each in texts.values())

    def _uuid(self, name: str) -> UUID | None:
        seen = self.companion.world.players.by_name(name)
        return seen.uuid if seen is not None else None

    async def come(self, name: str) -> tuple[Connection, Ear]:
        connection = await connect(self.where.host, self.where.port, name)
        connection.subscribe("login", lambda fields: None)
        await self.until(lambda: self._uuid(name))
        return connection, Ear(connection)

    async def shown(self, ear: Ear, text: str) -> None:
        """Wait until that person reads it."""
        if self.tells:
            await self.until(ear.heard(text))


@asynccontextmanager
async def serving(folder: Path, where: Place, *, tells: bool = True) -> AsyncIterator[Pair]:
    async with ScriptedEndpoint(brain=brain, title="A talk") as endpoint:
        pair = Pair(endpoint)
        pair.where, pair.tells = where, tells
        config = Config(
            llm=LlmConfig(provider="custom", model="test", base_url=endpoint.url),
            companions=(CompanionConfig(name="Numen", owner=ANN, users=(BEA,)),),
        )
        server = ServerConfig(host=where.host, port=where.port, reconnect_for_s=0)
        pair.companion = companion_of(config, config.companions[0], server, pair.report, data=folder)
        pair.companion._sleep = no_pause
        running = asyncio.ensure_future(pair.companion.live())
        try:
            await pair.until(lambda: pair.seen(Joined) or running.done())
            yield pair
        finally:
            pair.companion.leave()
            await running


def of(events: list[LiveEvent], person: str | None) -> list[Kind]:
    return [each.kind for each in events if each.person == person]


@ON_ALL
async def test_two_people_at_once(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with place(kind) as where, serving(tmp_path, where, tells=kind != "named") as pair:
        live = pair.companion.live_bus.subscribe(4_000)
        (ann, anns), (bea, beas) = await pair.come(ANN), await pair.come(BEA)

        # A session and a soul for each.
        speak(ann, "!mclawd sessions new")
        speak(ann, "!mclawd persona orrin")
        speak(ann, "hello from ann")
        speak(bea, "Numen, hello from bea")
        await pair.until(lambda: pair.seen(Answered) == 2)
        assert "hello from ann" in pair.told_to(ANN)
        assert "bea" not in pair.told_to(ANN)
        assert "hello from bea" in pair.told_to(BEA)
        assert (pair.mind_of(ANN).soul, pair.mind_of(BEA).soul) == ("orrin", "default")
        assert pair.mind_of(ANN).session_id != pair.mind_of(BEA).session_id

        # A question for each, open at the same time; the second to be asked is the first to answer.
        speak(ann, "ask me which wood")
        await pair.until(lambda: pair.seen(QuestionAsked) == 1)
        speak(bea, "@Numen ask me which stone")
        await pair.until(lambda: pair.seen(QuestionAsked) == 2)
        await pair.shown(beas, "2. Diorite")
        speak(bea, "Numen, 2")
        await pair.until(lambda: pair.seen(Answered) == 3)
        assert "User selected option 2: Diorite" in pair.answers(BEA)[-1]
        assert not pair.mind_of(ANN).history.messages[-1].content.startswith("I heard")
        await pair.shown(anns, "1. Oak")
        speak(ann, "birch")
        await pair.until(lambda: pair.seen(Answered) == 4)
        assert "User selected option 2: Birch" in pair.answers(ANN)[-1]
        assert not any("Which stone?" in line for line in anns.lines)
        assert not any("Which wood?" in line for line in beas.lines)

        # A stop in the middle of a stream ends that one's alone.
        for each in (ann, bea):
            speak(each, "@Numen tell a long story")
        await pair.until(lambda: pair.streamed("Once upon a time") == 2)
        live.take()
        ended = pair.seen(TurnEnded)
        speak(ann, "!mclawd stop")
        await pair.until(lambda: pair.seen(TurnEnded) == ended + 1)
        assert of(live.take(), None) == [Kind.TOOL_STATUS_CLEAR, Kind.ERROR, Kind.DONE]
        assert not pair.mind_of(ANN).busy
        assert pair.mind_of(BEA).busy
        await pair.shown(anns, "Stopped.")
        speak(bea, "@Numen stop")
        await pair.until(lambda: not pair.mind_of(BEA).busy)
        assert of(live.take(), BEA)[-3:] == [Kind.TOOL_STATUS_CLEAR, Kind.ERROR, Kind.DONE]

        # A question that is answered when its time is over.
        answered = pair.seen(Answered)
        with monkeypatch.context() as sooner:
            sooner.setattr(questions, "TIMEOUT_S", 0.1)
            speak(bea, "@Numen ask me which stone")
            await pair.until(lambda: pair.seen(Answered) == answered + 1)
        closed = [each.result for each in pair.events if isinstance(each, QuestionClosed)][-1]
        assert closed.startswith("SKIPPED")
        speak(bea, "Numen, 1")
        await pair.until(lambda: pair.seen(Answered) == answered + 2)
        assert pair.answers(BEA)[-1] == "Better late than never."
        assert "late answer" not in pair.told_to(ANN)

        # The endpoint dies; who asked can send his request again, by a token of his own.
        port = pair.endpoint.port
        await pair.endpoint.stop()
        speak(bea, "Numen, are you there?")
        await pair.until(lambda: pair.seen(TurnFailed))
        (token,) = {each.token for each in pair.events if isinstance(each, TurnFailed)}
        await pair.shown(beas, f"mclawd retry {token}")
        speak(ann, f"!mclawd retry {token}")
        await pair.shown(anns, "no failed request")
        await pair.endpoint.start(port)
        speak(bea, f"@Numen !mclawd retry {token.upper()}")
        await pair.until(lambda: pair.seen(Answered) == answered + 3)
        assert pair.answers(BEA)[-1] == "Hello."
        assert re.findall(r"<query>(.*?)</query>", pair.told_to(BEA)).count("are you there?") == 1

        for each in (ann, bea):
            each.close("the test is over")


async def test_who_renames_finds_all_as_it_was(tmp_path: Path) -> None:
    account = UUID("0f0e0d0c-1111-4222-8333-0123456789ab")
    accounts = {BEA: account, "Beatrix": account}
    sandbox = await start_sandbox(world="flat", mobs=False, view_distance=3, accounts=accounts)
    async with serving(tmp_path, Place("127.0.0.1", sandbox.port)) as pair:
        bea, ear = await pair.come(BEA)
        whisper(bea, "mclawd persona orrin")
        await pair.until(ear.heard("orrin"))
        whisper(bea, "remember the oak")
        await pair.until(lambda: pair.seen(Answered))
        before = pair.mind_of(BEA)
        bea.close("renamed")
        await pair.until(lambda: pair.companion.world.players.by_name(BEA) is None)

        beatrix, ear = await pair.come("Beatrix")
        whisper(beatrix, "it is me")
        await pair.until(lambda: pair.seen(Answered) == 2)
        await pair.until(ear.heard("Hello."))
        mind = pair.mind_of("Beatrix")
        assert mind is before
        assert "remember the oak" in pair.told_to("Beatrix")
        assert mind.soul == "orrin"

        # Who has the old name now is somebody else, and not served.
        accounts[BEA] = UUID(int=7, version=4)
        other, others = await pair.come(BEA)
        whisper(other, "hello, it is me")
        await pair.until(others.heard("I don't take orders from you."))
        for each in (beatrix, other):
            each.close("the test is over")

    # All of it is there after a restart as well.
    async with serving(tmp_path, Place("127.0.0.1", sandbox.port)) as pair:
        assert "remember the oak" in "".join(
            each.content for each in pair.companion.mind_of(Person("Beatrix", account)).history.messages
        )
        assert pair.companion.mind_of(Person("Beatrix", account)).soul == "orrin"
    await sandbox.stop()
