"""What a client has sent, in order, decoded from the bytes it wrote.

sim.sent.expect("position", x=0.5, y=64.0)      # the next packet, and these of its fields
sim.sent.expect_nothing()                       # and no other
"""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Iterator
from typing import Any

from protocol.codec import Packet


class SentLog:
    """Packets in the order they were sent. Looking at one with `expect` takes it away."""

    def __init__(self) -> None:
        self._packets: deque[Packet] = deque()

    def record(self, packet: Packet) -> None:
        """Add what was just sent."""
        self._packets.append(packet)

    def __len__(self) -> int:
        return len(self._packets)

    def __iter__(self) -> Iterator[Packet]:
        return iter(list(self._packets))

    def names(self) -> list[str]:
        """The names of the packets that nobody has looked at yet, first sent first."""
        return [packet.name for packet in self._packets]

    def clear(self) -> None:
        """Forget everything sent so far."""
        self._packets.clear()

    def expect(self, name: str, /, *, tol: float = 0.0, **fields: Any) -> dict[str, Any]:
        """Take the next packet and return its fields; AssertionError when it is another or differs.

        `fields` names those that matter. Numbers may differ by `tol`; without it they must be the same
        number, or the same once rounded to the 32 bits that some fields travel in.
        """
        __tracebackhide__ = True
        if not self._packets:
            raise AssertionError(f"expected {name}, but nothing was sent")
        packet = self._packets.popleft()
        if packet.name != name:
            raise AssertionError(f"expected {name}, but {_shown(packet)} was sent; then {self._rest()}")
        for key, wanted in fields.items():
            if key not in packet.fields:
                raise AssertionError(
                    f"{name} has no field {key}; it has {', '.join(packet.fields) or 'none'}"
                )
            if not _same(packet.fields[key], wanted, tol):
                raise AssertionError(f"expected {name} with {key}={wanted!r}, but {_shown(packet)} was sent")
        return packet.fields

    def expect_nothing(self) -> None:
        """AssertionError when anything is left."""
        __tracebackhide__ = True
        if self._packets:
            raise AssertionError(f"expected nothing more, but there is {self._rest()}")

    def maybe(self, name: str, /, **fields: Any) -> dict[str, Any] | None:
        """Take the next packet if it is this one, else leave it and return None."""
        if not self._packets or self._packets[0].name != name:
            return None
        packet = self._packets[0]
        if not all(
            key in packet.fields and _same(packet.fields[key], value, 0.0) for key, value in fields.items()
        ):
            return None
        return self._packets.popleft().fields

    def skip_to(self, name: str, /, *, tol: float = 0.0, **fields: Any) -> dict[str, Any]:
        """Drop packets until the first `name`, then as `expect`."""
        __tracebackhide__ = True
        seen = self.names()
        while self._packets and self._packets[0].name != name:
            self._packets.popleft()
        if not self._packets:
            raise AssertionError(
                f"expected {name} somewhere, but these were sent: {', '.join(seen) or 'none'}"
            )
        return self.expect(name, tol=tol, **fields)

    def take(self, *names: str) -> list[Packet]:
        """Take out all packets with these names, wherever they are, and leave the others in their order."""
        taken = [packet for packet in self._packets if packet.name in names]
        self._packets = deque(packet for packet in self._packets if packet.name not in names)
        return taken

    def _rest(self) -> str:
        shown = [_shown(packet) for packet in list(self._packets)[:8]]
        more = len(self._packets) - len(shown)
        return ("; ".join(shown) or "nothing") + (f"; and {more} more" if more else "")


def _shown(packet: Packet) -> str:
    fields = ", ".join(f"{key}={value!r}" for key, value in packet.fields.items())
    return f"{packet.name}({fields if len(fields) <= 300 else fields[:297] + '...'})"


def _same(sent: Any, wanted: Any, tol: float) -> bool:
    if isinstance(wanted, (int, float)) and isinstance(sent, float) and not isinstance(wanted, bool):
        return abs(sent - wanted) <= tol or sent == _float32(wanted)
    if isinstance(wanted, dict) and isinstance(sent, dict):
        return all(key in sent and _same(sent[key], value, tol) for key, value in wanted.items())
    if isinstance(wanted, (list, tuple)) and isinstance(sent, (list, tuple)):
        return len(wanted) == len(sent) and all(_same(a, b, tol) for a, b in zip(sent, wanted, strict=True))
    return bool(sent == wanted)


def _float32(number: float) -> float:
    try:
        rounded: float = struct.unpack("f", struct.pack("f", number))[0]
    except OverflowError:
        return number
    return rounded
