"""Named binary tags as they travel in protocol 767: a root without a name, strings in modified UTF-8.

`Nbt` keeps the bytes as they came and parses them when someone looks, so a packet that carries a large tag
costs little until then and is written back byte for byte. `dumps` and `loads` turn plain Python into tags
and back.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

#: Tags nested deeper than this are refused, as vanilla does.
MAX_DEPTH: Final = 512
_UNLIMITED: Final = 1 << 62

END, BYTE, SHORT, INT, LONG, FLOAT, DOUBLE, BYTE_ARRAY, STRING, LIST, COMPOUND, INT_ARRAY, LONG_ARRAY = range(
    13
)


class NbtError(ValueError):
    """Bytes that are no tag, or a value that no tag can hold."""


class Byte(int):
    """A whole number written as TAG_Byte."""


class Short(int):
    """A whole number written as TAG_Short."""


class Int(int):
    """A whole number written as TAG_Int."""


class Long(int):
    """A whole number written as TAG_Long."""


class Float(float):
    """A number written as TAG_Float; plain floats are written as TAG_Double."""


class Double(float):
    """A number written as TAG_Double."""


class ByteArray(bytes):
    """Bytes written as TAG_Byte_Array, as plain bytes are."""


class IntArray(list[int]):
    """Whole numbers written as TAG_Int_Array."""


class LongArray(list[int]):
    """Whole numbers written as TAG_Long_Array."""


class Nbt:
    """One tag: its bytes from the type on, and its value once someone asks.

    Two tags are equal when their bytes are.
    """

    __slots__ = ("_value", "raw")

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self._value: Any = _UNREAD

    @classmethod
    def of(cls, value: Any) -> Nbt:
        """The tag that `dumps` writes for `value`."""
        return cls(dumps(value))

    @property
    def value(self) -> Any:
        """The tag in plain Python, see `loads`. Parsed once. Raises NbtError when the bytes are no tag."""
        if self._value is _UNREAD:
            self._value = loads(self.raw)
        return self._value

    def __eq__(self, other: object) -> bool:
        return self.raw == other.raw if isinstance(other, Nbt) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.raw)

    def __repr__(self) -> str:
        shown = repr(self.value)
        return f"Nbt({shown if len(shown) <= 200 else shown[:197] + '...'})"


_UNREAD: Final = object()

# --- reading
# -------------------------------------------------------------------------------------------------

_short = struct.Struct(">h").unpack_from
_int = struct.Struct(">i").unpack_from
_long = struct.Struct(">q").unpack_from
_float = struct.Struct(">f").unpack_from
_double = struct.Struct(">d").unpack_from

#: Bytes of a payload by tag type; 0 where the payload tells its own length.
_SIZES: Final = (0, 1, 2, 4, 8, 4, 8, 0, 0, 0, 0, 0, 0)
_ARRAY_ITEM: Final = {BYTE_ARRAY: 1, INT_ARRAY: 4, LONG_ARRAY: 8}


def loads(raw: bytes, *, typed: bool = False) -> Any:
    """The value of one whole tag without a root name.

    Numbers become int and float, strings str, lists list, compounds dict, byte arrays bytes, int and long
    arrays list[int], and a lone TAG_End None. With `typed`, numbers and arrays come as the wrapper classes
    of this module (Byte, Long, IntArray ...), and `dumps` gives the same bytes back (but for an empty list,
    which forgets what its items would have been).

    Raises NbtError when `raw` is cut short, goes on after the tag, nests too deep or is otherwise no tag.
    """
    try:
        kind = raw[0]
        if kind == END:
            value, end = None, 1
        else:
            value, end = _payload(raw, 1, kind, 0, _TYPED if typed else _PLAIN)
    except (IndexError, struct.error):
        raise NbtError(f"tag ends early, after {len(raw)} bytes") from None
    except RecursionError:
        raise NbtError("tags nest deeper than the stack") from None
    if end != len(raw):
        raise NbtError(f"{len(raw) - end} bytes after the tag")
    return value


def skip(raw: bytes, start: int, budget: list[int] | None = None) -> int:
    """Where the tag without a root name that begins at `start` ends.

    Checks lengths, types and depth and builds nothing. Takes from `budget[0]` 8 for each tag in it and 1 for
    each number of an array, about what they cost as Python values. Raises NbtError, also when the budget is
    spent, or IndexError when the bytes end early.
    """
    kind = raw[start]
    if kind == END:
        return start + 1
    end = _skip(raw, start + 1, kind, 0, [_UNLIMITED] if budget is None else budget)
    if end > len(raw):
        raise NbtError(f"tag ends early, {end - len(raw)} bytes are missing")
    return end


def _skip(raw: bytes, i: int, kind: int, depth: int, budget: list[int]) -> int:
    # Types are numbers here: to look their names up would take longer than to compare.
    if kind == 8:
        return i + 2 + (raw[i] << 8 | raw[i + 1])
    if kind == 10:
        if depth >= MAX_DEPTH:
            raise NbtError(f"tags nest deeper than {MAX_DEPTH}")
        depth += 1
        tags = 0
        while True:
            kind = raw[i]
            if kind == 0:
                budget[0] -= 8 * tags
                if budget[0] < 0:
                    raise NbtError("more tags than a packet may hold")
                return i + 1
            tags += 1
            i += 3 + (raw[i + 1] << 8 | raw[i + 2])
            if kind == 8:
                i += 2 + (raw[i] << 8 | raw[i + 1])
                continue
            size = _SIZES[kind] if kind < 13 else 0
            i = i + size if size else _skip(raw, i, kind, depth, budget)
    if kind == 9:
        if depth >= MAX_DEPTH:
            raise NbtError(f"tags nest deeper than {MAX_DEPTH}")
        item = raw[i]
        count = _count(raw, i + 1, 1)
        i += 5
        if count == 0:
            return i
        if not 0 < item < 13:
            raise NbtError(f"list of {count} items of type {item}")
        budget[0] -= 8 * count
        if budget[0] < 0:
            raise NbtError("more tags than a packet may hold")
        size = _SIZES[item]
        if size:
            return i + size * count
        depth += 1
        for _ in range(count):
            i = _skip(raw, i, item, depth, budget)
        return i
    if kind in _ARRAY_ITEM:
        size = _ARRAY_ITEM[kind]
        count = _count(raw, i, size)
        if size > 1:
            budget[0] -= count
        return i + 4 + size * count
    if 0 < kind < 13:
        return i + _SIZES[kind]
    raise NbtError(f"unknown tag type {kind}")


def _count(raw: bytes, i: int, size: int) -> int:
    """The 32-bit count at `i`, when that many items of at least `size` bytes can follow (or the list is
    empty)."""
    (count,) = _int(raw, i)
    if count <= 0:
        return 0
    if count * size > len(raw) - i - 4:
        raise NbtError(f"count of {count} in {len(raw) - i - 4} bytes")
    return int(count)


_Make = tuple[Callable[[Any], Any], ...]
#: What becomes of a payload, by tag type.
_PLAIN: Final[_Make] = (
    *(lambda value: value,) * 7,
    bytes,
    str,
    list,
    dict,
    list,
    list,
)
_TYPED: Final[_Make] = (
    lambda value: value,
    *(Byte, Short, Int, Long, Float, Double, ByteArray),
    str,
    list,
    dict,
    *(IntArray, LongArray),
)


def _payload(raw: bytes, i: int, kind: int, depth: int, make: _Make) -> tuple[Any, int]:
    if kind == STRING:
        end = i + 2 + (raw[i] << 8 | raw[i + 1])
        return _text(raw, i + 2, end), end
    if kind == COMPOUND:
        if depth >= MAX_DEPTH:
            raise NbtError(f"tags nest deeper than {MAX_DEPTH}")
        compound: dict[str, Any] = {}
        while True:
            kind = raw[i]
            if kind == END:
                return compound, i + 1
            end = i + 3 + (raw[i + 1] << 8 | raw[i + 2])
            name = _text(raw, i + 3, end)
            compound[name], i = _payload(raw, end, kind, depth + 1, make)
    if kind == LIST:
        if depth >= MAX_DEPTH:
            raise NbtError(f"tags nest deeper than {MAX_DEPTH}")
        item, count = raw[i], _count(raw, i + 1, 1)
        if count and not 0 < item < 13:
            raise NbtError(f"list of {count} items of type {item}")
        i += 5
        values = []
        for _ in range(count):
            value, i = _payload(raw, i, item, depth + 1, make)
            values.append(value)
        return values, i
    if kind == INT:
        return make[INT](_int(raw, i)[0]), i + 4
    if kind == BYTE:
        byte = raw[i]
        return make[BYTE](byte - 256 if byte > 127 else byte), i + 1
    if kind in _SCALARS:
        return make[kind](_SCALARS[kind](raw, i)[0]), i + _SIZES[kind]
    if kind in _ARRAY_ITEM:
        size = _ARRAY_ITEM[kind]
        count = _count(raw, i, size)
        end = i + 4 + size * count
        if kind == BYTE_ARRAY:
            return make[kind](raw[i + 4 : end]), end
        return make[kind](struct.unpack_from(f">{count}{'i' if size == 4 else 'q'}", raw, i + 4)), end
    raise NbtError(f"unknown tag type {kind}")


_SCALARS: Final = {SHORT: _short, LONG: _long, FLOAT: _float, DOUBLE: _double}


def _text(raw: bytes, start: int, end: int) -> str:
    if end > len(raw):
        raise NbtError(f"string ends early, {end - len(raw)} bytes are missing")
    data = raw[start:end]
    try:
        return data.decode()
    except UnicodeDecodeError:
        return decode_modified_utf8(data)


def decode_modified_utf8(data: bytes) -> str:
    """Java's UTF: NUL in two bytes, characters beyond the basic plane as two surrogates of three bytes each.

    Half a surrogate pair becomes U+FFFD. Raises NbtError where the bytes are neither this nor UTF-8.
    """
    try:
        halves = data.replace(b"\xc0\x80", b"\0").decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise NbtError(f"string is not modified UTF-8: {error.reason}") from None
    return halves.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def encode_modified_utf8(text: str) -> bytes:
    """Java's UTF, see `decode_modified_utf8`."""
    if text.isascii() and "\0" not in text:
        return text.encode()
    parts = []
    for char in text:
        if char == "\0":
            parts.append(b"\xc0\x80")
        elif char > "\uffff":
            point = ord(char) - 0x10000
            pair = chr(0xD800 + (point >> 10)) + chr(0xDC00 + (point & 0x3FF))
            parts.append(pair.encode("utf-8", "surrogatepass"))
        else:
            parts.append(char.encode("utf-8", "surrogatepass"))
    return b"".join(parts)


# --- writing
# -------------------------------------------------------------------------------------------------


def dumps(value: Any) -> bytes:
    """One tag without a root name.

    bool and Byte -> TAG_Byte, int -> TAG_Int (TAG_Long where it does not fit), float -> TAG_Double, str ->
    TAG_String, bytes -> TAG_Byte_Array, mapping -> TAG_Compound, list or tuple -> TAG_List, None -> a lone
    TAG_End, an Nbt -> itself; the wrapper classes of this module name the tag they want. A list whose items
    differ in kind gets one kind: numbers the widest, anything else compounds, where a bare item sits under
    an empty key as vanilla writes mixed text. None entries of a mapping are left out.

    Raises NbtError for what no tag can hold.
    """
    if isinstance(value, Nbt):
        return value.raw
    if value is None:
        return b"\0"
    kind = _kind(value)
    out = bytearray((kind,))
    _write(out, kind, value, 0)
    return bytes(out)


def _kind(value: Any) -> int:
    kind = _KINDS.get(value.__class__)
    if kind is not None:
        if kind == INT and not -0x80000000 <= value <= 0x7FFFFFFF and not isinstance(value, Int):
            return LONG
        return kind
    if isinstance(value, Nbt):
        return value.raw[0]
    if isinstance(value, Mapping):
        return COMPOUND
    if isinstance(value, (list, tuple)):
        return LIST
    if isinstance(value, int):
        return INT if -0x80000000 <= value <= 0x7FFFFFFF else LONG
    for base, of_base in ((float, DOUBLE), (str, STRING), (bytes, BYTE_ARRAY)):
        if isinstance(value, base):
            return of_base
    raise NbtError(f"no tag can hold {value!r}")


_KINDS: Final[dict[type, int]] = {
    bool: BYTE,
    Byte: BYTE,
    Short: SHORT,
    int: INT,
    Int: INT,
    Long: LONG,
    float: DOUBLE,
    Float: FLOAT,
    Double: DOUBLE,
    bytes: BYTE_ARRAY,
    bytearray: BYTE_ARRAY,
    ByteArray: BYTE_ARRAY,
    str: STRING,
    list: LIST,
    tuple: LIST,
    dict: COMPOUND,
    IntArray: INT_ARRAY,
    LongArray: LONG_ARRAY,
}
_PACK: Final = {
    BYTE: struct.Struct(">b").pack,
    SHORT: struct.Struct(">h").pack,
    INT: struct.Struct(">i").pack,
    LONG: struct.Struct(">q").pack,
    FLOAT: struct.Struct(">f").pack,
    DOUBLE: struct.Struct(">d").pack,
}


def _write(out: bytearray, kind: int, value: Any, depth: int) -> None:
    if isinstance(value, Nbt):
        out += value.raw[1:]
    elif kind in _PACK:
        try:
            out += _PACK[kind](value)
        except (struct.error, OverflowError) as error:
            raise NbtError(f"{value!r} does not fit its tag: {error}") from None
    elif kind == STRING:
        _write_text(out, value)
    elif kind == COMPOUND:
        if depth >= MAX_DEPTH:
            raise NbtError(f"tags nest deeper than {MAX_DEPTH}")
        for name, item in value.items():
            if item is None:
                continue
            item_kind = _kind(item)
            out.append(item_kind)
            _write_text(out, name)
            _write(out, item_kind, item, depth + 1)
        out.append(END)
    elif kind == LIST:
        if depth >= MAX_DEPTH:
            raise NbtError(f"tags nest deeper than {MAX_DEPTH}")
        item_kind, items = _alike(value)
        out.append(item_kind)
        out += _PACK[INT](len(items))
        for item in items:
            _write(out, item_kind, item, depth + 1)
    elif kind == BYTE_ARRAY:
        out += _PACK[INT](len(value))
        out += value
    else:
        out += _PACK[INT](len(value))
        try:
            out += struct.pack(f">{len(value)}{'i' if kind == INT_ARRAY else 'q'}", *value)
        except struct.error as error:
            raise NbtError(f"an array item does not fit: {error}") from None


def _write_text(out: bytearray, text: str) -> None:
    if not isinstance(text, str):
        raise NbtError(f"a tag's name is a string, not {text!r}")
    data = encode_modified_utf8(text)
    if len(data) > 0xFFFF:
        raise NbtError(f"string of {len(data)} bytes; a tag holds 65535")
    out += len(data).to_bytes(2, "big")
    out += data


def _alike(values: Iterable[Any]) -> tuple[int, list[Any]]:
    """One tag type for all items of a list, and the items in that type."""
    items = list(values)
    kinds = {_kind(item) for item in items}
    if not kinds:
        return END, items
    if len(kinds) == 1:
        return kinds.pop(), items
    if kinds <= {BYTE, SHORT, INT, LONG}:
        return max(kinds), items
    if kinds <= {BYTE, SHORT, INT, LONG, FLOAT, DOUBLE}:
        return DOUBLE, items
    return COMPOUND, [item if _kind(item) == COMPOUND else {"": item} for item in items]
