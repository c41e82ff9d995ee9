"""Each type of entity metadata and each particle, object beside bytes (protocol 767)."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from protocol import codec
from protocol.codec import Codec
from tests.protocol.golden.wire import f32, i64, nbt, plain, stack, text

#: The cell (-20, -1, 1): x in 26 bits, z in 26, y in 12.
CELL = "fffffb0000001fff "

#: number, name, bytes, value
METADATA: list[tuple[int, str, str, Any]] = [
    (0, "byte", "fe", -2),
    (1, "int", "ac02", 300),
    (1, "int", "ffffffff0f", -1),
    (2, "long", "8080808080808001", 1 << 49),
    (3, "float", f32(0.5), 0.5),
    (4, "string", text("Grüße"), "Grüße"),
    (5, "component", nbt("Bob"), "Bob"),
    (6, "optional_component", "00", None),
    (6, "optional_component", "01" + nbt({"text": "Bob"}), {"text": "Bob"}),
    (7, "item_stack", "00", {"itemCount": 0}),
    (7, "item_stack", "03 2a 00 00", stack(42, 3)),
    (8, "boolean", "01", True),
    (9, "rotations", f32(1, -2, 3.5), {"pitch": 1.0, "yaw": -2.0, "roll": 3.5}),
    (10, "block_pos", CELL, (-20, -1, 1)),
    (11, "optional_block_pos", "01" + CELL, (-20, -1, 1)),
    (11, "optional_block_pos", "00", None),
    (12, "direction", "05", 5),
    (
        13,
        "optional_uuid",
        "01" + "00112233445566778899aabbccddeeff",
        UUID(int=0x112233445566778899AABBCCDDEEFF),
    ),
    (13, "optional_uuid", "00", None),
    (14, "block_state", "bad001", 26682),
    (15, "optional_block_state", "00", 0),
    (15, "optional_block_state", "0a", 10),
    (16, "compound_tag", nbt({"a": 1}), {"a": 1}),
    (17, "particle", "05", {"type": "crit", "data": None}),
    (
        18,
        "particles",
        "02 14 ff0000ff 05",
        [{"type": "entity_effect", "data": -0xFFFF01}, {"type": "crit", "data": None}],
    ),
    (18, "particles", "00", []),
    (19, "villager_data", "02 05 03", {"villagerType": 2, "villagerProfession": 5, "level": 3}),
    (20, "optional_unsigned_int", "00", 0),  # none
    (20, "optional_unsigned_int", "08", 8),  # seven, one more on the wire
    (21, "pose", "05", 5),
    (22, "cat_variant", "0a", 10),
    (23, "wolf_variant", "04", {"variantId": 3}),
    (
        23,
        "wolf_variant",  # inline: three textures, and the biomes it is found in by number or by tag
        "00" + text("a:wild") + text("a:tame") + text("a:angry") + "03 07 8101",
        {
            "variantData": {
                "wildTexture": "a:wild",
                "tameTexture": "a:tame",
                "angryTexture": "a:angry",
                "biome": {"ids": [7, 129]},
            }
        },
    ),
    (
        23,
        "wolf_variant",
        "00" + text("a:w") + text("a:t") + text("a:a") + "00" + text("is_taiga"),
        {
            "variantData": {
                "wildTexture": "a:w",
                "tameTexture": "a:t",
                "angryTexture": "a:a",
                "biome": {"name": "is_taiga"},
            }
        },
    ),
    (24, "frog_variant", "02", 2),
    (
        25,
        "optional_global_pos",  # a dimension and a cell
        "01" + text("minecraft:the_end") + CELL,
        {"dimension": "minecraft:the_end", "position": (-20, -1, 1)},
    ),
    (25, "optional_global_pos", "00", None),
    (26, "painting_variant", "08", {"variantId": 7}),
    (
        26,
        "painting_variant",  # inline: width, height, picture
        "00 02 01" + text("kebab"),
        {"variantData": {"width": 2, "height": 1, "assetId": "kebab"}},
    ),
    (27, "sniffer_state", "06", 6),
    (28, "armadillo_state", "03", 3),
    (29, "vector3", f32(1, 2, -3), {"x": 1.0, "y": 2.0, "z": -3.0}),
    (30, "quaternion", f32(0, 0, 0.5, 1), {"x": 0.0, "y": 0.0, "z": 0.5, "w": 1.0}),
]


def check_metadata(codec: Codec, row: tuple[int, str, str, Any]) -> None:
    """Assert that the codec reads and writes a row of the table."""
    number, name, data, value = row
    payload = bytes.fromhex("58 07 08" + f"{number:02x}" + data + "ff")
    fields = {"entityId": 7, "metadata": [{"key": 8, "type": name, "value": value}]}
    assert plain(codec.decode("play", "toClient", payload).fields) == fields
    assert codec.encode("play", "toClient", "entity_metadata", fields) == payload


@pytest.mark.parametrize("row", METADATA, ids=lambda row: row[1])
def test_metadata(row: tuple[int, str, str, Any]) -> None:
    check_metadata(codec.VANILLA, row)


def test_the_table_has_every_metadata_type() -> None:
    _, fields = codec.VANILLA.schema.types["entityMetadataEntry"]
    mappings = fields[1]["type"][1]["mappings"]
    assert {number: name for number, name, _, _ in METADATA} == {int(k): v for k, v in mappings.items()}
    assert sorted({number for number, *_ in METADATA}) == list(range(31))


#: The particle registry in order, by the schema's names: the game calls the two with "detected_player" in
#: theirs trial_spawner_detection and trial_spawner_detection_ominous.
_PARTICLES = """
    angry_villager block block_marker bubble cloud crit damage_indicator dragon_breath dripping_lava
    falling_lava landing_lava dripping_water falling_water dust dust_color_transition effect elder_guardian
    enchanted_hit enchant end_rod entity_effect explosion_emitter explosion gust small_gust
    gust_emitter_large gust_emitter_small sonic_boom falling_dust firework fishing flame infested
    cherry_leaves sculk_soul sculk_charge sculk_charge_pop soul_fire_flame soul flash happy_villager
    composter heart instant_effect item vibration item_slime item_cobweb item_snowball large_smoke lava
    mycelium note poof portal rain smoke white_smoke sneeze spit squid_ink sweep_attack totem_of_undying
    underwater splash witch bubble_pop current_down bubble_column_up nautilus dolphin campfire_cosy_smoke
    campfire_signal_smoke dripping_honey falling_honey landing_honey falling_nectar falling_spore_blossom
    ash crimson_spore warped_spore spore_blossom_air dripping_obsidian_tear falling_obsidian_tear
    landing_obsidian_tear reverse_portal white_ash small_flame snowflake dripping_dripstone_lava
    falling_dripstone_lava dripping_dripstone_water falling_dripstone_water glow_squid_ink glow wax_on
    wax_off electric_spark scrape shriek egg_crack dust_plume trial_spawner_detected_player
    trial_spawner_detected_player_ominous vault_connection dust_pillar ominous_spawning raid_omen trial_omen
""".split()  # noqa: SIM905
_WITH_DATA = frozenset(
    """
    block block_marker dust dust_color_transition entity_effect falling_dust sculk_charge item vibration
    shriek dust_pillar
    """.split()  # noqa: SIM905
)

#: number, name, bytes, value
PARTICLES: list[tuple[int, str, str, Any]] = [
    (1, "block", "8101", 129),
    (2, "block_marker", "01", 1),
    (
        13,
        "dust",
        f32(1, 0.5, 0, 4),
        {"red": 1.0, "green": 0.5, "blue": 0.0, "scale": 4.0},
    ),
    (
        14,
        "dust_color_transition",  # from a colour, to a colour, and the scale last
        f32(1, 0, 0) + f32(0, 0, 1) + f32(4),
        {
            "fromRed": 1.0,
            "fromGreen": 0.0,
            "fromBlue": 0.0,
            "toRed": 0.0,
            "toGreen": 0.0,
            "toBlue": 1.0,
            "scale": 4.0,
        },
    ),
    (20, "entity_effect", "7f102030", 0x7F102030),
    (28, "falling_dust", "02", 2),
    (35, "sculk_charge", f32(0.75), 0.75),
    (44, "item", "01 2a 00 00", stack(42)),
    (
        45,
        "vibration",  # to a cell in 20 ticks
        "00" + CELL + "14",
        {"positionType": "block", "position": (-20, -1, 1), "ticks": 20},
    ),
    (
        45,
        "vibration",  # to an entity, so high above its feet
        "01 ac02" + f32(1.5) + "08",
        {"positionType": "entity", "position": {"entityId": 300, "entityEyeHeight": 1.5}, "ticks": 8},
    ),
    (99, "shriek", "0a", 10),
    (105, "dust_pillar", "03", 3),
    *((number, name, "", None) for number, name in enumerate(_PARTICLES) if name not in _WITH_DATA),
]


def check_particle(codec: Codec, row: tuple[int, str, str, Any]) -> None:
    """Assert that the codec reads and writes a row of the table."""
    number, name, data, value = row
    head = "29 00" + i64(0) * 3 + f32(0, 0, 0, 0) + "00000005"
    payload = bytes.fromhex(head + f"{number:02x}" + data)
    fields = codec.decode("play", "toClient", payload).fields
    particle = {"type": name, "data": value}
    assert plain(fields["particle"]) == particle
    assert codec.encode("play", "toClient", "world_particles", {**fields, "particle": particle}) == payload


@pytest.mark.parametrize("row", PARTICLES, ids=lambda row: row[1])
def test_particle(row: tuple[int, str, str, Any]) -> None:
    check_particle(codec.VANILLA, row)


def test_the_table_has_every_particle() -> None:
    _, (name, data) = codec.VANILLA.schema.types["Particle"]
    numbers = {int(number): kind for number, kind in name["type"][1]["mappings"].items()}
    assert {number: kind for number, kind, _, _ in PARTICLES} == numbers
    assert sorted(numbers) == list(range(109))
    assert {row[1] for row in PARTICLES if row[2]} == set(data["type"][1]["fields"]) == _WITH_DATA


#: The attribute registry in order.
ATTRIBUTES = """
    generic.armor generic.armor_toughness generic.attack_damage generic.attack_knockback
    generic.attack_speed player.block_break_speed player.block_interaction_range generic.burning_time
    generic.explosion_knockback_resistance player.entity_interaction_range generic.fall_damage_multiplier
    generic.flying_speed generic.follow_range generic.gravity generic.jump_strength
    generic.knockback_resistance generic.luck generic.max_absorption generic.max_health
    player.mining_efficiency generic.movement_efficiency generic.movement_speed generic.oxygen_bonus
    generic.safe_fall_distance generic.scale player.sneaking_speed zombie.spawn_reinforcements
    generic.step_height player.submerged_mining_speed player.sweeping_damage_ratio
    generic.water_movement_efficiency
""".split()  # noqa: SIM905


def check_attributes(codec: Codec) -> None:
    """Assert that the codec knows every attribute by its number."""
    value = "3fe0000000000000 "
    payload = bytes.fromhex("75 01 1f" + "".join(f"{number:02x} {value} 00" for number in range(31)))
    fields = codec.decode("play", "toClient", payload).fields
    assert [entry["key"] for entry in fields["properties"]] == ATTRIBUTES
    assert codec.encode("play", "toClient", "entity_update_attributes", fields) == payload


def test_attributes_are_numbered_as_in_1_21() -> None:
    check_attributes(codec.VANILLA)


def test_attribute_modifiers_are_named_by_a_resource_location() -> None:
    payload = bytes.fromhex(
        "75 01 01 15" + "3fb999999999999a" + "01" + text("minecraft:sprinting") + "3fd3333340000000" + "02"
    )
    fields = {
        "entityId": 1,
        "properties": [
            {
                "key": "generic.movement_speed",
                "value": 0.1,
                "modifiers": [{"uuid": "minecraft:sprinting", "amount": 0.30000001192092896, "operation": 2}],
            }
        ],
    }
    assert codec.decode("play", "toClient", payload).fields == fields
    assert codec.encode("play", "toClient", "entity_update_attributes", fields) == payload


def test_equipment_goes_on_while_the_top_bit_is_set() -> None:
    payload = bytes.fromhex("5b 07" + "80 01 2a 00 00" + "85 00" + "04 01 05 00 00")
    fields = {
        "entityId": 7,
        "equipments": [
            {"slot": 0, "item": stack(42)},
            {"slot": 5, "item": {"itemCount": 0}},
            {"slot": 4, "item": stack(5)},
        ],
    }
    assert codec.decode("play", "toClient", payload).fields == fields
    assert codec.encode("play", "toClient", "entity_equipment", fields) == payload
