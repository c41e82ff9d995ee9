"""Registries and tags as a server gives them, and what is known without."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from protocol import codec, nbt
from protocol.nbt import Nbt
from protocol.registries import BIOME, DIMENSION_TYPE, DimensionType, Registries
from protocol.vanilla_registries import vanilla_entries, vanilla_registry_data

CAPTURES = Path(__file__).parent.parent / "data" / "captures"


def test_numbers_follow_the_order_of_the_packet() -> None:
    registries = Registries()
    registries.put("minecraft:chat_type", [("b:second", None), ("chat", None)])
    assert registries.names("chat_type") == ("b:second", "minecraft:chat")
    assert registries.id_of("chat_type", "chat") == 1
    assert registries.name_of("minecraft:chat_type", 0) == "b:second"
    assert registries.name_of("chat_type", 2) is None
    assert registries.name_of("chat_type", -1) is None
    assert registries.id_of("chat_type", "nothing") is None


def test_an_entry_without_data_is_vanillas() -> None:
    registries = Registries()
    registries.put(DIMENSION_TYPE, [("the_nether", None), ("mod:moon", None)])
    assert registries.entry(DIMENSION_TYPE, 0)["ultrawarm"] == 1
    assert registries.entry(DIMENSION_TYPE, "mod:moon") is None
    assert registries.entry(DIMENSION_TYPE, 5) is None


def test_a_registry_that_never_came_is_vanillas() -> None:
    registries = Registries()
    assert len(registries.names(BIOME)) == 64
    assert registries.received == ()
    assert registries.names("mod:unknown") == ()
    assert registries.entry("mod:unknown", "x") is None


@pytest.mark.parametrize("number", [nbt.Byte, nbt.Short, nbt.Int, nbt.Long, nbt.Float, nbt.Double])
def test_a_dimension_takes_its_size_from_any_kind_of_number(number: type) -> None:
    registries = Registries()
    data = {"min_y": number(-16), "height": number(96), "has_skylight": nbt.Byte(0)}
    registries.put(DIMENSION_TYPE, [("mod:cave", Nbt.of(data))])
    cave = registries.dimension_type(0)
    assert (cave.name, cave.min_y, cave.height, cave.has_skylight) == ("mod:cave", -16, 96, False)
    assert (cave.sections, cave.max_y) == (6, 79)
    assert registries.dimension_type("mod:cave") == cave


def test_vanillas_dimensions_have_their_sizes() -> None:
    registries = Registries()
    nether = registries.dimension_type("the_nether")
    assert (nether.min_y, nether.height, nether.ultrawarm) == (0, 256, True)
    assert registries.dimension_type("overworld").sections == 24


def test_a_dimension_nobody_knows_has_the_overworlds_shape() -> None:
    registries = Registries()
    assert registries.dimension_type(99) == DimensionType("minecraft:overworld")
    assert registries.dimension_type("mod:moon") == DimensionType("mod:moon")


def test_tags_are_replaced_registry_by_registry() -> None:
    registries = Registries()
    registries.put_tags({"minecraft:block": {"logs": [1, 2]}, "minecraft:item": {"logs": [3]}})
    registries.put_tags({"minecraft:block": {"dirt": [9]}})
    assert registries.tagged("block", "logs") == frozenset()
    assert registries.tagged("block", "dirt") == {9}
    assert registries.tagged("item", "minecraft:logs") == {3}


def test_vanillas_registries_are_what_a_vanilla_like_server_sends() -> None:
    sent = {}
    with gzip.open(CAPTURES / "hills.jsonl.gz", "rt") as lines:
        for line in lines:
            packet = json.loads(line)
            if packet["name"] == "registry_data":
                fields = codec.decode("configuration", "toClient", bytes.fromhex(packet["hex"])).fields
                sent[fields["id"]] = [(entry["key"], entry["value"]) for entry in fields["entries"]]
    assert dict(vanilla_registry_data()) == sent
    assert next(iter(vanilla_entries("minecraft:dimension_type"))) == "minecraft:overworld"
    assert vanilla_entries("minecraft:block") == {}
