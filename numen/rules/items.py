"""Item stacks as values. An empty slot is None everywhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from protocol.game import GAME, Item, UnknownId


@dataclass(frozen=True, slots=True)
class ItemStack:
    """Some items of one kind in one slot.

    `components` ({"type", "data"}) and `removed` ({"type"}) are data components as the codec decodes them,
    the difference to the item's own defaults. They are values: never change one in place.

    An `opaque` stack has more components, which a mod adds and nobody here can read: no two such stacks are
    known to be alike, and a claim about one is put right by the server.
    """

    item_id: int
    count: int = 1
    components: tuple[Mapping[str, Any], ...] = ()
    removed: tuple[Mapping[str, Any], ...] = ()
    opaque: bool = False
    #: What the server calls the item, where that is not in the game's tables.
    called: str = field(default="", compare=False)

    def __hash__(self) -> int:
        return hash((self.item_id, self.count, len(self.components)))

    def __str__(self) -> str:
        return f"{self.count} {self.name.removeprefix('minecraft:')}"

    @classmethod
    def of(cls, name: str, count: int = 1) -> ItemStack:
        """A plain stack by item name. Raises UnknownName."""
        return cls(GAME.item(name).id, count)

    @property
    def item(self) -> Item | None:
        """The item's row in the game's tables; None for an item of a mod."""
        try:
            return GAME.item_by_id(self.item_id)
        except UnknownId:
            return None

    @property
    def name(self) -> str:
        """`minecraft:oak_log`; `unknown:1500` for an item of a mod that the server did not name."""
        if self.called:
            return self.called
        item = self.item
        return item.name if item is not None else f"unknown:{self.item_id}"

    def component(self, name: str) -> Any:
        """The data of an added component, None when the stack has none of that name."""
        for entry in self.components:
            if entry["type"] == name:
                return entry.get("data")
        return None

    def has(self, name: str) -> bool:
        """Whether the stack has an added component of that name, with data or without."""
        return any(entry["type"] == name for entry in self.components)

    @property
    def max_stack(self) -> int:
        """How many fit one slot; 64 for an item of a mod that does not say."""
        size = self.component("max_stack_size")
        if size is not None:
            return int(size)
        item = self.item
        return item.stack_size if item is not None else 64

    @property
    def max_damage(self) -> int | None:
        """How much wear it takes, None for what does not wear."""
        if self.has("unbreakable"):
            return None
        value = self.component("max_damage")
        if value is not None:
            return int(value)
        item = self.item
        return item.max_durability if item is not None else None

    @property
    def damage(self) -> int:
        """Wear so far."""
        return int(self.component("damage") or 0)

    @property
    def uses_left(self) -> int | None:
        """How much wear is left, None for what does not wear."""
        most = self.max_damage
        return None if most is None else most - self.damage

    @property
    def enchantments(self) -> dict[int, int]:
        """Levels by the server's enchantment number."""
        data = self.component("enchantments")
        return {entry["id"]: entry["level"] for entry in data["enchantments"]} if data else {}

    def same_kind(self, other: ItemStack | None) -> bool:
        """Whether both could lie in one slot: the same item with the same components, counts aside."""
        return (
            other is not None
            and self.item_id == other.item_id
            and self.removed == other.removed
            and not (self.opaque or other.opaque)
            and _same_components(self.components, other.components)
        )

    def with_count(self, count: int) -> ItemStack | None:
        """The same items, `count` of them; None for none."""
        if count <= 0:
            return None
        if count == self.count:
            return self
        return replace(self, count=count)

    def with_damage(self, damage: int) -> ItemStack:
        """The same stack with this much wear."""
        others = tuple(entry for entry in self.components if entry["type"] != "damage")
        worn: tuple[Mapping[str, Any], ...] = ({"type": "damage", "data": damage},) if damage else ()
        return replace(self, components=others + worn)

    @staticmethod
    def from_slot(slot: Mapping[str, Any] | None) -> ItemStack | None:
        """The stack in a decoded `Slot` (protocol 767), None for an empty one."""
        if slot is None or slot["itemCount"] <= 0:
            return None
        return ItemStack(
            slot["itemId"],
            slot["itemCount"],
            tuple(slot.get("components", ())),
            tuple(slot.get("removeComponents", ())),
            "opaque" in slot,
        )

    @staticmethod
    def to_slot(stack: ItemStack | None) -> dict[str, Any]:
        """A stack as the codec encodes a `Slot`."""
        if stack is None:
            return {"itemCount": 0}
        return {
            "itemCount": stack.count,
            "itemId": stack.item_id,
            "addedComponentCount": len(stack.components),
            "removedComponentCount": len(stack.removed),
            "components": list(stack.components),
            "removeComponents": list(stack.removed),
        }


def _same_components(one: tuple[Mapping[str, Any], ...], other: tuple[Mapping[str, Any], ...]) -> bool:
    # Components are a set on the wire; servers write them in no fixed order.
    if one == other:
        return True
    if len(one) != len(other):
        return False
    by_type = {entry["type"]: entry for entry in other}
    return all(by_type.get(entry["type"]) == entry for entry in one)


def count_of(stacks: Iterable[ItemStack | None], item_id: int) -> int:
    """How many of an item a number of slots hold."""
    return sum(stack.count for stack in stacks if stack is not None and stack.item_id == item_id)


def from_slot(slot: Mapping[str, Any] | None) -> ItemStack | None:
    """`ItemStack.from_slot`."""
    return ItemStack.from_slot(slot)


def to_slot(stack: ItemStack | None) -> dict[str, Any]:
    """`ItemStack.to_slot`."""
    return ItemStack.to_slot(stack)
