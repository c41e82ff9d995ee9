"""Frames: where one packet ends and the next begins, with and without compression.

A frame is a varint length of at most three bytes and that many bytes. Once compression is on, those begin
with the varint size of the packet before compression, or 0 when it travels as it is (protocol 767).

`FrameSplitter` takes bytes as the socket delivers them and gives packets; `join` makes a frame of a packet.
Both are in the path of every packet, so they write the varint loops out and slice nothing that nobody wants.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence

#: A frame's length has at most 21 bits.
MAX_FRAME = (1 << 21) - 1
#: The largest packet before compression (vanilla 1.21.1).
MAX_PACKET = 8 * 1024 * 1024
#: How hard `join` compresses. Chunks shrink almost as far as at zlib's default level, in a third of its time.
COMPRESSION_LEVEL = 2


class FramingError(ValueError):
    """The byte stream can't be cut into packets any more. The connection is lost with it."""


class FrameSplitter:
    """Cuts a byte stream into packets.

    `feed` it what arrives, then iterate over `packets()`: each is the id and body of one packet. Compression
    may be switched by `threshold` while iterating; it holds from the very next frame on.
    """

    #: Packets of at least this size arrive compressed; negative: compression is off.
    threshold = -1
    #: Refuse a compressed packet below the threshold, as a server does. A vanilla client takes it.
    strict = False
    #: By packet id: packets whose one-byte id has a None here are stepped over. None: every packet is wanted.
    wanted: Sequence[object | None] | None = None

    def __init__(self, *, strict: bool = False) -> None:
        self.strict = strict
        #: What is being cut now, and how far.
        self._data = b""
        self._pos = 0
        #: The beginning of a frame whose rest has not come, and the size at which looking again is worth it.
        self._partial = bytearray()
        self._enough = 0

    def feed(self, data: bytes) -> None:
        """Add what the socket delivered."""
        partial = self._partial
        if self._pos < len(self._data):  # fed from within the loop over packets()
            partial[:0] = self._data[self._pos :]
        elif not partial:
            self._data, self._pos = data, 0
            return
        partial += data
        self._data, self._pos = b"", 0
        if len(partial) >= self._enough:
            self._data = bytes(partial)
            self._partial = bytearray()
            self._enough = 0

    def transform_rest(self, change: Callable[[bytes], bytes]) -> None:
        """Replace what was fed and not yet cut by `change` of it: encryption begins between two packets."""
        rest = self._data[self._pos :] + bytes(self._partial)
        self._partial = bytearray()
        self._enough = 0
        self._data, self._pos = change(rest) if rest else b"", 0

    @property
    def waiting(self) -> int:
        """Bytes that came and belong to no whole packet yet."""
        return len(self._data) - self._pos + len(self._partial)

    def packets(self) -> Iterator[bytes]:
        """Give the packets that are complete. Raises FramingError where the stream makes no sense."""
        data, pos, end = self._data, self._pos, len(self._data)
        threshold, wanted = self.threshold, self.wanted
        while pos < end:
            # The frame's length: one byte for most packets, three at most.
            length = data[pos]
            start = pos + 1
            if length > 127:
                if start == end:
                    break
                byte = data[start]
                start += 1
                length = length & 127 | (byte & 127) << 7
                if byte > 127:
                    if start == end:
                        break
                    byte = data[start]
                    start += 1
                    if byte > 127:
                        raise FramingError("a frame's length is wider than 21 bits")
                    length |= byte << 14
            stop = start + length
            if stop > end:
                self._enough = stop - pos
                break
            pos = stop
            if length == 0:
                continue

            if threshold >= 0:
                if data[start] == 0:
                    start += 1
                    if start == stop:
                        continue
                else:
                    self._pos = pos
                    packet = self._inflate(data, start, stop)
                    if packet and (wanted is None or packet[0] > 127 or wanted[packet[0]] is not None):
                        yield packet
                        data, pos, end = self._data, self._pos, len(self._data)
                        threshold, wanted = self.threshold, self.wanted
                    continue
            if wanted is not None:
                ident = data[start]
                if ident < 128 and wanted[ident] is None:
                    continue
            self._pos = pos
            yield data[start:stop]
            # Whoever got it may have switched compression or encryption on.
            data, pos, end = self._data, self._pos, len(self._data)
            threshold, wanted = self.threshold, self.wanted

        self._data, self._pos = b"", 0
        if pos < end:
            self._partial += data[pos:]

    def _inflate(self, data: bytes, start: int, stop: int) -> bytes:
        size = shift = 0
        while True:
            if start == stop or shift > 28:
                raise FramingError("a compressed packet's size is not a varint")
            byte = data[start]
            start += 1
            size |= (byte & 127) << shift
            if byte < 128:
                break
            shift += 7
        if size > MAX_PACKET:
            raise FramingError(f"a compressed packet claims {size} bytes, more than the {MAX_PACKET} allowed")
        if self.strict and size < self.threshold:
            raise FramingError(
                f"a compressed packet of {size} bytes is below the threshold of {self.threshold}"
            )
        inflater = zlib.decompressobj()
        try:
            # One byte more than promised is enough to see a lie, and all a bomb will get.
            packet = inflater.decompress(data[start:stop], size + 1)
        except zlib.error as error:
            raise FramingError(f"a packet can't be decompressed: {error}") from error
        if len(packet) != size or not inflater.eof:
            found = f"at least {len(packet)}" if len(packet) > size else str(len(packet))
            raise FramingError(f"a compressed packet claims {size} bytes and has {found}")
        return packet


def varint(value: int) -> bytes:
    """`value`, 0 or more, as a varint."""
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


#: What goes before a short packet: its length, and the 0 of "not compressed".
_PLAIN_HEADS = [varint(size) for size in range(1024)]
_HEADS = [varint(size + 1) + b"\0" for size in range(1024)]


def join(packet: bytes, threshold: int = -1) -> bytes:
    """Make a frame of one packet (id and body). Raises FramingError when it is too large for one."""
    size = len(packet)
    if threshold < 0:
        if size < 1024:
            return _PLAIN_HEADS[size] + packet
    elif size < threshold:
        if size < 1024:
            return _HEADS[size] + packet
        packet = b"\0" + packet
    else:
        if size > MAX_PACKET:
            raise FramingError(f"a packet of {size} bytes is larger than the {MAX_PACKET} allowed")
        packet = varint(size) + zlib.compress(packet, COMPRESSION_LEVEL)
    if len(packet) > MAX_FRAME:
        raise FramingError(f"a packet of {size} bytes does not fit into a frame")
    return varint(len(packet)) + packet
