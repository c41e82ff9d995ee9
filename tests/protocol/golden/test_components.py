"""Each of the 57 item components, object beside bytes (protocol 767)."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from protocol import codec
from protocol.codec import Codec, DecodeError
from tests.protocol.golden.wire import f32, f64, nbt, plain, stack, text

#: Haste II for 560 ticks: amplifier, duration, ambient, particles, icon. A bool then says whether a hidden
#: effect follows.
EFFECT = "01 b004 00 01 01 "
EFFECT_FIELDS = {"amplifier": 1, "duration": 560, "ambient": False, "showParticles": True, "showIcon": True}
ALONE = {**EFFECT_FIELDS, "hiddenEffect": None}

#: A burst: shape, colours, fading colours (four bytes each), trail, twinkle.
BURST = "04 02 00ff0000 0000ff00 01 000000ff 01 00 "
BURST_FIELDS = {
    "shape": "burst",
    "colors": [0xFF0000, 0x00FF00],
    "fadeColors": [0x0000FF],
    "hasTrail": True,
    "hasTwinkle": False,
}

#: An inline sound: 0, its name, whether it has a range of its own, the range.
SOUND = "00 " + text("horn") + "01 " + f32(16)
SOUND_FIELDS = {"data": {"soundName": "horn", "fixedRange": 16.0}}

#: number, name, bytes, value
COMPONENTS: list[tuple[int, str, str, Any]] = [
    (0, "custom_data", nbt({"quest": 7}), {"quest": 7}),
    (1, "max_stack_size", "10", 16),
    (2, "max_damage", "fa01", 250),
    (3, "damage", "8101", 129),
    (4, "unbreakable", "01", True),
    (5, "custom_name", nbt("Old Faithful"), "Old Faithful"),
    (6, "item_name", nbt({"translate": "item.x"}), {"translate": "item.x"}),
    (7, "lore", "02" + nbt("one") + nbt({"text": "two"}), ["one", {"text": "two"}]),
    (8, "rarity", "03", "epic"),
    (
        9,
        "enchantments",
        "02 05 03 9601 01 01",
        {"enchantments": [{"id": 5, "level": 3}, {"id": 150, "level": 1}], "showTooltip": True},
    ),
    (
        10,
        "can_place_on",  # two blocks by number; nothing said of states or tags
        "01 01 03 05 8101 00 00 00",
        {
            "predicates": [{"blockSet": {"blockIds": [5, 129]}, "properties": None, "nbt": None}],
            "showTooltip": False,
        },
    ),
    (
        11,
        "can_break",  # a block tag; one state exactly, one in a range open above; a tag
        "01 01 00"
        + text("logs")
        + "01 02"
        + (text("axis") + "01" + text("y"))
        + (text("age") + "00 01" + text("1") + "00")
        + ("01" + nbt({"a": 1}))
        + "01",
        {
            "predicates": [
                {
                    "blockSet": {"name": "logs"},
                    "properties": [
                        {"name": "axis", "isExactMatch": True, "value": {"exactValue": "y"}},
                        {"name": "age", "isExactMatch": False, "value": {"minValue": "1", "maxValue": None}},
                    ],
                    "nbt": {"a": 1},
                }
            ],
            "showTooltip": True,
        },
    ),
    (
        11,
        "can_break",  # any block whose age is at most 3
        "01 00 01 01" + text("age") + "00 00 01" + text("3") + "00 01",
        {
            "predicates": [
                {
                    "blockSet": None,
                    "properties": [
                        {"name": "age", "isExactMatch": False, "value": {"minValue": None, "maxValue": "3"}}
                    ],
                    "nbt": None,
                }
            ],
            "showTooltip": True,
        },
    ),
    (
        12,
        "attribute_modifiers",
        "01 02" + text("minecraft:base") + f64(6.5) + "00 01 01",
        {
            "attributes": [
                {
                    "typeId": 2,
                    "name": "minecraft:base",
                    "value": 6.5,
                    "operation": "add",
                    "slot": "main_hand",
                }
            ],
            "showTooltip": True,
        },
    ),
    (
        12,
        "attribute_modifiers",
        "01 12" + text("a:b") + f64(-0.25) + "02 09 00",
        {
            "attributes": [
                {"typeId": 18, "name": "a:b", "value": -0.25, "operation": "multiply_total", "slot": "body"}
            ],
            "showTooltip": False,
        },
    ),
    (13, "custom_model_data", "d209", 1234),
    (14, "hide_additional_tooltip", "", None),
    (15, "hide_tooltip", "", None),
    (16, "repair_cost", "1f", 31),
    (17, "creative_slot_lock", "", None),
    (18, "enchantment_glint_override", "00", False),
    (19, "intangible_projectile", "0a 00", {}),
    (
        20,
        "food",  # leaves a bowl, and works longer
        "04" + f32(2.5) + "01" + f32(1.5) + "01 01 63 00 00" + ("01 0a" + EFFECT + "00" + f32(0.25)),
        {
            "nutrition": 4,
            "saturationModifier": 2.5,
            "canAlwaysEat": True,
            "secondsToEat": 1.5,
            "usingConvertsTo": stack(99),
            "effects": [{"effect": 10, "details": ALONE, "probability": 0.25}],
        },
    ),
    (
        20,
        "food",  # leaves nothing
        "01" + f32(0.5) + "00" + f32(1.5) + "00 00",
        {
            "nutrition": 1,
            "saturationModifier": 0.5,
            "canAlwaysEat": False,
            "secondsToEat": 1.5,
            "usingConvertsTo": None,
            "effects": [],
        },
    ),
    (21, "fire_resistant", "", None),
    (
        22,
        "tool",  # a tag with both; one block with neither
        "02" + ("00" + text("mineable/axe") + "01" + f32(8) + "01 01") + "02 05 00 00" + f32(1) + "01",
        {
            "rules": [
                {"blocks": {"name": "mineable/axe"}, "speed": 8.0, "correctDropForBlocks": True},
                {"blocks": {"ids": [5]}, "speed": None, "correctDropForBlocks": None},
            ],
            "defaultMiningSpeed": 1.0,
            "damagePerBlock": 1,
        },
    ),
    (
        23,
        "stored_enchantments",
        "01 0c 02 00",
        {"enchantments": [{"id": 12, "level": 2}], "showInTooltip": False},
    ),
    (24, "dyed_color", "00a06540 01", {"color": 0xA06540, "showTooltip": True}),
    (25, "map_color", "ff46402e", -0xB9BFD2),
    (26, "map_id", "ac02", 300),
    (27, "map_decorations", nbt({"+": {"type": "x"}}), {"+": {"type": "x"}}),
    (28, "map_post_processing", "01", 1),
    (29, "charged_projectiles", "02 01 05 00 00 02 06 00 00", {"projectiles": [stack(5), stack(6, 2)]}),
    (30, "bundle_contents", "01 40 8807 00 00", {"contents": [stack(904, 64)]}),
    (
        31,
        "potion_contents",  # a potion by number, a colour, one effect with another hidden beneath it
        "01 05 01 00ff0000 01 0a" + EFFECT + "01" + EFFECT + "00",
        {
            "potionId": 5,
            "customColor": 0xFF0000,
            "customEffects": [{"id": 10, "details": {**EFFECT_FIELDS, "hiddenEffect": ALONE}}],
        },
    ),
    (31, "potion_contents", "00 00 00", {"potionId": None, "customColor": None, "customEffects": []}),
    (32, "suspicious_stew_effects", "01 12 a001", {"effects": [{"effect": 18, "duration": 160}]}),
    (
        33,
        "writable_book_content",
        "02" + text("first") + "00" + text("s***") + "01" + text("****"),
        {
            "pages": [
                {"content": "first", "filteredContent": None},
                {"content": "s***", "filteredContent": "****"},
            ]
        },
    ),
    (
        34,
        "written_book_content",
        text("T")
        + "01"
        + text("F")
        + text("Ann")
        + "02 02"
        + nbt("a")
        + "00"
        + nbt("b")
        + "01"
        + nbt("*")
        + "01",
        {
            "rawTitle": "T",
            "filteredTitle": "F",
            "author": "Ann",
            "generation": 2,
            "pages": [
                {"content": "a", "filteredContent": None},
                {"content": "b", "filteredContent": "*"},
            ],
            "resolved": True,
        },
    ),
    (
        35,
        "trim",
        "04 11 00",
        {"material": {"materialId": 3}, "pattern": {"patternId": 16}, "showInTooltip": False},
    ),
    (
        35,
        "trim",  # inline: the material has a model index and overrides by number
        ("00" + text("quartz") + "05" + f32(0.125) + "01 03" + text("dark") + nbt("Quartz"))
        + ("00" + text("a:p") + "07" + nbt("Pattern") + "01")
        + "01",
        {
            "material": {
                "data": {
                    "assetName": "quartz",
                    "ingredientId": 5,
                    "itemModelIndex": 0.125,
                    "overrideArmorAssets": [{"key": 3, "value": "dark"}],
                    "description": "Quartz",
                }
            },
            "pattern": {
                "data": {"assetId": "a:p", "templateItemId": 7, "description": "Pattern", "decal": True}
            },
            "showInTooltip": True,
        },
    ),
    (36, "debug_stick_state", nbt({"minecraft:lever": "face"}), {"minecraft:lever": "face"}),
    (37, "entity_data", nbt({"id": "minecraft:pig"}), {"id": "minecraft:pig"}),
    (38, "bucket_entity_data", nbt({"Health": 3}), {"Health": 3}),
    (39, "block_entity_data", nbt({"id": "minecraft:sign"}), {"id": "minecraft:sign"}),
    (40, "instrument", "08", {"instrumentId": 7}),
    (
        40,
        "instrument",  # inline: ticks, not seconds, and no description
        "00" + SOUND + "8c01" + f32(256),
        {"data": {"soundEvent": SOUND_FIELDS, "useDuration": 140, "range": 256.0}},
    ),
    (41, "ominous_bottle_amplifier", "04", 4),
    (
        42,
        "jukebox_playable",  # by name
        "00" + text("minecraft:cat") + "01",
        {"hasHolder": False, "song": "minecraft:cat", "showInTooltip": True},
    ),
    (42, "jukebox_playable", "01 03 00", {"hasHolder": True, "song": {"songId": 2}, "showInTooltip": False}),
    (
        42,
        "jukebox_playable",  # inline, with a sound by number
        "01 00 05" + nbt("Song") + f32(185.5) + "0e 01",
        {
            "hasHolder": True,
            "song": {
                "data": {
                    "soundEvent": {"soundId": 4},
                    "description": "Song",
                    "lengthInSeconds": 185.5,
                    "comparatorOutput": 14,
                }
            },
            "showInTooltip": True,
        },
    ),
    (43, "recipes", nbt(["minecraft:cake"]), ["minecraft:cake"]),
    (
        44,
        "lodestone_tracker",  # the cell (-20, -1, 1): x in 26 bits, z in 26, y in 12
        "01" + text("minecraft:overworld") + "fffffb0000001fff 01",
        {
            "globalPosition": {"dimension": "minecraft:overworld", "position": (-20, -1, 1)},
            "tracked": True,
        },
    ),
    (44, "lodestone_tracker", "00 00", {"globalPosition": None, "tracked": False}),
    (45, "firework_explosion", BURST, BURST_FIELDS),
    (46, "fireworks", "03 01" + BURST, {"flightDuration": 3, "explosions": [BURST_FIELDS]}),
    (
        47,
        "profile",
        "01" + text("Ann") + "01 00112233445566778899aabbccddeeff 01" + text("textures") + text("e30") + "00",
        {
            "name": "Ann",
            "uuid": UUID("00112233-4455-6677-8899-aabbccddeeff"),
            "properties": [{"name": "textures", "value": "e30", "signature": None}],
        },
    ),
    (
        47,
        "profile",
        "00 00 01" + text("n") + text("v") + "01" + text("s"),
        {"name": None, "uuid": None, "properties": [{"name": "n", "value": "v", "signature": "s"}]},
    ),
    (48, "note_block_sound", text("a:boom"), "a:boom"),
    (
        49,
        "banner_patterns",  # the eighth pattern in red, and one that is inline
        "02 08 0e 00" + text("a:p") + text("key") + "0f",
        {
            "layers": [
                {"pattern": {"patternId": 7}, "colorId": 14},
                {"pattern": {"data": {"assetId": "a:p", "translationKey": "key"}}, "colorId": 15},
            ]
        },
    ),
    (50, "base_color", "0b", 11),
    (51, "pot_decorations", "04 01 02 03 8001", {"decorations": [1, 2, 3, 128]}),
    (52, "container", "02 00 01 05 00 00", {"contents": [{"itemCount": 0}, stack(5)]}),
    (
        53,
        "block_state",
        "01" + text("lit") + text("true"),
        {"properties": [{"property": "lit", "value": "true"}]},
    ),
    (
        54,
        "bees",
        "01" + nbt({"id": "minecraft:bee"}) + "ac02 d804",
        {"bees": [{"nbtData": {"id": "minecraft:bee"}, "ticksInHive": 300, "minTicksInHive": 600}]},
    ),
    (55, "lock", nbt("key"), "key"),
    (56, "container_loot", nbt({"loot_table": "a:b"}), {"loot_table": "a:b"}),
]

#: Window 0, state 5, slot 36; one item, number 42, one component added and none removed.
HEAD = "15 00 05 0024 01 2a 01 00 "


def check(codec: Codec, row: tuple[int, str, str, Any]) -> None:
    """Assert that the codec reads and writes a row of the table."""
    number, name, data, value = row
    payload = bytes.fromhex(HEAD + f"{number:02x}" + data)
    fields = {
        "windowId": 0,
        "stateId": 5,
        "slot": 36,
        "item": {**stack(42), "addedComponentCount": 1, "components": [{"type": name, "data": value}]},
    }
    assert plain(codec.decode("play", "toClient", payload).fields) == fields
    assert codec.encode("play", "toClient", "set_slot", fields) == payload


@pytest.mark.parametrize("row", COMPONENTS, ids=lambda row: row[1])
def test_component(row: tuple[int, str, str, Any]) -> None:
    check(codec.VANILLA, row)


def test_the_table_has_every_component() -> None:
    mappings = codec.VANILLA.schema.types["SlotComponentType"][1]["mappings"]
    assert {number: name for number, name, _, _ in COMPONENTS} == {int(k): v for k, v in mappings.items()}
    assert sorted({number for number, *_ in COMPONENTS}) == list(range(57))


def test_removed_components_are_numbers_only() -> None:
    payload = bytes.fromhex("15 00 05 0024 01 2a 01 02" + "03 07" + "14 09")
    item = codec.decode("play", "toClient", payload).fields["item"]
    assert item["components"] == [{"type": "damage", "data": 7}]
    assert item["removeComponents"] == [{"type": "food"}, {"type": "enchantments"}]
    fields = {"windowId": 0, "stateId": 5, "slot": 36, "item": item}
    assert codec.encode("play", "toClient", "set_slot", fields) == payload


def test_an_empty_slot_is_one_byte() -> None:
    fields = codec.decode("play", "toClient", bytes.fromhex("15 00 05 0024 00")).fields
    assert fields["item"] == {"itemCount": 0}


def test_neoforge_says_what_cures_an_effect() -> None:
    potion = "1f 00 00 01 0a" + EFFECT + "00 01 01" + text("milk")
    payload = bytes.fromhex(HEAD + potion)
    fields = codec.NEOFORGE.decode("play", "toClient", payload).fields
    details = fields["item"]["components"][0]["data"]["customEffects"][0]["details"]
    assert details == {**ALONE, "cures": ["milk"]}
    assert codec.NEOFORGE.encode("play", "toClient", "set_slot", fields) == payload
    with pytest.raises(DecodeError):
        codec.decode("play", "toClient", payload)


@pytest.mark.parametrize(
    ("data", "blocks"),
    [
        ("ffffffff0f", {"custom": "any", "sets": []}),
        (
            "feffffff0f 02 02 05 00" + text("logs"),
            {"custom": "and", "sets": [{"ids": [5]}, {"name": "logs"}]},
        ),
        ("fdffffff0f 00", {"custom": "or", "sets": []}),
        (
            "fcffffff0f fdffffff0f 01 03 05 06",
            {"custom": "not", "sets": [{"custom": "or", "sets": [{"ids": [5, 6]}]}]},
        ),
    ],
    ids=["any", "and", "or", "not"],
)
def test_neoforge_makes_sets_of_sets(data: str, blocks: Any) -> None:
    payload = bytes.fromhex(HEAD + "16 01" + data + "00 00" + f32(1) + "01")
    fields = codec.NEOFORGE.decode("play", "toClient", payload).fields
    rule = fields["item"]["components"][0]["data"]["rules"][0]
    assert rule == {"blocks": blocks, "speed": None, "correctDropForBlocks": None}
    assert codec.NEOFORGE.encode("play", "toClient", "set_slot", fields) == payload
    with pytest.raises(DecodeError):
        codec.decode("play", "toClient", payload)


def test_neoforge_says_of_a_hidden_effect_too_what_cures_it() -> None:
    food = "14 04" + f32(2.5) + "01" + f32(1.5) + "00 01 0a" + EFFECT + "01" + EFFECT + "00 00 01 00" + f32(1)
    fields = codec.NEOFORGE.decode("play", "toClient", bytes.fromhex(HEAD + food)).fields
    details = fields["item"]["components"][0]["data"]["effects"][0]["details"]
    assert details == {**EFFECT_FIELDS, "hiddenEffect": {**ALONE, "cures": None}, "cures": []}
