"""What a mind tells those who watch it: consoles, bridges, tests.

Every event names the companion and the turn; 0 is no turn, but calls from outside. A turn begins with
`TurnStarted` and ends with `TurnEnded`; in between every `ToolCalled` has its `ToolFinished`, and
`TextDelta`s up to a `TextWithdrawn` are void.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from numen.tool.dispatcher import OutcomeKind

EndingKind = Literal["answered", "waiting", "stuck", "failed", "halted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _OfTurn:
    companion: str
    turn: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStarted(_OfTurn):
    """`request` is what the turn answers, as far as words began it."""

    request: str = ""
    request_id: str = ""
    session_id: str = ""
    kind: Literal["turn_started"] = "turn_started"


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDelta(_OfTurn):
    """Words as they are written.

    Those before a tool call are thinking aloud; the last ones become the answer.
    """

    text: str
    kind: Literal["text_delta"] = "text_delta"


@dataclass(frozen=True, slots=True, kw_only=True)
class TextWithdrawn(_OfTurn):
    """The answer broke off and starts over."""

    reason: str
    kind: Literal["text_withdrawn"] = "text_withdrawn"


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointRetried(_OfTurn):
    """The endpoint failed and is asked again after `delay_s` seconds."""

    reason: str
    delay_s: float
    kind: Literal["endpoint_retried"] = "endpoint_retried"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCalled(_OfTurn):
    """A tool is about to run. `arguments` is raw text where it could not be parsed."""

    call_id: str
    tool: str
    arguments: Mapping[str, Any] | str
    kind: Literal["tool_called"] = "tool_called"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolFinished(_OfTurn):
    """A tool call has ended. `message` is its sentence, `content` all that the model gets."""

    call_id: str
    tool: str
    outcome: OutcomeKind
    message: str
    content: str
    seconds: float
    background: bool = False
    """The job it began goes on; how that ends is told by a `task_finished` event to the mind."""
    kind: Literal["tool_finished"] = "tool_finished"

    @property
    def ok(self) -> bool:
        return self.outcome == "ok"


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageReported(_OfTurn):
    """Tokens of one request, as the endpoint counted them."""

    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    kind: Literal["usage"] = "usage"


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextShortened(_OfTurn):
    """The conversation was made shorter to fit the model's window, from `before` to `after` tokens (about).

    `why`: `pruned`, old results were cut down; `window`, a summary took its place; `overflow`, the older half
    was left out.
    """

    why: str
    before: int
    after: int
    kind: Literal["context_shortened"] = "context_shortened"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered(_OfTurn):
    """The plain answer that ends a turn; it was also handed to `speak`."""

    text: str
    kind: Literal["answered"] = "answered"


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFailed(_OfTurn):
    """The turn ended without an answer. `message` is one plain sentence; `error` names the kind."""

    error: str
    message: str
    retry_in_s: float | None = None
    runtime: bool = False
    """Something broke here, rather than at the endpoint."""
    token: str = ""
    """With which the request can be sent again; empty when it can't."""
    kind: Literal["turn_failed"] = "turn_failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnded(_OfTurn):
    how: EndingKind
    kind: Literal["turn_ended"] = "turn_ended"


AgentEvent = (
    TurnStarted
    | TextDelta
    | TextWithdrawn
    | EndpointRetried
    | ToolCalled
    | ToolFinished
    | UsageReported
    | ContextShortened
    | Answered
    | TurnFailed
    | TurnEnded
)

Emit = Callable[[AgentEvent], None]
"""Where events go. It is called on the mind's loop and must not block."""
