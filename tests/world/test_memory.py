"""What must not grow: objects, listeners, packets kept, over many changes of dimension and link."""

from __future__ import annotations

import gc

from numen.testing.simulation import Simulation
from numen.world import World, Worlds
from numen.world.entities import Entity
from numen.world.store import Column
from protocol.chunks import ChunkData


def alive(*kinds: type) -> int:
    gc.collect()
    return sum(isinstance(each, kinds) for each in gc.get_objects())


def busy(sim: Simulation, dimension: str) -> None:
    """Go somewhere, see some of it, and look at its cells."""
    sim.respawn(dimension, kept=3)
    sim.terrain({(3, 70, 3): "chest"}, radius=1, floor="stone")
    sim.world.block(3, 70, 3)
    sim.receive("block_change", location=(3, 71, 3), type=1)
    sim.spawn("pig", 1, 64, 1, entity_id=7)
    sim.receive("set_passengers", entityId=7, passengers=[])
    sim.receive("open_window", windowId=1, inventoryType=2, windowTitle="Chest")
    sim.tick()
    sim.sent.clear()


def test_memory_stays_flat_over_two_hundred_dimension_changes() -> None:
    worlds = Worlds()
    sim = Simulation(world=World(server="mc.example", shared=worlds))
    for dimension in ("minecraft:the_nether", "minecraft:overworld"):
        busy(sim, dimension)
    columns, entities = alive(Column, ChunkData), alive(Entity)
    listeners = sim.world.events.count()
    total = alive(object)
    for turn in range(200):
        busy(sim, ("minecraft:the_nether", "minecraft:overworld")[turn % 2])
    assert alive(Column, ChunkData) == columns
    assert alive(Entity) == entities
    assert sim.world.events.count() == listeners
    assert (len(worlds), worlds.columns) == (1, 9)
    assert alive(object) < total + 500


def test_a_body_that_left_leaves_nothing() -> None:
    worlds = Worlds()
    before = alive(Column, Simulation, World)
    for _ in range(20):
        sim = Simulation(world=World(server="mc.example", shared=worlds))
        sim.terrain(radius=1, floor="stone")
        sim.disconnect()
    del sim
    assert (len(worlds), worlds.columns) == (0, 0)
    assert alive(Column, Simulation, World) == before


def test_reconnecting_a_world_does_not_pile_up_handlers() -> None:
    world = World()
    told: list[str] = []
    world.events.on("chat", lambda line: told.append(line.text))
    before = world.events.count()
    for number in range(10):
        sim = Simulation(world=world)
        sim.receive("system_chat", content=f"hello {number}")
        sim.disconnect()
    assert told == [f"hello {number}" for number in range(10)]
    assert world.events.count() == before
