"""A way that was found: steps in order, to be walked, cut and joined."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from numen.body.path import costs, frame, moves
from numen.body.path.frame import Cell
from numen.body.path.moves.kinds import Kind

if TYPE_CHECKING:
    from numen.body.path.search import Search


@dataclass(frozen=True)
class Step:
    """One move. Cells are those of the feet."""

    kind: Kind
    src: Cell
    dst: Cell
    #: What it was thought to cost, digging included.
    ticks: float
    #: Cells to be dug free before, in this order; those that are free already count as done.
    clear: tuple[Cell, ...] = ()
    #: Where a block is set before (under the feet, in a pillar).
    place: Cell | None = None

    @property
    def heading(self) -> tuple[int, int]:
        """Its direction over the ground: -1, 0 or 1 in x and z."""
        dx, dz = self.dst[0] - self.src[0], self.dst[2] - self.src[2]
        return (dx > 0) - (dx < 0), (dz > 0) - (dz < 0)

    @property
    def rise(self) -> int:
        """Cells up; negative is down."""
        return self.dst[1] - self.src[1]

    @property
    def body_cells(self) -> tuple[Cell, ...]:
        """Cells that feet and head pass."""
        (x, y, z), (tx, ty, tz) = self.src, self.dst
        top = max(y, ty) + 1
        cells = [(tx, each, tz) for each in range(top, ty - 1, -1)]
        if ty > y:
            cells.append((x, y + 2, z))
        return tuple(cells)


@dataclass(frozen=True)
class Route:
    """Steps that follow each other, from `start`. `arrives` when the last one ends in the goal."""

    start: Cell
    steps: tuple[Step, ...]
    arrives: bool

    @property
    def end(self) -> Cell:
        return self.steps[-1].dst if self.steps else self.start

    @property
    def cells(self) -> list[Cell]:
        """Every cell the feet rest in, the start first."""
        return [self.start, *(step.dst for step in self.steps)]

    @property
    def ticks(self) -> float:
        return sum(step.ticks for step in self.steps)

    @property
    def dug(self) -> int:
        """Cells that it digs free, at most."""
        return sum(len(step.clear) for step in self.steps)

    @property
    def placed(self) -> int:
        """Blocks that it leaves behind."""
        return sum(step.place is not None for step in self.steps)

    def ticks_from(self, index: int) -> float:
        """Ticks that the steps from `index` on are thought to take."""
        return sum(step.ticks for step in self.steps[index:])

    def cut(self, count: int) -> Route:
        """The first `count` steps of it."""
        if count >= len(self.steps):
            return self
        return Route(self.start, self.steps[:count], arrives=False)

    def joined(self, other: Route, at: int | None = None) -> Route:
        """Its first `at` steps (all of them when None) followed by `other`, which starts where they end."""
        first = self if at is None else self.cut(at)
        if other.start != first.end:
            raise ValueError(f"a route from {other.start} can't follow one that ends in {first.end}")
        return Route(self.start, first.steps + other.steps, other.arrives)


#: The last part of a long way to somewhere on the way is not walked: it was only the best guess.
_SURE_SHARE: Final = 0.9
_LONG: Final = 30


def build(search: Search, node: int, arrives: bool) -> Route:
    """The route to a node of a search."""
    chain = search.chain(node)
    steps = [_step(search, a, b) for a, b in pairwise(chain)]
    if not arrives and len(steps) > _LONG:
        steps = steps[: int(len(steps) * _SURE_SHARE)]
    return Route(search.frame.cell(search.start), tuple(steps), arrives)


def _step(search: Search, a: int, b: int) -> Step:
    src, dst = search.frame.cell(a), search.frame.cell(b)
    offset = (dst[0] - src[0], dst[1] - src[1], dst[2] - src[2])
    ticks = (search.cost[b] - search.cost[a]) / costs.UNIT
    placed = b >> frame.BITS > a >> frame.BITS
    if not placed:
        for edge in moves.edges(search.code_of(a), search.context.sprints):
            if (edge.dx, edge.dy, edge.dz) == offset:
                return Step(edge.kind, src, dst, ticks)
    return _altering(src, dst, ticks, placed) or Step(Kind.FALL, src, dst, ticks)


def _altering(src: Cell, dst: Cell, ticks: float, placed: bool) -> Step | None:
    """The step of a move that digs or places; None for one that does neither."""
    x, y, z = src
    tx, ty, tz = dst
    rise = ty - y
    if (tx, tz) == (x, z):
        if placed:
            return Step(Kind.PILLAR, src, dst, ticks, ((x, y + 2, z),), src)
        return Step(Kind.DIG_DOWN, src, dst, ticks, ((x, y - 1, z),))
    if abs(tx - x) + abs(tz - z) != 1:
        return None
    if rise == 1:
        clear = ((x, y + 2, z), (tx, y + 2, tz), (tx, y + 1, tz))
        return Step(Kind.ASCEND, src, dst, ticks, clear, (tx, y, tz) if placed else None)
    if rise == 0 and placed:
        return Step(Kind.BRIDGE, src, dst, ticks, ((tx, y + 1, tz), (tx, y, tz)), (tx, y - 1, tz))
    if -3 <= rise <= 0:
        kind = (Kind.WALK, Kind.DESCEND, Kind.FALL, Kind.FALL)[-rise]
        return Step(kind, src, dst, ticks, tuple((tx, each, tz) for each in range(y + 1, ty - 1, -1)))
    return None
