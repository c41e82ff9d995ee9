"""What the world costs: chunks taken in, blocks looked up, blocks found, memory.

.venv/bin/python -m tests.bench.bench_world
"""

from __future__ import annotations

import gc
import gzip
import json
import random
import resource
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from numen.testing.simulation import Simulation
from numen.world import World, Worlds
from protocol import codec
from protocol.game import GAME

CAPTURE = Path(__file__).parents[1] / "data" / "captures" / "hills.jsonl.gz"


def chunk_payloads() -> list[bytes]:
    """The 441 chunk packets of a recorded session, id and body."""
    with gzip.open(CAPTURE, "rt") as lines:
        packets = (json.loads(line) for line in lines)
        return [
            bytes.fromhex(packet["hex"])
            for packet in packets
            if packet["dir"] == "s2c" and packet["state"] == "play" and packet["name"] == "map_chunk"
        ]


def timed(work: Callable[[], Any], repeat: int = 3) -> float:
    """Seconds of the best of some runs."""
    best = float("inf")
    for _ in range(repeat):
        begin = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - begin)
    return best


def resident_mb() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 2**20


def ingest(sim: Simulation, payloads: list[bytes]) -> None:
    for payload in payloads:
        sim.link.packet_received(payload)


def main() -> None:
    GAME.block_of(1)
    payloads = chunk_payloads()
    size = sum(map(len, payloads)) / 1024
    print(f"{len(payloads)} chunks, {size / len(payloads):.1f} KiB each")

    gc.collect()
    before = resident_mb()
    worlds = Worlds()
    sim = Simulation(world=World(server="bench", shared=worlds))
    ingest(sim, payloads)
    gc.collect()
    after = resident_mb()
    second = Simulation(username="Second", world=World(server="bench", shared=worlds))
    ingest(second, payloads)
    gc.collect()
    print(
        f"memory of a view: {after - before:.1f} MB; of a second body in it: {resident_mb() - after:.1f} MB"
    )

    seconds = timed(lambda: ingest(sim, payloads))
    print(f"chunks taken in (decode, columns, light): {len(payloads) / seconds:,.0f}/s")
    seconds = timed(lambda: [codec.decode("play", "toClient", payload) for payload in payloads])
    print(f"  of that the packet's decoding alone: {len(payloads) / seconds:,.0f}/s")

    world = sim.world
    rng = random.Random(1)
    cells = [(rng.randrange(-64, 64), rng.randrange(40, 90), rng.randrange(-64, 64)) for _ in range(100_000)]
    block = world.block

    def look_up() -> None:
        for x, y, z in cells:
            block(x, y, z)

    look_up()
    print(f"block look-ups: {timed(look_up) / len(cells) * 1e9:,.0f} ns each")

    center = (0.5, 70.0, 0.5)
    kinds = {
        "3 kinds near by (dirt, stone, grass)": ("dirt", "stone", "grass_block"),
        "3 kinds that are rare (coal, iron, log)": ("coal_ore", "iron_ore", "oak_log"),
        "3 kinds that are not there": ("beacon", "dragon_egg", "sponge"),
    }
    for label, names in kinds.items():
        states = frozenset(
            state
            for name in names
            for state in range(GAME.block(name).min_state, GAME.block(name).max_state + 1)
        )
        found = world.find_blocks(states, center, 64, 64)
        seconds = timed(partial(world.find_blocks, states, center, 64, 64))
        longest, slices = 0.0, 0
        search = world.search_blocks(states, center, 64, 64)
        done = False
        while not done:
            begin = time.perf_counter()
            try:
                next(search)
            except StopIteration:
                done = True
            longest = max(longest, time.perf_counter() - begin)
            slices += 1
        print(
            f"find_blocks radius 64, {label}: {len(found)} in {seconds * 1000:.1f} ms,"
            f" longest of {slices} slices {longest * 1000:.2f} ms"
        )


if __name__ == "__main__":
    main()
