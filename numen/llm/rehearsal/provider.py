"""A brain of plain rules behind the same streaming method as a real endpoint.

It is there for the first run, when no endpoint is configured yet, and for tests. It uses only the tools that
the request names, reads all it knows from the conversation, and says what it is whenever it speaks.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator

from numen.llm.messages import AssistantMessage, Completed, FunctionCall, Request, StreamEvent, TextDelta
from numen.llm.rehearsal.moves import Answer, Call, Hush, Move
from numen.llm.rehearsal.planner import next_move
from numen.llm.rehearsal.sayings import MARK
from numen.llm.rehearsal.story import ASIDE, read_story

ORIGIN = "rehearsal"


class Rehearsal:
    """Answers requests by rules. It has no state: the same request gets the same answer."""

    label = "rehearsal (plain rules, no model)"

    async def stream(self, request: Request) -> AsyncGenerator[StreamEvent, None]:
        """The next move as a streamed answer."""
        move = next_move(read_story(request))
        message = to_message(move, number=len(request.messages))
        for word in re.findall(r"\S+\s*|\s+", message.content):
            yield TextDelta(text=word)
        yield Completed(message=message, finish="tool_calls" if message.calls else "stop")

    async def aclose(self) -> None:
        """Nothing to let go of."""


def to_message(move: Move, *, number: int) -> AssistantMessage:
    """The answer that makes a move. `number` makes the id of its call unlike those before."""
    match move:
        case Call():
            arguments = json.dumps(move.args, ensure_ascii=False)
            call = FunctionCall(id=f"rehearsal_{number}", name=move.tool, arguments=arguments)
            return AssistantMessage(calls=(call,), origin=ORIGIN)
        case Answer():
            return AssistantMessage(
                content=MARK[move.language] + move.text,
                extra={"rehearsal": ASIDE} if move.aside else {},
                origin=ORIGIN,
            )
        case Hush():
            return AssistantMessage(origin=ORIGIN)
