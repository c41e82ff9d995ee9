"""Values for any packet of the schema, to send through the codec and back.

`AnyFields` walks a packet's type and asks a source for every number, text and choice. A source is a seed
(`Seeded`, fast and repeatable) or hypothesis (tests/protocol/strategies.py), which also finds the smallest
example that fails.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from typing import Any, Final, Protocol, TypeVar
from uuid import UUID

from protocol.nbt import Byte, Double, Float, Int, IntArray, Long, LongArray, Nbt, Short
from protocol.runtime import CUSTOM_INGREDIENTS, CUSTOM_SETS
from protocol.schema import Schema, Type

T = TypeVar("T")
_RANGES: Final = {
    "i8": (-0x80, 0x7F),
    "u8": (0, 0xFF),
    "i16": (-0x8000, 0x7FFF),
    "u16": (0, 0xFFFF),
    "i32": (-0x80000000, 0x7FFFFFFF),
    "i64": (-(1 << 63), (1 << 63) - 1),
    "varint": (-0x80000000, 0x7FFFFFFF),
    "varlong": (-(1 << 63), (1 << 63) - 1),
}
#: Beyond this depth lists are empty and what may be absent is.
_DEEP: Final = 8


class Source(Protocol):
    """Where the values come from."""

    def integer(self, low: int, high: int) -> int:
        """A number from low to high, both included."""

    def choice(self, options: Sequence[T]) -> T:
        """One of some."""

    def number(self, bits: int) -> float:
        """A float of 32 or 64 bits that is no NaN."""

    def bytes(self, low: int, high: int) -> bytes:
        """Some bytes, so many at least and at most."""

    def text(self) -> str:
        """Text without surrogates."""


class Seeded:
    """Values of one seed, with the borders of every range among them."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def integer(self, low: int, high: int) -> int:
        rng = self._random
        if high - low < 8 or rng.random() < 0.5:
            return rng.randint(low, high)
        borders = (0, 1, 127, 128, 255, -1, low, high)
        return min(high, max(low, rng.choice(borders)))

    def choice(self, options: Sequence[T]) -> T:
        return self._random.choice(options)

    def number(self, bits: int) -> float:
        return self._random.choice((0.0, -0.0, -1.5, 0.25, 1e6, -0.0078125, 123456.5, float("inf")))

    def bytes(self, low: int, high: int) -> bytes:
        return self._random.randbytes(self._random.randint(low, high))

    def text(self) -> str:
        return self._random.choice(("", "a", "minecraft:stone", "Grüße", "木の斧", "🙂 smile", "x" * 200))


class AnyFields:
    """Values that packets can carry."""

    def __init__(self, schema: Schema, source: Source, avoid: frozenset[str] = frozenset()) -> None:
        """`avoid` names cases of switches that are not to be chosen."""
        self._schema = schema
        self._source = source
        self._avoid = avoid
        self._depth = 0
        self._counts = _names_of_counts(schema)

    def packet(self, type_: Type) -> dict[str, Any]:
        """All fields of a packet."""
        kind, arguments = self._schema.resolve(type_)
        return {} if kind == "void" else self._container(arguments, [])

    def _value(self, type_: Type, scopes: list[dict[str, Any]], cases: Sequence[str] = ()) -> Any:
        """A value of a type, which is looked at by switches with these cases."""
        kind, arguments = self._schema.resolve(type_)
        if kind in _RANGES:
            return self._integer(*_RANGES[kind], cases)
        if kind in ("f32", "f64"):
            return self._source.number(int(kind[1:]))
        if kind == "bool":
            return self._source.choice((False, True))
        if kind == "void":
            return None
        if kind == "mapper":
            return self._mapper(arguments, bool(cases))
        if kind == "option":
            return self._option(arguments, scopes, cases)
        if kind == "switch":
            return self._switch(arguments, scopes, cases)
        return getattr(self, f"_{kind}")(arguments, scopes)

    def _chance(self, percent: int) -> bool:
        return self._source.integer(1, 100) <= percent

    def _integer(self, low: int, high: int, cases: Sequence[str]) -> int:
        numbers = [int(case) for case in cases if case.lstrip("-").isdigit()]
        if numbers and self._chance(80):
            return self._source.choice(numbers)
        return self._source.integer(low, high)

    def _container(self, fields: Any, scopes: list[dict[str, Any]]) -> dict[str, Any]:
        self._depth += 1
        here: dict[str, Any] = {}
        inner = [here, *scopes]
        for field in fields:
            name, type_ = field.get("name"), field["type"]
            if name is None:
                here |= self._value(type_, inner) or {}
            elif name in self._counts:
                here[name] = self._source.integer(0, 2 if self._depth < _DEEP else 0)
            elif name == "itemCount":
                here[name] = self._source.choice((0, 1, 64, 200)) if self._depth < _DEEP else 0
            else:
                here[name] = self._value(type_, inner, _cases(fields, name))
        self._depth -= 1
        return here

    def _pstring(self, _arguments: Any, _scopes: Any) -> str:
        return self._source.text()

    def _buffer(self, arguments: Any, _scopes: Any) -> bytes:
        if "count" in arguments:
            return self._source.bytes(arguments["count"], arguments["count"])
        return self._source.bytes(0, 40)

    def _restBuffer(self, _arguments: Any, _scopes: Any) -> bytes:
        return self._source.bytes(0, 40)

    def _UUID(self, _arguments: Any, _scopes: Any) -> UUID:
        return UUID(bytes=self._source.bytes(16, 16))

    def _position(self, _arguments: Any, _scopes: Any) -> tuple[int, int, int]:
        wide = (-0x2000000, 0x1FFFFFF)
        return self._source.integer(*wide), self._source.integer(-0x800, 0x7FF), self._source.integer(*wide)

    def _array(self, arguments: Any, scopes: list[dict[str, Any]]) -> list[Any]:
        if "count" in arguments:
            length = next(scope[arguments["count"]] for scope in scopes if arguments["count"] in scope)
        else:
            length = self._source.integer(0, 3 if self._depth < _DEEP else 0)
        return [self._value(arguments["type"], scopes) for _ in range(length)]

    def _option(self, inner: Type, scopes: list[dict[str, Any]], cases: Sequence[str]) -> Any:
        present = self._depth < _DEEP + 4 and self._chance(50)
        return self._value(inner, scopes, cases) if present else None

    def _mapper(self, arguments: Any, decides: bool) -> str | int:
        """A name, or a number that has none where nothing else depends on it."""
        mappings = arguments["mappings"]
        if not decides and self._chance(5):
            return 1 + max(int(number, 0) for number in mappings)
        return str(self._source.choice([name for name in mappings.values() if name not in self._avoid]))

    def _bitflags(self, arguments: Any, _scopes: Any) -> frozenset[str]:
        return frozenset(flag for flag in arguments["flags"] if self._chance(50))

    def _bitfield(self, arguments: Any, _scopes: Any) -> dict[str, int]:
        found = {}
        for part in arguments:
            low = -(1 << part["size"] - 1) if part["signed"] else 0
            high = low + (1 << part["size"]) - 1
            found[part["name"]] = self._source.integer(
                low, 2 if part["name"] == "command_node_type" else high
            )
        return found

    def _switch(self, arguments: Any, scopes: list[dict[str, Any]], cases: Sequence[str]) -> Any:
        case = self._case(arguments, scopes)
        return self._value(arguments["fields"].get(case, arguments.get("default", "void")), scopes, cases)

    @staticmethod
    def _case(arguments: Any, scopes: list[dict[str, Any]]) -> str:
        """What the field that a switch looks at holds, as the switch would name it."""
        steps = arguments["compareTo"].split("/")
        depth = steps.count("..")
        value: Any = scopes[depth]
        for step in steps[depth:]:
            value = (step in value) if isinstance(value, frozenset) else value[step]
        return str(value).lower() if isinstance(value, bool) else str(value)

    def _registryEntryHolder(self, arguments: Any, scopes: list[dict[str, Any]]) -> dict[str, Any]:
        if arguments["baseName"] in self._avoid or self._chance(50):
            return {arguments["baseName"]: self._source.integer(0, 5000)}
        inline = arguments["otherwise"]
        return {inline["name"]: self._value(inline["type"], scopes)}

    def _registryEntryHolderSet(self, arguments: Any, scopes: list[dict[str, Any]]) -> Any:
        if self._chance(50):
            return {arguments["base"]["name"]: self._source.text()}
        count = self._source.integer(0, 3)
        return {arguments["otherwise"]["name"]: [self._source.integer(0, 5000) for _ in range(count)]}

    def _customHolderSet(self, arguments: Any, scopes: list[dict[str, Any]]) -> Any:
        if self._depth >= _DEEP or "custom" in self._avoid or self._chance(80):
            return self._registryEntryHolderSet(arguments, scopes)
        name, count = self._source.choice(CUSTOM_SETS)
        self._depth += 1
        count = self._source.integer(0, 2) if count is None else count
        sets = [self._customHolderSet(arguments, scopes) for _ in range(count)]
        self._depth -= 1
        return {"custom": name, "sets": sets}

    def _customIngredient(self, items: Type, scopes: list[dict[str, Any]]) -> Any:
        if "custom" in self._avoid or self._chance(90):
            return self._value(items, scopes)
        return {"custom": self._source.choice(CUSTOM_INGREDIENTS), "data": Nbt.of(self._tag(0))}

    def _entityMetadataLoop(self, arguments: Any, scopes: list[dict[str, Any]]) -> list[Any]:
        entries = [self._value(arguments["type"], scopes) for _ in range(self._source.integer(0, 4))]
        for entry in entries:
            entry["key"] %= 255
        return entries

    def _topBitSetTerminatedArray(self, arguments: Any, scopes: Any) -> list[Any]:
        items = [self._value(arguments["type"], scopes) for _ in range(self._source.integer(1, 3))]
        for item in items:
            item["slot"] &= 127
        return items

    def _anonymousNbt(self, _arguments: Any, _scopes: Any) -> Nbt:
        return Nbt.of(self._tag(0))

    def _anonOptionalNbt(self, _arguments: Any, _scopes: Any) -> Nbt | None:
        return None if self._chance(30) else Nbt.of(self._tag(0))

    def _tag(self, depth: int) -> Any:
        if depth > 2 or self._chance(40):
            plain = ("text", "", 7, True, 1 << 40, b"\1\2", Byte(-3), Short(5), Int(6), Long(7), Double(0.5))
            return self._source.choice((*plain, Float(2.5), IntArray([1, -2]), LongArray([1 << 50])))
        if self._chance(30):
            return [self._tag(depth + 1) for _ in range(self._source.integer(0, 2))]
        names = ("a", "é", "minecraft:x")[: self._source.integer(0, 3)]
        return {name: self._tag(depth + 1) for name in names}


@cache
def _names_of_counts(schema: Schema) -> frozenset[str]:
    """Fields that say how many items another field has."""
    found: set[str] = set()

    def walk(type_: Any) -> None:
        if isinstance(type_, dict):
            if isinstance(type_.get("count"), str):
                found.add(type_["count"])
            for part in type_.values():
                walk(part)
        elif isinstance(type_, (list, tuple)):
            for part in type_:
                walk(part)

    walk(list(schema.types.values()))
    walk(list(schema.packets.values()))
    return frozenset(found)


def _cases(fields: Any, name: str) -> list[str]:
    """The cases of the switches among a container's fields that look at one of them."""
    found: list[str] = []

    def walk(type_: Any) -> None:
        if isinstance(type_, str):
            return
        kind, arguments = type_
        if kind == "option":
            walk(arguments)
        elif kind == "switch":
            if arguments["compareTo"] == name:
                found.extend(arguments["fields"])
            for inner in arguments["fields"].values():
                walk(inner)

    for field in fields:
        walk(field["type"])
    return found
