"""Known endpoints, as data: where they are, what they are also called, and in what they differ.

A difference is a flag of the `Profile`; nothing elsewhere asks for a vendor by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Literal

ThinkingDialect = Literal["none", "effort", "nested", "type", "enable", "template"]
ThinkingLevel = Literal["auto", "off", "low", "medium", "high"]
CallStyle = Literal["native", "json"]
"""How tools are called: by the means of the wire format, or as one JSON object for each answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """In what an endpoint differs from the plain OpenAI wire format."""

    parallel_flag: bool = True
    """Takes `parallel_tool_calls`."""
    usage_option: bool = True
    """Takes `stream_options: {include_usage}`."""
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    thinking: ThinkingDialect = "none"
    """How a thinking level is written."""
    reasoning_filler: bool = False
    """Wants `reasoning_content` on every assistant message with tool calls, even when it sent none."""
    keeps: frozenset[str] | None = None
    """Fields of its own that go back to it; None for all."""
    needs_key: bool = True
    tool_calls: CallStyle = "native"
    protocol: Literal["openai", "google"] = "openai"
    """Whose wire format it speaks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    id: str
    base_url: str
    aliases: tuple[str, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    profile: Profile = Profile()
    default_model: str = ""
    """Used when no model is named: a small one of theirs, or whatever a local server has loaded."""


LOCAL = Profile(needs_key=False)

PRESETS: tuple[Preset, ...] = (
    Preset(
        id="openai",
        base_url="https://api.openai.com/v1",
        profile=Profile(max_tokens_field="max_completion_tokens", thinking="effort"),
        default_model="gpt-5.4-mini",
    ),
    Preset(
        id="deepseek",
        base_url="https://api.deepseek.com/beta",
        profile=Profile(thinking="type"),
        default_model="deepseek-chat",
    ),
    Preset(
        id="moonshot",
        base_url="https://api.moonshot.ai/v1",
        aliases=("kimi",),
        profile=Profile(thinking="type", reasoning_filler=True),
    ),
    Preset(
        id="zhipu",
        base_url="https://open.bigmodel.cn/api/paas/v4",
        aliases=("glm", "bigmodel"),
        profile=Profile(thinking="type"),
    ),
    Preset(
        id="dashscope",
        base_url="https://dashscope.aliyuncs.com/compatible-mode/v1",
        aliases=("qwen", "tongyi", "aliyun"),
        profile=Profile(thinking="enable"),
    ),
    Preset(
        id="volcengine",
        base_url="https://ark.cn-beijing.volces.com/api/v3",
        aliases=("doubao", "ark"),
        profile=Profile(thinking="type"),
    ),
    Preset(id="minimax", base_url="https://api.minimax.io/v1"),
    Preset(
        id="siliconflow",
        base_url="https://api.siliconflow.cn/v1",
        aliases=("silicon",),
        profile=Profile(thinking="enable"),
    ),
    Preset(
        id="openrouter",
        base_url="https://openrouter.ai/api/v1",
        headers={"X-Title": "Numen"},
        profile=Profile(thinking="nested"),
    ),
    Preset(
        id="gemini",
        base_url="https://generativelanguage.googleapis.com/v1beta/openai",
        aliases=("google",),
        profile=Profile(parallel_flag=False, thinking="effort"),
    ),
    Preset(
        id="vertex",
        base_url="https://aiplatform.googleapis.com/v1/publishers/google",
        aliases=("vertex-ai", "google-vertex", "gemini-native"),
        profile=Profile(protocol="google"),
        default_model="gemini-2.5-flash",
    ),
    Preset(
        id="grok",
        base_url="https://api.x.ai/v1",
        aliases=("xai",),
        profile=Profile(thinking="effort"),
    ),
    Preset(
        id="ollama",
        base_url="http://localhost:11434/v1",
        profile=Profile(needs_key=False, thinking="effort"),
    ),
    Preset(
        id="lmstudio",
        base_url="http://localhost:1234/v1",
        aliases=("lm-studio",),
        profile=LOCAL,
        default_model="default",
    ),
    Preset(
        id="vllm",
        base_url="http://localhost:8000/v1",
        profile=Profile(needs_key=False, thinking="template"),
    ),
    Preset(
        id="llama.cpp",
        base_url="http://localhost:8080/v1",
        aliases=("llamacpp", "llama-cpp", "llama"),
        profile=Profile(needs_key=False, thinking="template"),
        default_model="default",
    ),
    Preset(id="custom", base_url="", aliases=("openai-compatible", "openai_compatible"), profile=LOCAL),
)

CONTEXTS: Mapping[str, int] = {
    "deepseek-v4": 1_000_000,
    "deepseek": 128_000,
    "kimi-k2": 256_000,
    "glm-5": 1_000_000,
    "glm-4": 128_000,
    "gpt-5": 272_000,
    "gpt-4.1": 1_000_000,
    "gpt-4o": 128_000,
    "qwen3.6-plus": 1_000_000,
    "qwen-plus": 128_000,
    "minimax-m3": 1_000_000,
    "gemini": 1_000_000,
    "grok-4": 256_000,
}
"""Tokens that models read, by the beginning of their names; the longest beginning counts."""

_BY_NAME = {name: preset for preset in PRESETS for name in (preset.id, *preset.aliases)}


def preset_of(name: str) -> Preset:
    """The preset of that id or alias, in any case.

    An unknown name is a custom endpoint in the OpenAI format.
    """
    return _BY_NAME.get(name.strip().lower(), _BY_NAME["custom"])


def nearest_provider(name: str) -> str:
    """The id or alias that an unknown name was probably meant to be, "" when it is known or like none."""
    name = name.strip().lower()
    close = () if name in _BY_NAME else get_close_matches(name, _BY_NAME, 1, 0.75)
    return close[0] if close else ""


def known_context(model: str) -> int | None:
    """Tokens that a model of that name reads; None when it is not known."""
    name = model.rsplit("/", 1)[-1].lower()
    fitting = [known for known in CONTEXTS if name.startswith(known)]
    return CONTEXTS[max(fitting, key=len)] if fitting else None


def provider_names() -> tuple[str, ...]:
    """Every preset id, in order."""
    return tuple(preset.id for preset in PRESETS)


def thinking_fields(dialect: ThinkingDialect, level: ThinkingLevel) -> dict[str, Any]:
    """The request fields that ask for that level. None for `auto`: the endpoint keeps its own default."""
    if level == "auto":
        return {}
    on = level != "off"
    effort = level if on else "none"
    match dialect:
        case "none":
            return {}
        case "effort":
            return {"reasoning_effort": effort}
        case "nested":
            return {"reasoning": {"effort": effort} if on else {"enabled": False}}
        case "type":
            return {"thinking": {"type": "enabled" if on else "disabled"}}
        case "enable":
            return {"enable_thinking": on}
        case "template":
            return {"chat_template_kwargs": {"enable_thinking": on}}
