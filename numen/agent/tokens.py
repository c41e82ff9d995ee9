"""How much of a model's window a conversation fills: guessed from the text, put right by what the endpoint
counted."""

from __future__ import annotations

import re
from collections.abc import Sequence

from numen.llm import AssistantMessage, Message, ToolSpec, Usage

WIDE = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")
"""Signs of Chinese, Japanese and Korean: about a token each. Of others it takes about four."""

PER_MESSAGE = 8
LEAST, MOST = 0.4, 3.0
"""How far a count may be from the guess and still be believed."""


def tokens_of(text: str) -> int:
    """About how many tokens `text` is."""
    wide = 0 if text.isascii() else len(WIDE.findall(text))
    return wide + (len(text) - wide + 3) // 4


def message_tokens(message: Message) -> int:
    """About how many tokens `message` is, thoughts that go back on the wire included."""
    total = tokens_of(message.content) + PER_MESSAGE
    if isinstance(message, AssistantMessage):
        total += sum(tokens_of(call.arguments) + tokens_of(call.name) + PER_MESSAGE for call in message.calls)
        total += sum(tokens_of(str(value)) for value in message.extra.values())
    return total


def tool_tokens(tools: Sequence[ToolSpec]) -> int:
    """About how many tokens the declarations of `tools` are."""
    return sum(tokens_of(f"{each.name}{each.description}{each.parameters}") + PER_MESSAGE for each in tools)


class Meter:
    """Puts guesses right by a factor that the endpoint's own counts give."""

    def __init__(self) -> None:
        self._factor = 1.0

    def learn(self, guessed: int, usage: Usage | None) -> None:
        """The endpoint counted a request guessed at `guessed`. One that counts nothing is no help."""
        if usage is not None and usage.prompt_tokens > 0 and guessed > 0:
            factor = usage.prompt_tokens / guessed
            if LEAST <= factor <= MOST:
                self._factor = factor

    def size(self, guessed: int) -> int:
        """Tokens that a request guessed at `guessed` has, by what is known."""
        return round(guessed * self._factor)
