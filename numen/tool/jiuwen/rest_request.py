"""Makes a request out of a card and the inputs of a call."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

if TYPE_CHECKING:
    from numen.tool.jiuwen.restful import RestfulApiCard

PLACEHOLDER = re.compile(r"\{([^{}]+)\}")
LOCATIONS = ("path", "query", "header", "body", "form")
BODY_IN_QUERY = frozenset({"GET", "HEAD", "OPTIONS", "DELETE"})
MASK = "***"

Part = tuple[str | None, str | bytes, str | None]
"""One part of a multipart body: file name, content, content type."""

FormHandler = Callable[[str, Any], Iterable[Part]]


@dataclass
class Placed:
    """The inputs of a call by where they go; form fields also by who makes parts of them."""

    path: dict[str, Any] = field(default_factory=dict)
    query: dict[str, Any] = field(default_factory=dict)
    header: dict[str, Any] = field(default_factory=dict)
    body: dict[str, Any] = field(default_factory=dict)
    form: dict[str, tuple[Any, str]] = field(default_factory=dict)


@dataclass
class Built:
    """What httpx needs for the request, and the URL as it may be shown: without the card's own secrets."""

    method: str
    url: str
    shown_url: str
    headers: dict[str, str]
    content: bytes | None = None
    files: list[tuple[str, Part]] | None = None


def place(inputs: Mapping[str, Any], schema: Mapping[str, Any]) -> Placed:
    """Sort `inputs` by the `location` of their property; without any property all go to the body."""
    placed = Placed()
    properties = schema.get("properties")
    if not properties:
        placed.body.update(inputs)
        return placed
    for key, declared in properties.items():
        if key not in inputs:
            continue
        declared = declared if isinstance(declared, Mapping) else {}
        location = declared.get("location", "body")
        if location == "form":
            placed.form[key] = (inputs[key], str(declared.get("form_handler_type", "default")))
        else:
            getattr(placed, location)[key] = inputs[key]
    return placed


def build(
    card: RestfulApiCard,
    placed: Placed,
    *,
    more_headers: Mapping[str, Any] | None = None,
    more_query: Mapping[str, Any] | None = None,
) -> Built:
    """The request for `placed`. Raises ValueError for a path value that is missing or leaves its place."""
    query = _over(card.queries, placed.query)
    secret = {key for key in query if key not in placed.query or _blank(placed.query[key])}
    if card.method in BODY_IN_QUERY:
        query.update(placed.body)
        secret -= set(placed.body)
    for key, value in (more_query or {}).items():
        query[key] = value
        secret.add(key)
    url = _fill(card.url, _over(card.paths, placed.path))
    headers = {
        str(key): _text(value)
        for key, value in {**_over(card.headers, placed.header), **(more_headers or {})}.items()
        if value is not None
    }
    for key, text in headers.items():
        if any(sign in text for sign in "\r\n\0"):
            raise ValueError(f"header {key} has a line break in it")
    built = Built(card.method, *_with_query(url, query, secret), headers)
    if card.method in BODY_IN_QUERY:
        return built
    if placed.form:
        built.headers = {key: value for key, value in headers.items() if key.lower() != "content-type"}
        built.files = list(_parts(placed))
    elif placed.body:
        built.content = json.dumps(placed.body, ensure_ascii=False).encode()
        if not any(key.lower() == "content-type" for key in headers):
            built.headers["Content-Type"] = "application/json"
    return built


_handlers: dict[str, FormHandler] = {}


def register_form_handler(name: str, handler: FormHandler) -> None:
    """Let properties with `form_handler_type: name` be made parts of a form by `handler`."""
    _handlers[name] = handler


def default_parts(name: str, value: Any) -> Iterable[Part]:
    """Text and numbers as they read, bytes as a file, (file name, bytes[, type]) as that, maps as JSON."""
    if isinstance(value, (bytes, bytearray)):
        yield name, bytes(value), "application/octet-stream"
    elif isinstance(value, tuple) and len(value) in (2, 3) and isinstance(value[1], (bytes, bytearray)):
        yield str(value[0]), bytes(value[1]), str(value[2]) if len(value) == 3 else None
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from default_parts(name, each)
    elif isinstance(value, Mapping):
        yield None, json.dumps(value, ensure_ascii=False), "application/json"
    else:
        yield None, _text(value), None


_handlers["default"] = default_parts


def _parts(placed: Placed) -> Iterable[tuple[str, Part]]:
    for key, value in placed.body.items():
        yield key, (None, json.dumps(value, ensure_ascii=False), "application/json")
    for key, (value, handler) in placed.form.items():
        if not value:
            continue  # an empty field is one that was not filled in
        if handler not in _handlers:
            raise ValueError(f"no form handler is called {handler!r}")
        for part in _handlers[handler](key, value):
            yield key, part


def _fill(url: str, values: Mapping[str, Any]) -> str:
    def value_of(match: re.Match[str]) -> str:
        key = match.group(1)
        if _blank(values.get(key)):
            raise ValueError(f"path parameter {key} is missing")
        text = quote(_text(values[key]), safe="")
        if text in (".", ".."):
            raise ValueError(f"path parameter {key} is {text!r}, which would name another place")
        return text

    return PLACEHOLDER.sub(value_of, url)


def _with_query(url: str, query: Mapping[str, Any], secret: set[str]) -> tuple[str, str]:
    """(the URL with `query` added, the same with the values of `secret` keys masked)."""
    parts = urlsplit(url)
    own = [pair for pair in parse_qsl(parts.query, keep_blank_values=True) if pair[0] not in query]
    asked = [
        (key, _text(each))
        for key, value in query.items()
        for each in (value if isinstance(value, (list, tuple)) else [value])
    ]
    shown = [(key, MASK) for key, _ in own] + [(key, MASK if key in secret else text) for key, text in asked]
    return (
        urlunsplit(parts._replace(query=urlencode([*own, *asked]))),
        urlunsplit(parts._replace(query=urlencode(shown, safe="*"))),
    )


def _over(base: Mapping[str, Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """`base` with the inputs that say something in its place."""
    return {**base, **{key: value for key, value in inputs.items() if not _blank(value)}}


def _blank(value: Any) -> bool:
    return value is None or value == ""


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return ""
    if isinstance(value, (Mapping, list, tuple)):
        return json.dumps(value, ensure_ascii=False)
    return str(value)
