"""Reads one argument at a time out of a call, for tools written as classes.

Models send numbers as strings, nulls for "not given" and names without their namespace. All that is taken;
what cannot be taken ends in a message that names the argument and says what was expected.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal, Protocol, TypeVar

from numen.tool.contract import BadArguments, ToolCall

NameKind = Literal["item", "block", "entity"]

N = TypeVar("N", int, float)


class NameChecker(Protocol):
    """Knows the names of the game.

    Returns the full id, or raises LookupError with the nearest names in it.
    """

    def __call__(self, kind: NameKind, name: str) -> str: ...


def namespaced(kind: NameKind, name: str) -> str:
    """The checker used when none is given: any name will do, `minecraft:` is put before a bare one."""
    cleaned = name.strip().lower().replace(" ", "_")
    return cleaned if ":" in cleaned else f"minecraft:{cleaned}"


class ToolArgs:
    """The arguments of one call. Missing and JSON null are the same everywhere."""

    def __init__(self, source: ToolCall | Mapping[str, Any], names: NameChecker = namespaced) -> None:
        self.raw: Mapping[str, Any] = source.args() if isinstance(source, ToolCall) else source
        self._names = names

    # numbers

    def require_int(self, key: str, low: int | None = None, high: int | None = None) -> int:
        """A whole number, clamped into low..high."""
        return _clamp(_whole(key, self._require(key, "a whole number")), low, high)

    def optional_int(
        self, key: str, fallback: int | None = None, low: int | None = None, high: int | None = None
    ) -> int | None:
        value = self.raw.get(key)
        return fallback if value is None else _clamp(_whole(key, value), low, high)

    def require_float(self, key: str, low: float | None = None, high: float | None = None) -> float:
        """A number, clamped into low..high; never NaN or infinite."""
        return _clamp(_number(key, self._require(key, "a number")), low, high)

    def optional_float(
        self, key: str, fallback: float | None = None, low: float | None = None, high: float | None = None
    ) -> float | None:
        value = self.raw.get(key)
        return fallback if value is None else _clamp(_number(key, value), low, high)

    # truth and text

    def require_bool(self, key: str) -> bool:
        return _truth(key, self._require(key, "true or false"))

    def optional_bool(self, key: str, fallback: bool = False) -> bool:
        value = self.raw.get(key)
        return fallback if value is None else _truth(key, value)

    def require_str(self, key: str, choices: tuple[str, ...] | None = None) -> str:
        """Text that is not blank; one of `choices` when given, whatever its case."""
        text = _text(key, self._require(key, _one_of(choices)))
        if not text.strip():
            raise BadArguments(f"argument {key!r} is blank; {_one_of(choices)} was expected")
        return _choose(key, text, choices)

    def optional_str(
        self, key: str, fallback: str | None = None, choices: tuple[str, ...] | None = None
    ) -> str | None:
        value = self.raw.get(key)
        if value is None or (isinstance(value, str) and not value.strip()):
            return fallback
        return _choose(key, _text(key, value), choices)

    def require_list(self, key: str) -> list[Any]:
        """A list with something in it; one bare value is taken as a list of one."""
        found = self.optional_list(key)
        if not found:
            raise BadArguments(
                f"argument {key!r} is missing or empty; a list with at least one entry was expected"
            )
        return found

    def optional_list(self, key: str) -> list[Any] | None:
        value = self.raw.get(key)
        if value is None or isinstance(value, list):
            return value
        if isinstance(value, Mapping):
            raise BadArguments(f"argument {key!r} is an object; a list was expected")
        return [value]

    # names of the game

    def require_item(self, key: str) -> str:
        return self._name("item", key, self._require(key, "an item id"))

    def optional_item(self, key: str) -> str | None:
        return self._optional_name("item", key)

    def require_block(self, key: str) -> str:
        return self._name("block", key, self._require(key, "a block id"))

    def optional_block(self, key: str) -> str | None:
        return self._optional_name("block", key)

    def require_entity(self, key: str) -> str:
        return self._name("entity", key, self._require(key, "an entity id"))

    def optional_entity(self, key: str) -> str | None:
        return self._optional_name("entity", key)

    def name_set(self, kind: NameKind, key: str, *, required: bool = True) -> tuple[str, ...]:
        """Full ids, in order, without repeats.

        Unknown ones are dropped; only an empty remainder is an error.
        """
        entries = self.require_list(key) if required else self.optional_list(key) or []
        kept: dict[str, None] = {}
        fault: BadArguments | None = None
        for entry in entries:
            try:
                kept[self._name(kind, key, entry)] = None
            except BadArguments as error:
                fault = fault or error
        if fault is not None and not kept:
            raise fault
        return tuple(kept)

    # places

    def require_pos(self, x: str = "x", y: str = "y", z: str = "z") -> tuple[float, float, float]:
        found = self.optional_pos(x, y, z)
        if found is None:
            raise BadArguments(f"arguments {x!r}, {y!r} and {z!r} are missing; three numbers were expected")
        return found

    def optional_pos(self, x: str = "x", y: str = "y", z: str = "z") -> tuple[float, float, float] | None:
        """A point: all three or none. A part of it is an error that names what is missing."""
        given = [key for key in (x, y, z) if self.raw.get(key) is not None]
        if not given:
            return None
        if len(given) < 3:
            missing = " and ".join(repr(key) for key in (x, y, z) if key not in given)
            raise BadArguments(f"a position needs all of {x}, {y}, {z} or none; {missing} is missing")
        return (_number(x, self.raw[x]), _number(y, self.raw[y]), _number(z, self.raw[z]))

    def require_block_pos(self, x: str = "x", y: str = "y", z: str = "z") -> tuple[int, int, int]:
        """The cell a point lies in."""
        px, py, pz = self.require_pos(x, y, z)
        return (math.floor(px), math.floor(py), math.floor(pz))

    def optional_block_pos(self, x: str = "x", y: str = "y", z: str = "z") -> tuple[int, int, int] | None:
        found = self.optional_pos(x, y, z)
        return None if found is None else (math.floor(found[0]), math.floor(found[1]), math.floor(found[2]))

    # shared

    def _require(self, key: str, expected: str) -> Any:
        value = self.raw.get(key)
        if value is None:
            raise BadArguments(f"argument {key!r} is missing; {expected} was expected")
        return value

    def _optional_name(self, kind: NameKind, key: str) -> str | None:
        value = self.raw.get(key)
        if value is None or (isinstance(value, str) and not value.strip()):
            return None
        return self._name(kind, key, value)

    def _name(self, kind: NameKind, key: str, value: Any) -> str:
        if not isinstance(value, str) or not value.strip():
            raise BadArguments(f"argument {key!r} is {_shown(value)}; a {kind} id as text was expected")
        try:
            return self._names(kind, value.strip())
        except LookupError as error:
            reason = str(error.args[0]) if error.args else f"no such {kind}"
            raise BadArguments(f"argument {key!r}: {reason}") from None


def _clamp(value: N, low: N | None, high: N | None) -> N:
    if low is not None and value < low:
        return low
    if high is not None and value > high:
        return high
    return value


def _number(key: str, value: Any) -> float:
    number: float | None = None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        number = float(value)
    elif isinstance(value, str):
        try:
            number = float(value.strip())
        except ValueError:
            number = None
    if number is None or not math.isfinite(number):
        raise BadArguments(f"argument {key!r} is {_shown(value)}; a number was expected")
    return number


def _whole(key: str, value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    try:
        number = _number(key, value)
    except BadArguments:
        raise BadArguments(f"argument {key!r} is {_shown(value)}; a whole number was expected") from None
    if number != math.floor(number):
        raise BadArguments(f"argument {key!r} is {_shown(value)}; a whole number was expected")
    return int(number)


def _truth(key: str, value: Any) -> bool:
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower()
    if word in ("true", "yes", "on", "1"):
        return True
    if word in ("false", "no", "off", "0"):
        return False
    raise BadArguments(f"argument {key!r} is {_shown(value)}; true or false was expected")


def _text(key: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    raise BadArguments(f"argument {key!r} is {_shown(value)}; text was expected")


def _choose(key: str, text: str, choices: tuple[str, ...] | None) -> str:
    if choices is None:
        return text
    for choice in choices:
        if choice.casefold() == text.strip().casefold():
            return choice
    raise BadArguments(f"argument {key!r} is {_shown(text)}; {_one_of(choices)} was expected")


def _one_of(choices: tuple[str, ...] | None) -> str:
    return "text" if choices is None else "one of " + ", ".join(choices)


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return repr(value if len(value) <= 40 else value[:39] + "…")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return "a list"
    if isinstance(value, Mapping):
        return "an object"
    return str(value)
