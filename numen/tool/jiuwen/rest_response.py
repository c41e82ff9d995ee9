"""Reads an answer: how much of it, in which encoding, as what."""

from __future__ import annotations

import json
import zlib
from collections.abc import AsyncIterable, Callable, Mapping
from email.message import Message
from typing import Any
from urllib.parse import parse_qs

Parser = Callable[[bytes, str], Any]
"""(body, charset) → value. Raises ValueError for a body that is not what it says."""

HIDDEN_HEADERS = frozenset({"set-cookie", "set-cookie2"})


class TooLarge(Exception):
    """An answer beyond its limit; `seen` is how much of it was looked at or promised."""

    def __init__(self, limit: int, seen: int) -> None:
        super().__init__(f"more than {limit} bytes")
        self.limit = limit
        self.seen = seen


class Unreadable(Exception):
    """An answer that cannot be made sense of. `details` are what is known of it."""

    def __init__(self, message: str, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.details = details


class Body:
    """Collects a body, unpacked, and stops the moment it is too large.

    The limit counts unpacked bytes: a few kilobytes of gzip can hold gigabytes.
    """

    def __init__(self, headers: Mapping[str, str], limit: int) -> None:
        """Raises TooLarge at once when the headers promise more than `limit` bytes."""
        self._limit = limit
        self._unpack = _unpacker(headers.get("content-encoding", ""))
        promised = headers.get("content-length", "")
        if promised.isdigit() and int(promised) > limit:
            raise TooLarge(limit, int(promised))

    async def read(self, chunks: AsyncIterable[bytes]) -> bytes:
        whole = bytearray()
        async for chunk in chunks:
            whole += chunk if self._unpack is None else self._unpacked(chunk, len(whole))
            if len(whole) > self._limit:
                raise TooLarge(self._limit, len(whole))
        return bytes(whole)

    def _unpacked(self, chunk: bytes, so_far: int) -> bytes:
        assert self._unpack is not None
        try:
            part: bytes = self._unpack.decompress(chunk, self._limit + 1 - so_far)
        except zlib.error as error:
            raise Unreadable(f"the answer is badly packed: {error}") from error
        if self._unpack.unconsumed_tail and so_far + len(part) > self._limit:
            raise TooLarge(self._limit, so_far + len(part))
        return part


def parse(headers: Mapping[str, str], body: bytes, status: int) -> Any:
    """The value of a body by its content type. Raises ValueError when it has no reader or does not parse."""
    if status == 204:
        return {}
    kind, charset = content_type(headers.get("content-type", ""))
    parser = parser_of(kind)
    if parser is None:
        raise ValueError(f"nothing here reads {kind}")
    return parser(body, charset)


def content_type(header: str) -> tuple[str, str]:
    """(type, charset) of a header; text/plain and utf-8 where it does not say."""
    message = Message()
    message["content-type"] = header or "text/plain"
    return message.get_content_type(), str(message.get_content_charset() or "utf-8")


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


def _unpacker(encoding: str) -> Any:
    name = encoding.strip().lower()
    if name in ("", "identity"):
        return None
    if name in ("gzip", "x-gzip"):
        return zlib.decompressobj(16 + zlib.MAX_WBITS)
    if name == "deflate":
        return zlib.decompressobj()
    raise Unreadable(f"the answer is packed as {name}, which was not asked for")
