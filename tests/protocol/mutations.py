"""Valid packets of every kind, and what can go wrong with their bytes on the way."""

from __future__ import annotations

import random
from typing import NamedTuple

from protocol import codec
from protocol.framing import varint
from protocol.limits import limits_of
from tests.protocol.any_fields import AnyFields, Seeded
from tests.protocol.captures import SESSIONS, one_of_each, packets
from tests.protocol.golden import test_components, test_packets, test_recipes
from tests.protocol.golden.wire import text


class Valid(NamedTuple):
    """A packet that is read without complaint."""

    state: str
    direction: str
    payload: bytes


def corpus(each: int) -> list[Valid]:
    """Generated packets, so many of each kind; the golden ones; and recorded ones."""
    found = []
    schema = codec.VANILLA.schema
    for (state, direction), table in schema.packets.items():
        for name, type_ in table.values():
            for seed in range(each):
                fields = AnyFields(schema, Seeded(seed)).packet(type_)
                found.append(Valid(state, direction, codec.encode(state, direction, name, fields)))
    for _, direction, data, _ in test_packets.PACKETS:
        found.append(Valid("play", direction, bytes.fromhex(data)))
    for number, _, data, _ in test_components.COMPONENTS:
        payload = bytes.fromhex(test_components.HEAD + f"{number:02x}" + data)
        found.append(Valid("play", "toClient", payload))
    head = text("a:recipe")
    bodies = [f"{head}{number:02x}{data}" for number, _, data, _ in test_recipes.RECIPES]
    found.append(Valid("play", "toClient", bytes.fromhex(f"77 {len(bodies):02x}" + "".join(bodies))))
    found += [Valid(packet.state, packet.direction, packet.payload) for packet in one_of_each()]
    for name in ("map_chunk", "registry_data", "tags"):
        recorded = (packet for session in SESSIONS for packet in packets(session, only=name))
        largest = max(recorded, key=lambda packet: len(packet.payload))
        found.append(Valid(largest.state, largest.direction, largest.payload))
    return found


#: Lists of clientbound packets that make much of little: the packet, what stands before the list, one item,
#: what the item costs in units of `protocol.limits`, and what stands behind the list.
_HEAVY = (
    ("window_items", "00 00", "00", 16, "00"),
    ("window_items", "00 00", "01 ff07 00 00", 16, "00"),
    ("set_slot", "00 00 0000 01 01 00", "07", 5, ""),  # the removed components
    ("entity_destroy", "", "ffffff07", 4, ""),
    ("multi_block_change", "00" * 8, "ffffffffff7f", 6, ""),
    ("player_remove", "", "12" * 16, 8, ""),
    ("player_info", "3f", "12" * 16 + "00" * 7, 50, ""),
    ("chat_suggestions", "00", "03 61c3a9", 3, ""),
    ("explosion", "00" * 28, "808182", 7, "00" * 12 + "00 00 00 01"),
    ("update_light", "00 00", "12" * 8, 1, "00" * 5),
    ("statistics", "", "ff7f ff7f ff7f", 7, ""),
    ("tab_complete", "00 00 00", "01 61 01 0a 00", 11, ""),
    ("entity_update_attributes", "00", "15" + "3f" * 8 + "00", 8, ""),
    ("declare_recipes", "01 03 613a62 01 00 00 01", "00", 16, "00"),
    ("declare_commands", "", "00 00", 35, "00"),
    ("advancements", "00", "00 00 00 00 00", 59, "00 00"),
    ("map_chunk", "00" * 8 + "0a00 00", "00 0000 00 0a00", 16, "00" * 6),
)


def heavy() -> list[Valid]:
    """The costliest packets there can be: as many items as the limits allow."""
    found = []
    for name, before, item, weight, behind in _HEAVY:
        limits = limits_of(name)
        one, head, end = bytes.fromhex(item), bytes.fromhex(before), bytes.fromhex(behind)
        count = min((limits.values - 1000) // weight, (limits.size - 100) // len(one))
        number = bytes((codec.packet_id("play", "toClient", name),))
        found.append(Valid("play", "toClient", number + head + varint(count) + one * count + end))
    for tags in (
        b"\x09\x0a%b" + bytes(24_000),
        b"\x09\x09%b" + bytes(5 * 24_000),
    ):  # empty compounds and lists
        found.append(
            Valid("play", "toClient", b"\x6c" + tags.replace(b"%b", (24_000).to_bytes(4, "big")) + b"\0")
        )
    flat = b"".join(b"\x03\0\5%05d\0\0\0\1" % number for number in range(24_000))
    found.append(Valid("play", "toClient", b"\x6c\x0a" + flat + b"\0\0"))
    return found


#: Bytes at which counts, lengths, types and bools turn.
_EDGES = (0, 1, 2, 0x39, 0x7F, 0x80, 0xFE, 0xFF)
#: Varints that lie.
_LIES = (b"\xff\xff\xff\xff\x07", b"\xff\xff\xff\xff\x0f", b"\xff\x7f", b"\x80\x80\x01", b"\x80" * 6)
_TAG = b"\x0a\x03\0\1a\0\0\0\1\0"
#: What mods add: components without and with a tag, stacks with them, numbers of particles, of recipes and of
#: metadata, ingredients, sets of registry entries.
_MODDED = (
    *(b"\x39", b"\x3a" + _TAG, b"\1\x2a\1\0\x39", b"\1\x2a\1\0\x39" + _TAG, b"\x6d", b"\x20", b"\x80\x02"),
    *(b"\xff\xff\xff\xff\x0f\3" + _TAG, b"\xfe\xff\xff\xff\x0f\2\2\5\1"),
)


def mutated(rng: random.Random, payload: bytes, other: bytes) -> bytes:
    """A payload with one to four things gone wrong, its first byte mostly untouched. `other` may be mixed
    in."""
    data = bytearray(payload)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 4))):
        size = len(data)
        at = rng.randint(1, size) if size > 1 and rng.random() < 0.98 else rng.randint(0, size)
        kind = rng.randrange(100)
        if kind < 25 and at < size:
            data[at] ^= 1 << rng.randrange(8)
        elif kind < 45 and at < size:
            data[at] = rng.choice(_EDGES)
        elif kind < 55:
            lie = rng.choice(_LIES)
            data[at : at + (len(lie) if rng.random() < 0.5 else 1)] = lie
        elif kind < 65:
            del data[at : at + rng.choice((1, 2, 4, 8, 1000))]
        elif kind < 69:
            data[at:at] = rng.randbytes(rng.choice((1, 2, 4, 16)))
        elif kind < 75:
            data[at : at + rng.randrange(2)] = rng.choice(_MODDED)
        elif kind < 80:
            del data[at:]
        elif kind < 88:
            start = rng.randint(0, len(other))
            data[at : at + rng.choice((0, 8, 100_000))] = other[start : start + rng.choice((4, 40, 4000))]
        elif kind < 99:
            data[at:at] = data[at : at + rng.choice((1, 3, 20, 300))] * rng.choice((1, 2, 10))
        else:  # much of the same, as who wants to hurt would send
            piece = bytes(data[at : at + rng.choice((1, 2, 5, 16))]) or b"\0"
            times = rng.choice((100, 1000, 20_000))
            data[at:at] = bytes((times & 127 | 128, times >> 7 & 127 | 128, times >> 14)) + piece * times
    return bytes(data)
