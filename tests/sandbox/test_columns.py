"""Columns, scheduled ticks and the pace of columns to a client."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from numen.sandbox.columns import MIN_Y, Column
from numen.sandbox.scheduled import ScheduledTicks
from numen.sandbox.view import MOST_A_BATCH, View
from numen.sandbox.world import World
from numen.sandbox.worldgen import FlatGenerator
from protocol import codec
from protocol.chunks import ChunkData
from protocol.game import GAME

CELLS = st.tuples(st.integers(0, 15), st.integers(-64, 319), st.integers(0, 15))


@given(st.lists(st.tuples(CELLS, st.integers(0, 26683)), max_size=40))
def test_a_column_holds_what_was_put_into_it(changes: list[tuple[tuple[int, int, int], int]]) -> None:
    column = FlatGenerator().column(0, 0)
    expected = column.states()
    for (x, y, z), state in changes:
        old = column.set_block(x, y, z, state)
        assert old == expected[y - MIN_Y, z, x]
        expected[y - MIN_Y, z, x] = state
    assert np.array_equal(column.states(), expected)
    assert all(column.block(x, y, z) == expected[y - MIN_Y, z, x] for (x, y, z), _ in changes)


def test_outside_the_build_height_is_air_and_stays_so() -> None:
    column = Column(0, 0)
    assert column.set_block(0, 320, 0, 1) == 0
    assert column.set_block(0, -65, 0, 1) == 0
    assert column.block(0, 320, 0) == column.block(0, -65, 0) == 0
    assert column.revision == 0


def test_the_packet_of_a_column_shows_its_present_state() -> None:
    from numen.sandbox import chunk_packets

    world = World(FlatGenerator(), 0)
    assert not chunk_packets.prepare(world, 0, 0)
    assert chunk_packets.prepare(world, 0, 0)
    first = world.column(0, 0).packet
    assert chunk_packets.prepare(world, 0, 0)
    assert world.column(0, 0).packet is first
    world.set_block(3, 70, 4, GAME.state("oak_log", axis="x"))
    fields = codec.decode_body("play", "toClient", "map_chunk", chunk_packets.body(world, 0, 0), 0)
    chunk = ChunkData(fields)
    assert chunk.block(3, 70, 4) == GAME.state("oak_log", axis="x")
    assert chunk.block(3, 63, 4) == GAME.state("grass_block")
    assert chunk.sky_light(3, 10, 4) == 15


def test_scheduled_ticks_come_in_the_order_they_were_asked_for_and_once() -> None:
    ticks = ScheduledTicks()
    ticks.ask(0, 2, (0, 0, 0), 7)
    ticks.ask(0, 1, (1, 0, 0), 7)
    ticks.ask(0, 2, (2, 0, 0), 7, priority=-1)
    ticks.ask(0, 5, (0, 0, 0), 7)
    assert list(ticks.due(1)) == [((1, 0, 0), 7)]
    assert [at for at, _ in ticks.due(2)] == [(2, 0, 0), (0, 0, 0)]
    ticks.ask(2, 1, (0, 0, 0), 7)
    assert len(ticks) == 1


def test_what_a_scheduled_tick_asks_for_at_once_waits_for_the_next_tick() -> None:
    ticks = ScheduledTicks()
    ticks.ask(0, 1, (0, 0, 0), 7)
    seen = []
    for at, block in ticks.due(1):
        seen.append(at)
        ticks.ask(1, 0, at, block)
    assert seen == [(0, 0, 0)]
    assert len(ticks) == 1


class Receiver:
    """A view, and what it sent."""

    def __init__(self, radius: int) -> None:
        self.sent: list[tuple[str, dict[str, Any]]] = []
        self.columns: list[tuple[int, int]] = []
        self.view = View(radius, self.send, lambda x, z: True, lambda x, z: self.columns.append((x, z)))

    def send(self, packet: str, **fields: Any) -> None:
        self.sent.append((packet, fields))

    def named(self, packet: str) -> list[dict[str, Any]]:
        return [fields for name, fields in self.sent if name == packet]

    def tick(self) -> None:
        self.view.tick()
        while self.view.work():
            pass


def test_columns_come_nearest_first_and_wait_for_the_first_answer() -> None:
    receiver = Receiver(3)
    receiver.view.move_to(0.5, 0.5)
    receiver.tick()
    receiver.tick()
    assert receiver.columns[0] == (0, 0)
    assert len(receiver.columns) == MOST_A_BATCH
    assert receiver.named("chunk_batch_finished") == [{"batchSize": MOST_A_BATCH}]
    receiver.view.answered(64.0)
    for _ in range(10):
        receiver.tick()
    assert len(receiver.columns) == 49
    assert receiver.view.complete


def test_a_slow_client_is_sent_few() -> None:
    receiver = Receiver(3)
    receiver.view.move_to(0.5, 0.5)
    receiver.tick()
    before = len(receiver.columns)
    receiver.view.answered(0.1)
    for _ in range(21):
        receiver.tick()
    assert 2 <= len(receiver.columns) - before <= 4


def test_columns_left_behind_are_taken_back() -> None:
    receiver = Receiver(1)
    receiver.view.move_to(0.5, 0.5)
    receiver.view.answered(64.0)
    for _ in range(4):
        receiver.tick()
    receiver.view.move_to(16.5, 0.5)
    assert {(each["chunkX"], each["chunkZ"]) for each in receiver.named("unload_chunk")} == {
        (-1, -1),
        (-1, 0),
        (-1, 1),
    }
    assert receiver.named("update_view_position")[-1] == {"chunkX": 1, "chunkZ": 0}
    assert not receiver.view.has((-1, 0))
