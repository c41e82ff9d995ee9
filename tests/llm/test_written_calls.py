"""Calls that come as text among the words, whole or broken, and words that are no calls."""

from __future__ import annotations

import json
from typing import Any

import pytest

from numen.llm import Completed, Request, TextDelta, ToolSpec, UserMessage
from numen.llm.written import Holder, mended, read_written
from numen.testing.endpoint import Reply, ScriptedEndpoint, calls, says
from tests.llm.kit import HELLO, Asked, ask

TOOLS = ("mine", "craft", "get_self_status")
MINE_3 = [("mine", {"block_ids": ["stone"], "count": 3})]


@pytest.mark.parametrize(
    "content",
    [
        '{"name": "mine", "arguments": {"block_ids": ["stone"], "count": 3}}',
        '{"name": "mine", "parameters": {"block_ids": ["stone"], "count": 3}}',
        '{"tool": "mine", "args": {"block_ids": ["stone"], "count": 3}}',
        '{"tool": "mine", "block_ids": ["stone"], "count": 3}',
        '{"action": "mine", "action_input": {"block_ids": ["stone"], "count": 3}}',
        '{"mine": {"block_ids": ["stone"], "count": 3}}',
        '{"function": {"name": "mine", "arguments": "{\\"block_ids\\": [\\"stone\\"], \\"count\\": 3}"}}',
        '{"tool_calls": [{"type": "function", "id": "x", "function": {"name": "mine", "arguments": '
        '{"block_ids": ["stone"], "count": 3}}}]}',
        '[{"name": "mine", "arguments": {"block_ids": ["stone"], "count": 3}}]',
        '```json\n{"name": "mine", "arguments": {"block_ids": ["stone"], "count": 3}}\n```',
        '```\n{"name": "mine", "arguments": {"block_ids": ["stone"], "count": 3}}',
        '```tool_call\n{\n  "name": "mine",\n  "arguments": {"block_ids": ["stone"], "count": 3}\n}\n```',
        '<tool_call>\n{"name": "mine", "arguments": {"block_ids": ["stone"], "count": 3}}\n</tool_call>',
        '<tool_call>{"name": "mine", "arguments": {"block_ids": ["stone"], "count": 3}}',
        '[TOOL_CALLS] [{"name": "mine", "arguments": {"block_ids": ["stone"], "count": 3}}]',
        '<|python_tag|>{"name": "mine", "parameters": {"block_ids": ["stone"], "count": 3}}',
        '<function=mine>{"block_ids": ["stone"], "count": 3}</function>',
        '<tool_call>\n<function=mine>\n<parameter=block_ids>\n["stone"]\n</parameter>\n'
        "<parameter=count>\n3\n</parameter>\n</function>\n</tool_call>",
        # broken in the ways that models break them
        "{'name': 'mine', 'arguments': {'block_ids': ['stone'], 'count': 3}}",
        '{"name": "mine", "arguments": {"block_ids": ["stone"], "count": 3}',
        '{"name": "mine", "arguments": {"block_ids": ["stone"], "count": 3,},}',
        '{name: "mine", arguments: {block_ids: ["stone"], count: 3}}',
        '{"name": "mine", "arguments": {"block_ids": ["stone"], "count": 3}}}',
        '```json\n{"name": "mine", "arguments": {"block_ids": ["stone"] "count": 3}}\n```',
        '<think>{"name": "craft", "arguments": {}}</think>{"name": "mine", "arguments": '
        '{"block_ids": ["stone"], "count": 3}}',
    ],
)
def test_a_call_written_among_the_words_is_read(content: str) -> None:
    written = read_written(content, TOOLS)

    assert written is not None
    assert [(name, json.loads(arguments)) for name, arguments in written.calls] == MINE_3


@pytest.mark.parametrize(
    "content",
    [
        "I will mine three stones.",
        'Use {"count": 3} of them.',
        '{"name": "Steve", "age": 9}',
        "```\nmine(3)\n```",
        "set {a, b} and <3",
        '<think>{"name": "mine", "arguments": {}}',
        '<think>{"name": "mine", "arguments": {}}</think>Done.',
        "[1, 2, 3]",
        '{"tool": "pickaxe", "durability": 59}',
        "{",
        "",
    ],
)
def test_words_that_are_no_call_stay_words(content: str) -> None:
    assert read_written(content, TOOLS) is None


def test_words_around_a_call_are_kept_and_several_calls_keep_their_order() -> None:
    first = '{"name": "mine", "arguments": {"count": 1}}'
    second = '{"name": "craft", "arguments": {}}'
    for content, words in (
        (f"On it.\n```json\n{first}\n```\n```json\n{second}\n```\nSoon.", "On it.\n\n\nSoon."),
        (f"On it. {first}\n{second}", "On it."),
        (f"<tool_call>{first}</tool_call>\n<tool_call>{second}</tool_call>", ""),
        (f"[{first}, {second}]", ""),
    ):
        written = read_written(content, TOOLS)
        assert written is not None
        assert [name for name, _ in written.calls] == ["mine", "craft"]
        assert written.content == words


def test_a_call_of_a_tool_that_is_not_there_is_a_call_when_it_is_plainly_meant() -> None:
    written = read_written('{"name": "minee", "arguments": {"count": 1}}', TOOLS)

    assert written is not None
    assert written.calls == (("minee", '{"count": 1}'),)


def test_a_call_cut_off_in_the_middle_is_not_completed_by_guessing() -> None:
    content = '{"name": "mine", "arguments": {"block_ids": ["stone"], "count": 6'

    whole = read_written(content, TOOLS)
    cut = read_written(content, TOOLS, cut_off=True)

    assert whole is not None
    assert cut is not None
    assert json.loads(whole.calls[0][1])["count"] == 6
    assert cut.calls == (("mine", content),)
    with pytest.raises(ValueError, match="delimiter"):
        json.loads(cut.calls[0][1])


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ('{"a": 1}', '{"a": 1}'),
        ("{'a': 1, 'b': True,}", '{"a": 1, "b": true}'),
        ('{"a": "say "hi" now"}', '{"a": "say \\"hi\\" now"}'),
        ('{"a": 1}{"a": 1}', '{"a": 1}'),
        ('{"a": 1}}', '{"a": 1}'),
        ('{"a": 1}{"a": 2}', '{"a": 1}{"a": 2}'),
        ('```json\n{"a": 1}\n```', '{"a": 1}'),
        ("[1, 2]", "[1, 2]"),
        ("{oops", "{oops"),
        ("", ""),
        ("nonsense", "nonsense"),
    ],
)
def test_arguments_that_are_nearly_an_object_become_one(arguments: str, expected: str) -> None:
    assert mended(arguments) == expected


@pytest.mark.parametrize(
    ("pieces", "let_through", "held"),
    [
        (("Hello ", "there."), "Hello there.", ""),
        (("Go.\n", "{", '"name"'), "Go.\n", '{"name"'),
        (("a ``", "`json"), "a ", "```json"),
        (("1 <", " 2 <tool", "_call>"), "1 < 2 ", "<tool_call>"),
        (("1 <", " 2"), "1 < 2", ""),
        (("end `",), "end ", "`"),
    ],
)
def test_what_may_be_a_call_is_held_back(pieces: tuple[str, ...], let_through: str, held: str) -> None:
    holder = Holder()

    assert "".join(map(holder.feed, pieces)) == let_through
    assert holder.flush() == held


async def streamed(reply: Reply) -> tuple[str, Completed]:
    async with ScriptedEndpoint(reply) as server:
        events = await Asked(server).events()
    last = events[-1]
    assert isinstance(last, Completed)
    return "".join(each.text for each in events if isinstance(each, TextDelta)), last


async def test_a_written_call_is_no_part_of_the_streamed_words() -> None:
    words, last = await streamed(says("I go. ", "``", '`json\n{"name": "mi', 'ne", "arguments": {}}\n```'))

    assert words == "I go. "
    assert last.message.content == "I go."
    assert [(each.id, each.name, each.arguments) for each in last.message.calls] == [("new_1", "mine", "{}")]


async def test_words_held_back_for_nothing_are_told_in_the_end() -> None:
    words, last = await streamed(says("Take ", "{these}", " three."))

    assert words == last.message.content == "Take {these} three."


async def test_without_tools_nothing_is_taken_for_a_call() -> None:
    content = '{"name": "mine", "arguments": {}}'
    async with ScriptedEndpoint(says(content)) as server:
        last = await Asked(server).answer(Request(system="", messages=(UserMessage(content="q"),)))

    assert last.message.calls == ()
    assert last.message.content == content


async def test_real_calls_go_before_written_ones() -> None:
    done = await ask(calls(("mine", {"n": 1}), text='{"name": "mine", "arguments": {"n": 2}}'))

    assert [each.arguments for each in done.message.calls] == ['{"n": 1}']


async def test_nearly_right_arguments_of_a_real_call_are_mended_unless_cut_off() -> None:
    done = await ask(calls(("mine", "{'n': 1}")))
    cut = await ask(calls(("mine", '{"n": 6'), finish="length"))

    assert [each.arguments for each in done.message.calls] == ['{"n": 1}']
    assert [each.arguments for each in cut.message.calls] == ['{"n": 6']


# -- calls as JSON alone, for models that know no others

STONES = ToolSpec(
    name="mine",
    description="Mine blocks.",
    parameters={
        "type": "object",
        "properties": {
            "block_ids": {"type": "array", "items": {"type": "string"}, "description": "Which."},
            "count": {"type": "integer", "minimum": 1, "description": "How many.", "default": 1},
        },
        "required": ["block_ids"],
    },
)


async def test_in_json_mode_the_schema_lets_only_calls_and_words_through() -> None:
    request = Request(system="You are Numen.", messages=(UserMessage(content="q"),), tools=(STONES,))
    async with ScriptedEndpoint(says('{"say": "Hello."}')) as server:
        await Asked(server, tool_calls="json").answer(request)
        body = server.requests[0].body

    assert "tools" not in body
    assert "parallel_tool_calls" not in body
    assert body["response_format"]["type"] == "json_schema"
    call, words = body["response_format"]["json_schema"]["schema"]["anyOf"]
    assert call == {
        "type": "object",
        "properties": {
            "tool": {"const": "mine"},
            "arguments": {
                "type": "object",
                "properties": {
                    "block_ids": {"type": "array", "items": {"type": "string"}},
                    "count": {"type": "integer", "minimum": 1},
                },
                "required": ["block_ids"],
            },
        },
        "required": ["tool", "arguments"],
        "additionalProperties": False,
    }
    assert words["properties"] == {"say": {"type": "string"}}
    assert body["messages"][0]["content"].startswith("You are Numen.\n")
    assert "- mine: Mine blocks." in body["messages"][0]["content"]


@pytest.mark.parametrize(
    ("content", "words", "called"),
    [
        ('{"say": "Hello."}', "Hello.", []),
        ('{"say": "He said \\"hi\\"."}', 'He said "hi".', []),
        ('{"say": "cut in the mid', "cut in the mid", []),
        ('{"say": ""}', "", []),
        ("Plain words.", "Plain words.", []),
        ('<think>hm</think>{"say": "Yes."}', "Yes.", []),
        ('{"tool": "mine", "arguments": {"n": 1}}', "", [("mine", '{"n": 1}')]),
        ('{"say": "On it.", "tool": "mine", "arguments": {"n": 1}}', "", [("mine", '{"n": 1}')]),
    ],
)
async def test_in_json_mode_an_answer_is_words_or_a_call(
    content: str, words: str, called: list[tuple[str, str]]
) -> None:
    async with ScriptedEndpoint(says(*content)) as server:
        events = await Asked(server, tool_calls="json").events()
    last = events[-1]
    assert isinstance(last, Completed)

    assert last.message.content == words
    assert "".join(each.text for each in events if isinstance(each, TextDelta)) == words
    assert [(each.name, each.arguments) for each in last.message.calls] == called


async def test_in_json_mode_the_conversation_is_user_and_assistant_in_turns() -> None:
    from numen.llm import AssistantMessage, FunctionCall, ToolMessage

    request = Request(
        system="S",
        messages=(
            UserMessage(content="q"),
            AssistantMessage(
                calls=(
                    FunctionCall(id="a", name="mine", arguments='{"n": 1}'),
                    FunctionCall(id="b", name="craft", arguments="{oops"),
                )
            ),
            ToolMessage(call_id="a", name="mine", content="ok"),
            ToolMessage(call_id="b", name="craft", content="no"),
            UserMessage(content="and?"),
            AssistantMessage(content="<think>x</think>Done."),
        ),
        tools=(STONES,),
    )
    async with ScriptedEndpoint(says('{"say": ""}')) as server:
        await Asked(server, tool_calls="json").answer(request)

        assert server.requests[0].messages[1:] == [
            {"role": "user", "content": "q"},
            {
                "role": "assistant",
                "content": '{"tool": "mine", "arguments": {"n": 1}}\n{"tool": "craft", "arguments": {}}',
            },
            {
                "role": "user",
                "content": '<result tool="mine">ok</result>\n<result tool="craft">no</result>\nand?',
            },
            {"role": "assistant", "content": '{"say": "Done."}'},
        ]


@pytest.mark.parametrize(
    "refusal",
    [
        "registry.ollama.ai/library/gemma3:4b does not support tools",
        "tools param requires --jinja flag",
        '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
    ],
)
async def test_a_server_that_takes_no_tools_is_asked_in_json_mode_from_then_on(refusal: str) -> None:
    from numen.testing.endpoint import refuses

    call = '{"tool": "mine", "arguments": {"n": 1}}'
    async with ScriptedEndpoint(refuses(400, refusal), says(call), says(call)) as server:
        asked = Asked(server)
        for _ in range(2):
            events: list[Any] = [each async for each in asked.provider.stream(HELLO)]
            assert [each.name for each in events[-1].message.calls] == ["mine"]
        await asked.provider.aclose()
        server.assert_complete()
        assert ["tools" in each.body for each in server.requests] == [True, False, False]
