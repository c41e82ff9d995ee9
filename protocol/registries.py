"""The registries and tags a server told its client about.

A registry is an ordered list of names; the place in the list is the number that other packets use. What a
server leaves out (a registry it never sent, an entry it took from a pack both sides know) is filled from
vanilla's own registries, so a server that sends little still makes sense.

A NeoForge server also tells the numbers of what is fixed in vanilla: blocks, items, entities, menus and more.
These are its *frozen* registries. They are read when somebody looks something up in them.
"""

from __future__ import annotations

import bisect
import functools
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from protocol.game import GAME
from protocol.nbt import Nbt
from protocol.vanilla_registries import vanilla_entries

log = logging.getLogger(__name__)

#: No frozen registry has higher numbers than this.
MAX_FROZEN = 1 << 20

BIOME = "minecraft:worldgen/biome"
CHAT_TYPE = "minecraft:chat_type"
DAMAGE_TYPE = "minecraft:damage_type"
DIMENSION_TYPE = "minecraft:dimension_type"
ENCHANTMENT = "minecraft:enchantment"


def namespaced(name: str) -> str:
    """The resource location with its namespace: ``stone`` is ``minecraft:stone``."""
    return name if ":" in name else f"minecraft:{name}"


@dataclass(frozen=True)
class DimensionType:
    """The shape of a dimension, in blocks. `raw` has what else its entry says."""

    name: str
    min_y: int = -64
    height: int = 384
    has_skylight: bool = True
    ultrawarm: bool = False
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def sections(self) -> int:
        """How many chunk sections of 16 blocks stand on each other."""
        return self.height // 16

    @property
    def max_y(self) -> int:
        """The highest block."""
        return self.min_y + self.height - 1


class _Registry:
    """One registry: its entries' data by name, in the order of their numbers."""

    __slots__ = ("data", "ids", "names")

    def __init__(self, entries: Iterable[tuple[str, Nbt | None]]) -> None:
        self.data = {namespaced(key): value for key, value in entries}
        self.names = tuple(self.data)
        self.ids = {key: number for number, key in enumerate(self.names)}


class _Frozen:
    """A frozen registry: numbers may have gaps, and some names stand for others."""

    def __init__(
        self, registry: str, load: Callable[[], tuple[Mapping[int, str], Mapping[str, str]]]
    ) -> None:
        self._registry = registry
        self._load = load

    @functools.cached_property
    def by_number(self) -> Mapping[int, str]:
        return self._content[0]

    @functools.cached_property
    def ids(self) -> Mapping[str, int]:
        numbers, aliases = self._content
        ids = {name: number for number, name in numbers.items()}
        for alias, name in aliases.items():
            if name in ids:
                ids.setdefault(alias, ids[name])
        return ids

    @functools.cached_property
    def names(self) -> tuple[str, ...]:
        numbers = self.by_number
        return tuple(numbers.get(number, "") for number in range(max(numbers, default=-1) + 1))

    @functools.cached_property
    def _content(self) -> tuple[Mapping[int, str], Mapping[str, str]]:
        try:
            numbers, aliases = self._load()
        except ValueError as error:
            log.warning("the registry %s can't be read: %s", self._registry, error)
            return {}, {}
        if max(numbers, default=0) > MAX_FROZEN or min(numbers, default=0) < 0:
            log.warning("the registry %s has numbers out of all bounds", self._registry)
            return {}, {}
        return numbers, aliases


class Registries:
    """Registries by name, tags by registry, and the feature flags.

    Names may come with or without the namespace ``minecraft``; they are given back with it.
    """

    def __init__(self) -> None:
        self._received: dict[str, _Registry] = {}
        self._frozen: dict[str, _Frozen] = {}
        #: Registry -> tag -> numbers in that registry.
        self.tags: dict[str, dict[str, tuple[int, ...]]] = {}
        self.feature_flags: frozenset[str] = frozenset({"minecraft:vanilla"})
        #: How many states blocks of mods have, by name, for `modded_block`: no server tells.
        self.state_counts: Mapping[str, int] = {}
        self._modded_states: tuple[list[int], list[str]] | None = None

    def put(self, registry: str, entries: Iterable[tuple[str, Nbt | None]]) -> None:
        """Replace one registry. An entry without data is the vanilla one of its name."""
        self._received[namespaced(registry)] = _Registry(entries)

    def put_frozen(
        self, registry: str, load: Callable[[], tuple[Mapping[int, str], Mapping[str, str]]]
    ) -> None:
        """Replace one frozen registry. `load` gives its names by number, and which name stands for which;
        it is called at the first look-up, and may raise ValueError."""
        self._frozen[namespaced(registry)] = _Frozen(namespaced(registry), load)
        self._modded_states = None

    def forget_frozen(self) -> None:
        """The numbers of blocks, items and the like are vanilla's again."""
        self._frozen.clear()
        self._modded_states = None

    def put_tags(self, tags: Mapping[str, Mapping[str, Sequence[int]]]) -> None:
        """Replace the tags of each registry that is named; the others keep theirs."""
        for registry, of_registry in tags.items():
            self.tags[namespaced(registry)] = {
                namespaced(tag): tuple(numbers) for tag, numbers in of_registry.items()
            }

    @property
    def received(self) -> tuple[str, ...]:
        """The registries the server sent, in the order they first came."""
        return tuple(self._received)

    @property
    def frozen(self) -> tuple[str, ...]:
        """The frozen registries the server sent; empty on a vanilla server."""
        return tuple(self._frozen)

    def names(self, registry: str) -> tuple[str, ...]:
        """The entries' names by number, "" where a number is free. Empty for a registry nobody knows."""
        return self._find(registry).names

    def name_of(self, registry: str, number: int) -> str | None:
        """The name of the entry with this number, or None."""
        names = self._find(registry).names
        return names[number] or None if 0 <= number < len(names) else None

    def id_of(self, registry: str, name: str) -> int | None:
        """The number of an entry, or None."""
        return self._find(registry).ids.get(namespaced(name))

    def modded_block(self, state: int) -> str | None:
        """The block of a state that vanilla does not have; None where it can't be known.

        States are numbered along the block registry, each block's together (NeoForge 21.1): with the frozen
        registry and `state_counts` they can be told, up to the first block whose count is missing.
        """
        if self._modded_states is None:
            self._modded_states = self._number_states()
        ends, names = self._modded_states
        place = bisect.bisect_right(ends, state)
        return names[place] if state >= GAME.state_count and place < len(names) else None

    def _number_states(self) -> tuple[list[int], list[str]]:
        ends: list[int] = []
        names: list[str] = []
        end = GAME.state_count
        for name in self.names("minecraft:block")[len(GAME.blocks) :]:
            if not name:
                continue
            count = self.state_counts.get(name, 0)
            if count < 1:
                break
            end += count
            ends.append(end)
            names.append(name)
        return ends, names

    def entry(self, registry: str, which: str | int) -> Any:
        """What an entry says in plain Python (see `Nbt.value`); None when there is no such entry."""
        found = self._data(registry)
        if isinstance(which, int):
            if not 0 <= which < len(found.names):
                return None
            which = found.names[which]
        name = namespaced(which)
        if name not in found.data:
            return None
        value = found.data[name] or _vanilla(namespaced(registry)).data.get(name)
        return None if value is None else value.value

    def tagged(self, registry: str, tag: str) -> frozenset[int]:
        """The numbers of a tag; empty when the server named no such tag."""
        return frozenset(self.tags.get(namespaced(registry), {}).get(namespaced(tag), ()))

    def dimension_type(self, which: str | int) -> DimensionType:
        """The dimension type with this number or name; one nobody knows has the overworld's shape."""
        name = self.name_of(DIMENSION_TYPE, which) if isinstance(which, int) else namespaced(which)
        name = name or "minecraft:overworld"
        data = self.entry(DIMENSION_TYPE, which)
        if not isinstance(data, Mapping):
            return DimensionType(name)
        # The numbers come as any kind of NBT number.
        return DimensionType(
            name,
            min_y=_int(data.get("min_y"), -64),
            height=_int(data.get("height"), 384),
            has_skylight=bool(data.get("has_skylight", True)),
            ultrawarm=bool(data.get("ultrawarm", False)),
            raw=data,
        )

    def _find(self, registry: str) -> _Registry | _Frozen:
        frozen = self._frozen.get(namespaced(registry))
        return frozen or self._data(registry)

    def _data(self, registry: str) -> _Registry:
        registry = namespaced(registry)
        return self._received.get(registry) or _vanilla(registry)


def _int(value: Any, default: int) -> int:
    return int(value) if isinstance(value, (int, float)) else default


@functools.cache
def _vanilla(registry: str) -> _Registry:
    return _Registry(vanilla_entries(registry).items())
