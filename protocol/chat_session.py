"""Saying things on a connection: signed where an account allows it, acknowledged as the server expects.

Every chat message tells the server which of the last twenty signed messages its sender has seen, and a signed
one carries a signature over that, its own place in the sender's chain, its text and its time (protocol 767).
A server that finds a mistake in either ends the connection, so both are kept here, for one connection, and
begin anew with each login of play.
"""

from __future__ import annotations

import asyncio
import logging
import os
import struct
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Final, NamedTuple, Protocol
from uuid import UUID, uuid4

from protocol.command_tree import SignedArgument, signed_arguments
from protocol.nbt import Nbt
from protocol.player_keys import PlayerKeys
from protocol.runtime import read_varint
from protocol.text import translation_keys

log = logging.getLogger(__name__)

#: Signed messages that a sender tells about.
WINDOW: Final = 20
#: After so many unsaid ones the server is told without waiting for something to say.
ACKNOWLEDGE_AFTER: Final = 64
#: Signatures that packets may name by a number.
CACHE: Final = 128
#: Messages that wait for the account's keys, at most, and for how many seconds.
MAX_WAITING: Final = 64
KEYS_TIMEOUT_S: Final = 20.0
#: Between two tries to get keys.
TRY_AGAIN_MS: Final = 60_000
#: A signature is as long as this (RSA, 2048 bits).
SIGNATURE_BYTES: Final = 256
#: At most so many arguments of a command are signed.
MAX_SIGNED_ARGUMENTS: Final = 8

#: What the server says when it takes no more of our signatures until we log in again.
_BROKEN: Final = frozenset(
    {"chat.disabled.chain_broken", "chat.disabled.invalid_signature", "chat.disabled.out_of_order_chat"}
)
_EXPIRED: Final = "chat.disabled.expiredProfileKey"
#: What reading beyond the end, or a number without one, raises.
_BROKEN_BYTES: Final = (IndexError, ValueError)


class Seen(NamedTuple):
    """What a message says about those before it."""

    #: Signed messages since the last time this was told.
    offset: int
    #: Which of the last twenty were seen, a bit each, oldest first.
    acknowledged: bytes
    #: The signatures of those.
    signatures: tuple[bytes, ...]


class LastSeen:
    """The last twenty signed messages, and how many came since the server was told."""

    def __init__(self) -> None:
        #: Signature and whether the server has not been told of it; None for a place without one.
        self._places: deque[tuple[bytes, bool] | None] = deque([None] * WINDOW, WINDOW)
        self._last: bytes | None = None
        self.offset = 0

    def add(self, signature: bytes) -> bool:
        """A signed message came. False when it is the last one once more."""
        if signature == self._last:
            return False
        self._last = signature
        self._places.append((signature, True))
        self.offset += 1
        return True

    def forget(self, signature: bytes) -> None:
        """A message was taken back. Once the server was told of it, it stays."""
        for place, entry in enumerate(self._places):
            if entry == (signature, True):
                self._places[place] = None
                return

    def take_offset(self) -> int:
        """How many came since the last time this was asked."""
        offset, self.offset = self.offset, 0
        return offset

    def take(self) -> Seen:
        """What the next message says."""
        bits, signatures = 0, []
        for place, entry in enumerate(self._places):
            if entry is not None:
                bits |= 1 << place
                signatures.append(entry[0])
                self._places[place] = (entry[0], False)
        return Seen(self.take_offset(), bits.to_bytes(3, "little"), tuple(signatures))


class SignatureCache:
    """Signatures that both sides know, so that packets may name them by their place."""

    def __init__(self) -> None:
        self._places: list[bytes | None] = [None] * CACHE

    def find(self, number: int, signature: bytes | None) -> bytes | None:
        """A signature that came as a number (0: it came whole). None for a number that nothing stands for."""
        if number == 0:
            return signature
        return self._places[number - 1] if 0 < number <= CACHE else None

    def push(self, signatures: Iterable[bytes]) -> None:
        """The signatures of one message, its own last. They take the first places, the last one the first of
        all; what stood there moves on."""
        moving = deque(signatures)
        fresh = set(moving)
        for place in range(CACHE):
            if not moving:
                return
            before, self._places[place] = self._places[place], moving.pop()
            if before is not None and before not in fresh:
                moving.appendleft(before)


class SigningSession:
    """A chain of signatures of one key, under an id of its own."""

    def __init__(self, sender: UUID, keys: PlayerKeys, session_id: UUID | None = None) -> None:
        self.sender = sender
        self.keys = keys
        self.id = session_id or uuid4()
        self._index = 0

    def sign(self, text: str, timestamp: int, salt: int, seen: Iterable[bytes]) -> bytes:
        """The next signature of the chain, over a text, its time in milliseconds and what was seen before."""
        data = signed_bytes(self.sender, self.id, self._index, text, timestamp, salt, tuple(seen))
        self._index += 1
        return self.keys.sign(data)


def signed_bytes(
    sender: UUID,
    session: UUID,
    index: int,
    text: str,
    timestamp: int,
    salt: int,
    seen: tuple[bytes, ...],
) -> bytes:
    """What a signature is over (protocol 767); of the time only whole seconds."""
    content = text.encode()
    return b"".join(
        (
            struct.pack(">i", 1),
            sender.bytes,
            session.bytes,
            struct.pack(">iqqi", index, salt, timestamp // 1000, len(content)),
            content,
            struct.pack(">i", len(seen)),
            *seen,
        )
    )


class Host(Protocol):
    """What chat needs of its connection."""

    uuid: UUID
    state: Any
    closed: bool

    def send(self, packet: str, /, **fields: Any) -> None: ...
    def latest(self, packet: str) -> dict[str, Any] | None: ...


class Chat:
    """What a companion says on one connection. Texts come cleaned, short enough and not too fast."""

    #: The server takes no unsigned messages.
    enforced: bool
    #: Why nothing can be said at the moment, in one sentence.
    problem: str | None

    def __init__(
        self,
        host: Host,
        keys: Callable[[], Awaitable[PlayerKeys]] | None = None,
        *,
        now_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    ) -> None:
        """`keys` fetches the account's, or raises with a sentence for people. None: everything goes
        unsigned."""
        self._host = host
        self._fetch_keys = keys
        self._now_ms = now_ms
        self._last_timestamp = 0
        self._fetching: asyncio.Task[None] | None = None
        self.reset()

    def reset(self) -> None:
        """Nothing was said or seen yet."""
        self.enforced = False
        self.problem = None
        self._may_sign = False
        self._try_again_at = 0
        self._seen = LastSeen()
        self._cache = SignatureCache()
        self._session: SigningSession | None = None
        self._waiting: deque[Callable[[], None]] = deque()
        if self._fetching is not None:
            self._fetching.cancel()
            self._fetching = None

    close = reset

    def begin(self, *, enforced: bool, encrypted: bool) -> None:
        """Play has begun. Only on an encrypted link will the server take our key."""
        self.reset()
        self.enforced = enforced
        self._may_sign = encrypted and self._fetch_keys is not None
        if self._may_sign:
            self._start_fetching()
        elif enforced:
            self.problem = (
                "The server takes signed chat only (enforce-secure-profile=true), and this companion has no "
                "Minecraft account to sign with."
            )

    @property
    def signed(self) -> bool:
        """What is said now is signed."""
        return self._session is not None

    # --- out -----------------------------------------------------------------------------------------------

    def why_not(self, message: str) -> str | None:
        """Why the server would not take this message, or command with its slash; None when it would. Other
        commands than those that carry a message always work."""
        if self.problem is None or (message.startswith("/") and not self._signed_arguments(message[1:])):
            return None
        return self.problem

    def say(self, message: str) -> None:
        """Say something: at most 256 UTF-16 units, without § and control characters."""
        self._when_ready(lambda: self._say(message))

    def command(self, command: str) -> None:
        """Run a command, without its slash."""
        self._when_ready(lambda: self._command(command))

    def _when_ready(self, send: Callable[[], None]) -> None:
        """Keep the order: while the keys are on their way, what is said waits for them."""
        self._look_at_keys()
        if self._fetching is None or (self._session is not None and not self._waiting):
            send()
        elif len(self._waiting) < MAX_WAITING:
            self._waiting.append(send)

    def _say(self, message: str) -> None:
        timestamp, salt, seen = self._timestamp(), _salt(), self._seen.take()
        signature = None
        if self._session is not None:
            signature = self._session.sign(message, timestamp, salt, seen.signatures)
        self._host.send(
            "chat_message",
            message=message,
            timestamp=timestamp,
            salt=salt,
            signature=signature,
            offset=seen.offset,
            acknowledged=seen.acknowledged,
        )

    def _command(self, command: str) -> None:
        session = self._session
        arguments = self._signed_arguments(command) if session is not None else []
        if session is None or not arguments:
            self._host.send("chat_command", command=command)
            return
        timestamp, salt, seen = self._timestamp(), _salt(), self._seen.take()
        self._host.send(
            "chat_command_signed",
            command=command,
            timestamp=timestamp,
            salt=salt,
            argumentSignatures=[
                {
                    "argumentName": argument.name,
                    "signature": session.sign(argument.text, timestamp, salt, seen.signatures),
                }
                for argument in arguments[:MAX_SIGNED_ARGUMENTS]
            ],
            messageCount=seen.offset,
            acknowledged=seen.acknowledged,
        )

    def _signed_arguments(self, command: str) -> list[SignedArgument]:
        fields = self._host.latest("declare_commands")
        return [] if fields is None else signed_arguments(fields, command)

    def _timestamp(self) -> int:
        """The time in milliseconds, never before the last one: the server takes that for a forgery."""
        self._last_timestamp = max(self._last_timestamp, self._now_ms())
        return self._last_timestamp

    # --- keys ----------------------------------------------------------------------------------------------

    def _look_at_keys(self) -> None:
        """Fetch new keys when the old ones should be renewed; once they have expired, wait for them."""
        now = self._now_ms()
        if not self._may_sign or self._fetching is not None or now < self._try_again_at:
            return
        if self._session is None or now >= self._session.keys.refresh_after:
            self._start_fetching()
        if self._session is not None and now >= self._session.keys.expires_at:
            self._session = None

    def _start_fetching(self) -> None:
        assert self._fetch_keys is not None
        self._try_again_at = self._now_ms() + TRY_AGAIN_MS
        self._fetching = asyncio.ensure_future(self._renew(self._fetch_keys))

    async def _renew(self, fetch: Callable[[], Awaitable[PlayerKeys]]) -> None:
        try:
            async with asyncio.timeout(KEYS_TIMEOUT_S):
                keys = await fetch()
        except Exception as error:
            reason = str(error) or "the account service does not answer."
            log.warning("there are no keys to sign chat with: %s", reason)
            if self.enforced and self._session is None:
                self.problem = f"The server takes signed chat only, and it can't be signed: {reason}"
        else:
            self._use(keys)
        self._fetching = None
        while self._waiting and self._host.state == "play" and not self._host.closed:
            self._waiting.popleft()()

    def _use(self, keys: PlayerKeys) -> None:
        session = self._session
        if self._host.state != "play" or (session is not None and session.keys.public == keys.public):
            return
        self.problem = None
        self._session = SigningSession(self._host.uuid, keys)
        self._host.send(
            "chat_session_update",
            sessionUUID=self._session.id,
            expireTime=keys.expires_at,
            publicKey=keys.public,
            signature=keys.certificate,
        )

    # --- in ------------------------------------------------------------------------------------------------

    def heard(self, fields: dict[str, Any]) -> None:
        """A `player_chat` has come."""
        before = (self._cache.find(each["id"], each.get("signature")) for each in fields["previousMessages"])
        signature: bytes | None = fields["signature"]
        known = [each for each in before if each is not None]
        self._cache.push(known if signature is None else [*known, signature])
        if signature is not None and self._seen.add(signature) and self._seen.offset > ACKNOWLEDGE_AFTER:
            self._host.send("message_acknowledgement", count=self._seen.take_offset())

    def heard_in_part(self, payload: bytes) -> None:
        """A `player_chat` has come that can't be read as a whole. The server counts it as shown all the same,
        so what it says of signatures, which stands before all that may differ, counts here too."""
        found = chat_head(payload)
        if found is not None:
            self.heard(found)

    def taken_back(self, fields: dict[str, Any]) -> None:
        """A `hide_message` has come."""
        signature = self._cache.find(fields["id"], fields.get("signature"))
        if signature is not None:
            self._seen.forget(signature)

    def told(self, content: Any) -> None:
        """A `system_chat` has come: it may say that the server no longer takes what we say."""
        if not (isinstance(content, Nbt) and b"chat.disabled." in content.raw):
            return
        key = next(translation_keys(content), "")
        if key in _BROKEN and self._session is not None:
            self.problem = (
                "The server no longer accepts this companion's signatures; it must log in again to speak."
            )
        elif key == _EXPIRED and self._session is not None:
            self._session = None
            if self._may_sign and self._fetching is None:
                self._start_fetching()


def chat_head(payload: bytes) -> dict[str, Any] | None:
    """The fields `signature` and `previousMessages` of a `player_chat` of which only the beginning must be
    whole. Without readable previous messages it has none; None where not even the signature can be told."""
    try:
        _, at = read_varint(payload, 1 + 16)  # behind the sender
        signed = payload[at]
        signature = payload[at + 1 : at + 1 + SIGNATURE_BYTES] if signed else None
        at += 1 + (SIGNATURE_BYTES if signed else 0)
        if at > len(payload):
            return None
    except _BROKEN_BYTES:
        return None
    try:
        size, at = read_varint(payload, at)
        # behind the text, its time and its salt
        before = _previous(payload, at + size + 16) if size >= 0 else []
    except _BROKEN_BYTES:
        before = []
    return {"signature": signature, "previousMessages": before}


def _previous(payload: bytes, at: int) -> list[dict[str, Any]]:
    count, at = read_varint(payload, at)
    if not 0 <= count <= WINDOW:
        return []
    before: list[dict[str, Any]] = []
    for _ in range(count):
        number, at = read_varint(payload, at)
        whole = number == 0
        before.append({"id": number, "signature": payload[at : at + SIGNATURE_BYTES] if whole else None})
        at += SIGNATURE_BYTES if whole else 0
        if at > len(payload):
            return []
    return before


def _salt() -> int:
    return int.from_bytes(os.urandom(8), "big", signed=True)
