"""Packets from bytes and back, by the names and fields of PrismarineJS's schema for 1.21.1 (protocol 767).

Values: numbers and strings are themselves; a `position` is a tuple (x, y, z); a UUID is uuid.UUID; an
enumerated number is its name (the number where it has none, and writers take either); flags are a frozenset
of names (unknown ones are called bit_<n>, and writers take any iterable of names or the number); other bit
fields are dicts; what is absent is None; lists are lists; bytes are bytes; NBT is `protocol.nbt.Nbt`, and
writers take plain values too. An item stack is a dict: {"itemCount": 0} or all of itemCount, itemId,
addedComponentCount, removedComponentCount, components [{"type", "data"}], removeComponents [{"type"}].

Each packet's reader and writer is compiled when first used. What a packet may cost is in `protocol.limits`,
what becomes of packets with a mod's content in `protocol.salvage`.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Mapping
from types import TracebackType
from typing import Any, NamedTuple

from protocol.compiler import Compiler
from protocol.limits import limits_of
from protocol.nbt import NbtError
from protocol.patches import NEOFORGE_PATCHES, PATCHES, Patch
from protocol.runtime import Fault, read_varint
from protocol.salvage import KEPT, rescuer
from protocol.schema import Schema, load

Reader = Callable[[bytes, int], dict[str, Any]]
Writer = Callable[[Mapping[str, Any]], bytes]


class Packet(NamedTuple):
    """A decoded packet."""

    name: str
    fields: dict[str, Any]


class CodecError(ValueError):
    """A packet that can't be read or written: which one, and why."""

    def __init__(self, state: str, direction: str, packet: str, reason: str) -> None:
        super().__init__(f"{state} {direction} {packet}: {reason}")
        self.state = state
        self.direction = direction
        #: The packet's name; for an unknown id, the id in hexadecimal.
        self.packet = packet
        self.reason = reason


class DecodeError(CodecError):
    """Bytes that are no such packet."""

    def __init__(self, state: str, direction: str, packet: str, reason: str, offset: int, size: int) -> None:
        super().__init__(state, direction, packet, f"{reason} (at byte {offset} of {size})")
        #: Where reading stopped, and how long the payload is.
        self.offset = offset
        self.size = size


class EncodeError(CodecError):
    """Fields that the packet can't carry."""


class UnknownPacket(DecodeError):
    """A packet id that the state does not have."""


_new_packet = tuple.__new__  # half the cost of calling the class
_BROKEN = (IndexError, struct.error, ValueError, RecursionError)
_UNFIT = (KeyError, struct.error, ValueError, TypeError, AttributeError, OverflowError, IndexError)


class Codec:
    """Readers and writers of one schema. Most use the module's functions, which stand on one for vanilla."""

    def __init__(self, patches: Iterable[Patch] = PATCHES) -> None:
        self._patches = tuple(patches)
        self._compiler: Compiler | None = None
        self._readers: dict[tuple[str, str, str], Reader] = {}
        self._writers: dict[tuple[str, str, str], Writer] = {}
        self._ids: dict[tuple[str, str], dict[str, int]] = {}
        # Packets that were met, with ids of one byte as all have today.
        self._by_id: dict[tuple[str, str, int], tuple[str, Reader]] = {}

    @property
    def schema(self) -> Schema:
        """The schema, read at the first use of the codec."""
        return self._compiled().schema

    def _compiled(self) -> Compiler:
        if self._compiler is None:
            self._compiler = Compiler(load(self._patches))
        return self._compiler

    def packet_name(self, state: str, direction: str, packet_id: int) -> str:
        """The name of a packet. Raises KeyError where the state has no such id."""
        return self.schema.packets[state, direction][packet_id][0]

    def packet_id(self, state: str, direction: str, name: str) -> int:
        """The id of a packet. Raises KeyError where the state has no such packet."""
        ids = self._ids.get((state, direction))
        if ids is None:
            table = self.schema.packets[state, direction]
            ids = self._ids[state, direction] = {packet: number for number, (packet, _) in table.items()}
        return ids[name]

    def packet_names(self, state: str, direction: str) -> tuple[str, ...]:
        """The names of all packets a state has in one direction, in order of their ids."""
        return tuple(name for name, _ in self.schema.packets[state, direction].values())

    def reader(self, state: str, direction: str, name: str) -> Reader:
        """The bare reader `(payload, offset of the body) -> fields`; it raises whatever happens. KeyError
        where the state has no such packet."""
        key = (state, direction, name)
        found = self._readers.get(key)
        if found is None:
            type_ = self.schema.packets[state, direction][self.packet_id(*key)][1]
            compiler = self._compiled()
            is_kept = name in KEPT and (state, direction) == ("play", "toClient")
            rescue = rescuer(compiler, type_) if is_kept else None
            found = self._readers[key] = compiler.packet_reader(type_, limits_of(name), rescue)
        return found

    def writer(self, state: str, direction: str, name: str) -> Writer:
        """The bare writer `fields -> id and body`; it raises whatever happens. KeyError where the state has
        no such packet."""
        key = (state, direction, name)
        found = self._writers.get(key)
        if found is None:
            number = self.packet_id(*key)
            type_ = self.schema.packets[state, direction][number][1]
            found = self._writers[key] = self._compiled().packet_writer(number, type_)
        return found

    def decode(self, state: str, direction: str, payload: bytes) -> Packet:
        """The packet in a payload (id and body, neither framed nor compressed).

        Raises DecodeError for bytes that break the schema or go on after it, UnknownPacket for an unknown id.
        """
        try:
            name, read = self._by_id[state, direction, payload[0]]
        except (KeyError, IndexError):
            name, start = self._look_up(state, direction, payload)
            return Packet(name, self.decode_body(state, direction, name, payload, start))
        try:
            return _new_packet(Packet, (name, read(payload, 1)))
        except _BROKEN as error:
            raise self._decode_error(state, direction, name, payload, 1, error) from None

    def _look_up(self, state: str, direction: str, payload: bytes) -> tuple[str, int]:
        """The name of a packet met for the first time, and where its body begins."""
        try:
            number, start = read_varint(payload, 0)
        except _BROKEN:
            raise DecodeError(state, direction, "?", "no packet id", 0, len(payload)) from None
        try:
            name = self.packet_name(state, direction, number)
        except KeyError:
            raise UnknownPacket(state, direction, hex(number), "unknown packet", 0, len(payload)) from None
        if start == 1:
            self._by_id[state, direction, number] = (name, self.reader(state, direction, name))
        return name, start

    def decode_body(
        self, state: str, direction: str, name: str, payload: bytes, start: int = 0
    ) -> dict[str, Any]:
        """The fields of a packet whose body begins at `start`. Raises as `decode` does, and KeyError where
        the state has no such packet."""
        read = self._readers.get((state, direction, name)) or self.reader(state, direction, name)
        try:
            return read(payload, start)
        except _BROKEN as error:
            raise self._decode_error(state, direction, name, payload, start, error) from None

    @staticmethod
    def _decode_error(
        state: str, direction: str, name: str, payload: bytes, start: int, error: Exception
    ) -> DecodeError:
        offset = _offset(error.__traceback__, start)
        return DecodeError(state, direction, name, _why_broken(error), offset, len(payload))

    def encode(self, state: str, direction: str, name: str, fields: Mapping[str, Any]) -> bytes:
        """Id and body of a packet. Raises EncodeError for fields that are missing, unknown or do not fit, and
        where the state has no such packet."""
        write = self._writers.get((state, direction, name))
        if write is None:
            try:
                write = self.writer(state, direction, name)
            except KeyError:
                raise EncodeError(state, direction, name, "the state has no such packet") from None
        try:
            return write(fields)
        except _UNFIT as error:
            raise EncodeError(state, direction, name, _why_unfit(error, fields)) from error


def _offset(traceback: TracebackType | None, start: int) -> int:
    """Where the innermost generated reader had come to."""
    offset = start
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == "<packet>":
            offset = traceback.tb_frame.f_locals.get("i", offset)
        traceback = traceback.tb_next
    return offset


def _why_broken(error: BaseException) -> str:
    if isinstance(error, UnicodeDecodeError):
        return f"string is not UTF-8: {error.reason}"
    if isinstance(error, (Fault, NbtError)):
        return str(error)
    if isinstance(error, RecursionError):
        return "nests too deep"
    return "ends early"


def _why_unfit(error: BaseException, fields: Mapping[str, Any]) -> str:
    if isinstance(error, KeyError):
        return f"field {error.args[0]} is missing"
    if isinstance(error, (Fault, NbtError)):
        return str(error)
    shown = repr(dict(fields))
    return f"{error}; fields were {shown if len(shown) <= 300 else shown[:297] + '...'}"


#: The codec of vanilla, which the functions below stand on.
VANILLA = Codec()
#: The codec between NeoForge and clients that speak its own protocol; nothing is read before it is used.
NEOFORGE = Codec((*PATCHES, *NEOFORGE_PATCHES))
packet_name = VANILLA.packet_name
packet_id = VANILLA.packet_id
packet_names = VANILLA.packet_names
reader = VANILLA.reader
writer = VANILLA.writer
decode = VANILLA.decode
decode_body = VANILLA.decode_body
encode = VANILLA.encode
