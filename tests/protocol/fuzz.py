"""Broken packets and broken streams by the million: nothing but the codec's own errors may come of them.

.venv/bin/python -m tests.protocol.fuzz --packets 1000000 --streams 100000

Every packet is a valid one of some kind with a few bytes changed. It is decoded; what decodes is encoded and
decoded again; its tags are parsed, a column of terrain is unpacked. Every stream is some frames with a few
bytes changed, in a packet or between them. The time of a call is the thread's own, the best of three where it
seems too long; memory is watched in one of some hundred calls, and more often where a packet is large.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from protocol import codec
from protocol.chunks import ChunkData
from protocol.codec import Codec, DecodeError, EncodeError
from protocol.framing import FrameSplitter, FramingError, join
from protocol.limits import BULK, ORDINARY, Limits, limits_of
from protocol.nbt import Nbt, NbtError
from protocol.runtime import Fault
from protocol.salvage import Truncated
from tests.protocol.mutations import Valid, corpus, heavy, mutated

SLOWEST_MS = 50.0
LARGEST_MIB = 16.0
#: What takes this long is timed again.
_SUSPECT_MS = SLOWEST_MS / 2
#: Packets of at least this size are watched for memory more often than one in so many times.
_LARGE = 20_000
_WATCHED = 300
#: One in so many times a valid packet is decoded afterwards, and what was decoded is sent round again.
_CHECKED = 10

T = TypeVar("T")
Cost = tuple[float, str, int]


def _costs() -> dict[Limits, list[Cost]]:
    return {ORDINARY: [], BULK: []}


def _note(costs: dict[Limits, list[Cost]], cost: Cost, limits: Limits) -> None:
    most = costs[limits]
    if len(most) < 5 or cost[0] > most[-1][0]:
        costs[limits] = sorted([*most, cost], reverse=True)[:5]


@dataclass
class Report:
    """What came of it."""

    #: How many packets or streams there were, by what became of them.
    outcomes: Counter[str] = field(default_factory=Counter)
    #: Milliseconds and MiB of the costliest calls, with the packet's name and size: of all that must keep to
    #: the limits of ordinary packets, and of those made as costly as the larger limits of their kind let.
    slowest: dict[Limits, list[Cost]] = field(default_factory=_costs)
    largest: dict[Limits, list[Cost]] = field(default_factory=_costs)
    #: Exceptions that must not be, packets read wrong: what, and the bytes.
    faults: list[str] = field(default_factory=list)
    watched: int = 0
    #: The limits that hold for what is noted now.
    limits: Limits = ORDINARY

    def took(self, ms: float, name: str, size: int) -> None:
        """Note a call's time."""
        _note(self.slowest, (ms, name, size), self.limits)

    def made(self, mib: float, name: str, size: int) -> None:
        """Note a call's memory."""
        self.watched += 1
        _note(self.largest, (mib, name, size), self.limits)

    def fault(self, what: str, data: bytes) -> None:
        """Note something that must not be."""
        self.faults.append(f"{what}: {data[:2000].hex()}{'...' if len(data) > 2000 else ''}")


def _measured(
    report: Report,
    name: str,
    size: int,
    call: Callable[[], T],
    *,
    watch: bool,
    again: Callable[[], object] | None = None,
) -> T:
    """What a call returns or raises. Its time is noted, or its memory where it is watched, which makes slow.

    A call that seems too slow is made twice more and its best time counts: a loaded machine, or the garbage
    of others, makes any call slow at times. `again` is what to time then, where the call changes something.
    """
    if watch:
        tracemalloc.start()
        try:
            return call()
        finally:
            report.made(tracemalloc.get_traced_memory()[1] / (1 << 20), name, size)
            tracemalloc.stop()
    start = time.thread_time()
    try:
        return call()
    finally:
        best = time.thread_time() - start
        for _ in range(2 if best * 1000 > _SUSPECT_MS else 0):
            start = time.thread_time()
            with suppress(Exception):
                (again or call)()
            best = min(best, time.thread_time() - start)
        report.took(best * 1000, name, size)


def _tags(value: Any) -> Iterator[Nbt]:
    if isinstance(value, Nbt):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _tags(item)
    elif isinstance(value, list):
        for item in value[:1000]:
            yield from _tags(item)


def _name(state: str, direction: str, payload: bytes) -> str:
    try:
        return f"{direction} {codec.packet_name(state, direction, payload[0])}"
    except (KeyError, IndexError):
        return f"{direction} ?"


def fuzz_costliest(report: Report) -> None:
    """Decode the costliest packets there can be, unbroken."""
    for one in heavy():
        _warm_up(one)
        report.limits = limits_of(_name(*one).split()[-1])
        for watch in (True, False):
            outcome = _decode(report, codec.VANILLA, one, one.payload, watch=watch, again=False)
            if outcome != "read":
                report.fault(f"a costly packet is {outcome}", one.payload[:1])


def fuzz_packets(count: int, seed: int, each: int = 4, costly: int = 1000) -> Report:
    """Decode so many broken packets, `each` is how many of each kind they come of. One in `costly` is one of
    the costliest there can be; 0: none is."""
    report, rng = Report(), random.Random(seed)
    valid, most = corpus(each), heavy() if costly else []
    for one in valid:  # so that what is timed is not compiling
        _warm_up(one)
    for number in range(count):
        one, other = rng.choice(valid), rng.choice(valid)
        report.limits = ORDINARY
        if most and number % costly == 0:
            one = rng.choice(most)
            report.limits = limits_of(_name(*one).split()[-1])
        payload = mutated(rng, one.payload, other.payload)
        used = codec.NEOFORGE if number % 4 == 3 else codec.VANILLA
        watch = number % _WATCHED == 0 or (len(payload) >= _LARGE and rng.random() < 0.04)
        again = number % _CHECKED == 0 and len(payload) < _LARGE
        report.outcomes[_decode(report, used, one, payload, watch=watch, again=again)] += 1
        if number % _CHECKED == 0:
            _check(report, rng.choice(valid))
    return report


def _warm_up(one: Valid) -> None:
    codec.decode(*one)
    with suppress(DecodeError):  # vanilla's bytes are not always NeoForge's
        codec.NEOFORGE.decode(*one)


def _check(report: Report, one: Valid) -> None:
    """See that a valid packet is read right: it is written as it came."""
    try:
        packet = codec.decode(*one)
    except DecodeError as error:
        report.fault(f"a valid packet is refused: {error}", one.payload)
        return
    if codec.encode(one.state, one.direction, packet.name, packet.fields) != one.payload:
        report.fault("a valid packet is read wrong", one.payload)


def _decode(report: Report, used: Codec, kind: Valid, payload: bytes, *, watch: bool, again: bool) -> str:
    name = _name(kind.state, kind.direction, payload)
    try:
        packet = _measured(
            *(report, name, len(payload)),
            lambda: used.decode(kind.state, kind.direction, payload),
            watch=watch,
        )
    except DecodeError:
        return "refused"
    except Exception as error:
        report.fault(f"{name} raises {type(error).__name__} {error}", payload)
        return "FAULT"
    if isinstance(packet.fields, Truncated):
        return "read in part"
    try:
        for tag in _tags(packet.fields):
            _parse(report, tag, watch=watch)
        if packet.name == "map_chunk":
            _measured(
                *(report, "a column's sections", len(payload)), lambda: _unpack(packet.fields), watch=watch
            )
        if again:
            _send_round(report, used, kind, packet.name, packet.fields)
    except Exception as error:
        report.fault(f"what {name} holds raises {type(error).__name__} {error}", payload)
    return "read"


def _parse(report: Report, tag: Nbt, *, watch: bool) -> None:
    with suppress(NbtError):  # a tag keeps its value, so each call gets a new one
        _measured(report, "a tag's value", len(tag.raw), lambda: Nbt(tag.raw).value, watch=watch)


def _unpack(fields: dict[str, Any]) -> None:
    try:
        column = ChunkData(fields)
    except Fault:
        return
    for y in range(-64, 320, 16):
        column.block(3, y, 5)
        column.biome(3, y, 5)
        column.sky_light(3, y, 5)


def _send_round(report: Report, used: Codec, kind: Valid, name: str, fields: dict[str, Any]) -> None:
    try:
        first = used.encode(kind.state, kind.direction, name, fields)
    except EncodeError:
        return  # what only a broken packet can hold
    back = used.decode(kind.state, kind.direction, first).fields
    if used.encode(kind.state, kind.direction, name, back) != first:
        report.fault(f"{name} does not come back", first)


def fuzz_streams(count: int, seed: int) -> Report:
    """Cut and decode so many broken streams."""
    report, rng = Report(), random.Random(seed)
    valid = [one for one in corpus(1) if one.state == "play" and one.direction == "toClient"]
    for one in valid:
        _warm_up(one)
    small = [one for one in valid if len(one.payload) < 4096]
    for number in range(count):
        chosen = [rng.choice(valid if rng.random() < 0.02 else small) for _ in range(rng.randint(2, 8))]
        sent = [one.payload for one in chosen]
        threshold = rng.choice((-1, 0, 64, 256))
        within = rng.random() < 0.5
        broken = rng.randrange(len(sent))
        if within:
            sent[broken] = mutated(rng, sent[broken], rng.choice(small).payload) or b"\0"
        try:
            data = b"".join(join(payload, threshold) for payload in sent)
        except FramingError:
            continue
        if not within:
            data = mutated(rng, data, rng.choice(small).payload)
        got = _cut(report, rng, data, threshold, watch=number % _WATCHED == 0)
        report.outcomes["ended" if got is None else "cut"] += 1
        if within:
            if got != sent:
                report.fault("packets around a broken one are lost", data)
            _check(report, rng.choice(chosen))
    return report


def _cut(
    report: Report, rng: random.Random, data: bytes, threshold: int, *, watch: bool
) -> list[bytes] | None:
    """The packets of a stream, each decoded; None when it ended with a FramingError."""
    splitter = FrameSplitter()
    splitter.threshold = threshold
    got: list[bytes] = []
    at = 0
    while at < len(data):
        size = rng.choice((1, 7, 100, 1460, 65536))
        piece = data[at : at + size]
        at += size
        try:
            payloads = _measured(
                *(report, "framing", len(piece)),
                partial(_fed, splitter, piece),
                watch=watch,
                again=partial(_fed_anew, threshold, data[:at]),
            )
        except FramingError:
            return None
        except Exception as error:
            report.fault(f"framing raises {type(error).__name__} {error}", data)
            return None
        for payload in payloads:
            got.append(payload)
            kind = Valid("play", "toClient", payload)
            outcome = _decode(report, codec.VANILLA, kind, payload, watch=False, again=False)
            report.outcomes[f"packets {outcome}"] += 1
    return got


def _fed(splitter: FrameSplitter, piece: bytes) -> list[bytes]:
    splitter.feed(piece)
    return list(splitter.packets())


def _fed_anew(threshold: int, data: bytes) -> list[bytes]:
    splitter = FrameSplitter()
    splitter.threshold = threshold
    return _fed(splitter, data)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--packets", type=int, default=100_000)
    parser.add_argument("--streams", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    bad = 0
    for label, run, count in (
        ("packets", fuzz_packets, options.packets),
        ("streams", fuzz_streams, options.streams),
    ):
        start = time.perf_counter()
        report = run(count, options.seed)
        if label == "packets":
            fuzz_costliest(report)
        outcomes = ", ".join(f"{name} {number}" for name, number in report.outcomes.most_common())
        print(f"{count} {label} in {time.perf_counter() - start:.0f} s: {outcomes}")
        print(f"  {report.watched} calls watched for memory")
        for limits, kinds in ((BULK, "made to cost all that larger limits allow"), (ORDINARY, "all others")):
            times = limits.values / ORDINARY.values
            for unit, costs, most in (
                ("ms", report.slowest[limits], SLOWEST_MS * times),
                ("MiB", report.largest[limits], LARGEST_MIB * times),
            ):
                shown = ", ".join(f"{much:.1f} {name} ({size} B)" for much, name, size in costs)
                print(f"  {kinds}, {unit} of at most {most:g}: {shown or 'none'}")
                bad += sum(cost[0] > most for cost in costs)
        for what in report.faults[:20]:
            print(f"  FAULT {what}")
        bad += len(report.faults)
    return min(bad, 1)


if __name__ == "__main__":
    sys.exit(main())
