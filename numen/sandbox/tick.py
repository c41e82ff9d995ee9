"""The order of one server tick, the game's own. Nothing else decides what happens before what.

1. the clock; 2. what players sent, at most PACKETS_A_TICK each; 3. block ticks that are due; 4. everybody
is told how entities moved and which blocks changed; 5. creatures and things; 6. furnaces and their like; 7.
births; 8. players; 9. each player is told his acknowledgements, slots and health, and his next columns are
chosen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from numen.sandbox import blocks, sleep, spawning
from numen.sandbox.scheduled import BlockPos

if TYPE_CHECKING:
    from numen.sandbox.server import Sandbox
    from numen.sandbox.world import ColumnPos, World

PACKETS_A_TICK = 50
TIME_EVERY = 20
LATENCY_EVERY = 600
#: Things farther than this from every player stand still, in blocks.
SIMULATED = 128.0


def run(sandbox: Sandbox) -> None:
    """One tick."""
    world = sandbox.world
    world.age += 1
    if sandbox.options.daylight_cycle:
        world.day_time += 1
    for player in list(world.players):
        player.read_packets(PACKETS_A_TICK)
    for at, block_id in list(world.scheduled.due(world.age)):
        blocks.scheduled_tick(world, at, block_id)
    world.tracker.tick()
    for column, cells in world.take_changes():
        _tell_changes(world, column, cells)
    _tick_entities(world)
    for entity in list(world.block_entities.values()):
        entity.tick()
    spawning.tick(world, enabled=sandbox.options.mobs)
    for player in list(world.players):
        player.tick()
    sleep.tick(world)
    for player in list(world.players):
        player.flush()
    if world.age % TIME_EVERY == 0:
        sandbox.announce_time()
    if world.age % LATENCY_EVERY == 0:
        sandbox.announce_latencies()


def _tick_entities(world: World) -> None:
    for entity in list(world.entities.values()):
        if entity.removed or entity in world.players:
            continue
        if any((p.x - entity.x) ** 2 + (p.z - entity.z) ** 2 < SIMULATED**2 for p in world.players):
            entity.tick()


def _tell_changes(world: World, column: ColumnPos, cells: list[BlockPos]) -> None:
    """One packet for a single cell, one a section for several (protocol 767)."""
    viewers = [player for player in world.players if player.view.has(column)]
    if not viewers:
        return
    sections: dict[int, list[BlockPos]] = {}
    for at in cells:
        sections.setdefault(at[1] >> 4, []).append(at)
    for section, changed in sections.items():
        if len(changed) == 1:
            at = changed[0]
            for player in viewers:
                player.send("block_change", location=at, type=world.block(*at))
            continue
        records = [world.block(x, y, z) << 12 | (x & 15) << 8 | (z & 15) << 4 | y & 15 for x, y, z in changed]
        place = {"x": column[0], "y": section, "z": column[1]}
        for player in viewers:
            player.send("multi_block_change", chunkCoordinates=place, records=records)
