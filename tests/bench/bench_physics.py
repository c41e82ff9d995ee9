"""How many ticks of a player one core simulates a second. Run it: python -m tests.bench.bench_physics"""

from __future__ import annotations

import time

from numen.rules.physics import Inputs, PlayerState, matter, step
from tests.rules.worlds import Yard, standing


def _rate(name: str, state: PlayerState, inputs: Inputs, view: Yard, ticks: int = 4000) -> None:
    for _ in range(50):
        step(state, inputs, view)
    started = time.perf_counter()
    for _ in range(ticks):
        state = step(state, inputs, view)
    spent = time.perf_counter() - started
    print(f"{name:28} {ticks / spent:9,.0f} ticks/s  {spent / ticks * 1e6:6.1f} µs a tick")


def main() -> None:
    started = time.perf_counter()
    matter()
    print(f"table of block states        {1e3 * (time.perf_counter() - started):9.0f} ms once")
    flat = Yard()
    _rate("standing", standing(), Inputs(), flat)
    _rate("walking", standing(), Inputs(forward=1), flat)
    _rate("sprinting and jumping", standing(), Inputs(forward=1, sprint=True, jump=True), flat)
    _rate("sneaking", standing(), Inputs(forward=1, sneak=True), flat)
    wall = Yard().box((-3, 0, 2), (3, 3, 2), "stone")
    _rate("against a wall", standing(), Inputs(forward=1), wall)
    _rate("falling", PlayerState(y=1e6), Inputs(), Yard(floor=None))
    _rate(
        "swimming", PlayerState(), Inputs(forward=1, sprint=True), Yard(floor="stone", top=-60, fill="water")
    )


if __name__ == "__main__":
    main()
