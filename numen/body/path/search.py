"""A*: the cheapest way from a cell to a goal, in slices.

Nodes are whole numbers (`frame`), costs are whole numbers (`costs.UNIT` to a tick), a heap entry is both in
one number; so the loop compares and adds small integers and builds no objects. The terrain is surveyed a
block at a time when the search first gets there.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Final

import numpy as np
from numpy.typing import NDArray

from numen.body.path import costs, frame, goals, moves
from numen.body.path.alter import Alterations
from numen.body.path.context import Context
from numen.body.path.frame import CELL, Cell, Frame
from numen.body.path.goals import Goal, Ints
from numen.body.path.ground import Ground, Surveyed

#: One block left behind: the layers of keys above the cells count them.
LAYER: Final = 1 << frame.BITS
_MOST_LAYERS: Final = 255
#: A node's second turn: digging and placing, when the moves that change nothing have had theirs.
_SECOND: Final = 1 << (frame.BITS + 8)
_KEY: Final = _SECOND - 1
_SHIFT: Final = frame.BITS + 9

_FAR: Final = 1 << 60
_FAR_UNITS: Final = 1 << 20
#: What is ahead counts so many 256ths when the goal is at least so many blocks away. A far goal is headed for
#: more eagerly: over hills a way of 60 to 140 blocks costs 1.5 % more for it and takes a third of the search.
_EAGER: Final = ((128.0, 308), (32.0, 300), (0.0, 257))
#: Cells that are no stands are estimated in groups of 8 × 8 × 8.
_GROUP: Final = ~(7 << 20 | 7 << 10 | 7)
_GROUP_KEYS: Final = np.array(
    [y << 20 | z << 10 | x for y in range(8) for z in range(8) for x in range(8)], np.int64
)
#: Nodes between two yields: well below a millisecond, but for blocks that are seen for the first time.
SLICE_NODES: Final = 64

Steps = tuple[tuple[int, int], ...]


class _Patterns(dict[int, Steps]):
    """Codes of stands to (what to add to the key, what to add to the cost)."""

    def __init__(self, sprints: bool, dives: bool) -> None:
        super().__init__()
        self._sprints = sprints
        self._dives = dives

    def __missing__(self, code: int) -> Steps:
        steps = tuple(
            (frame.step(edge.dx, edge.dy, edge.dz), costs.units(edge.ticks))
            for edge in moves.edges(code, self._sprints, self._dives)
        )
        self[code] = steps
        return steps


#: Shared by all searches: the codes that terrain gives rise to are few.
_PATTERNS: Final = {
    (sprints, dives): _Patterns(sprints, dives) for sprints in (False, True) for dives in (False, True)
}


@dataclass(frozen=True)
class Limits:
    """When to stop looking. Milliseconds are for real runs; nodes give the same answer on any machine."""

    nodes: int = 150_000
    ms: float | None = None
    #: How much more the way ahead counts than the way behind: the way found costs at most so many times the
    #: cheapest, and is found the sooner.
    zeal: float = 1.0


class Search:
    """One search; `run` does it."""

    def __init__(
        self, ground: Ground, start: Cell, goal: Goal, context: Context, limits: Limits | None = None
    ) -> None:
        self.ground = ground
        self.goal = goal
        self.context = context
        self.limits = limits or Limits()
        self.frame = Frame.around(start)
        self.start = self.frame.key(start)
        #: Only ways that cost less are of interest, units.
        self.ceiling: int | None = None
        #: The node in which the goal was met.
        self.end: int | None = None
        #: Nodes visited.
        self.visited = 0
        self.ms = 0.0
        #: Stands right beside something that is not loaded, of the blocks surveyed so far.
        self.border: set[int] = set()
        self._frame_ends = False
        #: The heap ran empty: everything that can be reached has been.
        self.exhausted = False
        #: Best known cost to each node, and the node before it.
        self.cost: dict[int, int] = {self.start: 0}
        self.before: dict[int, int] = {}
        #: Units still to go from each cell, a shade too much so that of equals the nearer comes first.
        self.to_go: dict[int, int] = {}
        self.steps: dict[int, Steps] = {}
        self.blocks: dict[int, Surveyed] = {}
        self.alterations: Alterations | None = None
        if context.may_dig or context.may_place:
            self.alterations = Alterations(self)
        self._patterns = _PATTERNS[context.sprints, context.dives]
        far = goals.distance(goal, start)
        eager = next(zeal for blocks, zeal in _EAGER if far >= blocks)
        self._zeal = int(max(eager, 256 * self.limits.zeal))

    # -- the loop
    # ------------------------------------------------------------------------------------------------

    def run(self) -> Generator[None, None, bool]:
        """Search until the goal is met, nothing is left, or a limit is hit. Yields every few hundred nodes;
        returns whether it got there."""
        began = time.perf_counter()
        start = self.start
        self.survey(start)
        yield
        if start not in self.to_go:
            self._stand_anyway(start)
        heap = [self.to_go[start] << _SHIFT | start]
        most = min(self.context.spendable, _MOST_LAYERS) if self.context.may_place else 0

        cost, before, to_go, steps_of = self.cost, self.before, self.to_go, self.steps
        known, left, leads = cost.get, to_go.get, steps_of.get
        alterations = self.alterations
        # 0 for a cell in which a body can't rest as the terrain is
        least_of: dict[int, int] = {} if alterations is None else alterations.least
        dearer = least_of.get
        ceiling = self.ceiling if self.ceiling is not None else _FAR
        until_yield = SLICE_NODES
        visited = 0
        while heap:
            entry = heappop(heap)
            node = entry & _KEY
            cell = node & CELL
            spent = cost[node]
            ahead = to_go[cell]
            if entry & _SECOND:
                assert alterations is not None
                if entry >> _SHIFT != spent + ahead + dearer(cell, 0):
                    continue
                dug, placed = alterations.moves(cell)
                for step, price in dug:
                    other = node + step
                    price += spent
                    if price < known(other, _FAR):
                        further = left(other & CELL)
                        if further is None:
                            further = self._estimate(other & CELL)
                            yield
                            if further is None:
                                continue
                        cost[other] = price
                        before[other] = node
                        heappush(heap, (price + further) << _SHIFT | other)
                if node >> frame.BITS < most:
                    for step, price in placed:
                        other = node + step + LAYER
                        price += spent
                        if price < known(other, _FAR):
                            further = left(other & CELL)
                            if further is None:
                                further = self._estimate(other & CELL)
                                yield
                                if further is None:
                                    continue
                            cost[other] = price
                            before[other] = node
                            heappush(heap, (price + further) << _SHIFT | other)
                continue

            if entry >> _SHIFT != spent + ahead:
                continue  # a cheaper way here was found since
            visited += 1
            if entry >> _SHIFT >= ceiling:
                self.exhausted = True
                break
            if not ahead:
                self.end = node
                break
            until_yield -= 1
            if not until_yield:
                until_yield = SLICE_NODES
                self.visited = visited
                if visited >= self.limits.nodes or self._late(began):
                    break
                yield
            if node != cell and self._dominated(node, spent):
                continue
            for step, price in leads(cell, ()):
                other = node + step
                price += spent
                if price < known(other, _FAR):
                    further = left(other & CELL)
                    if further is None:
                        further = self._estimate(other & CELL)
                        yield
                        if further is None:
                            continue
                    cost[other] = price
                    before[other] = node
                    heappush(heap, (price + further) << _SHIFT | other)
            if alterations is not None:
                least = dearer(cell, 0)
                if least < _FAR_UNITS:
                    heappush(heap, (spent + ahead + least) << _SHIFT | _SECOND | node)
        else:
            self.exhausted = True
        self.visited = visited
        self.ms = (time.perf_counter() - began) * 1000
        return self.end is not None

    def _late(self, began: float) -> bool:
        return self.limits.ms is not None and (time.perf_counter() - began) * 1000 > self.limits.ms

    def _dominated(self, node: int, spent: int) -> bool:
        """Whether the same cell was reached as cheaply with fewer blocks spent."""
        known = self.cost.get
        node -= LAYER
        while node >= 0:
            if known(node, _FAR) <= spent:
                return True
            node -= LAYER
        return False

    # -- the terrain
    # ---------------------------------------------------------------------------------------------

    def _estimate(self, cell: int) -> int | None:
        """Units to go from a cell that has not been asked for before; None where the frame ends."""
        self.survey(cell)
        found = self.to_go.get(cell)
        if found is None and self.alterations is not None:
            group = cell & _GROUP
            self.estimate(_GROUP_KEYS + group)
            found = self.to_go.get(cell)
        return found

    def survey(self, cell: int) -> Surveyed | None:
        """Make the block of a cell known; None where the frame ends."""
        index = (cell >> 24 & 31) << 10 | (cell >> 15 & 31) << 5 | (cell >> 5 & 31)
        block = self.blocks.get(index)
        if block is not None:
            return block
        x, y, z = (cell >> 5 & 31) * 32, (cell >> 24 & 31) * 16, (cell >> 15 & 31) * 32
        if not (0 < x < 992 and 0 < z < 992 and 0 < y < 496):
            self._frame_ends = True
            return None
        context, frame = self.context, self.frame
        block = self.ground.block(frame.x + x, frame.y + y, frame.z + z, context.max_drop, context.leaps)
        self.blocks[index] = block
        keys = block.keys + (y << 20 | z << 10 | x)
        self.estimate(keys)
        listed = keys.tolist()
        if block.open_ended:
            self.border.update(keys[moves.at_border(block.codes)].tolist())
        self.steps.update(zip(listed, map(self._patterns.__getitem__, block.codes.tolist()), strict=True))
        self._mark_avoided(keys)
        for i, step, ticks in block.plunges:
            self.steps[listed[i]] += ((step, costs.units(ticks)),)
        if self.alterations is not None:
            self.alterations.add(index, block, keys)
        return block

    def estimate(self, keys: NDArray[np.int64]) -> None:
        """Work out how far it is to the goal from some cells."""
        x, y, z = (
            self.frame.x + (keys & 1023),
            self.frame.y + (keys >> 20),
            self.frame.z + (keys >> 10 & 1023),
        )
        far = self.goal.estimate(x, y, z)
        self.to_go.update(zip(keys.tolist(), (far * self._zeal >> 8).tolist(), strict=True))

    def _stand_anyway(self, start: int) -> None:
        """The body is where none can rest (in the air, half in a block): let it get away from there."""
        self.estimate(np.array([start], np.int64))
        ways = []
        for dx in (-1, 0, 1):
            for dz in (-1, 0, 1):
                for dy in (1, 0, -1, -2, -3):
                    other = start + frame.step(dx, dy, dz)
                    self.survey(other)
                    if other in self.steps and other != start:
                        ways.append((frame.step(dx, dy, dz), costs.units(costs.WALK * (1 + abs(dy)))))
        self.steps[start] = tuple(ways)

    def avoided(self, keys: NDArray[np.int64]) -> Iterator[tuple[NDArray[np.intp], float | None]]:
        """Which of some cells lie in a sphere to avoid, and what a step in it costs."""
        for sphere in self.context.avoid:
            x, y, z = self.coordinates(keys)
            dx, dy, dz = x + 0.5 - sphere.x, y + 0.9 - sphere.y, z + 0.5 - sphere.z
            yield np.flatnonzero(dx * dx + dy * dy + dz * dz <= sphere.radius**2), sphere.ticks

    def _mark_avoided(self, keys: NDArray[np.int64]) -> None:
        """Make the steps out of avoided cells dearer, or take them away."""
        for inside, ticks in self.avoided(keys):
            for key in keys[inside].tolist():
                if key == self.start:
                    continue
                if ticks is None:
                    self.steps[key] = ()
                else:
                    more = costs.units(ticks)
                    self.steps[key] = tuple((step, price + more) for step, price in self.steps[key])

    def coordinates(self, keys: NDArray[np.int64]) -> tuple[Ints, Ints, Ints]:
        """World coordinates of some cells."""
        corner = self.frame
        return corner.x + (keys & 1023), corner.y + (keys >> 20), corner.z + (keys >> 10 & 1023)

    @property
    def open_ended(self) -> bool:
        """The search has come to where nothing is loaded."""
        return self._frame_ends or any(cell in self.cost for cell in self.border)

    # -- what came out
    # -------------------------------------------------------------------------------------------

    def code_of(self, key: int) -> int:
        """The code of a stand, 0 where a body can't rest."""
        block = self.survey(key & CELL)
        if block is None:
            return 0
        return block.code(key & (15 << 20 | 31 << 10 | 31)) or 0

    @property
    def reached(self) -> tuple[Ints, Ints, Ints]:
        """World coordinates of the cells that can be walked to, as far as the search got."""
        return self.coordinates(np.fromiter(self.cost, np.int64, len(self.cost)) & CELL)

    def resting(self, cells: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of some cells a body can rest in as the terrain is."""
        steps = self.steps
        return np.fromiter((cell in steps for cell in cells.tolist()), np.bool_, len(cells))

    def chain(self, node: int) -> list[int]:
        """The nodes from the start to `node`."""
        found = [node]
        while node != self.start:
            node = self.before[node]
            found.append(node)
        found.reverse()
        return found
