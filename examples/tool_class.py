"""A tool as a class: four members, for one that keeps something between its calls."""

from typing import Any

from numen.api import TaskResult, ToolArgs, ToolCall, ToolRegistry


class TallySheet:
    """Counts what the companion wants counted."""

    name = "tally"
    description = "Add to a count that you keep, and hear its new value."

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self.parameter_schema: dict[str, Any] = {
            "type": "object",
            "properties": {
                "what": {"type": "string", "description": "What is counted."},
                "by": {"type": "integer", "minimum": 1, "maximum": 64, "description": "How many more."},
            },
            "required": ["what"],
        }

    def invoke(self, call: ToolCall) -> None:
        # A plain function may complete later, and from any thread; an `async def` may just return.
        arguments = ToolArgs(call)
        what = arguments.require_str("what")
        by = arguments.optional_int("by", fallback=1, low=1, high=64) or 1
        self._counts[what] = self._counts.get(what, 0) + by
        call.complete(TaskResult.ok(f"{what}: {self._counts[what]}", {"count": self._counts[what]}).to_json())


def add_to(registry: ToolRegistry) -> None:
    """Raises DuplicateTool when another tool has the name."""
    registry.register(TallySheet())
