"""Chunk columns: real ones against another implementation's reading, made ones there and back."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol import codec
from protocol.chunks import (
    ChunkData,
    ChunkError,
    encode_chunk,
    heightmaps,
    light_fields,
    pack,
    unpack,
)
from protocol.game import GAME
from tests.protocol.captures import SESSIONS, expected_chunks, packets

NO_LIGHT = light_fields([], [])


def made(states: Any, biomes: Any = 0, light: dict[str, Any] | None = None, min_y: int = -64) -> ChunkData:
    """A column of these states, by way of the wire."""
    states = np.asarray(states)
    fields = {
        "x": 3,
        "z": -2,
        "heightmaps": None,
        "chunkData": encode_chunk(states, biomes),
        "blockEntities": [],
        **(light or NO_LIGHT),
    }
    payload = codec.encode("play", "toClient", "map_chunk", fields)
    return ChunkData(codec.decode("play", "toClient", payload).fields, min_y, len(states) // 16)


def filled(state: int = 0, height: int = 32) -> Any:
    return np.full((height, 16, 16), state)


# --- real chunks ---


@pytest.mark.parametrize("session", SESSIONS)
def test_real_chunks_hold_what_prismarine_chunk_reads(session: str) -> None:
    recorded = list(packets(session, only="map_chunk"))
    for packet, expected in zip(recorded, expected_chunks(session), strict=True):
        assert sha1(packet.payload) == expected["packetSha1"]
        chunk = ChunkData(codec.decode("play", "toClient", packet.payload).fields)
        states = chunk.states()
        assert (chunk.x, chunk.z) == (expected["x"], expected["z"])
        assert sha1(states.astype("<u4")) == expected["statesSha1_u32le_yzx"]
        assert sha1(chunk.biomes().astype("<u4")) == expected["biomesSha1_u32le_yzx"]
        assert int(np.count_nonzero(states)) == expected["nonAir"]
        assert len(np.unique(states)) == expected["distinct"]
        assert sha1(in_prismarines_order(chunk.sky_lights())) == expected["skySha1_u8_yzx"]


@pytest.mark.parametrize("session", SESSIONS)
def test_real_chunks_encode_to_the_same_blocks(session: str) -> None:
    for number, packet in enumerate(packets(session, only="map_chunk")):
        if number % 20:
            continue
        fields = codec.decode("play", "toClient", packet.payload).fields
        chunk = ChunkData(fields)
        again = ChunkData({**fields, "chunkData": encode_chunk(chunk.states(), chunk.biomes())})
        assert (again.states() == chunk.states()).all()
        assert (again.biomes() == chunk.biomes()).all()


def sha1(data: Any) -> str:
    return hashlib.sha1(data).hexdigest()


def in_prismarines_order(light: Any) -> Any:
    """Light as prismarine-chunk reads it. In the game a byte holds two neighbours, the lower x in its low
    half; prismarine-chunk, on both ends of these sessions, reads eight bytes as one number, lowest x in its
    lowest bits. Rows of 16 are eight bytes, so they come out with their pairs in reverse order.
    """
    return np.ascontiguousarray(light.reshape(-1, 8, 2)[:, ::-1])


# --- look-ups and changes ---


def test_cells_are_found_by_world_coordinates() -> None:
    states = np.arange(32 * 256).reshape(32, 16, 16) % 4000
    chunk = made(states)
    for x, y, z in ((0, -64, 0), (15, -33, 15), (7, -50, 3), (1, -48, 0)):
        for at_x, at_z in ((x, z), (3 * 16 + x, -2 * 16 + z)):
            assert chunk.block(at_x, y, at_z) == states[y + 64, z, x]
    assert chunk.block(0, -65, 0) == chunk.block(0, -32, 0) == 0
    assert chunk.cells(-4)[5 << 8 | 3 << 4 | 2] == states[5, 3, 2]
    assert chunk.cells(100)[0] == 0


def test_a_change_stays_in_its_cell() -> None:
    chunk = made(filled(1))
    other = made(filled(1))
    chunk.set_block(5, -60, 6, 9)
    assert chunk.block(5, -60, 6) == 9
    assert chunk.block(4, -60, 6) == other.block(5, -60, 6) == 1
    assert int(np.count_nonzero(chunk.states() != 1)) == 1
    chunk.set_block(5, 1000, 6, 9)  # above the column: nothing
    assert chunk.height == 32


def test_a_change_before_and_after_looking_is_the_same() -> None:
    states = np.arange(16 * 256).reshape(16, 16, 16) % 7
    looked, unseen = made(states), made(states)
    looked.block(0, -64, 0)
    for chunk in (looked, unseen):
        chunk.set_block(1, -63, 2, 70_000)  # a modded state that needs more than 16 bits
        chunk.set_block(1, -63, 3, 5)
    states[1, 2, 1], states[1, 3, 1] = 70_000, 5
    assert (looked.states() == states).all()
    assert (unseen.states() == states).all()


def test_a_section_tells_what_it_may_hold() -> None:
    states = filled(0, 48)
    states[16:32, 0, 0] = 9
    chunk = made(states)
    assert chunk.uniform(0) == 0
    assert chunk.uniform(1) is None
    assert [chunk.may_hold(number, {9, 10}) for number in range(3)] == [False, True, False]
    assert not chunk.may_hold(1, {10})
    chunk.set_block(0, -20, 0, 10)
    assert chunk.may_hold(2, {10}) or chunk.block(0, -20, 0) != 10


def test_block_entities_have_world_positions() -> None:
    entity = {"x": 4, "z": 15, "y": -20, "type": 1, "nbtData": None}
    fields = {"x": 3, "z": -2, "chunkData": encode_chunk(filled(), 0), "blockEntities": [entity], **NO_LIGHT}
    assert ChunkData(fields, -64, 2).block_entities == {(52, -20, -17): (1, None)}


# --- containers ---


@pytest.mark.parametrize("kinds", [1, 2, 16, 17, 33, 100, 256, 257, 3000])
def test_any_number_of_different_states(kinds: int) -> None:
    states = (np.arange(4096) * 31 % kinds * 5).reshape(16, 16, 16)
    chunk = made(states)
    assert (chunk.states() == states).all()
    assert chunk.block(9, -57, 2) == states[7, 2, 9]


@pytest.mark.parametrize("kinds", [1, 2, 4, 8, 9, 60])
def test_any_number_of_different_biomes(kinds: int) -> None:
    biomes = (np.arange(64) * 7 % kinds).reshape(4, 4, 4)
    chunk = made(filled(0, 16), biomes)
    assert (chunk.biomes() == biomes).all()
    assert chunk.biome(13, -51, 6) == biomes[3, 1, 3]
    assert chunk.biome(13, 300, 6) == biomes[3, 1, 3]


@pytest.mark.parametrize("bits", [9, 15, 16, 17])
def test_direct_values_have_as_many_bits_as_the_server_says(bits: int) -> None:
    values = np.arange(4096) % (1 << bits) * 3 % (1 << bits)
    words = pack(values, bits)
    data = b"\x10\x00" + bytes((bits,)) + varint(len(words) // 8) + words + b"\0\0\0"
    chunk = ChunkData({"x": 0, "z": 0, "chunkData": data, "blockEntities": [], **NO_LIGHT}, 0, 1)
    assert (chunk.states().ravel() == values).all()


@given(st.integers(1, 32), st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_packed_numbers_come_back(bits: int, seed: int) -> None:
    values = np.random.default_rng(seed).integers(0, 1 << bits, 4096, np.uint64)
    words = pack(values, bits)
    assert len(words) == 8 * -(-4096 // (64 // bits))
    assert (unpack((bits, (), words, False), 4096) == values).all()


def test_an_index_outside_its_palette_is_air() -> None:
    words = pack(np.arange(4096) % 16, 4)
    assert set(unpack((4, (7, 8), words, False), 4096).tolist()) == {0, 7, 8}


@pytest.mark.parametrize("sections", [1, 8, 16, 24, 125])
def test_any_height(sections: int) -> None:
    states = filled(0, sections * 16)
    states[-1] = 5
    chunk = made(states, min_y=0)
    assert chunk.block(3, sections * 16 - 1, 3) == 5
    assert chunk.section_count == sections


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes((*out, value))


# --- what is refused ---


@pytest.mark.parametrize(
    "data",
    [
        "",
        "0000",
        "00000000",
        "0000" + "04" + "00" + "00",  # an empty palette
        "0000" + "04" + "ff7f" + "00",  # a palette longer than the data
        "0000" + "04" + "0100" + "0a",  # ten words for 4096 entries
        "0000" + "0f" + "8008" + "00" * 100,  # words that are not there
        "0000" + "0001" + "ffffffff0f" + "000000",  # minus one words
        "0000" + "40" + "8020" + "00" * 100,  # entries of 64 bits
    ],
)
def test_chunk_data_that_ends_early_or_lies_is_refused(data: str) -> None:
    with pytest.raises(ChunkError):
        ChunkData({"x": 0, "z": 0, "chunkData": bytes.fromhex(data), "blockEntities": [], **NO_LIGHT}, 0, 1)


def test_more_sections_than_there_are_is_refused() -> None:
    fields = {"x": 0, "z": 0, "chunkData": encode_chunk(filled(1), 0), "blockEntities": [], **NO_LIGHT}
    with pytest.raises(ChunkError, match="section 2 of 3: ends early"):
        ChunkData(fields, -64, 3)


def test_light_that_does_not_match_its_mask_is_refused() -> None:
    lies = {**NO_LIGHT, "skyLightMask": [6], "skyLight": [bytes(2048)]}
    with pytest.raises(ChunkError):
        made(filled(), light=lies)
    with pytest.raises(ChunkError):
        made(filled(), light={**lies, "skyLightMask": [2], "skyLight": [bytes(10)]})


@given(st.binary(max_size=200))
def test_arbitrary_chunk_data_is_read_or_refused(data: bytes) -> None:
    try:
        ChunkData({"x": 0, "z": 0, "chunkData": data, "blockEntities": [], **NO_LIGHT}, 0, 1).states()
    except ChunkError:
        return


# --- light ---


def test_light_comes_back() -> None:
    levels = (np.arange(4096) * 7 % 16).astype(np.uint8)
    sky, block = [None, levels, None, b"\xff" * 2048], [None, None, levels, bytes(2048)]
    chunk = made(filled(), light=light_fields(sky, block))
    cube = levels.reshape(16, 16, 16)
    assert (chunk.sky_lights()[:16] == cube).all()
    assert (chunk.block_lights()[16:] == cube).all()
    assert chunk.sky_light(3, -60, 9) == cube[4, 9, 3]
    assert chunk.block_light(3, -44, 9) == cube[4, 9, 3]
    assert chunk.block_light(3, -60, 9) == 0


def test_sky_light_that_was_not_sent_shines_down_from_above() -> None:
    levels = np.full((16, 16, 16), 15, np.uint8)
    levels[0, 5, 6] = 3
    chunk = made(filled(0, 48), light=light_fields([None, None, levels, None, None], []))
    assert chunk.sky_light(6, -64, 5) == 3
    assert chunk.sky_light(7, -64, 5) == 15
    assert chunk.sky_light(0, -20, 0) == chunk.sky_light(0, 500, 0) == 15
    assert made(filled()).sky_light(0, -64, 0) == 0  # nothing was sent: there is no sky


def test_an_update_replaces_only_what_it_names() -> None:
    bright = b"\xff" * 2048
    chunk = made(filled(), light=light_fields([bright] * 4, [None] * 4))
    chunk.update_light(light_fields([None, bytes(2048), None, None], [None, None, bright, None]))
    assert (chunk.sky_light(0, -64, 0), chunk.sky_light(0, -48, 0)) == (0, 15)
    assert (chunk.block_light(0, -64, 0), chunk.block_light(0, -48, 0)) == (0, 15)


def test_light_masks_may_be_longer_than_64_bits() -> None:
    sky = [None] * 64 + [b"\x11" * 2048, None, None]
    fields = light_fields(sky, [bytes(2048)] * 67)
    assert fields["skyLightMask"] == [0, 1]
    assert fields["emptyBlockLightMask"] == [-1, 7]
    assert made(filled(0, 65 * 16), light=fields, min_y=0).sky_light(0, 63 * 16, 0) == 1


def test_biomes_can_be_replaced() -> None:
    chunk = made(filled(0, 16), 3)
    assert chunk.biome(0, -64, 0) == 3
    chunk.update_biomes(b"\0\5\0")
    assert chunk.biome(0, -64, 0) == 5
    with pytest.raises(ChunkError):
        chunk.update_biomes(b"\0")
    assert chunk.biome(0, -64, 0) == 5


# --- what an encoder adds ---


def test_the_count_of_blocks_leaves_out_all_air() -> None:
    states = filled(0, 16)
    states[0] = 1
    states[1] = GAME.state("cave_air")
    states[2] = GAME.state("void_air")
    states[3, 0, 0] = GAME.state("water")
    assert int.from_bytes(encode_chunk(states, 0)[:2], "big") == 257


def test_heightmaps() -> None:
    states = filled(0, 384)
    states[:10] = 1
    states[10, 0, 0] = GAME.state("short_grass")
    states[12, 0, 1] = GAME.state("water")
    states[:, 0, 2] = 0
    value = heightmaps(states).value
    assert value.keys() == {"MOTION_BLOCKING", "WORLD_SURFACE"}
    assert len(value["WORLD_SURFACE"]) == 37  # 256 entries of 9 bits, 7 a word
    surface = unpack((9, (), heightmap_words(value["WORLD_SURFACE"]), False), 256)
    motion = unpack((9, (), heightmap_words(value["MOTION_BLOCKING"]), False), 256)
    assert surface[:4].tolist() == [11, 13, 0, 10]
    assert motion[:4].tolist() == [10, 13, 0, 10]


def heightmap_words(longs: list[int]) -> bytes:
    return b"".join((word & 0xFFFFFFFFFFFFFFFF).to_bytes(8, "big") for word in longs)


def test_a_deflated_column_holds_the_same_blocks() -> None:
    rng = np.random.default_rng(1)
    states = rng.integers(0, 9, (64, 16, 16)).astype(np.uint16)
    column = made(states)
    column.compact()

    assert (column.states() == states).all()
    assert column.block(5, column.min_y + 40, 9) == states[40, 9, 5]
    column.compact()
    column.set_block(5, column.min_y + 40, 9, 17)
    assert column.block(5, column.min_y + 40, 9) == 17
