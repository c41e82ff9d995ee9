"""Each parser of the command tree with its properties, object beside bytes (protocol 767)."""

from __future__ import annotations

from typing import Any

import pytest

from protocol import codec
from tests.protocol.golden.wire import f32, f64, i64, text


def flags(node_type: int, *, run: int = 0, redirect: int = 0, suggest: int = 0) -> dict[str, int]:
    """A node's flags: 0 root, 1 literal, 2 argument; may run, redirects, has its own suggestions."""
    return {
        "unused": 0,
        "has_custom_suggestions": suggest,
        "has_redirect_node": redirect,
        "has_command": run,
        "command_node_type": node_type,
    }


def limits(least: Any, most: Any) -> dict[str, Any]:
    """What a number may be; None: no limit."""
    bits = {"unused": 0, "max_present": int(most is not None), "min_present": int(least is not None)}
    return {"flags": bits, "min": least, "max": most}


def registry(name: str) -> dict[str, str]:
    return {"registry": name}


#: number, name, bytes, properties
PARSERS: list[tuple[int, str, str, Any]] = [
    (0, "brigadier:bool", "", None),
    (1, "brigadier:float", "00", limits(None, None)),
    (1, "brigadier:float", "03" + f32(-1, 2.5), limits(-1.0, 2.5)),
    (2, "brigadier:double", "01" + f64(-0.5), limits(-0.5, None)),
    (3, "brigadier:integer", "01 00000001", limits(1, None)),
    (3, "brigadier:integer", "02 7fffffff", limits(None, 0x7FFFFFFF)),
    (3, "brigadier:integer", "03 ffffffff 00000040", limits(-1, 64)),
    (4, "brigadier:long", "03" + i64(-(1 << 40)) + i64(1 << 40), limits(-(1 << 40), 1 << 40)),
    (5, "brigadier:string", "00", "SINGLE_WORD"),
    (5, "brigadier:string", "01", "QUOTABLE_PHRASE"),
    (5, "brigadier:string", "02", "GREEDY_PHRASE"),
    (
        6,
        "minecraft:entity",
        "01",
        {"unused": 0, "onlyAllowPlayers": 0, "onlyAllowEntities": 1},
    ),  # a single one
    (6, "minecraft:entity", "02", {"unused": 0, "onlyAllowPlayers": 1, "onlyAllowEntities": 0}),
    (6, "minecraft:entity", "03", {"unused": 0, "onlyAllowPlayers": 1, "onlyAllowEntities": 1}),
    (7, "minecraft:game_profile", "", None),
    (8, "minecraft:block_pos", "", None),
    (9, "minecraft:column_pos", "", None),
    (10, "minecraft:vec3", "", None),
    (11, "minecraft:vec2", "", None),
    (12, "minecraft:block_state", "", None),
    (13, "minecraft:block_predicate", "", None),
    (14, "minecraft:item_stack", "", None),
    (15, "minecraft:item_predicate", "", None),
    (16, "minecraft:color", "", None),
    (17, "minecraft:component", "", None),
    (18, "minecraft:style", "", None),
    (19, "minecraft:message", "", None),
    (20, "minecraft:nbt", "", None),
    (21, "minecraft:nbt_tag", "", None),
    (22, "minecraft:nbt_path", "", None),
    (23, "minecraft:objective", "", None),
    (24, "minecraft:objective_criteria", "", None),
    (25, "minecraft:operation", "", None),
    (26, "minecraft:particle", "", None),
    (27, "minecraft:angle", "", None),
    (28, "minecraft:rotation", "", None),
    (29, "minecraft:scoreboard_slot", "", None),
    (30, "minecraft:score_holder", "01", {"unused": 0, "allowMultiple": 1}),
    (30, "minecraft:score_holder", "00", {"unused": 0, "allowMultiple": 0}),
    (31, "minecraft:swizzle", "", None),
    (32, "minecraft:team", "", None),
    (33, "minecraft:item_slot", "", None),
    (34, "minecraft:item_slots", "", None),
    (35, "minecraft:resource_location", "", None),
    (36, "minecraft:function", "", None),
    (37, "minecraft:entity_anchor", "", None),
    (38, "minecraft:int_range", "", None),
    (39, "minecraft:float_range", "", None),
    (40, "minecraft:dimension", "", None),
    (41, "minecraft:gamemode", "", None),
    (42, "minecraft:time", "00000001", {"min": 1}),
    (43, "minecraft:resource_or_tag", text("minecraft:worldgen/biome"), registry("minecraft:worldgen/biome")),
    (44, "minecraft:resource_or_tag_key", text("a:b"), registry("a:b")),
    (45, "minecraft:resource", text("minecraft:mob_effect"), registry("minecraft:mob_effect")),
    (46, "minecraft:resource_key", text("minecraft:recipe"), registry("minecraft:recipe")),
    (47, "minecraft:template_mirror", "", None),
    (48, "minecraft:template_rotation", "", None),
    (49, "minecraft:heightmap", "", None),
    (50, "minecraft:loot_table", "", None),
    (51, "minecraft:loot_predicate", "", None),
    (52, "minecraft:loot_modifier", "", None),
    (53, "minecraft:uuid", "", None),
]


@pytest.mark.parametrize("row", PARSERS, ids=lambda row: row[1].partition(":")[2])
def test_parser(row: tuple[int, str, str, Any]) -> None:
    number, name, data, properties = row
    # One argument that may run, with suggestions of its own behind the properties; node 0 is the root.
    node = "16 00" + text("what") + f"{number:02x}" + data + text("minecraft:ask_server")
    payload = bytes.fromhex("11 01" + node + "00")
    fields = {
        "nodes": [
            {
                "flags": flags(2, run=1, suggest=1),
                "children": [],
                "redirectNode": None,
                "extraNodeData": {
                    "name": "what",
                    "parser": name,
                    "properties": properties,
                    "suggestionType": "minecraft:ask_server",
                },
            }
        ],
        "rootIndex": 0,
    }
    assert codec.decode("play", "toClient", payload).fields == fields
    assert codec.encode("play", "toClient", "declare_commands", fields) == payload


def test_the_table_has_every_parser() -> None:
    _, fields = codec.VANILLA.schema.types["command_node"]
    argument = fields[3]["type"][1]["fields"]["2"]
    mappings = argument[1][1]["type"][1]["mappings"]
    assert {number: name for number, name, _, _ in PARSERS} == {int(k): v for k, v in mappings.items()}
    assert sorted({number for number, *_ in PARSERS}) == list(range(54))


def test_a_tree_of_root_literal_and_redirect() -> None:
    payload = bytes.fromhex(
        "11 03" + ("00 02 01 02") + ("05 00" + text("list")) + ("09 00 01" + text("l")) + "00"
    )
    fields = {
        "nodes": [
            {"flags": flags(0), "children": [1, 2], "redirectNode": None, "extraNodeData": None},
            {
                "flags": flags(1, run=1),
                "children": [],
                "redirectNode": None,
                "extraNodeData": {"name": "list"},
            },
            {
                "flags": flags(1, redirect=1),
                "children": [],
                "redirectNode": 1,
                "extraNodeData": {"name": "l"},
            },
        ],
        "rootIndex": 0,
    }
    assert codec.decode("play", "toClient", payload).fields == fields
    assert codec.encode("play", "toClient", "declare_commands", fields) == payload


def test_an_unknown_parser_is_refused_since_nobody_knows_its_properties() -> None:
    with pytest.raises(codec.DecodeError, match="unknown type 54"):
        codec.decode("play", "toClient", bytes.fromhex("11 01 02 00" + text("x") + "36" + "00"))
