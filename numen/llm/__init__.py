"""Endpoints that answer: one streaming method, one file a provider.

messages    what goes to an endpoint and what comes back, in no vendor's dialect; the Provider protocol
endpoint    settings of one endpoint; presets holds the known ones, secret keeps the key unseen
http        asking over HTTP: limits, failures, retries; openai and vertex say what is spoken
openai      any OpenAI-compatible endpoint over HTTP; its parts are wire, sse, answer, think (thoughts),
            written (calls among the words) and json_calls (calls for models that know no others)
vertex      Gemini in Google's own format (gemini is the format, service_account the way to a token)
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
from numen.llm.vertex import Vertex


def http_provider(endpoint: Endpoint) -> OpenAICompatible | Vertex:
    """Who speaks to that endpoint. Raises ValueError for a key that cannot be one."""
    google = endpoint.preset.profile.protocol == "google"
    return Vertex(endpoint) if google else OpenAICompatible(endpoint)


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
    "Vertex",
    "from_record",
    "http_provider",
    "spoken",
    "to_record",
]
