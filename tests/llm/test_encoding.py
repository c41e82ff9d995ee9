"""What is written once is not written again, and the bytes are the same as if it were."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numen.llm import AssistantMessage, Endpoint, FunctionCall, Message, Request, ToolMessage, UserMessage
from numen.llm.wire import Encoder, request_body
from tests.llm.kit import MINE
from tests.llm.test_written_calls import STONES

Style = Literal["native", "json"]

TEXT = st.text(max_size=12)
MESSAGES: st.SearchStrategy[Message] = st.one_of(
    TEXT.map(lambda text: UserMessage(content=text)),
    TEXT.map(lambda text: ToolMessage(call_id="a", name="mine", content=text)),
    TEXT.map(lambda text: AssistantMessage(content=text, extra={"reasoning_content": text}, origin="openai")),
    TEXT.map(lambda text: AssistantMessage(calls=(FunctionCall(id=text, name="mine", arguments="{}"),))),
)


def expected(request: Request, endpoint: Endpoint, without: frozenset[str], style: Style) -> bytes:
    body = request_body(request, endpoint, without, style)
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


@pytest.mark.parametrize("style", ["native", "json"])
@given(
    messages=st.lists(MESSAGES, max_size=8),
    cuts=st.lists(st.integers(0, 8), max_size=4),
    without=st.sampled_from([frozenset[str](), frozenset({"parallel_tool_calls", "temperature"})]),
    tools=st.sampled_from([(), (MINE,), (MINE, STONES)]),
    system=st.sampled_from(["", "S"]),
)
def test_a_growing_conversation_is_encoded_as_each_request_would_be_alone(
    style: Style,
    messages: list[Message],
    cuts: list[int],
    without: frozenset[str],
    tools: tuple[()],
    system: str,
) -> None:
    endpoint = Endpoint(provider="openai", temperature=0.5, thinking="low")
    encoder = Encoder(endpoint)
    for cut in (*cuts, len(messages)):
        request = Request(system=system, messages=tuple(messages[:cut]), tools=tools)
        assert encoder.encode(request, without, style) == expected(request, endpoint, without, style)


def test_other_tools_and_shorter_conversations_are_noticed() -> None:
    endpoint = Endpoint(base_url="http://a/v1", model="m")
    encoder = Encoder(endpoint)
    one, two = UserMessage(content="one"), UserMessage(content="two")
    first = Request(system="S", messages=(one, two), tools=(MINE,))
    for request in (
        first,
        replace(first, tools=(MINE, STONES)),
        replace(first, messages=(two,)),
        replace(first, messages=(one, one)),
    ):
        assert encoder.encode(request) == expected(request, endpoint, frozenset(), "native")
