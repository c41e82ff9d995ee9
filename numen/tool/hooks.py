"""Where the observer of tool calls is kept.

A process has one slot for it, as openJiuwen has; `observed_by` puts another in its place for one task and
what that task starts, so that two bodies can be watched apart. Without an observer no event is made and the
openJiuwen layer is not even imported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol


class CallbackFramework(Protocol):
    """What the lifecycle of a tool talks to.

    An exception out of either method ends the call it was raised in.
    """

    async def trigger(self, event: str, payload: Mapping[str, Any]) -> list[Any]:
        """Tell `event` to those who listen; returns what they answered."""
        ...

    async def transform(self, event: str, payload: Mapping[str, Any]) -> Any:
        """The replacement somebody made for the value in `payload`.

        UNCHANGED or None when nobody did.
        """
        ...


class Unchanged:
    """The answer of a transform that leaves the value as it is."""

    def __repr__(self) -> str:
        return "UNCHANGED"


UNCHANGED = Unchanged()

_everywhere: CallbackFramework | None = None
_here: ContextVar[CallbackFramework | None] = ContextVar("numen_tool_callbacks", default=None)


def set_callback_framework(framework: CallbackFramework | None) -> None:
    """Let `framework` observe every tool call of the process."""
    global _everywhere
    _everywhere = framework


def clear_callback_framework() -> None:
    set_callback_framework(None)


def callback_framework() -> CallbackFramework | None:
    """The observer of this task, else that of the process, else None."""
    here = _here.get()
    return _everywhere if here is None else here


@contextmanager
def observed_by(framework: CallbackFramework | None) -> Iterator[None]:
    """Let `framework` observe the calls made inside; None leaves things as they are."""
    token = _here.set(framework if framework is not None else _here.get())
    try:
        yield
    finally:
        _here.reset(token)
