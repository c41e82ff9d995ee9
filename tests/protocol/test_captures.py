"""The codec against sessions recorded from other implementations."""

from __future__ import annotations

import math
import struct
from typing import Any
from uuid import UUID

import pytest

from protocol import codec
from protocol.nbt import Nbt
from tests.protocol.captures import SESSIONS, packets

#: Fields where minecraft-protocol 1.68's schema gives a name or another sign to the same bytes.
TOLD_OTHERWISE = {
    ("difficulty", "difficulty"),  # a name since a later schema, a number in ours
    ("game_state_change", "reason"),  # likewise
    ("entity_action", "actionId"),  # likewise
    ("client_command", "actionId"),  # likewise
    ("login", "previousGamemode"),  # 255, unsigned, for -1
    ("set_slot", "windowId"),  # likewise
}


@pytest.mark.parametrize("session", SESSIONS)
def test_every_packet_decodes_and_encodes_to_the_same_bytes(session: str) -> None:
    count = 0
    for state, direction, name, payload, _ in packets(session):
        packet = codec.decode(state, direction, payload)
        assert packet.name == name
        assert codec.encode(state, direction, name, packet.fields) == payload
        count += 1
    assert count == {"hills": 2508, "flying-squid": 679}[session]


@pytest.mark.parametrize("session", SESSIONS)
def test_values_are_those_that_minecraft_protocol_has(session: str) -> None:
    compared = 0
    for state, direction, name, payload, reading in packets(session):
        if reading is None:
            continue
        fields = codec.decode(state, direction, payload).fields
        compared += same(name, fields, reading)
    assert compared == {"hills": 4321, "flying-squid": 740}[session]


def test_a_malformed_sound_is_refused_and_not_misread() -> None:
    # minecraft-protocol 1.68, and so flying-squid, leaves the byte before a sound's name unwritten. When
    # memory has something there, that is a sound's number and the name is no longer expected.
    sound = "0c72616e646f6d2e636c69636b00000000000100000002000000033f800000427c00000000000000000000"
    right = codec.decode("play", "toClient", bytes.fromhex("6800" + sound))
    assert right.fields["sound"] == {"data": {"soundName": "random.click", "fixedRange": None}}
    with pytest.raises(codec.DecodeError, match="14 bytes after the last field"):
        codec.decode("play", "toClient", bytes.fromhex("682e" + sound))


def same(packet: str, ours: Any, theirs: Any, field: str = "") -> int:
    """Assert that two readings agree, and return how many values were compared. Theirs also has what the
    sender's program kept beside the packet's fields; ours has None where theirs has nothing."""
    where = f"{packet}.{field}"
    if (packet, field) in TOLD_OTHERWISE or theirs is None:
        return 0
    if isinstance(ours, Nbt):
        assert ours.value == unwrapped(theirs), where
    elif isinstance(ours, UUID):
        assert str(ours) == theirs, where
    elif isinstance(ours, frozenset):
        assert ours == {name for name, is_set in theirs.items() if is_set is True}, where
    elif isinstance(ours, bytes):
        assert ours.hex() == theirs["$buf"], where
    elif isinstance(ours, tuple):
        assert ours == (theirs["x"], theirs["y"], theirs["z"]), where
    elif isinstance(ours, dict):
        return sum(same(packet, value, theirs[key], key) for key, value in ours.items() if key in theirs)
    elif isinstance(ours, list):
        assert len(ours) == len(theirs), where
        return sum(same(packet, a, b, field) for a, b in zip(ours, theirs, strict=True))
    elif isinstance(theirs, list):  # a 64-bit number in two halves
        assert ours == theirs[0] << 32 | theirs[1] & 0xFFFFFFFF, where
    elif isinstance(ours, float):
        narrow = struct.unpack(">f", struct.pack(">f", theirs))[0]
        assert math.isclose(ours, narrow, rel_tol=1e-6) or ours == theirs, where
    elif isinstance(ours, int) and isinstance(theirs, str):
        assert ours == int(theirs), where
    elif ours is not None:
        assert ours == theirs, where
    return 1


def unwrapped(tag: Any) -> Any:
    """A tag as prismarine-nbt tells it, {type, value}, in plain Python."""
    kind, value = tag["type"], tag["value"]
    if kind == "compound":
        return {name: unwrapped(inner) for name, inner in value.items()}
    if kind == "list":
        return [unwrapped({"type": value["type"], "value": inner}) for inner in value["value"]]
    return value
