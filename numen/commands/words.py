"""Reading commands: which line is one, which command it means, and what follows it.

The game sends a line that begins with `/` to the server, so there `!` does as well, and in a whisper the bare
word `mclawd`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

NAMES: Final[Mapping[str, str]] = {
    **{
        name: name
        for name in (
            *(
                "prompt",
                "config",
                "sessions",
                "new",
                "assets",
                "history",
                "stop",
                "retry",
                "persona",
                "choose",
            ),
            *("assistivetouch", "more", "help", "goal", "compact", "clear"),
        )
    },
    "session": "sessions",
    "asset": "assets",
    "soul": "persona",
    "提问": "prompt",
    "配置": "config",
    "设置": "config",
    "会话": "sessions",
    "新会话": "new",
    "资产": "assets",
    "历史": "history",
    "停止": "stop",
    "重试": "retry",
    "人格": "persona",
    "灵魂": "persona",
    "选择": "choose",
    "更多": "more",
    "帮助": "help",
    "目标": "goal",
    "压缩": "compact",
    "清空": "clear",
}
"""Every word for a command."""

_ROOT: Final = re.compile(r"[/!！]?(?:mclawd|mineclawd)(?:\s+(?P<rest>.*))?", re.DOTALL | re.IGNORECASE)
_MARKED: Final = re.compile(r"[/!！](?P<word>\w+)(?:\s+(?P<rest>.*))?", re.DOTALL)
_CHOOSE: Final = re.compile(r"(?:choose|选择)(?:\s+(?P<rest>.*))?", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Order:
    """A command, and what follows it, trimmed."""

    name: str
    text: str = ""


def read(line: str) -> Order | None:
    """The command in `line`; None when it is something to say to the companion.

    What follows `mclawd` and is no command is a request. A word with `/` or `!` that is no command is
    nothing of ours.
    """
    line = line.strip()
    root = _ROOT.fullmatch(line)
    if root is not None:
        return _under_root((root["rest"] or "").strip())
    match = _MARKED.fullmatch(line)
    if match is not None:
        name = NAMES.get(match["word"].casefold())
        return Order(name, (match["rest"] or "").strip()) if name else None
    match = _CHOOSE.fullmatch(line)
    return Order("choose", (match["rest"] or "").strip()) if match is not None else None


def _under_root(text: str) -> Order:
    if not text:
        return Order("help")
    word, _, rest = text.partition(" ")
    name = NAMES.get(word.casefold())
    return Order("prompt", text) if name is None else Order(name, rest.strip())


def addressed(line: str, companion: str) -> str | None:
    """What `line` says to the companion of that name, by `@Name …` or `Name, …`; None when it names none.

    Another name after the `@` is somebody else's business: that gives "".
    """
    match = re.match(r"@(\w{1,16})[\s,:，：]*", line)
    if match is not None:
        return line[match.end() :].strip() if match[1].casefold() == companion.casefold() else ""
    match = re.match(rf"{re.escape(companion)}\s*[,:，：]\s*", line, re.IGNORECASE)
    return line[match.end() :].strip() if match is not None else None
