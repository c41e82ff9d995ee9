"""The packet that shows a column. It is made once and kept until the column changes.

The light is a practice yard's: bright everywhere, caves included.
"""

from __future__ import annotations

import zlib
from functools import cache
from typing import TYPE_CHECKING, Any

from numen.sandbox.columns import SECTIONS, Column
from protocol import codec
from protocol.chunks import encode_chunk, heightmaps, light_fields
from protocol.registries import BIOME, Registries

if TYPE_CHECKING:
    from numen.sandbox.world import World


@cache
def _light() -> dict[str, Any]:
    bright = b"\xff" * 2048
    return light_fields([bright] * (SECTIONS + 2), [None] * (SECTIONS + 2))


@cache
def _biome(name: str) -> int:
    return Registries().id_of(BIOME, name) or 0


def prepare(world: World, x: int, z: int) -> bool:
    """One step towards the packet of the column at chunk coordinates (x, z). True when it is there.

    The first step makes the column, the second encodes it; each takes a few milliseconds. The packet is kept
    compressed: most of it is light, and as it is it would take 72 kB, compressed it takes two.
    """
    if (x, z) not in world.columns:
        world.column(x, z)
        return False
    column = world.column(x, z)
    revision = column.revision, world.block_entities_revision(x, z)
    if column.packet is None or column.packet[0] != revision:
        column.packet = (revision, zlib.compress(_encode(world, column), 1))
    return True


def body(world: World, x: int, z: int) -> bytes:
    """The body of `map_chunk` (without the packet's id) for the column at chunk coordinates (x, z)."""
    while not prepare(world, x, z):
        pass
    packet = world.column(x, z).packet
    assert packet is not None
    return zlib.decompress(packet[1])


def _encode(world: World, column: Column) -> bytes:
    states = column.states()
    packet = codec.encode(
        "play",
        "toClient",
        "map_chunk",
        {
            "x": column.x,
            "z": column.z,
            "heightmaps": heightmaps(states),
            "chunkData": encode_chunk(states, _biome(column.biome)),
            "blockEntities": world.block_entity_fields(column.x, column.z),
            **_light(),
        },
    )
    return packet[1:]
