"""What the server calls things by number.

Vanilla's numbers are in the game's tables. A NeoForge server tells the names of all its items, entity types,
effects and menus, those of its mods included, and may number them as it likes; there its word counts. Of
block states it tells nothing: that some state is of a mod is all that can be known, unless a table or a block
entity shows more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from numen.rules.items import ItemStack
from protocol.game import GAME, EntityType, UnknownId, UnknownName
from protocol.registries import Registries

#: Menu types by registry number (protocol 767).
MENU_KINDS: Final = tuple(
    f"minecraft:{name}"
    for name in (
        *(f"generic_9x{rows}" for rows in range(1, 7)),
        *("generic_3x3", "crafter_3x3", "anvil", "beacon", "blast_furnace", "brewing_stand", "crafting"),
        *("enchantment", "furnace", "grindstone", "hopper", "lectern", "loom", "merchant", "shulker_box"),
        *("smithing", "smoker", "cartography_table", "stonecutter"),
    )
)
#: A being of a mod is taken for a player's size.
_WIDTH, _HEIGHT = 0.6, 1.8


def stack_of(registries: Registries, slot: Mapping[str, Any] | None) -> ItemStack | None:
    """The stack in a decoded `Slot`, None for an empty one; one of a mod has the server's name for it."""
    stack = ItemStack.from_slot(slot)
    if stack is None:
        return None
    told = registries.name_of("minecraft:item", stack.item_id)
    return stack if told is None or told == stack.name else replace(stack, called=told)


def entity_type(registries: Registries, number: int) -> EntityType:
    """An entity type by number."""
    told = registries.name_of("minecraft:entity_type", number)
    try:
        return GAME.entity_by_id(number) if told is None else GAME.entity(told)
    except (UnknownId, UnknownName):
        return EntityType(number, told or f"entity_{number}", _WIDTH, _HEIGHT, "other", "UNKNOWN", ())


def effect_name(registries: Registries, number: int) -> str:
    """``minecraft:speed`` for 0; ``effect_90`` for one that nobody names."""
    told = registries.name_of("minecraft:mob_effect", number)
    if told is not None:
        return told
    try:
        return GAME.effect_by_id(number).name
    except UnknownId:
        return f"effect_{number}"


def menu_kind(registries: Registries, number: int) -> str:
    """``minecraft:generic_9x3`` for 2; ``menu_90`` for one that nobody names."""
    told = registries.name_of("minecraft:menu", number)
    if told is not None:
        return told
    return MENU_KINDS[number] if 0 <= number < len(MENU_KINDS) else f"menu_{number}"


def block_name(registries: Registries, state: int, block_entity: int | None = None) -> str:
    """The block of a state. One of a mod can be named where a table says how many states each block has, or
    by its block entity, whose type most often has the block's name; else it is ``unknown:26690``."""
    try:
        return GAME.block_of(state).name
    except UnknownId:
        pass
    numbered = registries.modded_block(state)
    if numbered is not None:
        return numbered
    told = None if block_entity is None else registries.name_of("minecraft:block_entity_type", block_entity)
    if told is not None and registries.id_of("minecraft:block", told) is not None:
        return told
    return f"unknown:{state}"
