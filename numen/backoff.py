"""How long to wait before the next try."""

from __future__ import annotations

import random
from collections.abc import Iterator


def delays(
    first_s: float = 1.0, longest_s: float = 30.0, *, rng: random.Random | None = None
) -> Iterator[float]:
    """Seconds to wait before each try, doubling to `longest_s`, each shortened by up to a quarter.

    The shortening keeps many companions that lost one server from coming back in the same moment.
    """
    rng = rng or random.Random()
    delay = first_s
    while True:
        yield delay * (1 - 0.25 * rng.random())
        delay = min(delay * 2, longest_s)
