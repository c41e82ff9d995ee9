"""The practice world: columns made when first looked at, what stands in them, who moves in them, and its
clock.

Nothing here knows packets of a single player; changed cells are collected and told to all viewers once a
tick.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from numen.sandbox import blocks
from numen.sandbox.columns import MAX_Y, MIN_Y, Column
from numen.sandbox.options import Difficulty
from numen.sandbox.scheduled import BlockPos, ScheduledTicks
from protocol.game import GAME

if TYPE_CHECKING:
    from numen.sandbox.blocks.entity import BlockEntity
    from numen.sandbox.entities.base import Entity
    from numen.sandbox.entities.tracker import Tracker
    from numen.sandbox.player import Player
    from numen.sandbox.worldgen import Generator

ColumnPos = tuple[int, int]

#: Cells beside a change are told of it, cells beside those again, at most so often for one change.
MAX_NEIGHBOUR_UPDATES = 512

#: `world_event`: the sound and the splinters of a broken block.
EVENT_BROKEN = 2001

SIDES: tuple[BlockPos, ...] = ((-1, 0, 0), (1, 0, 0), (0, 0, -1), (0, 0, 1), (0, -1, 0), (0, 1, 0))


class World:
    """Blocks, block entities, entities, players and time. A `BlockView` of the rules."""

    def __init__(
        self, generator: Generator, seed: int, *, day_time: int = 0, difficulty: Difficulty = "normal"
    ) -> None:
        self.generator = generator
        self.seed = seed
        #: Ticks since the world began, and the time of day that people see.
        self.age = 0
        self.day_time = day_time
        self.difficulty: Difficulty = difficulty
        #: All chance in the world comes from here, so a run can be repeated.
        self.random = random.Random(seed)
        self.spawn: BlockPos = generator.spawn()
        self.columns: dict[ColumnPos, Column] = {}
        self.block_entities: dict[BlockPos, BlockEntity] = {}
        self.entities: dict[int, Entity] = {}
        self.players: list[Player] = []
        self.scheduled = ScheduledTicks()
        #: Columns made since the last tick: they may get animals.
        self.new_columns: list[Column] = []
        self._changed: dict[ColumnPos, dict[BlockPos, None]] = {}
        self._entity_ids = itertools.count(1)
        #: Set by the server: how players know of entities, and the numbers of damage types.
        self.tracker: Tracker
        self.damage_type: Callable[[str], int]
        self._entity_changes = 0
        self._being_placed: set[BlockPos] = set()
        self._to_tell: list[BlockPos] = []
        self._telling = False

    # --- blocks -----------------------------------------------------------------------------------------

    def column(self, x: int, z: int) -> Column:
        """The column at chunk coordinates; it is made when nobody looked at it before."""
        column = self.columns.get((x, z))
        if column is None:
            column = self.columns[x, z] = self.generator.column(x, z)
            self.new_columns.append(column)
        return column

    def block(self, x: int, y: int, z: int, /) -> int:
        """The state of a cell; air outside the build height."""
        column = self.columns.get((x >> 4, z >> 4))
        if column is None:
            column = self.column(x >> 4, z >> 4)
        return column.block(x, y, z)

    def set_block(self, x: int, y: int, z: int, state: int, *, tell_neighbours: bool = True) -> int:
        """Change a cell and return what was there. A block entity of another block goes; its neighbours
        hear of it.
        """
        old = self.column(x >> 4, z >> 4).set_block(x, y, z, state)
        if old == state:
            return old
        at = (x, y, z)
        self._changed.setdefault((x >> 4, z >> 4), {})[at] = None
        if GAME.block_of(old).id != GAME.block_of(state).id:
            gone = self.block_entities.pop(at, None)
            if gone is not None:
                self._entity_changes += 1
                gone.removed()
        if tell_neighbours:
            self._tell_neighbours(at)
        return old

    def take_changes(self) -> Iterator[tuple[ColumnPos, list[BlockPos]]]:
        """The cells that changed since the last call, by column."""
        changed, self._changed = self._changed, {}
        for column, cells in changed.items():
            yield column, list(cells)

    def _tell_neighbours(self, at: BlockPos) -> None:
        """The changed cell and the six beside it look whether they can stay as they are; what changes tells
        on.
        """
        self._to_tell.append(at)
        if self._telling:
            return
        self._telling = True
        try:
            for _ in range(MAX_NEIGHBOUR_UPDATES):
                if not self._to_tell:
                    break
                x, y, z = self._to_tell.pop(0)
                for dx, dy, dz in ((0, 0, 0), *SIDES):
                    blocks.neighbour_changed(self, (x + dx, y + dy, z + dz))
            self._to_tell.clear()
        finally:
            self._telling = False

    # --- block entities ---------------------------------------------------------------------------------

    def put_block_entity(self, entity: BlockEntity) -> None:
        """Let a cell hold more than its state."""
        self._entity_changes += 1
        self.block_entities[entity.at] = entity

    def block_entities_revision(self, x: int, z: int) -> int:
        """Changes when some column's block entities did."""
        return self._entity_changes

    def block_entity_fields(self, x: int, z: int) -> list[dict[str, Any]]:
        """The block entities of a column as its packet lists them."""
        return [
            {"x": at[0] & 15, "z": at[2] & 15, "y": at[1], "type": entity.type_id, "nbtData": None}
            for at, entity in self.block_entities.items()
            if at[0] >> 4 == x and at[2] >> 4 == z
        ]

    # --- block ticks ------------------------------------------------------------------------------------

    def is_being_placed(self, at: BlockPos) -> bool:
        """Whether a player is putting a block there right now, whose other half is still to come."""
        return at in self._being_placed

    def place(self, player: Player, cells: list[tuple[BlockPos, int]]) -> None:
        """Put a player's block into its cells: one, or two for doors, beds and double chests."""
        self._being_placed = {cell for cell, _ in cells}
        try:
            for cell, state in cells:
                self.set_block(*cell, state)
        finally:
            self._being_placed = set()
        for cell, state in cells:
            blocks.placed(player, cell, state)

    def schedule(self, at: BlockPos, delay: int) -> None:
        """Have the block that is at a cell now ticked in `delay` ticks."""
        self.scheduled.ask(self.age, delay, at, GAME.block_of(self.block(*at)).id)

    # --- entities and time ------------------------------------------------------------------------------

    def next_entity_id(self) -> int:
        return next(self._entity_ids)

    def add(self, entity: Entity) -> Entity:
        """Let an entity into the world; it is shown to players at the end of the tick."""
        self.entities[entity.id] = entity
        return entity

    def near(self, x: float, y: float, z: float, radius: float) -> Iterator[Entity]:
        """The entities, players among them, whose feet are within `radius` blocks."""
        square = radius * radius
        for entity in list(self.entities.values()):
            if (entity.x - x) ** 2 + (entity.y - y) ** 2 + (entity.z - z) ** 2 <= square:
                yield entity

    def ground(self, x: int, z: int, near: int) -> int:
        """The y of feet standing in the column of (x, z), nearest above or below `near` with two free
        cells.
        """
        for step in range(MAX_Y - MIN_Y):
            for y in (near + step, near - step):
                if inside_build_height(y) and self._stands(x, y, z):
                    return y
        return near

    def free_place_beside(self, at: BlockPos) -> tuple[float, float, float]:
        """Where somebody can stand next to a bed or the like: (x, y, z) of his feet."""
        x, y, z = at
        for reach in (1, 2):
            for level in (y, y - 1, y + 1):
                for dx in range(-reach, reach + 1):
                    for dz in range(-reach, reach + 1):
                        if (dx or dz) and self._stands(x + dx, level, z + dz):
                            return (x + dx + 0.5, float(level), z + dz + 0.5)
        return (x + 0.5, y + 1.0, z + 0.5)

    def _stands(self, x: int, y: int, z: int) -> bool:
        solid = [bool(GAME.shape(self.block(x, level, z))) for level in (y - 1, y, y + 1)]
        return solid == [True, False, False]

    @property
    def is_night(self) -> bool:
        """Whether it is dark enough for monsters in the open."""
        return 13188 <= self.day_time % 24000 <= 22812

    def splinter(self, at: BlockPos, state: int, but: Player | None = None) -> None:
        """Show and sound a broken block to who sees the cell."""
        for player in self.players:
            if player is not but and player.view.has((at[0] >> 4, at[2] >> 4)):
                player.send(
                    "world_event", effectId=EVENT_BROKEN, location=at, data=state, **{"global": False}
                )

    def announce(self, packet: str, **fields: Any) -> None:
        """Send a packet to every player."""
        for player in self.players:
            player.send(packet, **fields)

    def tell_viewers(
        self, x: float, z: float, packet: str, *, but: Player | None = None, **fields: Any
    ) -> None:
        """Send a packet to every player who has been sent the column of a place."""
        column = (int(x // 16), int(z // 16))
        for player in self.players:
            if player is not but and player.view.has(column):
                player.send(packet, **fields)


def inside_build_height(y: int) -> bool:
    return MIN_Y <= y < MAX_Y
