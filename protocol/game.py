"""The game's own tables for 1.21.1: blocks and their states, items, entities, recipes, foods, loot, names.

`GAME` is the one instance. Each table is read at its first use, so importing this module costs nothing.
Names are resource locations, `minecraft:oak_log`; wherever a name is asked for, the namespace may be left
out. Numbers are those of vanilla's registries; a modded server sends its own (see `protocol.registries`).

The tables come from PrismarineJS's minecraft-data; NOTICE in protocol/data says which, and
scripts/vendor_data.py how.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, TypeVar

from protocol import data

Box = tuple[float, float, float, float, float, float]
Shape = tuple[Box, ...]


class UnknownName(KeyError):
    """A name that a table does not have, with the nearest that it has."""

    def __init__(self, what: str, name: str, known: Iterable[str]) -> None:
        bare = {_bare(each): each for each in known}
        near = difflib.get_close_matches(_bare(name), bare, n=3, cutoff=0.6)
        #: The names that look most like it, best first.
        self.nearest = tuple(bare[each] for each in near)
        self.what = what
        self.name = name
        hint = f"; did you mean {' or '.join(self.nearest)}?" if near else ""
        self.message = f"no {what} {name!r}{hint}"
        super().__init__(self.message)

    def __str__(self) -> str:
        return self.message


class UnknownId(KeyError):
    """A number that a table does not have: modded, or wrong."""

    def __init__(self, what: str, number: int) -> None:
        self.message = f"no {what} has number {number} in vanilla 1.21.1"
        self.what = what
        self.number = number
        super().__init__(self.message)

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """One kind of block. Its states have the numbers min_state to max_state."""

    id: int
    name: str
    #: Seconds it resists, before the factors of tool and player; -1 can't be broken.
    hardness: float
    resistance: float
    #: What makes tools fast on it: "mineable/pickaxe", "plant;mineable/axe", "default" (nothing) ...
    material: str
    #: The items it must be broken with to drop anything; None when any will do.
    harvest_tools: frozenset[int] | None
    min_state: int
    max_state: int
    default_state: int
    #: (name, values) in the order of the state numbers: the last property changes with every number.
    properties: tuple[tuple[str, tuple[str, ...]], ...]
    #: Whether light passes.
    transparent: bool
    #: Light it gives in its default state, and light it takes away, 0 to 15.
    light: int
    filter_light: int
    #: The items it may drop; empty says nothing about chance (see `Game.loot`).
    drops: tuple[int, ...]
    stack_size: int
    #: Whether its default state has a collision box.
    solid: bool

    def __repr__(self) -> str:
        return f"<Block {self.name}>"


@dataclass(frozen=True, slots=True, eq=False)
class Item:
    """One kind of item. max_durability is None for what does not wear."""

    id: int
    name: str
    stack_size: int
    max_durability: int | None

    def __repr__(self) -> str:
        return f"<Item {self.name}>"


@dataclass(frozen=True, slots=True, eq=False)
class EntityType:
    """One kind of entity: size in blocks, and what it is."""

    id: int
    name: str
    width: float
    height: float
    #: "hostile", "animal", "passive", "water_creature", "ambient", "mob", "living", "player", "projectile" or
    #: "other".
    type: str
    #: A heading: "Hostile mobs", "Passive mobs", "Projectiles", "Vehicles", "Immobile" or "UNKNOWN".
    category: str
    #: What each index of its metadata means.
    metadata_keys: tuple[str, ...]

    def __repr__(self) -> str:
        return f"<EntityType {self.name}>"


@dataclass(frozen=True, slots=True)
class Food:
    """What eating gives: food points and saturation (absolute, not a ratio)."""

    item_id: int
    points: int
    saturation: float


@dataclass(frozen=True, slots=True)
class Recipe:
    """One way to craft an item: by a shape (rows of item ids, None for an empty cell) or by ingredients in
    any order. Alternatives of an ingredient are recipes of their own."""

    result_id: int
    result_count: int
    shape: tuple[tuple[int | None, ...], ...] | None
    ingredients: tuple[int, ...] | None

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the grid it needs at least."""
        if self.shape is not None:
            return max(len(row) for row in self.shape), len(self.shape)
        count = len(self.ingredients or ())
        return (count, 1) if count <= 2 else (2, 2) if count <= 4 else (3, 3)

    @property
    def fits_2x2(self) -> bool:
        """Whether the player's own grid is enough."""
        width, height = self.size
        return width <= 2 and height <= 2

    def cost(self) -> dict[int, int]:
        """How many of each item one crafting uses up."""
        found: dict[int, int] = {}
        cells = self.ingredients if self.shape is None else [cell for row in self.shape for cell in row]
        for item in cells or ():
            if item is not None:
                found[item] = found.get(item, 0) + 1
        return found


@dataclass(frozen=True, slots=True)
class Drop:
    """One line of a loot table: with `chance` between `least` and `most` of an item.

    A hint at what may fall: where lines exclude each other they share one chance, and ages, layers, shears
    and Fortune are not told. The tables are those of 1.20.
    """

    item_id: int
    chance: float
    least: int
    most: int
    #: Only with, or only without, a silk touch tool.
    silk_touch: bool = False
    no_silk_touch: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Effect:
    """A status effect; good or bad."""

    id: int
    name: str
    good: bool


@dataclass(frozen=True, slots=True, eq=False)
class Enchantment:
    """An enchantment as vanilla's data pack has it; a server may number them otherwise (see its
    registries).
    """

    id: int
    name: str
    max_level: int
    category: str
    excludes: tuple[str, ...]
    treasure: bool
    curse: bool


@dataclass(frozen=True, slots=True, eq=False)
class Biome:
    """A biome as vanilla's data pack has it; a server numbers them by its own registry."""

    id: int
    name: str
    category: str
    temperature: float
    has_precipitation: bool
    dimension: str


@dataclass(frozen=True, slots=True, eq=False)
class Attribute:
    """An entity attribute with its value where nothing else is said."""

    id: int
    name: str
    default: float
    least: float
    most: float


_Entry = TypeVar("_Entry", Block, Item, EntityType, Effect, Enchantment, Biome, Attribute)

#: Items whose block has another name.
_PLACED_AS: Final = {
    "redstone": "redstone_wire",
    "string": "tripwire",
    "wheat_seeds": "wheat",
    "beetroot_seeds": "beetroots",
    "melon_seeds": "melon_stem",
    "pumpkin_seeds": "pumpkin_stem",
    "torchflower_seeds": "torchflower_crop",
    "pitcher_pod": "pitcher_crop",
    "carrot": "carrots",
    "potato": "potatoes",
    "cocoa_beans": "cocoa",
    "sweet_berries": "sweet_berry_bush",
    "glow_berries": "cave_vines",
    "water_bucket": "water",
    "lava_bucket": "lava",
    "powder_snow_bucket": "powder_snow",
}


class Game:
    """The tables of vanilla 1.21.1."""

    version: Final = "1.21.1"
    protocol: Final = 767

    # --- blocks ---

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """All blocks in order of their ids."""
        tools: dict[tuple[int, ...], frozenset[int]] = {}
        found = []
        for number, row in enumerate(data.load("blocks")):
            name, hardness, resistance, material, harvest, low, high, default, states = row[:9]
            transparent, light, filter_light, drops, stack_size, solid = row[9:]
            harvest_tools = None
            if harvest is not None:
                harvest_tools = tools.setdefault(tuple(harvest), frozenset(harvest))
            found.append(
                Block(
                    id=number,
                    name=f"minecraft:{name}",
                    hardness=float(hardness),
                    resistance=float(resistance),
                    material=material,
                    harvest_tools=harvest_tools,
                    min_state=low,
                    max_state=high,
                    default_state=default,
                    properties=tuple((key, tuple(values)) for key, values in states),
                    transparent=bool(transparent),
                    light=light,
                    filter_light=filter_light,
                    drops=tuple(drops),
                    stack_size=stack_size,
                    solid=bool(solid),
                )
            )
        return tuple(found)

    @cached_property
    def _blocks_by_name(self) -> dict[str, Block]:
        return {block.name: block for block in self.blocks}

    @cached_property
    def _block_of_state(self) -> tuple[Block, ...]:
        return tuple(block for block in self.blocks for _ in range(block.min_state, block.max_state + 1))

    @property
    def state_count(self) -> int:
        """How many block states there are; their numbers go from 0 to one less."""
        return len(self._block_of_state)

    def block(self, name: str) -> Block:
        """The block with this name. Raises UnknownName."""
        return _find(self._blocks_by_name, name, "block")

    def block_of(self, state: int) -> Block:
        """The block that a state belongs to. Raises UnknownId for a state that vanilla does not have."""
        if state < 0:
            raise UnknownId("block state", state)
        try:
            return self._block_of_state[state]
        except IndexError:
            raise UnknownId("block state", state) from None

    def state(self, name: str, **properties: str | int | bool) -> int:
        """The block's default state with these properties changed: `state("oak_log", axis="x")`.

        Raises UnknownName for a block, property or value that is not there.
        """
        block = self.block(name)
        if not properties:
            return block.default_state
        values = self.properties(block.default_state)
        for key, value in properties.items():
            if key not in values:
                raise UnknownName(f"property of {block.name}", key, values)
            values[key] = str(value).lower()
        return self.state_with(block, values)

    def state_with(self, block: Block, properties: Mapping[str, str]) -> int:
        """The state of a block with exactly these properties. Raises UnknownName for a value it can't have,
        and KeyError for a property that is missing."""
        offset = 0
        for key, values in block.properties:
            value = properties[key]
            if value not in values:
                raise UnknownName(f"value of {block.name}'s {key}", value, values)
            offset = offset * len(values) + values.index(value)
        return block.min_state + offset

    def properties(self, state: int) -> dict[str, str]:
        """The properties of a state by name, a new dict each time. Raises UnknownId."""
        block = self.block_of(state)
        offset = state - block.min_state
        found = []
        for key, values in reversed(block.properties):
            offset, index = divmod(offset, len(values))
            found.append((key, values[index]))
        return dict(reversed(found))

    def with_properties(self, state: int, **properties: str | int | bool) -> int:
        """Another state of the same block, with these properties changed. Raises UnknownName, UnknownId."""
        values = self.properties(state)
        block = self.block_of(state)
        for key, value in properties.items():
            if key not in values:
                raise UnknownName(f"property of {block.name}", key, values)
            values[key] = str(value).lower()
        return self.state_with(block, values)

    def shape(self, state: int) -> Shape:
        """The collision boxes of a state as (x0, y0, z0, x1, y1, z1) within its cell; y1 may reach 1.5. Empty
        for what can be walked through. Raises UnknownId."""
        if state < 0:
            raise UnknownId("block state", state)
        try:
            return self._shape_of_state[state]
        except IndexError:
            raise UnknownId("block state", state) from None

    def shapes(self, block: Block) -> tuple[Shape, ...]:
        """The collision boxes of all states of a block, in order."""
        return self._shape_of_state[block.min_state : block.max_state + 1]

    @cached_property
    def _shape_of_state(self) -> tuple[Shape, ...]:
        table = data.load("shapes")
        boxes = [tuple(box) for box in table["boxes"]]
        shapes = [tuple(boxes[number] for number in shape) for shape in table["shapes"]]
        found: list[Shape] = []
        for block, of_block in zip(self.blocks, table["blocks"], strict=True):
            if isinstance(of_block, int):
                found += [shapes[of_block]] * (block.max_state - block.min_state + 1)
            else:
                found += [shapes[number] for number in of_block]
        return tuple(found)

    def loot(self, block_name: str) -> tuple[Drop, ...]:
        """What a block drops, one entry a line of its loot table; where vanilla's table is not known, one
        of each item it drops. Raises UnknownName."""
        block = self.block(block_name)
        known = self._loot["blocks"].get(_bare(block.name))
        if known is None:
            return tuple(Drop(item, 1.0, 1, 1) for item in block.drops)
        return _drops(known)

    def mob_loot(self, entity_name: str) -> tuple[Drop, ...]:
        """What a mob drops when a player kills it without looting. Raises UnknownName."""
        return _drops(self._loot["entities"].get(_bare(self.entity(entity_name).name), ()))

    @cached_property
    def _loot(self) -> dict[str, dict[str, Any]]:
        return {of: dict(tables) for of, tables in data.load("loot").items()}

    # --- items ---

    @cached_property
    def items(self) -> tuple[Item, ...]:
        """All items in order of their ids."""
        rows = data.load("items")
        return tuple(Item(number, f"minecraft:{row[0]}", row[1], row[2]) for number, row in enumerate(rows))

    @cached_property
    def _items_by_name(self) -> dict[str, Item]:
        return {item.name: item for item in self.items}

    def item(self, name: str) -> Item:
        """The item with this name. Raises UnknownName."""
        return _find(self._items_by_name, name, "item")

    def item_by_id(self, number: int) -> Item:
        """The item with this number. Raises UnknownId."""
        return _at(self.items, number, "item")

    def item_for_block(self, block: Block | str) -> Item | None:
        """The item that places a block, or None: the one of its name, that of the standing variant for a
        block on a wall, the seed for a crop."""
        name = _bare(self.block(block).name if isinstance(block, str) else block.name)
        for candidate in (name, name.replace("wall_", ""), self._item_of_block.get(name, name)):
            item = self._items_by_name.get(f"minecraft:{candidate}")
            if item is not None:
                return item
        return None

    @cached_property
    def _item_of_block(self) -> dict[str, str]:
        return {block: item for item, block in _PLACED_AS.items()} | {"cave_vines_plant": "glow_berries"}

    def block_for_item(self, item: Item | str) -> Block | None:
        """The block that an item places, or None for one that places none."""
        name = _bare(self.item(item).name if isinstance(item, str) else item.name)
        return self._blocks_by_name.get(f"minecraft:{_PLACED_AS.get(name, name)}")

    def food(self, item_name: str) -> Food | None:
        """What eating an item gives, None when it can't be eaten. Raises UnknownName."""
        return self.foods.get(self.item(item_name).id)

    @cached_property
    def foods(self) -> dict[int, Food]:
        """What can be eaten, by item id. Cake is a block and not among them."""
        return {item: Food(item, points, saturation) for item, points, saturation in data.load("foods")}

    def tool_speed(self, material: str, item_id: int) -> float | None:
        """How many times faster than a bare hand an item digs blocks of a material (`Block.material`); None
        when it is no faster. Enchantments come on top."""
        speeds = self._materials.get(material)
        return None if speeds is None else speeds.get(item_id)

    @cached_property
    def _materials(self) -> dict[str, dict[int, float]]:
        return {
            name: {int(item): speed for item, speed in speeds.items()}
            for name, speeds in data.load("materials").items()
        }

    # --- recipes ---

    @cached_property
    def recipes(self) -> tuple[Recipe, ...]:
        """All crafting recipes of vanilla. A server tells its own, and those of furnaces and stonecutters."""
        return tuple(
            Recipe(
                result,
                count,
                None if shape is None else tuple(tuple(row) for row in shape),
                None if ingredients is None else tuple(ingredients),
            )
            for result, count, shape, ingredients in data.load("recipes")
        )

    @cached_property
    def _recipes_by_result(self) -> dict[int, list[Recipe]]:
        found: dict[int, list[Recipe]] = {}
        for recipe in self.recipes:
            found.setdefault(recipe.result_id, []).append(recipe)
        return found

    def recipes_for(self, item_id: int) -> list[Recipe]:
        """The recipes that make an item; empty when it can't be crafted."""
        return list(self._recipes_by_result.get(item_id, ()))

    # --- entities ---

    @cached_property
    def entities(self) -> tuple[EntityType, ...]:
        """All kinds of entities in order of their ids."""
        return tuple(
            EntityType(number, f"minecraft:{name}", width, height, type_, category, tuple(keys))
            for number, (name, width, height, type_, category, keys) in enumerate(data.load("entities"))
        )

    @cached_property
    def _entities_by_name(self) -> dict[str, EntityType]:
        return {entity.name: entity for entity in self.entities}

    def entity(self, name: str) -> EntityType:
        """The kind of entity with this name. Raises UnknownName."""
        return _find(self._entities_by_name, name, "entity")

    def entity_by_id(self, number: int) -> EntityType:
        """The kind of entity with this number. Raises UnknownId."""
        return _at(self.entities, number, "entity")

    # --- small registries ---

    @cached_property
    def _registries(self) -> dict[str, Any]:
        loaded: dict[str, Any] = data.load("registries")
        return loaded

    @cached_property
    def effects(self) -> tuple[Effect, ...]:
        """All status effects in order of their ids."""
        rows = self._registries["effects"]
        return tuple(Effect(i, f"minecraft:{name}", kind == "good") for i, (name, kind) in enumerate(rows))

    def effect(self, name: str) -> Effect:
        """The effect with this name. Raises UnknownName."""
        return _find({effect.name: effect for effect in self.effects}, name, "effect")

    def effect_by_id(self, number: int) -> Effect:
        """The effect with this number. Raises UnknownId."""
        return _at(self.effects, number, "effect")

    @cached_property
    def enchantments(self) -> tuple[Enchantment, ...]:
        """Vanilla's enchantments in the order of its data pack."""
        return tuple(
            Enchantment(i, f"minecraft:{name}", level, category, tuple(excludes), treasure, curse)
            for i, (name, level, category, excludes, treasure, curse) in enumerate(
                self._registries["enchantments"]
            )
        )

    def enchantment(self, name: str) -> Enchantment:
        """The enchantment with this name. Raises UnknownName."""
        return _find({one.name: one for one in self.enchantments}, name, "enchantment")

    def enchantment_by_id(self, number: int) -> Enchantment:
        """The enchantment with this number. Raises UnknownId."""
        return _at(self.enchantments, number, "enchantment")

    @cached_property
    def biomes(self) -> tuple[Biome, ...]:
        """Vanilla's biomes in the order of its data pack."""
        rows = self._registries["biomes"]
        return tuple(Biome(i, f"minecraft:{row[0]}", *row[1:]) for i, row in enumerate(rows))

    def biome(self, name: str) -> Biome:
        """The biome with this name. Raises UnknownName."""
        return _find({biome.name: biome for biome in self.biomes}, name, "biome")

    def biome_by_id(self, number: int) -> Biome:
        """The biome with this number. Raises UnknownId."""
        return _at(self.biomes, number, "biome")

    @cached_property
    def attributes(self) -> tuple[Attribute, ...]:
        """All attributes in order of their ids. Names have no namespace, as packets give them."""
        return tuple(Attribute(i, *row) for i, row in enumerate(self._registries["attributes"]))

    def attribute(self, name: str) -> Attribute:
        """The attribute with this name, `generic.max_health`. Raises UnknownName."""
        name = name.removeprefix("minecraft:")
        return _find({each.name: each for each in self.attributes}, name, "attribute", namespace="")

    def sound(self, number: int) -> str:
        """The name of a sound event by the number a sound packet's holder has. Raises UnknownId."""
        sounds = self._registries["sounds"]
        if not 0 <= number < len(sounds):
            raise UnknownId("sound", number)
        return f"minecraft:{sounds[number]}"

    # --- words ---

    @cached_property
    def language(self) -> dict[str, str]:
        """The game's English texts by translation key. Half a megabyte: only for who shows text."""
        loaded: dict[str, str] = data.load("language")
        return loaded


def _bare(name: str) -> str:
    return name.removeprefix("minecraft:")


def _find(table: Mapping[str, _Entry], name: str, what: str, namespace: str = "minecraft:") -> _Entry:
    found = table.get(name)
    if found is None:
        found = table.get(namespace + name)
        if found is None:
            raise UnknownName(what, name, table)
    return found


def _at(table: tuple[_Entry, ...], number: int, what: str) -> _Entry:
    if not 0 <= number < len(table):
        raise UnknownId(what, number)
    return table[number]


def _drops(rows: Iterable[Any]) -> tuple[Drop, ...]:
    return tuple(
        Drop(item, float(chance), least, most, bool(silk), bool(no_silk))
        for item, chance, least, most, silk, no_silk in rows
    )


GAME: Final = Game()
