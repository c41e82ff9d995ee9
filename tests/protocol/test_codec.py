"""The codec: what it makes of good bytes, of bad bytes, and of fields that do not fit."""

from __future__ import annotations

from contextlib import suppress
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol import codec, runtime
from protocol.codec import DecodeError, EncodeError, UnknownPacket
from protocol.framing import varint
from protocol.limits import BULK, ORDINARY
from protocol.nbt import Nbt
from tests.protocol import roundtrip
from tests.protocol.any_fields import AnyFields, Seeded
from tests.protocol.captures import one_of_each
from tests.protocol.roundtrip import EVERY_KIND, Kind


def test_the_tables_have_the_packets_of_protocol_767() -> None:
    sizes = {key: len(codec.packet_names(*key)) for key in codec.VANILLA.schema.packets}
    assert sizes["play", "toClient"] == 124
    assert sizes["play", "toServer"] == 58
    assert sizes["configuration", "toClient"] == 17
    assert sizes["configuration", "toServer"] == 8
    assert sizes["login", "toClient"] == 6
    assert sizes["login", "toServer"] == 5
    assert codec.packet_id("play", "toClient", "map_chunk") == 0x27
    assert codec.packet_id("play", "toClient", "server_links") == 0x7B
    assert codec.packet_id("play", "toServer", "use_item") == 0x39
    assert codec.packet_name("configuration", "toClient", 0x0E) == "select_known_packs"


@pytest.mark.parametrize("kind", EVERY_KIND, ids="/".join)
def test_any_packet_comes_back_as_it_was_sent(kind: Kind) -> None:
    assert roundtrip.run(kind, 10)


# --- bad bytes ---


@pytest.mark.parametrize("packet", one_of_each(), ids=lambda packet: f"{packet.direction}/{packet.name}")
def test_a_packet_cut_short_anywhere_is_refused(packet: Any) -> None:
    body_end = len(packet.payload)
    if packet.name == "custom_payload":  # its last field takes whatever is left
        body_end = packet.payload.index(b"brand") + 5
    for end in range(1, body_end):
        with pytest.raises(DecodeError):
            codec.decode(packet.state, packet.direction, packet.payload[:end])


@pytest.mark.parametrize("packet", one_of_each(), ids=lambda packet: f"{packet.direction}/{packet.name}")
def test_bytes_after_the_last_field_are_refused(packet: Any) -> None:
    if packet.name == "custom_payload":
        return
    with pytest.raises(DecodeError, match="bytes after the last field"):
        codec.decode(packet.state, packet.direction, packet.payload + b"\0\0")


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("entity_destroy", "ffffffff07"),  # two billion entities
        ("entity_destroy", "ffffffff0f"),  # minus one entities
        ("player_remove", "02" + "00" * 16),  # two UUIDs, bytes for one
        ("system_chat", "0900" + "0a7fffffff"),  # a list of two billion compounds
        ("tags", "01" + "01" + "61" + "ffffff7f"),  # tags without end
        ("custom_payload", "ff7f61"),  # a name of 16383 bytes in one
        ("map_chunk", "00000000" * 2 + "00" + "ffffff7f"),  # chunk data longer than the packet
        ("set_slot", "0000000001010500" + "05"),  # five removed components in no bytes
    ],
)
def test_lengths_that_the_bytes_can_not_hold_are_refused(name: str, body: str) -> None:
    payload = bytes((codec.packet_id("play", "toClient", name),)) + bytes.fromhex(body)
    with pytest.raises(DecodeError):
        codec.decode("play", "toClient", payload)


def test_a_packet_makes_no_more_values_than_its_kind_may() -> None:
    def slots(count: int) -> bytes:
        return b"\x13\x00\x00" + varint(count) + bytes(count) + b"\0"

    weight = 16  # of a stack: limits.ORDINARY allows some 15,000 of them, in 15,000 bytes
    fits = ORDINARY.values // weight - 1  # and the carried one
    assert len(codec.decode("play", "toClient", slots(fits)).fields["items"]) == fits
    with pytest.raises(DecodeError, match="more values than a packet may hold"):
        codec.decode("play", "toClient", slots(fits + 2))


def test_tags_count_as_values_before_anyone_parses_them() -> None:
    def empty_compounds(count: int) -> bytes:
        return b"\x6c\x09\x0a" + count.to_bytes(4, "big") + bytes(count) + b"\0"

    codec.decode("play", "toClient", empty_compounds(ORDINARY.values // 8))
    with pytest.raises(DecodeError, match="more tags than a packet may hold"):
        codec.decode("play", "toClient", empty_compounds(ORDINARY.values // 8 + 1))


def test_the_limits_of_one_packet_are_not_what_another_left() -> None:
    for _ in range(3):
        codec.decode("play", "toClient", b"\x6c\x09\x0a" + (20_000).to_bytes(4, "big") + bytes(20_001))


@pytest.mark.parametrize("kind", EVERY_KIND, ids="/".join)
def test_a_packet_is_read_after_one_that_took_all_it_might(kind: Kind) -> None:
    type_ = codec.VANILLA.schema.packets[kind[:2]][codec.packet_id(*kind)][1]
    for seed in range(6):
        fields = AnyFields(codec.VANILLA.schema, Seeded(seed)).packet(type_)
        payload = codec.encode(*kind, fields)
        runtime.budget[0] = 0
        assert codec.decode(*kind[:2], payload).fields == fields


def test_what_brings_registries_may_be_larger() -> None:
    count = 2 * ORDINARY.values // 4  # list items of four units
    payload = b"\x78\x01\x01a\x01\x01b" + varint(count) + b"\5" * count
    tags = codec.decode("play", "toClient", payload).fields["tags"]
    assert len(tags[0]["tags"][0]["entries"]) == count


@pytest.mark.parametrize(
    ("name", "size"), [("chat_suggestions", ORDINARY.size), ("unlock_recipes", BULK.size)]
)
def test_a_packet_has_no_more_bytes_than_its_kind_may(name: str, size: int) -> None:
    payload = bytes((codec.packet_id("play", "toClient", name),)) + bytes(size)
    with pytest.raises(DecodeError, match=f"{size + 1} bytes where {size} are allowed"):
        codec.decode("play", "toClient", payload)


@given(st.binary(max_size=300), st.sampled_from(EVERY_KIND))
@settings(deadline=None, max_examples=300)
def test_arbitrary_bytes_decode_or_raise_decode_error(body: bytes, kind: tuple[str, str, str]) -> None:
    with suppress(DecodeError):
        codec.decode_body(*kind, body)


def test_a_decode_error_says_what_and_where() -> None:
    payload = codec.encode(
        "play", "toClient", "update_health", {"health": 1.0, "food": 2, "foodSaturation": 3.0}
    )
    with pytest.raises(DecodeError) as caught:
        codec.decode("play", "toClient", payload[:-2])
    error = caught.value
    assert (error.state, error.direction, error.packet) == ("play", "toClient", "update_health")
    assert (error.offset, error.size) == (6, 8)
    assert str(error) == "play toClient update_health: ends early (at byte 6 of 8)"


def test_an_unknown_id_is_its_own_error() -> None:
    with pytest.raises(UnknownPacket) as caught:
        codec.decode("login", "toServer", b"\x05")
    assert caught.value.packet == "0x5"
    with pytest.raises(UnknownPacket):
        codec.decode("configuration", "toServer", b"\x08")
    with pytest.raises(UnknownPacket):
        codec.decode("play", "toClient", b"\xff\x01")
    with pytest.raises(DecodeError):
        codec.decode("play", "toClient", b"")


def test_items_within_items_do_not_exhaust_the_stack() -> None:
    nested = bytes.fromhex("0101010034" + "01") * 4000  # a container component with a container ...
    with pytest.raises(DecodeError):
        codec.decode("play", "toClient", b"\x15\x00\x00\x00\x00" + nested)


# --- values ---


def test_values_have_the_promised_python_types() -> None:
    position = codec.decode("play", "toClient", bytes.fromhex("06" + "05" + "fffffb0000001fff" + "03")).fields
    assert position == {"entityId": 5, "location": (-20, -1, 1), "destroyStage": 3}
    fields: dict[str, Any] = {"x": 1.0, "y": 2.0, "z": 3.0, "yaw": 4.0, "pitch": 5.0, "teleportId": 300}
    for flags, number in ((frozenset({"x", "pitch"}), 17), (frozenset({"yaw", "bit_5", "bit_7"}), 168)):
        payload = codec.encode("play", "toClient", "position", {**fields, "flags": flags})
        assert payload[33] == number
        assert codec.decode("play", "toClient", payload).fields["flags"] == flags
        assert codec.encode("play", "toClient", "position", {**fields, "flags": number}) == payload
        assert codec.encode("play", "toClient", "position", {**fields, "flags": list(flags)}) == payload


def test_enumerated_numbers_are_names_and_unknown_ones_stay_numbers() -> None:
    uuid = UUID(int=1)
    fields = codec.decode(
        "play", "toClient", bytes.fromhex("75" + "01" + "02" + "15" + "00" * 9 + "63" + "00" * 9)
    ).fields
    assert [entry["key"] for entry in fields["properties"]] == ["generic.movement_speed", 99]
    assert codec.encode("play", "toClient", "entity_update_attributes", fields)[3] == 0x15
    assert codec.encode("login", "toServer", "login_start", {"username": "a", "playerUUID": uuid})[-1] == 1


def test_nbt_stays_bytes_and_plain_values_are_written() -> None:
    payload = codec.encode(
        "play", "toClient", "system_chat", {"content": {"text": "hi"}, "isActionBar": False}
    )
    content = codec.decode("play", "toClient", payload).fields["content"]
    assert content == Nbt(bytes.fromhex("0a08000474657874000268690" + "0"))
    assert content.value == {"text": "hi"}
    absent = codec.decode("play", "toClient", bytes.fromhex("6e" + "01" + "00"))
    assert absent.fields == {"transactionId": 1, "nbt": None}


def test_optional_fields_may_be_left_out() -> None:
    sent = {"message": "hi", "timestamp": 1, "salt": 2, "offset": 0, "acknowledged": bytes(3)}
    assert codec.encode("play", "toServer", "chat_message", sent) == codec.encode(
        "play", "toServer", "chat_message", {**sent, "signature": None}
    )


# --- fields that do not fit ---


@pytest.mark.parametrize(
    ("name", "fields", "why"),
    [
        ("teleport_confirm", {}, "field teleportId is missing"),
        ("teleport_confirm", {"teleportId": 1, "extra": 2}, "no field extra; it has teleportId"),
        ("teleport_confirm", {"teleportId": 1 << 31}, "does not fit 32 bits"),
        ("teleport_confirm", {"teleportId": "one"}, "not supported"),
        ("teleport_confirm", {"teleportId": 1.0}, "float"),
        ("held_item_slot", {"slotId": 40000}, "format requires"),
        ("update_sign", {"location": (0, 3000, 0)}, "no block position on the wire"),
        ("no_such_packet", {}, "the state has no such packet"),
        (
            "chat_message",
            {"message": "", "timestamp": 0, "salt": 0, "offset": 0, "acknowledged": b"1"},
            "1 bytes where 3 belong",
        ),
    ],
)
def test_fields_that_do_not_fit_are_told(name: str, fields: dict[str, Any], why: str) -> None:
    with pytest.raises(EncodeError, match=why):
        codec.encode("play", "toServer", name, fields)


def test_a_wrong_name_is_told_with_those_there_are() -> None:
    fields = {"entityId": 1, "metadata": [{"key": 0, "type": "bite", "value": 1}]}
    with pytest.raises(EncodeError, match="unknown name 'bite'; there are byte, int"):
        codec.encode("play", "toClient", "entity_metadata", fields)


def test_a_stated_count_must_be_true() -> None:
    item = {"itemCount": 1, "itemId": 5, "addedComponentCount": 1, "removedComponentCount": 0}
    slot = {"slot": 0, "item": {**item, "components": [], "removeComponents": []}}
    with pytest.raises(EncodeError, match="0 items where the packet's own count says 1"):
        codec.encode("play", "toServer", "set_creative_slot", slot)


# --- varints ---


@pytest.mark.parametrize(
    ("value", "data"),
    [
        (0, "00"),
        (127, "7f"),
        (128, "8001"),
        (25565, "ddc701"),
        (2097151, "ffff7f"),
        (2147483647, "ffffffff07"),
        (-1, "ffffffff0f"),
        (-2147483648, "8080808008"),
    ],
)
def test_known_varints(value: int, data: str) -> None:
    out = bytearray()
    runtime.write_varint(out, value)
    assert out.hex() == data
    assert runtime.read_varint(bytes(out), 0) == (value, len(out))


@given(st.integers(-(2**31), 2**31 - 1))
def test_varints_come_back(value: int) -> None:
    out = bytearray()
    runtime.write_varint(out, value)
    assert runtime.read_varint(bytes(out), 0) == (value, len(out))
    assert runtime.read_varints(bytes(out) * 3, 0, 3) == ([value] * 3, 3 * len(out))


@given(st.integers(-(2**63), 2**63 - 1))
def test_varlongs_come_back(value: int) -> None:
    out = bytearray()
    runtime.write_varlong(out, value)
    assert runtime.read_varlong(bytes(out), 0) == (value, len(out))


def test_endless_varints_are_refused() -> None:
    with pytest.raises(runtime.Fault):
        runtime.read_varint(b"\x80" * 6, 0)
    with pytest.raises(runtime.Fault):
        runtime.read_varlong(b"\x80" * 11, 0)
