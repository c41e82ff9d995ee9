"""What the practice server costs: columns, and ticks alone, with animals, by night. Run it:
python -m tests.bench.bench_sandbox
"""

from __future__ import annotations

import random
import time

from numen.sandbox import chunk_packets, warmup
from numen.sandbox.entities.kinds import summon
from numen.sandbox.world import World
from numen.sandbox.worldgen import generator_for
from numen.testing.sandbox import Env

NIGHT = 14000


def columns(count: int = 64) -> None:
    started = time.perf_counter()
    generator = generator_for("hills", 1)
    generator.spawn()
    print(f"spawn found                  {1e3 * (time.perf_counter() - started):8.1f} ms once")
    world = World(generator, 1)
    chunk_packets.body(world, 100, 100)
    places = [(number % 8, number // 8) for number in range(count)]
    for title, work in (
        ("a column made", lambda at: world.column(*at)),
        ("its packet encoded", lambda at: chunk_packets.prepare(world, *at)),
        ("its packet again", lambda at: chunk_packets.body(world, *at)),
    ):
        started = time.perf_counter()
        for at in places:
            work(at)
        print(f"{title:28} {1e3 * (time.perf_counter() - started) / count:8.2f} ms")


def ticks(env: Env, title: str, count: int = 400) -> None:
    """Thread time, so that what else runs on the machine does not count."""
    spent = []
    for _ in range(count):
        env.pump()
        started = time.thread_time()
        env.sandbox.tick()
        spent.append(1e3 * (time.thread_time() - started))
    spent.sort()
    middle, late = spent[count // 2], spent[int(count * 0.99)]
    print(f"{title:28} {middle:8.2f} ms, 99 % under {late:.2f}, longest {spent[-1]:.2f}")


def main() -> None:
    columns()
    env = Env(world="hills", view_distance=6, day_time=NIGHT)
    for _ in warmup.steps(env.world):
        pass
    player = env.join(settle=60).player
    player.health = 1e9
    ticks(env, "a tick with one player")
    chance = random.Random(1)
    x, y, z = env.world.spawn

    def populate(kinds: list[str], count: int) -> None:
        for _ in range(count):
            at_x, at_z = x + chance.randint(-30, 30), z + chance.randint(-30, 30)
            summon(
                env.world,
                chance.choice(kinds),
                at_x + 0.5,
                float(env.world.ground(at_x, at_z, y)),
                at_z + 0.5,
            )
        env.tick(20)

    populate(["pig", "cow", "sheep", "chicken"], 30)
    ticks(env, "  and 30 animals")
    populate(["zombie"], 6)
    ticks(env, "  and 6 zombies after him")


if __name__ == "__main__":
    main()
