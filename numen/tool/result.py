"""What a tool call comes back with."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any


class ToolFailure(Exception):
    """Raised inside a tool: the call failed and the model should change its plan.

    The message is for the model: why it failed and what to try. `data` goes into the result as it is.
    """

    def __init__(self, message: str, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.data: Mapping[str, Any] = data or {}


@dataclass(frozen=True, slots=True)
class TaskResult:
    """Outcome of an act: success or not, one sentence for the model, and facts it can reckon with.

    `timed_out` and `interrupted` tell two kinds of failure from all others; the first means that the same
    call may go on where it stopped.
    """

    success: bool
    message: str
    data: Mapping[str, Any] = field(default_factory=dict)
    timed_out: bool = False
    interrupted: bool = False

    @classmethod
    def ok(cls, message: str, data: Mapping[str, Any] | None = None) -> TaskResult:
        return cls(True, message, data or {})

    @classmethod
    def fail(cls, message: str, data: Mapping[str, Any] | None = None) -> TaskResult:
        return cls(False, message, data or {})

    @classmethod
    def timeout(cls, message: str, data: Mapping[str, Any] | None = None) -> TaskResult:
        return cls(False, message, data or {}, timed_out=True)

    @classmethod
    def cancelled(cls, message: str, data: Mapping[str, Any] | None = None) -> TaskResult:
        return cls(False, message, data or {}, interrupted=True)

    @classmethod
    def accepted(cls, task_id: str, task: str, message: str) -> TaskResult:
        """A background job has begun; its outcome arrives later as a `task_finished` event."""
        return cls(True, message, {"task_id": task_id, "task": task, "async": True})

    def to_dict(self) -> dict[str, Any]:
        """`success` and `message` always, the flags only when true, `data` only when there is any."""
        out: dict[str, Any] = {"success": self.success, "message": self.message}
        if self.timed_out:
            out["timed_out"] = True
        if self.interrupted:
            out["interrupted"] = True
        if self.data:
            out["data"] = plain(self.data)
        return out

    def to_json(self) -> str:
        return dump(self.to_dict())


def plain(value: Any) -> Any:
    """`value` as JSON can carry it:

    maps and lists nested, scalars as they are, anything else as its string.
    """
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        # NaN and infinity are not JSON; a strict endpoint would refuse the whole conversation for one of
        # them.
        return value if value - value == 0 else str(value)
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray, memoryview)):
        return [plain(item) for item in value]
    if isinstance(value, Set):
        return sorted((plain(item) for item in value), key=str)
    return str(value)


def dump(value: Any) -> str:
    """Compact JSON with readable Chinese; never fails on what `plain` returns."""
    return json.dumps(plain(value), ensure_ascii=False, separators=(", ", ": "))


def render(value: Any) -> str:
    """The text of a tool message for whatever a tool returned.

    A `TaskResult` becomes its JSON, text stays text, a map becomes a bare JSON object, nothing becomes a
    plain success; a pydantic model is dumped first.
    """
    if isinstance(value, TaskResult):
        return value.to_json()
    if isinstance(value, str):
        return value if value.strip() else TaskResult.ok("done").to_json()
    if value is None:
        return TaskResult.ok("done").to_json()
    dump_model = getattr(value, "model_dump", None)
    if callable(dump_model):
        return dump(dump_model(mode="json"))
    return dump(value)
