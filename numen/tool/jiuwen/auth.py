"""Credentials and TLS for tools that talk to others: the `tool_auth` event and who answers it.

A tool asks by the event; the first successful answer is used. Where nobody observes, or nobody answers, the
plain strategies below do, so a tool works the same without a framework.
"""

from __future__ import annotations

import os
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from typing import Any

from numen.tool.hooks import callback_framework
from numen.tool.jiuwen.errors import AbortCall, JiuwenError, StatusCode, fault
from numen.tool.jiuwen.events import Callbacks, ToolCallEvents
from numen.tool.jiuwen.threads import Worker


class AuthType(Enum):
    SSL = "ssl"
    """How to check the other side's certificate."""
    HEADER_AND_QUERY = "header_and_query"
    """What to add to every request."""


@dataclass(frozen=True)
class ToolAuthConfig:
    """What a tool asks for.

    `config` of SSL: `verify_switch_env` and `ssl_cert_env` (names of environment variables), `url`; of
    HEADER_AND_QUERY: `auth_headers`, `auth_query_params`. It is left out of the text form.
    """

    auth_type: AuthType | str
    config: Mapping[str, Any] = field(default_factory=dict, repr=False)
    tool_type: str = ""
    tool_id: str = ""


@dataclass(frozen=True)
class ToolAuthResult:
    """An answer. `auth_data` of SSL: `connector`, an ssl.SSLContext; of HEADER_AND_QUERY: `auth_provider`,
    a HeaderAndQuery or None.
    """

    success: bool
    auth_data: Mapping[str, Any] = field(default_factory=dict, repr=False)
    message: str = ""
    error: BaseException | None = None


@dataclass(frozen=True)
class HeaderAndQuery:
    """What goes into every request of a connection. Never shown."""

    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    query: Mapping[str, str] = field(default_factory=dict, repr=False)


async def tool_auth(config: ToolAuthConfig) -> ToolAuthResult:
    """The first successful answer to `config`. Raises what a strategy or an observer raises."""
    framework = callback_framework()
    if framework is not None:
        for answer in await framework.trigger(ToolCallEvents.TOOL_AUTH, {"auth_config": config}):
            if isinstance(answer, ToolAuthResult) and answer.success:
                return answer
    return await authenticate(config)


async def authenticate(config: ToolAuthConfig) -> ToolAuthResult:
    """The plain answer to `config`; unsuccessful for a type nobody knows.

    Raises COMMON_SSL_CERT_INVALID or COMMON_SSL_CONTEXT_INIT_FAILED when TLS cannot be set up.
    """
    if config.auth_type == AuthType.SSL:
        worker = Worker("tls")
        try:
            # Reading the world's certificate authorities takes a good part of a tick.
            context = await worker.run(_context_from, config.config)
        finally:
            worker.close()
        return ToolAuthResult(True, {"connector": context}, "TLS is set up")
    if config.auth_type == AuthType.HEADER_AND_QUERY:
        headers = config.config.get("auth_headers")
        query = config.config.get("auth_query_params")
        provider = None
        if headers is not None or query is not None:
            provider = HeaderAndQuery(_texts(headers), _texts(query))
        return ToolAuthResult(True, {"auth_provider": provider}, "headers and query are set up")
    return ToolAuthResult(False, {}, f"nobody knows the auth type {config.auth_type!r}")


def register_auth(callbacks: Callbacks) -> None:
    """Let `callbacks` answer `tool_auth` with the plain strategies.

    Their failure aborts the call, with what went wrong as the cause.
    """

    @callbacks.on(ToolCallEvents.TOOL_AUTH, namespace="tool_auth")
    async def answer(payload: Mapping[str, Any]) -> ToolAuthResult:
        try:
            return await authenticate(payload["auth_config"])
        except JiuwenError as error:
            raise AbortCall("authentication failed", error) from error


def _context_from(config: Mapping[str, Any]) -> ssl.SSLContext:
    switch = os.environ.get(str(config.get("verify_switch_env", "SSL_VERIFY")), "")
    certificate = os.environ.get(str(config.get("ssl_cert_env", "SSL_CERT")), "")
    return ssl_context(switch.strip().lower() != "false", certificate.strip())


@lru_cache(maxsize=8)
def ssl_context(verify: bool = True, certificate: str = "") -> ssl.SSLContext:
    """A client's TLS settings; `certificate` is a file of authorities to trust in place of the usual ones."""
    import certifi

    try:
        context = ssl.create_default_context(cafile=certificate or certifi.where())
    except (ssl.SSLError, OSError) as error:
        if certificate:
            raise fault(
                StatusCode.COMMON_SSL_CERT_INVALID, error_msg=f"{certificate}: {error}", cause=error
            ) from error
        raise fault(StatusCode.COMMON_SSL_CONTEXT_INIT_FAILED, error_msg=str(error), cause=error) from error
    if not verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def _texts(values: Mapping[str, Any] | None) -> dict[str, str]:
    return {str(key): str(value) for key, value in (values or {}).items()}
