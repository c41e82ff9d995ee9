"""What a server's command tree says about a command: which parts of it are messages to be signed.

The tree is the fields of `declare_commands`. A command is followed through it word by word, as the server's
own parser does, but without judging more than it must: where it is in doubt it finds nothing, since to sign
what the server does not take for a message would break the chain of all later signatures.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

ROOT, LITERAL, ARGUMENT = 0, 1, 2

#: A command of more steps than this is not followed.
MAX_STEPS: Final = 2000

_NUMBER: Final = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)")
_COORDINATE: Final = re.compile(r"[~^][-+]?(\d+\.?\d*|\.\d+)?|[-+]?(\d+\.?\d*|\.\d+)")
_WORD: Final = re.compile(r"[0-9A-Za-z_.+-]+")
_NAME: Final = re.compile(r"[0-9A-Za-z_-]{1,40}")
_SELECTOR: Final = re.compile(r"@[paresn](\[.*\])?", re.DOTALL)
_PAIRS: Final = {"[": "]", "{": "}"}

#: How many blank-separated parts of coordinates an argument has.
_COORDINATES: Final = {
    "minecraft:block_pos": 3,
    "minecraft:vec3": 3,
    "minecraft:column_pos": 2,
    "minecraft:vec2": 2,
    "minecraft:rotation": 2,
    "minecraft:angle": 1,
}


class SignedArgument(NamedTuple):
    """A part of a command that is a message: the argument's name, and its text."""

    name: str
    text: str


def signed_arguments(tree: Mapping[str, Any], command: str) -> list[SignedArgument]:
    """The messages in `command` (without its slash), in order. Empty where there are none, and for a command
    that the tree does not have."""
    try:
        return _Walk(tree["nodes"], tree["rootIndex"], command).signed()
    except (IndexError, KeyError, TypeError, RecursionError):
        return []  # a tree that points nowhere


class _Walk:
    """One command on its way through the tree."""

    def __init__(self, nodes: Sequence[Mapping[str, Any]], root: int, command: str) -> None:
        self._nodes = nodes
        self._root = root
        self._command = command
        self._steps = 0

    def signed(self) -> list[SignedArgument]:
        found = self._from(self._root, 0, True)
        return found or []

    def _from(self, at: int, start: int, collecting: bool) -> list[SignedArgument] | None:
        """The messages of the rest of the command below a node; None where no path fits it."""
        node = self._nodes[at]
        if node["flags"]["has_redirect_node"]:
            at = node["redirectNode"]
            # What follows a way back to the root (``execute … run``) is another command to the server.
            collecting = collecting and at != self._root
            node = self._nodes[at]
        children = [(child, self._nodes[child]) for child in node["children"]]
        # Literals go before arguments, as they do in the server's parser.
        children.sort(key=lambda child: child[1]["flags"]["command_node_type"] != LITERAL)
        for child, child_node in children:
            self._steps += 1
            if self._steps > MAX_STEPS:
                return None
            end = self._step(child_node, start)
            if end is None:
                continue
            found = self._after(child, child_node, end, collecting)
            if found is None:
                continue
            if collecting and _parser(child_node) == "minecraft:message":
                name = child_node["extraNodeData"]["name"]
                return [SignedArgument(name, self._command[start:end]), *found]
            return found
        return None

    def _after(
        self, child: int, node: Mapping[str, Any], end: int, collecting: bool
    ) -> list[SignedArgument] | None:
        if end == len(self._command):
            return [] if node["flags"]["has_command"] else None
        if self._command[end] != " ":
            return None
        return self._from(child, end + 1, collecting)

    def _step(self, node: Mapping[str, Any], start: int) -> int | None:
        """Where the node's part of the command ends; None where the command has something else."""
        kind = node["flags"]["command_node_type"]
        if kind == LITERAL:
            name = node["extraNodeData"]["name"]
            end = start + len(name)
            return end if self._command.startswith(name, start) and self._breaks_at(end) else None
        if kind != ARGUMENT or start >= len(self._command):
            return None
        parser = _parser(node)
        if parser in _COORDINATES:
            return self._coordinates(start, _COORDINATES[parser])
        return _STEPS.get(parser, _Walk._any_part)(self, start, node["extraNodeData"].get("properties"))

    def _breaks_at(self, end: int) -> bool:
        return end == len(self._command) or self._command[end] == " "

    def _match(self, pattern: re.Pattern[str], start: int) -> int | None:
        match = pattern.match(self._command, start)
        return match.end() if match and self._breaks_at(match.end()) else None

    def _coordinates(self, start: int, count: int) -> int | None:
        end: int | None = start
        for turn in range(count):
            assert end is not None
            end = self._match(_COORDINATE, end + (turn > 0))
            if end is None:
                return None
        return end

    def _rest(self, start: int, properties: Any) -> int | None:
        return len(self._command)

    def _number(self, start: int, properties: Any) -> int | None:
        return self._match(_NUMBER, start)

    def _bool(self, start: int, properties: Any) -> int | None:
        for word in ("true", "false"):
            if self._command.startswith(word, start) and self._breaks_at(start + len(word)):
                return start + len(word)
        return None

    def _string(self, start: int, properties: Any) -> int | None:
        if properties == "GREEDY_PHRASE":
            return len(self._command)
        if properties == "QUOTABLE_PHRASE" and self._command[start] in "\"'":
            return self._any_part(start, properties)
        return self._match(_WORD, start)

    def _players(self, start: int, properties: Any) -> int | None:
        end = self._any_part(start, properties)
        if end is None:
            return None
        part = self._command[start:end]
        pattern = _SELECTOR if part.startswith("@") else _NAME
        return end if pattern.fullmatch(part) else None

    def _any_part(self, start: int, properties: Any = None) -> int | None:
        """Up to the next blank that is in no quotes and no brackets; None where those do not close."""
        text, at, open_brackets = self._command, start, ""
        while at < len(text):
            char = text[at]
            if char in "\"'":
                at = self._end_of_quote(at)
                if at < 0:
                    return None
                continue
            if char in _PAIRS:
                open_brackets += _PAIRS[char]
            elif open_brackets and char == open_brackets[-1]:
                open_brackets = open_brackets[:-1]
            elif char == " " and not open_brackets:
                break
            at += 1
        return at if at > start and not open_brackets else None

    def _end_of_quote(self, start: int) -> int:
        at = start + 1
        while at < len(self._command):
            if self._command[at] == "\\":
                at += 1
            elif self._command[at] == self._command[start]:
                return at + 1
            at += 1
        return -1


def _parser(node: Mapping[str, Any]) -> str:
    data = node.get("extraNodeData")
    return str(data.get("parser", "")) if isinstance(data, Mapping) else ""


_STEPS: Final[Mapping[str, Callable[[_Walk, int, Any], int | None]]] = {
    "minecraft:message": _Walk._rest,
    "brigadier:string": _Walk._string,
    "brigadier:bool": _Walk._bool,
    **dict.fromkeys(
        ("brigadier:integer", "brigadier:long", "brigadier:float", "brigadier:double"), _Walk._number
    ),
    **dict.fromkeys(("minecraft:entity", "minecraft:game_profile"), _Walk._players),
}
