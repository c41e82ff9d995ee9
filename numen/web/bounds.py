"""What goes wrong on the way to the web, and how much of what comes back is shown."""

from __future__ import annotations

from typing import Final

OUTPUT_LIMIT: Final = 14_000


class FetchError(Exception):
    """Nothing usable came back. The message says why, for the model."""

    def __init__(self, message: str, *, status: int | None = None, excerpt: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.excerpt = excerpt


def capped(text: str, limit: int = OUTPUT_LIMIT) -> str:
    """`text` within `limit` characters, the note of what is missing included."""
    note = "\n[cut here]"
    return text if len(text) <= limit else text[: limit - len(note)] + note
