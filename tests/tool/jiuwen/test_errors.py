"""Codes, texts and classes of failures."""

from __future__ import annotations

import pytest

from numen.tool.jiuwen import StatusCode, ToolCard, fault
from numen.tool.jiuwen.errors import ExecutionFault, FrameworkFault, JiuwenError, ToolFault, ValidationFault


@pytest.mark.parametrize(
    ("name", "code", "facts"),
    [
        ("TOOL_CARD_INVALID", 182000, ["card", "reason"]),
        ("TOOL_STREAM_NOT_SUPPORTED", 182010, ["card"]),
        ("TOOL_INVOKE_NOT_SUPPORTED", 182011, ["card"]),
        ("TOOL_EXECUTION_ERROR", 182012, ["card", "reason"]),
        ("TOOL_RESTFUL_API_CARD_CONFIG_INVALID", 182100, ["reason"]),
        ("TOOL_RESTFUL_API_EXECUTION_TIMEOUT", 182101, ["method", "timeout", "card"]),
        (
            "TOOL_RESTFUL_API_RESPONSE_SIZE_EXCEED_LIMIT",
            182102,
            ["method", "max_length", "actual_length", "card"],
        ),
        ("TOOL_RESTFUL_API_RESPONSE_ERROR", 182103, ["method", "code", "reason"]),
        ("TOOL_RESTFUL_API_EXECUTION_ERROR", 182104, ["method", "reason", "card"]),
        ("TOOL_RESTFUL_API_RESPONSE_PROCESS_ERROR", 182105, ["reason", "card"]),
        ("TOOL_LOCAL_FUNCTION_FUNC_NOT_SUPPORTED", 182200, ["card"]),
        ("TOOL_LOCAL_FUNCTION_EXECUTION_ERROR", 182205, ["method", "reason", "card"]),
        ("TOOL_MCP_CLIENT_NOT_SUPPORTED", 182300, ["card"]),
        ("TOOL_MCP_EXECUTION_ERROR", 182301, ["method", "reason", "card"]),
        ("TOOL_OPENAPI_CLIENT_EXECUTION_ERROR", 182400, ["reason"]),
        ("TOOL_WEB_SEARCH_ENGINE_ERROR", 182600, ["engine", "reason"]),
        ("TOOL_WEB_SEARCH_ALL_ENGINES_FAILED", 182601, ["errors"]),
        ("TOOL_WEB_API_KEY_NOT_SET", 182602, ["key_name"]),
        ("TOOL_WEB_FETCH_EXECUTION_ERROR", 182603, ["url", "reason"]),
        ("COMMON_SSL_CONTEXT_INIT_FAILED", 188000, ["error_msg"]),
        ("COMMON_URL_INPUT_INVALID", 188004, ["error_msg"]),
        ("COMMON_SSL_CERT_INVALID", 188005, ["error_msg"]),
        ("SCHEMA_VALIDATE_INVALID", 189001, ["reason", "data"]),
        ("SCHEMA_FORMAT_INVALID", 189002, ["reason", "data"]),
        ("CALLBACK_EXECUTION_ABORTED", 110600, ["reason"]),
    ],
)
def test_every_status_has_its_code_and_its_message_holds_its_facts(
    name: str, code: int, facts: list[str]
) -> None:
    status = StatusCode[name]
    error = fault(status, **{each: f"<<{each}>>" for each in facts})

    assert error.code == status.code == code
    assert str(error).startswith(f"[{code}] ")
    for each in facts:
        assert f"<<{each}>>" in str(error)


def test_no_two_statuses_share_a_code() -> None:
    codes = [each.code for each in StatusCode]

    assert len(codes) == len(set(codes)) == 25


def test_a_fact_that_was_not_given_is_named() -> None:
    assert "<missing:reason>" in str(fault(StatusCode.TOOL_CARD_INVALID, card=ToolCard("a")))


def test_a_page_of_data_is_cut_in_the_message_and_kept_in_the_params() -> None:
    error = fault(StatusCode.SCHEMA_FORMAT_INVALID, reason="r", data="x" * 5000)

    assert len(str(error)) < 500
    assert error.params["data"] == "x" * 5000


@pytest.mark.parametrize(
    ("status", "kind", "recoverable", "fatal"),
    [
        (StatusCode.TOOL_CARD_INVALID, ValidationFault, False, False),
        (StatusCode.TOOL_STREAM_NOT_SUPPORTED, ValidationFault, False, False),
        (StatusCode.TOOL_RESTFUL_API_CARD_CONFIG_INVALID, ValidationFault, False, False),
        (StatusCode.SCHEMA_FORMAT_INVALID, ValidationFault, False, False),
        (StatusCode.TOOL_RESTFUL_API_EXECUTION_TIMEOUT, ExecutionFault, True, False),
        (StatusCode.TOOL_RESTFUL_API_RESPONSE_PROCESS_ERROR, ExecutionFault, True, False),
        (StatusCode.TOOL_MCP_EXECUTION_ERROR, ExecutionFault, True, False),
        (StatusCode.TOOL_EXECUTION_ERROR, ToolFault, True, False),
        (StatusCode.CALLBACK_EXECUTION_ABORTED, FrameworkFault, False, True),
        (StatusCode.TOOL_WEB_API_KEY_NOT_SET, JiuwenError, False, False),
    ],
)
def test_the_class_follows_from_the_name(
    status: StatusCode, kind: type[JiuwenError], recoverable: bool, fatal: bool
) -> None:
    error = fault(status)

    assert type(error) is kind
    assert (error.recoverable, error.fatal) == (recoverable, fatal)


def test_the_map_form_and_the_cause() -> None:
    cause = OSError("no route")
    error = fault(StatusCode.TOOL_EXECUTION_ERROR, cause=cause, details={"a": 1}, card="c", reason="r")

    assert error.cause is cause
    assert error.__cause__ is cause
    assert error.to_dict() == {
        "code": 182012,
        "status": "TOOL_EXECUTION_ERROR",
        "message": "tool failed, card: c, reason: r",
        "params": {"card": "c", "reason": "r"},
        "raw_message": "tool failed, card: {card}, reason: {reason}",
        "details": {"a": 1},
    }


def test_a_message_of_ones_own_takes_the_place_of_the_template() -> None:
    assert str(fault(StatusCode.TOOL_EXECUTION_ERROR, message="out of bread")) == "[182012] out of bread"
