"""From a wish to a route, or to the reason why there is none."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

import numpy as np

from numen.body.path import costs, flags, goals, route
from numen.body.path.buried import blocks_needed, guide
from numen.body.path.context import FULL_AIR, Context, Tools
from numen.body.path.frame import CELL, Cell
from numen.body.path.goals import Goal
from numen.body.path.ground import Ground
from numen.body.path.refute import Flood
from numen.body.path.route import Route
from numen.body.path.search import Limits, Search
from protocol.game import GAME

Reason = Literal[
    "",
    "here",
    "unloaded",
    "blocked",
    "enclosed",
    "goal_enclosed",
    "needs_altering",
    "needs_tool",
    "no_blocks",
    "too_far",
    "budget",
]

#: Cells around the goal that are looked at first, then nodes before more of them are, and how many a slice.
_FIRST_GLANCE: Final = 48
_HEAD_START: Final = 3000
_FLOOD_SLICE: Final = 10
#: Nodes spent on a goal that isn't loaded: the way there is planned piece by piece.
_UNLOADED_NODES: Final = 15_000
#: Nodes spent on finding out that one can simply walk there, or how near one can get where one can't; and how
#: much longer than the straight way a way on foot may be before digging and bridging are considered.
_STROLL_NODES: Final = 20_000
_APPROACH_NODES: Final = 4_000
_DETOUR: Final = 1.5
_DETOUR_TICKS: Final = 60.0
#: Digging and building have so many more possibilities that the search for them heads for the goal more
#: eagerly.
_ALTERING_ZEAL: Final = 1.6
#: Ticks of air that a dive leaves for what may go wrong.
_RESERVE: Final = 80.0
#: Goals of more cells than this aren't asked one by one whether they hang in the air.
_FEW: Final = 4
_NO_FLOOR: Final = "there is nothing to stand on"
#: Nodes spent on asking whether digging and placing would help.
_WHAT_IF: Final = Limits(nodes=12_000, ms=250.0, zeal=3.0)

#: Weights of what is behind against what is ahead, from eager to thorough; the first that leads far counts.
_WEIGHTS: Final = (1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 10.0)
#: A part of a way shorter than this isn't worth setting out for, blocks.
_WORTHWHILE: Final = 5


@dataclass(frozen=True)
class Outcome:
    """What a search came to.

    `route` is a way to the goal when `route.arrives`, else the best part of one, or None. `reason` says why
    it doesn't arrive, `message` in a sentence with what to try.
    """

    route: Route | None
    reason: Reason = ""
    message: str = ""
    data: dict[str, Any] = field(default_factory=dict)

    @property
    def arrives(self) -> bool:
        return self.route is not None and self.route.arrives


def find(
    ground: Ground, start: Cell, goal: Goal, context: Context, limits: Limits | None = None
) -> Generator[None, None, Outcome]:
    """Look for the cheapest way from the feet cell `start` to `goal`. Yields every millisecond or so."""
    outcome = yield from _find(ground, start, goal, context, limits)
    if outcome.route is not None and context.dives and not _keeps_breath(ground, outcome.route, context.air):
        return (yield from _find(ground, start, goal, replace(context, dives=False), limits))
    return outcome


def _keeps_breath(ground: Ground, way: Route, air: float) -> bool:
    """Whether the air lasts until the head comes out of the water, each time it goes under."""
    left = air - _RESERVE
    for step in way.steps:
        left = left - step.ticks if _is_under_water(ground, step.dst) else FULL_AIR - _RESERVE
        if left < 0:
            return False
    return True


def _surfaced(ground: Ground, way: Route) -> Route:
    """A part of a way without an end under water, where nobody should have to think."""
    count = len(way.steps)
    while count and _is_under_water(ground, way.steps[count - 1].dst):
        count -= 1
    return way.cut(count)


def _is_under_water(ground: Ground, cell: Cell) -> bool:
    return _has(ground, (cell[0], cell[1] + 1, cell[2]), flags.WATER)


def _find(
    ground: Ground, start: Cell, goal: Goal, context: Context, limits: Limits | None
) -> Generator[None, None, Outcome]:
    if goals.contains(goal, start):
        return Outcome(Route(start, (), arrives=True), "here")
    limits = limits or Limits()
    targets = goal.cells()
    loaded = _is_loaded(ground, goal)
    if not loaded:
        limits = replace(limits, nodes=min(limits.nodes, _UNLOADED_NODES))
    elif targets is not None:
        blocked = _all_blocked(ground, goal, targets, context)
        if blocked is not None:
            return (yield from _with_advice(blocked, ground, start, goal, context, limits))
    lack = (yield from _lack_of_blocks(ground, goal, context)) if loaded else None
    if lack is not None:
        return lack
    walked: Search | None = None
    guided = goal
    if context.may_dig or context.may_place:
        walked = yield from _stroll(ground, start, goal, context, limits)
        if walked.end is not None and _is_direct(walked):
            return Outcome(route.build(walked, walked.end, arrives=True), data=_figures(walked))
        limits = replace(limits, zeal=max(limits.zeal, _ALTERING_ZEAL))
        if walked.end is None:
            guided = yield from guide(ground, start, goal, context, walked.reached)
    search = Search(ground, start, guided, context, limits)
    if walked is not None and walked.end is not None:
        search.ceiling = walked.cost[walked.end]
    flood = Flood(search, targets) if loaded and targets and search.ceiling is None else None
    for _ in range(_FIRST_GLANCE if flood is not None else 0):
        assert flood is not None
        flood.advance(1)
        if flood.over:
            break
        if flood.surveyed:
            yield
    for _ in search.run():
        if flood is not None and flood.dry:
            break
        yield
        if flood is not None and not flood.over and search.visited >= _HEAD_START:
            flood.advance(_FLOOD_SLICE)
            if flood.surveyed:
                yield
    if search.end is not None:
        return Outcome(route.build(search, search.end, arrives=True), data=_figures(search))
    if walked is not None and walked.end is not None:
        return Outcome(route.build(walked, walked.end, arrives=True), data=_figures(search))
    outcome = _failure(search, goal, flood, loaded)
    if outcome.reason in ("unloaded", "too_far", "budget"):
        node = yield from _best(search)
        if node is not None:
            part = _surfaced(ground, route.build(search, node, arrives=False))
            return replace(outcome, route=part if part.steps else None)
        return outcome
    return (yield from _with_advice(outcome, ground, start, goal, context, limits))


def _stroll(
    ground: Ground, start: Cell, goal: Goal, context: Context, limits: Limits
) -> Generator[None, None, Search]:
    """A walk towards the goal that leaves the terrain alone: whoever can get there without a long detour
    should."""
    plain = replace(context, may_dig=False, may_place=False)
    nodes = _APPROACH_NODES if _is_unnatural(ground, goal.cells()) else _STROLL_NODES
    search = Search(ground, start, goal, plain, replace(limits, nodes=min(limits.nodes, nodes)))
    yield from search.run()
    return search


def _is_unnatural(ground: Ground, targets: list[Cell] | None) -> bool:
    """Whether a body can be in none of the cells as the terrain is."""
    plain = Context()
    return targets is not None and all(_why_not_here(ground, cell, plain) for cell in targets)


def _lack_of_blocks(ground: Ground, goal: Goal, context: Context) -> Generator[None, None, Outcome | None]:
    """The answer when the goal hangs in the air, further away than the blocks carried lead."""
    targets = goal.cells()
    if not context.may_place or not targets or len(targets) > _FEW:
        return None
    if any(_why_not_here(ground, cell, Context()) != _NO_FLOOR for cell in targets):
        return None
    needed = context.spendable + 1
    for cell in targets:
        needed = min(needed, (yield from blocks_needed(ground, cell, context.spendable)))
    if needed <= context.spendable:
        return None
    return Outcome(
        None,
        "no_blocks",
        f"It takes more blocks to get to {goal} than the {context.spendable} that I carry to spare.",
        {"spare_blocks": context.spendable},
    )


def _is_direct(search: Search) -> bool:
    """Whether a way on foot is so good that no shovel would make it much shorter."""
    assert search.end is not None
    return search.cost[search.end] <= _DETOUR * search.to_go[search.start] + costs.units(_DETOUR_TICKS)


def _failure(search: Search, goal: Goal, flood: Flood | None, loaded: bool) -> Outcome:
    data = _figures(search)
    where = search.frame.cell(search.start)
    if flood is not None and flood.dry:
        return Outcome(
            None,
            "goal_enclosed",
            f"{goal} is cut off: only {_cells(flood.size)} around it can be walked to it from, "
            f"and I am not among them.",
            data | {"region": flood.size},
        )
    if search.exhausted and not search.open_ended:
        return Outcome(
            None,
            "enclosed",
            f"There is no way to {goal}: from {where} I can get to {_cells(search.visited)} and no further.",
            data | {"region": search.visited},
        )
    if not loaded:
        return Outcome(None, "too_far", f"{goal} is beyond what I can see from here.", data)
    if search.exhausted:
        return Outcome(
            None,
            "unloaded",
            f"Every way to {goal} that I know of leads into chunks that are not loaded.",
            data,
        )
    return Outcome(
        None, "budget", f"I looked at {_cells(search.visited)} without finding a way to {goal}.", data
    )


def _with_advice(
    outcome: Outcome, ground: Ground, start: Cell, goal: Goal, context: Context, limits: Limits
) -> Generator[None, None, Outcome]:
    """Add to a failure what would have helped: leave to dig and place, blocks, a tool."""
    tools = context.dig_ticks if context.may_dig else _HANDS
    free = replace(
        context,
        may_dig=True,
        may_place=True,
        spendable=max(context.spendable, 64),
        dig_ticks=tools.ruthless() if isinstance(tools, Tools) else tools,
        leaps=False,
    )
    if free == replace(context, leaps=False):
        return outcome
    walked = yield from _stroll(ground, start, goal, free, replace(limits, nodes=_APPROACH_NODES))
    guided = yield from guide(ground, start, goal, free, walked.reached)
    # a search without a clock gets no clock here either, so that its answer stays the same everywhere
    search = Search(ground, start, guided, free, _WHAT_IF if limits.ms else replace(_WHAT_IF, ms=None))
    yield from search.run()
    if search.end is None:
        return outcome
    found = route.build(search, search.end, arrives=True)
    cells = [cell for step in found.steps for cell in step.clear if not _has(ground, cell, flags.CLEAR)]
    if not cells and not found.placed:
        return outcome
    data = outcome.data | {"would_dig": len(cells), "would_place": found.placed}
    reason, hint = _hint(ground, context, cells, found.placed)
    return Outcome(None, reason, f"{outcome.message} {hint}", data)


def _hint(ground: Ground, context: Context, dug: list[Cell], placed: int) -> tuple[Reason, str]:
    bill = " and ".join(
        text
        for count, text in ((len(dug), f"digging {len(dug)} blocks"), (placed, f"placing {placed}"))
        if count
    )
    if context.may_dig:
        states = {ground.state(*cell) for cell in dug}
        hard = {_name(state) for state in states if state is not None and context.dig_ticks(state) is None}
        if hard:
            return "needs_tool", (
                f"It would take {bill}; the tools I carry get nothing out of {', '.join(sorted(hard))}. "
                "Get a better tool, or allow digging it anyway."
            )
        if placed:
            return "no_blocks", (
                f"It would take {bill}, and I carry too little to place; get dirt or cobblestone first."
            )
    return "needs_altering", f"It would take {bill}; allow changing the terrain, or choose another place."


#: Digging whatever can be dug, slowly.
_HANDS: Final = Tools((), wasteful=True)


def _all_blocked(ground: Ground, goal: Goal, targets: list[Cell], context: Context) -> Outcome | None:
    """The answer when a body can't be in any of the cells, whatever the way there."""
    whys = []
    for cell in targets:
        why = _why_not_here(ground, cell, context)
        if why is None:
            return None
        whys.append(why)
    message = f"Nobody can stand at {goal}: {whys[0]}."
    return Outcome(None, "blocked", message, {"blocked_by": whys[0]})


def _why_not_here(ground: Ground, cell: Cell, context: Context) -> str | None:
    """Why no body can rest in a cell; None when one can, or could after what is allowed."""
    x, y, z = cell
    if y not in ground.terrain.heights:
        return "that is outside of the world"
    table = flags.tables().walking
    bits = []
    for dy in (-1, 0, 1):
        state = ground.state(x, y + dy, z)
        if state is None:
            return None
        bits.append((int(table[min(state, len(table) - 1)]), state))
    (below, _), (feet, at_feet), (head, at_head) = bits
    if not context.may_dig:
        if not feet & (flags.CLEAR | flags.LOW):
            return f"{_name(at_feet)} is there"
        if not head & flags.CLEAR:
            return f"{_name(at_head)} is at head height"
    if context.may_place or feet & (flags.LOW | flags.WATER | flags.CLIMB):
        return None
    return None if below & (flags.FLOOR | flags.CLIMB) else _NO_FLOOR


def _name(state: int) -> str:
    if state >= GAME.state_count:
        return "a block of a mod"
    return GAME.block_of(state).name.removeprefix("minecraft:")


def _is_loaded(ground: Ground, goal: Goal) -> bool:
    x, y, z = goal.middle
    if x is None or z is None:
        return True
    return ground.state(x, y if y is not None else 64, z) is not None


def _has(ground: Ground, cell: Cell, bit: int) -> bool:
    state = ground.state(*cell)
    table = flags.tables().walking
    return state is not None and bool(int(table[min(state, len(table) - 1)]) & bit)


def _best(search: Search) -> Generator[None, None, int | None]:
    """The node to set out for when the goal wasn't reached."""
    nodes = np.fromiter(search.cost.keys(), np.int64, len(search.cost))
    yield
    spent = np.fromiter(search.cost.values(), np.int64, len(search.cost)).astype(np.float64)
    yield
    cells = nodes & CELL
    left = np.fromiter(map(search.to_go.__getitem__, cells.tolist()), np.int64, len(cells)).astype(np.float64)
    yield
    x, y, z = search.coordinates(cells)
    sx, sy, sz = search.frame.cell(search.start)
    far = (x - sx) ** 2 + (y - sy) ** 2 + (z - sz) ** 2 > _WORTHWHILE**2
    nearer = left < search.to_go[search.start] - costs.units(_WORTHWHILE * costs.SPRINT)
    worth = np.flatnonzero(far & nearer & search.resting(cells))
    if not len(worth):
        return None
    for weight in _WEIGHTS:
        score = left + spent / weight
        best = int(score.argmin())
        if far[best] and nearer[best] and int(cells[best]) in search.steps:
            return int(nodes[best])
    return int(nodes[worth[left[worth].argmin()]])


def _figures(search: Search) -> dict[str, Any]:
    return {"nodes": search.visited, "search_ms": round(search.ms, 1)}


def _cells(count: int) -> str:
    return "one place" if count == 1 else f"{count} places"
