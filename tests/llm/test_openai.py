"""The HTTP provider against a scripted endpoint over real sockets."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable
from contextlib import aclosing
from typing import Any

import pytest

from numen.llm import (
    AssistantMessage,
    Completed,
    Endpoint,
    EndpointError,
    FunctionCall,
    OpenAICompatible,
    Request,
    Secret,
    StreamEvent,
    TextDelta,
    ToolMessage,
    Usage,
    UserMessage,
    spoken,
)
from numen.llm import errors as wrong
from numen.testing.endpoint import (
    Reply,
    ScriptedEndpoint,
    answers,
    calls,
    delta,
    event,
    refuses,
    says,
    stream,
)
from tests.llm.kit import HELLO, KEY, MINE, Asked, ask, fail


async def test_text_comes_in_pieces_then_whole_with_usage() -> None:
    async with ScriptedEndpoint(says("Good ", "morn", "ing.")) as server:
        events = await Asked(server).events()

    assert [each.text for each in events if isinstance(each, TextDelta)] == ["Good ", "morn", "ing."]
    assert events[-1] == Completed(
        message=AssistantMessage(content="Good morning."),
        finish="stop",
        usage=Usage(prompt_tokens=100, completion_tokens=10, cached_tokens=80),
    )


async def test_tool_calls_are_put_together_by_index() -> None:
    done = await ask(calls(("mine", {"n": 1}), ("craft", {"id": "planks", "文": "字"})))

    assert [(each.name, json.loads(each.arguments)) for each in done.message.calls] == [
        ("mine", {"n": 1}),
        ("craft", {"id": "planks", "文": "字"}),
    ]
    assert done.finish == "tool_calls"


async def test_the_request_is_what_an_openai_endpoint_expects() -> None:
    request = Request(
        system="S",
        messages=(
            UserMessage(content="q"),
            AssistantMessage(calls=(FunctionCall(id="a", name="mine", arguments="{}"),)),
            ToolMessage(call_id="a", name="mine", content="ok"),
        ),
        tools=(MINE,),
    )
    async with ScriptedEndpoint(says("x")) as server:
        await Asked(server, temperature=0.5, max_tokens=99, headers={"X-Own": "1"}).answer(request)
        sent = server.requests[0]

    assert (sent.method, sent.path) == ("POST", "/v1/chat/completions")
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    assert sent.headers["x-own"] == "1"
    assert sent.body == {
        "model": "m",
        "stream": True,
        "stream_options": {"include_usage": True},
        "temperature": 0.5,
        "max_tokens": 99,
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "mine",
                    "description": "Mine.",
                    "parameters": {"type": "object", "properties": {}},
                },
            }
        ],
        "parallel_tool_calls": False,
        "messages": [
            {"role": "system", "content": "S"},
            {"role": "user", "content": "q"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": "a", "type": "function", "function": {"name": "mine", "arguments": "{}"}}
                ],
            },
            {"role": "tool", "tool_call_id": "a", "content": "ok"},
        ],
    }


async def test_no_tools_no_tool_fields() -> None:
    async with ScriptedEndpoint(says("x")) as server:
        await Asked(server).answer(Request(system="", messages=(UserMessage(content="q"),)))
        body = server.requests[0].body

    assert "tools" not in body
    assert "parallel_tool_calls" not in body
    assert body["messages"] == [{"role": "user", "content": "q"}]


async def test_unknown_fields_are_kept_and_go_back_to_the_same_endpoint_only() -> None:
    first = stream(
        delta(role="assistant", reasoning_content="let me ", mark="a"),
        delta(reasoning_content="see", mark="b", parts=[{"index": 0, "type": "t", "text": "x"}]),
        delta(parts=[{"index": 0, "type": "t", "text": "y"}, {"index": 1, "type": "t", "text": "z"}]),
        delta(
            tool_calls=[
                {
                    "index": 0,
                    "id": "c",
                    "function": {"name": "mine", "arguments": "{}"},
                    "extra_content": {"sig": "q"},
                }
            ]
        ),
        delta(finish="tool_calls"),
    )
    async with ScriptedEndpoint(first, says("ok")) as server, ScriptedEndpoint(says("ok")) as other:
        answer = await Asked(server).answer()
        again = Request(
            system="",
            messages=(
                UserMessage(content="hi"),
                answer.message,
                ToolMessage(call_id="c", name="mine", content="ok"),
            ),
        )
        await Asked(server).answer(again)
        await Asked(other).answer(again)
        back, elsewhere = server.requests[1].messages[1], other.requests[0].messages[1]

    assert answer.message.extra == {
        "reasoning_content": "let me see",
        "mark": "ab",
        "parts": [{"index": 0, "type": "t", "text": "xy"}, {"index": 1, "type": "t", "text": "z"}],
    }
    assert back["reasoning_content"] == "let me see"
    assert back["tool_calls"][0]["extra_content"] == {"sig": "q"}
    assert set(elsewhere) == {"role", "content", "tool_calls"}
    assert set(elsewhere["tool_calls"][0]) == {"id", "type", "function"}


@pytest.mark.parametrize(
    ("fragments", "expected"),
    [
        (  # two calls with one id
            [
                {"index": 0, "id": "x", "function": {"name": "mine", "arguments": '{"a": 1}'}},
                {"index": 1, "id": "x", "function": {"name": "mine", "arguments": '{"a": 2}'}},
            ],
            [("x", "mine", '{"a": 1}'), ("new_1", "mine", '{"a": 2}')],
        ),
        (  # every call has index 0
            [
                {"index": 0, "id": "x", "function": {"name": "mine", "arguments": "{}"}},
                {"index": 0, "id": "y", "function": {"name": "craft", "arguments": "{}"}},
            ],
            [("x", "mine", "{}"), ("y", "craft", "{}")],
        ),
        (  # every call has index 0 and no id
            [
                {"index": 0, "function": {"name": "mine", "arguments": "{}"}},
                {"index": 0, "function": {"name": "mine", "arguments": "{}"}},
            ],
            [("new_1", "mine", "{}"), ("new_2", "mine", "{}")],
        ),
        (  # no index at all
            [
                {"id": "x", "function": {"name": "mine", "arguments": '{"a'}},
                {"id": "x", "function": {"arguments": '": 1}'}},
            ],
            [("x", "mine", '{"a": 1}')],
        ),
        (  # no index, no id, arguments trickling in
            [
                {"function": {"name": "mine", "arguments": '{"a'}},
                {"function": {"arguments": '": 1}'}},
            ],
            [("new_1", "mine", '{"a": 1}')],
        ),
        (  # the name is sent with every fragment
            [
                {"index": 0, "id": "x", "function": {"name": "mine", "arguments": '{"a'}},
                {"index": 0, "id": "x", "function": {"name": "mine", "arguments": '": 1}'}},
            ],
            [("x", "mine", '{"a": 1}')],
        ),
        (  # the name comes in halves, arguments as an object
            [
                {"index": 0, "id": "x", "function": {"name": "mi"}},
                {"index": 0, "function": {"name": "ne", "arguments": {"a": 1}}},
            ],
            [("x", "mine", '{"a": 1}')],
        ),
        ([{"index": 0, "id": "x", "function": {"name": "", "arguments": ""}}], []),
        ([None, "junk", {"index": 0, "id": "x", "function": None}], []),
        (  # half a call
            [{"index": 0, "id": "x", "function": {"name": "mine", "arguments": '{"a'}}],
            [("x", "mine", '{"a')],
        ),
    ],
)
async def test_calls_come_out_whole_however_they_are_cut(
    fragments: list[Any], expected: list[tuple[str, str, str]]
) -> None:
    done = await ask(stream(*(delta(tool_calls=[each]) for each in fragments), delta(finish="tool_calls")))

    assert [(each.id, each.name, each.arguments) for each in done.message.calls] == expected


@pytest.mark.parametrize(
    ("reply", "content"),
    [
        (
            stream(
                delta(content=[{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]), delta("stop")
            ),
            "ab",
        ),
        (stream(delta(content="a"), delta("stop"), done=False), "a"),
        (stream(delta(content="a")), "a"),
        (stream(b": keep-alive\n\n", event(delta(content="a")), b"event: x\nid: 1\n\n", delta("stop")), "a"),
        (stream(b'data:{"choices":[{"delta":{"content":"a"}}]}\r\n\r\n', delta("stop")), "a"),
        (stream(b"data: {oops\n\n", delta(content="a"), delta("stop")), "a"),
        (stream(*(bytes([b]) for b in event(delta(content="é字"))), delta("stop")), "é字"),
        (stream(b"\xef\xbb\xbf" + event(delta(content="a")), delta("stop")), "a"),
        (
            stream(
                b'data: {"choices":[{"delta":{"content":"a"}}]}\n'
                b'data: {"choices":[{"delta":{"content":"b"},"finish_reason":"stop"}]}\n'
                b"data: [DONE]\n"
            ),
            "ab",
        ),
        (
            answers(
                {"choices": [{"message": {"role": "assistant", "content": "a"}, "finish_reason": "stop"}]}
            ),
            "a",
        ),
        (answers(event(delta(content="a")) + event(delta("stop")), "text/plain"), "a"),
        (stream(delta(refusal="I will not."), delta("stop")), "I will not."),
        (stream({"choices": []}, {"odd": 1}, delta(content="a"), delta("stop")), "a"),
        (says("a", usage=None), "a"),
        (says("a").cut(after=3), "a"),
    ],
)
async def test_an_answer_is_read_whatever_its_form(reply: Reply, content: str) -> None:
    assert (await ask(reply)).message.content == content


async def test_thoughts_are_kept_for_the_wire_and_never_among_the_words() -> None:
    async with ScriptedEndpoint(
        says("<thi", "nk>secret", " plan</th", "ink>Hello", " there <", "3", reasoning="hm")
    ) as server:
        events = await Asked(server).events()
    last = events[-1]
    assert isinstance(last, Completed)

    assert "".join(each.text for each in events if isinstance(each, TextDelta)) == "Hello there <3"
    assert "".join(each.text for each in events if each.kind == "reasoning") == "hmsecret plan"
    assert last.message.content == "<think>secret plan</think>Hello there <3"


async def test_thoughts_without_an_opening_tag_are_taken_back_once_and_then_held_back() -> None:
    def words(events: list[StreamEvent]) -> list[str]:
        heard = [each for each in events if each.kind != "reasoning"]
        return [each.text if isinstance(each, TextDelta) else each.kind for each in heard]

    thinking = says("The owner ", "wants coal.", "</thi", "nk>", "On my ", "way.")
    plain = says("Here ", "it is.")
    async with ScriptedEndpoint(thinking, thinking, plain) as server:
        asked = Asked(server)
        first, second, third = [await asked.events() for _ in range(3)]

    assert words(first) == ["The owner ", "wants coal.", "restarted", "On my ", "way.", "completed"]
    assert words(second) == ["On my ", "way.", "completed"]
    assert "".join(each.text for each in second if each.kind == "reasoning") == "The owner wants coal."
    assert words(third) == ["Here it is.", "completed"]
    last = second[-1]
    assert isinstance(last, Completed)
    assert spoken(last.message.content) == "On my way."


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (refuses(401, f"Incorrect API key provided: {KEY}"), wrong.BadKey),
        (refuses(403), wrong.BadKey),
        (refuses(402, "Insufficient Balance"), wrong.QuotaExhausted),
        (refuses(429, "You exceeded your current quota", "insufficient_quota"), wrong.QuotaExhausted),
        (refuses(429, "slow down"), wrong.RateLimited),
        (refuses(400, "This model's maximum context length is 8192 tokens"), wrong.ContextOverflow),
        (refuses(400, "the request exceeds the available context size"), wrong.ContextOverflow),
        (refuses(404, "The model `x` does not exist", "model_not_found"), wrong.UnknownModel),
        (refuses(404), wrong.BadRequest),
        (refuses(422, "messages.1: bad"), wrong.BadRequest),
        (refuses(500), wrong.ServerTrouble),
        (refuses(503, "overloaded"), wrong.ServerTrouble),
        (refuses(302, headers={"location": "https://elsewhere/"}), wrong.BadRequest),
        (refuses(407), wrong.Unreachable),
        (answers(b"<html>hello</html>", "text/html; charset=utf-8"), wrong.BadAnswer),
        (answers(b"not json"), wrong.BadAnswer),
        (answers(b"[1]"), wrong.BadAnswer),
        (answers(b"", "text/event-stream"), wrong.BadAnswer),
        (stream({"error": {"message": "boom", "code": 429}}), wrong.RateLimited),
        (stream({"error": {"message": "boom"}}), wrong.ServerTrouble),
        (answers({"error": {"message": "Insufficient Balance", "code": 402}}), wrong.QuotaExhausted),
        (says("x").cut_before_head(), wrong.Unreachable),
    ],
)
async def test_every_failure_has_its_kind_and_shows_no_key(reply: Reply, kind: type[EndpointError]) -> None:
    error = await fail(reply)

    assert type(error) is kind
    for text in (str(error), repr(error), error.sentence("zh"), error.detail):
        assert KEY not in text
    assert error.sentence("zh") != error.sentence("en")


async def test_an_endpoint_that_is_not_there_is_unreachable() -> None:
    async with ScriptedEndpoint() as server:
        url = server.url
    provider = OpenAICompatible(Endpoint(base_url=url, model="m", retries=0))

    with pytest.raises(wrong.Unreachable):
        [each async for each in provider.stream(HELLO)]
    await provider.aclose()


async def test_a_proxy_that_is_not_there_is_unreachable() -> None:
    async with ScriptedEndpoint() as server:
        port = server.port
    provider = OpenAICompatible(
        Endpoint(base_url="http://10.1.2.3/v1", model="m", retries=0, proxy=f"user:pass@127.0.0.1:{port}")
    )

    with pytest.raises(wrong.Unreachable) as caught:
        [each async for each in provider.stream(HELLO)]
    await provider.aclose()
    assert "pass" not in str(caught.value)


@pytest.mark.parametrize(
    ("replies", "waits"),
    [
        ([refuses(429), says("ok")], [1.5]),
        ([refuses(429), refuses(403, "Rate limit exceeded"), says("ok")], [1.5, 3.0]),
        ([refuses(429, headers={"retry-after": "7"}), says("ok")], [7.0]),
        ([refuses(429, headers={"retry-after-ms": "250"}), says("ok")], [0.25]),
        ([refuses(500), refuses(503), says("ok")], [0.5, 1.0]),
        ([refuses(408), says("ok")], [0.5]),
        ([says("ok").cut_before_head(), says("ok")], [0.5]),
        ([refuses(400, headers={"x-should-retry": "true"}), says("ok")], [0.5]),
    ],
)
async def test_what_may_pass_is_tried_again_before_the_answer_begins(
    replies: list[Reply], waits: list[float]
) -> None:
    async with ScriptedEndpoint(*replies) as server:
        asked = Asked(server)
        answer = await asked.answer()
        server.assert_complete()

    assert answer.message.content == "ok"
    assert asked.waits == waits


@pytest.mark.parametrize(
    "reply",
    [
        refuses(401),
        refuses(400),
        refuses(429, code="insufficient_quota"),
        refuses(500, headers={"x-should-retry": "false"}),
        refuses(429, headers={"retry-after": "3600"}),
    ],
)
async def test_what_will_not_pass_is_not_tried_again(reply: Reply) -> None:
    await fail(reply, retries=2)


async def test_retries_end() -> None:
    await fail(refuses(500), refuses(500), refuses(500), retries=2)


@pytest.mark.parametrize(
    "broken", [says("half ", "an answer").cut(after=2), says("half ", "x").hang(after=2)]
)
async def test_an_answer_that_breaks_off_is_asked_for_once_more(broken: Reply) -> None:
    async with ScriptedEndpoint(broken, says("whole")) as server:
        events = await Asked(server, silence_s=0.05).events()
        server.assert_complete()

    assert [each.kind for each in events] == ["text", "restarted", "text", "completed"]
    last = events[-1]
    assert isinstance(last, Completed)
    assert last.message.content == "whole"


async def test_an_answer_that_breaks_off_twice_is_a_failure() -> None:
    error = await fail(says("a", "b").cut(after=2), says("a", "b").cut(after=2))

    assert type(error) is wrong.StreamDied


async def test_an_endpoint_that_says_nothing_is_given_up() -> None:
    error = await fail(says("x").hang_before_head(), connect_s=0.01, first_byte_s=0.05)
    assert type(error) is wrong.TimedOut

    error = await fail(says("x").hang(after=0), connect_s=0.01, first_byte_s=0.05)
    assert type(error) is wrong.TimedOut


async def test_a_slow_listener_is_not_taken_for_a_silent_endpoint() -> None:
    heard: list[str] = []
    gate = asyncio.Event()
    async with ScriptedEndpoint(says("a", "b")) as server:
        asked = Asked(server, silence_s=0.05)
        async for each in asked.provider.stream(HELLO):
            if each.kind == "text":
                heard.append(each.text)
                asyncio.get_running_loop().call_later(0.15, gate.set)
                await gate.wait()
        await asked.provider.aclose()

    assert heard == ["a", "b"]


async def test_leaving_the_stream_cancels_the_request() -> None:
    async with ScriptedEndpoint(says("a", "b", "c").hang(after=2)) as server:
        asked = Asked(server)
        async with aclosing(asked.provider.stream(HELLO)) as events:
            async for _ in events:
                break
        await server.requests[0].abandoned.wait()
        await asked.provider.aclose()


async def test_a_cancelled_task_cancels_the_request() -> None:
    async with ScriptedEndpoint(says("x").hang_before_head()) as server:
        asked = Asked(server)
        running = asyncio.create_task(asked.events())
        request = await server.wait_for_requests(1)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        await request.abandoned.wait()


async def test_a_field_the_endpoint_refuses_by_name_is_left_out_from_then_on() -> None:
    no = refuses(400, "Unrecognized request argument supplied: parallel_tool_calls")
    async with ScriptedEndpoint(no, says("ok"), says("ok")) as server:
        asked = Asked(server)
        for _ in range(2):
            [each async for each in asked.provider.stream(HELLO)]
        await asked.provider.aclose()
        server.assert_complete()
        sent = ["parallel_tool_calls" in each.body for each in server.requests]

    assert sent == [True, False, False]


async def test_an_endless_answer_is_cut_off() -> None:
    done = await ask(stream(*(delta(content="x" * 50_000) for _ in range(20))))

    assert done.finish == "length"
    assert 400_000 < len(done.message.content) <= 450_000


async def test_half_an_emoji_does_not_make_a_conversation_unsendable() -> None:
    async with ScriptedEndpoint(says("ok")) as server:
        await Asked(server).answer(Request(system="", messages=(UserMessage(content="a\ud83d"),)))

        assert server.requests[0].messages[0]["content"] == "a?"


async def test_a_longer_conversation_starts_with_the_bytes_of_the_shorter_one() -> None:
    long = Request(
        system=HELLO.system,
        messages=(
            *HELLO.messages,
            AssistantMessage(content="hello"),
            UserMessage(content="what do you see?"),
        ),
        tools=HELLO.tools,
    )
    async with ScriptedEndpoint(says("x"), says("y")) as server:
        asked = Asked(server)
        for request in (HELLO, long):
            [each async for each in asked.provider.stream(request)]
        await asked.provider.aclose()
        short_bytes, long_bytes = (each.raw for each in server.requests)

    assert long_bytes.startswith(short_bytes.removesuffix(b"]}"))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"provider": "custom", "model": "m"}, "llm.base_url is missing"),
        ({"provider": "moonshot"}, "llm.model is missing"),
        ({"base_url": "localhost:8000", "model": "m"}, "must start with http"),
    ],
)
def test_settings_that_cannot_work_are_named(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Endpoint(**settings)


@pytest.mark.parametrize(
    ("settings", "url"),
    [
        ({"provider": "Kimi", "model": "m"}, "https://api.moonshot.ai/v1/chat/completions"),
        ({"provider": "glm", "model": "m"}, "https://open.bigmodel.cn/api/paas/v4/chat/completions"),
        ({"provider": "deepseek", "base_url": "http://x/v1/"}, "http://x/v1/chat/completions"),
        ({"base_url": "http://x/chat/completions", "model": "m"}, "http://x/chat/completions"),
        ({"provider": "nobody", "base_url": "http://x", "model": "m"}, "http://x/chat/completions"),
        ({"provider": "llama.cpp"}, "http://localhost:8080/v1/chat/completions"),
    ],
)
def test_the_address_is_the_override_else_the_preset(settings: dict[str, Any], url: str) -> None:
    assert Endpoint(**settings).url == url


@pytest.mark.parametrize(
    "show", [repr, str, lambda each: json.dumps(each, default=str), lambda each: f"{each}"]
)
def test_a_key_never_shows(show: Callable[[object], str]) -> None:
    endpoint = Endpoint(
        base_url="http://x", model="m", api_key=Secret(KEY), headers={"X-Key": KEY}, proxy=f"u:{KEY}@h:1"
    )

    for each in (Secret(KEY), endpoint, OpenAICompatible(endpoint), {"key": Secret(KEY)}):
        assert KEY not in show(each)


def test_httpx_is_not_loaded_before_it_is_needed() -> None:
    code = "import sys, numen.llm; print('httpx' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert found.stdout.strip() == "False"
