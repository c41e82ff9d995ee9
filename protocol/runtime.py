"""What generated readers and writers call: the parts of the wire that are clearer as functions than as
emitted code.

Buffers are bytes, `i` is an offset in one, and a reader returns the value with the offset behind it. A
reader may raise IndexError or struct.error where bytes end early; `protocol.codec` turns these into
DecodeError.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final
from uuid import UUID, SafeUUID

from protocol import nbt


class Fault(ValueError):
    """Bytes or a value that break the schema, in one phrase."""


class UnknownKind(Fault):
    """A number that decides what follows and that the schema does not have: content of a mod."""


#: Units of values that the packet being read may still make, see `protocol.limits`. Its reader sets it.
budget: Final = [0]


def read_varint(b: bytes, i: int) -> tuple[int, int]:
    """A varint as a signed 32-bit number. Bits beyond 32 are dropped as Java drops them."""
    byte = b[i]
    if byte < 128:
        return byte, i + 1
    value = byte & 127
    byte = b[i + 1]
    if byte < 128:
        return value | byte << 7, i + 2
    value |= (byte & 127) << 7
    i += 2
    for shift in (14, 21, 28):
        byte = b[i]
        i += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return (value if shift < 28 else _signed(value, 32)), i
    raise Fault("varint longer than 5 bytes")


def read_varlong(b: bytes, i: int) -> tuple[int, int]:
    """A varlong as a signed 64-bit number."""
    (value,), i = read_varints(b, i, 1, 64)
    return value, i


def read_varints(b: bytes, i: int, count: int, bits: int = 32) -> tuple[list[int], int]:
    """`count` varints in a row, or varlongs where `bits` is 64."""
    values = []
    for _ in range(count):
        # What has up to four bytes is written out: that is all block states and registry numbers.
        byte = b[i]
        if byte < 128:
            values.append(byte)
            i += 1
            continue
        value = byte & 127
        byte = b[i + 1]
        if byte < 128:
            values.append(value | byte << 7)
            i += 2
            continue
        value |= (byte & 127) << 7
        byte = b[i + 2]
        if byte < 128:
            values.append(value | byte << 14)
            i += 3
            continue
        value |= (byte & 127) << 14
        byte = b[i + 3]
        value |= (byte & 127) << 21
        i += 4
        shift = 28
        while byte > 127:
            if shift > bits:
                raise Fault(f"a varint of {bits} bits has no {shift // 7 + 1} bytes")
            byte = b[i]
            i += 1
            value |= (byte & 127) << shift
            shift += 7
        values.append(value if shift < bits else _signed(value, bits))
    return values, i


def _signed(value: int, bits: int) -> int:
    half = 1 << bits - 1
    return ((value & (1 << bits) - 1) ^ half) - half


def write_varint(out: bytearray, value: int) -> None:
    """A signed 32-bit number as a varint of 1 to 5 bytes."""
    if not -0x80000000 <= value <= 0x7FFFFFFF:
        raise Fault(f"{value} does not fit 32 bits")
    value &= 0xFFFFFFFF
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)


def write_varlong(out: bytearray, value: int) -> None:
    """A signed 64-bit number as a varlong of 1 to 10 bytes."""
    if not -0x8000000000000000 <= value <= 0x7FFFFFFFFFFFFFFF:
        raise Fault(f"{value} does not fit 64 bits")
    value &= 0xFFFFFFFFFFFFFFFF
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)


def lie(count: int, left: int) -> Fault:
    """For raising: a length or count that the bytes left can't hold."""
    return Fault(f"length {count} in {left} bytes")


def leftover(i: int, end: int) -> Fault:
    """For raising: a body that goes on after its last field."""
    return Fault(f"{end - i} bytes after the last field")


def unknown_case(kind: object) -> UnknownKind:
    """For raising: a type number that decides what follows and that the schema does not have."""
    return UnknownKind(f"unknown type {kind}")


def too_much() -> Fault:
    """For raising: a packet that would make more values than it may."""
    return Fault("more values than a packet may hold")


def too_big(size: int, most: int) -> Fault:
    """For raising: a packet of more bytes than its kind may have."""
    return Fault(f"{size} bytes where {most} are allowed")


_new = object.__new__
_set = object.__setattr__
_UNSAFE: Final = SafeUUID.unknown


def make_uuid(high: int, low: int) -> UUID:
    """The UUID of two 64-bit halves, without the checks of its constructor (three times as fast)."""
    uuid = _new(UUID)
    _set(uuid, "int", high << 64 | low)
    _set(uuid, "is_safe", _UNSAFE)
    return uuid


def read_nbt(b: bytes, i: int) -> tuple[nbt.Nbt | None, int]:
    """A tag without a root name, kept as bytes; None for a lone TAG_End."""
    if b[i] == 0:
        return None, i + 1
    end = nbt.skip(b, i, budget)
    if budget[0] < 0:
        raise too_much()
    return nbt.Nbt(b[i:end]), end


def write_nbt(value: Any) -> bytes:
    """The bytes of a tag, see `nbt.dumps`."""
    return value.raw if value.__class__ is nbt.Nbt else nbt.dumps(value)


def write_unknown(out: bytearray, value: Any) -> None:
    """The data of a kind that the schema does not have: only a tag that came so can be sent back."""
    if not isinstance(value, nbt.Nbt):
        raise Fault("of an unknown kind only NBT can be written")
    out += value.raw


#: NeoForge's sets of registry entries by number, and of how many sets each is made; None: it says how many.
CUSTOM_SETS: Final[tuple[tuple[str, int | None], ...]] = (("any", 0), ("and", None), ("or", None), ("not", 1))
#: NeoForge's kinds of ingredients by number; each comes as one tag.
CUSTOM_INGREDIENTS: Final = ("compound", "components", "difference", "intersection", "block_tag")
_MINUS_ONE: Final = b"\xff\xff\xff\xff\x0f"


def read_custom_set(
    b: bytes, i: int, number: int, read: Callable[[bytes, int], tuple[Any, int]]
) -> tuple[dict[str, Any], int]:
    """A set of registry entries that is made of others, which `read` reads: {"custom", "sets"}. Its number is
    negative on the wire, which vanilla's never is."""
    if -1 - number >= len(CUSTOM_SETS):
        raise UnknownKind(f"unknown set of registry entries {-1 - number}")
    name, count = CUSTOM_SETS[-1 - number]
    if count is None:
        count, i = read_varint(b, i)
        if not 0 <= count <= len(b) - i:
            raise lie(count, len(b) - i)
    budget[0] -= 8 * (count + 1)
    if budget[0] < 0:
        raise too_much()
    sets = []
    for _ in range(count):
        one, i = read(b, i)
        sets.append(one)
    return {"custom": name, "sets": sets}, i


def write_custom_set(
    out: bytearray, value: Mapping[str, Any], write: Callable[[bytearray, Any], None]
) -> None:
    """What `read_custom_set` reads, its number included."""
    names = [name for name, _ in CUSTOM_SETS]
    if value["custom"] not in names:
        raise Fault(f"unknown set {value['custom']!r}; there are {', '.join(names)}")
    number = names.index(value["custom"])
    count, sets = CUSTOM_SETS[number][1], value["sets"]
    write_varint(out, -1 - number)
    if count is None:
        write_varint(out, len(sets))
    elif count != len(sets):
        raise Fault(f"{len(sets)} sets where {value['custom']!r} is made of {count}")
    for one in sets:
        write(out, one)


def is_custom(b: bytes, i: int) -> bool:
    """Whether the ingredient at an offset is of a mod's making: its count is -1."""
    return b.startswith(_MINUS_ONE, i)


def read_custom_ingredient(b: bytes, i: int) -> tuple[dict[str, Any], int]:
    """An ingredient of a mod's making: {"custom", "data"}, the data NBT."""
    number, i = read_varint(b, i + len(_MINUS_ONE))
    if not 0 <= number < len(CUSTOM_INGREDIENTS):
        raise UnknownKind(f"unknown kind of ingredient {number}")
    data, i = read_nbt(b, i)
    return {"custom": CUSTOM_INGREDIENTS[number], "data": data}, i


def write_custom_ingredient(out: bytearray, value: Mapping[str, Any]) -> None:
    """What `read_custom_ingredient` reads."""
    if value["custom"] not in CUSTOM_INGREDIENTS:
        raise Fault(f"unknown ingredient {value['custom']!r}; there are {', '.join(CUSTOM_INGREDIENTS)}")
    out += _MINUS_ONE
    out.append(CUSTOM_INGREDIENTS.index(value["custom"]))
    out += write_nbt(value["data"])


class FlagSets(dict[int, frozenset[str]]):
    """Number -> the names of its set bits, built when first met. Bits without a name are called bit_<n>."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        self.bits = {name: 1 << bit for bit, name in enumerate(names)}
        self._names = names

    def __missing__(self, number: int) -> frozenset[str]:
        names = self._names
        flags = frozenset(
            names[bit] if bit < len(names) else f"bit_{bit}"
            for bit in range(number.bit_length())
            if number >> bit & 1
        )
        self[number] = flags
        return flags


def pack_flags(value: int | Iterable[str], flags: FlagSets) -> int:
    """The number whose set bits have these names; a number stays itself."""
    if isinstance(value, int):
        return value
    number = 0
    for name in value:
        bit = flags.bits.get(name)
        if bit is None:
            if not name.startswith("bit_"):
                raise Fault(f"unknown flag {name!r}; there are {', '.join(flags.bits)}")
            bit = 1 << int(name[4:])
        number |= bit
    return number


def pack_name(value: str | int, numbers: Mapping[str, int]) -> int:
    """The number of an enumerated name; a number stays itself."""
    if isinstance(value, str):
        number = numbers.get(value)
        if number is None:
            some = ", ".join(list(numbers)[:12])
            raise Fault(f"unknown name {value!r}; there are {some}{' …' if len(numbers) > 12 else ''}")
        return number
    return value


def pack_position(value: Sequence[int]) -> int:
    """A cell as the 64-bit number x26 z26 y12."""
    x, y, z = value
    if not (-0x2000000 <= x < 0x2000000 and -0x2000000 <= z < 0x2000000 and -0x800 <= y < 0x800):
        raise Fault(f"no block position on the wire: {tuple(value)}")
    return (x & 0x3FFFFFF) << 38 | (z & 0x3FFFFFF) << 12 | y & 0xFFF


def pack_bits(value: Mapping[str, int], parts: Sequence[tuple[str, int, bool]]) -> int:
    """A bit field from its parts (name, size, signed), first part highest. A part called unused may be
    absent."""
    number = 0
    for name, size, signed in parts:
        part = value.get(name, 0) if name == "unused" else value[name]
        least = -(1 << size - 1) if signed else 0
        if not least <= part < least + (1 << size):
            raise Fault(f"{name} = {part} does not fit {size} bits")
        number = number << size | part & (1 << size) - 1
    return number


def pack_fixed(value: bytes, size: int) -> bytes:
    """Bytes of one fixed length."""
    if len(value) != size:
        raise Fault(f"{len(value)} bytes where {size} belong")
    return value


def same_count(stated: int, items: Sequence[Any]) -> None:
    """Refuse a list that is not as long as a field before it says."""
    if stated != len(items):
        raise Fault(f"{len(items)} items where the packet's own count says {stated}")


def extra_fields(value: Mapping[str, Any], names: Iterable[str]) -> Fault:
    """For raising: fields that the packet does not have."""
    extra = ", ".join(sorted(set(value) - set(names)))
    return Fault(f"no field {extra}; it has {', '.join(names) or 'none'}")
