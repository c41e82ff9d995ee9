"""Where PrismarineJS's protocol.json for 1.21.1 is wrong or unhandy, and what we read instead.

Every correction names the type it touches and says why. The reason is the rule of protocol 767 unless it
says otherwise. Known and left alone because the bytes are right: `open_horse_window.nbSlots` holds
inventory columns (0 to 5), not slots; `use_item.rotation` calls yaw x and pitch y.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

Type = Any


@dataclass(frozen=True)
class Patch:
    """Puts `type` at `path`, or takes the packet or case at `path` away where `type` is None.

    A path steps from the tree's root through containers by field name, through switches by case, and with
    `[]` into an array's item, `?` into an option, `=` into what a registry holder says inline. A path that
    ends in `a+b` adds field b after field a of a container.
    """

    path: str
    type: Type
    reason: str

    def apply(self, tree: dict[str, Any]) -> None:
        """Change the tree in place. Raises LookupError when the path leads nowhere: the data has changed."""
        steps = self.path.split("/")
        first = steps.pop(0)
        if first == "-":
            _remove_packet(tree, *steps)
            return
        if first in tree:
            slot = _Slot(tree[first][steps.pop(0)], "types")
        else:
            slot = _Slot(tree, "types")
            steps.insert(0, first)
        last = steps.pop()
        for step in steps:
            slot = slot.step(step)
        if "+" in last:
            after, name = last.split("+")
            fields = slot.get()[1]
            at = next(i for i, field in enumerate(fields) if field.get("name") == after)
            fields.insert(at + 1, {"name": name, "type": self.type})
        elif self.type is None:
            slot.remove(last)
        else:
            slot.step(last).put(self.type)


class _Slot:
    """One place in the tree that holds a type."""

    def __init__(self, holder: Any, key: Any) -> None:
        self._holder = holder
        self._key = key

    def get(self) -> Type:
        return self._holder[self._key]

    def put(self, type_: Type) -> None:
        self._holder[self._key] = type_

    def remove(self, name: str) -> None:
        kind, arguments = self.get()
        if kind == "container":
            arguments[:] = [field for field in arguments if field.get("name") != name]
        else:
            del arguments["fields"][name]

    def step(self, name: str) -> _Slot:
        here = self.get()
        if isinstance(here, dict):
            return _Slot(here, _existing(here, name))
        kind, arguments = here
        if name == "[]":
            return _Slot(arguments, _existing(arguments, "type"))
        if name == "?":
            return _Slot(here, 1)
        if name == "=":
            return _Slot(arguments["otherwise"], "type")
        if kind == "switch":
            return _Slot(arguments["fields"], _existing(arguments["fields"], name))
        for field in arguments:
            if field.get("name") == name:
                return _Slot(field, "type")
        raise LookupError(f"no field {name}")


def _existing(holder: dict[str, Any], name: str) -> str:
    if name not in holder:
        raise LookupError(f"no {name}")
    return name


def _remove_packet(tree: dict[str, Any], state: str, direction: str, name: str) -> None:
    number_field, body_field = tree[state][direction]["types"]["packet"][1]
    numbers = number_field["type"][1]["mappings"]
    del numbers[next(number for number, packet in numbers.items() if packet == name)]
    del body_field["type"][1]["fields"][name]


def _option(type_: Type) -> Type:
    return ["option", type_]


def _container(**fields: Type) -> Type:
    return ["container", [{"name": name, "type": type_} for name, type_ in fields.items()]]


def _array(type_: Type, **count: str) -> Type:
    return ["array", {**(count or {"countType": "varint"}), "type": type_}]


def _holder_set(ids: str) -> Type:
    return {"base": {"name": "name", "type": "string"}, "otherwise": {"name": ids, "type": "varint"}}


_BYTES: Final = ["buffer", {"countType": "varint"}]

#: The attribute registry of 1.21.1 in order; the schema still has the 22 of 1.20.5.
_ATTRIBUTES: Final = (
    *("generic.armor", "generic.armor_toughness", "generic.attack_damage", "generic.attack_knockback"),
    *("generic.attack_speed", "player.block_break_speed", "player.block_interaction_range"),
    *("generic.burning_time", "generic.explosion_knockback_resistance", "player.entity_interaction_range"),
    *("generic.fall_damage_multiplier", "generic.flying_speed", "generic.follow_range", "generic.gravity"),
    *("generic.jump_strength", "generic.knockback_resistance", "generic.luck", "generic.max_absorption"),
    *("generic.max_health", "player.mining_efficiency", "generic.movement_efficiency"),
    *("generic.movement_speed", "generic.oxygen_bonus", "generic.safe_fall_distance", "generic.scale"),
    *("player.sneaking_speed", "zombie.spawn_reinforcements", "generic.step_height"),
    *("player.submerged_mining_speed", "player.sweeping_damage_ratio", "generic.water_movement_efficiency"),
)

PATCHES: Final = (
    # Item components
    Patch(
        "SlotComponent/data/food/usingConvertsTo", _option("Slot"), "what is left after eating is optional"
    ),
    Patch(
        "SlotComponent/data/food/effects/[]/effect+details",
        "ItemEffectDetail",
        "a food's effect says how strong and how long before how likely",
    ),
    Patch("SlotComponent/data/potion_contents/customName", None, "potions have no name before 1.21.2"),
    Patch("ItemBlockProperty/value/false/minValue", _option("string"), "a range may be open below"),
    Patch("ItemBlockProperty/value/false/maxValue", _option("string"), "a range may be open above"),
    Patch("ItemBlockPredicate/nbt", _option("anonymousNbt"), "a bool says whether a tag follows"),
    Patch(
        "ItemWrittenBookPage/filteredContent", _option("anonymousNbt"), "a bool says whether a tag follows"
    ),
    Patch(
        "ArmorTrimMaterial/ingredientId+itemModelIndex",
        "f32",
        "an inline trim material has the model index before its overrides",
    ),
    Patch("ArmorTrimMaterial/overrideArmorAssets/[]/key", "varint", "an armor material by registry number"),
    Patch("InstrumentData/useDuration", "varint", "ticks, whole before 1.21.2"),
    Patch("InstrumentData/description", None, "instruments have no description before 1.21.2"),
    # Entities
    Patch(
        "EntityMetadataPaintingVariant",
        _container(width="varint", height="varint", assetId="string"),
        "an inline painting is two varints and a name; title and author came later",
    ),
    Patch(
        "entityMetadataEntry/value/optional_global_pos",
        _option(_container(dimension="string", position="position")),
        "a dimension and a cell, not a string",
    ),
    Patch(
        "Particle/data/dust_color_transition",
        _container(
            **dict.fromkeys(
                ("fromRed", "fromGreen", "fromBlue", "toRed", "toGreen", "toBlue", "scale"), "f32"
            )
        ),
        "the scale comes last since 1.20.5",
    ),
    Patch(
        "play/toClient/packet_entity_update_attributes/properties/[]/key",
        ["mapper", {"type": "varint", "mappings": {str(i): name for i, name in enumerate(_ATTRIBUTES)}}],
        "1.21 put nine attributes between the old ones",
    ),
    Patch("play/toClient/SpawnInfo/previousGamemode", "i8", "-1 says there was none"),
    Patch("play/toClient/packet_player_info/data/[]/listed/true", "bool", "listed or not"),
    # Windows
    Patch("play/toClient/packet_set_slot/windowId", "i8", "-1 is the cursor, -2 the player's inventory"),
    Patch("play/toClient/packet_trade_list/windowId", "varint", "this window number is a varint"),
    # The world
    Patch("play/toClient/packet_multi_block_change/records/[]", "varlong", "a state above 19 bits needs it"),
    Patch("play/toClient/packet_initialize_world_border/speed", "varlong", "milliseconds, 64 bits"),
    Patch("play/toClient/packet_world_border_lerp_size/speed", "varlong", "milliseconds, 64 bits"),
    Patch("play/toServer/packet_update_structure_block/seed", "varlong", "seeds have 64 bits"),
    Patch("play/toClient/packet_map_chunk/skyLight/[]", _BYTES, "same bytes, without 2048 numbers a section"),
    Patch(
        "play/toClient/packet_map_chunk/blockLight/[]", _BYTES, "same bytes, without 2048 numbers a section"
    ),
    Patch(
        "play/toClient/packet_update_light/skyLight/[]", _BYTES, "same bytes, without 2048 numbers a section"
    ),
    Patch(
        "play/toClient/packet_update_light/blockLight/[]",
        _BYTES,
        "same bytes, without 2048 numbers a section",
    ),
    # Recipes
    Patch(
        "ingredient",
        ["customIngredient", _array("Slot")],
        "NeoForge servers send ingredients of their own making to every client, told by the count -1",
    ),
    Patch(
        "play/toClient/packet_declare_recipes/recipes/[]/data/minecraft:crafting_shaped/ingredients",
        _array(_array("ingredient", count="gridWidth"), count="gridHeight"),
        "ingredients come row by row: a list of rows",
    ),
    Patch(
        "play/toClient/packet_declare_recipes/recipes/[]/data/minecraft:crafting_special_banneraddpattern",
        None,
        "1.21.1 has no such recipe",
    ),
    # Packets that are not there
    Patch("-/configuration/toServer/custom_report_details", None, "only servers send it"),
    Patch("-/configuration/toServer/server_links", None, "only servers send it"),
    Patch("-/handshaking/toServer/legacy_server_list_ping", None, "a ping of before 1.7 has no frame"),
)

#: What NeoForge 21.1 adds for clients that speak its own protocol.
NEOFORGE_PATCHES: Final = (
    Patch(
        "ItemEffectDetail/hiddenEffect+cures",
        _option(_array("string")),
        "what cures an effect follows it, in items only",
    ),
    Patch(
        "IDSet",
        ["customHolderSet", _holder_set("ids")],
        "sets of registry entries may be made of others, told by a negative number",
    ),
    Patch("ItemBlockPredicate/blockSet/?", ["customHolderSet", _holder_set("blockIds")], "likewise"),
)
