"""Attributes: a base value, modifiers on it, and the value that counts (vanilla 1.21.1).

Names are short: ``movement_speed``, not ``minecraft:generic.movement_speed``.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from protocol.game import GAME
from protocol.game import Attribute as GameAttribute

#: Where a player's default is not the attribute's own (vanilla 1.21.1).
PLAYER_DEFAULTS: Final = {"attack_damage": 1.0, "movement_speed": 0.10000000149011612}

#: The modifier that server and client both add while sprinting; physics counts sprinting itself.
SPRINTING: Final = "minecraft:sprinting"

_ADD, _ADD_OF_BASE, _MULTIPLY = 0, 1, 2


@functools.cache
def _kinds() -> dict[str, GameAttribute]:
    return {each.name.rpartition(".")[2]: each for each in GAME.attributes}


def default(name: str) -> float:
    """What an attribute is worth for a player before anything changes it. KeyError for unknown names."""
    name = short_name(name)
    return PLAYER_DEFAULTS[name] if name in PLAYER_DEFAULTS else _kinds()[name].default


@functools.cache
def short_name(key: str | int) -> str:
    """``minecraft:generic.max_health`` and ``generic.max_health`` both give ``max_health``.

    A name that vanilla does not have keeps its namespace (``neoforge:swim_speed``).
    """
    if isinstance(key, int):
        return f"attribute_{key}"  # one that vanilla does not have
    name = key.removeprefix("minecraft:")
    return name if ":" in name else name.rpartition(".")[2]


class Modifier(NamedTuple):
    """`operation`: 0 adds to the base, 1 adds that share of the sum, 2 multiplies by one plus the amount."""

    id: str
    amount: float
    operation: int


@dataclass
class Attribute:
    """One attribute of one entity."""

    name: str
    base: float
    modifiers: tuple[Modifier, ...] = ()
    _value: float | None = field(default=None, repr=False)

    @property
    def value(self) -> float:
        """What counts: all modifiers applied, within the attribute's bounds."""
        if self._value is None:
            self._value = self.value_without(())
        return self._value

    def value_without(self, ids: Iterable[str]) -> float:
        """The value as if the modifiers called `ids` were not there."""
        left = [each for each in self.modifiers if each.id not in ids]
        total = self.base + sum(each.amount for each in left if each.operation == _ADD)
        result = total + total * sum(each.amount for each in left if each.operation == _ADD_OF_BASE)
        for each in left:
            if each.operation == _MULTIPLY:
                result *= 1.0 + each.amount
        bounds = _kinds().get(self.name)
        return min(max(result, bounds.least), bounds.most) if bounds else result


class Attributes:
    """What the server told about an entity's attributes; the rest has a player's defaults."""

    __slots__ = ("_told",)

    def __init__(self) -> None:
        self._told: dict[str, Attribute] = {}

    def __iter__(self) -> Iterator[Attribute]:
        return iter(self._told.values())

    def get(self, name: str) -> Attribute | None:
        """The attribute as told, None when the server has said nothing about it."""
        return self._told.get(short_name(name))

    def value(self, name: str, *, without: Iterable[str] = ()) -> float:
        """The value of an attribute, a player's default where nothing was told. KeyError for unknown names.

        `without` names modifiers to leave out, as ``(SPRINTING,)``.
        """
        attribute = self._told.get(name) or self._told.get(short_name(name))
        if attribute is None:
            return default(name)
        return attribute.value_without(tuple(without)) if without else attribute.value

    def update(self, properties: Iterable[Mapping[str, Any]]) -> None:
        """Take over what an entity_update_attributes packet says."""
        for each in properties:
            name = short_name(each["key"])
            # The schema still calls a modifier's name "uuid", which it was before 1.21.
            modifiers = tuple(
                Modifier(given["uuid"], given["amount"], given["operation"]) for given in each["modifiers"]
            )
            self._told[name] = Attribute(name, each["value"], modifiers)

    def drop_modifiers(self) -> None:
        """Keep the bases only, as a respawn without kept attributes does."""
        for attribute in self._told.values():
            attribute.modifiers = ()
            attribute._value = None

    def clear(self) -> None:
        self._told.clear()
