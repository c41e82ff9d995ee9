"""Frames: every way a stream can be cut, and every way it can lie."""

from __future__ import annotations

import gzip
import json
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.framing import MAX_FRAME, MAX_PACKET, FrameSplitter, FramingError, join, varint

CAPTURES = Path(__file__).parent.parent / "data" / "captures"


def capture(direction: str) -> tuple[bytes, list[bytes], int]:
    """A session as it went over the wire, its packets, and how many of them came before compression."""
    wire = gzip.decompress((CAPTURES / f"wire-hills-{direction}.bin.gz").read_bytes())
    packets = []
    with gzip.open(CAPTURES / "hills.jsonl.gz", "rt") as lines:
        for line in lines:
            packet = json.loads(line)
            if packet["dir"] == direction:
                packets.append(bytes.fromhex(packet["hex"]))
    return wire, packets, {"s2c": 1, "c2s": 2}[direction]


def split(pieces: list[bytes], plain: int = 0, threshold: int = 256) -> list[bytes]:
    """The packets of a stream that arrives in pieces and is compressed after the first `plain` packets."""
    splitter = FrameSplitter()
    if plain == 0:
        splitter.threshold = threshold
    found = []
    for piece in pieces:
        splitter.feed(piece)
        for packet in splitter.packets():
            found.append(packet)
            if len(found) == plain:
                splitter.threshold = threshold
    return found


def cut(data: bytes, size: int) -> list[bytes]:
    return [data[start : start + size] for start in range(0, len(data), size)]


@pytest.mark.parametrize("direction", ["s2c", "c2s"])
@pytest.mark.parametrize("size", [1, 7, 1461, 65536, 1 << 30])
def test_a_captured_session_splits_into_its_packets(direction: str, size: int) -> None:
    wire, packets, plain = capture(direction)
    assert split(cut(wire, size), plain) == packets


@pytest.mark.parametrize("direction", ["s2c", "c2s"])
def test_a_stream_may_be_cut_anywhere(direction: str) -> None:
    wire, packets, plain = capture(direction)
    head = wire[:4001]
    whole = split([head], plain)
    assert whole == packets[: len(whole)]
    for boundary in range(1, len(head), 2):
        assert split([head[:boundary], head[boundary:]], plain) == whole


@pytest.mark.parametrize("threshold", [-1, 0, 64, 256])
@pytest.mark.parametrize("size", [1, 63, 64, 126, 127, 128, 255, 256, 257, 1023, 1024, 16383, 16384, 100_000])
def test_what_is_joined_splits_again(size: int, threshold: int) -> None:
    packet = bytes(number * 31 % 251 for number in range(size))
    frame = join(packet, threshold)
    assert split([frame + frame], threshold=threshold) == [packet, packet]


@given(st.lists(st.binary(min_size=1, max_size=600), max_size=8), st.integers(-1, 300), st.integers(1, 700))
def test_any_packets_in_any_pieces_come_back(packets: list[bytes], threshold: int, size: int) -> None:
    stream = b"".join(join(packet, threshold) for packet in packets)
    assert split(cut(stream, size), threshold=threshold) == packets


def test_compression_begins_exactly_after_the_packet_that_switches_it_on() -> None:
    stream = join(b"\x03\x40") + join(b"\x02" + bytes(100), 64) + join(b"\x01", 64)
    assert split([stream], plain=1, threshold=64) == [b"\x03\x40", b"\x02" + bytes(100), b"\x01"]


def test_a_short_packet_is_not_compressed_and_says_so() -> None:
    assert join(b"abc", 256) == b"\x04\x00abc"
    assert join(b"abc") == b"\x03abc"


def test_a_client_takes_a_compressed_packet_below_the_threshold_and_a_server_does_not() -> None:
    body = varint(3) + zlib.compress(b"abc")
    frame = varint(len(body)) + body
    assert split([frame]) == [b"abc"]
    splitter = FrameSplitter(strict=True)
    splitter.threshold = 256
    splitter.feed(frame)
    with pytest.raises(FramingError, match="below the threshold"):
        list(splitter.packets())


def test_an_uncompressed_packet_above_the_threshold_is_taken() -> None:
    assert split([varint(301) + b"\0" + bytes(300)], threshold=256) == [bytes(300)]


def test_a_frame_length_of_four_bytes_is_refused() -> None:
    with pytest.raises(FramingError, match="21 bits"):
        split([b"\xff\xff\xff\x01" + bytes(10)])


def test_the_longest_frame_goes_through() -> None:
    packet = bytes(MAX_FRAME)
    assert split(cut(join(packet), 65536), threshold=-1) == [packet]
    with pytest.raises(FramingError, match="does not fit"):
        join(packet + b"x")


def test_a_bomb_is_refused_by_its_claim_and_by_its_size() -> None:
    bomb = zlib.compress(bytes(MAX_PACKET * 2))
    for claim, message in ((MAX_PACKET + 1, "more than"), (1000, "at least 1001")):
        body = varint(claim) + bomb
        with pytest.raises(FramingError, match=message):
            split([varint(len(body)) + body])


def test_a_packet_shorter_than_it_claims_is_refused() -> None:
    body = varint(500) + zlib.compress(bytes(499))
    with pytest.raises(FramingError, match="claims 500 bytes and has 499"):
        split([varint(len(body)) + body])


def test_a_cut_off_compressed_packet_is_refused() -> None:
    body = varint(500) + zlib.compress(bytes(500))[:-1]
    with pytest.raises(FramingError):
        split([varint(len(body)) + body])


def test_garbage_where_a_compressed_packet_should_be_is_refused() -> None:
    with pytest.raises(FramingError, match="decompressed"):
        split([b"\x06\x80\x02abcd"])


def test_a_packet_too_large_for_the_protocol_is_not_joined() -> None:
    with pytest.raises(FramingError, match="larger than"):
        join(bytes(MAX_PACKET + 1), 256)


@given(st.binary(max_size=400), st.integers(-1, 300))
def test_garbage_gives_packets_or_a_framing_error_and_nothing_else(data: bytes, threshold: int) -> None:
    splitter = FrameSplitter()
    splitter.threshold = threshold
    splitter.feed(data)
    try:
        for packet in splitter.packets():
            assert packet
    except FramingError:
        pass


def test_empty_frames_are_skipped() -> None:
    assert split([b"\0" + join(b"a") + b"\0\0" + join(b"b")], threshold=-1) == [b"a", b"b"]
    assert split([b"\x01\0" + join(b"a", 256)]) == [b"a"]


def test_packets_nobody_wants_are_stepped_over() -> None:
    wanted: list[object | None] = [None] * 128
    wanted[2] = "yes"
    splitter = FrameSplitter()
    splitter.threshold = 64
    splitter.wanted = wanted
    packets = [b"\x01abc", b"\x02abc", b"\x01" + bytes(100), b"\x02" + bytes(100), b"\x81\x01", b"\x01"]
    splitter.feed(b"".join(join(packet, 64) for packet in packets))
    assert list(splitter.packets()) == [packets[1], packets[3], packets[4]]
    assert splitter.waiting == 0


def test_half_a_frame_waits_without_being_looked_at_again_and_again() -> None:
    packet = bytes(100_000)
    frame = join(packet)
    splitter = FrameSplitter()
    for piece in cut(frame[:-1], 1000):
        splitter.feed(piece)
        assert list(splitter.packets()) == []
    assert splitter.waiting == len(frame) - 1
    splitter.feed(frame[-1:])
    assert list(splitter.packets()) == [packet]


def test_bytes_fed_while_splitting_are_split_too() -> None:
    splitter = FrameSplitter()
    splitter.feed(join(b"a") + join(b"b")[:1])
    found = []
    for packet in splitter.packets():
        found.append(packet)
        if packet == b"a":
            splitter.feed(join(b"b")[1:] + join(b"c"))
    assert found == [b"a", b"b", b"c"]


def test_the_rest_of_the_stream_can_be_decrypted_between_two_packets() -> None:
    def flip(data: bytes) -> bytes:
        return bytes(byte ^ 0x55 for byte in data)

    stream = join(b"a") + flip(join(b"b") + join(b"c")[:1])
    splitter = FrameSplitter()
    splitter.feed(stream)
    found = []
    for packet in splitter.packets():
        found.append(packet)
        if packet == b"a":
            splitter.transform_rest(flip)
    splitter.feed(join(b"c")[1:])
    found += splitter.packets()
    assert found == [b"a", b"b", b"c"]
