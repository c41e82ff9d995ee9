"""Chunks that several bodies of one process can see together.

A column is kept once for each dimension of each server, however many bodies see it, and goes when the last
of them has lost it from sight. Every viewer's packets write to it. Their connections may be some
milliseconds apart, so the slower one may write something old for that long; since both get the same packets
in the same order, what stays is what the server said last. Guesses of a body about its own digging and
placing never come here.
"""

from __future__ import annotations

import zlib
from typing import Final

from protocol.chunks import ChunkData

ChunkPos = tuple[int, int]
BlockPos = tuple[int, int, int]
#: Server, dimension name, lowest y, height: what makes two bodies see the same world.
StoreKey = tuple[str, str, int, int]

#: Changes of a shared column remembered for viewers that have yet to hear of them.
_MAX_UNSEEN: Final = 1024


class Column:
    """One chunk column and how many bodies see it."""

    __slots__ = ("_unseen", "data", "fingerprint", "revision", "viewers")

    def __init__(self, data: ChunkData, fingerprint: int) -> None:
        self.data = data
        #: Of the block data as it came, to notice when another body is sent the very same.
        self.fingerprint = fingerprint
        #: Counts changes of blocks; whoever keeps something derived from the column compares it.
        self.revision = 0
        self.viewers = 0
        self._unseen: dict[BlockPos, tuple[int, int, int]] | None = None

    def write(self, x: int, y: int, z: int, state: int) -> int:
        """Set a block as a viewer was told; the state it had before, for that viewer."""
        data = self.data
        old = data.block(x, y, z)
        if old != state:
            data.set_block(x, y, z, state)
            self.revision += 1
            if self.viewers > 1:
                self._note(x, y, z, old, state)
            return old
        if self._unseen:
            # Another viewer's packet has been here before.
            return self._first_look(x, y, z, state)
        return old

    def replace(self, data: ChunkData, fingerprint: int) -> None:
        """Another, newer reading of the whole column."""
        self.data = data
        self.fingerprint = fingerprint
        self.revision += 1
        self._unseen = None

    def _note(self, x: int, y: int, z: int, old: int, state: int) -> None:
        if self._unseen is None or len(self._unseen) >= _MAX_UNSEEN:
            self._unseen = {}
        self._unseen[x, y, z] = (old, state, self.viewers - 1)

    def _first_look(self, x: int, y: int, z: int, state: int) -> int:
        assert self._unseen is not None
        old, new, left = self._unseen.get((x, y, z), (state, state, 0))
        if new != state:
            return state
        if left > 1:
            self._unseen[x, y, z] = (old, new, left - 1)
        else:
            self._unseen.pop((x, y, z), None)
        return old


class Store:
    """The columns of one dimension of one server that some body sees."""

    __slots__ = ("columns", "shared", "users")

    def __init__(self, *, shared: bool) -> None:
        self.columns: dict[ChunkPos, Column] = {}
        #: Whether another body may come to see the same.
        self.shared = shared
        #: Bodies that are in this dimension now.
        self.users = 0

    def put(self, pos: ChunkPos, data: ChunkData, raw: bytes, *, newcomer: bool) -> Column:
        """The column at `pos`, brought up to `data`.

        For a newcomer a column that first came as the same bytes stays as it is: changes since then are those
        that he is about to be told. For a viewer who had it, the packet is the newest word.
        """
        fingerprint = zlib.crc32(raw) if self.shared else 0
        column = self.columns.get(pos)
        if column is None:
            column = self.columns[pos] = Column(data, fingerprint)
        elif not (newcomer and column.fingerprint == fingerprint):
            column.replace(data, fingerprint)
        return column

    def lost(self, pos: ChunkPos, column: Column) -> None:
        """A viewer does not see the column any more."""
        column.viewers -= 1
        if column.viewers <= 0 and self.columns.get(pos) is column:
            del self.columns[pos]


class Worlds:
    """All stores of this process. Bodies that should share chunks are given the same one."""

    def __init__(self) -> None:
        self._stores: dict[StoreKey, Store] = {}

    def __len__(self) -> int:
        return len(self._stores)

    @property
    def columns(self) -> int:
        """How many chunk columns are kept, each counted once."""
        return sum(len(store.columns) for store in self._stores.values())

    def enter(self, key: StoreKey) -> Store:
        """The store of a dimension, for one more body. Without a server's name it is nobody else's."""
        store = self._stores.get(key) if key[0] else None
        if store is None:
            store = Store(shared=bool(key[0]))
            if key[0]:
                self._stores[key] = store
        store.users += 1
        return store

    def leave(self, key: StoreKey, store: Store) -> None:
        """A body has left the dimension; it must have lost its columns before."""
        store.users -= 1
        if store.users <= 0 and self._stores.get(key) is store:
            del self._stores[key]
