"""How fast paths are found over hills, beside mineflayer-pathfinder where it is installed.

.venv/bin/python -m tests.bench.bench_path
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from numen.body.path import goals, plan
from numen.body.path.context import Context, Tools
from numen.body.path.goals import Goal
from numen.body.path.ground import Ground
from numen.body.path.search import Limits, Search
from numen.body.warm import warm_up
from tests.bench import node
from tests.body.path.terrain import Hills

#: From the surface at the origin to the surface at these places.
PLACES = ((60, 0), (70, 70), (-100, 30), (0, 100), (-80, -80))
#: On a pillar of air: nobody can get there without blocks.
SKY = (40, 120, 40)

WALK = Context()
DIG = Context(may_dig=True, dig_ticks=Tools((), wasteful=True))


@dataclass
class Figures:
    """One search: the first over this terrain and the best of five after it, in ms; the longest it kept the
    event loop."""

    outcome: plan.Outcome
    first: float
    again: float
    slice_ms: float

    @property
    def visited(self) -> int:
        return int(self.outcome.data.get("nodes", 0))

    def row(self) -> str:
        route = self.outcome.route
        length = len(route.steps) if route is not None and self.outcome.arrives else 0
        rate = self.visited / self.again * 1000
        figures = f"{self.first:8.1f} {self.again:8.1f} {self.visited:8d} {rate:10,.0f}"
        return f"{figures} {length:6d} {self.slice_ms:8.1f}"


def measure(hills: Hills, goal: Goal, context: Context) -> Figures:
    """Search on fresh ground, then again on ground that is known."""
    start = (0, hills.surface(0, 0), 0)
    ground = Ground(hills)
    times = []
    slowest = 0.0
    for _ in range(6):
        work = plan.find(ground, start, goal, context)
        began = mark = time.perf_counter()
        while True:
            try:
                next(work)
            except StopIteration as end:
                outcome: plan.Outcome = end.value
                break
            now = time.perf_counter()
            slowest = max(slowest, (now - mark) * 1000)
            mark = now
        times.append((time.perf_counter() - began) * 1000)
    return Figures(outcome, times[0], min(times[1:]), slowest)


def flood(hills: Hills, context: Context, nodes: int) -> tuple[float, float]:
    """Nodes a second of a search that has to look at everything: on fresh ground, and on known ground."""
    start = (0, hills.surface(0, 0), 0)
    ground = Ground(hills)
    rates = []
    for _ in range(3):
        search = Search(ground, start, goals.at(*SKY), context, Limits(nodes=nodes))
        began = time.perf_counter()
        for _ in search.run():
            pass
        rates.append(search.visited / (time.perf_counter() - began))
    return rates[0], max(rates[1:])


def main() -> None:
    hills = Hills()
    for cx in range(-12, 13):
        for cz in range(-12, 13):
            hills.section(cx, 4, cz)
    warm_up()
    wishes = [(x, hills.surface(x, z), z, dig) for dig in (False, True) for x, z in PLACES]
    theirs = node.run("bench_path.js", ({"x": x, "y": y, "z": z, "dig": dig} for x, y, z, dig in wishes))
    print(f"{'':23} first ms  then ms  visited    nodes/s  steps slice ms   mineflayer-pathfinder")
    for number, (x, y, z, dig) in enumerate(wishes):
        figures = measure(hills, goals.at(x, y, z), DIG if dig else WALK)
        peer = ""
        if theirs is not None:
            one = theirs[number]
            rate = one["visited"] / one["ms"] * 1000
            peer = (
                f"  {one['ms']:8.0f} ms {one['visited']:7d} visited {rate:8,.0f}/s {one['length']:4d} steps"
                f"  x{one['ms'] / figures.again:.0f} (first x{one['ms'] / figures.first:.0f})"
            )
        print(f"{'dig ' if dig else 'walk'} to {x:5d},{z:5d}      {figures.row()}{peer}")
    for name, goal, context in (
        ("in the air, walk", goals.at(*SKY), WALK),
        ("in the air, dig", goals.at(*SKY), DIG),
        ("in the rock, walk", goals.at(20, 40, 10), WALK),
        ("in the rock, dig", goals.at(20, 40, 10), DIG),
    ):
        figures = measure(hills, goal, context)
        print(f"{name:23} {figures.row()}  {figures.outcome.reason or 'found'}")
    for name, context in (("walking", WALK), ("digging", DIG)):
        fresh, known = flood(hills, context, 30_000)
        print(f"everything, {name:11} {fresh:10,.0f} nodes/s on fresh ground, {known:10,.0f} on known ground")


if __name__ == "__main__":
    main()
