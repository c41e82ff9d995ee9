"""Repair: whatever the history, what is sent is legal, and what was legal stays as it was."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from numen.agent.history import LOST, History, recent, repair
from numen.llm import AssistantMessage, FunctionCall, Message, ToolMessage, UserMessage
from numen.session import MemorySession, Restored


def call(call_id: str, arguments: str = "{}", name: str = "mine") -> FunctionCall:
    return FunctionCall(id=call_id, name=name, arguments=arguments)


def user(text: str = "hi") -> UserMessage:
    return UserMessage(content=text)


def asks(*calls: FunctionCall) -> AssistantMessage:
    return AssistantMessage(calls=calls)


def says(text: str) -> AssistantMessage:
    return AssistantMessage(content=text)


def result(call_id: str, content: str = "ok") -> ToolMessage:
    return ToolMessage(call_id=call_id, name="mine", content=content)


@pytest.mark.parametrize(
    ("given_messages", "expected"),
    [
        ([user(), asks(call("a"))], [user(), asks(call("a")), result("a", LOST)]),
        (
            [user(), asks(call("a"), call("b")), result("b", "2"), result("a", "1")],
            [user(), asks(call("a"), call("b")), result("a", "1"), result("b", "2")],
        ),
        (
            [user(), asks(call("a")), result("a", "1"), result("a", "2")],
            [user(), asks(call("a")), result("a", "1")],
        ),
        ([user(), result("a"), says("x")], [user(), says("x")]),
        (
            [user(), asks(call("a"), call("a")), result("a", "1"), result("a", "2")],
            [user(), asks(call("a"), call("a_1")), result("a", "1"), result("a_1", "2")],
        ),
        ([user(), asks(call("a", "{oops")), result("a")], [user(), asks(call("a")), result("a")]),
        ([user(), asks(call("a", "[1]")), result("a")], [user(), asks(call("a")), result("a")]),
        ([user(), asks(call("a", "")), result("a")], [user(), asks(call("a")), result("a")]),
        (
            [user(), asks(call("a", '"{\\"x\\": 1}"')), result("a")],
            [user(), asks(call("a", '{"x": 1}')), result("a")],
        ),
        ([user(" "), user("x"), says(""), user("y")], [user("x\ny")]),
        ([user(), says("a"), says("(interrupted)")], [user(), says("a\n(interrupted)")]),
        ([user(), asks(call("a")), result("a", "")], [user(), asks(call("a")), result("a", "(no output)")]),
        (
            [user(), asks(call("", name="mine it!")), user("x")],
            [
                user(),
                asks(call("call_0", name="mine_it_")),
                ToolMessage(call_id="call_0", name="mine_it_", content=LOST),
                user("x"),
            ],
        ),
    ],
)
def test_what_is_odd_is_put_right(given_messages: list[Message], expected: list[Message]) -> None:
    assert list(repair(given_messages)) == expected


texts = st.sampled_from(["", " ", "x", "<b>", "字"])
ids = st.sampled_from(["", "a", "b", "c"])
messages = st.one_of(
    texts.map(user),
    st.builds(ToolMessage, call_id=ids, name=st.just("mine"), content=texts),
    st.builds(
        AssistantMessage,
        content=texts,
        calls=st.lists(
            st.builds(
                FunctionCall,
                id=ids,
                name=st.sampled_from(["mine", "", "a b", "x" * 90]),
                arguments=st.sampled_from(["{}", "", "[", "[1]", '{"a": 1}', '"{}"', "null"]),
            ),
            max_size=3,
        ).map(tuple),
    ),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(messages, max_size=12))
def test_any_history_is_sent_legal_and_the_repair_is_stable(source: list[Message]) -> None:
    out = repair(source)

    assert repair(out) == out
    waiting: list[str] = []
    for before, message in zip((None, *out), out, strict=False):
        if isinstance(message, ToolMessage):
            assert message.call_id == waiting.pop(0)
            assert message.content
            continue
        assert not waiting
        assert message.content.strip() or (isinstance(message, AssistantMessage) and message.calls)
        if isinstance(message, AssistantMessage):
            waiting = [each.id for each in message.calls]
            assert len(set(waiting)) == len(waiting)
            assert all(isinstance(json.loads(each.arguments), dict) for each in message.calls)
        else:
            assert not isinstance(before, UserMessage)
    assert not waiting


@settings(max_examples=100, deadline=None)
@given(st.lists(messages, max_size=12), st.integers(0, 12))
def test_what_was_already_sent_comes_out_the_same_when_the_conversation_grows(
    source: list[Message], cut: int
) -> None:
    legal = list(repair(source))
    short, long = repair(legal[:cut]), repair(legal)

    while short and isinstance(short[-1], ToolMessage):  # a result that is still to come differs, rightly
        short = short[:-1]
    assert long[: len(short)] == short


def test_a_restart_takes_up_the_last_messages_from_a_user_message_on() -> None:
    source: list[Message] = []
    for number in range(100):
        source += [user(str(number)), asks(call("a")), result("a"), says("x")]

    kept = recent(source, 10)

    assert kept[0] == user("97")
    assert recent(source[:3], 10) == source[:3]


def test_what_takes_the_place_of_the_conversation_is_on_disk_before_it_counts() -> None:
    session = MemorySession()
    history = History(session, Restored())
    for number in range(6):
        history.record(user(f"{number} " + "x" * 200))
        history.record(says("y"))

    history.replace([user("what is left")], why="overflow", dropped=11)

    from numen.session import restore

    again = History(session, restore(session.records()))
    assert again.messages == history.messages
