"""The error codes of the tool layer, and the exceptions that carry them.

Numbers, names and the facts in each message are those of openJiuwen's agent core; a caller may branch on
`error.code` whatever language the tool was written for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from typing import Any

MAX_FACT = 300
"""Signs of one fact shown in a message; the whole value stays in `params`."""


class StatusCode(Enum):
    """(number, message with `{facts}`)."""

    CALLBACK_EXECUTION_ABORTED = (110600, "a callback aborted the call, reason: {reason}")

    TOOL_CARD_INVALID = (182000, "tool card is not valid, card: {card}, reason: {reason}")
    TOOL_STREAM_NOT_SUPPORTED = (182010, "this tool cannot stream, use invoke; card: {card}")
    TOOL_INVOKE_NOT_SUPPORTED = (182011, "this tool cannot be invoked, use stream; card: {card}")
    TOOL_EXECUTION_ERROR = (182012, "tool failed, card: {card}, reason: {reason}")

    TOOL_RESTFUL_API_CARD_CONFIG_INVALID = (182100, "restful api is not set up right, reason: {reason}")
    TOOL_RESTFUL_API_EXECUTION_TIMEOUT = (
        182101,
        "restful api {method} gave no answer within {timeout} s, card: {card}",
    )
    TOOL_RESTFUL_API_RESPONSE_SIZE_EXCEED_LIMIT = (
        182102,
        "restful api {method} got too large an answer, at most {max_length} bytes are taken and it has "
        "{actual_length} or more, card: {card}",
    )
    TOOL_RESTFUL_API_RESPONSE_ERROR = (
        182103,
        "restful api {method} was answered with status {code}, reason: {reason}",
    )
    TOOL_RESTFUL_API_EXECUTION_ERROR = (
        182104,
        "restful api {method} failed, reason: {reason}, card: {card}",
    )
    TOOL_RESTFUL_API_RESPONSE_PROCESS_ERROR = (
        182105,
        "restful api got an answer it cannot read, reason: {reason}, card: {card}",
    )

    TOOL_LOCAL_FUNCTION_FUNC_NOT_SUPPORTED = (182200, "local function has no function, card: {card}")
    TOOL_LOCAL_FUNCTION_EXECUTION_ERROR = (
        182205,
        "local function {method} failed, reason: {reason}, card: {card}",
    )

    TOOL_MCP_CLIENT_NOT_SUPPORTED = (182300, "mcp tool has no client, card: {card}")
    TOOL_MCP_EXECUTION_ERROR = (182301, "mcp tool {method} failed, reason: {reason}, card: {card}")

    TOOL_OPENAPI_CLIENT_EXECUTION_ERROR = (182400, "openapi client failed, reason: {reason}")

    TOOL_WEB_SEARCH_ENGINE_ERROR = (182600, "search engine {engine} failed, reason: {reason}")
    TOOL_WEB_SEARCH_ALL_ENGINES_FAILED = (182601, "every search engine failed: {errors}")
    TOOL_WEB_API_KEY_NOT_SET = (182602, "the key {key_name} is not set")
    TOOL_WEB_FETCH_EXECUTION_ERROR = (182603, "{url} could not be fetched, reason: {reason}")

    COMMON_SSL_CONTEXT_INIT_FAILED = (188000, "TLS could not be set up: {error_msg}")
    COMMON_URL_INPUT_INVALID = (188004, "this URL cannot be used: {error_msg}")
    COMMON_SSL_CERT_INVALID = (188005, "this TLS certificate cannot be used: {error_msg}")

    SCHEMA_VALIDATE_INVALID = (
        189001,
        "format data with schema failed, the data does not fit: {reason}, data: {data}",
    )
    SCHEMA_FORMAT_INVALID = (189002, "format data with schema failed: {reason}, data: {data}")

    @property
    def code(self) -> int:
        return self.value[0]

    @property
    def template(self) -> str:
        return self.value[1]


class JiuwenError(Exception):
    """A failure with a code. Build it with `fault`, which picks the class.

    `status` and `code` say what kind it is, `params` holds the facts of the message, `details` anything more,
    `cause` the exception beneath.
    """

    recoverable = False
    """Whether the same tool may well work at the next try."""
    fatal = False
    """Whether the call was stopped from outside rather than failed."""

    def __init__(
        self,
        status: StatusCode,
        params: Mapping[str, Any] | None = None,
        *,
        message: str | None = None,
        details: Any = None,
        cause: BaseException | None = None,
    ) -> None:
        self.status = status
        self.params: dict[str, Any] = dict(params or {})
        self.details = details
        self.cause = cause
        self.message = message or status.template.format_map(_Facts(self.params))
        super().__init__(self.message)
        self.__cause__ = cause

    @property
    def code(self) -> int:
        return self.status.code

    def __str__(self) -> str:
        return f"[{self.code}] {self.message}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "status": self.status.name,
            "message": self.message,
            "params": self.params,
            "raw_message": self.status.template,
            "details": self.details,
        }


class ValidationFault(JiuwenError):
    """A declaration or an input is wrong; trying again changes nothing."""


class ExecutionFault(JiuwenError):
    """The work itself failed."""

    recoverable = True


class ToolFault(JiuwenError):
    """A tool failed in a way of its own."""

    recoverable = True


class FrameworkFault(JiuwenError):
    """A callback stopped the call."""

    fatal = True


class AbortCall(FrameworkFault):
    """Raised in a callback to stop the call it hears of.

    The caller of the tool gets `cause` when there is one, else this.
    """

    def __init__(self, reason: str, cause: BaseException | None = None) -> None:
        super().__init__(StatusCode.CALLBACK_EXECUTION_ABORTED, {"reason": reason}, cause=cause)


_BY_NAME: tuple[tuple[re.Pattern[str], type[JiuwenError]], ...] = (
    (re.compile("^CALLBACK_"), FrameworkFault),
    (re.compile("^TOOL_EXECUTION_ERROR$"), ToolFault),
    (re.compile("INVALID|NOT_SUPPORTED|CONFIG|SCHEMA"), ValidationFault),
    (re.compile("TIMEOUT|EXECUTION|PROCESS|RESPONSE"), ExecutionFault),
)


def fault(
    status: StatusCode,
    *,
    message: str | None = None,
    details: Any = None,
    cause: BaseException | None = None,
    **params: Any,
) -> JiuwenError:
    """The exception for `status`, of the class its name tells; `params` are the facts of its message."""
    kind = next((each for words, each in _BY_NAME if words.search(status.name)), JiuwenError)
    return kind(status, params, message=message, details=details, cause=cause)


class _Facts(dict[str, Any]):
    """Facts for a message: cut to a readable length, and named where they are missing."""

    def __missing__(self, key: str) -> str:
        return f"<missing:{key}>"

    def __getitem__(self, key: str) -> Any:
        text = str(super().__getitem__(key))
        return text if len(text) <= MAX_FACT else text[: MAX_FACT - 1] + "…"
