"""Each kind of recipe a 1.21.1 server sends, object beside bytes (protocol 767)."""

from __future__ import annotations

from typing import Any

import pytest

from protocol import codec
from protocol.codec import Codec
from tests.protocol.golden.wire import f32, nbt, plain, stack, text


def any_of(*items: int) -> str:
    """An ingredient: how many items it may be, and each as a stack."""
    return f"{len(items):02x}" + "".join(f"01 {item:02x} 00 00 " for item in items)


def stacks(*items: int) -> list[dict[str, Any]]:
    return [stack(item) for item in items]


def special(number: int, name: str) -> tuple[int, str, str, Any]:
    """A recipe that the game computes: only its place in the recipe book."""
    return number, f"crafting_special_{name}", "03", {"category": 3}


def cooking(number: int, name: str) -> tuple[int, str, str, Any]:
    """A group, a category, what goes in, what comes out, experience, ticks."""
    return (
        number,
        name,
        text("ore") + "02" + any_of(5, 6) + "01 2a 00 00" + f32(0.75) + "c801",
        {
            "group": "ore",
            "category": 2,
            "ingredient": stacks(5, 6),
            "result": stack(42),
            "experience": 0.75,
            "cookTime": 200,
        },
    )


#: number, name, bytes, data
RECIPES: list[tuple[int, str, str, Any]] = [
    (
        0,
        "crafting_shaped",  # three wide and two high: two rows of three
        text("g") + "03 03 02" + "".join(map(any_of, range(1, 7))) + "04 63 00 00 01",
        {
            "group": "g",
            "category": 3,
            "gridWidth": 3,
            "gridHeight": 2,
            "ingredients": [
                [stacks(1), stacks(2), stacks(3)],
                [stacks(4), stacks(5), stacks(6)],
            ],
            "result": stack(99, 4),
            "showNotification": True,
        },
    ),
    (
        0,
        "crafting_shaped",  # one wide and two high, above nothing
        text("") + "00 01 02" + any_of(7, 8) + any_of() + "01 63 00 00 00",
        {
            "group": "",
            "category": 0,
            "gridWidth": 1,
            "gridHeight": 2,
            "ingredients": [[stacks(7, 8)], [[]]],
            "result": stack(99),
            "showNotification": False,
        },
    ),
    (
        1,
        "crafting_shapeless",
        text("g") + "01 02" + any_of(7) + any_of(8, 9) + "02 63 00 00",
        {
            "group": "g",
            "category": 1,
            "ingredients": [stacks(7), stacks(8, 9)],
            "result": stack(99, 2),
        },
    ),
    special(2, "armordye"),
    special(3, "bookcloning"),
    special(4, "mapcloning"),
    special(5, "mapextending"),
    special(6, "firework_rocket"),
    special(7, "firework_star"),
    special(8, "firework_star_fade"),
    special(9, "tippedarrow"),
    special(10, "bannerduplicate"),
    special(11, "shielddecoration"),
    special(12, "shulkerboxcoloring"),
    special(13, "suspiciousstew"),
    special(14, "repairitem"),
    cooking(15, "smelting"),
    cooking(16, "blasting"),
    cooking(17, "smoking"),
    cooking(18, "campfire_cooking"),
    (
        19,
        "stonecutting",
        text("") + any_of(5) + "02 63 00 00",
        {"group": "", "ingredient": stacks(5), "result": stack(99, 2)},
    ),
    (
        20,
        "smithing_transform",
        any_of(1) + any_of(2) + any_of(3) + "01 63 00 00",
        {"template": stacks(1), "base": stacks(2), "addition": stacks(3), "result": stack(99)},
    ),
    (
        21,
        "smithing_trim",
        any_of(1) + any_of(2, 3) + any_of(),
        {"template": stacks(1), "base": stacks(2, 3), "addition": []},
    ),
    (22, "crafting_decorated_pot", "03", {"category": 3}),
    (
        19,
        "stonecutting",  # NeoForge: a count of -1, the kind of ingredient, and one tag
        text("") + "ffffffff0f 03" + nbt({"children": ["a"]}) + "01 63 00 00",
        {
            "group": "",
            "ingredient": {"custom": "intersection", "data": {"children": ["a"]}},
            "result": stack(99),
        },
    ),
]


def check(codec: Codec, row: tuple[int, str, str, Any]) -> None:
    """Assert that the codec reads and writes a row of the table."""
    number, name, data, value = row
    payload = bytes.fromhex("77 01" + text("a:recipe") + f"{number:02x}" + data)
    fields = {"recipes": [{"name": "a:recipe", "type": f"minecraft:{name}", "data": value}]}
    assert plain(codec.decode("play", "toClient", payload).fields) == fields
    assert codec.encode("play", "toClient", "declare_recipes", fields) == payload


@pytest.mark.parametrize("row", RECIPES, ids=lambda row: row[1])
def test_recipe(row: tuple[int, str, str, Any]) -> None:
    check(codec.VANILLA, row)


def test_the_table_has_every_kind_of_recipe() -> None:
    recipes = codec.VANILLA.schema.packets["play", "toClient"][0x77][1]
    mappings = recipes[1][0]["type"][1]["type"][1][1]["type"][1]["mappings"]
    named = {int(number): name.removeprefix("minecraft:") for number, name in mappings.items()}
    assert {number: name for number, name, _, _ in RECIPES} == named
    assert sorted(named) == list(range(23))
