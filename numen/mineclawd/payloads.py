"""The payloads of MineClawd's channels of custom payloads, in both directions.

A string is a varint of its length in bytes and UTF-8. On 1.21.1 Architectury wraps a body into byte arrays:
there are none, one or two lengths before it, and each is stripped as long as what is left still is longer
than the channel's body. Nothing here raises but `Malformed`; `read` makes that a line in the log.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal

log = logging.getLogger(__name__)

NAMESPACE: Final = "mineclawd"
CLIENT_READY: Final = "mineclawd:client_ready"
CLIENT_GUI_PREF: Final = "mineclawd:client_gui_pref"
QUESTION_RESPONSE: Final = "mineclawd:question_response"
OPEN_CONFIG: Final = "mineclawd:open_config"
SYNC_BROADCAST_TARGET: Final = "mineclawd:sync_broadcast_target"
SYNC_ASSISTIVE_TOUCH: Final = "mineclawd:sync_assistive_touch"
SYNC_DYNAMIC_CONTENT: Final = "mineclawd:sync_dynamic_content"
OPEN_QUESTION: Final = "mineclawd:open_question"
OPEN_SESSIONS: Final = "mineclawd:open_sessions"
OPEN_ASSETS: Final = "mineclawd:open_assets"
OPEN_HISTORY_BOOK: Final = "mineclawd:open_history_book"
AGENT_STREAM_EVENT: Final = "mineclawd:agent_stream_event"

TO_SERVER: Final = (CLIENT_READY, CLIENT_GUI_PREF, QUESTION_RESPONSE)

SHORT: Final = 64
USUAL: Final = 32_767
LARGE: Final = 262_144

Answer = Literal["option", "other", "skip"]


class Malformed(ValueError):
    """These bytes are no payload of that channel."""


@dataclass(frozen=True, slots=True)
class Flag:
    """A yes or no: whether a client shows windows, or wants the overlay."""

    on: bool


@dataclass(frozen=True, slots=True)
class Text:
    """One word: to whom requests are shown (`self`, `all`, `ops`)."""

    text: str


@dataclass(frozen=True, slots=True)
class Document:
    """A JSON object, as it was sent."""

    value: dict[str, Any]


@dataclass(frozen=True, slots=True, repr=False)
class ServerConfig:
    """The server's configuration. It has keys in clear, and therefore no repr."""

    target: str
    value: dict[str, Any]


@dataclass(frozen=True, slots=True)
class AskedByServer:
    """A question of the agent on the server. `options` has its `Other` already."""

    id: str
    question: str
    options: tuple[str, ...]
    expires_at_ms: int


@dataclass(frozen=True, slots=True)
class QuestionResponse:
    """An answer. `index` counts from 0; -1 where no option was chosen."""

    id: str
    type: Answer
    index: int = -1
    value: str = ""


@dataclass(frozen=True, slots=True)
class StreamEvent:
    """One event of the live stream of an agent that runs on the server. `kind` is its number."""

    request_id: str
    kind: int
    payload: str


Body = Flag | Text | Document | ServerConfig | AskedByServer | QuestionResponse | StreamEvent


def read(channel: str, data: bytes) -> Body | None:
    """What came on `channel`; None, and a line in the log, where that can't be read."""
    try:
        return decode(channel, data)
    except Malformed as error:
        log.warning("a payload of %d bytes on %s is dropped: %s", len(data), channel, error)
        return None


def decode(channel: str, data: bytes) -> Body:
    """What came on `channel`, with none, one or two lengths before it. Raises Malformed."""
    reader = _READERS.get(channel)
    if reader is None:
        raise Malformed(f"{channel} is no channel that we know")
    problem = Malformed("there is nothing in it")
    # The most wrapped reading first: its lengths fit only by design, while a bare body may begin like one.
    for body in reversed(_unwrapped(data)):
        try:
            return reader(body)
        except Malformed as error:
            problem = error
    raise problem


def encode_flag(on: bool, *, wraps: int = 2) -> bytes:
    """The payload of `client_ready` and of `client_gui_pref`."""
    return _wrapped(bytes((on,)), wraps)


def encode_question_response(response: QuestionResponse, *, wraps: int = 2) -> bytes:
    """The payload of `question_response`. ValueError where it is longer than 32,767 characters."""
    value = {
        "questionId": response.id,
        "type": response.type,
        "optionIndex": response.index,
        "value": response.value,
    }
    text = json.dumps(value, ensure_ascii=False)
    if len(text) > USUAL:
        raise ValueError("the answer is too long for the channel")
    raw = text.encode("utf-8", "replace")
    return _wrapped(_varint(len(raw)) + raw, wraps)


def _wrapped(body: bytes, wraps: int) -> bytes:
    for _ in range(wraps):
        body = _varint(len(body)) + body
    return body


def _unwrapped(data: bytes) -> list[bytes]:
    """`data`, and what is left of it without one and without two lengths, as far as these are there."""
    found = [data]
    while len(found) < 3:
        try:
            length, at = _read_varint(found[-1], 0)
        except Malformed:
            break
        if length != len(found[-1]) - at:
            break
        found.append(found[-1][at:])
    return found


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 35, 7):
        if at >= len(data):
            raise Malformed("it ends within a number")
        value |= (data[at] & 0x7F) << shift
        at += 1
        if not data[at - 1] & 0x80:
            return value, at
    raise Malformed("a number has more than five bytes")


def _string(data: bytes, at: int, longest: int) -> tuple[str, int]:
    """A string of at most `longest` characters."""
    length, at = _read_varint(data, at)
    if length > 3 * longest or at + length > len(data):
        raise Malformed(f"a text of {length} bytes does not fit")
    try:
        text = data[at : at + length].decode("utf-8")
    except UnicodeDecodeError:
        raise Malformed("a text is not UTF-8") from None
    if len(text) > longest:
        raise Malformed(f"a text has more than {longest} characters")
    return text, at + length


def _end(data: bytes, at: int) -> None:
    if at != len(data):
        raise Malformed(f"{len(data) - at} bytes are left over")


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise Malformed("it is not JSON") from None
    if not isinstance(value, dict):
        raise Malformed("it is no JSON object")
    return value


def _whole(value: object, default: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else default


def _flag(data: bytes) -> Flag:
    if data not in (b"\0", b"\1"):
        raise Malformed("it is neither yes nor no")
    return Flag(data == b"\1")


def _ready(data: bytes) -> Flag:
    return _flag(data or b"\1")


def _text(data: bytes) -> Text:
    text, at = _string(data, 0, SHORT)
    _end(data, at)
    return Text(text)


def _document(longest: int) -> Callable[[bytes], Document]:
    def reader(data: bytes) -> Document:
        text, at = _string(data, 0, longest)
        _end(data, at)
        return Document(_object(text))

    return reader


def _config(data: bytes) -> ServerConfig:
    target, at = _string(data, 0, SHORT)
    text, at = _string(data, at, USUAL)
    _end(data, at)
    return ServerConfig(target, _object(text))


def _question(data: bytes) -> AskedByServer:
    value = _document(USUAL)(data).value
    options = value.get("options")
    if not isinstance(value.get("questionId"), str) or not isinstance(options, list):
        raise Malformed("the question has no id or no options")
    return AskedByServer(
        id=value["questionId"],
        question=str(value.get("question", "")),
        options=tuple(str(each) for each in options),
        expires_at_ms=_whole(value.get("expiresAtEpochMillis"), 0),
    )


def _response(data: bytes) -> QuestionResponse:
    value = _document(USUAL)(data).value
    kind = value.get("type")
    if kind not in ("option", "other", "skip"):
        raise Malformed("the answer is of no known type")
    index = _whole(value.get("optionIndex"), -1)
    return QuestionResponse(str(value.get("questionId", "")), kind, index, str(value.get("value", "")))


def _stream(data: bytes) -> StreamEvent:
    request_id, at = _string(data, 0, SHORT)
    if at >= len(data):
        raise Malformed("it ends before the kind")
    payload, end = _string(data, at + 1, USUAL)
    _end(data, end)
    return StreamEvent(request_id, data[at], payload)


_READERS: Final[dict[str, Callable[[bytes], Body]]] = {
    CLIENT_READY: _ready,
    CLIENT_GUI_PREF: _flag,
    QUESTION_RESPONSE: _response,
    OPEN_CONFIG: _config,
    SYNC_BROADCAST_TARGET: _text,
    SYNC_ASSISTIVE_TOUCH: _flag,
    SYNC_DYNAMIC_CONTENT: _document(USUAL),
    OPEN_QUESTION: _question,
    OPEN_SESSIONS: _document(LARGE),
    OPEN_ASSETS: _document(LARGE),
    OPEN_HISTORY_BOOK: _document(LARGE),
    AGENT_STREAM_EVENT: _stream,
}
TO_CLIENT: Final = tuple(channel for channel in _READERS if channel not in TO_SERVER)
