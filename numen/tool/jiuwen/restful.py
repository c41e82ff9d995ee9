"""RestfulApi: an HTTP endpoint as a tool.

The card says where and how; each property of its schema says by `location` where in the request it goes. What
comes back is outside input: its size is bounded, redirects are not followed, and no connection is made to an
address of the owner's own network unless that was allowed.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from numen.tool.jiuwen.auth import AuthType, ToolAuthConfig, tool_auth
from numen.tool.jiuwen.base import Options, Tool
from numen.tool.jiuwen.card import ToolCard
from numen.tool.jiuwen.errors import JiuwenError, StatusCode, fault
from numen.tool.jiuwen.rest_request import LOCATIONS, PLACEHOLDER, Built, build, place
from numen.tool.jiuwen.rest_response import parse, shown_headers
from numen.tool.jiuwen.threads import load
from numen.tool.schema import openai_dialect
from numen.web.addresses import ANYWHERE, PUBLIC
from numen.web.body import Body, TooLarge, Unreadable

if TYPE_CHECKING:
    import httpx

log = logging.getLogger(__name__)

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
MAX_TIMEOUT_S = 300.0
MAX_EXCERPT = 2000
"""Bytes of a refusal that are read; enough for its reason."""

VERIFY_SWITCH = "RESTFUL_SSL_VERIFY"
CERTIFICATE = "RESTFUL_SSL_CERT"
ADDRESS_SWITCH = "SSRF_PROTECT_ENABLED"
"""`false` allows private addresses for every RestfulApi of the process."""

REQUEST_ARGS = frozenset({"headers", "params", "cookies", "proxy"})


@dataclass(eq=False, repr=False)
class RestfulApiCard(ToolCard):
    """The declaration of an HTTP endpoint.

    `headers`, `queries` and `paths` are sent with every call, and stay hidden; an input of the same name
    takes their place. `timeout` is in seconds, for the whole call.
    """

    url: str = field(default="", kw_only=True)
    method: str = field(default="POST", kw_only=True)
    headers: dict[str, Any] = field(default_factory=dict, kw_only=True)
    queries: dict[str, Any] = field(default_factory=dict, kw_only=True)
    paths: dict[str, Any] = field(default_factory=dict, kw_only=True)
    timeout: float = field(default=60.0, kw_only=True)
    max_response_byte_size: int = field(default=10 * 1024 * 1024, kw_only=True)

    def __post_init__(self) -> None:
        self.check()

    def check(self) -> None:
        """Raises TOOL_RESTFUL_API_CARD_CONFIG_INVALID for what no request could be made of."""
        method = str(self.method).upper()
        if method not in METHODS:
            raise _wrong_card(f"method {self.method!r} is none of {', '.join(METHODS)}")
        self.method = method
        check_url(self.url)
        if not 0 < self.timeout <= MAX_TIMEOUT_S:
            raise _wrong_card(f"timeout {self.timeout} is not within 0 and {MAX_TIMEOUT_S:g} seconds")
        if self.max_response_byte_size <= 0:
            raise _wrong_card(f"max_response_byte_size {self.max_response_byte_size} is not above 0")
        self._check_locations()

    def _check_locations(self) -> None:
        properties = self.input_params.get("properties") or {}
        located = {
            key: declared.get("location", "body") if isinstance(declared, Mapping) else "body"
            for key, declared in properties.items()
        }
        for key, location in located.items():
            if location not in LOCATIONS:
                raise _wrong_card(f"location {location!r} of {key} is none of {', '.join(LOCATIONS)}")
        wanted = PLACEHOLDER.findall(self.url)
        for key in wanted:
            if located.get(key) != "path":
                raise _wrong_card(f"the URL has {{{key}}}, and no property {key} with location path")
        stray = sorted(key for key, location in located.items() if location == "path" and key not in wanted)
        if stray:
            log.warning("the URL of %s has no place for %s", self.name or self.id, ", ".join(stray))

    def declaration(self) -> tuple[Any, ...]:
        return (
            *super().declaration(),
            self.url,
            self.method,
            self.headers,
            self.queries,
            self.paths,
            self.timeout,
            self.max_response_byte_size,
        )


class RestfulApi(Tool):
    """An HTTP endpoint as a tool.

    `invoke` returns code, data, url, headers, reason and message. Options: `timeout`,
    `max_response_byte_size`, `raise_for_status` (default true), `request_args` (headers, params, cookies,
    proxy), and those every tool has. It cannot stream.
    """

    def __init__(self, card: RestfulApiCard, *, allow_private: bool | None = None) -> None:
        """`allow_private` lets it reach private, local and link-local addresses.

        None asks the environment.
        """
        super().__init__(card)
        card.check()  # a card can be changed after it was made
        self._api = card
        self._allow_private = allow_private

    async def invoke_internal(self, inputs: dict[str, Any], kwargs: Options) -> dict[str, Any]:
        card = self._api
        timeout = _seconds(kwargs.get("timeout"), card.timeout)
        formatted = await self.format_inputs(inputs, kwargs)
        transport: Any = None
        try:
            transport = await load("numen.tool.jiuwen.rest_transport")
            async with asyncio.timeout(timeout):
                return await self._request(transport, formatted, kwargs)
        except JiuwenError:
            raise
        except Exception as error:
            timed_out = TimeoutError if transport is None else transport.TimedOut
            raise self._failure(error, timeout if isinstance(error, timed_out) else None) from error

    def _failure(self, error: Exception, timeout: float | None) -> JiuwenError:
        card = self._api
        if timeout is not None:
            return fault(
                StatusCode.TOOL_RESTFUL_API_EXECUTION_TIMEOUT,
                method="invoke",
                timeout=f"{timeout:g}",
                card=card,
                cause=error,
            )
        if isinstance(error, TooLarge):
            return fault(
                StatusCode.TOOL_RESTFUL_API_RESPONSE_SIZE_EXCEED_LIMIT,
                method="invoke",
                max_length=error.limit,
                actual_length=error.seen,
                card=card,
                cause=error,
            )
        if isinstance(error, Unreadable):
            return fault(
                StatusCode.TOOL_RESTFUL_API_RESPONSE_PROCESS_ERROR,
                reason=str(error),
                card=card,
                details=error.details,
                cause=error,
            )
        return fault(
            StatusCode.TOOL_RESTFUL_API_EXECUTION_ERROR,
            method="invoke",
            # The type where there is no text; never the URL, which may hold a secret.
            reason=str(error).strip() or type(error).__name__,
            card=card,
            cause=error,
        )

    async def _request(self, transport: Any, inputs: Mapping[str, Any], kwargs: Options) -> dict[str, Any]:
        import httpx

        card = self._api
        extra = dict(kwargs.get("request_args") or {})
        unknown = sorted(set(extra) - REQUEST_ARGS)
        if unknown:
            raise ValueError(
                f"request_args takes {', '.join(sorted(REQUEST_ARGS))}, not {', '.join(unknown)}"
            )
        built = build(
            card,
            place(inputs, card.input_params),
            more_headers=extra.get("headers"),
            more_query=extra.get("params"),
        )
        limit = int(kwargs.get("max_response_byte_size") or card.max_response_byte_size)
        proxy = extra["proxy"] if "proxy" in extra else transport.proxy_for(built.url)
        connections = transport.CheckedTransport(
            reach=ANYWHERE if self.allows_private else PUBLIC,
            context=await self._tls(built.url),
            proxy=proxy,
        )
        async with (
            httpx.AsyncClient(
                transport=connections,
                timeout=None,
                follow_redirects=False,
                trust_env=False,
                cookies=extra.get("cookies"),
                # A packed answer would have to be unpacked before its size is known.
                headers={"Accept-Encoding": "identity"},
            ) as client,
            client.stream(
                built.method, built.url, headers=built.headers, content=built.content, files=built.files
            ) as answer,
        ):
            if answer.status_code >= 400 and kwargs.get("raise_for_status", True):
                raise await self._refused(answer, built)
            headers = dict(answer.headers)
            data: Any = {}
            if built.method != "HEAD":
                body = await Body(headers, limit).read(answer.aiter_raw())
                data = _parsed(headers, body, answer.status_code)
            reason = answer.reason_phrase
            return {
                "code": answer.status_code,
                "data": data,
                "url": built.shown_url,
                "headers": shown_headers(headers),
                "reason": reason,
                "message": "success" if answer.is_success else reason,
            }

    async def _refused(self, answer: httpx.Response, built: Built) -> JiuwenError:
        body = bytearray()
        async for chunk in answer.aiter_raw():
            body += chunk
            if len(body) > MAX_EXCERPT:
                break
        return fault(
            StatusCode.TOOL_RESTFUL_API_RESPONSE_ERROR,
            method="invoke",
            code=answer.status_code,
            reason=answer.reason_phrase or "no reason given",
            card=self._api,
            details={"status": answer.status_code, "url": built.shown_url, "body": _excerpt(bytes(body))},
        )

    @property
    def allows_private(self) -> bool:
        """Whether this tool may reach addresses that are not public."""
        if self._allow_private is not None:
            return self._allow_private
        return os.environ.get(ADDRESS_SWITCH, "").strip().lower() == "false"

    async def _tls(self, url: str) -> Any:
        if not url.startswith("https:"):
            return None
        config = {"verify_switch_env": VERIFY_SWITCH, "ssl_cert_env": CERTIFICATE, "url": self._api.url}
        answer = await tool_auth(ToolAuthConfig(AuthType.SSL, config, "restful_api", self._api.id))
        return answer.auth_data.get("connector")

    def model_schema(self) -> Mapping[str, Any]:
        """The schema without the words that only say where in a request a value goes."""
        schema = self._api.input_params
        properties = {
            key: {name: value for name, value in declared.items() if name not in _OWN_WORDS}
            if isinstance(declared, Mapping)
            else declared
            for key, declared in (schema.get("properties") or {}).items()
        }
        return openai_dialect({**schema, "properties": properties})

    def for_model(self, result: Any) -> Any:
        """Status and data; headers and URL help nobody to go on."""
        if not isinstance(result, Mapping) or "data" not in result:
            return result
        return {"code": result["code"], "message": result["message"], "data": result["data"]}


_OWN_WORDS = frozenset({"location", "form_handler_type"})


def check_url(url: str) -> None:
    """Raises TOOL_RESTFUL_API_CARD_CONFIG_INVALID, caused by COMMON_URL_INPUT_INVALID, for no usable URL."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except (ValueError, AttributeError) as error:
        wrong = str(error)
    else:
        if not url:
            wrong = "it is empty"
        elif parts.scheme not in ("http", "https"):
            wrong = "it is neither http nor https"
        elif not parts.hostname:
            wrong = "it has no host"
        elif parts.username is not None or parts.password is not None:
            wrong = "it has a user in it; put credentials into headers"
        elif PLACEHOLDER.search(parts.netloc):
            wrong = "its host is not fixed"
        elif any(sign.isspace() or sign < " " for sign in url):
            wrong = "it has blanks in it"
        else:
            return
    cause = fault(StatusCode.COMMON_URL_INPUT_INVALID, error_msg=wrong)
    raise _wrong_card(f"the URL cannot be used: {wrong}", cause) from cause


def _wrong_card(reason: str, cause: BaseException | None = None) -> JiuwenError:
    return fault(StatusCode.TOOL_RESTFUL_API_CARD_CONFIG_INVALID, reason=reason, cause=cause)


def _seconds(value: Any, fallback: float) -> float:
    try:
        seconds = float(value)
    except (TypeError, ValueError):
        return fallback
    return min(seconds, MAX_TIMEOUT_S) if seconds > 0 else fallback


def _parsed(headers: Mapping[str, str], body: bytes, status: int) -> Any:
    try:
        return parse(headers, body, status)
    except ValueError as error:
        raise Unreadable(str(error), {"status": status, "body": _excerpt(body)}) from error


def _excerpt(body: bytes) -> str:
    return body[:MAX_EXCERPT].decode("utf-8", errors="replace")
