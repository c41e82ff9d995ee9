"""What a person may tell the engine rather than the model: a goal, and the length of the conversation.

Which line is such an order is told by `numen.commands.words`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

CommandName = Literal["goal", "compact", "clear"]


@dataclass(frozen=True, slots=True)
class Command:
    """An order and what follows it, trimmed."""

    name: CommandName
    text: str = ""
