"""A chunk column: block states, biomes and light, from the fields of `map_chunk` and back.

A column is cut into sections of 16x16x16 cells. On the wire a section is a count of blocks and two
containers, one for states (4096 entries) and one for biomes (64, one per 4x4x4): a single value, indices
into a palette, or the values themselves, packed into 64-bit words. How many sections there are only the
dimension knows.

Sections stay as they came until somebody looks at a cell; from then on they are a flat array. Entries lie
in the order y, z, x, the x of neighbours next to each other. Rules: protocol 767.
"""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import cache, lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from protocol.nbt import Nbt
from protocol.runtime import Fault, read_varint, read_varints

#: Block states: uint16, or uint32 where one is above 65535.
States = NDArray[Any]
#: A container as it came: bits an entry, palette (empty where entries are the values), the 64-bit words, and
#: whether these are deflated meanwhile.
Packed = tuple[int, tuple[int, ...], bytes, bool]

_BRIGHT: Final = b"\xff" * 2048
_DARK: Final = bytes(2048)


class ChunkError(Fault):
    """Chunk data that can't be read."""


class ChunkData:
    """One column. Coordinates are the world's or the column's own: only their low four bits count for x and
    z.

    Raises ChunkError when `chunkData` does not hold that many sections.
    """

    __slots__ = (
        "_biomes",
        "_block_light",
        "_cells",
        "_flat",
        "_sky",
        "block_entities",
        "min_y",
        "section_count",
        "x",
        "z",
    )

    def __init__(self, fields: Mapping[str, Any], min_y: int = -64, section_count: int = 24) -> None:
        self.x: int = fields["x"]
        self.z: int = fields["z"]
        #: The lowest cell's y, a multiple of 16.
        self.min_y = min_y
        self.section_count = section_count
        self._cells: list[int | Packed | array[int]] = []
        self._biomes: list[int | Packed | array[int]] = []
        # Sections somebody looked into, by y >> 4: a look-up and a check in one. Uniform ones are shared.
        self._flat: dict[int, array[int]] = {}
        self._read_sections(fields["chunkData"])
        #: World position -> (registry number of the block entity's type, its data or None).
        self.block_entities: dict[tuple[int, int, int], tuple[int, Nbt | None]] = {
            (self.x << 4 | entity["x"], entity["y"], self.z << 4 | entity["z"]): (
                entity["type"],
                entity["nbtData"],
            )
            for entity in fields["blockEntities"]
        }
        # One more section below and one above the column have light.
        self._sky: list[bytes | None] = [None] * (section_count + 2)
        self._block_light: list[bytes | None] = [None] * (section_count + 2)
        self.update_light(fields)

    def _read_sections(self, data: bytes) -> None:
        i = 0
        try:
            for _ in range(self.section_count):
                cells, i = _read_container(data, i + 2, 4096, 8)
                self._cells.append(cells)
                if data[i] == data[i + 2] == 0 and data[i + 1] < 128:  # by far the most common
                    self._biomes.append(data[i + 1])
                    i += 3
                else:
                    biomes, i = _read_container(data, i, 64, 3)
                    self._biomes.append(biomes)
        except (IndexError, Fault) as error:
            number = min(len(self._cells), self.section_count - 1)
            why = "ends early" if isinstance(error, IndexError) else str(error)
            raise ChunkError(f"section {number} of {self.section_count}: {why}") from None

    @property
    def height(self) -> int:
        """How many cells are above each other."""
        return self.section_count * 16

    # --- blocks ---

    def block(self, x: int, y: int, z: int) -> int:
        """The state at a cell; 0 (air) above and below the column."""
        cells = self._flat.get(y >> 4)
        if cells is None:
            cells = self.cells(y >> 4)
        return cells[(y & 15) << 8 | (z & 15) << 4 | x & 15]

    def cells(self, section_y: int) -> array[int]:
        """The section that holds the cells of y >> 4 as a flat array, for many look-ups: the state of a
        cell is at (y & 15) << 8 | (z & 15) << 4 | x & 15. Not to be written to, and to be asked for again
        after a change."""
        number = section_y - (self.min_y >> 4)
        if not 0 <= number < self.section_count:
            return _filled(0)
        cells = self._cells[number]
        if isinstance(cells, int):
            cells = _filled(cells)
        elif isinstance(cells, tuple):
            cells = self._cells[number] = _as_array(unpack(cells, 4096))
        self._flat[section_y] = cells
        return cells

    def set_block(self, x: int, y: int, z: int, state: int) -> None:
        """Put a state at a cell. Above and below the column nothing happens."""
        section_y = y >> 4
        number = section_y - (self.min_y >> 4)
        if not 0 <= number < self.section_count:
            return
        held = self._cells[number]
        if held == state:
            return
        cells = self.cells(section_y)
        if isinstance(held, int):
            cells = cells[:]  # until now shared with all that is uniform
        if state > 0xFFFF and cells.typecode == "H":
            cells = array("I", cells)
        cells[(y & 15) << 8 | (z & 15) << 4 | x & 15] = state
        self._cells[number] = self._flat[section_y] = cells

    def compact(self) -> None:
        """Deflate the sections nobody has looked into: most of what a server sends is never looked at.

        A column of hills takes a quarter of a millisecond and is a tenth of its size afterwards.
        """
        for number, cells in enumerate(self._cells):
            if isinstance(cells, tuple) and not cells[3]:
                self._cells[number] = (*cells[:2], zlib.compress(cells[2], 1), True)

    def uniform(self, number: int) -> int | None:
        """The state that fills a whole section, where it came as one value; else None."""
        cells = self._cells[number]
        return cells if isinstance(cells, int) else None

    def may_hold(self, number: int, wanted: Set[int]) -> bool:
        """False when a section surely has none of these states: its palette says so at little cost, until
        somebody looks into it."""
        cells = self._cells[number]
        if isinstance(cells, int):
            return cells in wanted
        if isinstance(cells, tuple) and cells[1]:
            return not wanted.isdisjoint(cells[1])
        return True

    def section_states(self, number: int) -> States:
        """The 4096 states of a section in the order y, z, x. Not to be written to; it may be a view."""
        cells = self._cells[number]
        if isinstance(cells, int):
            return np.full(4096, cells, np.uint16 if cells <= 0xFFFF else np.uint32)
        if isinstance(cells, tuple):
            return unpack(cells, 4096)
        return np.frombuffer(cells, np.uint16 if cells.typecode == "H" else np.uint32)

    def states(self) -> States:
        """All states as an array (height, 16, 16) of y, z, x; y counts from min_y. A copy."""
        found: States = np.empty((self.section_count, 4096), np.uint16)
        for number, cells in enumerate(self._cells):
            states = cells if isinstance(cells, int) else self.section_states(number)
            if found.dtype == np.uint16 and _is_wide(states):
                found = found.astype(np.uint32)
            found[number] = states
        return found.reshape(-1, 16, 16)

    # --- biomes ---

    def biome(self, x: int, y: int, z: int) -> int:
        """The biome's registry number at a cell; above and below the column that of the nearest section."""
        number = min(max((y - self.min_y) >> 4, 0), self.section_count - 1)
        biomes = self._biomes[number]
        if isinstance(biomes, int):
            return biomes
        if isinstance(biomes, tuple):
            biomes = self._biomes[number] = array("H", unpack(biomes, 64).tolist())
        return biomes[(y & 12) << 2 | (z & 12) | (x & 12) >> 2]

    def biomes(self) -> NDArray[np.uint16]:
        """All biomes as an array (height / 4, 4, 4) of y, z, x. A copy."""
        found = np.empty((self.section_count, 64), np.uint16)
        for number, biomes in enumerate(self._biomes):
            found[number] = unpack(biomes, 64) if isinstance(biomes, tuple) else biomes
        return found.reshape(-1, 4, 4)

    def update_biomes(self, data: bytes) -> None:
        """Take the biomes of a `chunk_biomes` entry. Raises ChunkError and changes nothing when it is cut
        short."""
        found: list[int | Packed | array[int]] = []
        i = 0
        try:
            for _ in range(self.section_count):
                biomes, i = _read_container(data, i, 64, 3)
                found.append(biomes)
        except (IndexError, Fault):
            raise ChunkError(f"biomes of {len(found)} sections where {self.section_count} belong") from None
        self._biomes = found

    # --- light ---

    def sky_light(self, x: int, y: int, z: int) -> int:
        """Sky light at a cell, 0 to 15. Where the server sent none it is what shines down from above: the
        lowest layer of the next section that has some, full light above all of them, 0 in a column without
        any."""
        number = min(max(((y - self.min_y) >> 4) + 1, 0), self.section_count + 1)
        light = self._sky[number]
        if light is not None:
            return _nibble(light, (y & 15) << 8 | (z & 15) << 4 | x & 15)
        for light in self._sky[number + 1 :]:
            if light is not None:
                return _nibble(light, (z & 15) << 4 | x & 15)
        return 15 if any(self._sky) else 0

    def block_light(self, x: int, y: int, z: int) -> int:
        """Light of torches and the like at a cell, 0 to 15."""
        number = min(max(((y - self.min_y) >> 4) + 1, 0), self.section_count + 1)
        light = self._block_light[number]
        return 0 if light is None else _nibble(light, (y & 15) << 8 | (z & 15) << 4 | x & 15)

    def sky_lights(self) -> NDArray[np.uint8]:
        """The sky light that was sent as an array (height, 16, 16) of y, z, x; 0 where none was."""
        return _spread(self._sky[1:-1])

    def block_lights(self) -> NDArray[np.uint8]:
        """The block light that was sent as an array (height, 16, 16) of y, z, x; 0 where none was."""
        return _spread(self._block_light[1:-1])

    def update_light(self, fields: Mapping[str, Any]) -> None:
        """Take the light of a `map_chunk` or `update_light` packet; sections it does not name keep theirs."""
        _take_light(self._sky, fields["skyLightMask"], fields["emptySkyLightMask"], fields["skyLight"])
        _take_light(
            self._block_light, fields["blockLightMask"], fields["emptyBlockLightMask"], fields["blockLight"]
        )


@lru_cache(256)
def _filled(state: int) -> array[int]:
    """A section of one state. Shared: never written to."""
    return array("H" if state <= 0xFFFF else "I", [state]) * 4096


def _as_array(states: States) -> array[int]:
    cells = array("H" if states.dtype == np.uint16 else "I")
    cells.frombytes(states.tobytes())
    return cells


def _is_wide(states: int | States) -> bool:
    return states > 0xFFFF if isinstance(states, int) else states.dtype != np.uint16


def _nibble(light: bytes, index: int) -> int:
    return light[index >> 1] >> (index & 1) * 4 & 15


def _spread(sections: Sequence[bytes | None]) -> NDArray[np.uint8]:
    packed = np.frombuffer(b"".join(light or _DARK for light in sections), np.uint8)
    found = np.empty((packed.size, 2), np.uint8)
    found[:, 0] = packed & 15
    found[:, 1] = packed >> 4
    return found.reshape(-1, 16, 16)


def _take_light(
    sections: list[bytes | None], mask: Sequence[int], empty: Sequence[int], arrays: Sequence[bytes]
) -> None:
    lit, dark, left = _bits(mask), _bits(empty), iter(arrays)
    for number in range(len(sections)):
        if lit >> number & 1:
            light = next(left, None)
            if light is None or len(light) != 2048:
                raise ChunkError("light masks and light arrays disagree")
            # Most light is one value all over; such sections share one object.
            sections[number] = _BRIGHT if light == _BRIGHT else _DARK if light == _DARK else light
        elif dark >> number & 1:
            sections[number] = _DARK


def _bits(longs: Sequence[int]) -> int:
    """A bit set of 64-bit words, lowest first, as one number."""
    number = 0
    for place, word in enumerate(longs):
        number |= (word & 0xFFFFFFFFFFFFFFFF) << 64 * place
    return number


# --- containers
# ----------------------------------------------------------------------------------------------


def _read_container(data: bytes, i: int, count: int, most_palette_bits: int) -> tuple[int | Packed, int]:
    """One container and where it ends: its single value, or what is needed to unpack it."""
    bits = data[i]
    i += 1
    palette: list[int] = []
    if bits == 0:
        value = data[i]
        if value > 127:
            value, i = read_varint(data, i)
        else:
            i += 1
        words, i = read_varint(data, i)
        i += 8 * words  # none, unless a server sends words nobody needs
        if i > len(data) or words < 0:
            raise IndexError
        return value, i
    if bits <= most_palette_bits:
        length, i = read_varint(data, i)
        if not 0 < length <= len(data) - i:
            raise ChunkError(f"palette of {length} entries")
        palette, i = read_varints(data, i, length)
    words, i = read_varint(data, i)
    if bits < 4 and count == 4096 and words == 256:
        bits = 4  # vanilla never packs states tighter than this, whatever it announces
    if bits > 32 or words < -(-count // (64 // bits)):
        raise ChunkError(f"{words} words for {count} entries of {bits} bits")
    end = i + 8 * words
    if end > len(data):
        raise IndexError
    return (bits, tuple(palette), data[i:end], False), end


def unpack(packed: Packed, count: int) -> States:
    """The values of a container. An index without a palette entry is 0."""
    bits, palette, words, deflated = packed
    if deflated:
        words = zlib.decompress(words)
    if not palette:
        values = _entries(words, bits, count)
        return values.astype(np.uint16 if bits <= 16 else np.uint32)
    if bits == 4:
        # Two entries a byte: look both up at once.
        bytes_ = np.frombuffer(words, "<u8", count // 16).byteswap().view(np.uint8)
        pairs, type_ = _pairs(palette)
        return pairs.take(bytes_).view(type_)
    return _table(palette, bits).take(_entries(words, bits, count))


@lru_cache(512)
def _table(palette: tuple[int, ...], bits: int) -> States:
    """A palette as an array with a value for each index that so many bits can say."""
    table: States = np.zeros(1 << bits, np.uint32 if max(palette) > 0xFFFF else np.uint16)
    table[: len(palette)] = palette[: 1 << bits]
    return table


@lru_cache(512)
def _pairs(palette: tuple[int, ...]) -> tuple[NDArray[Any], type]:
    """For each byte of two four-bit indices the two values side by side, and the type to view them as."""
    table = _table(palette, 4)
    pairs = np.empty((16, 16, 2), table.dtype)
    pairs[:, :, 0] = table[None, :]
    pairs[:, :, 1] = table[:, None]
    return pairs.view(np.uint32 if table.dtype == np.uint16 else np.uint64).ravel(), table.dtype.type


def _entries(words: bytes, bits: int, count: int) -> NDArray[Any]:
    """Numbers of so many bits from 64-bit words, low bits first; none lies across two words."""
    per_word = 64 // bits
    longs = np.frombuffer(words, "<u8", -(-count // per_word)).byteswap()
    if bits in (8, 16, 32):
        return longs.view(f"<u{bits // 8}")[:count]
    entries = longs[:, None] >> _shifts(bits)
    entries &= np.uint64((1 << bits) - 1)
    return entries.view(np.int64).ravel()[:count]


@cache
def _shifts(bits: int) -> NDArray[np.uint64]:
    return np.arange(0, 64 // bits * bits, bits, dtype=np.uint64)


def pack(values: NDArray[Any], bits: int) -> bytes:
    """Numbers as 64-bit words of so many bits each, the reverse of what `unpack` does."""
    if bits == 4:
        halves = values.astype(np.uint8)
        both = halves[0::2] | halves[1::2] << 4
        return both.view("<u8").byteswap().tobytes()
    per_word = 64 // bits
    padded = np.zeros(-(-values.size // per_word) * per_word, np.uint64)
    padded[: values.size] = values
    words = np.bitwise_or.reduce(padded.reshape(-1, per_word) << _shifts(bits), axis=1)
    data: bytes = words.astype(">u8").tobytes()
    return data


# --- writing
# -------------------------------------------------------------------------------------------------


def encode_chunk(states: NDArray[Any], biomes: NDArray[Any] | int) -> bytes:
    """The bytes of `chunkData` for states (height, 16, 16) in y, z, x and biomes (height / 4, 4, 4) in y,
    z, x, or one biome for all. The height must be a multiple of 16."""
    sections = states.reshape(-1, 4096)
    if isinstance(biomes, int):
        of_biomes: Iterable[Any] = (np.array([biomes]),) * len(sections)
    else:
        of_biomes = biomes.reshape(len(sections), 64)
    airs = _airs()
    out = bytearray()
    for section, section_biomes in zip(sections, of_biomes, strict=True):
        body, palette, counts = _container(section, 4, 8, 15)
        blocks = 4096 - sum(count for state, count in zip(palette, counts, strict=True) if state in airs)
        out += blocks.to_bytes(2, "big")
        out += body
        out += _container(section_biomes, 1, 3, 6)[0]
    return bytes(out)


def _container(
    values: NDArray[Any], least_bits: int, most_palette_bits: int, direct_bits: int
) -> tuple[bytes, Sequence[int], Sequence[int]]:
    """A container's bytes, the values in it and how often each occurs."""
    first = int(values[0])
    if (values == first).all():
        return b"\0" + _varint(first) + b"\0", (first,), (len(values),)
    counts = np.bincount(values)
    palette = np.flatnonzero(counts)
    bits = max(least_bits, int(len(palette) - 1).bit_length())
    if bits <= most_palette_bits:
        places = np.zeros(len(counts), np.uint16)
        places[palette] = np.arange(len(palette))
        head = bytes((bits,)) + _varint(len(palette)) + b"".join(map(_varint, palette.tolist()))
        words = pack(places[values], bits)
    else:
        bits = max(direct_bits, int(palette[-1]).bit_length())
        head = bytes((bits,))
        words = pack(values, bits)
    return head + _varint(len(words) // 8) + words, palette.tolist(), counts[palette].tolist()


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


@cache
def _airs() -> frozenset[int]:
    from protocol.game import GAME

    return frozenset(GAME.block(name).default_state for name in ("air", "cave_air", "void_air"))


def light_fields(
    sky: Sequence[bytes | NDArray[np.uint8] | None], block: Sequence[bytes | NDArray[np.uint8] | None]
) -> dict[str, Any]:
    """The light fields of `map_chunk` and `update_light`.

    One entry a section, from the one below the column to the one above it: 2048 bytes of nibbles, an array of
    4096 levels in y, z, x, or None where nothing is said. A dark section is only marked as such.
    """
    sky_mask, empty_sky, sky_arrays = _light(sky)
    block_mask, empty_block, block_arrays = _light(block)
    return {
        "skyLightMask": sky_mask,
        "blockLightMask": block_mask,
        "emptySkyLightMask": empty_sky,
        "emptyBlockLightMask": empty_block,
        "skyLight": sky_arrays,
        "blockLight": block_arrays,
    }


def _light(
    sections: Sequence[bytes | NDArray[np.uint8] | None],
) -> tuple[list[int], list[int], list[bytes]]:
    lit = dark = 0
    arrays = []
    for number, light in enumerate(sections):
        if light is None:
            continue
        if not isinstance(light, bytes):
            levels = light.reshape(-1).astype(np.uint8)
            light = (levels[0::2] | levels[1::2] << 4).tobytes()
        if light == _DARK:
            dark |= 1 << number
        else:
            lit |= 1 << number
            arrays.append(light)
    return _words(lit), _words(dark), arrays


def _words(number: int) -> list[int]:
    """A bit set as signed 64-bit words, lowest first, none when it is empty."""
    words = []
    while number:
        word = number & 0xFFFFFFFFFFFFFFFF
        words.append(word - (1 << 64) if word >> 63 else word)
        number >>= 64
    return words


def heightmaps(states: NDArray[Any]) -> Nbt:
    """The heightmaps MOTION_BLOCKING and WORLD_SURFACE for states (height, 16, 16) in y, z, x: for each
    column of cells, how far above the bottom the first free cell above its highest block is."""
    surface, motion = _surfaces()
    bits = len(states).bit_length()
    maps = {}
    for name, table in (("MOTION_BLOCKING", motion), ("WORLD_SURFACE", surface)):
        hit = table[states][::-1]
        heights = np.where(hit.any(axis=0), len(states) - hit.argmax(axis=0), 0)
        maps[name] = _long_array(pack(heights.ravel(), bits))
    return Nbt.of(maps)


def _long_array(words: bytes) -> Nbt:
    from protocol.nbt import LONG_ARRAY

    return Nbt(bytes((LONG_ARRAY,)) + (len(words) // 8).to_bytes(4, "big") + words)


@cache
def _surfaces() -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """For each state whether it is anything at all, and whether it stops movement or is a fluid."""
    from protocol.game import GAME

    airs, fluids = _airs(), {GAME.block(name).id for name in ("water", "lava")}
    wet = {"minecraft:seagrass", "minecraft:tall_seagrass", "minecraft:kelp", "minecraft:kelp_plant"}
    surface = np.ones(GAME.state_count, np.bool_)
    motion = np.zeros(GAME.state_count, np.bool_)
    surface[list(airs)] = False
    for block in GAME.blocks:
        always = block.id in fluids or block.name in wet
        logged = any(name == "waterlogged" for name, _ in block.properties)
        for state in range(block.min_state, block.max_state + 1):
            motion[state] = always or bool(GAME.shape(state)) or (logged and _is_logged(state))
    return surface, motion


def _is_logged(state: int) -> bool:
    from protocol.game import GAME

    return GAME.properties(state)["waterlogged"] == "true"
