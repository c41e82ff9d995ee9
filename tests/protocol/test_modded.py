"""Packets with a mod's content in them: as much of each as can be had, and never something misread."""

from __future__ import annotations

from typing import Any

import pytest

from protocol import codec
from protocol.codec import DecodeError, EncodeError
from protocol.nbt import Nbt
from protocol.salvage import Truncated
from tests.protocol.golden.wire import f32, f64, nbt, plain, stack, text

#: A component that vanilla does not have. These bytes are no tag.
MODDED = "39 ee0102"
#: Another that is written as a tag, like most.
TAGGED = "3a" + nbt({"energy": 500})


def read(data: str) -> dict[str, Any]:
    return codec.decode("play", "toClient", bytes.fromhex(data)).fields


def opaque(item: int, count: int, added: int, *components: dict[str, Any]) -> dict[str, Any]:
    return {**stack(item, count), "addedComponentCount": added, "components": list(components)}


def without_rest(stack: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in stack.items() if name != "opaque"}


def test_an_unknown_component_makes_an_opaque_stack() -> None:
    fields = read("15 00 05 0024 03 2a 02 00" + "03 07" + MODDED)
    item = fields["item"]
    assert without_rest(item) == opaque(42, 3, 2, {"type": "damage", "data": 7})
    assert item["opaque"] == bytes.fromhex(MODDED)
    assert {name: fields[name] for name in ("windowId", "stateId", "slot")} == {
        "windowId": 0,
        "stateId": 5,
        "slot": 36,
    }
    assert isinstance(fields, Truncated)
    assert (fields.why, fields.left) == ("unknown type 57", 4)


def test_an_opaque_stack_can_not_be_sent() -> None:
    item = read("15 00 05 0024 03 2a 01 00" + MODDED)["item"]
    with pytest.raises(EncodeError):
        codec.encode("play", "toServer", "set_creative_slot", {"slot": 1, "item": item})


def test_a_component_written_as_a_tag_is_read_and_goes_back_as_it_came() -> None:
    payload = bytes.fromhex("15 00 05 0024 03 2a 02 01" + TAGGED + "03 07" + "07")
    fields = codec.decode("play", "toClient", payload).fields
    assert not isinstance(fields, Truncated)
    assert plain(fields["item"]["components"]) == [
        {"type": 58, "data": {"energy": 500}},
        {"type": "damage", "data": 7},
    ]
    assert fields["item"]["removeComponents"] == [{"type": "lore"}]
    assert codec.encode("play", "toClient", "set_slot", fields) == payload


def test_a_window_with_tagged_components_is_read_whole() -> None:
    slots = "00" + "01 2a 01 00" + TAGGED + "01 2b 00 00" + "02 2c 01 00" + TAGGED
    fields = read("13 01 07 04" + slots + "05 2d 00 00")
    assert not isinstance(fields, Truncated)
    assert [slot.get("itemId") for slot in fields["items"]] == [None, 42, 43, 44]
    assert fields["carriedItem"] == stack(45, 5)


def test_a_window_with_an_unknown_component_has_the_slots_up_to_it() -> None:
    slots = "01 29 00 00" + "01 2a 01 00" + MODDED + "01 2b 00 00"
    fields = read("13 01 07 03" + slots + "05 2d 00 00")
    assert isinstance(fields, Truncated)
    assert (fields["windowId"], fields["stateId"]) == (1, 7)
    assert list(map(without_rest, fields["items"])) == [stack(41), opaque(42, 1, 1)]
    assert "carriedItem" not in fields


def test_a_tag_is_not_taken_where_the_packet_would_not_end_with_it() -> None:
    # The second unknown component is a bool, which looks like the beginning of a tag.
    slots = "01 2a 01 00" + TAGGED + "01 2b 01 00" + "3b 01" + "01 2c 00 00"
    fields = read("13 01 07 03" + slots + "00")
    assert isinstance(fields, Truncated)
    assert [slot["itemId"] for slot in fields["items"]] == [42]
    assert "opaque" in fields["items"][0]


def test_a_stack_within_a_stack_makes_the_outer_one_opaque() -> None:
    bundle = "1e 02" + "01 29 00 00" + "01 2a 01 00" + MODDED
    item = read("15 00 05 0024 01 2b 02 00" + "03 07" + bundle)["item"]
    assert without_rest(item) == opaque(43, 1, 2, {"type": "damage", "data": 7})


def test_a_stack_within_a_stack_with_a_tag_is_read() -> None:
    bundle = "1e 02" + "01 29 00 00" + "01 2a 01 00" + TAGGED
    item = read("15 00 05 0024 01 2b 01 00" + bundle)["item"]
    contents = item["components"][0]["data"]["contents"]
    assert plain(contents[1]["components"]) == [{"type": 58, "data": {"energy": 500}}]


def test_equipment_before_the_unknown_is_kept() -> None:
    fields = read("5b 07" + "80 01 29 00 00" + "85 01 2a 01 00" + MODDED + "04 01 2b 00 00")
    assert isinstance(fields, Truncated)
    assert [(worn["slot"], worn["item"]["itemId"]) for worn in fields["equipments"]] == [(0, 41), (5, 42)]
    assert "opaque" in fields["equipments"][1]["item"]


def test_metadata_before_an_unknown_type_is_kept() -> None:
    fields = read("58 07" + "00 00 20" + "09 03" + f32(20) + "11 8002 abcdef" + "01 01 ac02" + "ff")
    assert isinstance(fields, Truncated)
    assert fields == {
        "entityId": 7,
        "metadata": [
            {"key": 0, "type": "byte", "value": 32},
            {"key": 9, "type": "float", "value": 20.0},
        ],
    }
    assert fields.why == "unknown type 256"


def test_the_metadata_of_a_dropped_stack_of_a_mod_has_its_item() -> None:
    fields = read("58 07" + "00 00 00" + "08 07 03 8a0d 01 00" + MODDED + "ff")
    entry = fields["metadata"][1]
    assert (entry["key"], entry["type"]) == (8, "item_stack")
    assert (entry["value"]["itemId"], entry["value"]["itemCount"]) == (1674, 3)


def test_trades_before_an_unknown_component_are_kept() -> None:
    numbers = "00 00000002 0000000c 00000001 00000000" + f32(0) + "00000000"
    plain_trade = "2a 0c 00" + "01 2b 00 00" + "00" + numbers
    odd_trade = "2a 0c 00" + "01 2b 01 00" + MODDED + "00" + numbers
    fields = read("2d 01 03" + plain_trade + odd_trade + plain_trade + "01 00 01 01")
    assert isinstance(fields, Truncated)
    assert [trade["outputItem"]["itemId"] for trade in fields["trades"]] == [43]
    assert "villagerLevel" not in fields


def test_an_explosion_with_unknown_particles_still_pushes() -> None:
    where = f64(1, 2, 3) + f32(4) + "01 ff0000" + f32(0.5, 0.25, -0.5) + "01"
    fields = read("20" + where + "6d 01 16 00" + text("boom") + "00")
    assert isinstance(fields, Truncated)
    assert [fields[f"playerMotion{axis}"] for axis in "XYZ"] == [0.5, 0.25, -0.5]
    assert "small_explosion_particle" not in fields


# --- recipes ---

PLANKS = text("minecraft:planks") + "01" + text("") + "00 01 01 01 05 00 00" + "04 24 00 00"
STICKS = text("a:sticks") + "00" + text("") + "00 01 01" + "01 01 24 00 00" + "04 63 00 00" + "01"
DYE = text("minecraft:armor_dye") + "02 00"
#: Kinds of recipes that mods have, and their names' likes in their bodies.
CRUSHING = (
    text("create:crushing/ore") + "20" + text("minecraft:iron_ore") + "03" + text("minecraft:gravel") + "7f"
)
AS_TAG = text("mod:infusing") + "1f" + nbt({"type": "minecraft:stone", "item": "minecraft:planks"})


def recipes(*parts: str) -> dict[str, Any]:
    return read(f"77 {len(parts):02x}" + "".join(parts))


@pytest.mark.parametrize("odd", [CRUSHING, AS_TAG], ids=["crushing", "tag"])
def test_recipes_go_on_behind_one_of_an_unknown_kind(odd: str) -> None:
    fields = recipes(PLANKS, odd, STICKS, DYE)
    assert isinstance(fields, Truncated)
    assert [recipe["name"] for recipe in fields["recipes"]] == [
        "minecraft:planks",
        "create:crushing/ore" if odd is CRUSHING else "mod:infusing",
        "a:sticks",
        "minecraft:armor_dye",
    ]
    assert fields["recipes"][1]["data"] is None
    assert fields["recipes"][1]["type"] in (0x20, 0x1F)
    assert fields["recipes"][2]["data"]["result"] == stack(99, 4)
    assert fields["recipes"][3] == {
        "name": "minecraft:armor_dye",
        "type": "minecraft:crafting_special_armordye",
        "data": {"category": 0},
    }


def test_several_unknown_recipes_in_a_row_cost_only_themselves() -> None:
    fields = recipes(CRUSHING, AS_TAG, CRUSHING, PLANKS, AS_TAG)
    assert [recipe["name"] for recipe in fields["recipes"]] == [
        "create:crushing/ore",
        "minecraft:planks",
        "mod:infusing",
    ]
    assert fields["recipes"][1]["data"]["result"] == stack(36, 4)


def test_a_recipe_whose_result_has_a_mods_component_is_read_or_named() -> None:
    def sticks(component: str) -> str:
        made = "04 63 01 00" + component
        return text("a:sticks") + "00" + text("") + "00 01 01" + "01 01 24 00 00" + made + "01"

    whole = recipes(PLANKS, sticks(TAGGED), DYE)
    assert not isinstance(whole, Truncated)
    assert plain(whole["recipes"][1]["data"]["result"]["components"]) == [
        {"type": 58, "data": {"energy": 500}}
    ]
    part = recipes(PLANKS, sticks(MODDED), DYE)
    assert [recipe["data"] is None for recipe in part["recipes"]] == [False, True, False]
    assert part["recipes"][1]["type"] == "minecraft:crafting_shaped"


def test_an_ingredient_of_an_unknown_kind_costs_its_recipe() -> None:
    odd = text("mod:cut") + "13" + text("") + "ffffffff0f 09 eeee" + "01 63 00 00"
    fields = recipes(PLANKS, odd, DYE)
    assert [recipe["name"] for recipe in fields["recipes"]] == [
        "minecraft:planks",
        "mod:cut",
        "minecraft:armor_dye",
    ]


# --- what is not kept ---


@pytest.mark.parametrize(
    "data",
    [
        "29 00" + f64(0, 0, 0) + f32(0, 0, 0, 0) + "00000001" + "6d",  # a particle
        "11 01 02 00" + text("x") + "36" + "00",  # a command parser
        "15 00 05 0024 03 2a 01 00" + "09 05",  # a known component cut short
        "58 07 00 00 20 11 01",  # metadata cut short
        "77 01" + text("not a name") + "20",  # a recipe without a name
    ],
)
def test_what_is_broken_or_useless_in_part_is_refused_as_a_whole(data: str) -> None:
    with pytest.raises(DecodeError):
        read(data)


def test_a_servers_reader_keeps_no_parts() -> None:
    with pytest.raises(DecodeError, match="unknown type 57"):
        codec.decode("play", "toServer", bytes.fromhex("32 0024 03 2a 01 00" + MODDED))


def test_many_stacks_of_a_mod_stay_within_the_limits() -> None:
    one = bytes.fromhex("01 2a 01 00" + TAGGED)
    count = 2000
    payload = b"\x13\x00\x00" + bytes((count & 127 | 128, count >> 7)) + one * count + b"\0"
    assert len(codec.decode("play", "toClient", payload).fields["items"]) == count
    count = 16_000
    payload = b"\x13\x00\x00" + bytes((count & 127 | 128, count >> 7)) + one * count + b"\0"
    with pytest.raises(DecodeError):
        codec.decode("play", "toClient", payload)


def test_a_tag_of_a_mod_stays_bytes_until_someone_looks() -> None:
    fields = read("15 00 05 0024 03 2a 01 00" + TAGGED)
    assert isinstance(fields["item"]["components"][0]["data"], Nbt)
