"""Where a walk may end.

A goal says for many cells at once how far they are from it, in the search's units; 0 means that a body
standing in that cell has arrived, and nothing else does.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from numen.body.path import costs

Ints = NDArray[np.int64]
Cell = tuple[int, int, int]

EYE_HEIGHT = 1.62

_STRAIGHT = costs.units(costs.SPRINT)
_DIAGONAL = costs.units(costs.SPRINT * costs.DIAGONAL)
_UP = costs.units(costs.UP)
_DOWN = costs.units(costs.DOWN)


class Goal(Protocol):
    """What a search heads for."""

    def estimate(self, x: Ints, y: Ints, z: Ints) -> Ints:
        """Units still to go from each feet cell; 0 exactly where the goal is met."""

    def cells(self) -> list[Cell] | None:
        """All feet cells that meet it, when they are few enough to list."""

    @property
    def middle(self) -> tuple[int | None, int | None, int | None]:
        """Where it is, roughly; None for a coordinate that it leaves open."""

    def __str__(self) -> str: ...


def contains(goal: Goal, cell: Cell) -> bool:
    """Whether a body whose feet are in `cell` has arrived."""
    return estimate_at(goal, cell) == 0


def estimate_at(goal: Goal, cell: Cell) -> int:
    """Units still to go from one cell."""
    x, y, z = (np.array([each], np.int64) for each in cell)
    return int(goal.estimate(x, y, z)[0])


def travel(dx: Ints, dy: Ints, dz: Ints) -> Ints:
    """Units for a clear run by (dx, dy, dz): sprinting straight and diagonally, then the height."""
    ax, az = np.abs(dx), np.abs(dz)
    near, far = np.minimum(ax, az), np.maximum(ax, az)
    flat: Ints = near * _DIAGONAL + (far - near) * _STRAIGHT
    return flat + np.where(dy > 0, dy * _UP, dy * -_DOWN)


@dataclass(frozen=True)
class Block:
    """Feet in exactly this cell."""

    x: int
    y: int
    z: int

    def estimate(self, x: Ints, y: Ints, z: Ints) -> Ints:
        return travel(self.x - x, self.y - y, self.z - z)

    def cells(self) -> list[Cell] | None:
        return [(self.x, self.y, self.z)]

    @property
    def middle(self) -> tuple[int | None, int | None, int | None]:
        return self.x, self.y, self.z

    def __str__(self) -> str:
        return f"({self.x}, {self.y}, {self.z})"


@dataclass(frozen=True)
class Near:
    """Feet within `radius` blocks of a cell, as the crow flies."""

    x: int
    y: int
    z: int
    radius: float

    def estimate(self, x: Ints, y: Ints, z: Ints) -> Ints:
        dx, dy, dz = self.x - x, self.y - y, self.z - z
        distance = np.sqrt(dx * dx + dy * dy + dz * dz)
        share = np.maximum(distance - self.radius, 0.0) / np.maximum(distance, 1.0)
        far: Ints = np.ceil(travel(dx, dy, dz) * share).astype(np.int64)
        return far

    def cells(self) -> list[Cell] | None:
        r = int(self.radius)
        if r > 4:
            return None
        around = range(-r, r + 1)
        reach = self.radius * self.radius
        return [
            (self.x + dx, self.y + dy, self.z + dz)
            for dx in around
            for dy in around
            for dz in around
            if dx * dx + dy * dy + dz * dz <= reach
        ]

    @property
    def middle(self) -> tuple[int | None, int | None, int | None]:
        return self.x, self.y, self.z

    def __str__(self) -> str:
        return f"within {self.radius:g} of ({self.x}, {self.y}, {self.z})"


@dataclass(frozen=True)
class Column:
    """Anywhere in the column at (x, z)."""

    x: int
    z: int

    def estimate(self, x: Ints, y: Ints, z: Ints) -> Ints:
        return travel(self.x - x, np.zeros_like(y), self.z - z)

    def cells(self) -> list[Cell] | None:
        return None

    @property
    def middle(self) -> tuple[int | None, int | None, int | None]:
        return self.x, None, self.z

    def __str__(self) -> str:
        return f"x {self.x}, z {self.z}"


@dataclass(frozen=True)
class Height:
    """Anywhere at this height."""

    y: int

    def estimate(self, x: Ints, y: Ints, z: Ints) -> Ints:
        zero = np.zeros_like(x)
        return travel(zero, self.y - y, zero)

    def cells(self) -> list[Cell] | None:
        return None

    @property
    def middle(self) -> tuple[int | None, int | None, int | None]:
        return None, self.y, None

    def __str__(self) -> str:
        return f"height {self.y}"


class Cells:
    """Feet in any of these cells."""

    def __init__(self, cells: Iterable[Cell], name: str = "") -> None:
        self._cells = list(dict.fromkeys(cells))
        if not self._cells:
            raise ValueError("a goal needs at least one cell")
        self._name = name
        self._table = np.array(self._cells, np.int64)

    def estimate(self, x: Ints, y: Ints, z: Ints) -> Ints:
        best: Ints | None = None
        for tx, ty, tz in self._worth_asking(x, y, z):
            far = travel(tx - x, ty - y, tz - z)
            best = far if best is None else np.minimum(best, far)
        assert best is not None
        return best

    def _worth_asking(self, x: Ints, y: Ints, z: Ints) -> list[Cell]:
        # A search asks for a block of cells at a time. Only targets that may be the nearest for one of them
        # count.
        if len(self._cells) < 4 or len(x) == 0:
            return self._cells
        low = np.array([x.min(), y.min(), z.min()])
        high = np.array([x.max(), y.max(), z.max()])
        outside = np.maximum(np.maximum(low - self._table, self._table - high), 0).sum(axis=1)
        size = int((high - low).sum())
        # Costs of a block differ by less than this factor between the axes.
        dear, cheap = max(_STRAIGHT, _UP), min(_DOWN, _STRAIGHT)
        nearest = (int(outside.min()) + size) * dear
        keep = np.flatnonzero(outside * cheap <= nearest)
        return [self._cells[i] for i in keep]

    def cells(self) -> list[Cell] | None:
        return self._cells

    @property
    def middle(self) -> tuple[int | None, int | None, int | None]:
        x, y, z = (round(float(each)) for each in self._table.mean(axis=0))
        return x, y, z

    def __str__(self) -> str:
        return self._name or f"one of {len(self._cells)} places"


def beside(x: int, y: int, z: int, name: str = "") -> Cells:
    """Next to the block at (x, y, z): on one of its four sides at feet or head height, or on top of it."""
    sides = [(x + dx, y + dy, z + dz) for dx, dz in ((1, 0), (-1, 0), (0, 1), (0, -1)) for dy in (0, -1)]
    return Cells([*sides, (x, y + 1, z)], name or f"beside ({x}, {y}, {z})")


@dataclass(frozen=True)
class InReach:
    """Close enough to touch the block at (x, y, z): from the eyes to its nearest point at most `reach`
    blocks.

    The cell of the block itself and those whose body would be inside it don't count. A little less than the
    4.5 of vanilla 1.21.1 (`block_interaction_range`) leaves room for standing off the middle of a cell.
    """

    x: int
    y: int
    z: int
    reach: float = 4.0

    def estimate(self, x: Ints, y: Ints, z: Ints) -> Ints:
        dx = np.maximum(np.abs(self.x - x) - 0.5, 0.0)
        dz = np.maximum(np.abs(self.z - z) - 0.5, 0.0)
        eye = y + EYE_HEIGHT
        dy = np.maximum(np.maximum(self.y - eye, eye - self.y - 1.0), 0.0)
        distance = np.sqrt(dx * dx + dy * dy + dz * dz)
        inside = (x == self.x) & (z == self.z) & ((y == self.y) | (y == self.y - 1))
        share = np.maximum(distance - self.reach, 0.0) / np.maximum(distance, 1.0)
        way = travel(self.x - x, self.y - y, self.z - z)
        far = np.ceil(way * share).astype(np.int64)
        return np.where(inside, _STRAIGHT, far)

    def cells(self) -> list[Cell] | None:
        r = math.ceil(self.reach) + 2
        grid = np.mgrid[-r : r + 1, -r : r + 1, -r : r + 1].reshape(3, -1).astype(np.int64)
        x, y, z = grid[0] + self.x, grid[1] + self.y, grid[2] + self.z
        met = np.flatnonzero(self.estimate(x, y, z) == 0)
        return [(int(x[i]), int(y[i]), int(z[i])) for i in met]

    @property
    def middle(self) -> tuple[int | None, int | None, int | None]:
        return self.x, self.y, self.z

    def __str__(self) -> str:
        return f"in reach of ({self.x}, {self.y}, {self.z})"


class Away:
    """At least `distance` blocks from each of some points, measured over the ground."""

    def __init__(self, points: Sequence[tuple[float, float, float]], distance: float) -> None:
        if not points:
            raise ValueError("away from what?")
        self._points = list(points)
        self._distance = distance

    def estimate(self, x: Ints, y: Ints, z: Ints) -> Ints:
        missing = np.zeros(len(x))
        for px, _, pz in self._points:
            dx, dz = x + 0.5 - px, z + 0.5 - pz
            missing = np.maximum(missing, self._distance - np.sqrt(dx * dx + dz * dz))
        far: Ints = np.ceil(missing * _STRAIGHT).astype(np.int64)
        return far

    def cells(self) -> list[Cell] | None:
        return None

    @property
    def middle(self) -> tuple[int | None, int | None, int | None]:
        return None, None, None

    def __str__(self) -> str:
        return f"at least {self._distance:g} blocks away"


class AnyOf:
    """Whichever of some goals is cheapest to meet. `any_of` merges those that can be listed."""

    def __init__(self, goals: Sequence[Goal]) -> None:
        if not goals:
            raise ValueError("any of what?")
        self._goals = list(goals)

    def estimate(self, x: Ints, y: Ints, z: Ints) -> Ints:
        best = self._goals[0].estimate(x, y, z)
        for goal in self._goals[1:]:
            best = np.minimum(best, goal.estimate(x, y, z))
        return best

    def cells(self) -> list[Cell] | None:
        return None

    @property
    def middle(self) -> tuple[int | None, int | None, int | None]:
        return self._goals[0].middle

    def __str__(self) -> str:
        return " or ".join(map(str, self._goals[:3])) + (" …" if len(self._goals) > 3 else "")


def any_of(goals: Sequence[Goal]) -> Goal:
    """Whichever of `goals` is cheapest to meet."""
    if len(goals) == 1:
        return goals[0]
    listed: list[Cell] = []
    for goal in goals:
        cells = goal.cells()
        if cells is None:
            return AnyOf(goals)
        listed += cells
    return Cells(listed)


def distance(goal: Goal, cell: Cell) -> float:
    """Straight distance in blocks from a cell to the middle of a goal; `inf` when it is nowhere in
    particular."""
    squares = [(a - b) ** 2 for a, b in zip(goal.middle, cell, strict=True) if a is not None]
    return math.sqrt(sum(squares)) if squares else 0.0


def at(x: int, y: int, z: int) -> Goal:
    """Feet in exactly this cell."""
    return Block(x, y, z)


def near(x: int, y: int, z: int, radius: float) -> Goal:
    """Feet within `radius` blocks of this cell."""
    return Near(x, y, z, radius)


def column(x: int, z: int) -> Goal:
    """Anywhere in the column at (x, z)."""
    return Column(x, z)


def height(y: int) -> Goal:
    """Anywhere at this height."""
    return Height(y)
