"""A conversation stays inside its model's window, and nothing that matters is lost on the way."""

from __future__ import annotations

import json

import pytest

from numen.agent import ContextShortened, Limits
from numen.agent.commands import Command
from numen.agent.compaction import (
    INSTRUCTION,
    NoSummary,
    compacted,
    halved,
    pruned,
    read_summary,
    split,
    transcript,
)
from numen.agent.tokens import Meter, message_tokens, tokens_of
from numen.llm import (
    AssistantMessage,
    Completed,
    FunctionCall,
    Message,
    ToolMessage,
    Usage,
    UserMessage,
)
from numen.session import MemorySession, restore
from numen.testing.endpoint import RecordedRequest, Reply, calls, refuses, says
from tests.agent.bench import Bench, assert_legal


def user(text: str) -> UserMessage:
    return UserMessage(content=text)


def said(text: str) -> AssistantMessage:
    return AssistantMessage(content=text)


def round_of(number: int, content: str) -> list[Message]:
    call = FunctionCall(id=str(number), name="mine", arguments="{}")
    return [AssistantMessage(calls=(call,)), ToolMessage(call_id=str(number), name="mine", content=content)]


# -- counting


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("a", 1), ("abcd" * 10, 10), ("做一把木镐", 5), ("木镐 abc", 3)]
)
def test_chinese_counts_a_token_a_sign_and_others_a_quarter(text: str, tokens: int) -> None:
    assert tokens_of(text) == tokens


def test_guesses_are_put_right_by_what_the_endpoint_counts() -> None:
    meter = Meter()
    assert meter.size(1_000) == 1_000

    meter.learn(1_000, Usage(prompt_tokens=1_300))
    assert meter.size(2_000) == 2_600

    for nonsense in (None, Usage(), Usage(prompt_tokens=3), Usage(prompt_tokens=10**9)):
        meter.learn(1_000, nonsense)
    assert meter.size(2_000) == 2_600


# -- pruning and halving


def test_old_results_keep_their_sentence_and_the_newest_stay_whole() -> None:
    long = json.dumps({"success": False, "message": "no path to it", "data": {"x": "z" * 500}})
    messages: list[Message] = [user("build")]
    for number in range(8):
        messages += round_of(number, long)

    shorter = pruned(messages)

    kept = [each.content for each in shorter if isinstance(each, ToolMessage)]
    assert kept[4:] == [long] * 4
    short = json.loads(kept[0])
    assert short == {"success": False, "message": "no path to it (details left out to save room)"}
    assert pruned(shorter) == shorter
    assert [type(each) for each in shorter] == [type(each) for each in messages]


def test_one_huge_new_result_stays_and_the_others_go() -> None:
    messages: list[Message] = [user("look")]
    for number, size in enumerate((500, 500, 30_000)):
        messages += round_of(number, "x" * size)

    kept = [len(each.content) for each in pruned(messages) if isinstance(each, ToolMessage)]
    assert kept[2] == 30_000
    assert max(kept[:2]) < 300


def test_the_later_half_begins_with_words_of_the_owner() -> None:
    source: list[Message] = []
    for number in range(10):
        source += [user(f"{number} " + "x" * 100), said("y" * 100)]

    shorter = halved(source)

    assert isinstance(shorter[0], UserMessage)
    assert "left out" in shorter[0].content
    assert shorter[1:] == source[-len(shorter) + 1 :]
    assert 6 <= len(shorter) <= 12


def test_one_long_turn_keeps_the_words_that_began_it_and_its_later_rounds() -> None:
    source: list[Message] = [user("build a house")]
    for number in range(10):
        source += round_of(number, "z" * 1_000)

    shorter = halved(source)

    assert shorter[0].content.startswith("build a house\n(The conversation before")
    assert shorter[1:] == source[-len(shorter) + 1 :]
    assert isinstance(shorter[1], AssistantMessage)
    assert sum(map(message_tokens, shorter)) < sum(map(message_tokens, source)) * 0.6


# -- the summary


@pytest.mark.parametrize(
    ("content", "summary"),
    [
        ("<analysis>hm</analysis><summary>Home is at 1 64 2, ok.</summary>", "Home is at 1 64 2, ok."),
        ("<analysis>hm</analysis>\nHome is at 1 64 2, ok.", "Home is at 1 64 2, ok."),
        ("Home is at 1 64 2, ok.", "Home is at 1 64 2, ok."),
        ("<summary>Home is at 1 64 2, ok.", "Home is at 1 64 2, ok."),
        ("<think>hm</think><summary>Home is at 1 64 2, ok.</summary>", "Home is at 1 64 2, ok."),
    ],
)
def test_a_summary_is_read_with_or_without_its_tags(content: str, summary: str) -> None:
    assert read_summary(Completed(message=said(content))) == summary


@pytest.mark.parametrize(
    ("content", "finish"),
    [
        ("", "stop"),
        ("<analysis>only thoughts about it, many of them", "stop"),
        ("<think>only thoughts about it, many of them", "stop"),
        ("ok", "stop"),
        ("<analysis>so much to say that the summary never", "length"),
    ],
)
def test_what_is_no_summary_is_refused(content: str, finish: str) -> None:
    with pytest.raises(NoSummary):
        read_summary(Completed(message=said(content), finish=finish))


def test_words_that_nobody_answered_yet_and_the_last_answer_stay_word_for_word() -> None:
    messages = [user("a"), said("x"), *round_of(1, "r"), said("It is done."), user("b"), user("c")]

    assert split(messages) == (messages[:-2], messages[-2:])
    shorter = compacted(messages, "what was", "<notes>\n- home\n</notes>")
    assert [type(each).__name__ for each in shorter] == [
        "UserMessage",
        "AssistantMessage",
        "UserMessage",
        "UserMessage",
    ]
    assert shorter[0].content.startswith("<summary>\n")
    assert shorter[0].content.endswith("what was\n</summary>\n<notes>\n- home\n</notes>")
    assert shorter[1:] == [said("It is done."), user("b"), user("c")]


def test_in_mid_turn_the_summary_ends_with_going_on() -> None:
    shorter = compacted([user("a"), *round_of(1, "r")], "what was")

    assert len(shorter) == 1
    assert shorter[0].content.endswith("Go on from here.")


def test_what_the_summary_is_made_from_fits_the_room_and_keeps_both_ends() -> None:
    messages: list[Message] = [user("<query>the first wish</query>")]
    for number in range(100):
        messages += round_of(number, f"result {number} " + "x" * 2_000)

    text = transcript(messages, 2_000)

    assert tokens_of(text) < 2_300
    assert text.startswith("<query>the first wish</query>\n(…)\n")
    assert "result 99" in text
    assert "You called mine {}" in text


# -- in a mind

SUMMARY = says("<analysis>a</analysis><summary>Steve wants sticks; home is at (12, 64, -7).</summary>")


def is_summary(request: RecordedRequest) -> bool:
    return INSTRUCTION.strip() in request.messages[-1]["content"]


class Windowed:
    """A brain that works through rounds and is asked for a summary now and then."""

    def __init__(self, rounds: int, summary: Reply = SUMMARY, limit: int = 10**9) -> None:
        self.rounds = rounds
        self.summary = summary
        self.limit = limit
        self.summaries: list[RecordedRequest] = []
        self.number = 0

    def __call__(self, request: RecordedRequest) -> Reply:
        if is_summary(request):
            self.summaries.append(request)
            return self.summary
        if len(request.raw) > self.limit:
            return refuses(400, "maximum context length exceeded", "context_length_exceeded")
        self.number += 1
        if self.number % self.rounds == 0:
            return says("Done.", usage=None)
        return calls(("craft", {"item_id": f"{self.number}_" + "x" * 400}), usage=None)


async def test_a_long_turn_is_summed_up_before_the_window_is_full() -> None:
    brain = Windowed(rounds=60)
    session = MemorySession()
    async with Bench(brain=brain, limits=Limits(context_tokens=6_000), session=session) as bench:
        assert await bench.ask("make sixty things") == "Done."

        assert brain.summaries
        assert "tools" not in brain.summaries[0].body
        told = bench.told(ContextShortened)
        assert {each.why for each in told} <= {"pruned", "window"}
        assert all(each.after < each.before for each in told)
        largest = max(tokens_of(each.raw.decode()) for each in bench.endpoint.requests)
        assert largest < 6_000
        last = bench.request()
        assert_legal(last)
        assert last[0]["content"].startswith("<summary>")
        assert "(12, 64, -7)" in last[0]["content"]
        assert len(bench.body.done) == 59, "the work went on"

    records = session.records()
    boundary = next(each for each in records if each["type"] == "compact" and each["why"] == "window")
    assert boundary["pre_tokens"] > boundary["summary_tokens"] > 0
    assert boundary["dropped"] > 0
    kept = [each for each in records if each["type"] == "message"]
    assert len(kept) >= 2 * 59, "the log keeps everything"
    assert [each["content"] for each in restore(records).messages] == [
        each.content for each in bench.mind.history.messages
    ]


@pytest.mark.parametrize("failure", [refuses(500), says(""), says("<analysis>never", finish="length")])
async def test_an_error_never_becomes_memory(failure: Reply) -> None:
    brain = Windowed(rounds=60, summary=failure)
    session = MemorySession()
    async with Bench(brain=brain, limits=Limits(context_tokens=6_000), session=session) as bench:
        assert await bench.ask("make sixty things") == "Done."

        assert len(brain.summaries) == 3, "after three failures it is left alone"
        assert not [each for each in session.records() if each.get("why") == "window"]
        assert "status 500" not in str(session.records())
        assert_legal(bench.request())


async def test_a_window_smaller_than_thought_is_learned_from_the_refusal() -> None:
    brain = Windowed(rounds=80, limit=16_000)
    async with Bench(brain=brain) as bench:
        assert await bench.ask("make eighty things") == "Done."

        refused = [each for each in bench.endpoint.requests if len(each.raw) > 16_000]
        assert 1 <= len(refused) <= 4
        assert len(bench.body.done) == 79
        assert_legal(bench.request())


async def test_an_endpoint_that_finds_everything_too_long_is_given_up_with_a_sentence() -> None:
    async with Bench(brain=lambda request: refuses(400, "context_length_exceeded")) as bench:
        assert "too long for the model" in await bench.ask("hi")


async def test_the_owner_may_have_the_conversation_summed_up() -> None:
    script = (says("Hello. " * 200), SUMMARY, says("Yes."))
    async with Bench(*script) as bench:
        await bench.ask("hi")
        bench.mind.order(Command("compact"))
        await bench.mind.rest()
        assert bench.said[-1].startswith("I summed up our conversation: ")

        await bench.ask("do you remember?")
        assert bench.request()[0]["content"].startswith("<summary>")
        bench.endpoint.assert_complete()


async def test_an_order_to_sum_up_waits_for_the_turn_under_way() -> None:
    script = (calls(("long_call", {})), says("Long. " * 200), SUMMARY)
    async with Bench(*script) as bench:
        bench.mind.hear("go")
        await bench.body.entered.wait()
        bench.mind.order(Command("compact"))
        bench.body.gate.set()
        await bench.mind.rest()

        assert [each[:8] for each in bench.said] == ["Long. Lo", "I summed"]


async def test_the_owner_may_begin_anew() -> None:
    async with Bench(says("Hello."), says("Who are you?")) as bench:
        await bench.ask("my name is Steve")
        bench.mind.order(Command("clear"))
        await bench.ask("hi")

        assert bench.request() == [{"role": "user", "content": "<query>hi</query>"}]
