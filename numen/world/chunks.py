"""The chunks one client has been sent, and the only way packets become blocks.

`Chunks` is a view on a store that other bodies may share: it shows the columns its own client was sent, no
others. A column's sections stay packed as they came until somebody looks at one of their cells.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from numen.world.store import ChunkPos, Column, Store, StoreKey, Worlds
from protocol.chunks import ChunkData, ChunkError
from protocol.game import GAME, UnknownId
from protocol.nbt import Nbt, NbtError

if TYPE_CHECKING:
    from numen.world.environment import Dimension
    from numen.world.events import Events
    from protocol.link import Link

log = logging.getLogger(__name__)

UNLOADED: Final = -1
#: Columns this much farther from the view's centre than the view distance are given up (vanilla 1.21.1).
_BEYOND: Final = 3


class Light(NamedTuple):
    """Light levels of a cell, 0-15."""

    block: int
    sky: int


class BlockEntity(NamedTuple):
    """What was told about the chest, sign, … in a cell: the number of its type, and its data as a tag."""

    type: int
    nbt: Nbt | None

    @property
    def data(self) -> dict[str, Any]:
        """The tag in plain Python; empty where there is none or it can't be read."""
        try:
            value = None if self.nbt is None else self.nbt.value
        except NbtError:
            return {}
        return value if isinstance(value, dict) else {}


class Chunks:
    """The columns in sight, by chunk coordinates (a block's x and z shifted right by 4)."""

    def __init__(self, events: Events, worlds: Worlds, server: str = "") -> None:
        self._events = events
        self._worlds = worlds
        self.server = server
        """Whose columns these are, from the next dimension on."""
        self._key: StoreKey = ("", "", 0, 0)
        self._store: Store | None = None
        #: What this client has been sent. To read; the packets write it.
        self.columns: dict[ChunkPos, Column] = {}
        self.min_y = -64
        self.section_count = 24
        self.center: ChunkPos = (0, 0)
        self.view_distance = 10
        #: Chunk packets whose blocks could not be read.
        self.broken = 0
        #: ``block(x, y, z) -> state id``, UNLOADED without a column, 0 outside the build height.
        self.block: Callable[[int, int, int], int] = _block_reader(self.columns)

    def attach(self, link: Link) -> None:
        link.subscribe("map_chunk", self._on_chunk)
        link.subscribe("unload_chunk", self._on_unload)
        link.subscribe("block_change", self._on_block)
        link.subscribe("multi_block_change", self._on_blocks)
        link.subscribe("tile_entity_data", self._on_block_entity)
        link.subscribe("block_action", self._on_block_action)
        link.subscribe("update_light", self._on_light)
        link.subscribe("chunk_biomes", self._on_biomes)
        link.subscribe("update_view_position", self._on_center)
        link.subscribe("update_view_distance", self._on_view_distance)

    # --- where we are ----------------------------------------------------------------------------------

    def enter(self, dimension: Dimension, view_distance: int | None = None) -> None:
        """Another dimension, or the same one afresh: nothing of it has been sent yet."""
        self.leave()
        self.min_y, self.section_count = dimension.min_y, dimension.sections
        if view_distance is not None:
            self.view_distance = view_distance
        self.center = (0, 0)
        self._key = (self.server, dimension.name, dimension.min_y, dimension.height)
        self._store = self._worlds.enter(self._key)

    def leave(self) -> None:
        """Give everything up."""
        self._drop(list(self.columns))
        if self._store is not None:
            self._worlds.leave(self._key, self._store)
            self._store = None

    # --- looking ---------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.columns)

    def __iter__(self) -> Iterator[ChunkPos]:
        return iter(list(self.columns))

    def is_loaded(self, cx: int, cz: int) -> bool:
        """Whether this client has been sent the chunk (chunk coordinates)."""
        return (cx, cz) in self.columns

    def section(self, cx: int, sy: int, cz: int) -> NDArray[np.integer[Any]] | int | None:
        """States of the 16³ cells from (16 cx, 16 sy, 16 cz) on as an array [y, z, x], to read and not to
        keep.

        One state for a section that is all the same; None where the chunk is missing; 0 outside the build
        height.
        """
        column = self.columns.get((cx, cz))
        if column is None:
            return None
        number = sy - (self.min_y >> 4)
        if not 0 <= number < self.section_count:
            return 0
        uniform = column.data.uniform(number)
        return column.data.section_states(number).reshape(16, 16, 16) if uniform is None else uniform

    def revision(self, cx: int, cz: int) -> int:
        """Grows with each change of the chunk's blocks; -1 where it is missing."""
        column = self.columns.get((cx, cz))
        return -1 if column is None else column.revision

    def biome(self, x: int, y: int, z: int) -> int | None:
        """Number in the biome registry, None where the chunk is missing."""
        column = self.columns.get((x >> 4, z >> 4))
        return None if column is None else column.data.biome(x, y, z)

    def light(self, x: int, y: int, z: int) -> Light | None:
        """Light of a cell, None where the chunk is missing."""
        column = self.columns.get((x >> 4, z >> 4))
        return (
            None
            if column is None
            else Light(column.data.block_light(x, y, z), column.data.sky_light(x, y, z))
        )

    def block_entity(self, x: int, y: int, z: int) -> BlockEntity | None:
        """What was told about the block entity in a cell, None where there is none."""
        column = self.columns.get((x >> 4, z >> 4))
        found = None if column is None else column.data.block_entities.get((x, y, z))
        return None if found is None else BlockEntity(*found)

    def block_entities(self) -> Iterator[tuple[tuple[int, int, int], BlockEntity]]:
        """All block entities in sight with their cells."""
        for column in list(self.columns.values()):
            for pos, told in list(column.data.block_entities.items()):
                yield pos, BlockEntity(*told)

    # --- columns come and go ---------------------------------------------------------------------------

    def _on_chunk(self, fields: dict[str, Any]) -> None:
        if self._store is None:
            return  # before the login nothing says how high a column is
        pos = fields["x"], fields["z"]
        try:
            data = ChunkData(fields, self.min_y, self.section_count)
        except ChunkError as error:
            self.broken += 1
            if self.broken == 1:
                log.warning("the chunk at %d %d can't be read: %s", *pos, error)
            return
        data.compact()
        newcomer = pos not in self.columns
        column = self._store.put(pos, data, fields["chunkData"], newcomer=newcomer)
        if newcomer:
            column.viewers += 1
            self.columns[pos] = column
        self._events.emit("chunk_loaded", *pos)

    def _on_unload(self, fields: dict[str, Any]) -> None:
        self._drop([(fields["chunkX"], fields["chunkZ"])])

    def _on_center(self, fields: dict[str, Any]) -> None:
        self.center = fields["chunkX"], fields["chunkZ"]
        self._drop_far()

    def _on_view_distance(self, fields: dict[str, Any]) -> None:
        self.view_distance = fields["viewDistance"]
        self._drop_far()

    def _drop_far(self) -> None:
        """Give up what is out of sight for good: after a death in the same dimension no packet says so."""
        reach = max(2, self.view_distance) + _BEYOND
        cx, cz = self.center
        self._drop([pos for pos in self.columns if abs(pos[0] - cx) > reach or abs(pos[1] - cz) > reach])

    def _drop(self, positions: list[ChunkPos]) -> None:
        gone = []
        for pos in positions:
            column = self.columns.pop(pos, None)
            if column is not None:
                assert self._store is not None
                self._store.lost(pos, column)
                gone.append(pos)
        for pos in gone:
            self._events.emit("chunk_unloaded", *pos)

    # --- blocks change ---------------------------------------------------------------------------------

    def _on_block(self, fields: dict[str, Any]) -> None:
        x, y, z = fields["location"]
        column = self.columns.get((x >> 4, z >> 4))
        if column is None or not self._within(y):
            return
        state = fields["type"]
        old = column.write(x, y, z, state)
        _tidy(column, (x, y, z), old, state)
        self._events.emit("block_changed", x, y, z, old, state)

    def _on_blocks(self, fields: dict[str, Any]) -> None:
        section = fields["chunkCoordinates"]
        column = self.columns.get((section["x"], section["z"]))
        x0, y0, z0 = section["x"] << 4, section["y"] << 4, section["z"] << 4
        if column is None or not self._within(y0):
            return
        changes = []
        for record in fields["records"]:
            state = record >> 12
            x, y, z = x0 + (record >> 8 & 15), y0 + (record & 15), z0 + (record >> 4 & 15)
            old = column.write(x, y, z, state)
            _tidy(column, (x, y, z), old, state)
            changes.append((x, y, z, old, state))
        for change in changes:
            self._events.emit("block_changed", *change)

    def _within(self, y: int) -> bool:
        return 0 <= (y - self.min_y) >> 4 < self.section_count

    def _on_block_entity(self, fields: dict[str, Any]) -> None:
        x, y, z = fields["location"]
        column = self.columns.get((x >> 4, z >> 4))
        if column is None:
            return
        column.data.block_entities[x, y, z] = fields["action"], fields["nbtData"]
        self._events.emit("block_entity", x, y, z)

    def _on_block_action(self, fields: dict[str, Any]) -> None:
        self._events.emit(
            "block_action", *fields["location"], fields["blockId"], fields["byte1"], fields["byte2"]
        )

    # --- light and biomes ------------------------------------------------------------------------------

    def _on_light(self, fields: dict[str, Any]) -> None:
        column = self.columns.get((fields["chunkX"], fields["chunkZ"]))
        if column is not None:
            column.data.update_light(fields)

    def _on_biomes(self, fields: dict[str, Any]) -> None:
        for entry in fields["biomes"]:
            position = entry["position"]
            column = self.columns.get((position["x"], position["z"]))
            if column is not None:
                column.data.update_biomes(bytes(entry["data"]))


def _block_reader(columns: dict[ChunkPos, Column]) -> Callable[[int, int, int], int]:
    """A function for look-ups that finds all it needs in its own cells: there are millions of calls."""
    column_at = columns.get

    def block(x: int, y: int, z: int) -> int:
        """The state id of a cell: UNLOADED without a column, 0 outside the build height."""
        column = column_at((x >> 4, z >> 4))
        return UNLOADED if column is None else column.data.block(x, y, z)

    return block


def _tidy(column: Column, pos: tuple[int, int, int], old: int, state: int) -> None:
    """Forget a block entity whose block has become another one."""
    entities = column.data.block_entities
    if pos in entities and old != state and not _same_block(old, state):
        del entities[pos]


def _same_block(one: int, other: int) -> bool:
    try:
        return GAME.block_of(one) is GAME.block_of(other)
    except UnknownId:
        return False
