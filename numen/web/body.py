"""Reading the body of an answer: how much of it, in which packing, of which type."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterable, Mapping
from email.message import Message
from typing import Any


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
        """Raises Unreadable at once for a packing that was not asked for."""
        self._limit = limit
        self._unpack = _unpacker(headers.get("content-encoding", ""))
        promised = headers.get("content-length", "")
        self._promised = int(promised) if promised.isdigit() and len(promised) < 20 else 0

    async def read(self, chunks: AsyncIterable[bytes]) -> bytes:
        """All of it. Raises TooLarge, at once when the headers promise more than the limit."""
        if self._promised > self._limit:
            raise TooLarge(self._limit, self._promised)
        body, whole = await self.read_some(chunks)
        if not whole:
            raise TooLarge(self._limit, len(body) + 1)
        return body

    async def read_some(self, chunks: AsyncIterable[bytes]) -> tuple[bytes, bool]:
        """As much of it as the limit allows, and whether that is all. Reads no further than needed."""
        body = bytearray()
        async for chunk in chunks:
            body += chunk if self._unpack is None else self._unpacked(chunk, len(body))
            if len(body) > self._limit:
                return bytes(body[: self._limit]), False
        return bytes(body), True

    def _unpacked(self, chunk: bytes, so_far: int) -> bytes:
        assert self._unpack is not None
        try:
            part: bytes = self._unpack.decompress(chunk, self._limit + 1 - so_far)
        except zlib.error as error:
            raise Unreadable(f"the answer is badly packed: {error}") from error
        return part


def content_type(header: str) -> tuple[str, str]:
    """(type, charset) of a header; text/plain and utf-8 where it does not say."""
    message = Message()
    message["content-type"] = header or "text/plain"
    return message.get_content_type(), str(message.get_content_charset() or "utf-8")


def _unpacker(encoding: str) -> Any:
    name = encoding.strip().lower()
    if name in ("", "identity"):
        return None
    if name in ("gzip", "x-gzip"):
        return zlib.decompressobj(16 + zlib.MAX_WBITS)
    if name == "deflate":
        return zlib.decompressobj()
    raise Unreadable(f"the answer is packed as {name}, which was not asked for")
