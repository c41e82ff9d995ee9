"""Placeholders: slots, ranges, words, ids, their JSON, and what outlives the process."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from numen.mineclawd.payloads import USUAL
from numen.mineclawd.placeholders import KINDS, SLOTS, PlaceholderError, Placeholders


def test_the_first_free_slot_is_taken_and_an_active_one_replaced_when_named() -> None:
    held = Placeholders()
    assert held.register("item", name="Ruby").id == "mineclawd:dynamic_item_001"
    assert held.register("item", name="Opal").number == 2
    again = held.register("item", 1, name="Jade", throwable=True)
    assert again.values["name"] == "Jade"
    assert again.values["material_item"] == "minecraft:stick"
    assert [each.values["name"] for each in held.active("item")] == ["Jade", "Opal"]


@pytest.mark.parametrize("kind", KINDS)
def test_there_are_thirty_slots_of_each_kind(kind: str) -> None:
    held = Placeholders()
    for _ in range(SLOTS):
        held.register(kind, name="x")  # type: ignore[arg-type]
    with pytest.raises(PlaceholderError, match="all 30"):
        held.register(kind, name="x")  # type: ignore[arg-type]
    for slot in (0, 31, -1):
        with pytest.raises(PlaceholderError, match="1 to 30"):
            held.unregister(kind, slot)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "key", "value", "kept"),
    [
        ("item", "throw_speed", 99, 4.0),
        ("item", "throw_speed", 0, 0.1),
        ("item", "throw_inaccuracy", 9.5, 5.0),
        ("item", "throw_cooldown_ticks", 5000, 1200),
        ("item", "max_count", 100, 99),
        ("item", "use_time_ticks", -3, 0),
        ("item", "name", "n" * 200, "n" * 80),
        ("item", "use_action", "EAT", "eat"),
        ("item", "material_item", "diamond", "minecraft:diamond"),
        ("block", "friction", 5, 2.0),
        ("block", "velocity_multiplier", 11, 10.0),
        ("block", "jump_velocity_multiplier", -1, 0.0),
        ("block", "blast_resistance", 5000, 1200.0),
        ("fluid", "tick_rate", 0, 1),
        ("fluid", "flow_speed", 17, 16),
        ("fluid", "level_decrease_per_block", 9, 8),
        ("fluid", "color", "ff00aa", "#FF00AA"),
        ("fluid", "color", "none", None),
    ],
)
def test_values_are_brought_into_their_range(kind: str, key: str, value: object, kept: object) -> None:
    made = Placeholders().register(kind, **{key: value})  # type: ignore[arg-type]
    assert made.values[key] == kept


@pytest.mark.parametrize(
    ("kind", "key", "value"),
    [
        ("item", "use_action", "dance"),
        ("item", "glint_mode", "maybe"),
        ("item", "material_item", "minecraft:air"),
        ("item", "material_item", "othermod:gem"),
        ("block", "material_block", "no_such_block"),
        ("fluid", "material_fluid", "minecraft:empty"),
        ("fluid", "color", "#12"),
        ("block", "friction", "slippery"),
        ("block", "throwable", True),
    ],
)
def test_what_is_not_known_is_an_error_and_changes_nothing(kind: str, key: str, value: object) -> None:
    held = Placeholders()
    with pytest.raises(PlaceholderError):
        held.register(kind, **{key: value})  # type: ignore[arg-type]
    assert not held.active(kind)  # type: ignore[arg-type]


def test_an_update_keeps_what_it_does_not_name_and_needs_an_active_slot() -> None:
    held = Placeholders()
    held.register("block", 4, name="Ice", friction=0.98)
    assert held.update("block", 4, name="Glass ice").values["friction"] == 0.98
    with pytest.raises(PlaceholderError, match="not in use"):
        held.update("block", 5, name="x")
    held.unregister("block", 4)
    assert not held.active("block")


def test_the_sync_json_comes_back_as_it_was_and_has_all_ninety_slots() -> None:
    held, other = Placeholders(), Placeholders()
    held.register("item", 3, name="Ruby", throwable=True)
    held.register("fluid", 30, name="Slime", color="#00FF00")
    value = held.to_json()
    assert [len(value[f"{kind}s"]) for kind in KINDS] == [30, 30, 30]
    assert "color" not in value["fluids"][0]
    assert value["fluids"][29]["color"] == "#00FF00"
    assert len(json.dumps(value, separators=(",", ":"))) < USUAL
    other.take(json.loads(json.dumps(value)))
    assert other.to_json() == value
    assert other.name_of("mineclawd:dynamic_item_003") == "Ruby"
    assert other.name_of("mineclawd:dynamic_fluid_bucket_030") == "Slime"
    assert other.name_of("mineclawd:dynamic_item_004") is None
    other.take({"enabled": False})
    assert not other.active("item")


def test_a_strange_sync_json_is_taken_as_far_as_it_can_be() -> None:
    held = Placeholders()
    held.take(
        {
            "enabled": True,
            "items": [5, {"slot": 99, "active": True}, {"slot": 1, "active": True, "use_action": "dance"}],
            "blocks": "none",
        }
    )
    assert held.active("item")[0].values["use_action"] == "material"


def test_slots_outlive_the_process_and_a_damaged_file_is_set_aside(tmp_path: Path) -> None:
    file = tmp_path / "mineclawd" / "dynamic-content.json"
    Placeholders(file).register("item", name="红宝石")
    assert Placeholders(file).active("item")[0].values["name"] == "红宝石"
    for count in (1, 2):
        file.write_text("{damaged")
        assert not Placeholders(file).active("item")
        assert len(list(file.parent.glob("*.damaged*"))) == count
