"""The packet schema: PrismarineJS's protocol.json with our corrections, as the compiler wants to see it.

A type is a name ("varint", "Slot") or a pair of a kind and its arguments (("array", {...})), as ProtoDef
has it. `Schema.resolve` follows names until a kind is reached.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final

from protocol.data import load_bytes
from protocol.patches import PATCHES, Patch

Type = Any
STATES: Final = ("handshaking", "status", "login", "configuration", "play")
DIRECTIONS: Final = ("toClient", "toServer")


class Schema:
    """Named types and the packet tables of one protocol version."""

    def __init__(self, tree: dict[str, Any]) -> None:
        #: Types by name. Types that only one packet table has are here too; packets are not.
        self.types: dict[str, Type] = dict(tree["types"])
        #: (state, direction) -> packet id -> (packet name, its type).
        self.packets: dict[tuple[str, str], dict[int, tuple[str, Type]]] = {}
        for state in STATES:
            for direction in DIRECTIONS:
                self._add(state, direction, tree[state][direction]["types"])

    def _add(self, state: str, direction: str, types: dict[str, Type]) -> None:
        for name, definition in types.items():
            if name.startswith("packet"):
                continue
            if self.types.setdefault(name, definition) != definition:
                raise ValueError(f"type {name} has two meanings")
        (_, params) = types["packet"][1]
        bodies = params["type"][1]["fields"]
        table = {}
        for number, name in types["packet"][1][0]["type"][1]["mappings"].items():
            body = bodies[name]
            table[int(number, 16)] = (name, types.get(body, body))
        self.packets[state, direction] = table

    def resolve(self, type_: Type) -> tuple[str, Any]:
        """The kind and arguments behind a type. A native type is its own kind, with arguments None."""
        while isinstance(type_, str):
            definition = self.types[type_]
            if definition == "native" or type_ == "position":
                return type_, None
            type_ = definition
        return type_[0], type_[1]


def load(patches: Iterable[Patch] = PATCHES) -> Schema:
    """The vendored schema of protocol 767 with these corrections. Raises LookupError when one doesn't fit."""
    tree = json.loads(load_bytes("protocol"))
    for patch in patches:
        patch.apply(tree)
    return Schema(tree)
