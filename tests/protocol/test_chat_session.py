"""Saying things so that a server that checks everything takes them.

The checks are those of vanilla 1.21.1's server, written here from its rules and not from our sending.
"""

from __future__ import annotations

import asyncio
import hashlib
import struct
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.serialization import load_der_public_key

from numen.testing.link import LOGIN, InMemoryPair
from protocol.chat_session import LastSeen, SignatureCache, signed_bytes
from protocol.connection import ConnectionOptions
from protocol.nbt import Nbt
from protocol.player_keys import PlayerKeys
from protocol.server import ServerConnection, ServerOptions
from tests.protocol.account_services import certificate
from tests.protocol.test_command_tree import TREE

OTHER = UUID(int=7)
ENFORCED = {**LOGIN, "enforcesSecureChat": True}


def signature(number: int) -> bytes:
    return hashlib.sha256(str(number).encode()).digest() * 8


def keys(expires: str = "2100-01-02T00:00:00Z", refresh: str = "2100-01-01T00:00:00Z") -> PlayerKeys:
    return PlayerKeys.from_json(certificate(expires, refresh))


class Refused(AssertionError):
    """What a vanilla server ends a connection for, or answers with instead of the message."""


class Judge:
    """A server's view of one player's chat."""

    def __init__(self) -> None:
        #: Signatures sent to the player; None for those he did not acknowledge. The first 20 are the window.
        self.tracked: list[tuple[bytes, bool] | None] = [None] * 20
        self.session: dict[str, Any] | None = None
        self.index = 0
        self.last_time = 0
        self.said: list[str] = []

    def sent(self, signature: bytes) -> None:
        self.tracked.append((signature, True))
        if len(self.tracked) > 4096:
            raise Refused("too_many_pending_chats")

    def acknowledge(self, fields: dict[str, Any]) -> None:
        self.skip(fields["count"])

    def skip(self, offset: int) -> None:
        if not 0 <= offset <= len(self.tracked) - 20:
            raise Refused("chat_validation_failed: offset")
        del self.tracked[:offset]

    def seen(self, offset: int, acknowledged: bytes) -> list[bytes]:
        self.skip(offset)
        found = []
        bits = int.from_bytes(acknowledged, "little")
        if bits >> 20:
            raise Refused("chat_validation_failed: more than 20")
        for place in range(20):
            entry = self.tracked[place]
            if bits >> place & 1:
                if entry is None:
                    raise Refused("chat_validation_failed: never sent")
                self.tracked[place] = (entry[0], False)
                found.append(entry[0])
            else:
                if entry is not None and not entry[1]:
                    raise Refused("chat_validation_failed: acknowledged before")
                self.tracked[place] = None
        return found

    def start(self, fields: dict[str, Any]) -> None:
        self.session, self.index = fields, 0

    def verify(
        self, player: UUID, text: str, time: int, salt: int, seen: list[bytes], given: bytes | None
    ) -> None:
        if time < self.last_time:
            raise Refused("out_of_order_chat")
        self.last_time = time
        if self.session is None or given is None:
            raise Refused("missingProfileKey")
        content = text.encode()
        data = b"\0\0\0\1" + player.bytes + self.session["sessionUUID"].bytes + self.index.to_bytes(4, "big")
        data += struct.pack(">qq", salt, time // 1000) + len(content).to_bytes(4, "big") + content
        data += len(seen).to_bytes(4, "big") + b"".join(seen)
        key: Any = load_der_public_key(self.session["publicKey"])
        try:
            key.verify(given, data, padding.PKCS1v15(), hashes.SHA256())
        except InvalidSignature:
            raise Refused("invalid_signature") from None
        self.index += 1


class Yard:
    """A pair in play whose server judges all chat."""

    def __init__(self, options: ConnectionOptions, *, enforced: bool = True, encrypt: bool = True) -> None:
        self.judge = Judge()
        self.commands: list[tuple[str, dict[str, str]]] = []
        self.enforced = enforced
        self.told: list[str] = []

        def on_play(server: ServerConnection) -> None:
            self.judge = Judge()
            server.send("login", **{**LOGIN, "enforcesSecureChat": enforced})
            server.subscribe("chat_message", self.message)
            server.subscribe("chat_command", lambda fields: self.commands.append((fields["command"], {})))
            server.subscribe("chat_command_signed", self.command)
            server.subscribe("chat_session_update", self.judge.start)
            server.subscribe("message_acknowledgement", self.judge.acknowledge)
            server.send("declare_commands", **TREE)

        self.pair = InMemoryPair(
            options=options, on_play=on_play, server_options=ServerOptions(encrypt=encrypt)
        ).join()
        self.pair.client.subscribe("update_health", lambda fields: None)
        self.client, self.chat = self.pair.client, self.pair.client.chat
        self.pair.pump()

    def message(self, fields: dict[str, Any]) -> None:
        seen = self.judge.seen(fields["offset"], fields["acknowledged"])
        if self.enforced or self.judge.session is not None:
            where = (fields["timestamp"], fields["salt"], seen, fields["signature"])
            self.judge.verify(self.pair.server.uuid, fields["message"], *where)
        self.judge.said.append(fields["message"])

    def command(self, fields: dict[str, Any]) -> None:
        seen = self.judge.seen(fields["messageCount"], fields["acknowledged"])
        texts = dict(part.split("=", 1) for part in self.expected)
        for each in fields["argumentSignatures"]:
            text = texts[each["argumentName"]]
            where = (fields["timestamp"], fields["salt"], seen, each["signature"])
            self.judge.verify(self.pair.server.uuid, text, *where)
        self.commands.append((fields["command"], texts))

    expected: tuple[str, ...] = ()

    def hear(self, number: int, *, before: tuple[dict[str, Any], ...] = (), signed: bool = True) -> None:
        """Someone says something."""
        sign = signature(number) if signed else None
        if sign is not None:
            self.judge.sent(sign)
        self.pair.server.send(
            "player_chat",
            senderUuid=OTHER,
            index=number,
            signature=sign,
            plainMessage=f"message {number}",
            timestamp=0,
            salt=0,
            previousMessages=list(before),
            unsignedChatContent=None,
            filterType=0,
            type={"chatType": 1},
            networkName={"text": "Other"},
            networkTargetName=None,
        )

    def hear_unreadable(
        self, number: int, *, before: list[dict[str, Any]], rest: bytes, keep: int | None = None
    ) -> None:
        """Someone says something, signed, in a packet that goes on with `rest`, or is cut after `keep`
        bytes."""
        text = f"message {number}".encode()
        body = OTHER.bytes + bytes([number, 1]) + signature(number) + bytes([len(text)]) + text + bytes(16)
        body += bytes([len(before)])
        body += b"".join(bytes([each["id"]]) + (each["signature"] or b"") for each in before)
        whole = (body + rest)[:keep]
        if len(whole) >= 18 + 256:
            self.judge.sent(signature(number))
        self.pair.server.send_packet("player_chat", whole)

    async def settle(self) -> None:
        """Let keys arrive and bytes move."""
        for _ in range(4):
            await asyncio.sleep(0)
            self.pair.pump()
        assert not self.pair.server.failures, self.pair.server.failures


async def signed_yard(**more: Any) -> Yard:
    async def fetch() -> PlayerKeys:
        return keys()

    yard = Yard(ConnectionOptions(player_keys=fetch), **more)
    await yard.settle()
    return yard


# --- signed ------------------------------------------------------------------------------------------------


async def test_a_session_is_opened_with_the_accounts_key() -> None:
    yard = await signed_yard()
    session = yard.judge.session
    assert session is not None
    assert (session["publicKey"], session["signature"]) == (keys().public, keys().certificate)
    assert session["expireTime"] == keys().expires_at
    assert yard.chat.signed


async def test_signed_messages_are_taken_one_after_the_other() -> None:
    yard = await signed_yard()
    for text in ("hello", "mit Umlaut: ü", "汉字 and 🙂"):
        yard.chat.say(text)
    await yard.settle()
    assert yard.judge.said == ["hello", "mit Umlaut: ü", "汉字 and 🙂"]


async def test_what_was_seen_is_acknowledged_and_signed() -> None:
    yard = await signed_yard()
    number = iter(range(1000))
    for count in (1, 3, 0, 19, 20, 21, 45):
        for _ in range(count):
            yard.hear(next(number))
        await yard.settle()
        yard.chat.say(f"after {count}")
        await yard.settle()
    assert len(yard.judge.said) == 7


async def test_many_unsaid_messages_are_acknowledged_without_a_word() -> None:
    yard = await signed_yard()
    for number in range(10_000):
        yard.hear(number)
        if number % 50 == 0:
            yard.pair.pump()
    await yard.settle()
    assert len(yard.judge.tracked) < 20 + 65 + 50
    yard.chat.say("still here")
    await yard.settle()
    assert yard.judge.said == ["still here"]


async def test_unsigned_messages_and_repetitions_do_not_count() -> None:
    yard = await signed_yard()
    yard.hear(1)
    yard.hear(2, signed=False)
    yard.pair.pump()
    yard.judge.tracked.pop()
    yard.hear(1)
    await yard.settle()
    yard.chat.say("one")
    await yard.settle()
    assert yard.judge.said == ["one"]


async def test_messages_that_can_not_be_read_count_all_the_same() -> None:
    """Of each the server keeps the signature, and would end the connection over a wrong count."""
    yard = await signed_yard()
    yard.hear(0)
    for number in range(1, 30):
        by_number: list[dict[str, Any]] = [
            {"id": 1, "signature": None},
            {"id": 0, "signature": signature(500 + number)},
        ]
        yard.hear_unreadable(number, before=by_number, rest=b"\x01\x0d what no reader knows")
        yard.hear(100 + number)
        await yard.settle()
        yard.chat.say(f"after {number}")
        await yard.settle()
    assert yard.client.dropped == {"player_chat": 29}
    assert len(yard.judge.said) == 29
    assert len(yard.judge.tracked) == 20


async def test_signatures_named_by_number_are_found_after_an_unreadable_message() -> None:
    yard = await signed_yard()
    yard.hear(1)
    before = [{"id": 0, "signature": signature(2)}]
    yard.hear_unreadable(3, before=before, rest=b"\x01\x0d")
    # what the server holds now, newest first: 3, 2, 1
    yard.pair.server.send("hide_message", id=3, signature=None)
    await yard.settle()
    yard.chat.say("one")
    await yard.settle()
    assert [entry and entry[0] for entry in yard.judge.tracked[18:]] == [None, signature(3)]


@pytest.mark.parametrize("kept", [0, 5, 17, 18, 40, 274, 280, 297, 300, 303, 400])
async def test_a_message_cut_short_counts_when_its_signature_is_whole(kept: int) -> None:
    yard = await signed_yard()
    before = [{"id": 0, "signature": signature(2)}]
    yard.hear_unreadable(3, before=before, rest=b"", keep=kept)
    await yard.settle()
    yard.chat.say("one")
    await yard.settle()
    whole = kept >= 16 + 1 + 1 + 256
    assert yard.judge.said == ["one"]
    assert [entry and entry[0] for entry in yard.judge.tracked[19:]] == [signature(3) if whole else None]


async def test_a_message_taken_back_before_we_told_of_it_is_not_told() -> None:
    yard = await signed_yard()
    for number in range(3):
        yard.hear(number)
    # the server names it by its place among the latest signatures: 0 newest, so 2 is two before that
    yard.pair.server.send("hide_message", id=2, signature=None)
    await yard.settle()
    yard.chat.say("one")
    await yard.settle()
    assert [entry and entry[0] for entry in yard.judge.tracked[17:]] == [signature(0), None, signature(2)]
    yard.pair.server.send("hide_message", id=0, signature=signature(2))
    await yard.settle()
    yard.chat.say("two")
    await yard.settle()
    assert yard.judge.said == ["one", "two"]


async def test_time_never_goes_back() -> None:
    yard = await signed_yard()
    times = iter([5_000, 4_000, 4_000, 9_000])
    yard.chat._now_ms = lambda: next(times)
    yard.chat._look_at_keys = lambda: None
    for text in "abcd":
        yard.chat.say(text)
    await yard.settle()
    assert yard.judge.said == list("abcd")
    assert yard.judge.last_time == 9_000


async def test_messages_inside_commands_are_signed() -> None:
    yard = await signed_yard()
    yard.expected = ("message=hello there",)
    yard.chat.command("msg Ann hello there")
    await yard.settle()
    yard.expected = ("action=waves",)
    yard.chat.command("me waves")
    yard.chat.say("in between")
    await yard.settle()
    assert [command for command, _ in yard.commands] == ["msg Ann hello there", "me waves"]
    assert yard.judge.said == ["in between"]
    assert yard.judge.index == 3


async def test_other_commands_go_as_they_are() -> None:
    yard = await signed_yard()
    yard.chat.command("tp 1 2 3")
    await yard.settle()
    assert yard.commands == [("tp 1 2 3", {})]
    assert yard.judge.index == 0


async def test_a_new_tree_replaces_the_old_one() -> None:
    yard = await signed_yard()
    assert yard.chat._signed_arguments("msg Ann hi")
    yard.pair.server.send("declare_commands", nodes=TREE["nodes"][:1], rootIndex=0)
    await yard.settle()
    assert yard.chat._signed_arguments("msg Ann hi") == []


async def test_a_tree_that_can_not_be_read_signs_nothing() -> None:
    yard = await signed_yard()
    yard.pair.server.send_packet("declare_commands", b"\x01\x02\x00\x01a\x7f")
    await yard.settle()
    yard.chat.command("msg Ann hi")
    await yard.settle()
    assert yard.commands[-1] == ("msg Ann hi", {})
    assert yard.client.dropped == {"declare_commands": 1}


# --- keys --------------------------------------------------------------------------------------------------


async def test_what_is_said_before_the_keys_come_waits_and_keeps_its_order() -> None:
    come: asyncio.Future[PlayerKeys] = asyncio.get_running_loop().create_future()

    async def fetch() -> PlayerKeys:
        return await come

    yard = Yard(ConnectionOptions(player_keys=fetch))
    yard.chat.say("one")
    yard.chat.command("tp 1 2 3")
    await yard.settle()
    assert (yard.judge.said, yard.commands) == ([], [])
    come.set_result(keys())
    await yard.settle()
    yard.chat.say("two")
    await yard.settle()
    assert (yard.judge.said, yard.commands) == (["one", "two"], [("tp 1 2 3", {})])


async def test_keys_are_renewed_in_time_and_the_chain_begins_anew() -> None:
    given: Iterator[PlayerKeys] = iter([keys(), keys("2100-02-02T00:00:00Z", "2100-02-01T00:00:00Z")])

    async def fetch() -> PlayerKeys:
        return next(given)

    yard = Yard(ConnectionOptions(player_keys=fetch))
    await yard.settle()
    yard.chat.say("one")
    await yard.settle()
    assert yard.judge.session is not None
    first = yard.judge.session["sessionUUID"]
    # the pair is the same here, so only its expiry tells the new one
    yard.chat._session.keys = PlayerKeys(keys().private, b"old", b"", keys().expires_at, 0)  # type: ignore[union-attr]
    yard.chat._try_again_at = 0
    yard.chat.say("two")
    await yard.settle()
    yard.chat.say("three")
    await yard.settle()
    assert yard.judge.said == ["one", "two", "three"]
    assert yard.judge.session["sessionUUID"] != first
    assert yard.judge.index == 1


async def test_without_an_encrypted_link_no_key_is_sent() -> None:
    yard = await signed_yard(enforced=False, encrypt=False)
    yard.chat.say("plain")
    await yard.settle()
    assert yard.judge.session is None
    assert yard.judge.said == ["plain"]


async def test_keys_that_do_not_come_are_said_where_they_are_needed() -> None:
    async def fetch() -> PlayerKeys:
        raise ConnectionError("The account service is asleep.")

    yard = Yard(ConnectionOptions(player_keys=fetch))
    await yard.settle()
    assert yard.chat.why_not("hello") == (
        "The server takes signed chat only, and it can't be signed: The account service is asleep."
    )
    relaxed = Yard(ConnectionOptions(player_keys=fetch), enforced=False)
    await relaxed.settle()
    assert relaxed.chat.why_not("hello") is None
    relaxed.chat.say("hello")
    await relaxed.settle()
    assert relaxed.judge.said == ["hello"]


# --- unsigned ----------------------------------------------------------------------------------------------


async def test_without_an_account_chat_goes_unsigned_and_acknowledges_all_the_same() -> None:
    yard = Yard(ConnectionOptions(), enforced=False, encrypt=False)
    for number in range(30):
        yard.hear(number)
    await yard.settle()
    yard.chat.say("hi")
    yard.chat.command("msg Ann hi")
    await yard.settle()
    assert yard.judge.said == ["hi"]
    assert yard.commands == [("msg Ann hi", {})]
    assert len(yard.judge.tracked) == 20


async def test_a_server_that_takes_signed_chat_only_is_told_of_before_anything_is_sent() -> None:
    yard = Yard(ConnectionOptions(), encrypt=False)
    reason = yard.chat.why_not("hello")
    assert reason is not None
    assert "no Minecraft account to sign with" in reason
    assert yard.chat.why_not("/msg Ann hello") == reason
    assert yard.chat.why_not("/tp 1 2 3") is None


# --- beginning anew ----------------------------------------------------------------------------------------


async def test_another_server_behind_a_proxy_begins_anew() -> None:
    yard = await signed_yard()
    for number in range(30):
        yard.hear(number)
    yard.chat.say("there")
    await yard.settle()
    old = yard.judge
    yard.pair.server.reconfigure()
    await yard.settle()
    assert yard.judge is not old
    assert yard.judge.session is not None
    assert old.session is not None
    assert yard.judge.session["sessionUUID"] != old.session["sessionUUID"]
    yard.hear(99)
    await yard.settle()
    yard.chat.say("here")
    await yard.settle()
    assert yard.judge.said == ["here"]


async def test_a_chain_the_server_holds_for_broken_is_told() -> None:
    yard = await signed_yard()
    yard.pair.server.send(
        "system_chat", content={"translate": "chat.disabled.chain_broken"}, isActionBar=False
    )
    await yard.settle()
    reason = yard.chat.why_not("hello")
    assert reason is not None
    assert "must log in again" in reason


# --- parts -------------------------------------------------------------------------------------------------


def test_what_is_signed_byte_by_byte() -> None:
    data = signed_bytes(UUID(int=1), UUID(int=2), 3, "hé", 4_999, -2, (b"\xaa" * 256,))
    assert data == (
        bytes.fromhex("00000001")
        + bytes.fromhex("00000000000000000000000000000001")
        + bytes.fromhex("00000000000000000000000000000002")
        + bytes.fromhex("00000003")
        + bytes.fromhex("fffffffffffffffe")
        + bytes.fromhex("0000000000000004")
        + bytes.fromhex("00000003")
        + "hé".encode()
        + bytes.fromhex("00000001")
        + b"\xaa" * 256
    )


def test_the_window_is_twenty_bits_oldest_first() -> None:
    window = LastSeen()
    assert window.take() == (0, b"\0\0\0", ())
    window.add(b"a")
    window.add(b"b")
    assert window.take() == (2, b"\0\0\x0c", (b"a", b"b"))
    for number in range(25):
        window.add(bytes([number]))
    offset, bits, signatures = window.take()
    assert (offset, bits) == (25, b"\xff\xff\x0f")
    assert signatures == tuple(bytes([number]) for number in range(5, 25))


def test_signatures_are_named_by_how_lately_they_were_seen() -> None:
    cache = SignatureCache()
    cache.push([b"a"])
    cache.push([b"b"])
    cache.push([b"a", b"c"])
    assert [cache.find(number, None) for number in range(1, 5)] == [b"c", b"a", b"b", None]
    assert cache.find(0, b"whole") == b"whole"
    assert cache.find(129, None) is cache.find(-5, None) is None
    for number in range(300):
        cache.push([b"%d" % number])
    assert cache.find(128, None) == b"172"


def test_a_system_message_that_is_no_nbt_at_all_is_no_matter() -> None:
    yard_chat = InMemoryPair().join().client.chat
    yard_chat.told(None)
    yard_chat.told(Nbt.of("chat.disabled.nothing"))
    assert yard_chat.problem is None


@pytest.mark.parametrize("enforced", [False, True])
def test_nobody_needs_a_loop_without_an_account(enforced: bool) -> None:
    pair = InMemoryPair(
        on_play=lambda server: server.send("login", **(ENFORCED if enforced else LOGIN))
    ).join()
    pair.client.subscribe("update_health", lambda fields: None)
    pair.pump()
    assert (pair.client.chat.problem is not None) == enforced
