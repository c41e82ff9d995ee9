"""The mind: inbox, turn, prompt, loop. Knows tools and endpoints, never packets.

mind       Mind: one for each person a companion serves; when it thinks and what stops it
endings    how a turn ends; requests: the one under way, and the one that can be sent again
orders     goals, and what else is told the engine
keeping    the session's file beside its log, and its title
loop       Turn: ask, act, record, until there is a plain answer
inbox      what came and was not yet told; which events wake a mind
history    the conversation, and its repair before each request
prompt     the system prompt, the same bytes every time
events     what watchers are told
"""

from numen.agent.events import (
    AgentEvent,
    Answered,
    ContextShortened,
    Emit,
    EndpointRetried,
    TextDelta,
    TextWithdrawn,
    ToolCalled,
    ToolFinished,
    TurnEnded,
    TurnFailed,
    TurnStarted,
    UsageReported,
)
from numen.agent.inbox import Delivery, Event
from numen.agent.mind import Halt, Limits, Mind, Soul
from numen.agent.prompt import Persona
from numen.agent.requests import Refused

__all__ = [
    "AgentEvent",
    "Answered",
    "ContextShortened",
    "Delivery",
    "Emit",
    "EndpointRetried",
    "Event",
    "Halt",
    "Limits",
    "Mind",
    "Persona",
    "Refused",
    "Soul",
    "TextDelta",
    "TextWithdrawn",
    "ToolCalled",
    "ToolFinished",
    "TurnEnded",
    "TurnFailed",
    "TurnStarted",
    "UsageReported",
]
