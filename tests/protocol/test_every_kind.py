"""Every packet there is, with values of a fixed seed: hypothesis tries more in test_codec.py and, for as long
as one likes, in tests/protocol/roundtrip.py."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from protocol import codec
from protocol.data import load_bytes
from protocol.patches import PATCHES
from protocol.schema import DIRECTIONS, STATES
from tests.protocol.any_fields import AnyFields, Seeded
from tests.protocol.roundtrip import EVERY_KIND, Kind, check

SCHEMA = codec.VANILLA.schema
EXAMPLES = 200
#: What has so many cases that it takes more examples to meet all.
MANY_CASES = {"declare_commands": 1500}


def type_of(kind: Kind) -> Any:
    """The type of a packet's body."""
    return SCHEMA.packets[kind[:2]][codec.packet_id(*kind)][1]


class Noting(AnyFields):
    """Values, and a note of the switches met and the cases they were made of."""

    def __init__(self, source: Seeded, met: dict[int, set[str]]) -> None:
        super().__init__(SCHEMA, source)
        self._met = met

    def _switch(self, arguments: Any, scopes: list[dict[str, Any]], cases: Sequence[str]) -> Any:
        self._met.setdefault(id(arguments), set()).add(self._case(arguments, scopes))
        return super()._switch(arguments, scopes, cases)


def switches(type_: Any) -> dict[int, Any]:
    """The arguments of all switches within a type as it is written down."""
    found: dict[int, Any] = {}
    if isinstance(type_, dict):
        for part in type_.values():
            found |= switches(part)
    elif isinstance(type_, (list, tuple)):
        if len(type_) == 2 and type_[0] == "switch" and isinstance(type_[1], dict):
            found[id(type_[1])] = type_[1]
        for part in type_:
            found |= switches(part)
    return found


def test_no_packet_of_the_public_schema_is_missing() -> None:
    tree = json.loads(load_bytes("protocol"))
    public = {
        (state, direction, name)
        for state in STATES
        for direction in DIRECTIONS
        for name in tree[state][direction]["types"]["packet"][1][0]["type"][1]["mappings"].values()
    }
    removed = {tuple(patch.path.split("/")[1:]) for patch in PATCHES if patch.path.startswith("-/")}
    assert len(removed) == 3  # each with its reason in protocol.patches
    assert set(EVERY_KIND) == public - removed
    assert len(EVERY_KIND) == 223


@pytest.mark.parametrize("kind", EVERY_KIND, ids="/".join)
def test_two_hundred_packets_come_back_as_they_were_sent(kind: Kind) -> None:
    type_ = type_of(kind)
    for seed in range(EXAMPLES):
        check(kind, AnyFields(SCHEMA, Seeded(seed)).packet(type_))


def test_every_case_of_every_switch_comes_by() -> None:
    met: dict[int, set[str]] = {}
    for kind in EVERY_KIND:
        type_ = type_of(kind)
        for seed in range(MANY_CASES.get(kind[2], EXAMPLES)):
            fields = Noting(Seeded(seed), met).packet(type_)
            if seed >= EXAMPLES:
                check(kind, fields)
    every = switches([list(SCHEMA.types.values()), list(SCHEMA.packets.values())])
    assert len(every) > 60
    missed = [
        (arguments["compareTo"], cases)
        for key, arguments in every.items()
        if (cases := set(arguments["fields"]) - met.get(key, set()))
    ]
    assert missed == []
