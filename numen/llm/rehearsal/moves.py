"""What a rehearsal can do next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Call:
    """Call one tool."""

    tool: str
    args: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """Say something and end the turn. An aside does not end the job under way."""

    text: str
    language: str
    aside: bool = False


@dataclass(frozen=True, slots=True)
class Hush:
    """Say nothing: a job runs, or nothing is asked."""


Move = Call | Answer | Hush


class GiveUp(Exception):
    """The job cannot be done; `why` is for the owner."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why
