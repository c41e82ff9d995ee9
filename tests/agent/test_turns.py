"""From the owner's words to a plain answer, by way of tools."""

from __future__ import annotations

import inspect
from itertools import pairwise
from pathlib import Path

import numen.agent.loop
import tools
from numen.agent import (
    Answered,
    Event,
    Limits,
    TextDelta,
    TextWithdrawn,
    ToolCalled,
    ToolFinished,
    TurnEnded,
    TurnStarted,
    UsageReported,
)
from numen.agent.loop import Turn
from numen.testing.endpoint import RecordedRequest, Reply, calls, says
from numen.tool import ToolRegistry
from tests.agent.bench import Bench, assert_legal, results, shared_share


async def test_a_plain_answer_is_spoken_and_told() -> None:
    async with Bench(says("Hello, ", "Steve.")) as bench:
        assert await bench.ask("hi") == "Hello, Steve."
        bench.endpoint.assert_complete()

        assert bench.request() == [{"role": "user", "content": "<query>hi</query>"}]
        assert [each.kind for each in bench.events] == [
            "turn_started",
            "text_delta",
            "text_delta",
            "usage",
            "answered",
            "turn_ended",
        ]
        assert bench.told(Answered)[0].text == "Hello, Steve."
        assert bench.told(TurnEnded)[0].how == "answered"
        assert {(each.companion, each.turn) for each in bench.events} == {("Numen", 1)}
        assert bench.told(UsageReported)[0].cached_tokens == 80


async def test_calls_run_one_after_another_and_their_results_go_back() -> None:
    script = (
        calls(("craft", {"item_id": "planks", "count": 4}), ("craft", {"item_id": "stick"})),
        says("Done."),
    )
    async with Bench(*script) as bench:
        assert await bench.ask("make sticks") == "Done."

        assert bench.body.done == ["craft planks 4", "craft stick 1"]
        sent = bench.request()
        assert_legal(sent)
        assert [each["message"] for each in results(sent)] == ["crafted 4 planks", "crafted 1 stick"]
        told = [
            (each.kind, each.call_id) for each in bench.events if isinstance(each, (ToolCalled, ToolFinished))
        ]
        assert told == [
            ("tool_called", "call_craft_0"),
            ("tool_finished", "call_craft_0"),
            ("tool_called", "call_craft_1"),
            ("tool_finished", "call_craft_1"),
        ]


async def test_a_failed_call_is_told_to_the_model_and_the_turn_goes_on() -> None:
    script = (calls(("boom", {})), calls(("crafft", {})), calls(("craft", {})), says("I cannot."))
    async with Bench(*script) as bench:
        await bench.ask("go")

        boom, unknown, bad = results(bench.request())
        assert boom == {"success": False, "message": "boom broke: RuntimeError: a bug in a tool"}
        assert "did you mean craft?" in unknown["message"]
        assert unknown["data"]["nearest"] == "craft"
        assert "item_id" in unknown["data"]["parameters"]["properties"]
        assert bad["message"] == "argument 'item_id' is missing; text was expected"
        assert "item_id" in bad["data"]["parameters"]["properties"]
        assert [each.outcome for each in bench.told(ToolFinished)] == [
            "failed",
            "unknown_tool",
            "bad_arguments",
        ]


async def test_broken_arguments_give_a_failure_and_never_poison_the_history() -> None:
    script = (calls(("craft", "{oops")), calls(("craft", "[1, 2]")), says("Sorry."))
    async with Bench(*script) as bench:
        await bench.ask("go")

        sent = bench.request()
        assert_legal(sent)
        assert [each["tool_calls"][0]["function"]["arguments"] for each in sent if "tool_calls" in each] == [
            "{}",
            "{}",
        ]
        assert "not valid JSON" in results(sent)[0]["message"]
        assert "are a list" in results(sent)[1]["message"]


async def test_a_call_cut_off_by_the_length_limit_is_told_so() -> None:
    async with Bench(calls(("craft", '{"item_id": "pla'), finish="length"), says("Shorter now.")) as bench:
        await bench.ask("go")

        assert "cut off at the length limit" in bench.request()[-1]["content"]


async def test_an_answer_at_the_length_limit_keeps_what_was_said() -> None:
    async with Bench(says("As much as I", finish="length")) as bench:
        assert await bench.ask("tell me all") == "As much as I"


async def test_thoughts_are_never_spoken_and_go_back_on_the_wire() -> None:
    script = (says("<think>he wants x</think>Yes.", reasoning="hmm"), says("ok"))
    async with Bench(*script) as bench:
        assert await bench.ask("x?") == "Yes."
        await bench.ask("and y?")

        back = bench.request()[1]
        assert back["content"] == "<think>he wants x</think>Yes."
        assert back["reasoning_content"] == "hmm"
        assert "".join(each.text for each in bench.told(TextDelta) if each.turn == 1) == "Yes."


async def test_an_empty_answer_is_asked_for_once_more() -> None:
    async with Bench(says(reasoning="only thoughts"), says("Here.")) as bench:
        assert await bench.ask("hello?") == "Here."
        assert len(bench.endpoint.requests) == 2


async def test_two_empty_answers_end_in_one_plain_sentence() -> None:
    async with Bench(says(), says("<think>never closed"), says("Back.")) as bench:
        assert (
            await bench.ask("hello?")
            == "The model gave no answer, twice. Say it again, or try another model."
        )
        assert bench.told(TurnEnded)[-1].how == "failed"
        assert await bench.ask("again") == "Back."
        assert_legal(bench.request())


async def test_a_model_that_only_thinks_until_its_answer_is_full_is_told_apart() -> None:
    full = says(reasoning="hm " * 50, finish="length")
    async with Bench(full, full) as bench:
        assert (await bench.ask("hello?")).startswith("The model thought until its answer was full")


async def test_a_call_written_as_json_runs_like_any_other() -> None:
    text = "On my way.\n```json\n{'name': 'craft', 'arguments': {'item_id': 'stick', 'count': 4,}}\n```"
    async with Bench(says(text), says("Four sticks.")) as bench:
        assert await bench.ask("sticks") == "Four sticks."

        assert bench.body.done == ["craft stick 4"]
        sent = bench.request()
        assert_legal(sent)
        assert sent[1]["content"] == "On my way."
        assert bench.said == ["Four sticks."]


async def test_a_companion_on_a_model_without_tool_calls_does_the_same_job() -> None:
    script = (says('{"tool": "craft", "arguments": {"item_id": "stick"}}'), says('{"say": "One stick."}'))
    async with Bench(*script, tool_calls="json") as bench:
        assert await bench.ask("a stick") == "One stick."
        assert bench.body.done == ["craft stick 1"]
        assert [each["role"] for each in bench.request()] == ["user", "assistant", "user"]


async def test_an_event_may_be_answered_with_silence() -> None:
    async with Bench(says(), says()) as bench:
        bench.mind.notify(Event(kind="hungry", text="hunger is 5"))
        await bench.mind.rest()

        assert bench.said == []
        assert bench.told(TurnEnded)[-1].how == "waiting"


async def test_a_background_job_ends_the_turn_and_its_event_begins_the_next() -> None:
    script = (
        calls(("mine", {"block_ids": ["stone"], "count": 3})),
        says(),
        says("I have three stones."),
    )
    async with Bench(*script) as bench:
        await bench.ask("three stones")
        assert bench.said == []
        assert bench.told(TurnEnded)[-1].how == "waiting"
        assert bench.told(ToolFinished)[0].background

        bench.finish_job(text='{"success": true, "message": "mined 3"}')
        await bench.mind.rest()

        assert bench.said == ["I have three stones."]
        assert bench.request()[-1]["content"] == (
            '<event kind="task_finished" task_id="t1" status="done">'
            '{"success": true, "message": "mined 3"}</event>'
        )
        bench.endpoint.assert_complete()


async def test_a_second_job_is_refused_as_busy_with_what_to_do() -> None:
    ask = ("mine", {"block_ids": ["stone"], "count": 3})
    async with Bench(calls(ask, ask), says("ok")) as bench:
        await bench.ask("stones")

        first, second = results(bench.request())
        assert first["data"] == {"task_id": "t1", "task": "mine stone 3", "async": True}
        assert second["message"].startswith("busy: t1 is running")


async def test_words_that_come_during_a_turn_join_the_next_request_and_interrupt_nothing() -> None:
    script = (calls(("long_call", {}), ("craft", {"item_id": "stick"})), says("Both."))
    async with Bench(*script) as bench:
        bench.mind.hear("first")
        await bench.body.entered.wait()
        bench.mind.hear("second")
        bench.body.gate.set()
        await bench.mind.rest()

        sent = bench.request()
        assert_legal(sent)
        assert sent[-1] == {"role": "user", "content": "<query>second</query>"}
        assert bench.body.done == ["long_call", "craft stick 1"]
        assert len(bench.told(TurnStarted)) == 1


async def test_all_that_waited_becomes_one_user_message_with_the_situation_first_and_words_last() -> None:
    async with Bench(says("ok")) as bench:
        bench.situation = "current_task: none"
        bench.mind.notify(Event(kind="chat", text="<b>hi</b>", attrs={"from": 'Alex "x"'}))
        bench.clock.advance(700)
        bench.mind.notify(Event(kind="owner_hurt", text="Steve lost 3 health"))
        await bench.ask("what is <new>?")

        assert bench.request() == [
            {
                "role": "user",
                "content": "current_task: none\n"
                '<event kind="chat" from="Alex \'x\'" age="11 minutes">(b)hi(/b)</event>\n'
                '<event kind="owner_hurt">Steve lost 3 health</event>\n'
                "<query>what is <new>?</query>",
            }
        ]


async def test_ambient_events_wake_nobody() -> None:
    async with Bench(says("ok")) as bench:
        bench.mind.notify(Event(kind="chat", text="hello all"))
        assert not bench.mind.busy
        bench.mind.notify(Event(kind="task_finished", text="done"))
        assert bench.mind.busy
        await bench.mind.rest()


async def test_a_follow_up_waits_for_the_end_of_the_turn() -> None:
    script = (calls(("long_call", {})), says("First."), says("Then."))
    async with Bench(*script) as bench:
        bench.mind.hear("go")
        await bench.body.entered.wait()
        bench.mind.notify(Event(kind="goal", text="go on with the house"))
        bench.mind.notify(Event(kind="timer", text="now"))
        bench.body.gate.set()
        await bench.mind.rest()

        assert bench.said == ["First.", "Then."]
        assert "timer" in bench.request(1)[-1]["content"]
        assert "goal" not in bench.request(1)[-1]["content"]
        assert "goal" in bench.request(2)[-1]["content"]


async def test_blank_words_are_no_words() -> None:
    async with Bench() as bench:
        assert not bench.mind.hear("  \n")
        assert not bench.mind.busy


async def test_the_same_failing_call_three_times_ends_with_a_question() -> None:
    ask = ("fail", {"message": "no path."})
    script = (calls(ask), calls(ask), calls(ask, ("craft", {"item_id": "x"})), says("Thanks."))
    async with Bench(*script) as bench:
        assert await bench.ask("go") == (
            "I tried fail 3 times and it failed the same way: no path. What should I do?"
        )
        assert bench.told(TurnEnded)[-1].how == "stuck"
        assert bench.body.done == []
        bench.mind.notify(Event(kind="task_finished", text="old job"))
        assert not bench.mind.busy, "it waits for the owner"

        await bench.ask("leave it")
        assert_legal(bench.request())
        assert "not executed" in results(bench.request())[-1]["message"]


async def test_a_call_that_learns_nothing_new_is_remarked_on_and_then_ended() -> None:
    ask = calls(("craft", {"item_id": "x"}))
    async with Bench(*[ask] * 3) as bench:
        assert (await bench.ask("go")).startswith("I keep calling craft")
        contents = [each["content"] for each in bench.request() if each["role"] == "tool"]
        assert [("This is the same call" in each) for each in contents] == [False, True]


async def test_rounds_of_several_calls_repeated_whole_end_the_turn() -> None:
    """One repeat is let pass; a second in a row ends it, whatever else is in the round."""
    rounds = calls(("craft", {"item_id": "x"}), ("craft", {"item_id": "y"}))
    other = calls(("craft", {"item_id": "z"}))
    async with Bench(rounds, rounds, other, rounds, rounds, rounds) as bench:
        assert (await bench.ask("go")).startswith("I keep calling craft")
        assert len(bench.body.done) == 11
        bench.endpoint.assert_complete()


async def test_a_limit_of_rounds_ends_with_a_question() -> None:
    numbers = iter(range(99))

    def brain(_: object) -> Reply:
        return calls(("craft", {"item_id": f"x{next(numbers)}"}))

    async with Bench(brain=brain, limits=Limits(rounds_per_turn=4), language="zh") as bench:
        assert await bench.ask("go") == "我已经走了 4 步，还没做完。要继续吗？"
        assert len(bench.body.done) == 4


async def test_a_broken_answer_is_withdrawn_and_asked_for_again() -> None:
    async with Bench(says("Wro", "ng").cut(after=2), says("Right.")) as bench:
        assert await bench.ask("go") == "Right."
        kinds = [each.kind for each in bench.events]
        assert kinds.index("text_delta") < kinds.index("text_withdrawn") < len(kinds) - 3
        assert len(bench.told(TextWithdrawn)) == 1


async def test_a_conversation_too_long_for_the_model_is_shortened_and_goes_on() -> None:
    def brain(request: object) -> Reply:
        from numen.testing.endpoint import refuses

        assert isinstance(request, RecordedRequest)
        if sum(len(str(each)) for each in request.messages[1:]) > 3_000:
            return refuses(400, "This model's maximum context length is exceeded", "context_length_exceeded")
        return says("y" * 500)

    async with Bench(brain=brain) as bench:
        for number in range(12):
            await bench.ask(f"{number} " + "x" * 400)

        assert len(bench.said) == 12
        assert not [each for each in bench.said if each != "y" * 500]
        assert_legal(bench.request())
        assert "left out to save room" in bench.request()[0]["content"]


async def test_the_longer_conversation_begins_with_the_bytes_of_the_shorter() -> None:
    craft = ("craft", {"item_id": "stick"})
    script = [
        calls(craft),
        calls(craft),
        says("a"),
        calls(("mine", {"block_ids": ["x"], "count": 1})),
        says("b"),
    ]
    async with Bench(*script) as bench:
        await bench.ask("one")
        bench.situation = "changes all the time"
        await bench.ask("two")

        raws = [each.raw for each in bench.endpoint.requests]
        for shorter, longer in pairwise(raws):
            assert longer.startswith(shorter.removesuffix(b"]}"))


async def test_a_long_turn_sends_little_that_was_not_sent_before() -> None:
    rounds = 40

    def brain(request: RecordedRequest) -> Reply:
        number = len(bench.endpoint.requests)
        bench.situation = f'<state position="{number} 64 0" hp="{20 - number % 7}" job="none"/>'
        if number % 9 == 5:
            bench.mind.hear(f"and do not forget number {number}")
        if number == rounds:
            return says("Done.")
        return calls(("craft", {"item_id": f"item_{number}", "count": number + 1}))

    toolset = ToolRegistry()
    tools.register(toolset)
    bench = Bench(brain=brain)
    async with bench:
        for each in toolset:
            if each.name not in bench.registry:
                bench.registry.register(each)
        assert await bench.ask("make one of each") == "Done."

        raws = [each.raw for each in bench.endpoint.requests]
        shares = [shared_share(sooner, later) for sooner, later in pairwise(raws)]
        assert len(shares) == rounds
        assert min(shares) >= 0.95


def test_the_loop_fits_on_a_page() -> None:
    source = Path(numen.agent.loop.__file__).read_text("utf-8")

    assert len(source.splitlines()) < 200
    assert len(inspect.getsource(Turn.run).splitlines()) < 60
