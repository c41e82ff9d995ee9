"""Who answers when a tool asks for credentials."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from typing import Any

import pytest

from numen.tool.jiuwen import Callbacks, JiuwenError, StatusCode, ToolCallEvents, observed_by
from numen.tool.jiuwen.auth import (
    AuthType,
    HeaderAndQuery,
    ToolAuthConfig,
    ToolAuthResult,
    authenticate,
    register_auth,
    tool_auth,
)

SECRET = {"auth_headers": {"Authorization": "Bearer s3cret"}, "auth_query_params": {"key": 7}}
HEADERS = ToolAuthConfig(AuthType.HEADER_AND_QUERY, SECRET, "mcp", "s-1")
TLS = ToolAuthConfig(AuthType.SSL, {"verify_switch_env": "T_VERIFY", "ssl_cert_env": "T_CERT"})


async def test_headers_and_query_are_answered_with_a_provider() -> None:
    result = await authenticate(HEADERS)

    assert result.success
    assert result.auth_data["auth_provider"] == HeaderAndQuery(
        {"Authorization": "Bearer s3cret"}, {"key": "7"}
    )


async def test_without_either_there_is_no_provider() -> None:
    result = await authenticate(ToolAuthConfig(AuthType.HEADER_AND_QUERY))

    assert result.success
    assert result.auth_data == {"auth_provider": None}


async def test_tls_is_answered_with_a_connector(monkeypatch: pytest.MonkeyPatch) -> None:
    checked = (await authenticate(TLS)).auth_data["connector"]
    monkeypatch.setenv("T_VERIFY", "False")
    unchecked = (await authenticate(TLS)).auth_data["connector"]

    assert checked.verify_mode is ssl.CERT_REQUIRED
    assert unchecked.verify_mode is ssl.CERT_NONE


async def test_an_unknown_type_is_no_success() -> None:
    result = await authenticate(ToolAuthConfig("magic"))

    assert not result.success
    assert "'magic'" in result.message


async def test_without_a_framework_the_plain_strategies_answer() -> None:
    assert (await tool_auth(HEADERS)).auth_data["auth_provider"] is not None


async def test_the_first_successful_answer_is_used() -> None:
    callbacks = Callbacks()
    asked: list[Any] = []

    @callbacks.on(ToolCallEvents.TOOL_AUTH)
    def cannot(payload: Mapping[str, Any]) -> ToolAuthResult:
        asked.append(payload["auth_config"])
        return ToolAuthResult(False)

    callbacks.on(ToolCallEvents.TOOL_AUTH)(lambda payload: "not an answer at all")
    callbacks.on(ToolCallEvents.TOOL_AUTH)(lambda payload: ToolAuthResult(True, {"auth_provider": 1}))
    callbacks.on(ToolCallEvents.TOOL_AUTH)(lambda payload: ToolAuthResult(True, {"auth_provider": 2}))

    with observed_by(callbacks):
        assert (await tool_auth(HEADERS)).auth_data == {"auth_provider": 1}

    assert asked == [HEADERS]


async def test_where_nobody_succeeds_the_plain_strategies_answer() -> None:
    callbacks = Callbacks()
    callbacks.on(ToolCallEvents.TOOL_AUTH)(lambda payload: ToolAuthResult(False))

    with observed_by(callbacks):
        assert (await tool_auth(HEADERS)).success


async def test_a_registered_strategy_that_fails_aborts_with_its_cause(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    callbacks = Callbacks()
    register_auth(callbacks)
    monkeypatch.setenv("T_CERT", "/no/such/file.pem")

    with observed_by(callbacks), pytest.raises(JiuwenError) as caught:
        await tool_auth(TLS)

    assert caught.value.status is StatusCode.COMMON_SSL_CERT_INVALID


def test_no_text_form_shows_a_secret() -> None:
    result = ToolAuthResult(True, {"auth_provider": HeaderAndQuery({"Authorization": "Bearer s3cret"})})

    assert "s3cret" not in f"{HEADERS} {result} {result.auth_data['auth_provider']}"
