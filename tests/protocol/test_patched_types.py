"""Bytes by hand for every type where our schema differs from the one it came from (see protocol.patches)."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from protocol import codec
from protocol.codec import DecodeError
from protocol.nbt import Nbt
from protocol.patches import PATCHES, Patch
from protocol.schema import load


def text(value: str) -> str:
    """A string as it travels, in hex."""
    return bytes((len(value),)).hex() + value.encode().hex()


def f32(value: float) -> str:
    return struct.pack(">f", value).hex()


def nbt(value: Any) -> str:
    return Nbt.of(value).raw.hex()


POSITION = "0000000000040041"  # (0, 65, 64)
EFFECT = "01" + "b004" + "000101"  # amplifier 1, 560 ticks, not ambient, particles, icon
EFFECT_FIELDS = {"amplifier": 1, "duration": 560, "ambient": False, "showParticles": True, "showIcon": True}
NO_HIDDEN = {"hiddenEffect": None}

COMPONENTS = {
    "food that leaves something and works longer": (
        20,
        "04"
        + f32(2.5)
        + "01"
        + f32(1.5)
        + "01"
        + "01"
        + "63"
        + "0000"
        + "01"
        + "0a"
        + EFFECT
        + "00"
        + f32(0.25),
        {
            "nutrition": 4,
            "saturationModifier": 2.5,
            "canAlwaysEat": True,
            "secondsToEat": 1.5,
            "usingConvertsTo": {
                "itemCount": 1,
                "itemId": 99,
                "addedComponentCount": 0,
                "removedComponentCount": 0,
                "components": [],
                "removeComponents": [],
            },
            "effects": [{"effect": 10, "details": {**EFFECT_FIELDS, **NO_HIDDEN}, "probability": 0.25}],
        },
    ),
    "food that leaves nothing": (
        20,
        "01" + f32(0.5) + "00" + f32(1.5) + "00" + "00",
        {
            "nutrition": 1,
            "saturationModifier": 0.5,
            "canAlwaysEat": False,
            "secondsToEat": 1.5,
            "usingConvertsTo": None,
            "effects": [],
        },
    ),
    "potion without a name": (
        31,
        "01" + "05" + "01" + "00ff0000" + "01" + "0a" + EFFECT + "01" + EFFECT + "00",
        {
            "potionId": 5,
            "customColor": 0xFF0000,
            "customEffects": [
                {"id": 10, "details": {**EFFECT_FIELDS, "hiddenEffect": {**EFFECT_FIELDS, **NO_HIDDEN}}}
            ],
        },
    ),
    "lore of two lines": (
        7,
        "02" + nbt("one") + nbt({"text": "two"}),
        [Nbt.of("one"), Nbt.of({"text": "two"})],
    ),
    "can break by state": (
        11,
        "01"
        + "01"
        + "00"
        + text("logs")  # a tag
        + "01"
        + "02"
        + text("axis")
        + "01"
        + text("y")
        + text("age")
        + "00"
        + "01"
        + text("1")
        + "00"  # a range open above
        + "01"
        + nbt({"a": 1})
        + "01",
        {
            "predicates": [
                {
                    "blockSet": {"name": "logs"},
                    "properties": [
                        {"name": "axis", "isExactMatch": True, "value": {"exactValue": "y"}},
                        {"name": "age", "isExactMatch": False, "value": {"minValue": "1", "maxValue": None}},
                    ],
                    "nbt": Nbt.of({"a": 1}),
                }
            ],
            "showTooltip": True,
        },
    ),
    "written book with a filtered page": (
        34,
        text("T") + "00" + text("A") + "00" + "01" + nbt("page") + "01" + nbt("****") + "00",
        {
            "rawTitle": "T",
            "filteredTitle": None,
            "author": "A",
            "generation": 0,
            "pages": [{"content": Nbt.of("page"), "filteredContent": Nbt.of("****")}],
            "resolved": False,
        },
    ),
    "inline trim": (
        35,
        "00" + text("quartz") + "05" + f32(0.125) + "01" + "03" + text("dark") + nbt("Quartz") + "03" + "01",
        {
            "material": {
                "data": {
                    "assetName": "quartz",
                    "ingredientId": 5,
                    "itemModelIndex": 0.125,
                    "overrideArmorAssets": [{"key": 3, "value": "dark"}],
                    "description": Nbt.of("Quartz"),
                }
            },
            "pattern": {"patternId": 2},
            "showInTooltip": True,
        },
    ),
    "inline instrument": (
        40,
        "00" + "00" + text("horn") + "01" + f32(16.0) + "8c01" + f32(256.0),
        {
            "data": {
                "soundEvent": {"data": {"soundName": "horn", "fixedRange": 16.0}},
                "useDuration": 140,
                "range": 256.0,
            }
        },
    ),
}


@pytest.mark.parametrize("case", COMPONENTS.values(), ids=COMPONENTS)
def test_item_components(case: tuple[int, str, Any]) -> None:
    number, data, value = case
    payload = (
        bytes.fromhex("15" + "00" + "05" + "0024" + "01" + "2a" + "0100")
        + bytes((number,))
        + bytes.fromhex(data)
    )
    fields = codec.decode("play", "toClient", payload).fields
    assert fields["item"]["components"][0]["data"] == value
    assert codec.encode("play", "toClient", "set_slot", fields) == payload


METADATA = {
    "an inline painting": (
        26,
        "00" + "02" + "01" + text("kebab"),
        {"variantData": {"width": 2, "height": 1, "assetId": "kebab"}},
    ),
    "a registered painting": (26, "08", {"variantId": 7}),
    "a place in a dimension": (
        25,
        "01" + text("minecraft:the_end") + POSITION,
        {"dimension": "minecraft:the_end", "position": (0, 65, 64)},
    ),
    "no place": (25, "00", None),
    "dust that changes colour": (
        17,
        "0e" + "".join(map(f32, (1, 0, 0, 0, 0, 1))) + f32(4.0),
        {
            "type": "dust_color_transition",
            "data": {
                "fromRed": 1,
                "fromGreen": 0,
                "fromBlue": 0,
                "toRed": 0,
                "toGreen": 0,
                "toBlue": 1,
                "scale": 4.0,
            },
        },
    ),
}


@pytest.mark.parametrize("case", METADATA.values(), ids=METADATA)
def test_entity_metadata(case: tuple[int, str, Any]) -> None:
    number, data, value = case
    payload = bytes.fromhex("58" + "07" + "08") + bytes((number,)) + bytes.fromhex(data + "ff")
    fields = codec.decode("play", "toClient", payload).fields
    assert fields["metadata"][0]["value"] == value
    assert codec.encode("play", "toClient", "entity_metadata", fields) == payload


def test_attributes_of_1_21_have_their_numbers() -> None:
    numbers = {
        "generic.armor": 0,
        "player.block_break_speed": 5,
        "generic.burning_time": 7,
        "player.entity_interaction_range": 9,
        "generic.max_health": 18,
        "player.mining_efficiency": 19,
        "generic.movement_speed": 21,
        "player.sneaking_speed": 25,
        "player.submerged_mining_speed": 28,
        "generic.water_movement_efficiency": 30,
    }
    for name, number in numbers.items():
        fields = {"entityId": 1, "properties": [{"key": name, "value": 0.5, "modifiers": []}]}
        assert codec.encode("play", "toClient", "entity_update_attributes", fields)[3] == number


def test_the_cursor_is_window_minus_one() -> None:
    fields = codec.decode("play", "toClient", bytes.fromhex("15ff00ffff00")).fields
    assert (fields["windowId"], fields["slot"]) == (-1, -1)


def test_no_previous_game_mode_is_minus_one() -> None:
    body = "00" + text("minecraft:overworld") + "00" * 8 + "00" + "ff" + "0000" + "00" + "00" + "03"
    fields = codec.decode("play", "toClient", bytes.fromhex("47" + body)).fields
    assert fields["worldState"]["previousGamemode"] == -1
    assert fields["worldState"]["gamemode"] == "survival"


def test_a_listed_player_is_a_bool() -> None:
    payload = bytes.fromhex("3e" + "08" + "01" + "00" * 15 + "01" + "01")
    fields = codec.decode("play", "toClient", payload).fields
    assert fields["action"] == frozenset({"update_listed"})
    assert fields["data"][0]["listed"] is True


def test_block_changes_may_be_64_bits_wide() -> None:
    record = (100_000 << 12) | 0x123
    fields = {"chunkCoordinates": {"x": -2, "z": 3, "y": -4}, "records": [record, 1 << 40]}
    payload = codec.encode("play", "toClient", "multi_block_change", fields)
    assert codec.decode("play", "toClient", payload).fields == fields


def test_light_is_bytes() -> None:
    light = {"skyLightMask": [2], "blockLightMask": [], "emptySkyLightMask": [], "emptyBlockLightMask": [1]}
    fields = {"chunkX": 1, "chunkZ": -1, **light, "skyLight": [bytes(range(256)) * 8], "blockLight": []}
    payload = codec.encode("play", "toClient", "update_light", fields)
    assert len(payload) == 1 + 1 + 5 + 9 + 1 + 1 + 9 + 1 + 2 + 2048 + 1
    assert codec.decode("play", "toClient", payload).fields == fields


RECIPES = {
    "minecraft:crafting_shaped": 0,
    "minecraft:crafting_shapeless": 1,
    "minecraft:crafting_special_bannerduplicate": 10,
    "minecraft:crafting_special_shielddecoration": 11,
    "minecraft:crafting_special_repairitem": 14,
    "minecraft:smelting": 15,
    "minecraft:blasting": 16,
    "minecraft:smoking": 17,
    "minecraft:campfire_cooking": 18,
    "minecraft:stonecutting": 19,
    "minecraft:smithing_transform": 20,
    "minecraft:smithing_trim": 21,
    "minecraft:crafting_decorated_pot": 22,
}


def test_recipe_serializers_have_their_numbers() -> None:
    recipes = codec.VANILLA.schema.packets["play", "toClient"][0x77][1]
    mappings = recipes[1][0]["type"][1]["type"][1][1]["type"][1]["mappings"]
    numbers = {name: int(number) for number, name in mappings.items()}
    assert numbers | RECIPES == numbers
    assert len(numbers) == 23


def test_a_shaped_recipe_is_a_list_of_rows() -> None:
    item = {
        "itemCount": 1,
        "addedComponentCount": 0,
        "removedComponentCount": 0,
        "components": [],
        "removeComponents": [],
    }

    def ingredient(number: int) -> str:
        return "01" + "01" + bytes((number,)).hex() + "0000"

    body = text("") + "03" + "03" + "02" + "".join(map(ingredient, range(1, 7))) + "01" + "63" + "0000" + "01"
    payload = bytes.fromhex("77" + "01" + text("r") + "00" + body)
    data = codec.decode("play", "toClient", payload).fields["recipes"][0]["data"]
    assert data["ingredients"] == [
        [[{**item, "itemId": number}] for number in row] for row in ((1, 2, 3), (4, 5, 6))
    ]


def test_packets_that_only_servers_send_are_not_among_the_clients() -> None:
    assert "server_links" not in codec.packet_names("configuration", "toServer")
    assert "custom_report_details" not in codec.packet_names("configuration", "toServer")
    assert "legacy_server_list_ping" not in codec.packet_names("handshaking", "toServer")


def test_a_patch_that_leads_nowhere_is_told() -> None:
    # The data must not change under the patches without anyone noticing.
    with pytest.raises(LookupError):
        load([Patch("SlotComponent/data/no_such_component", "varint", "a test")])
    assert all(patch.reason for patch in PATCHES)


def test_neoforge_says_what_cures_an_effect() -> None:
    data = EFFECT + "00" + "01" + "01" + text("milk")
    payload = bytes.fromhex(
        "15" + "00" + "05" + "0024" + "01" + "2a" + "0100" + "1f" + "0000" + "01" + "0a" + data
    )
    fields = codec.NEOFORGE.decode("play", "toClient", payload).fields
    details = fields["item"]["components"][0]["data"]["customEffects"][0]["details"]
    assert details == {**EFFECT_FIELDS, **NO_HIDDEN, "cures": ["milk"]}
    assert codec.NEOFORGE.encode("play", "toClient", "set_slot", fields) == payload
    with pytest.raises(DecodeError):
        codec.decode("play", "toClient", payload)
