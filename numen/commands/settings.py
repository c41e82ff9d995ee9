"""`config`: the settings under MineClawd's names, shown as numen.yaml has them, and those that can be changed
while a companion runs.

A secret is never shown, only that there is one and its last signs; none is ever taken from a chat or written
into one.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from pydantic import SecretStr

from numen.config import CompanionConfig, Config, ConfigError, secret_of

if TYPE_CHECKING:
    from numen.agent import Mind

ALIASES: Final[Mapping[str, str]] = {
    "openai-endpoint": "endpoint",
    "openai-api-key": "api-key",
    "key": "api-key",
    "tavily-key": "tavily-api-key",
    "search-api-key": "tavily-api-key",
    "web-search-api-key": "tavily-api-key",
    "openai-model": "model",
    "openai-summarize-model": "summarize-model",
    "dynamic-registry": "dynamic-registry-mode",
    "dynamic-runtime-registry": "dynamic-registry-mode",
    "dynamic-content-mode": "dynamic-registry-mode",
    "broadcast": "broadcast-requests-to",
    "request-broadcast": "broadcast-requests-to",
    "broadcast-requests": "broadcast-requests-to",
}
#: MineClawd's key → where numen.yaml has it.
KEYS: Final[Mapping[str, str]] = {
    "provider": "llm.provider",
    "endpoint": "llm.base_url",
    "api-key": "llm.api_key",
    "model": "llm.model",
    "summarize-model": "llm.summarize_model",
    "vertex-endpoint": "llm.base_url",
    "vertex-api-key": "llm.api_key",
    "vertex-model": "llm.model",
    "vertex-summarize-model": "llm.summarize_model",
    "tavily-api-key": "web.tavily_key",
    "debug-mode": "",
    "limit-tool-calls": "limits.rounds",
    "tool-call-limit": "limits.rounds",
    "system-prompt": "companions.persona",
    "dynamic-registry-mode": "placeholders.mode",
    "broadcast-requests-to": "",
}
SECRETS: Final = frozenset({"api-key", "vertex-api-key", "tavily-api-key"})
DEFAULT_LIMIT: Final = 16
MOST_ROUNDS: Final = 20
PROVIDERS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("openai", "open-ai"), "openai"),
    **dict.fromkeys(("vertex-ai", "vertexai", "vertex", "google-vertex-ai"), "vertex"),
}
BOOLEANS: Final[Mapping[str, bool]] = {
    **dict.fromkeys(("true", "1", "yes", "on", "开", "是"), True),
    **dict.fromkeys(("false", "0", "no", "off", "关", "否"), False),
}
MODES: Final[Mapping[str, str]] = {
    "auto": "AUTO",
    **dict.fromkeys(("enabled", "enable", "on", "true"), "ENABLED"),
    **dict.fromkeys(("disabled", "disable", "off", "false"), "DISABLED"),
}


class BadValue(ValueError):
    """A value that a setting can't have; the message says what it can."""


def key_of(word: str) -> str | None:
    """The key that `word` means, with dashes or underscores; None when there is none."""
    word = word.strip().casefold().replace("_", "-")
    word = ALIASES.get(word, word)
    return word if word in KEYS else None


def masked(secret: str) -> str:
    """What may be shown of a secret."""
    if not secret:
        return "<empty>"
    return "******" if len(secret) <= 6 else f"****{secret[-4:]}"


@dataclass(frozen=True, slots=True)
class Settings:
    """The configuration of one companion, and what of it can be changed while it runs."""

    config: Config
    companion: CompanionConfig

    def shown(self, key: str, mind: Mind) -> str:
        """The value of `key` for people; a secret is masked."""
        value = self._value(key, mind)
        if isinstance(value, SecretStr):
            return masked(value.get_secret_value().strip())
        if key in SECRETS:
            return self._masked_file(key) if value is None else masked(str(value))
        if isinstance(value, bool):
            return "true" if value else "false"
        return "<empty>" if value in (None, "") else " ".join(str(value).split())[:200]

    def _masked_file(self, key: str) -> str:
        """A secret that lies in a file of its own."""
        llm, web = self.config.llm_of(self.companion), self.config.web
        try:
            held = secret_of(web.tavily_key, web.tavily_key_file) if key == "tavily-api-key" else llm.key()
        except ConfigError:
            return "<unreadable>"  # where the file lies is told by `numen doctor`, not in a chat
        return masked(str(self._of_provider(key, held) or ""))

    def place(self, key: str) -> str:
        """Where numen.yaml has it; "" where it has it nowhere."""
        return KEYS[key]

    def set(self, key: str, text: str, mind: Mind) -> None:
        """Change `key` for as long as this process runs.

        Raises BadValue, and KeyError for one that only numen.yaml can change.
        """
        change = _CHANGES[key]
        change(text.strip().strip("\"'"), mind)

    @property
    def settable(self) -> tuple[str, ...]:
        return tuple(_CHANGES)

    def _value(self, key: str, mind: Mind) -> Any:
        match key:
            case "debug-mode":
                return logging.getLogger("numen").isEnabledFor(logging.DEBUG)
            case "limit-tool-calls":
                return mind.limits.rounds_per_turn is not None
            case "tool-call-limit":
                return mind.limits.rounds_per_turn or DEFAULT_LIMIT
            case "system-prompt":
                return self.companion.persona
            case "model" | "vertex-model":
                return self._of_provider(key, mind.provider.label)
        value: Any = self.config
        for part in KEYS[key].split("."):
            value = self.config.llm_of(self.companion) if part == "llm" else getattr(value, part, None)
        return self._of_provider(key, value)

    def _of_provider(self, key: str, value: Any) -> Any:
        """A key of the other provider than the one in use has no value here."""
        uses_vertex = self.config.llm_of(self.companion).provider in ("vertex", "gemini")
        others = key.startswith("vertex-") != uses_vertex
        return None if others and KEYS[key].startswith("llm.") and key != "provider" else value


def _number(text: str, mind: Mind) -> None:
    if not text.isdecimal() or not 1 <= int(text) <= MOST_ROUNDS:
        raise BadValue(f"1..{MOST_ROUNDS}")
    mind.limits = replace(mind.limits, rounds_per_turn=int(text))


def _limit(text: str, mind: Mind) -> None:
    rounds = (mind.limits.rounds_per_turn or DEFAULT_LIMIT) if _boolean(text) else None
    mind.limits = replace(mind.limits, rounds_per_turn=rounds)


def _debug(text: str, mind: Mind) -> None:
    logging.getLogger("numen").setLevel(logging.DEBUG if _boolean(text) else logging.NOTSET)


def _boolean(text: str) -> bool:
    value = BOOLEANS.get(text.casefold())
    if value is None:
        raise BadValue("on, off")
    return value


_CHANGES: Final[Mapping[str, Callable[[str, Mind], None]]] = {
    "limit-tool-calls": _limit,
    "tool-call-limit": _number,
    "debug-mode": _debug,
}
