"""Any endpoint that speaks OpenAI's chat completions."""

from __future__ import annotations

import logging
import re
from typing import Any

from numen.llm.answer import AnswerBuilder
from numen.llm.endpoint import Endpoint
from numen.llm.errors import BadRequest, EndpointError
from numen.llm.http import HttpProvider
from numen.llm.messages import Request
from numen.llm.wire import OPTIONAL, Encoder, request_body

log = logging.getLogger(__name__)

NO_TOOLS = re.compile(
    r"(does not|doesn't|do not|not) support.{0,20}(tool|function)|(tool|function).{0,30}(not|un)\s?supported"
    r"|tools param requires|requires --enable-auto-tool-choice",
    re.IGNORECASE,
)
"""How Ollama, llama.cpp, vLLM and others say that this model, or the server as started, knows no tools."""


class OpenAICompatible(HttpProvider):
    """OpenAI itself, and all who speak as it does."""

    def __init__(self, endpoint: Endpoint, **settings: Any) -> None:
        """`settings` are those of HttpProvider."""
        super().__init__(endpoint, **settings)
        self._refused: frozenset[str] = frozenset()
        self._style = endpoint.call_style
        self._encoder = Encoder(endpoint)
        self._last: AnswerBuilder | None = None
        self._wary = False

    def headers(self) -> dict[str, str]:
        key = self.endpoint.api_key
        return {"Authorization": f"Bearer {key.reveal()}"} if key else {}

    def encode(self, request: Request) -> bytes:
        return self._encoder.encode(request, self._refused, self._style)

    def reader(self, request: Request) -> AnswerBuilder:
        # Who once left out the tag that opens its thoughts is heard out, from then on, before words are told.
        self._wary = self._wary or (self._last is not None and self._last.closes_unopened)
        self._last = AnswerBuilder(
            self.endpoint.origin,
            self._new_id,
            tools=[each.name for each in request.tools],
            as_json=self._style == "json" and bool(request.tools),
            wary=self._wary,
        )
        return self._last

    def relent(self, request: Request, error: EndpointError) -> bool:
        """A field of ours that is refused by name is left out; tools that are refused are called as JSON."""
        if not isinstance(error, BadRequest):
            return False
        sent = request_body(request, self.endpoint, self._refused, self._style)
        refused = {key for key in OPTIONAL if key in sent and key in error.detail}
        if refused:
            log.info("%s refuses %s; going on without", self.label, ", ".join(sorted(refused)))
            self._refused |= refused
            return True
        if self._style == "native" and request.tools and NO_TOOLS.search(error.detail):
            log.info("%s takes no tools; they are called as JSON from now on", self.label)
            self._style = "json"
            return True
        return False
