"""Endpoints that answer: one streaming method, one file a provider.

messages    what goes to an endpoint and what comes back, in no vendor's dialect; the Provider protocol
endpoint    settings of one endpoint; presets holds the known ones, secret keeps the key unseen
openai      any OpenAI-compatible endpoint over HTTP; its parts are wire, sse, answer, think (thoughts),
            written (calls among the words) and json_calls (calls for models that know no others)
rehearsal   plain rules behind the same method, for the first run and for tests
budget      what may be asked in a minute and spent in a day
retry       when and how often to ask again
errors      what can go wrong, one plain sentence each
"""

from numen.llm.budget import Budget, Budgeted
from numen.llm.endpoint import Endpoint
from numen.llm.errors import EndpointError
from numen.llm.messages import (
    AssistantMessage,
    Completed,
    FunctionCall,
    Message,
    Provider,
    ReasoningDelta,
    Request,
    Restarted,
    Retrying,
    StreamEvent,
    TextDelta,
    ToolMessage,
    ToolSpec,
    Usage,
    UserMessage,
    from_record,
    to_record,
)
from numen.llm.openai import OpenAICompatible
from numen.llm.secret import Secret
from numen.llm.think import spoken

__all__ = [
    "AssistantMessage",
    "Budget",
    "Budgeted",
    "Completed",
    "Endpoint",
    "EndpointError",
    "FunctionCall",
    "Message",
    "OpenAICompatible",
    "Provider",
    "ReasoningDelta",
    "Request",
    "Restarted",
    "Retrying",
    "Secret",
    "StreamEvent",
    "TextDelta",
    "ToolMessage",
    "ToolSpec",
    "Usage",
    "UserMessage",
    "from_record",
    "spoken",
    "to_record",
]
