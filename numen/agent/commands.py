"""What an owner may write to the engine rather than to the model: `/goal …`, `/compact`, `/clear`.

In the game's own chat a line with `/` goes to the server, so `!` does as well.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

CommandName = Literal["goal", "compact", "clear"]

WORDS: dict[str, CommandName] = {
    "goal": "goal",
    "目标": "goal",
    "compact": "compact",
    "压缩": "compact",
    "clear": "clear",
    "清空": "clear",
}
LINE = re.compile(r"[/!！](?P<word>\w+)\s*(?P<rest>.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Command:
    """A command and what follows it, trimmed."""

    name: CommandName
    text: str


def read_command(line: str) -> Command | None:
    """The command in `line`; None when it is something to say to the companion."""
    match = LINE.fullmatch(line.strip())
    name = WORDS.get(match["word"].casefold()) if match else None
    return Command(name, match["rest"].strip()) if match and name else None
