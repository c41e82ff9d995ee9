"""Makes protocol/data from an unpacked npm package minecraft-data.

    npm pack minecraft-data@3.116.0 && tar xf minecraft-data-3.116.0.tgz
    python scripts/vendor_data.py package

The version is pinned because later ones give 1.21.1 a recipe serializer that the game does not have. The same
package gives the same bytes.
"""

from __future__ import annotations

import json
import re
import sys
import zlib
from pathlib import Path
from typing import Any

PACKAGE_VERSION = "3.116.0"
GAME_VERSION = "1.21.1"
TARGET = Path(__file__).resolve().parent.parent / "protocol" / "data"

NOTICE = f"""\
The *.z files in this folder are derived from minecraft-data {PACKAGE_VERSION}
(pc/{GAME_VERSION}), https://github.com/PrismarineJS/minecraft-data, by scripts/vendor_*.py.
The package names the MIT license and its author, and holds no copy of the license text; its README
says that some of the data was extracted from wiki.vg and minecraft.gamepedia.com.

The MIT License (MIT)

Copyright (c) Romain Beaumont and the PrismarineJS contributors

Permission is hereby granted, free of charge, to any person obtaining a copy of this software
and associated documentation files (the "Software"), to deal in the Software without
restriction, including without limitation the rights to use, copy, modify, merge, publish,
distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the
Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or
substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING
BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM,
DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
"""


class Source:
    """The package's data folder; each table of a version may live in an older version's folder."""

    def __init__(self, package: Path) -> None:
        version = json.loads((package / "package.json").read_text())["version"]
        if version != PACKAGE_VERSION:
            sys.exit(f"{package} is minecraft-data {version}; {PACKAGE_VERSION} is wanted")
        self._data = package / "minecraft-data" / "data"
        self._folders = json.loads((self._data / "dataPaths.json").read_text())["pc"][GAME_VERSION]

    def read(self, table: str) -> Any:
        """One table, parsed."""
        return json.loads((self._data / self._folders[table] / f"{table}.json").read_text("utf-8"))


def blocks(source: Source) -> list[Any]:
    """A row a block, in order of ids; see Block in protocol/game.py for the fields."""
    rows = []
    shapes_of = source.read("blockCollisionShapes")
    for block in source.read("blocks"):
        shape = shapes_of["blocks"][block["name"]]
        if isinstance(shape, list):
            shape = shape[block["defaultState"] - block["minStateId"]]
        material = block["material"]
        if material == "incorrect_for_wooden_tool":
            # The package names one tag of several, and not the one that makes tools fast: each of these 101
            # blocks is dug with a pickaxe in the game.
            material = "mineable/pickaxe"
        tools = block.get("harvestTools")
        rows.append(
            [
                block["name"],
                block["hardness"],
                block["resistance"],
                material,
                None if tools is None else sorted(int(tool) for tool in tools),
                block["minStateId"],
                block["maxStateId"],
                block["defaultState"],
                [[state["name"], state.get("values", ["true", "false"])] for state in block["states"]],
                int(block["transparent"]),
                block["emitLight"],
                block["filterLight"],
                block["drops"],
                block["stackSize"],
                int(bool(shapes_of["shapes"][str(shape)])),
            ]
        )
    return rows


def shapes(source: Source) -> dict[str, Any]:
    """Boxes, shapes as lists of box numbers, and for each block one shape or one a state."""
    raw = source.read("blockCollisionShapes")
    boxes: dict[tuple[float, ...], int] = {}
    used: dict[tuple[int, ...], int] = {}
    numbers = {}
    for number, shape in raw["shapes"].items():
        parts = tuple(boxes.setdefault(tuple(map(float, box)), len(boxes)) for box in shape)
        numbers[int(number)] = used.setdefault(parts, len(used))
    of_blocks = []
    for block in source.read("blocks"):
        shape = raw["blocks"][block["name"]]
        of_states = {numbers[each] for each in shape} if isinstance(shape, list) else {numbers[shape]}
        of_blocks.append(of_states.pop() if len(of_states) == 1 else [numbers[each] for each in shape])
    return {"boxes": list(boxes), "shapes": list(used), "blocks": of_blocks}


def items(source: Source) -> list[Any]:
    return [[item["name"], item["stackSize"], item.get("maxDurability")] for item in source.read("items")]


def entities(source: Source) -> list[Any]:
    keys = ("name", "width", "height", "type", "category", "metadataKeys")
    return [[entity[key] for key in keys] for entity in source.read("entities")]


def foods(source: Source) -> list[Any]:
    return [[food["id"], food["foodPoints"], food["saturation"]] for food in source.read("foods")]


def recipes(source: Source) -> list[Any]:
    """Rows of result, count, shape or null, ingredients or null."""
    return [
        [one["result"]["id"], one["result"]["count"], one.get("inShape"), one.get("ingredients")]
        for of_result in source.read("recipes").values()
        for one in of_result
    ]


def materials(source: Source) -> dict[str, Any]:
    """Tool speeds by item id, by material. The classes of blocks that a tool is wrong for say nothing of
    speed."""
    return {
        name: speeds
        for name, speeds in source.read("materials").items()
        if not name.startswith("incorrect_for")
    }


#: Names that changed after the loot tables were made.
RENAMED = {"grass": "short_grass"}


def loot(source: Source) -> dict[str, Any]:
    """What blocks and mobs leave, by name: rows of item id, chance, least, most, silk touch, none of it."""
    ids = {item["name"]: item["id"] for item in source.read("items")}

    def rows(drops: list[Any]) -> list[Any]:
        found = []
        for drop in drops:
            least, most = (max(0, end or 0) for end in drop["stackSizeRange"])
            most = max(least, most, 1)
            silk = [int(drop.get("silkTouch", False)), int(drop.get("noSilkTouch", False))]
            item = ids[RENAMED.get(drop["item"], drop["item"])]
            found.append([item, drop["dropChance"], least, most, *silk])
        return found

    return {
        "blocks": {
            RENAMED.get(of["block"], of["block"]): rows(of["drops"]) for of in source.read("blockLoot")
        },
        "entities": {of["entity"]: rows(of["drops"]) for of in source.read("entityLoot")},
    }


def registries(source: Source) -> dict[str, Any]:
    """Small tables whose place in the list is the number on the wire."""
    return {
        "effects": [[snake(effect["name"]), effect["type"]] for effect in source.read("effects")],
        "enchantments": [
            [one["name"], one["maxLevel"], one["category"], one["exclude"], one["treasureOnly"], one["curse"]]
            for one in source.read("enchantments")
        ],
        "biomes": [
            [one["name"], one["category"], one["temperature"], one["has_precipitation"], one["dimension"]]
            for one in source.read("biomes")
        ],
        "attributes": [
            [one["resource"].removeprefix("minecraft:"), one["default"], one["min"], one["max"]]
            for one in source.read("attributes")
        ],
        "sounds": [one["name"] for one in source.read("sounds")],
    }


def snake(name: str) -> str:
    """JumpBoost -> jump_boost."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def write(table: str, content: Any) -> int:
    """Write one table and return its size on disk."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    data = zlib.compress(text.encode(), 9)
    (TARGET / f"{table}.json.z").write_bytes(data)
    return len(data)


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    source = Source(Path(sys.argv[1]))
    made = (blocks, shapes, items, entities, foods, recipes, materials, loot, registries)
    tables = {table.__name__: table(source) for table in made}
    tables |= {"protocol": source.read("protocol"), "language": source.read("language")}
    (TARGET / "NOTICE").write_text(NOTICE)
    for table, content in tables.items():
        print(f"{table:12} {write(table, content):8} bytes")


if __name__ == "__main__":
    main()
