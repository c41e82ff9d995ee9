"""The moves that change the terrain: digging a way and setting blocks.

They cost what the digging takes, which differs from cell to cell, so they are not packed into codes but
worked out for one cell at a time, from arrays that say what each cell costs to clear. A search asks for them
only in a node's second turn, once nothing cheaper is left to try: what the cheapest alteration costs more
than walking decides when that is.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from numen.body.path import costs, flags, frame, survey
from numen.body.path.survey import BELOW, DX, DY, DZ, MARGIN, SIDES, Bools, Survey

if TYPE_CHECKING:
    from numen.body.path.context import Context
    from numen.body.path.ground import Ground, Surveyed
    from numen.body.path.search import Search

Prices = NDArray[np.int32]

_NEVER: Final = 1 << 28
#: Prices from here on mean that the move is impossible (sums of several _NEVERs stay within 32 bits).
_TOO_DEAR: Final = 1 << 20
#: Opening a cell beside water lets it in; worth this many ticks of another way.
_LEAK: Final = 60.0
#: How many falling blocks above a dug cell are counted.
_STACK: Final = 3


_WALK: Final = costs.units(costs.WALK)
_DESCEND: Final = costs.units(costs.DESCEND)
_ASCEND: Final = costs.units(costs.ASCEND)
_FALL: Final = tuple(costs.units(ticks) for ticks in costs.FALL)
_DROP: Final = tuple(costs.units(ticks) for ticks in costs.DROP)
_BRIDGE: Final = costs.units(costs.BRIDGE)
_STAIR: Final = costs.units(costs.ASCEND + costs.PLACE)
_PILLAR: Final = costs.units(costs.PILLAR)
_RISK: Final = costs.units(costs.RISK)
_UP: Final = costs.units(costs.UP)
_DOWN: Final = costs.units(costs.DOWN)

#: Flat offsets and key steps of the four sides.
_SIDES: Final = tuple((dx * DX + dz * DZ, frame.step(dx, 0, dz)) for dx, dz in SIDES)
_STEP_UP: Final = frame.Y_STEP
#: Every cell that a move may dig away.
_TOUCHED: Final = np.array(
    [[-DY], [2 * DY], *([side + dy * DY] for side, _ in _SIDES for dy in range(-3, 3))], np.intp
)

#: Bits of `Site.bits`.
_CARRIES: Final = 1  # a floor lies directly under the cell
_OPEN: Final = 2  # a block may be set here
_LAVA: Final = 4
_RISKY: Final = 8  # something deadly beside the cell or beside the one below
_SWIM: Final = 16  # a body can float here
_LOW: Final = 32  # a body here stands higher than the cell's bottom
_RESTS: Final = 64
_GROUND: Final = 128

#: How many sets of tools, and how many blocks for each, are remembered (a block takes 310 kB).
_MOST_PRICINGS: Final = 3
_MOST_SITES: Final = 96

Moves = list[tuple[int, int]]
#: The moves that dig, and those that set a block.
Both = tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]
_NOTHING: Final[Both] = ((), ())
#: For how many cells the moves are remembered, about 100 bytes each: equal moves are kept once.
_MOST_REMEMBERED: Final = 100_000


@dataclass
class Site:
    """What a block of terrain offers to a digger, over the block and its margin."""

    #: Units to make each cell free, and each cell and the one above it; _TOO_DEAR and more where that can't
    #: be.
    one: memoryview
    two: memoryview
    bits: bytes
    #: For each stand of the block, the least that digging anything in reach of its moves costs.
    least: Prices
    stamp: Hashable
    #: The moves of the cells that were asked for, by flat index.
    moves: dict[int, Both] = field(default_factory=dict)


class Pricing:
    """What digging costs with one set of tools, and where blocks may be set. Kept between searches."""

    def __init__(self, ground: Ground, context: Context) -> None:
        self._ground = ground
        self._context = context
        # a state's price; -1 where nobody has asked yet
        self._table = np.full(len(flags.tables().walking), -1, np.int32)
        self._sites: OrderedDict[tuple[int, int, int], Site] = OrderedDict()
        self._same: dict[Both, Both] = {}
        self._remembered = 0

    @classmethod
    def of(cls, ground: Ground, context: Context) -> Pricing:
        """The pricing for the means of `context`, from an earlier search if there was one."""
        key = (context.dig_ticks, context.may_dig, context.may_place, context.untouchable)
        kept: OrderedDict[Hashable, Pricing] = ground.pricings
        found = kept.get(key)
        if found is None:
            found = kept[key] = cls(ground, context)
            if len(kept) > _MOST_PRICINGS:
                kept.popitem(last=False)
        kept.move_to_end(key)
        return found

    def site(self, block: Surveyed) -> Site:
        """The site of a block."""
        site = self._sites.get(block.corner)
        if site is None or site.stamp != block.stamp:
            site = self._sites[block.corner] = self._examine(block)
            if len(self._sites) > _MOST_SITES:
                self._sites.popitem(last=False)
        self._sites.move_to_end(block.corner)
        return site

    def remember(self, site: Site, i: int, dug: Moves, placed: Moves) -> Both:
        """Keep the moves of a cell for the searches to come."""
        self._remembered += 1
        if self._remembered > _MOST_REMEMBERED:
            self._remembered = 0
            self._same.clear()
            for each in self._sites.values():
                each.moves.clear()
        both = (tuple(dug), tuple(placed))
        site.moves[i] = found = self._same.setdefault(both, both)
        return found

    def _examine(self, block: Surveyed) -> Site:
        terrain = self._ground.survey(block)
        walking = terrain.walking
        building = flags.tables().building.take(terrain.states, mode="clip")
        one = self._prices(terrain)
        two = np.minimum(one + _above(one, 1), _NEVER)
        two[DY:][((walking & flags.TALL) != 0)[:-DY]] = _NEVER
        bits = np.zeros(len(walking), np.uint8)
        bits[DY:][((walking & flags.FLOOR) != 0)[:-DY]] = _CARRIES
        if self._context.may_place:
            bits[(building & flags.REPLACEABLE) != 0] |= np.uint8(_OPEN)
            heights = self._ground.terrain.heights
            bits[: max(0, heights.start - terrain.corner[1]) * DY] &= np.uint8(255 ^ _OPEN)
            bits[max(0, heights.stop - terrain.corner[1]) * DY :] &= np.uint8(255 ^ _OPEN)
        for at in self._untouchable(terrain):
            bits[at] &= np.uint8(255 ^ _OPEN)
        deadly = (walking & (flags.DANGER | flags.LAVA)) != 0
        if deadly.any():
            beside = _beside(deadly)
            bits[(walking & flags.LAVA) != 0] |= np.uint8(_LAVA)
            bits[beside] |= np.uint8(_RISKY)
            bits[DY:][beside[:-DY]] |= np.uint8(_RISKY)
        for bit, where in (
            (_SWIM, terrain.swim),
            (_LOW, terrain.heights > 0),
            (_RESTS, terrain.rests),
            (_GROUND, terrain.ground),
        ):
            bits |= where.astype(np.uint8) * np.uint8(bit)
        dug = np.where((one > 0) & (one < _TOO_DEAR), one, _NEVER)
        least = np.minimum.reduce(dug.take(terrain.stands + _TOUCHED), axis=0)
        return Site(one.data, two.data, bits.tobytes(), least, block.stamp)

    def _prices(self, terrain: Survey) -> Prices:
        """Units to make each cell free."""
        states = np.minimum(terrain.states, len(self._table) - 1)
        found = self._table.take(states)
        new = found < 0
        if new.any():
            # np.unique would bring numpy.ma, which takes longer to load than a slice of thinking may last
            asked = np.zeros(len(self._table), np.bool_)
            asked[states[new]] = True
            for state in np.flatnonzero(asked).tolist():
                self._table[state] = self._price(state)
            found = self._table.take(states)
        walking = terrain.walking
        water, lava = (walking & flags.WATER) != 0, (walking & flags.LAVA) != 0
        solid = found > 0
        if water.any():
            found[solid & _beside(water)] += costs.units(_LEAK)
            found[solid & _above(water, 1)] = _NEVER
        if lava.any():
            found[solid & (_beside(lava) | _above(lava, 1))] = _NEVER
        falling = (walking & flags.FALLING) != 0
        if falling.any():
            dry = found.copy()
            run = solid.copy()
            for i in range(1, _STACK + 1):
                run &= _above(falling, i)
                found[run] += _above(dry, i)[run]
        for at in self._untouchable(terrain):
            if found[at]:
                found[at] = _NEVER
        return np.minimum(found, _NEVER)

    def _price(self, state: int) -> int:
        table = flags.tables()
        walking, building = int(table.walking[state]), int(table.building[state])
        if walking & flags.CLEAR:
            return 0
        keep = building & (flags.KEEP | flags.LIQUID) or walking & flags.UNKNOWN
        if not self._context.may_dig or keep:
            return _NEVER
        ticks = self._context.dig_ticks(state)
        return _NEVER if ticks is None else max(1, costs.units(ticks + costs.DIG_PAUSE))

    def _untouchable(self, terrain: Survey) -> list[int]:
        x0, y0, z0 = terrain.corner
        found = (survey.flat(x - x0, y - y0, z - z0) for x, y, z in self._context.untouchable)
        return [at for at in found if at is not None]


class Alterations:
    """The altering moves of one search."""

    def __init__(self, search: Search) -> None:
        self._search = search
        self._context = search.context
        self._pricing = Pricing.of(search.ground, search.context)
        self._sites: dict[int, Site] = {}
        #: No more than the cheapest alteration from a stand costs beyond walking.
        self.least: dict[int, int] = {}

    def add(self, index: int, block: Surveyed, keys: NDArray[np.int64]) -> None:
        """A block that the search has just met: `index` is what `moves` finds it by, `keys` its stands."""
        site = self._sites[index] = self._pricing.site(block)
        least = site.least
        if self._context.may_place:
            goal_y = self._search.goal.middle[1]
            upwards = np.full(len(least), _PILLAR - _UP, np.int32)
            if goal_y is not None:
                upwards[self._search.frame.y + (keys >> 20) >= goal_y] = _PILLAR + _DOWN
            least = np.minimum(least, np.minimum(upwards, _BRIDGE - _WALK))
        for inside, _ in self._search.avoided(keys):
            least[inside] = _NEVER
        self.least.update(zip(keys.tolist(), least.tolist(), strict=True))

    def possible(self, cell: int) -> bool:
        """Whether a body might be in a cell at all, once it is dug free and has got a floor."""
        index = cell >> 24 << 10 | (cell >> 15 & 31) << 5 | (cell >> 5 & 31)
        site = self._sites.get(index)
        if site is None:
            return False
        i = ((cell >> 20 & 15) + BELOW) * DY + ((cell >> 10 & 31) + MARGIN) * DZ + (cell & 31) + MARGIN
        if site.two[i] >= _TOO_DEAR:
            return False
        return self._context.may_place or bool(site.bits[i] & (_CARRIES | _RESTS))

    def moves(self, cell: int) -> Both:
        """The moves from a cell as (what they add to the key, to the cost): those that only dig, and those
        that set a block. A cell in which nothing can rest as yet also has those that change nothing."""
        index = cell >> 24 << 10 | (cell >> 15 & 31) << 5 | (cell >> 5 & 31)
        site = self._sites.get(index)
        if site is None:
            return _NOTHING
        i = ((cell >> 20 & 15) + BELOW) * DY + ((cell >> 10 & 31) + MARGIN) * DZ + (cell & 31) + MARGIN
        return site.moves.get(i) or self._pricing.remember(site, i, *self._moves(site, i))

    def _moves(self, site: Site, i: int) -> tuple[Moves, Moves]:
        one, two, bits = site.one, site.two, site.bits
        own = bits[i]
        if own & _SWIM or bits[i + DY] & _SWIM:
            return self._out_of_water(site, i), []
        if own & _RESTS and not own & _GROUND:
            return [], []  # no footing on a ladder
        dug: Moves = []
        placed: Moves = []
        firm = (own & _CARRIES or not own & _RESTS) and not own & _LOW
        stands = own & _RESTS  # what changes nothing is a step of a stand already
        head = one[i + 2 * DY]
        for side, step in _SIDES:
            t = i + side
            level = two[t]
            there = bits[t]
            risk = _RISK if there & _RISKY else 0
            if level < _TOO_DEAR:
                if there & _CARRIES or (there & _SWIM and not level):
                    if level or not stands:
                        dug.append((step, _WALK + level + risk))
                else:
                    below = bits[t - DY]
                    if below & _OPEN and firm:
                        price = _BRIDGE + level + risk
                        placed.append((step, price + 2 * _RISK if below & _LAVA else price))
                    deep = level + one[t - DY]
                    if deep < _TOO_DEAR and (deep or not stands):
                        if below & _CARRIES:
                            dug.append((step - _STEP_UP, _DESCEND + deep + risk))
                        elif (deep := deep + one[t - 2 * DY]) < _TOO_DEAR:
                            if bits[t - 2 * DY] & _CARRIES:
                                dug.append((step - 2 * _STEP_UP, _FALL[2] + deep + risk))
                            elif (deep := deep + one[t - 3 * DY]) < _TOO_DEAR and bits[t - 3 * DY] & _CARRIES:
                                dug.append((step - 3 * _STEP_UP, _FALL[3] + deep + risk))
                if there & _CARRIES and (deep := level + one[t - DY]) < _TOO_DEAR and bits[t - DY] & _CARRIES:
                    dug.append((step - _STEP_UP, _DESCEND + deep + risk))
            above = two[t + DY] + head
            if above < _TOO_DEAR:
                if bits[t + DY] & _CARRIES:
                    if above or not stands:
                        dug.append((step + _STEP_UP, _ASCEND + above + risk))
                elif there & _OPEN and there & _CARRIES and firm and not one[t]:
                    placed.append((step + _STEP_UP, _STAIR + above + risk))
        down = one[i - DY]
        if 0 < down < _TOO_DEAR:
            for drop in (1, 2, 3):
                if bits[i - drop * DY] & _CARRIES:
                    dug.append((-drop * _STEP_UP, _DROP[drop] + down))
                    break
                if one[i - (drop + 1) * DY]:
                    break
        if firm and own & _OPEN and not one[i] and head < _TOO_DEAR:
            placed.append((_STEP_UP, _PILLAR + head))
        return dug, placed

    def _out_of_water(self, site: Site, i: int) -> Moves:
        """Digging while afloat is five times slower; only the bank is worth it."""
        found: Moves = []
        one, two, bits = site.one, site.two, site.bits
        for side, step in _SIDES:
            t = i + side
            if bits[t] & _CARRIES and two[t] < _TOO_DEAR:
                found.append((step, _WALK + 5 * two[t]))
            above = two[t + DY] + one[i + 2 * DY]
            if bits[t + DY] & _CARRIES and above < _TOO_DEAR:
                found.append((step + _STEP_UP, _ASCEND + 5 * above))
        return found


def _above(values: NDArray[Any], by: int) -> NDArray[Any]:
    """What each cell finds `by` cells above itself; nothing in the highest layers."""
    moved = np.zeros_like(values)
    moved[: -by * DY] = values[by * DY :]
    return moved


def _beside(values: Bools) -> Bools:
    """Whether one of the four cells beside has it."""
    found = np.zeros_like(values)
    for step in (DX, DZ):
        found[step:] |= values[:-step]
        found[:-step] |= values[step:]
    return found
