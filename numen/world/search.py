"""Finding blocks: whole sections at a time by numpy, nearest sections first, in slices that never take
long."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from protocol.game import GAME

if TYPE_CHECKING:
    from numen.world.chunks import Chunks

#: x, y, z and the state there.
Found = tuple[int, int, int, int]
#: State ids, or a function that says of a state id whether it is wanted.
Wanted = Collection[int] | Callable[[int], bool]

#: Sections searched between two yields (some 30 µs each where the palette holds something wanted).
_SECTIONS_A_SLICE: Final = 24
#: States asked for between two yields when the search is by a function.
_STATES_A_SLICE: Final = 1024


def search_blocks(
    chunks: Chunks, wanted: Wanted, center: tuple[float, float, float], radius: float, limit: int
) -> Generator[None, None, list[Found]]:
    """The work behind `World.search_blocks`."""
    states = (yield from _ask(wanted)) if callable(wanted) else frozenset(wanted)
    if not states or limit <= 0 or radius < 0:
        return []
    table = np.zeros(max(0x10000, max(states) + 1), np.bool_)
    table[list(states)] = True
    best: list[tuple[float, Found]] = []
    searched = 0
    for least, cx, number, cz in _sections(chunks, center, radius):
        if len(best) >= limit and best[-1][0] <= least:
            break
        searched += 1
        if searched % _SECTIONS_A_SLICE == 0:
            yield
        column = chunks.columns.get((cx, cz))
        if column is None or not column.data.may_hold(number, states):
            continue
        section = column.data.section_states(number)
        if section.dtype != np.uint16 and int(section.max()) >= len(table):
            section = np.minimum(section, len(table) - 1)
        hits = np.flatnonzero(table[section])
        if hits.size:
            corner = cx << 4, chunks.min_y + (number << 4), cz << 4
            best = _merge(best, section, hits, corner, center, radius, limit)
    return [found for _, found in best]


def _ask(wanted: Callable[[int], bool]) -> Generator[None, None, frozenset[int]]:
    found = []
    for state in range(GAME.state_count):
        if wanted(state):
            found.append(state)
        if state % _STATES_A_SLICE == _STATES_A_SLICE - 1:
            yield
    return frozenset(found)


def _sections(
    chunks: Chunks, center: tuple[float, float, float], radius: float
) -> list[tuple[float, int, int, int]]:
    """Sections that reach into the sphere, by the squared distance of their nearest cell, nearest first."""
    positions = np.array(list(chunks.columns), np.int64).reshape(-1, 2)
    gaps_x = _gaps(positions[:, 0] * 16, center[0])
    gaps_z = _gaps(positions[:, 1] * 16, center[2])
    flat = gaps_x**2 + gaps_z**2
    near = np.flatnonzero(flat <= radius * radius)
    gaps_y = _gaps(chunks.min_y + np.arange(chunks.section_count) * 16, center[1])
    squares = flat[near, None] + gaps_y[None, :] ** 2
    columns, numbers = np.nonzero(squares <= radius * radius)
    distances = squares[columns, numbers]
    order = np.argsort(distances, kind="stable")
    of = positions[near][columns[order]].tolist()
    return [
        (distance, cx, number, cz)
        for distance, (cx, cz), number in zip(
            distances[order].tolist(), of, numbers[order].tolist(), strict=True
        )
    ]


def _gaps(starts: NDArray[np.int64], at: float) -> NDArray[np.float64]:
    """How far `at` is from the nearest middle of a cell in each span of 16 cells."""
    gaps: NDArray[np.float64] = np.maximum(np.maximum(starts + 0.5 - at, at - (starts + 15.5)), 0.0)
    return gaps


def _merge(
    best: list[tuple[float, Found]],
    section: NDArray[np.uint16] | NDArray[np.uint32],
    hits: NDArray[np.intp],
    corner: tuple[int, int, int],
    center: tuple[float, float, float],
    radius: float,
    limit: int,
) -> list[tuple[float, Found]]:
    """The best so far with a section's hits among them, at most `limit`, nearest first."""
    xs = corner[0] + (hits & 15)
    ys = corner[1] + (hits >> 8)
    zs = corner[2] + (hits >> 4 & 15)
    squares = (xs + 0.5 - center[0]) ** 2 + (ys + 0.5 - center[1]) ** 2 + (zs + 0.5 - center[2]) ** 2
    reach = radius * radius
    if len(best) >= limit:
        reach = min(reach, best[-1][0])
    near = np.flatnonzero(squares <= reach)
    if near.size > limit:
        near = near[np.argpartition(squares[near], limit - 1)[:limit]]
    if not near.size:
        return best
    found = zip(
        xs[near].tolist(), ys[near].tolist(), zs[near].tolist(), section[hits[near]].tolist(), strict=True
    )
    merged = best + list(zip(squares[near].tolist(), found, strict=True))
    merged.sort()
    return merged[:limit]
