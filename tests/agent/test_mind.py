"""What stops a mind, what it does when thinking fails, and what it takes up again."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from numen.agent import (
    EndpointRetried,
    Event,
    Halt,
    ToolCalled,
    ToolFinished,
    TurnEnded,
    TurnFailed,
    TurnStarted,
)
from numen.llm.messages import AssistantMessage
from numen.session import FileSession, MemorySession
from numen.session.record import Record
from numen.testing.endpoint import RecordedRequest, Reply, calls, refuses, says
from tests.agent.bench import Bench, assert_legal, results

MINE = calls(("mine", {"block_ids": ["stone"], "count": 3}))


# -- Stop


async def test_stop_cancels_the_request_and_stays_still_until_the_owner_speaks() -> None:
    async with Bench(says("a", "b").hang(after=2), says("Yes?")) as bench:
        bench.mind.hear("tell me a story")
        request = await bench.endpoint.wait_for_requests(1)

        assert bench.mind.halt()
        await request.abandoned.wait()
        await bench.mind.rest()
        bench.mind.notify(Event(kind="task_finished", text="an old job"))

        assert not bench.mind.busy
        assert bench.said == []
        assert bench.stopped == [Halt.OWNER_STOP]
        assert bench.told(TurnEnded)[-1].how == "halted"
        assert await bench.ask("and now?") == "Yes?"
        sent = bench.request()
        assert_legal(sent)
        assert [each["content"] for each in sent[:2]] == ["<query>tell me a story</query>", "(interrupted)"]
        assert "an old job" in sent[2]["content"]


async def test_stop_during_a_call_gives_every_open_call_an_honest_result() -> None:
    async with Bench(calls(("long_call", {}), ("craft", {"item_id": "x"})), says("ok")) as bench:
        bench.mind.hear("go")
        await bench.body.entered.wait()
        bench.mind.halt()
        await bench.mind.rest()

        kinds = [each.kind for each in bench.events]
        assert kinds[-3:] == ["tool_called", "tool_finished", "turn_ended"]
        assert bench.told(ToolFinished)[-1].outcome == "cancelled"
        await bench.ask("what happened?")
        sent = bench.request()
        assert_legal(sent)
        for each in results(sent):
            assert each["interrupted"] is True
            assert "the owner interrupted" in each["message"]
        assert bench.body.done == ["long_call"], "the second call was never run"


async def test_what_an_old_turn_still_does_counts_for_nothing() -> None:
    async with Bench(calls(("deaf_call", {})), says("ok"), says("fine")) as bench:
        bench.mind.hear("go")
        await bench.body.entered.wait()
        bench.mind.halt()
        await bench.ask("next")
        before = len(bench.events)
        bench.body.gate.set()
        while "deaf_call" not in bench.body.done:
            await asyncio.sleep(0)
        for _ in range(20):
            await asyncio.sleep(0)

        assert len(bench.events) == before, "a late end is told to nobody"
        await bench.ask("again")
        sent = bench.request()
        assert_legal(sent)
        assert [each["message"] for each in results(sent)] == [Halt.OWNER_STOP.value]


async def test_stop_while_idle_drops_waiting_words_and_keeps_events() -> None:
    async with Bench(says("ok")) as bench:
        bench.mind.suspend(Halt.DISCONNECT)
        bench.mind.hear("dig a hole to bedrock")
        bench.mind.notify(Event(kind="chat", text="a fact"))

        assert not bench.mind.halt()
        bench.mind.resume(Halt.DISCONNECT)
        assert not bench.mind.busy

        await bench.ask("hello")
        assert "hole" not in str(bench.request())
        assert "a fact" in str(bench.request())


async def test_stop_with_words_queued_keeps_them_for_the_next_turn() -> None:
    async with Bench(calls(("long_call", {})), says("ok")) as bench:
        bench.mind.hear("first")
        await bench.body.entered.wait()
        bench.mind.hear("second")
        bench.mind.halt()

        await bench.ask("third")
        assert bench.request()[-1]["content"] == "<query>second</query>\n<query>third</query>"


# -- death, disconnect, somebody else at the wheel


async def test_death_ends_the_turn_and_respawning_takes_it_up_again() -> None:
    async with Bench(calls(("long_call", {})), says("I am back. I died to a creeper.")) as bench:
        bench.mind.hear("go")
        await bench.body.entered.wait()
        bench.mind.suspend(Halt.DEATH, Event(kind="death", text="you were blown up by Creeper"))
        bench.mind.hear("are you well?")
        assert not bench.mind.busy, "the dead do not think"

        bench.mind.resume(Halt.DEATH, Event(kind="respawned", text="you are alive again at 0 64 0"))
        await bench.mind.rest()

        assert bench.said == ["I am back. I died to a creeper."]
        sent = bench.request()
        assert_legal(sent)
        assert results(sent)[0]["message"] == "interrupted by your death"
        last = sent[-1]["content"]
        assert last.index("blown up") < last.index("alive again") < last.index("are you well?")


async def test_a_connection_lost_in_mid_turn_is_taken_up_after_reconnecting() -> None:
    async with Bench(says("a").hang_before_head(), says("Back.")) as bench:
        bench.mind.hear("go")
        await bench.endpoint.wait_for_requests(1)
        bench.mind.suspend(Halt.DISCONNECT, Event(kind="disconnected", text="the server closed"))
        bench.mind.suspend(Halt.DISCONNECT)
        bench.mind.resume(Halt.DISCONNECT, Event(kind="reconnected", text="you are back after 12 s"))
        await bench.mind.rest()

        assert bench.said == ["Back."]
        assert "the server closed" in bench.request()[-1]["content"]


async def test_a_reconnect_of_an_idle_companion_costs_no_request() -> None:
    async with Bench() as bench:
        bench.mind.suspend(Halt.DISCONNECT, Event(kind="disconnected", text="x"))
        bench.mind.resume(Halt.DISCONNECT, Event(kind="reconnected", text="y"))

        assert not bench.mind.busy


async def test_two_reasons_to_be_still_must_both_be_lifted() -> None:
    async with Bench(says("ok")) as bench:
        bench.mind.suspend(Halt.DEATH)
        bench.mind.suspend(Halt.DISCONNECT)
        bench.mind.hear("hi")
        bench.mind.resume(Halt.DEATH)
        assert not bench.mind.busy
        bench.mind.resume(Halt.DISCONNECT)
        await bench.mind.rest()
        assert bench.said == ["ok"]


async def test_handing_the_body_back_does_not_start_the_mind() -> None:
    async with Bench(says("a").hang_before_head(), says("ok")) as bench:
        bench.mind.hear("go")
        await bench.endpoint.wait_for_requests(1)
        bench.mind.suspend(Halt.EXTERNAL)
        assert bench.stopped == [Halt.EXTERNAL]
        bench.mind.resume(Halt.EXTERNAL)
        assert not bench.mind.busy
        assert await bench.ask("hello") == "ok"


# -- endpoints that fail


@pytest.mark.parametrize(
    ("reply", "language", "words"),
    [
        (refuses(401, "bad key"), "en", "refuses the API key"),
        (refuses(402), "en", "no quota or money"),
        (refuses(400, "messages.3 is odd"), "en", "refuses the request: messages.3 is odd"),
        (refuses(401), "zh", "拒绝了 API 密钥"),
    ],
)
async def test_a_lasting_failure_is_one_plain_sentence_and_then_quiet(
    reply: Reply, language: str, words: str
) -> None:
    async with Bench(reply, says("Better now."), language=language) as bench:
        assert words in await bench.ask("hi")
        bench.mind.notify(Event(kind="task_finished", text="x"))
        bench.clock.advance(3_600)

        assert not bench.mind.busy
        assert len(bench.said) == 1
        failed = bench.told(TurnFailed)[0]
        assert failed.retry_in_s is None
        assert await bench.ask("and now?") == "Better now."
        assert_legal(bench.request())


async def test_a_passing_failure_is_tried_again_later_and_said_once() -> None:
    script = (MINE, says(), refuses(503), refuses(503), says("I have them."))
    async with Bench(*script) as bench:
        await bench.ask("stones")
        bench.finish_job()
        await bench.mind.rest()
        assert len(bench.said) == 1, bench.said
        assert "I try again in 30 s" in bench.said[0]
        bench.mind.notify(Event(kind="timer", text="ding"))
        assert not bench.mind.busy, "events wait for the retry"

        bench.clock.advance(30)
        await bench.mind.rest()
        assert len(bench.said) == 1, "the same complaint is not repeated"
        bench.clock.advance(59)
        assert not bench.mind.busy
        bench.clock.advance(1)
        await bench.mind.rest()

        assert bench.said[1] == "I have them."
        assert [each.retry_in_s for each in bench.told(TurnFailed)] == [30.0, 60.0]
        assert_legal(bench.request())
        bench.endpoint.assert_complete()


async def test_the_owner_need_not_wait_for_the_retry() -> None:
    async with Bench(refuses(503), says("Here.")) as bench:
        await bench.ask("hi")
        assert await bench.ask("hello?") == "Here."
        assert bench.request()[-1]["content"] == "<query>hi</query>\n<query>hello?</query>"
        bench.clock.advance(3_600)
        assert not bench.mind.busy, "the retry went with the failure"


async def test_stop_also_calls_off_the_retry() -> None:
    async with Bench(refuses(503)) as bench:
        await bench.ask("hi")
        bench.mind.halt()
        bench.clock.advance(3_600)
        assert not bench.mind.busy


async def test_death_during_an_outage_does_not_lose_the_job() -> None:
    async with Bench(refuses(503), says("Done.")) as bench:
        await bench.ask("hi")
        bench.mind.suspend(Halt.DEATH)
        bench.mind.resume(Halt.DEATH)
        await bench.mind.rest()
        assert bench.said[-1] == "Done."


async def test_retries_within_a_request_are_told() -> None:
    async with Bench(refuses(500), says("ok"), retries=1) as bench:
        await bench.ask("hi")
        assert [each.delay_s for each in bench.told(EndpointRetried)] == bench.waits == [0.375]


async def test_a_killed_endpoint_fails_the_turn_and_the_mind_lives_on() -> None:
    async with Bench(MINE, says(), says("x")) as bench:
        await bench.ask("stones")
        await bench.endpoint.stop()
        bench.finish_job()
        await bench.mind.rest()
        assert "cannot be reached" in bench.said[-1]
        await bench.endpoint.start(bench.endpoint.port)
        assert await bench.ask("hello?") == "x"
        assert_legal(bench.request())


async def test_a_bug_of_ours_ends_in_a_sentence_not_in_silence(caplog: pytest.LogCaptureFixture) -> None:
    def broken() -> str:
        raise RuntimeError("no situation today")

    async with Bench(says("ok")) as bench:
        bench.mind._situation = broken
        assert "no situation today" in await bench.ask("hi")
        bench.mind._situation = str
        assert await bench.ask("hi") == "ok"
    assert "no situation today" in caplog.text


async def test_a_watcher_or_a_voice_that_fails_harms_nothing(caplog: pytest.LogCaptureFixture) -> None:
    def broken(_: object) -> None:
        raise RuntimeError("deaf")

    async with Bench(says("ok"), says("fine")) as bench:
        bench.mind._emit = broken
        bench.mind._speak = broken
        bench.mind.hear("hi")
        await bench.mind.rest()
        assert not bench.mind.busy
    assert "could not say" in caplog.text


class FullDisk(MemorySession):
    """A session on a disk that may be full."""

    full = False

    def append(self, record: Record) -> None:
        if self.full:
            raise OSError(28, "No space left on device")
        super().append(record)


async def test_a_full_disk_stops_the_thinking_and_not_the_body(caplog: pytest.LogCaptureFixture) -> None:
    disk = FullDisk()
    async with Bench(calls(("long_call", {})), says("ok"), session=disk) as bench:
        bench.mind.hear("go")
        await bench.body.entered.wait()
        disk.full = True
        bench.mind.notify(Event(kind="timer", text="lost"))
        bench.body.gate.set()
        await bench.mind.rest()
        assert "cannot write down our conversation" in bench.said[-1]
        assert not bench.mind.hear("hello?"), "not kept, so not promised"

        disk.full = False
        assert await bench.ask("hello?") == "ok"
        assert_legal(bench.request())


# -- restarts


async def test_a_restart_takes_up_the_conversation_and_wakes_nobody(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    async with Bench(says("Nice to meet you."), session=FileSession(path)) as bench:
        await bench.ask("I am Steve")
        bench.mind.suspend(Halt.DISCONNECT)
        bench.mind.hear("remember the milk")
        bench.mind.notify(Event(kind="task_finished", text="t1 done"))

    async with Bench(says("Milk."), session=FileSession(path)) as bench:
        bench.mind.suspend(Halt.DISCONNECT)
        bench.mind.resume(Halt.DISCONNECT, Event(kind="chat", text="hello again"))
        assert not bench.mind.busy
        assert len(bench.mind.inbox) == 3

        await bench.ask("what was it?")
        assert bench.request() == [
            {"role": "user", "content": "<query>I am Steve</query>"},
            {"role": "assistant", "content": "Nice to meet you."},
            {
                "role": "user",
                "content": '<event kind="task_finished">t1 done</event>\n'
                '<event kind="chat">hello again</event>\n'
                "<query>remember the milk</query>\n<query>what was it?</query>",
            },
        ]


async def test_a_call_cut_off_by_the_end_of_the_program_is_answered_and_not_run_again(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    session = FileSession(path)
    session.append({"type": "message", "message": {"role": "user", "content": "<query>go</query>"}})
    made = calls_message("craft", "call_1", '{"item_id": "stick"}')
    session.append({"type": "message", "message": made})
    session.close()

    async with Bench(says("I see."), session=FileSession(path)) as bench:
        await bench.ask("well?")
        assert bench.body.done == []
        sent = bench.request()
        assert_legal(sent)
        assert "the program ended while this call was running" in results(sent)[0]["message"]


def calls_message(name: str, call_id: str, arguments: str) -> dict[str, Any]:
    from numen.llm import FunctionCall, to_record

    return to_record(AssistantMessage(calls=(FunctionCall(id=call_id, name=name, arguments=arguments),)))


async def test_stopping_the_program_settles_the_turn(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    async with Bench(calls(("long_call", {})), session=FileSession(path)) as bench:
        bench.mind.hear("go")
        await bench.body.entered.wait()
    assert bench.stopped == [Halt.DISPOSE]

    async with Bench(says("ok"), session=FileSession(path)) as bench:
        await bench.ask("hi")
        assert results(bench.request())[0]["message"] == Halt.DISPOSE.value


# -- several at once


async def test_two_companions_never_hear_of_each_other() -> None:
    def brain(name: str) -> Any:
        def answer(request: RecordedRequest) -> Reply:
            last = request.messages[-1]
            if last["role"] == "user" and "do" in last["content"]:
                return calls(("craft", {"item_id": f"{name}_{len(request.messages)}"}))
            if last["role"] == "tool":
                return MINE if len(request.messages) % 3 == 0 else says(f"{name} is done")
            return says(f"{name} hears")

        return answer

    async with (
        Bench(brain=brain("Ada"), companion="Ada") as ada,
        Bench(brain=brain("Bob"), companion="Bob") as bob,
    ):
        for number in range(30):
            for bench in (ada, bob):
                bench.mind.hear(f"do {number}" if number % 2 else f"hi {number}")
                if number % 7 == 3:
                    bench.mind.halt()
                if bench.body.job and number % 5 == 0:
                    bench.finish_job()
            if number % 3 == 0:
                await asyncio.gather(ada.mind.rest(), bob.mind.rest())
        await asyncio.gather(ada.mind.rest(), bob.mind.rest())

        for bench, other in ((ada, "Bob"), (bob, "Ada")):
            for request in bench.endpoint.requests:
                assert_legal(request.messages)
                assert other not in str(request.messages[1:])
            assert all(other not in words for words in bench.said)
            assert {each.companion for each in bench.events} == {bench.mind.persona.companion}
            assert all(other not in each for each in bench.body.done)
            called = [each.call_id for each in bench.told(ToolCalled)]
            assert called == [each.call_id for each in bench.told(ToolFinished)]
            assert len(bench.told(TurnStarted)) == len(bench.told(TurnEnded))
