"""Requests that fail and are sent again, sessions and souls under a mind, and whose words it holds."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from numen.agent import Event, Limits, Refused, Soul, TurnFailed, TurnStarted
from numen.agent.requests import Requests
from numen.llm import UserMessage
from numen.session import SessionStore, Souls, restore
from numen.testing.endpoint import calls, refuses, says
from numen.tool.trust import Trust
from tests.agent.bench import Bench, assert_legal

MINE = calls(("mine", {"block_ids": ["stone"], "count": 3}))


# -- the token


def requests_at(clock: list[float]) -> Requests:
    tokens = iter(["aabbccdd", "11223344"])
    return Requests(now=lambda: clock[0], new_id=lambda: "id", new_token=lambda: next(tokens))


def failing(requests: Requests, words: str = "dig") -> str:
    requests.begin()
    requests.heard(words)
    return requests.fail("ab12", withdrawn=True)


def test_a_token_is_eight_hex_digits_and_good_once_whatever_the_case() -> None:
    made = Requests(now=lambda: 0.0)
    token = failing(made)
    assert len(token) == 8
    assert int(token, 16) >= 0
    assert made.take(f" {token.upper()} ", "ab12").words == "dig"
    with pytest.raises(Refused, match="retry_none"):
        made.take(token, "ab12")


def test_a_wrong_token_also_deletes_the_stored_one() -> None:
    made = requests_at([0.0])
    token = failing(made)
    with pytest.raises(Refused, match="retry_wrong"):
        made.take("deadbeef", "ab12")
    with pytest.raises(Refused, match="retry_none"):
        made.take(token, "ab12")


@pytest.mark.parametrize(("age", "good"), [(1_800.0, True), (1_800.1, False)])
def test_a_token_lives_thirty_minutes(age: float, good: bool) -> None:
    clock = [0.0]
    made = requests_at(clock)
    token = failing(made)
    clock[0] = age
    if good:
        made.take(token, "ab12")
    else:
        with pytest.raises(Refused, match="retry_late"):
            made.take(token, "ab12")


def test_a_token_needs_its_session_and_stays_good_in_another() -> None:
    made = requests_at([0.0])
    token = failing(made)
    with pytest.raises(Refused, match="retry_elsewhere"):
        made.take(token, "cd34")
    assert made.take(token, "ab12").session == "ab12"


def test_the_newest_failure_wins_and_a_success_clears_it() -> None:
    made = requests_at([0.0])
    failing(made)
    assert failing(made, "build") == "11223344"
    made.begin()
    assert made.fail("ab12", withdrawn=False) == "11223344", "a turn that no words began changes nothing"
    made.succeed()
    assert made.failed is None


# -- failing and trying again


async def test_the_unanswered_words_are_withdrawn_and_come_back_with_the_token() -> None:
    async with Bench(refuses(400, "no"), says("Hm."), says("Done.")) as bench:
        bench.mind.notify(Event(kind="chat", text="Eve says: boo", attrs={"from": "Eve"}))
        await bench.ask("dig a hole")
        token = bench.told(TurnFailed)[-1].token
        assert bench.mind.history.messages == ()
        assert len(bench.mind.inbox) == 1, "what happened stays a fact"
        bench.mind.retry(token)
        await bench.mind.rest()
        assert bench.said[-1] == "Hm."
        assert bench.told(TurnStarted)[-1].request == "dig a hole"
        assert "boo" in str(bench.request())
        with pytest.raises(Refused, match="retry_none"):
            bench.mind.retry(token)


async def test_words_that_are_not_the_very_last_of_it_stay() -> None:
    async with Bench(MINE, refuses(400, "no"), says("Done.")) as bench:
        await bench.ask("stones")
        assert len(bench.mind.history.messages) == 3
        bench.mind.retry(bench.told(TurnFailed)[-1].token)
        await bench.mind.rest()
        assert bench.said[-1] == "Done."
        assert str(bench.request()).count("stones") == 1
        assert_legal(bench.request())


async def test_a_retry_need_not_wait_for_the_next_try_by_itself() -> None:
    async with Bench(refuses(503), says("Here.")) as bench:
        await bench.ask("hi")
        bench.mind.retry(bench.told(TurnFailed)[-1].token)
        await bench.mind.rest()
        assert bench.said[-1] == "Here."
        bench.clock.advance(3_600)
        assert not bench.mind.busy
        assert bench.endpoint.requests[-1].messages[1:] == [{"role": "user", "content": "<query>hi</query>"}]


async def test_withdrawn_words_stay_withdrawn_after_a_restart() -> None:
    async with Bench(refuses(401)) as bench:
        bench.mind.notify(Event(kind="chat", text="Eve says: boo", attrs={"from": "Eve"}))
        await bench.ask("dig a hole")
        restored = restore(bench.session.records())
        assert restored.messages == []
        assert [each["text"] for each in restored.pending] == ["Eve says: boo"]


async def test_one_request_at_a_time_and_its_id_is_told() -> None:
    async with Bench(calls(("long_call", {})), says("ok")) as bench:
        bench.mind.hear("go")
        await bench.body.entered.wait()
        assert bench.mind.request_id == bench.told(TurnStarted)[-1].request_id
        with pytest.raises(Refused, match="busy_retry"):
            bench.mind.retry("00000000")
        bench.mind.hear("and this")
        bench.body.gate.set()
        await bench.mind.rest()
        assert bench.mind.request_id is None
        assert len(bench.told(TurnStarted)) == 1, "words join the request that runs"


async def test_too_many_requests_are_tried_again_after_fixed_waits_each_round() -> None:
    script = (refuses(429), refuses(429), MINE, refuses(429), says("Done."))
    async with Bench(*script, retries=2) as bench:
        assert await bench.ask("go") == "Done."
        assert bench.waits == [1.5, 3.0, 1.5]


# -- sessions and souls


class House(Bench):
    """A bench whose mind has sessions and souls."""

    def __init__(self, folder: Path, *script: Any, **settings: Any) -> None:
        super().__init__(*script, **settings)
        self.folder = folder
        self.sessions = SessionStore(folder, "Steve", "Numen")
        self.trust = Trust()

    @property
    def tainted(self) -> list[str]:
        """Whose words are in the conversation."""
        return self.trust.tainted.split(", ") if self.trust.tainted else []

    def new_mind(self) -> Any:
        from numen.agent import Mind, Persona
        from numen.tool import ToolContext

        mind = super().new_mind()
        return Mind(
            persona=Persona(companion="Numen", owner="Steve", soul="You love cake."),
            provider=mind.provider,
            registry=self.registry,
            context=ToolContext(
                companion="Numen", owner="Steve", services={**mind.context.services, Trust: self.trust}
            ),
            sessions=self.sessions,
            soul=Soul(Souls(None, self.folder), "Steve"),
            titler=mind.provider,
            speak=self.said.append,
            emit=self.events.append,
            limits=Limits(),
            call_later=self.clock.callLater,
        )

    def file(self) -> dict[str, Any]:
        head = self.sessions.active
        assert head is not None
        value = json.loads((self.folder / f"sessions/Steve/{head.id}.json").read_text())
        assert isinstance(value, dict)
        return value


async def test_a_session_is_saved_each_round_and_gets_its_title_once(tmp_path: Path) -> None:
    async with House(tmp_path, calls(("long_call", {})), says("One."), says("Two.")) as house:
        house.mind.hear("first words")
        await house.body.entered.wait()
        house.body.gate.set()
        await house.mind.rest()
        while not house.file()["titleGenerated"]:
            await asyncio.sleep(0)
        assert house.file()["title"] == "A talk"
        house.endpoint.title = "Another"
        await house.ask("more")
    whole = json.loads(next((tmp_path / "sessions/Steve").glob("????.json")).read_text())
    assert whole["title"] == "A talk"
    assert [each["content"] for each in whole["openAiHistory"] if each["role"] == "assistant"][1:] == [
        "One.",
        "Two.",
    ]


async def test_sessions_are_switched_between_requests_and_not_within(tmp_path: Path) -> None:
    async with House(tmp_path, says("One."), calls(("long_call", {})), says("x"), says("Back.")) as house:
        await house.ask("first")
        first = house.mind.session_id
        second = house.mind.new_session()
        assert house.mind.history.messages == ()
        house.mind.hear("go")
        await house.body.entered.wait()
        for act in (
            lambda: house.mind.switch_session(first),
            house.mind.new_session,
            lambda: house.mind.remove_session(first),
            lambda: house.mind.repair_session(),
        ):
            with pytest.raises(Refused, match="busy_sessions"):
                act()
        assert house.mind.switch_session(second.token).id == second.id, "the same one may be named"
        house.body.gate.set()
        await house.mind.rest()
        house.mind.switch_session(first)
        assert await house.ask("again") == "Back."
        assert [each["content"] for each in house.request()][:2] == ["<query>first</query>", "One."]
        with pytest.raises(Refused, match="no_session"):
            house.mind.switch_session("zzzz")
        house.mind.remove_session(first)
        assert house.mind.session_id == second.id


async def test_a_soul_is_switched_live_with_an_event_and_not_within_a_request(tmp_path: Path) -> None:
    async with House(tmp_path, says("Aye."), calls(("long_call", {})), says("x")) as house:
        assert house.mind.switch_soul("ORRIN") == "orrin"
        await house.ask("hello")
        system = house.endpoint.requests[0].messages[0]["content"]
        assert "You love cake." in system
        assert "You are Orrin" in system
        assert "you stay Numen" in system
        assert "From now on you speak as the soul orrin." in house.request()[0]["content"]
        house.mind.hear("go")
        await house.body.entered.wait()
        with pytest.raises(Refused, match="busy_soul"):
            house.mind.switch_soul("default")
        with pytest.raises(Refused, match="no_soul"):
            house.mind.switch_soul("../x")
        house.body.gate.set()
        await house.mind.rest()
        assert house.mind.soul == "orrin"


async def test_a_strangers_words_taint_when_they_are_told_and_after_a_restart(tmp_path: Path) -> None:
    async with House(tmp_path, says("ok")) as house:
        house.mind.notify(Event(kind="chat", text="Eve says: hi", attrs={"from": "Eve"}))
        assert house.tainted == []
        await house.ask("hello")
        assert house.tainted == ["what Eve says in chat"]
    async with House(tmp_path) as house:
        assert house.tainted == ["what others said in chat"]
        house.mind.new_session()
        assert house.tainted == []


async def test_a_conversation_begun_for_another_kind_of_endpoint_goes_on_and_says_so(tmp_path: Path) -> None:
    other = SessionStore(tmp_path, "Steve", "Numen", shape="vertex")
    other.new()
    other.save([{"role": "user", "content": "<query>hi</query>"}, {"role": "assistant", "content": "Hello."}])
    other.close()
    next((tmp_path / "sessions/Steve").glob("*.log")).unlink()
    async with House(tmp_path, says("Still here.")) as house:
        await house.ask("and now?")
        assert "goes on with it" in house.said[0]
        assert house.said[-1] == "Still here."
        assert house.mind.history.messages[0] == UserMessage(content="<query>hi</query>")
