"""The tools a companion can use, in the order they were added."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Iterator
from typing import Any, Final, Protocol, TypeGuard, cast, runtime_checkable

from numen.tool.contract import NAME, NumenTool

_PARTS: Final = ("name", "description", "parameter_schema", "invoke")


class DuplicateTool(ValueError):
    """Another tool already has this name; the old one stays."""

    def __init__(self, name: str) -> None:
        super().__init__(f"a tool named {name!r} is already registered; choose another name")
        self.name = name


class UnknownTool(LookupError):
    """No tool has this name. `nearest` is the closest one, or None."""

    def __init__(self, name: str, nearest: str | None, known: tuple[str, ...]) -> None:
        hint = f"; did you mean {nearest}?" if nearest else ""
        super().__init__(f"there is no tool named {name!r}{hint} Tools: {', '.join(known) or 'none'}")
        self.name = name
        self.nearest = nearest


@runtime_checkable
class Adaptable(Protocol):
    """Something that can be made a tool of the engine."""

    def as_numen_tool(self) -> NumenTool: ...


class ToolRegistry:
    """Insertion-ordered tools. The order is part of the prompt, so it must not change between requests."""

    def __init__(self) -> None:
        self._tools: dict[str, NumenTool] = {}
        self._folded: dict[str, str] = {}
        self._foreign: set[str] = set()

    def register(self, tool: NumenTool | Adaptable, *, sound: bool = False, foreign: bool = False) -> None:
        """Add `tool` at the end; a Tool of the openJiuwen layer is adapted first. A schema that is known to
        be `sound` is not looked at, and so made no earlier than it is needed. A `foreign` tool is not of
        this house: what it returns counts as other people's words unless it says otherwise.

        The same declaration twice is accepted. Raises DuplicateTool, and leaves everything as it was, when
        another tool has the name; ValueError when the name or the schema is not one an endpoint would take.
        """
        if not _is_tool(tool):
            tool = cast("Adaptable", tool).as_numen_tool()
        name = tool.name
        if not NAME.fullmatch(name):
            raise ValueError(
                f"{name!r} is no tool name: letters, digits, _ and -, at most 64, a letter first"
            )
        if not sound and tool.parameter_schema.get("type") != "object":
            raise ValueError(f"the parameter schema of {name} must be of type object")
        old = self._tools.get(name)
        if old is not None:
            if old is tool or _same_declaration(old, tool):
                return
            raise DuplicateTool(name)
        self._tools[name] = tool
        self._folded.setdefault(fold(name), name)
        if foreign:
            self._foreign.add(name)

    def remove(self, name: str) -> bool:
        """Take a tool out again; True when there was one."""
        if self._tools.pop(name, None) is None:
            return False
        self._foreign.discard(name)
        self._folded = {}
        for each in self._tools:
            self._folded.setdefault(fold(each), each)
        return True

    def resolve(self, name: str) -> NumenTool:
        """The tool of that name: exactly, else ignoring case and `-`/`_`. Raises UnknownTool."""
        tool = self._tools.get(name)
        if tool is not None:
            return tool
        folded = self._folded.get(fold(name))
        if folded is not None:
            return self._tools[folded]
        near = difflib.get_close_matches(fold(name), self._folded, n=1, cutoff=0.6)
        raise UnknownTool(name, self._folded[near[0]] if near else None, tuple(self._tools))

    def untrusted(self, tool: NumenTool) -> bool:
        """Whether results of `tool` carry words of people whom nobody here has chosen."""
        declared = getattr(tool, "untrusted", None)
        return bool(declared) if declared is not None else tool.name in self._foreign

    def all(self) -> list[NumenTool]:
        """A copy, in order of registration."""
        return list(self._tools.values())

    def __iter__(self) -> Iterator[NumenTool]:
        return iter(self.all())

    def __len__(self) -> int:
        return len(self._tools)

    def __contains__(self, name: object) -> bool:
        return name in self._tools


def fold(name: str) -> str:
    """A name without the differences that models invent: case, surrounding blanks, `-` for `_`."""
    return name.strip().casefold().replace("-", "_")


def _is_tool(value: Any) -> TypeGuard[NumenTool]:
    """Whether it has all that a tool has. Unlike isinstance before Python 3.12, this computes no property."""
    return all(inspect.getattr_static(value, name, None) is not None for name in _PARTS)


def _same_declaration(one: NumenTool, other: NumenTool) -> bool:
    if type(one).__eq__ is not object.__eq__:
        return one == other  # it knows itself what makes it the same
    return (
        type(one) is type(other)
        and one.description == other.description
        and one.parameter_schema == other.parameter_schema
        and getattr(one, "function", None) is getattr(other, "function", None)
    )
