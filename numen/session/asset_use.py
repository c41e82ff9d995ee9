"""Using what stands in a record: going to an entity, handing out an item.

Both work by commands of the server, run by whoever `Run` stands for, with the rights that he has.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Final, Protocol

from numen.session.assets import Asset, AssetBook, AssetError


class Ran(Protocol):
    """How a command went."""

    @property
    def ok(self) -> bool: ...
    @property
    def output(self) -> str: ...


Run = Callable[[str], Awaitable[Ran]]
"""Runs one command, given without its slash."""

DIMENSIONS: Final = ("minecraft:overworld", "minecraft:the_nether", "minecraft:the_end")

_PLAYER: Final = re.compile(r"[A-Za-z0-9_]{1,16}")
_IDENTIFIER: Final = re.compile(r"(?:[a-z0-9_.-]+:)?[a-z0-9_./-]+")
_DOUBLE: Final = r"(-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)d?"
_POSITION: Final = re.compile(rf"\[\s*{_DOUBLE}\s*,\s*{_DOUBLE}\s*,\s*{_DOUBLE}\s*\]")
_DYNAMIC_FLUID: Final = re.compile(r"mineclawd:(?:flowing_)?dynamic_fluid(?:_block)?_(\d{3})")


@dataclass(frozen=True, slots=True)
class Done:
    """What came of it, in a sentence for the person who asked."""

    ok: bool
    message: str


async def teleport(
    book: AssetBook, reference: str, player: str, run: Run, dimensions: Iterable[str] = DIMENSIONS
) -> Done:
    """Take `player` to the entity of a record, and note where it was found.

    An entity that is not loaded is looked for where it was last; the sentence says so. `dimensions` are those
    the server has. Raises AssetError for an unknown reference and for what is no entity.
    """
    found = book.get(reference)
    if found.category != "entities":
        raise AssetError(f"{found.id} is no entity but {found.label}; only entities can be gone to")
    if not found.entity_uuid:
        raise AssetError(f"the record {found.id} has no UUID, so nobody knows which entity it is")
    who = _player(player)
    where = _POSITION.search((await run(f"data get entity {found.entity_uuid} Pos")).output)
    if where is None:
        return await _to_last_place(found, who, run)
    position = (float(where[1]), float(where[2]), float(where[3]))
    dimension = await _dimension_of(found, run, dimensions)
    if dimension is None:
        return Done(False, f"{found.name} is loaded, but no dimension that is known here holds it.")
    ran = await run(f"execute in {dimension} run tp {who} {_numbers(position)}")
    if not ran.ok:
        return Done(False, f"The server did not take {who} to {found.name}: {_short(ran.output)}")
    book.move(found.id, dimension, position)
    return Done(True, f"{who} is now with {found.name} ({found.id}) in {dimension}.")


async def give(book: AssetBook, reference: str, player: str, run: Run) -> Done:
    """Hand the item of a record to `player`.

    A fluid is given in its bucket. A special item is given with what its record says of it, and plain where
    the server does not take that. Raises AssetError for an unknown reference and for what is no item.
    """
    found = book.get(reference)
    if found.category not in ("items_blocks_fluids", "special_items"):
        raise AssetError(
            f"{found.id} is no item but {found.label}; only items, blocks and fluids can be given"
        )
    special = found.category == "special_items"
    item = found.special_item_id if special else found.content_id
    if not _IDENTIFIER.fullmatch(item):
        raise AssetError(f"the record {found.id} has no usable id of an item")
    item, who = bucket_of(item), _player(player)
    suffix = found.special_item_nbt if special else ""
    if suffix:
        ran = await run(f"give {who} {item}{suffix}")
        if ran.ok:
            return Done(True, f"Gave {found.name} ({item}) to {who}.")
    ran = await run(f"give {who} {item}")
    if not ran.ok:
        return Done(False, f"The server did not give {found.name}: {_short(ran.output)}")
    if suffix:
        return Done(
            True, f"Gave a plain {item} to {who}: the server did not take what makes it {found.name}."
        )
    return Done(True, f"Gave {found.name} ({item}) to {who}.")


def bucket_of(item: str) -> str:
    """The bucket of a fluid; any other id as it is."""
    name = item.removeprefix("minecraft:").removeprefix("flowing_")
    if name in ("water", "lava"):
        return f"minecraft:{name}_bucket"
    dynamic = _DYNAMIC_FLUID.fullmatch(item)
    return f"mineclawd:dynamic_fluid_bucket_{dynamic[1]}" if dynamic else item


async def _to_last_place(found: Asset, who: str, run: Run) -> Done:
    position, dimension = found.position, found.entity_dimension
    if position is None or not _IDENTIFIER.fullmatch(dimension):
        return Done(
            False, f"{found.name} is in no loaded part of the world, and where it was is not on record."
        )
    ran = await run(f"execute in {dimension} run tp {who} {_numbers(position)}")
    if not ran.ok:
        return Done(False, f"The server did not take {who} to where {found.name} was: {_short(ran.output)}")
    return Done(True, f"{found.name} is not loaded; {who} is now where it was last, in {dimension}.")


async def _dimension_of(found: Asset, run: Run, dimensions: Iterable[str]) -> str | None:
    """The dimension that holds a loaded entity, the one on record asked for first."""
    names = dict.fromkeys((found.entity_dimension, *dimensions))
    for name in names:
        if name and _IDENTIFIER.fullmatch(name):
            ran = await run(f"execute at {found.entity_uuid} if dimension {name}")
            if ran.ok:
                return name
    return None


def _player(name: str) -> str:
    if not _PLAYER.fullmatch(name):
        raise AssetError(f"{name!r} is no player's name")
    return name


def _numbers(position: tuple[float, float, float]) -> str:
    # A command takes no exponents.
    return " ".join(f"{each:.3f}".rstrip("0").rstrip(".") for each in position)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line[:200] or "it said nothing"
