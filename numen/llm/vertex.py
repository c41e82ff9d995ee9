"""Gemini in Google's own format: Vertex AI, and the Gemini API at the same time.

The key may be an API key, an access token (`ya29.…`) or the text of a service account's key file.
"""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any

from numen.llm.endpoint import Endpoint
from numen.llm.errors import BadKey, EndpointError
from numen.llm.gemini import GeminiReader, request_body
from numen.llm.http import HttpProvider
from numen.llm.messages import Request
from numen.llm.secret import scrub
from numen.llm.service_account import ServiceAccount

if TYPE_CHECKING:
    import httpx

log = logging.getLogger(__name__)

TOKEN_PREFIX = "ya29."


class Vertex(HttpProvider):
    """A Gemini model by `streamGenerateContent`."""

    def __init__(self, endpoint: Endpoint, **settings: Any) -> None:
        """`settings` are those of HttpProvider. Raises ValueError for a key file that is none."""
        super().__init__(endpoint, **settings)
        key = endpoint.api_key.reveal().strip()
        self._account = ServiceAccount(key) if key.startswith("{") else None
        self._thinking = True
        self._sign = False

    def headers(self) -> dict[str, str]:
        key = self.endpoint.api_key.reveal().strip()
        if not key or self._account is not None:
            return {}
        return {"Authorization": f"Bearer {key}"} if key.startswith(TOKEN_PREFIX) else {"x-goog-api-key": key}

    async def credentials(self, client: httpx.AsyncClient) -> dict[str, str]:
        if self._account is None:
            return {}
        return {"Authorization": f"Bearer {await self._account.token(client, self.label)}"}

    def encode(self, request: Request) -> bytes:
        body = request_body(request, self.endpoint, thinking=self._thinking, sign=self._sign)
        return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")

    def reader(self, request: Request) -> GeminiReader:
        return GeminiReader(self.endpoint.origin, self._new_id, tools=[each.name for each in request.tools])

    def relent(self, request: Request, error: EndpointError) -> bool:
        """A token that has ended is renewed; a thinking level is left out and signatures are made up, where
        the model refuses what we sent of them."""
        if isinstance(error, BadKey):
            return self._account is not None and self._account.forget()
        said = error.detail.lower().replace("_", "").replace(" ", "")
        if "thoughtsignature" in said and not self._sign:
            self._sign = True
        elif "thinking" in said and self._thinking and self.endpoint.thinking != "auto":
            log.info("%s takes no thinking level; going on without", self.label)
            self._thinking = False
        else:
            return False
        return True

    def _scrubbed(self, text: str) -> str:
        more = self._account.secrets() if self._account is not None else []
        return scrub(super()._scrubbed(text), more)
