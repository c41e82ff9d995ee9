"""A goal is worked at turn after turn, judged, bounded, and its owner's to stop."""

from __future__ import annotations

from pathlib import Path

import pytest

from numen.agent import Limits
from numen.agent.commands import Command
from numen.agent.goals import Goal, read_verdict
from numen.session import FileSession
from numen.testing.endpoint import RecordedRequest, Reply, calls, refuses, says
from tests.agent.bench import Bench, assert_legal

CRAFT = calls(("craft", {"item_id": "plank"}))


def is_judge(request: RecordedRequest) -> bool:
    return request.messages[0]["content"].startswith("You judge")


class Worker:
    """A brain that makes one thing a turn, and a judge that gives these verdicts in turn."""

    def __init__(self, *verdicts: str | Reply, idle: bool = False) -> None:
        self.verdicts = list(verdicts)
        self.judged: list[RecordedRequest] = []
        self.idle = idle

    def __call__(self, request: RecordedRequest) -> Reply:
        if is_judge(request):
            self.judged.append(request)
            verdict = self.verdicts.pop(0)
            return verdict if isinstance(verdict, Reply) else says(verdict)
        if request.messages[-1]["role"] == "tool" or (self.idle and self.judged):
            return says("I made one.")
        return calls(("craft", {"item_id": f"plank_{len(request.messages)}"}))


@pytest.mark.parametrize(
    ("text", "verdict", "reason"),
    [
        ("done: the hut stands.", "done", "the hut stands."),
        ("**Continue** – the roof is missing", "continue", "the roof is missing"),
        ('{"stuck": "no wood"}', "stuck", "no wood"),
        ("It is not done; continue with the roof.", "continue", "It is not done; continue with the roof."),
        ("I think it is done.", "done", "I think it is done."),
        ("", "continue", ""),
    ],
)
def test_a_verdict_is_read_from_whatever_the_judge_writes(text: str, verdict: str, reason: str) -> None:
    assert read_verdict(text) == (verdict, reason)


async def test_a_goal_is_gone_on_with_until_the_judge_says_done() -> None:
    brain = Worker("continue: two planks more", "continue: one more", "done: three planks are there")
    async with Bench(brain=brain) as bench:
        await bench.set_goal("three planks")

        assert len(bench.body.done) == 3
        assert len(brain.judged) == 3
        assert bench.said[-1] == "The goal is reached: three planks. three planks are there"
        first = bench.request(0)[-1]["content"]
        assert "<query>My goal for you: three planks</query>" in first
        assert "<goal>three planks</goal>" in first
        assert "tools" not in brain.judged[0].body
        assert "The goal: three planks" in brain.judged[0].messages[1]["content"]
        assert "Your goal is not reached yet; go on with it. two planks more" in str(bench.request())
        assert_legal(bench.request())
        assert bench.mind.goals.goal == Goal(
            text="three planks",
            state="done",
            turns=2,
            tokens=9 * 30,
            reason="three planks are there",
        )


async def test_a_goal_out_of_reach_asks_the_owner() -> None:
    async with Bench(brain=Worker("stuck: there is no wood here")) as bench:
        await bench.set_goal("three planks")
        assert bench.said[-1].startswith(
            "I cannot get further with the goal: three planks. there is no wood here"
        )
        assert not bench.mind.busy


async def test_a_budget_of_turns_bounds_a_goal_and_resuming_grants_the_same_again() -> None:
    brain = Worker(*["continue: more"] * 9)
    async with Bench(brain=brain, limits=Limits(goal_turns=3)) as bench:
        await bench.set_goal("endless planks")
        assert len(bench.body.done) == 4, "the first turn is the owner's"
        assert "used up what a goal may cost (3 turns" in bench.said[-1]

        bench.mind.order(Command("goal", "resume"))
        await bench.mind.rest()
        assert len(bench.body.done) == 7


async def test_a_budget_of_tokens_bounds_a_goal() -> None:
    async with Bench(brain=Worker(*["continue: more"] * 9), limits=Limits(goal_tokens=200)) as bench:
        await bench.set_goal("endless planks")
        assert len(bench.body.done) == 3
        assert "used up what a goal may cost" in bench.said[-1]


async def test_a_turn_of_its_own_that_does_nothing_ends_the_goal() -> None:
    async with Bench(brain=Worker("continue: more", "continue: more", idle=True)) as bench:
        await bench.set_goal("think about planks")
        assert bench.said[-1].startswith("I cannot get further with the goal: think about planks.")
        assert len(bench.said) == 3


async def test_the_owner_pauses_resumes_asks_and_clears() -> None:
    async with Bench(brain=Worker("done: yes")) as bench:
        bench.mind.order(Command("goal"))
        assert bench.said[-1].startswith("There is no goal.")
        bench.mind.order(Command("goal", "help"))
        assert "/goal pause" in bench.said[-1]

        bench.mind.order(Command("goal", "three planks"))
        bench.mind.order(Command("goal", "status"))
        assert bench.said[-1].startswith("I am working at it: three planks")
        bench.mind.order(Command("goal", "pause"))
        assert bench.said[-1].startswith("The goal rests: three planks")
        await bench.mind.rest()
        assert len(bench.body.done) == 1, "the turn under way ends as it would have"

        bench.mind.order(Command("goal", "resume"))
        await bench.mind.rest()
        assert bench.said[-1] == "The goal is reached: three planks. yes"
        bench.mind.order(Command("goal", "clear"))
        bench.mind.order(Command("goal"))
        assert bench.said[-1].startswith("There is no goal.")


async def test_stop_pauses_the_goal() -> None:
    def brain(request: RecordedRequest) -> Reply:
        return says("ok") if "hello" in str(request.messages) else calls(("long_call", {}))

    async with Bench(brain=brain) as bench:
        bench.mind.order(Command("goal", "wait"))
        await bench.body.entered.wait()
        bench.mind.halt()
        await bench.ask("hello")
        assert bench.mind.goals.goal is not None
        assert bench.mind.goals.goal.state == "paused"
        assert "<goal>" not in bench.request()[-1]["content"]


async def test_a_job_under_way_is_waited_for_before_the_judge_is_asked() -> None:
    def brain(request: RecordedRequest) -> Reply:
        if is_judge(request):
            return says("done: mined")
        if "task_finished" in request.messages[-1]["content"]:
            return says("I have it.")
        return (
            says()
            if request.messages[-1]["role"] == "tool"
            else calls(("mine", {"block_ids": ["stone"], "count": 1}))
        )

    async with Bench(brain=brain) as bench:
        await bench.set_goal("a stone")
        assert not bench.mind.busy
        assert not [each for each in bench.endpoint.requests if is_judge(each)]

        bench.finish_job()
        await bench.mind.rest()
        assert bench.said[-1] == "The goal is reached: a stone. mined"


async def test_a_judge_that_cannot_be_had_is_tried_again_later() -> None:
    brain = Worker(refuses(503), "done: yes")
    async with Bench(brain=brain) as bench:
        await bench.set_goal("a plank")
        assert "I try again in 30 s" in bench.said[-1]
        bench.clock.advance(30)
        await bench.mind.rest()
        assert bench.said[-1] == "The goal is reached: a plank. yes"


async def test_a_goal_waits_for_its_owner_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    async with Bench(calls(("long_call", {})), session=FileSession(path)) as bench:
        bench.mind.order(Command("goal", "a plank"))
        await bench.body.entered.wait()

    async with Bench(brain=Worker("done: yes"), session=FileSession(path)) as bench:
        assert not bench.mind.busy
        bench.mind.order(Command("goal"))
        assert bench.said == ["The goal rests: a plank. /goal resume takes it up again."]
        bench.mind.order(Command("goal", "resume"))
        await bench.mind.rest()
        assert bench.said[-1] == "The goal is reached: a plank. yes"
