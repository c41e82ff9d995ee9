"""Named binary tags: known bytes, round trips, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol import codec, nbt
from protocol.nbt import (
    Byte,
    ByteArray,
    Double,
    Float,
    Int,
    IntArray,
    Long,
    LongArray,
    Nbt,
    NbtError,
    Short,
    dumps,
    loads,
)
from tests.protocol.captures import packets

KNOWN = [
    (None, "00"),
    (Byte(-1), "01ff"),
    (True, "0101"),
    (Short(-2), "02fffe"),
    (7, "0300000007"),
    (Long(7), "040000000000000007"),
    (1 << 40, "040000010000000000"),
    (Float(0.5), "053f000000"),
    (0.5, "063fe0000000000000"),
    (b"\x01\x02", "07000000020102"),
    ("é", "080002c3a9"),
    ([], "090000000000"),
    ([1, 2], "0903000000020000000100000002"),
    ({}, "0a00"),
    ({"a": Byte(1), "b": "x"}, "0a" + "01000161" + "01" + "08000162" + "000178" + "00"),
    (IntArray([1, -1]), "0b0000000200000001ffffffff"),
    (LongArray([1]), "0c000000010000000000000001"),
]


@pytest.mark.parametrize(("value", "data"), KNOWN, ids=[data for _, data in KNOWN])
def test_known_tags(value: Any, data: str) -> None:
    assert dumps(value).hex() == data
    assert loads(bytes.fromhex(data)) == value
    assert nbt.skip(bytes.fromhex("ee" + data + "ee"), 1) == 1 + len(data) // 2


def test_plain_values_are_plain() -> None:
    value = loads(
        dumps({"b": Byte(1), "f": Float(0.5), "i": IntArray([1]), "l": [Short(2)], "y": ByteArray(b"z")})
    )
    assert {type(item) for item in value.values()} == {int, float, list, bytes}
    assert type(value["l"][0]) is int


def test_typed_values_write_the_same_bytes_again() -> None:
    tags = {"b": Byte(1), "s": Short(2), "i": Int(3), "l": Long(4), "f": Float(0.5), "d": Double(0.25)}
    raw = dumps(
        {**tags, "ba": b"\1", "ia": IntArray([1]), "la": LongArray([2]), "list": [Byte(1)], "inner": tags}
    )
    assert dumps(loads(raw, typed=True)) == raw
    assert dumps(loads(raw)) != raw


def test_mixed_lists_become_one_kind() -> None:
    assert dumps([1, Byte(2)]) == dumps([Int(1), Int(2)])
    assert dumps([1, 1 << 40]) == dumps([Long(1), Long(1 << 40)])
    assert dumps([1, 0.5]) == dumps([Double(1), Double(0.5)])
    assert loads(dumps(["text", {"text": "b"}])) == [{"": "text"}, {"text": "b"}]


def test_nothing_is_written_for_none_in_a_compound() -> None:
    assert loads(dumps({"a": None, "b": 1})) == {"b": 1}


def test_a_tag_within_a_tag_is_written_as_it_is() -> None:
    assert loads(dumps({"a": Nbt.of({"b": Byte(3)}), "l": [Nbt.of("x"), "y"]})) == {
        "a": {"b": 3},
        "l": ["x", "y"],
    }


def test_tags_are_equal_when_their_bytes_are() -> None:
    assert Nbt.of({"a": 1}) == Nbt.of({"a": 1})
    assert Nbt.of({"a": 1}) != Nbt.of({"a": Byte(1)})
    assert len({Nbt.of("a"), Nbt.of("a"), Nbt.of("b")}) == 2
    assert repr(Nbt.of({"a": 1})) == "Nbt({'a': 1})"


# --- strings ---


@pytest.mark.parametrize(
    ("text", "data"),
    [("\0", "c080"), ("🙂", "eda0bdedb982"), ("a\0é木", "61c080c3a9e69ca8"), ("plain", "706c61696e")],
)
def test_strings_are_javas_modified_utf_8(text: str, data: str) -> None:
    assert nbt.encode_modified_utf8(text).hex() == data
    assert nbt.decode_modified_utf8(bytes.fromhex(data)) == text


def test_plain_utf_8_and_half_surrogates_are_read_too() -> None:
    assert nbt.decode_modified_utf8("🙂\0".encode()) == "🙂\0"
    assert nbt.decode_modified_utf8(bytes.fromhex("61eda0bd62")) == "a�b"
    with pytest.raises(NbtError):
        nbt.decode_modified_utf8(b"\xff")


# --- what is refused ---


@pytest.mark.parametrize(
    "data",
    [
        "",
        "03000000",
        "0d",
        "08000561",
        "0a0100",
        "0a01000161",
        "0900000000010" + "0",  # a list of one TAG_End
        "090d0000000100",
        "090a7fffffff",
        "070000000401",
        "0b7fffffff",
        "0c00000001000000",
        "030000000100",  # one byte too many
    ],
)
def test_what_is_no_tag_is_refused(data: str) -> None:
    with pytest.raises(NbtError):
        loads(bytes.fromhex(data))


def test_depth_is_limited() -> None:
    deep: Any = 1
    for _ in range(nbt.MAX_DEPTH):
        deep = {"a": deep}
    assert loads(dumps(deep)) == deep
    raw = b"\x0a" + b"\x0a\x00\x01a" * nbt.MAX_DEPTH
    for read in (loads, lambda data: nbt.skip(data, 0)):
        with pytest.raises(NbtError, match="deeper"):
            read(raw)
    with pytest.raises(NbtError, match="deeper"):
        dumps({"a": deep})
    with pytest.raises(NbtError, match="deeper"):
        loads(b"\x09" + b"\x09\x00\x00\x00\x01" * 600)


@pytest.mark.parametrize(
    "value",
    [object(), {1: 2}, Byte(200), Int(1 << 40), 1 << 70, "x" * 70000, IntArray([1 << 40]), [object()]],
)
def test_what_no_tag_holds_is_refused(value: Any) -> None:
    with pytest.raises(NbtError):
        dumps(value)


@given(st.binary(max_size=200))
@settings(max_examples=300)
def test_arbitrary_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        loads(data)
    except NbtError:
        return
    assert nbt.skip(data, 0) == len(data)


# --- round trips ---

_TEXT = st.text(st.characters(codec="utf-8"), max_size=30)
_SCALAR = st.one_of(
    st.integers(-(2**63), 2**63 - 1),
    st.integers(-128, 127).map(Byte),
    st.integers(-(2**15), 2**15 - 1).map(Short),
    st.floats(allow_nan=False),
    st.floats(width=32, allow_nan=False).map(Float),
    _TEXT,
    st.binary(max_size=20),
    st.lists(st.integers(-(2**31), 2**31 - 1), max_size=4).map(IntArray),
    st.lists(st.integers(-(2**63), 2**63 - 1), max_size=4).map(LongArray),
)
_TAG = st.recursive(
    _SCALAR,
    lambda inner: (
        st.dictionaries(_TEXT, inner, max_size=4)
        | st.lists(st.dictionaries(_TEXT, inner, max_size=3), max_size=3)
        | st.lists(st.integers(-(2**31), 2**31 - 1), max_size=4)
    ),
    max_leaves=12,
)


@given(_TAG)
@settings(max_examples=300, deadline=None)
def test_tags_come_back(value: Any) -> None:
    raw = dumps(value)
    assert loads(raw) == value
    assert nbt.skip(raw, 0) == len(raw)
    assert loads(raw, typed=True) == value


def test_real_registries_come_back_byte_for_byte() -> None:
    count = 0
    for packet in packets("hills", only="registry_data"):
        for entry in codec.decode("configuration", "toClient", packet.payload).fields["entries"]:
            tag = entry["value"]
            again = loads(tag.raw, typed=True)
            assert loads(dumps(again)) == tag.value
            # An empty list forgets which type its items would have had.
            assert dumps(again) == tag.raw or "[]" in repr(again)
            count += 1
    assert count > 200
