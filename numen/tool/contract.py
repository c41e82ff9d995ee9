"""The contract between the engine and a tool: four members on one side, one call object on the other.

This room knows no Minecraft. What a tool needs of the game reaches it through `ToolContext.services`.
"""

from __future__ import annotations

import json
import logging
import re
import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar, cast, runtime_checkable

from numen.tool.result import ToolFailure

log = logging.getLogger(__name__)

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
"""snake_case or kebab-case, at most 64 signs: what every endpoint accepts as a function name."""

S = TypeVar("S")


class BadArguments(ValueError):
    """The arguments of a call cannot be used. The message names the argument and what was expected."""


@runtime_checkable
class NumenTool(Protocol):
    """Something a model can call.

    `parameter_schema` is a JSON schema of type object, in the dialect of OpenAI function calling. `invoke`
    ends in `call.complete(text)`: a coroutine is awaited, and what it returns counts as the completion unless
    it completed the call itself; a plain function may complete later and from any thread.
    """

    @property
    def name(self) -> str: ...

    @property
    def description(self) -> str: ...

    @property
    def parameter_schema(self) -> Mapping[str, Any]: ...

    def invoke(self, call: ToolCall) -> Awaitable[Any] | None: ...


@dataclass(frozen=True, slots=True)
class ToolContext:
    """Who is calling, and what the body lends to tools.

    `services` maps a class to the object that stands for it (the body, the world, the skills shelf …), so
    that a tool asks by type and this room needs to know none of them.
    """

    companion: str
    owner: str | None = None
    services: Mapping[type[Any], Any] = field(default_factory=dict)
    find_anchor: Callable[[], Any] = field(default=lambda: None, repr=False)

    def anchor(self) -> Any:
        """The body that scans start from, or None while it is not in the world."""
        return self.find_anchor()

    def service(self, kind: type[S]) -> S:
        """The service of that type. Raises ToolFailure when this companion has none."""
        try:
            return cast(S, self.services[kind])
        except KeyError:
            raise ToolFailure(
                f"{self.companion} has no {kind.__name__} here, so this tool cannot work"
            ) from None


class ToolCall:
    """One call of one tool. `complete` counts once; whatever comes later is ignored and logged."""

    __slots__ = ("_deliver", "_lock", "_open", "ctx", "id", "raw_args", "tool_name")

    def __init__(
        self,
        id: str,  # noqa: A002 - the word of the wire
        tool_name: str,
        raw_args: str,
        ctx: ToolContext,
        deliver: Callable[[str], None],
    ) -> None:
        """`deliver` takes the completion. It may be called from any thread, once."""
        self.id = id
        self.tool_name = tool_name
        self.raw_args = raw_args
        self.ctx = ctx
        self._deliver = deliver
        self._lock = threading.Lock()
        self._open = True

    def args(self) -> dict[str, Any]:
        """The arguments as a map; blank text is an empty one.

        Raises BadArguments for anything but an object.
        """
        return parse_arguments(self.raw_args)

    def complete(self, text: str) -> None:
        """End the call with `text`, usually the JSON of a TaskResult. From any thread."""
        if self.close():
            self._deliver(text)
        else:
            log.info("late result of %s (%s) ignored", self.tool_name, self.id)

    def close(self) -> bool:
        """Let no completion in any more. True when the call was still open."""
        with self._lock:
            was_open, self._open = self._open, False
        return was_open

    @property
    def is_open(self) -> bool:
        return self._open


def parse_arguments(raw: str) -> dict[str, Any]:
    """The arguments of a call as a map. Raises BadArguments that names the fault and where it is."""
    if not raw or not raw.strip():
        return {}
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise BadArguments(f"the arguments are not valid JSON ({error}); send one JSON object") from None
    if isinstance(value, str):
        # Some models encode the object twice. Once is a habit, twice is a fault.
        try:
            value = json.loads(value) if value.strip() else {}
        except (ValueError, RecursionError):
            raise BadArguments("the arguments are a JSON string; send one JSON object") from None
    if value is None:
        return {}
    if not isinstance(value, dict):
        kind = {list: "a list", bool: "a boolean", str: "a string"}.get(type(value), "a number")
        raise BadArguments(f"the arguments are {kind}; send one JSON object")
    return value
