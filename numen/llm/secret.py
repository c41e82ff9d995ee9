"""Keys that cannot be printed by accident."""

from __future__ import annotations

from collections.abc import Iterable

MASK = "***"


class Secret:
    """A text that shows itself as `***` everywhere but in `reveal()`."""

    __slots__ = ("_text",)

    def __init__(self, text: str = "") -> None:
        self._text = text

    def reveal(self) -> str:
        return self._text

    def __bool__(self) -> bool:
        return bool(self._text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._text == self._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __repr__(self) -> str:
        return f"Secret({MASK!r})" if self._text else "Secret('')"

    def __str__(self) -> str:
        return MASK if self._text else ""

    def __reduce__(self) -> str:
        raise TypeError("a secret is not pickled")


def scrub(text: str, secrets: Iterable[str]) -> str:
    """`text` without any of `secrets`. Endpoints like to quote the key they refuse."""
    for secret in secrets:
        if len(secret) >= 6:
            text = text.replace(secret, MASK)
    return text
