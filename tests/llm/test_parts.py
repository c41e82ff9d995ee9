"""Presets, thinking levels, thoughts, records, waiting times."""

from __future__ import annotations

from typing import Any

import pytest

from numen.llm import (
    AssistantMessage,
    Endpoint,
    FunctionCall,
    Message,
    Request,
    ToolMessage,
    ToolSpec,
    UserMessage,
    from_record,
    spoken,
    to_record,
)
from numen.llm.errors import BadKey, RateLimited, ServerTrouble
from numen.llm.presets import PRESETS, preset_of, provider_names, thinking_fields
from numen.llm.retry import RetryPolicy
from numen.llm.sse import EventReader
from numen.llm.wire import request_body, wire_message


def test_every_preset_is_found_by_its_id_and_aliases_in_any_case() -> None:
    for preset in PRESETS:
        for name in (preset.id, *preset.aliases):
            assert preset_of(name.upper()) is preset
    assert preset_of("whoever").id == "custom"


def test_the_known_endpoints_are_all_there() -> None:
    assert provider_names() == (
        "openai", "deepseek", "moonshot", "zhipu", "dashscope", "volcengine", "minimax", "siliconflow",
        "openrouter", "gemini", "vertex", "grok", "ollama", "lmstudio", "vllm", "llama.cpp", "custom",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("provider", "level", "fields"),
    [
        ("openai", "low", {"reasoning_effort": "low"}),
        ("openrouter", "high", {"reasoning": {"effort": "high"}}),
        ("openrouter", "off", {"reasoning": {"enabled": False}}),
        ("glm", "medium", {"thinking": {"type": "enabled"}}),
        ("kimi", "off", {"thinking": {"type": "disabled"}}),
        ("qwen", "off", {"enable_thinking": False}),
        ("vllm", "low", {"chat_template_kwargs": {"enable_thinking": True}}),
        ("minimax", "high", {}),
        ("openai", "auto", {}),
    ],
)
def test_a_thinking_level_is_written_in_the_dialect_of_the_endpoint(
    provider: str, level: Any, fields: dict[str, Any]
) -> None:
    assert thinking_fields(preset_of(provider).profile.thinking, level) == fields


STANDARD = {"model", "stream", "messages", "tools"}


@pytest.mark.parametrize(
    ("provider", "own"),
    [
        ("openai", {"stream_options", "parallel_tool_calls", "max_completion_tokens", "reasoning_effort"}),
        ("deepseek", {"stream_options", "parallel_tool_calls", "max_tokens", "thinking"}),
        ("kimi", {"stream_options", "parallel_tool_calls", "max_tokens", "thinking"}),
        ("glm", {"stream_options", "parallel_tool_calls", "max_tokens", "thinking"}),
        ("qwen", {"stream_options", "parallel_tool_calls", "max_tokens", "enable_thinking"}),
        ("doubao", {"stream_options", "parallel_tool_calls", "max_tokens", "thinking"}),
        ("minimax", {"stream_options", "parallel_tool_calls", "max_tokens"}),
        ("siliconflow", {"stream_options", "parallel_tool_calls", "max_tokens", "enable_thinking"}),
        ("openrouter", {"stream_options", "parallel_tool_calls", "max_tokens", "reasoning"}),
        ("gemini", {"stream_options", "max_tokens", "reasoning_effort"}),
        ("grok", {"stream_options", "parallel_tool_calls", "max_tokens", "reasoning_effort"}),
        ("ollama", {"stream_options", "parallel_tool_calls", "max_tokens", "reasoning_effort"}),
        ("lmstudio", {"stream_options", "parallel_tool_calls", "max_tokens"}),
        ("vllm", {"stream_options", "parallel_tool_calls", "max_tokens", "chat_template_kwargs"}),
        ("llama.cpp", {"stream_options", "parallel_tool_calls", "max_tokens", "chat_template_kwargs"}),
    ],
)
def test_each_endpoint_gets_the_fields_of_its_own_dialect(provider: str, own: set[str]) -> None:
    tool = ToolSpec(name="mine", description="Mine.", parameters={"type": "object", "properties": {}})
    request = Request(system="S", messages=(UserMessage(content="q"),), tools=(tool,))
    endpoint = Endpoint(provider=provider, model="m", max_tokens=9, thinking="high")

    assert set(request_body(request, endpoint)) - STANDARD == own


def test_kimi_wants_reasoning_on_every_call_even_where_none_was_sent() -> None:
    call = AssistantMessage(calls=(FunctionCall(id="a", name="mine", arguments="{}"),), origin="openai")
    kimi, openai = (preset_of(each).profile for each in ("kimi", "openai"))

    assert wire_message(call, "moonshot", kimi)["reasoning_content"] == ""
    assert "reasoning_content" not in wire_message(call, "moonshot", openai)


@pytest.mark.parametrize(
    ("model", "tokens"),
    [
        ("deepseek-chat", 128_000),
        ("deepseek-v4-pro", 1_000_000),
        ("moonshotai/Kimi-K2.6", 256_000),
        ("my-own-model", None),
    ],
)
def test_what_a_model_can_read_is_known_by_its_name(model: str, tokens: int | None) -> None:
    assert Endpoint(provider="openrouter", model=model).context_tokens == tokens
    assert Endpoint(provider="openrouter", model=model, context=5_000).context_tokens == 5_000


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("hello", "hello"),
        ("<think>a</think>hello", "hello"),
        ("<think>a", ""),
        ("a</think>hello", "hello"),
        ("<THINK>a<think>b</think>c</think> hello <thinking>d</thinking>!", "hello !"),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
    ],
)
def test_thoughts_are_taken_out_open_or_closed(content: str, words: str) -> None:
    assert spoken(content) == words


@pytest.mark.parametrize(
    "message",
    [
        UserMessage(content="hi"),
        ToolMessage(call_id="a", name="mine", content="{}"),
        AssistantMessage(content="x"),
        AssistantMessage(
            calls=(FunctionCall(id="a", name="mine", arguments="{", extra={"s": 1}),),
            extra={"reasoning_content": "r"},
            origin="deepseek",
        ),
    ],
)
def test_a_message_survives_its_record(message: Message) -> None:
    assert from_record(to_record(message)) == message


@pytest.mark.parametrize(
    "record", [{}, {"role": "user"}, {"role": "odd", "content": "x"}, {"role": "user", "content": 3}]
)
def test_a_record_of_no_known_message_is_none(record: dict[str, Any]) -> None:
    assert from_record(record) is None


def test_waits_double_up_to_eight_seconds_less_jitter_and_the_endpoint_goes_first() -> None:
    policy = RetryPolicy(9, jitter=lambda: 1.0)
    trouble = ServerTrouble("e")

    assert [policy.delay_s(trouble, n) for n in range(6)] == [0.375, 0.75, 1.5, 3.0, 6.0, 6.0]
    assert policy.delay_s(RateLimited("e", retry_after_s=30.0), 0) == 30.0
    assert policy.delay_s(RateLimited("e", retry_after_s=61.0), 0) is None
    assert policy.delay_s(BadKey("e"), 0) is None
    assert policy.delay_s(trouble, 9) is None


def test_events_come_out_the_same_wherever_the_bytes_are_cut() -> None:
    raw = "\ufeffdata: a\r\ndata: b\r\n\r\n: note\n\ndata:字\n\ndata: last".encode()
    expected = ["a\nb", "字", "last"]

    for cut in range(len(raw) + 1):
        reader = EventReader()
        assert reader.feed(raw[:cut]) + reader.feed(raw[cut:]) + reader.finish() == expected
