"""Everything an endpoint has been seen to do, over real sockets. After each day the history is legal, nothing
that was said is lost, the body is alive, and the owner has heard one plain sentence."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from numen.agent import TurnFailed
from numen.testing.endpoint import (
    RecordedRequest,
    Reply,
    answers,
    calls,
    delta,
    event,
    refuses,
    says,
    stream,
)
from tests.agent.bench import Bench, assert_legal

STICK = ("craft", {"item_id": "stick"})
MAKE_STICK = {"name": "craft", "arguments": '{"item_id": "stick"}'}
MAKE_PLANK = {"name": "craft", "arguments": '{"item_id": "plank"}'}
DONE = says("Done.")
TOOLS_NEXT = delta("tool_calls")
KEY = "sk-key-123456"
OVERFLOW = refuses(400, "This model's maximum context length is 8192 tokens", "context_length_exceeded")
HTML = Reply(headers={"content-type": "text/html; charset=utf-8"}, steps=(b"<html><h1>Welcome</h1></html>",))


def fragment(finish: str | None = None, **call: Any) -> dict[str, Any]:
    return delta(finish, tool_calls=[call])


@dataclass(frozen=True)
class Day:
    """What the endpoint does, what the owner hears, and what the body has done in the end."""

    name: str
    script: tuple[Reply, ...]
    hears: str
    done: tuple[str, ...] = ()
    settings: dict[str, Any] = field(default_factory=dict)
    brain: Callable[[RecordedRequest], Reply] | None = None


def always(reply: Reply) -> Callable[[RecordedRequest], Reply]:
    return lambda request: DONE if "and now?" in str(request.messages[-1]) else reply


HURRY = {"first_byte_s": 0.05, "connect_s": 0.05, "silence_s": 0.05}
ONE = ("craft stick 1",)
NESTED = "[" * 50_000

DAYS = [
    # what an HTTP status says
    Day("429 with a short Retry-After", (refuses(429, headers={"retry-after": "7"}), DONE), "Done."),
    Day(
        "429 with Retry-After in milliseconds",
        (refuses(429, headers={"retry-after-ms": "300"}), DONE),
        "Done.",
    ),
    Day(
        "429 with a long Retry-After",
        (refuses(429, headers={"retry-after": "120"}),),
        "we ask too often.*again in 120 s",
    ),
    Day("429 without Retry-After, then fine", (refuses(429), refuses(429), DONE), "Done."),
    Day("429 for ever", (refuses(429),) * 3, "we ask too often.*again in 30 s"),
    Day(
        "429 for want of money",
        (refuses(429, "billing hard limit", "insufficient_quota"),),
        "no quota or money",
    ),
    Day("402", (refuses(402, "Payment required"),), "no quota or money"),
    Day("500, then fine", (refuses(500), DONE), "Done."),
    Day("500 for ever", (refuses(500),) * 3, "has trouble of its own.*again in 30 s"),
    Day(
        "503 with a web page",
        (Reply(status=503, headers=HTML.headers, steps=HTML.steps),) * 3,
        "trouble of its own",
    ),
    Day("529, a number of the vendor's own", (refuses(529, "overloaded_error"),) * 3, "overloaded_error"),
    Day("408, then fine", (refuses(408), DONE), "Done."),
    Day(
        "500 that asks not to be retried",
        (refuses(500, headers={"x-should-retry": "false"}),),
        "trouble of its own",
    ),
    Day(
        "400 for ever",
        (refuses(400, "messages.2.content is odd"),),
        "refuses the request: messages.2.content",
    ),
    Day("400 of a parameter, then fine", (refuses(400, "unknown field parallel_tool_calls"), DONE), "Done."),
    Day("400 of tools, then fine", (refuses(400, "m does not support tools"), DONE), "Done."),
    Day("404 of the model", (refuses(404, "The model `m` does not exist"),), "does not know the model"),
    Day(
        "404 of the address",
        (Reply(status=404, headers=HTML.headers, steps=HTML.steps),),
        "refuses the request",
    ),
    Day("401", (refuses(401, f"Incorrect API key provided: {KEY}"),), "refuses the API key"),
    Day("403", (refuses(403, "not allowed in your country"),), "refuses the API key.*in your country"),
    Day(
        "301",
        (refuses(301, headers={"location": "https://elsewhere.example/v1"}),),
        "redirects to https://elsewhere",
    ),
    Day(
        "200 with an error inside",
        (answers({"error": {"message": "no worker", "code": 503}}),) * 3,
        "no worker",
    ),
    # silence and broken connections
    Day("silence before the head", (DONE.hang_before_head(),) * 3, "did not answer in time", settings=HURRY),
    Day("silence after the head", (DONE.hang(after=0),) * 3, "did not answer in time", settings=HURRY),
    Day("silence in mid-stream, then fine", (says("a", "b").hang(after=2), DONE), "Done.", settings=HURRY),
    Day(
        "silence in mid-stream, twice",
        (says("a", "b").hang(after=2),) * 2,
        "broke off.*silent",
        settings=HURRY,
    ),
    Day("cut before the head, then fine", (DONE.cut_before_head(), DONE), "Done."),
    Day("cut before the head, for ever", (DONE.cut_before_head(),) * 3, "cannot be reached"),
    Day("cut in mid-stream, then fine", (says("Wro", "ng").cut(after=2), DONE), "Done."),
    Day("cut in mid-stream, twice", (says("Wro", "ng").cut(after=2),) * 2, "broke off"),
    Day("cut in mid-call, then fine", (calls(STICK).cut(after=2), calls(STICK), DONE), "Done.", ONE),
    Day("an end without a finish", (stream(delta(content="Wro"), done=False),) * 2, "broke off"),
    Day(
        "an error in mid-stream, then fine",
        (stream(delta(content="W"), {"error": {"message": "x"}}), DONE),
        "Done.",
    ),
    Day("a proxy that is not there", (), "cannot be reached", settings={"proxy": "127.0.0.1:1"}),
    Day("a proxy that wants a password", (refuses(407),) * 3, "the proxy refuses us"),
    # events that are none
    Day(
        "broken events between good ones",
        (stream(b"data: {oops\n\n", delta(content="Done."), delta("stop")),),
        "Done.",
    ),
    Day("nothing but broken events", (stream(b"data: {oops\n\n", b"junk\n\n", done=False),), "is no answer"),
    Day(
        "bytes that are no text",
        (stream(b"data: \xff\xfe\n\n", delta(content="Done."), delta("stop")),),
        "Done.",
    ),
    Day(
        "one byte at a time", (stream(*(bytes([b]) for b in event(delta("stop", content="Done.")))),), "Done."
    ),
    Day(
        "keep-alive comments and odd fields",
        (stream(b": hi\n\nevent: x\nid: 3\n\n", delta("stop", content="Done.")),),
        "Done.",
    ),
    Day("a web page", (HTML,), "is no answer. Is the address right"),
    Day(
        "a whole body where a stream was asked for",
        (answers({"choices": [{"message": {"content": "Done."}}]}),),
        "Done.",
    ),
    Day("the wrong content type", (answers(event(delta("stop", content="Done.")), "text/plain"),), "Done."),
    Day("a body that is a list", (answers(b"[1, 2]"),), "a list where an object was due"),
    Day("an empty body", (answers(b""),), "not JSON"),
    Day("seventeen megabytes in one line", (stream(*[b"x" * 2**20] * 17),), "is no answer"),
    # answers that are odd
    Day("nothing, then fine", (says(), DONE), "Done."),
    Day("nothing, twice", (says(), says()), "gave no answer, twice"),
    Day("thoughts alone, then fine", (says(reasoning="hm"), DONE), "Done."),
    Day("a thought left open, then fine", (says("<think>he wants a st"), DONE), "Done."),
    Day("a thought that was never opened", (says("he wants ", "a stick</think>", "Done."),), "^Done.$"),
    Day(
        "thoughts up to the limit of length",
        (says(reasoning="hm", finish="length"),) * 2,
        "thought until its answer was full",
    ),
    Day("a filter that took the words", (says(finish="content_filter"),) * 2, "gave no answer, twice"),
    Day(
        "content in parts",
        (stream(delta(content=[{"type": "text", "text": "Done."}]), delta("stop")),),
        "Done.",
    ),
    Day(
        "nulls everywhere",
        (stream(delta(content=None, tool_calls=None), delta("stop", content="Done.")),),
        "Done.",
    ),
    Day("no usage", (calls(STICK, usage=None), says("Done.", usage=None)), "Done.", ONE),
    Day("usage that is nonsense", (says("Done.", usage={"prompt_tokens": "many", "total": None}),), "Done."),
    Day("the limit of length in mid-words", (says("As much as", finish="length"),), "As much as"),
    Day(
        "ten megabytes of words", (stream(*[delta(content="x" * 100_000)] * 100, delta("stop")),), "x{400000}"
    ),
    # calls that are odd
    Day(
        "the limit of length in mid-call",
        (calls(("craft", '{"item_id": "sti'), finish="length"), calls(STICK), DONE),
        "Done.",
        ONE,
    ),
    Day("half a call", (calls(("craft", '{"item_id')), calls(STICK), DONE), "Done.", ONE),
    Day(
        "two calls with one id",
        (calls(STICK, ("craft", {"item_id": "plank"}), ids=["a", "a"]), DONE),
        "Done.",
        ("craft stick 1", "craft plank 1"),
    ),
    Day(
        "calls without ids", (stream(fragment(index=0, function=MAKE_STICK), TOOLS_NEXT), DONE), "Done.", ONE
    ),
    Day(
        "a call without a name, then fine",
        (stream(fragment(index=0, id="a", function={"arguments": "{}"}), TOOLS_NEXT), DONE),
        "Done.",
    ),
    Day(
        "calls that all have index 0",
        (
            stream(
                fragment(index=0, id="a", function=MAKE_STICK),
                fragment(index=0, id="b", function=MAKE_PLANK),
                TOOLS_NEXT,
            ),
            DONE,
        ),
        "Done.",
        ("craft stick 1", "craft plank 1"),
    ),
    Day("arguments as a list", (calls(("craft", "[1]")), calls(STICK), DONE), "Done.", ONE),
    Day("arguments nested without end", (calls(("craft", NESTED)), calls(STICK), DONE), "Done.", ONE),
    Day(
        "an error body nested without end",
        (Reply(status=400, steps=(NESTED.encode(),)),),
        "refuses the request",
    ),
    Day("an answer nested without end", (answers(NESTED.encode()),), "not JSON"),
    Day(
        "arguments as an object",
        (
            stream(fragment(index=0, id="a", function={"name": "craft", "arguments": STICK[1]}), TOOLS_NEXT),
            DONE,
        ),
        "Done.",
        ONE,
    ),
    Day("arguments encoded twice", (calls(("craft", json.dumps(json.dumps(STICK[1])))), DONE), "Done.", ONE),
    Day(
        "arguments that are no JSON", (calls(("craft", "a stick, please")), calls(STICK), DONE), "Done.", ONE
    ),
    Day("arguments nearly JSON", (calls(("craft", "{'item_id': 'stick',}")), DONE), "Done.", ONE),
    Day("an unknown tool", (calls(("crafft", STICK[1])), calls(STICK), DONE), "Done.", ONE),
    Day("a tool in capitals", (calls(("CRAFT", STICK[1])), DONE), "Done.", ONE),
    Day(
        "a call in the words",
        (says('```json\n{"name": "craft", "arguments": {"item_id": "stick"}}\n```'), DONE),
        "Done.",
        ONE,
    ),
    Day("a call and a stop", (calls(STICK, finish="stop"), DONE), "Done.", ONE),
    Day("a tool that breaks", (calls(("boom", {})), DONE), "Done."),
    Day(
        "the same failing call again and again",
        (calls(("fail", {"message": "no."})),) * 3,
        "I tried fail 3 times",
    ),
    Day("the same call again and again", (calls(STICK),) * 3, "I keep calling craft", ONE * 3),
    # conversations that are too long
    Day("a context that overflows for ever", (), "too long for the model", brain=always(OVERFLOW)),
]


def test_there_are_forty_bad_days_at_least() -> None:
    assert len({day.name for day in DAYS}) == len(DAYS) >= 40


@pytest.mark.parametrize("day", DAYS, ids=lambda day: day.name)
async def test_a_bad_day_costs_no_more_than_a_sentence(day: Day, caplog: pytest.LogCaptureFixture) -> None:
    settings = {"retries": 2, **day.settings}
    async with Bench(*day.script, brain=day.brain, **settings) as bench:
        heard = await bench.ask("make me a stick")
        assert len(bench.said) == 1, "one sentence, no more and no less"
        assert re.search(day.hears, heard), heard
        assert "\n" not in heard
        assert KEY not in heard + caplog.text
        assert tuple(bench.body.done) == day.done
        assert not bench.mind.busy
        assert len(bench.mind.inbox) == 0
        bench.endpoint.assert_complete()

        if day.settings.get("proxy"):
            return
        bench.endpoint.add(DONE)
        if "make me a stick" not in str(bench.mind.history.messages):
            # What the endpoint refuses was withdrawn, to be sent again on a word.
            assert bench.told(TurnFailed)[-1].token
            bench.mind.hear("make me a stick")
        assert await bench.ask("and now?") == "Done."
        sent = bench.request()
        assert_legal(sent)
        assert str(sent).count("make me a stick") == 1, "nothing is lost and nothing told twice"
        assert tuple(bench.body.done) == day.done, "nothing is done twice"


async def test_a_conversation_that_overflows_in_mid_job_is_shortened_and_the_job_goes_on() -> None:
    numbers = iter(range(1_000))

    def brain(request: RecordedRequest) -> Reply:
        if len(request.raw) > 9_000:
            return OVERFLOW
        number = next(numbers)
        return DONE if number >= 40 else calls(("craft", {"item_id": f"{number}" + "x" * 100}))

    async with Bench(brain=brain) as bench:
        assert await bench.ask("make me forty sticks") == "Done."
        assert len(set(bench.body.done)) == len(bench.body.done) >= 37
        assert_legal(bench.request())
