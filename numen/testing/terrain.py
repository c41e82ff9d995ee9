"""Small worlds for tests: blocks by position or drawn in text, as chunk packets.

blocks = layers(
    '''
    #.#
    #P#
    ''',
    legend={"#": "stone", "P": "oak_planks"},
    at=(0, 64, 0),
)
"""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import dedent
from typing import Any, Final

import numpy as np

from protocol.chunks import encode_chunk, heightmaps, light_fields
from protocol.game import GAME
from protocol.vanilla_registries import vanilla_entries

Blocks = dict[tuple[int, int, int], str | int]

#: What the letters of `layers` mean unless a legend says otherwise.
LEGEND: Final[dict[str, str]] = {
    "#": "stone",
    "D": "dirt",
    "G": "grass_block",
    "P": "oak_planks",
    "L": "oak_log",
    "W": "water",
    "~": "lava",
    "H": "ladder",
    "C": "chest",
    "_": "stone_slab",
}

_FULL: Final = b"\xff" * 2048


def state_of(block: str | int) -> int:
    """A state id from itself, a block's name, or a name with properties as ``oak_log[axis=x]``.

    Raises UnknownName.
    """
    if isinstance(block, int):
        return block
    name, _, rest = block.partition("[")
    given = dict(pair.split("=", 1) for pair in rest.rstrip("]").split(",")) if rest else {}
    return GAME.state(name, **given)


def layers(
    *drawings: str, legend: Mapping[str, str | int] | None = None, at: tuple[int, int, int] = (0, 64, 0)
) -> Blocks:
    """Blocks drawn in text, one drawing a layer from the lowest up.

    A line runs along x from ``at[0]``, the lines follow each other along z from ``at[2]``, the layers along
    y from ``at[1]``. ``.`` and a space are air and leave the cell alone; other letters are looked up in
    `legend`, then in `LEGEND`. Raises KeyError for a letter that nobody explains.
    """
    meanings: dict[str, str | int] = {**LEGEND, **(legend or {})}
    blocks: Blocks = {}
    for up, drawing in enumerate(drawings):
        for along_z, line in enumerate(dedent(drawing).strip("\n").splitlines()):
            for along_x, letter in enumerate(line):
                if letter not in ". ":
                    blocks[at[0] + along_x, at[1] + up, at[2] + along_z] = meanings[letter]
    return blocks


def by_chunk(blocks: Mapping[tuple[int, int, int], str | int]) -> dict[tuple[int, int], Blocks]:
    """The same blocks, sorted by the chunk they lie in."""
    sorted_: dict[tuple[int, int], Blocks] = {}
    for (x, y, z), block in blocks.items():
        sorted_.setdefault((x >> 4, z >> 4), {})[x, y, z] = block
    return sorted_


def column(
    cx: int,
    cz: int,
    blocks: Mapping[tuple[int, int, int], str | int],
    min_y: int = -64,
    height: int = 384,
    *,
    floor: str | int | None = None,
    floor_y: int = 63,
    biome: str = "minecraft:plains",
    block_entities: Mapping[tuple[int, int, int], tuple[int, Any]] | None = None,
) -> dict[str, Any]:
    """The fields of `map_chunk` for one column: `blocks` by world position, air elsewhere, everything lit.

    `floor` fills everything up to and with `floor_y`. `block_entities`: by position the number of the type
    and the data. Raises ValueError for a block outside the column.
    """
    states = np.zeros((height, 16, 16), np.uint16)
    if floor is not None:
        states[: floor_y - min_y + 1] = state_of(floor)
    for (x, y, z), block in blocks.items():
        if (x >> 4, z >> 4) != (cx, cz) or not 0 <= y - min_y < height:
            raise ValueError(f"the block at {x} {y} {z} is not in chunk {cx} {cz}")
        states[y - min_y, z & 15, x & 15] = state_of(block)
    biomes = list(vanilla_entries("minecraft:worldgen/biome"))
    sections = height // 16 + 2
    return {
        "x": cx,
        "z": cz,
        "heightmaps": heightmaps(states),
        "chunkData": encode_chunk(states, biomes.index(biome)),
        "blockEntities": [
            {"x": x & 15, "z": z & 15, "y": y, "type": number, "nbtData": data}
            for (x, y, z), (number, data) in (block_entities or {}).items()
        ],
        **light_fields([_FULL] * sections, [None] * sections),
    }
