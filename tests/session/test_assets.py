"""The catalogue of assets: its fields, limits, categories and file, and using what stands in it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from numen.session.asset_use import bucket_of, give, teleport
from numen.session.assets import CATEGORIES, AssetBook, AssetBooks, AssetError, assets_path, category_of

UUID = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"


class Now:
    def __init__(self) -> None:
        self.at = 1_700_000_000.0

    def __call__(self) -> float:
        self.at += 1
        return self.at


def book(folder: Path) -> AssetBook:
    return AssetBook(folder / "assets" / "steve.json", now=Now())


# Categories


@pytest.mark.parametrize(
    ("written", "category"),
    [
        ("entities", "entities"),
        ("entity", "entities"),
        ("special_entity", "entities"),
        ("ENTITIES", "entities"),
        ("items_blocks_fluids", "items_blocks_fluids"),
        ("items-blocks-fluids", "items_blocks_fluids"),
        ("Items Blocks Fluids", "items_blocks_fluids"),
        ("item", "items_blocks_fluids"),
        ("items", "items_blocks_fluids"),
        ("block", "items_blocks_fluids"),
        ("blocks", "items_blocks_fluids"),
        ("fluid", "items_blocks_fluids"),
        ("fluids", "items_blocks_fluids"),
        ("dynamic_content", "items_blocks_fluids"),
        ("dynamic-content", "items_blocks_fluids"),
        ("special_items", "special_items"),
        ("special item", "special_items"),
        ("nbt_item", "special_items"),
        ("nbt-items", "special_items"),
        ("commands", "commands"),
        (" Command ", "commands"),
        ("game_mechanics", "game_mechanics"),
        ("GAME_MECHANICS", "game_mechanics"),
        ("mechanic", "game_mechanics"),
        ("mechanics", "game_mechanics"),
        ("gameplay", "game_mechanics"),
    ],
)
def test_a_category_goes_by_its_id_and_by_other_words(written: str, category: str) -> None:
    assert category_of(written) == category


@pytest.mark.parametrize("written", ["", "  ", "machines", "entities_"])
def test_another_word_is_refused_with_the_categories_there_are(written: str) -> None:
    with pytest.raises(AssetError, match="ENTITIES, ITEMS_BLOCKS_FLUIDS, SPECIAL_ITEMS"):
        category_of(written)


# Fields and limits


@pytest.mark.parametrize(
    ("field", "given", "kept"),
    [
        ("name", "n" * 300, "n" * 100),
        ("summary", "s" * 500, "s" * 260),
        ("summary", " two\n lines ", "two lines"),
        ("script_path", "p" * 500, "p" * 260),
        ("details", "d" * 5000, "d" * 2000),
        ("details", "keeps\nits lines", "keeps\nits lines"),
        ("special_item_nbt", "x" * 5000, "x" * 2000),
        ("command", "c" * 5000, "c" * 2000),
        ("content_id", "Minecraft:" + "S" * 100, "minecraft:" + "s" * 54),
        ("special_item_id", "Minecraft:Stick", "minecraft:stick"),
        ("entity_dimension", "Minecraft:The_End", "minecraft:the_end"),
        ("session_id", "a" * 99, "a" * 32),
        ("entity_uuid", UUID.upper(), UUID),
        ("entity_uuid", UUID.replace("-", ""), UUID),
        ("entity_uuid", "not a uuid", ""),
        ("entity_x", "12.5", 12.5),
        ("entity_y", -64, -64.0),
        ("entity_z", float("nan"), None),
        ("entity_z", float("inf"), None),
        ("entity_x", "far", None),
        ("entity_x", 1e12, None),
        ("summary", None, ""),
    ],
)
def test_each_field_is_kept_within_its_limits(
    field: str, given: object, kept: object, tmp_path: Path
) -> None:
    values = {"category": "entity", "name": "Rex", field: given}
    asset, new = book(tmp_path).upsert(values)

    assert new
    assert getattr(asset, field) == kept
    assert getattr(book(tmp_path).get(asset.id), field) == kept


@pytest.mark.parametrize(
    ("values", "word"),
    [
        ({"name": "x"}, "category"),
        ({"category": "item"}, "name"),
        ({"category": "item", "name": " "}, "name"),
    ],
)
def test_a_record_without_category_or_name_is_refused(
    values: dict[str, str], word: str, tmp_path: Path
) -> None:
    with pytest.raises(AssetError, match=word):
        book(tmp_path).upsert(values)
    assert not (tmp_path / "assets").exists()


def test_the_file_has_the_fields_by_their_names_and_leaves_coordinates_out(tmp_path: Path) -> None:
    records = book(tmp_path)
    records.upsert(
        {
            "category": "entity",
            "name": "Rex",
            "session_id": "ab12",
            "entity_uuid": UUID,
            "entity_dimension": "minecraft:overworld",
            "entity_x": 1,
            "entity_y": 64,
            "entity_z": -3.5,
        }
    )
    records.upsert({"category": "command", "name": "Day", "command": "time set day", "session_id": "ff00"})

    text = records.file.read_text(encoding="utf-8")
    day, rex = json.loads(text)["assets"]
    assert list(rex) == [
        *("id", "category", "name", "summary", "scriptPath", "details", "contentId", "specialItemId"),
        *("specialItemNbt", "command", "entityUuid", "entityDimension", "entityX", "entityY", "entityZ"),
        *("sessionId", "createdAt", "updatedAt"),
    ]
    assert (rex["entityX"], rex["entityY"], rex["entityZ"]) == (1.0, 64.0, -3.5)
    assert rex["sessionId"] == "ab12"
    assert (rex["category"], day["category"]) == ("ENTITIES", "COMMANDS")
    assert day["sessionId"] == "ff00"
    assert not {"entityX", "entityY", "entityZ"} & set(day)
    assert rex["createdAt"] == 1_700_000_001_000
    assert "\n" in text.strip()


# Upsert, remove, list


def test_without_an_id_a_slug_of_category_and_name_is_made_and_numbered_when_taken(tmp_path: Path) -> None:
    records = book(tmp_path)
    ids = [records.upsert({"category": "item", "name": "Fire Sword!"})[0].id for _ in range(3)]

    assert ids[0].startswith("items-blocks-fluids-fire-sword")
    assert ids[1:] == [f"{ids[0][:30].rstrip('-')}-2", f"{ids[0][:30].rstrip('-')}-3"]
    assert all(len(each) <= 32 for each in ids)


def test_a_name_without_latin_letters_still_gets_an_id(tmp_path: Path) -> None:
    records = book(tmp_path)
    assert records.upsert({"category": "command", "name": "白天"})[0].id == "commands"
    assert records.upsert({"category": "command", "name": "黑夜"})[0].id == "commands-2"


@pytest.mark.parametrize("reference", ["commands-day", "COMMANDS-DAY", "Day", "day"])
def test_a_record_is_replaced_whole_and_keeps_when_it_was_made(reference: str, tmp_path: Path) -> None:
    records = book(tmp_path)
    first, _ = records.upsert(
        {"category": "command", "name": "Day", "command": "time set day", "summary": "makes day"}
    )
    second, new = records.upsert({"id": reference, "category": "command", "name": "Noon"})

    assert not new
    assert second.id == first.id == "commands-day"
    assert (second.command, second.summary) == ("", "")
    assert second.created_at == first.created_at
    assert second.updated_at > first.updated_at
    assert len(records.all()) == 1


def test_the_same_name_without_an_id_makes_another_record(tmp_path: Path) -> None:
    records = book(tmp_path)
    records.upsert({"category": "command", "name": "Day"})
    assert records.upsert({"category": "command", "name": "Day"})[1]
    assert len(records.all()) == 2


def test_a_new_id_is_taken_as_given_within_its_limits(tmp_path: Path) -> None:
    asset, new = book(tmp_path).upsert({"id": "My-Own-" + "x" * 60, "category": "item", "name": "Thing"})
    assert new
    assert asset.id == ("my-own-" + "x" * 60)[:32]


def test_the_list_has_the_last_change_first_with_the_field_that_matters(tmp_path: Path) -> None:
    records = book(tmp_path)
    records.upsert(
        {
            "category": "special_item",
            "name": "Blade",
            "special_item_id": "minecraft:stick",
            "special_item_nbt": "[x]",
        }
    )
    records.upsert({"category": "command", "name": "Day", "command": "time set day", "summary": "makes day"})

    assert [each.line() for each in records.all()] == [
        "commands-day [Commands] Day: makes day (time set day)",
        "special-items-blade [Special Items] Blade (minecraft:stick[x])",
    ]


@pytest.mark.parametrize("reference", ["commands-day", "Day", " DAY "])
def test_a_record_goes_by_id_or_name(reference: str, tmp_path: Path) -> None:
    records = book(tmp_path)
    records.upsert({"category": "command", "name": "Day"})
    assert records.remove(reference).name == "Day"
    assert records.all() == []
    with pytest.raises(AssetError, match="no asset"):
        records.remove(reference)


def test_every_category_has_a_name_for_people() -> None:
    assert [label for label, _ in CATEGORIES.values()] == [
        *("Entities", "Items-Blocks-Fluids", "Special Items", "Commands", "Game Mechanics")
    ]


# The file


@pytest.mark.parametrize("content", ["{", "", "[]", '{"assets": 3}', '{"other": []}', "[" * 5000, "\x00\xff"])
def test_a_damaged_file_is_set_aside_and_never_lost(content: str, tmp_path: Path) -> None:
    records = book(tmp_path)
    records.file.parent.mkdir(parents=True)
    records.file.write_text(content, encoding="latin-1")

    assert records.all() == []
    records.upsert({"category": "command", "name": "Day"})
    aside = [each for each in records.file.parent.iterdir() if "damaged" in each.name]
    assert [each.read_text(encoding="latin-1") for each in aside] == [content]


def test_records_that_are_not_understood_are_kept_in_a_copy(tmp_path: Path) -> None:
    records = book(tmp_path)
    records.file.parent.mkdir(parents=True)
    whole = {
        "assets": [{"id": "a", "category": "command", "name": "A"}, {"category": "plan", "name": "B"}, 7]
    }
    records.file.write_text(json.dumps(whole))

    assert [each.name for each in records.all()] == ["A"]
    (copy,) = [each for each in records.file.parent.iterdir() if each != records.file]
    assert json.loads(copy.read_text()) == whole


def test_a_change_by_hand_is_seen(tmp_path: Path) -> None:
    one, other = book(tmp_path), book(tmp_path)
    one.upsert({"category": "command", "name": "Day"})
    assert len(other.all()) == 1
    other.upsert({"category": "command", "name": "Night time"})
    assert len(one.all()) == 2


@pytest.mark.parametrize("owner", ["..", "../../etc/passwd", "/etc/passwd", ".", "", "a/b", "C:\\x", "\x00"])
def test_no_owner_leads_out_of_the_folder(owner: str, tmp_path: Path) -> None:
    path = assets_path(tmp_path, owner)
    assert path.parent == tmp_path / "assets"
    assert path.resolve().parent == (tmp_path / "assets").resolve()


def test_two_owners_have_two_files(tmp_path: Path) -> None:
    books = AssetBooks(tmp_path)
    books.of("Steve").upsert({"category": "command", "name": "Day"})
    assert books.of("Alex").all() == []
    assert books.of("Steve") is books.of("Steve")
    assert (tmp_path / "assets" / "Steve.json").exists()


# Using them


@dataclass
class Answer:
    ok: bool
    output: str = ""


class Server:
    """Answers commands from a table and notes them."""

    def __init__(self, answer: Callable[[str], Answer]) -> None:
        self.commands: list[str] = []
        self._answer = answer

    async def __call__(self, command: str) -> Answer:
        self.commands.append(command)
        return self._answer(command)


def with_rex(folder: Path, **fields: Any) -> AssetBook:
    records = book(folder)
    records.upsert({"category": "entity", "name": "Rex", "entity_uuid": UUID, **fields})
    return records


async def test_one_goes_to_an_entity_where_it_is_now_and_the_record_is_refreshed(tmp_path: Path) -> None:
    def answer(command: str) -> Answer:
        if command.startswith("data get"):
            return Answer(True, "Rex has the following entity data: [10.5d, 70.0d, -3.25E1d]")
        return Answer("if dimension" not in command or "nether" in command)

    records, server = with_rex(tmp_path, entity_dimension="minecraft:overworld"), Server(answer)
    done = await teleport(records, "rex", "Steve", server)

    assert done.ok, done.message
    assert server.commands == [
        f"data get entity {UUID} Pos",
        f"execute at {UUID} if dimension minecraft:overworld",
        f"execute at {UUID} if dimension minecraft:the_nether",
        "execute in minecraft:the_nether run tp Steve 10.5 70 -32.5",
    ]
    rex = records.get("rex")
    assert (rex.entity_dimension, rex.position) == ("minecraft:the_nether", (10.5, 70.0, -32.5))


async def test_an_entity_that_is_not_loaded_is_looked_for_where_it_was(tmp_path: Path) -> None:
    server = Server(lambda command: Answer(command.startswith("execute"), "No entity was found"))
    records = with_rex(tmp_path, entity_dimension="minecraft:the_end", entity_x=1, entity_y=2, entity_z=3.5)
    done = await teleport(records, "Rex", "Steve", server)

    assert done.ok
    assert "not loaded" in done.message
    assert server.commands[-1] == "execute in minecraft:the_end run tp Steve 1 2 3.5"


async def test_an_entity_of_which_nothing_is_known_is_not_gone_to(tmp_path: Path) -> None:
    server = Server(lambda command: Answer(False, "No entity was found"))
    done = await teleport(with_rex(tmp_path), "Rex", "Steve", server)
    assert not done.ok
    assert len(server.commands) == 1


@pytest.mark.parametrize(
    ("values", "word"),
    [
        ({"category": "command", "name": "Rex"}, "no entity"),
        ({"category": "entity", "name": "Rex", "entity_uuid": "nonsense"}, "UUID"),
    ],
)
async def test_only_entities_with_a_uuid_are_gone_to(
    values: dict[str, str], word: str, tmp_path: Path
) -> None:
    records, server = book(tmp_path), Server(lambda _: Answer(True))
    records.upsert(values)
    with pytest.raises(AssetError, match=word):
        await teleport(records, "rex", "Steve", server)
    assert server.commands == []


@pytest.mark.parametrize("player", ["", "@a", "Steve run op Alex", "x" * 17, "Ste\nve"])
async def test_no_command_hides_in_a_players_name(player: str, tmp_path: Path) -> None:
    server = Server(lambda _: Answer(True))
    with pytest.raises(AssetError):
        await teleport(with_rex(tmp_path), "rex", player, server)
    assert server.commands == []


@pytest.mark.parametrize(
    ("content_id", "given"),
    [
        ("minecraft:stone", "minecraft:stone"),
        ("minecraft:water", "minecraft:water_bucket"),
        ("water", "minecraft:water_bucket"),
        ("minecraft:flowing_lava", "minecraft:lava_bucket"),
        ("mineclawd:dynamic_item_007", "mineclawd:dynamic_item_007"),
        ("mineclawd:dynamic_fluid_007", "mineclawd:dynamic_fluid_bucket_007"),
        ("mineclawd:flowing_dynamic_fluid_030", "mineclawd:dynamic_fluid_bucket_030"),
        ("mineclawd:dynamic_fluid_block_001", "mineclawd:dynamic_fluid_bucket_001"),
        ("mineclawd:dynamic_fluid_bucket_001", "mineclawd:dynamic_fluid_bucket_001"),
    ],
)
async def test_a_thing_is_given_a_fluid_in_its_bucket(content_id: str, given: str, tmp_path: Path) -> None:
    records, server = book(tmp_path), Server(lambda _: Answer(True))
    records.upsert({"category": "item", "name": "Thing", "content_id": content_id})

    assert (await give(records, "thing", "Steve", server)).ok
    assert server.commands == [f"give Steve {given}"]
    assert bucket_of(content_id) == given


async def test_a_special_item_is_given_with_its_data_else_plain(tmp_path: Path) -> None:
    records = book(tmp_path)
    records.upsert(
        {"category": "nbt_item", "name": "Blade", "special_item_id": "stick", "special_item_nbt": "{a:1b}"}
    )
    willing, unwilling = Server(lambda _: Answer(True)), Server(lambda command: Answer("{" not in command))

    assert (await give(records, "blade", "Steve", willing)).ok
    assert willing.commands == ["give Steve stick{a:1b}"]
    done = await give(records, "blade", "Steve", unwilling)
    assert done.ok
    assert "plain stick" in done.message
    assert unwilling.commands == ["give Steve stick{a:1b}", "give Steve stick"]


@pytest.mark.parametrize(
    "values",
    [
        {"category": "command", "name": "Thing"},
        {"category": "item", "name": "Thing"},
        {"category": "item", "name": "Thing", "content_id": "stone 64 run op"},
    ],
)
async def test_what_is_no_item_is_not_given(values: dict[str, str], tmp_path: Path) -> None:
    records, server = book(tmp_path), Server(lambda _: Answer(True))
    records.upsert(values)
    with pytest.raises(AssetError):
        await give(records, "thing", "Steve", server)
    assert server.commands == []


async def test_the_servers_refusal_is_told(tmp_path: Path) -> None:
    records = book(tmp_path)
    records.upsert({"category": "item", "name": "Thing", "content_id": "nomod:thing"})
    done = await give(
        records, "thing", "Steve", Server(lambda _: Answer(False, "Unknown item 'nomod:thing'"))
    )
    assert not done.ok
    assert "Unknown item" in done.message
