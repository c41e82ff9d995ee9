"""Is the goal cut off? A flood from the goal against the direction of the moves.

A search that starts in a wide country has to walk all over it before it can say that a small walled garden
can't be entered. From inside the garden that takes a moment. The flood follows every move that could lead to
a cell, so when it runs dry without having met the search, there is no way.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

from numen.body.path import flags, frame, moves
from numen.body.path.frame import Y_STEP
from numen.body.path.goals import Cell

if TYPE_CHECKING:
    from numen.body.path.search import Search, Steps

#: Regions larger than this are left to the search.
_MOST: Final = 4000

_SIDES: Final = [frame.step(dx, 0, dz) for dx, dz in moves.SIDES]
_CORNERS: Final = [frame.step(dx, 0, dz) for dx, dz in moves.CORNERS]
#: The part of a key that names its block.
_BLOCK: Final = ~(15 << 20 | 31 << 10 | 31)
#: What a move that leaves the terrain alone may add to a key.
_WALKING: Final = [
    *(side + dy * Y_STEP for side in _SIDES for dy in (1, 0, -1, -2, -3)),
    *(corner + dy * Y_STEP for corner in _CORNERS for dy in (1, 0, -1)),
    *(side * times for side in _SIDES for times in (2, 3)),
    Y_STEP,
    -Y_STEP,
]
#: What digging and placing may add as well.
_ALTERING: Final = [*_WALKING, -2 * Y_STEP, -3 * Y_STEP]


class Flood:
    """The cells from which a goal might be reached, as far as they have been followed."""

    def __init__(self, search: Search, targets: list[Cell]) -> None:
        self._search = search
        #: Nothing can be said: it is too large, leads into the unknown, or it has met the search.
        self.given_up = False
        #: It ran dry: the goal is cut off.
        self.dry = False
        #: The last advance came to terrain that is new to the flood, which takes a millisecond or two.
        self.surveyed = False
        self._seen: set[int] = set()
        self._queue: deque[int] = deque()
        self._members: dict[Steps, frozenset[int]] = {}
        self._known: set[int] = set()
        for cell in targets:
            if search.frame.has(cell):
                self._add(search.frame.key(cell))
            else:
                self.given_up = True

    @property
    def size(self) -> int:
        """Cells found so far."""
        return len(self._seen)

    @property
    def over(self) -> bool:
        return self.given_up or self.dry

    def advance(self, count: int) -> None:
        """Follow the moves that lead to `count` more cells."""
        self.surveyed = False
        search, seen, members = self._search, self._seen, self._members
        alterations = search.alterations
        offsets = _WALKING if alterations is None else _ALTERING
        steps_of = search.steps.get
        for _ in range(count):
            if not self._queue:
                self.dry = not self.given_up
                return
            cell = self._queue[0]
            met = cell in search.cost or cell in search.border
            if met or len(seen) > _MOST or not self._may_look_around(cell):
                self.given_up = True
                return
            if self.surveyed:
                return  # and goes on with the same cell
            self._queue.popleft()
            if self._caught_from_above(cell):
                self.given_up = True
                return
            for step in offsets:
                before = cell - step
                if before in seen:
                    continue
                steps = steps_of(before)
                if steps:
                    reached = members.get(steps)
                    if reached is None:
                        reached = members[steps] = frozenset(each for each, _ in steps)
                    if step in reached:
                        self._add(before)
                        continue
                if alterations is not None and alterations.possible(before):
                    self._add(before)

    def _add(self, cell: int) -> None:
        self._seen.add(cell)
        self._queue.append(cell)

    def _may_look_around(self, cell: int) -> bool:
        """Survey the next of the blocks that a move to this cell could come from; `surveyed` stays False when
        all of them are known. Returns False where something is not loaded."""
        x, y, z = cell & 31, cell >> 20 & 15, cell >> 10 & 31
        for dy in (-16 if y < 1 else 0, 16 if y > 12 else 0):
            for dz in (-32 if z < 3 else 0, 32 if z > 28 else 0):
                for dx in (-32 if x < 3 else 0, 32 if x > 28 else 0):
                    block = (cell & _BLOCK) + frame.step(dx, dy, dz)
                    if block not in self._known:
                        self.surveyed = True  # also where the search has it: that is quick, and seldom
                        found = self._search.survey(block)
                        if found is None or (found.open_ended and self._search.alterations is not None):
                            return False
                        self._known.add(block)
                        return True
        return True

    def _caught_from_above(self, cell: int) -> bool:
        """Water under an open sky may be jumped into from further up than is looked at here."""
        x, y, z = self._search.frame.cell(cell)
        table = flags.tables().walking

        def has(at: int, bit: int) -> bool:
            state = self._search.ground.state(x, at, z)
            return state is None or bool(int(table[min(state, len(table) - 1)]) & bit)

        return has(y, flags.WATER) and all(has(y + up, flags.CLEAR) for up in (1, 2, 3, 4))
