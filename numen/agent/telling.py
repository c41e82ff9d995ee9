"""Turns what happens in one turn into events for those who watch."""

from __future__ import annotations

import logging
from typing import assert_never

from numen.agent import events
from numen.agent.events import AgentEvent, Emit, EndingKind
from numen.llm import Usage
from numen.tool import TaskResult, ToolCalled, ToolEvent, ToolFinished

log = logging.getLogger(__name__)


class Teller:
    """Speaks for one turn of one companion. A watcher that fails is logged and harms nothing."""

    def __init__(self, companion: str, turn: int, emit: Emit) -> None:
        self.companion = companion
        self.turn = turn
        self._emit = emit
        self._open: dict[str, ToolCalled] = {}
        self._ended = False
        self.fresh_tokens = 0
        """Tokens of this turn that had to be paid for in full."""

    def started(self, request: str = "", request_id: str = "", session_id: str = "") -> None:
        self._tell(
            events.TurnStarted(
                companion=self.companion,
                turn=self.turn,
                request=request,
                request_id=request_id,
                session_id=session_id,
            )
        )

    def text(self, text: str) -> None:
        self._tell(events.TextDelta(companion=self.companion, turn=self.turn, text=text))

    def withdrawn(self, reason: str) -> None:
        self._tell(events.TextWithdrawn(companion=self.companion, turn=self.turn, reason=reason))

    def retried(self, reason: str, delay_s: float) -> None:
        self._tell(
            events.EndpointRetried(companion=self.companion, turn=self.turn, reason=reason, delay_s=delay_s)
        )

    def usage(self, usage: Usage) -> None:
        self.fresh_tokens += max(0, usage.prompt_tokens - usage.cached_tokens) + usage.completion_tokens
        self._tell(
            events.UsageReported(
                companion=self.companion,
                turn=self.turn,
                prompt_tokens=usage.prompt_tokens,
                completion_tokens=usage.completion_tokens,
                cached_tokens=usage.cached_tokens,
            )
        )

    def shortened(self, why: str, before: int, after: int) -> None:
        self._tell(
            events.ContextShortened(
                companion=self.companion, turn=self.turn, why=why, before=before, after=after
            )
        )

    def tool(self, event: ToolEvent) -> None:
        match event:
            case ToolCalled():
                self._open[event.call_id] = event
                self._tell(
                    events.ToolCalled(
                        companion=self.companion,
                        turn=self.turn,
                        call_id=event.call_id,
                        tool=event.tool,
                        arguments=event.arguments,
                    )
                )
            case ToolFinished():
                self._open.pop(event.call_id, None)
                self._tell(
                    events.ToolFinished(
                        companion=self.companion,
                        turn=self.turn,
                        call_id=event.call_id,
                        tool=event.tool,
                        outcome=event.outcome,
                        message=event.message,
                        content=event.content,
                        seconds=event.seconds,
                        background=event.background,
                    )
                )
            case _:
                assert_never(event)

    def answered(self, text: str) -> None:
        self._tell(events.Answered(companion=self.companion, turn=self.turn, text=text))

    def failed(
        self,
        error: str,
        message: str,
        retry_in_s: float | None = None,
        *,
        runtime: bool = False,
        token: str = "",
    ) -> None:
        self._tell(
            events.TurnFailed(
                companion=self.companion,
                turn=self.turn,
                error=error,
                message=message,
                retry_in_s=retry_in_s,
                runtime=runtime,
                token=token,
            )
        )

    def ended(self, how: EndingKind) -> None:
        """The last event of the turn. Calls still open end with it; what they tell later is not passed on."""
        for call in list(self._open.values()):
            told = TaskResult.cancelled("the turn was ended")
            self.tool(
                ToolFinished(
                    call_id=call.call_id,
                    tool=call.tool,
                    outcome="cancelled",
                    message=told.message,
                    content=told.to_json(),
                    seconds=0.0,
                )
            )
        self._tell(events.TurnEnded(companion=self.companion, turn=self.turn, how=how))
        self._ended = True

    def _tell(self, event: AgentEvent) -> None:
        if self._ended:
            return
        try:
            self._emit(event)
        except Exception:
            log.exception("a watcher of %s failed on %s", self.companion, event.kind)
