"""Reads an answer: in which encoding, as what."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import parse_qs

from numen.web.body import content_type

Parser = Callable[[bytes, str], Any]
"""(body, charset) → value. Raises ValueError for a body that is not what it says."""

HIDDEN_HEADERS = frozenset({"set-cookie", "set-cookie2"})


def parse(headers: Mapping[str, str], body: bytes, status: int) -> Any:
    """The value of a body by its content type. Raises ValueError when it has no reader or does not parse."""
    if status == 204:
        return {}
    kind, charset = content_type(headers.get("content-type", ""))
    parser = parser_of(kind)
    if parser is None:
        raise ValueError(f"nothing here reads {kind}")
    return parser(body, charset)


def register_parser(kind: str, parser: Parser) -> None:
    """Read answers of content type `kind` (lower case) with `parser`."""
    _PARSERS[kind] = parser


def parser_of(kind: str) -> Parser | None:
    parser = _PARSERS.get(kind)
    if parser is not None:
        return parser
    if kind.endswith("+json"):
        return _json
    if kind.startswith("text/") or kind.endswith("+xml"):
        return _text
    return None


def shown_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers of an answer, without those that would let a reader act as the owner."""
    return {key: "***" if key.lower() in HIDDEN_HEADERS else value for key, value in headers.items()}


def _json(body: bytes, charset: str) -> Any:
    if not body.strip():
        return {}
    try:
        return json.loads(_text(body, charset).removeprefix("\ufeff"))
    except RecursionError:
        raise ValueError("it is nested too deep") from None


def _text(body: bytes, charset: str) -> str:
    try:
        return body.decode(charset, errors="replace")
    except LookupError:
        raise ValueError(f"no charset is called {charset!r}") from None


def _form(body: bytes, charset: str) -> dict[str, Any]:
    fields = parse_qs(_text(body, charset), keep_blank_values=True)
    return {key: values[0] if len(values) == 1 else values for key, values in fields.items()}


_PARSERS: dict[str, Parser] = {
    "application/json": _json,
    "text/json": _json,
    "application/javascript": _json,
    "text/javascript": _json,
    "application/x-javascript": _json,
    "application/xml": _text,
    "application/x-www-form-urlencoded": _form,
}
