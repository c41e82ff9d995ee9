"""Random values for any type of the schema, to send through the codec and back."""

from __future__ import annotations

import random
from typing import Any
from uuid import UUID

from protocol.nbt import Byte, Double, Int, IntArray, Long, LongArray, Nbt, Short
from protocol.schema import Schema, Type

_RANGES = {
    "i8": (-0x80, 0x7F),
    "u8": (0, 0xFF),
    "i16": (-0x8000, 0x7FFF),
    "u16": (0, 0xFFFF),
    "i32": (-0x80000000, 0x7FFFFFFF),
    "i64": (-(1 << 63), (1 << 63) - 1),
    "varint": (-0x80000000, 0x7FFFFFFF),
    "varlong": (-(1 << 63), (1 << 63) - 1),
}
_TEXTS = ("", "a", "minecraft:stone", "Grüße", "木の斧", "🙂 smile", "x" * 200)
_FLOATS = (0.0, -1.5, 0.25, 1e6, -0.0078125, 123456.5)


class RandomFields:
    """Values that a packet can carry; the same seed gives the same values."""

    def __init__(self, schema: Schema, seed: int) -> None:
        self._schema = schema
        self._random = random.Random(seed)
        self._depth = 0

    def packet(self, type_: Type) -> dict[str, Any]:
        """All fields of a packet."""
        kind, arguments = self._schema.resolve(type_)
        return {} if kind == "void" else self._container(arguments, [])

    def _value(self, type_: Type, scopes: list[dict[str, Any]]) -> Any:
        kind, arguments = self._schema.resolve(type_)
        rng = self._random
        if kind in _RANGES:
            return self._number(*_RANGES[kind])
        if kind in ("f32", "f64"):
            return rng.choice(_FLOATS)
        if kind == "bool":
            return rng.random() < 0.5
        if kind == "void":
            return None
        return getattr(self, f"_{kind}")(arguments, scopes)

    def _number(self, low: int, high: int) -> int:
        rng = self._random
        return rng.choice((0, 1, min(high, 127), min(high, 128), low, high, rng.randint(low, high)))

    def _container(self, fields: Any, scopes: list[dict[str, Any]]) -> dict[str, Any]:
        self._depth += 1
        here: dict[str, Any] = {}
        inner = [here, *scopes]
        counted = {
            field["type"][1]["count"]
            for field in fields
            if field["type"][0] == "array" and "count" in field["type"][1]
        }
        for field in fields:
            name, type_ = field.get("name"), field["type"]
            if name is None:
                here |= self._value(type_, inner) or {}
            elif name in ("addedComponentCount", "removedComponentCount", "gridWidth", "gridHeight"):
                here[name] = self._random.randint(0, 2 if self._depth < 8 else 0)
            elif name == "itemCount":
                here[name] = self._random.choice((0, 1, 64, 200)) if self._depth < 8 else 0
            else:
                here[name] = self._value(type_, inner)
        assert counted <= here.keys() or not counted
        self._depth -= 1
        return here

    def _pstring(self, _arguments: Any, _scopes: Any) -> str:
        return self._random.choice(_TEXTS)

    def _buffer(self, arguments: Any, _scopes: Any) -> bytes:
        return self._random.randbytes(arguments.get("count", self._random.randint(0, 40)))

    def _restBuffer(self, _arguments: Any, _scopes: Any) -> bytes:
        return self._random.randbytes(self._random.randint(0, 40))

    def _UUID(self, _arguments: Any, _scopes: Any) -> UUID:
        return UUID(int=self._random.getrandbits(128))

    def _position(self, _arguments: Any, _scopes: Any) -> tuple[int, int, int]:
        wide = (-0x2000000, 0x1FFFFFF)
        return self._number(*wide), self._number(-0x800, 0x7FF), self._number(*wide)

    def _array(self, arguments: Any, scopes: list[dict[str, Any]]) -> list[Any]:
        if "count" in arguments:
            length = next(scope[arguments["count"]] for scope in scopes if arguments["count"] in scope)
        else:
            length = self._random.randint(0, 3 if self._depth < 8 else 0)
        return [self._value(arguments["type"], scopes) for _ in range(length)]

    def _option(self, inner: Type, scopes: list[dict[str, Any]]) -> Any:
        return self._value(inner, scopes) if self._random.random() < 0.5 and self._depth < 12 else None

    def _mapper(self, arguments: Any, _scopes: Any) -> str:
        return str(self._random.choice(list(arguments["mappings"].values())))

    def _bitflags(self, arguments: Any, _scopes: Any) -> frozenset[str]:
        return frozenset(flag for flag in arguments["flags"] if self._random.random() < 0.5)

    def _bitfield(self, arguments: Any, _scopes: Any) -> dict[str, int]:
        found = {}
        for part in arguments:
            low = -(1 << part["size"] - 1) if part["signed"] else 0
            found[part["name"]] = self._random.randint(low, low + (1 << part["size"]) - 1)
        if "command_node_type" in found:
            found["command_node_type"] %= 3
        return found

    def _switch(self, arguments: Any, scopes: list[dict[str, Any]]) -> Any:
        steps = arguments["compareTo"].split("/")
        depth = steps.count("..")
        value: Any = scopes[depth]
        for step in steps[depth:]:
            value = (step in value) if isinstance(value, frozenset) else value[step]
        case = str(value).lower() if isinstance(value, bool) else str(value)
        return self._value(arguments["fields"].get(case, arguments.get("default", "void")), scopes)

    def _registryEntryHolder(self, arguments: Any, scopes: list[dict[str, Any]]) -> dict[str, Any]:
        if self._random.random() < 0.5:
            return {arguments["baseName"]: self._number(0, 5000)}
        inline = arguments["otherwise"]
        return {inline["name"]: self._value(inline["type"], scopes)}

    def _registryEntryHolderSet(self, arguments: Any, scopes: list[dict[str, Any]]) -> Any:
        if self._random.random() < 0.5:
            return {arguments["base"]["name"]: "minecraft:mineable/axe"}
        return {arguments["otherwise"]["name"]: [self._number(0, 5000) for _ in range(3)]}

    def _entityMetadataLoop(self, arguments: Any, scopes: list[dict[str, Any]]) -> list[Any]:
        entries = [self._value(arguments["type"], scopes) for _ in range(3)]
        for entry in entries:
            entry["key"] %= 255
        return entries

    def _topBitSetTerminatedArray(self, arguments: Any, scopes: Any) -> list[Any]:
        items = [self._value(arguments["type"], scopes) for _ in range(self._random.randint(1, 3))]
        for item in items:
            item["slot"] &= 127
        return items

    def _anonymousNbt(self, _arguments: Any, _scopes: Any) -> Nbt:
        return Nbt.of(self._tag(0))

    def _anonOptionalNbt(self, _arguments: Any, _scopes: Any) -> Nbt | None:
        return None if self._random.random() < 0.3 else Nbt.of(self._tag(0))

    def _tag(self, depth: int) -> Any:
        plain = ("text", 7, True, 1 << 40, 2.5, b"\1\2", Byte(-3), Short(5), Int(6), Long(7), Double(0.5))
        if depth > 2 or self._random.random() < 0.4:
            return self._random.choice((*plain, IntArray([1, -2]), LongArray([1 << 50])))
        if self._random.random() < 0.3:
            return [self._tag(depth + 1) for _ in range(2)]
        return {
            name: self._tag(depth + 1) for name in ("a", "é", "minecraft:x")[: self._random.randint(0, 3)]
        }
