"""A short run of tests/protocol/fuzz.py: the long one is a command."""

from __future__ import annotations

import tracemalloc

import pytest

from protocol import codec
from protocol.limits import ORDINARY
from tests.protocol.fuzz import LARGEST_MIB, fuzz_packets, fuzz_streams
from tests.protocol.mutations import Valid, heavy


def test_broken_packets_raise_nothing_but_decode_errors() -> None:
    report = fuzz_packets(10_000, seed=2, each=2, costly=0)
    assert report.faults == []
    assert report.largest[ORDINARY][0][0] < LARGEST_MIB
    assert min(report.outcomes[name] for name in ("refused", "read", "read in part")) > 20


def test_broken_streams_lose_the_broken_packet_only_or_end() -> None:
    report = fuzz_streams(1_200, seed=2)
    assert report.faults == []
    assert report.outcomes["cut"] > 600
    assert report.outcomes["ended"] > 100


def _name(one: Valid) -> str:
    return codec.packet_name(one.state, one.direction, one.payload[0])


@pytest.mark.parametrize("one", heavy(), ids=_name)
def test_the_costliest_packets_are_within_their_limits(one: Valid) -> None:
    assert codec.decode(*one).fields


#: Some of the packets that take most; the command tries all.
GREEDY = ("update_light", "set_slot", "entity_update_attributes")


@pytest.mark.parametrize("one", [one for one in heavy() if _name(one) in GREEDY], ids=_name)
def test_the_costliest_packets_take_less_than_their_limit_of_memory(one: Valid) -> None:
    tracemalloc.start()
    codec.decode(*one)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < LARGEST_MIB * (1 << 20)
