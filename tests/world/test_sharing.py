"""Several bodies of one process in one world: chunks are kept once, and what each is told stays its own."""

from __future__ import annotations

from numen.testing.simulation import Simulation
from numen.world import UNLOADED, World, Worlds
from protocol.game import GAME

STONE, DIRT, LOG = (GAME.state(name) for name in ("stone", "dirt", "oak_log"))
SERVER = "mc.example:25565"


def two(server: str = SERVER, other: str = SERVER) -> tuple[Worlds, Simulation, Simulation]:
    worlds = Worlds()
    return (
        worlds,
        Simulation(username="One", world=World(server=server, shared=worlds)),
        Simulation(username="Two", world=World(server=other, shared=worlds)),
    )


def watch(sim: Simulation) -> list[tuple[int, ...]]:
    seen: list[tuple[int, ...]] = []
    sim.world.events.on("block_changed", lambda *change: seen.append(change))
    return seen


def test_the_same_chunk_is_kept_once() -> None:
    worlds, one, two_ = two()
    one.terrain(radius=1, floor="stone")
    two_.terrain(radius=1, floor="stone")
    assert worlds.columns == 9
    assert one.world.chunks.columns[0, 0] is two_.world.chunks.columns[0, 0]


def test_a_body_sees_only_what_it_was_sent() -> None:
    _, one, two_ = two()
    one.terrain(floor="stone")
    assert two_.world.block(0, 0, 0) == UNLOADED
    assert not two_.world.chunks.is_loaded(0, 0)


def test_a_chunk_goes_with_its_last_viewer() -> None:
    worlds, one, two_ = two()
    one.terrain(floor="stone")
    two_.terrain(floor="stone")
    one.receive("unload_chunk", chunkX=0, chunkZ=0)
    assert one.world.block(0, 0, 0) == UNLOADED
    assert two_.world.block(0, 0, 0) == STONE
    assert worlds.columns == 1
    two_.receive("unload_chunk", chunkX=0, chunkZ=0)
    assert worlds.columns == 0


def test_a_store_goes_with_its_last_body() -> None:
    worlds, one, two_ = two()
    one.terrain(floor="stone")
    assert len(worlds) == 1
    one.respawn("minecraft:the_nether")
    assert len(worlds) == 2
    two_.disconnect()
    assert len(worlds) == 1
    one.disconnect()
    assert (len(worlds), worlds.columns) == (0, 0)


def test_each_body_is_told_a_change_with_the_block_before() -> None:
    _, one, two_ = two()
    for sim in (one, two_):
        sim.terrain(floor="stone")
    seen_one, seen_two = watch(one), watch(two_)
    for sim in (one, two_):
        sim.receive("block_change", location=(0, 63, 0), type=LOG)
    two_.receive("block_change", location=(0, 63, 0), type=LOG)
    assert seen_one == [(0, 63, 0, STONE, LOG)]
    assert seen_two == [(0, 63, 0, STONE, LOG), (0, 63, 0, LOG, LOG)]


def test_a_slower_connection_ends_with_the_same_world() -> None:
    _, one, two_ = two()
    for sim in (one, two_):
        sim.terrain(floor="stone")
    one.receive("block_change", location=(0, 63, 0), type=LOG)
    one.receive("block_change", location=(0, 63, 0), type=DIRT)
    two_.receive("block_change", location=(0, 63, 0), type=LOG)
    two_.receive("block_change", location=(0, 63, 0), type=DIRT)
    assert one.world.block(0, 63, 0) == two_.world.block(0, 63, 0) == DIRT


def test_a_newcomers_older_chunk_does_not_undo_what_the_first_saw_change() -> None:
    _, one, two_ = two()
    one.terrain(floor="stone")
    one.receive("block_change", location=(0, 63, 0), type=LOG)
    # The server read the chunk for the second body before the change, and sends it the change afterwards.
    two_.terrain(floor="stone")
    assert one.world.block(0, 63, 0) == LOG
    two_.receive("block_change", location=(0, 63, 0), type=LOG)
    assert two_.world.block(0, 63, 0) == LOG


def test_a_newcomers_newer_chunk_counts_for_both() -> None:
    worlds, one, two_ = two()
    one.terrain(floor="stone")
    two_.terrain({(0, 64, 0): "dirt"}, floor="stone")
    assert one.world.block(0, 64, 0) == DIRT
    assert worlds.columns == 1


def test_two_servers_with_an_overworld_each_do_not_mix() -> None:
    worlds, one, two_ = two(other="other.example:25565")
    one.terrain(floor="stone")
    two_.terrain(floor="dirt")
    assert (one.world.block(0, 0, 0), two_.world.block(0, 0, 0)) == (STONE, DIRT)
    assert worlds.columns == 2


def test_without_a_servers_name_nothing_is_shared() -> None:
    worlds, one, two_ = two(server="", other="")
    one.terrain(floor="stone")
    two_.terrain(floor="dirt")
    assert one.world.block(0, 0, 0) == STONE
    assert len(worlds) == 0
