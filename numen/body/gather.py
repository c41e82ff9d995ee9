"""Mining a number of items: find the nearest block that gives them, go there, break it, pick up what falls.

The count is of new items in the inventory, not of blocks broken: a drop that fell into lava was not gathered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Generator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from numen.body import walk
from numen.body.acts import ActFailed, ActStopped, Verdict, run_while, until
from numen.body.approach import boxed_in, climb_out
from numen.body.digging import dig
from numen.body.inventory import short
from numen.body.path import goals
from numen.body.pickup import ITEM, carried, collect, gained, listed
from numen.body.prediction import BlockPos
from numen.body.reach import block_reach, visible
from numen.body.tools import best_tool, tool_hint
from numen.rules.digging import can_harvest
from numen.rules.reach import distance_to_cell
from numen.world.entities import Entity
from protocol.game import GAME, UnknownName

if TYPE_CHECKING:
    from numen.body.body import Body

MAX_CANDIDATES: Final = 64
DEFAULT_RADIUS: Final = 48
#: Wait at a broken block for its drop.
_DROP_TICKS: Final = 10
_COLLECT_RADIUS: Final = 8.0
#: A block that vanishes within this many blocks of the eye while the body mines was mined by it.
_OURS: Final = 7.0
#: How often, in ticks, and at how many near blocks a walking miner looks whether one can be mined already.
_LOOK_TICKS: Final = 5
_NEAR_CELLS: Final = 6
#: Failures in a row after which the job ends with what it has.
_FAILURES: Final = 8


@dataclass
class _Job:
    """One order and how far it is."""

    body: Body
    states: frozenset[int]
    count: int
    items: frozenset[str]
    before: Counter[str]
    #: Blocks of the wanted kinds that vanished near the body while it worked.
    broken: int = 0
    skipped: dict[BlockPos, str] = field(default_factory=dict)

    @property
    def got(self) -> int:
        """New items so far; in creative mode, where nothing drops, the blocks broken."""
        if self.body.world.me.creative:
            return self.broken
        new = gained(self.before, carried(self.body))
        return sum(new.get(name, 0) for name in self.items)

    @property
    def progress(self) -> tuple[int, int]:
        """Changes with every block broken and every item gained."""
        return self.got, self.broken

    def skip(self, pos: BlockPos, reason: str) -> None:
        self.skipped[pos] = reason

    def changed(self, x: int, y: int, z: int, old: int, new: int) -> None:
        """Listens to what happens to blocks."""
        if old in self.states and new not in self.states and self.body.state is not None:
            self.broken += distance_to_cell(self.body.eye, (x, y, z)) < _OURS

    def data(self) -> dict[str, Any]:
        new = gained(self.before, carried(self.body))
        return {
            "gathered": self.got,
            "wanted": self.count,
            "items": {name: count for name, count in new.items() if name in self.items},
            "blocks_broken": self.broken,
            "skipped": len(self.skipped),
        }


async def mine(
    body: Body,
    block_names: Sequence[str],
    count: int,
    *,
    radius: int = DEFAULT_RADIUS,
    force: bool = False,
) -> Verdict:
    """Gather `count` new items from blocks of these kinds within `radius` blocks.

    Blocks that the tools carried can't harvest are left alone unless `force`. Those that can't be reached, by
    digging if need be, are skipped; from a pit the body climbs back to where it began. data: gathered,
    wanted, items (name -> count), blocks_broken, skipped.
    """
    states = _states_of(block_names)
    usable = states if force or body.world.me.creative else _harvestable(body, states)
    if not usable:
        needs = tool_hint(min(states))
        raise ActFailed(
            f"{_listed(block_names)} would drop nothing: it takes {needs}. Make or fetch one first.",
            "wrong_tool",
            {"needs": needs},
        )
    job = _Job(body, usable, count, _drops_of(usable), carried(body))
    start = body.feet
    forget = body.world.events.on("block_changed", job.changed)
    try:
        why, kind = await _work(job, radius)
        got, data = job.got, job.data()
        if body.feet[1] < start[1] and await boxed_in(body):
            await climb_out(body, start)
    except ActStopped as stop:
        stop.data = job.data()
        stop.so_far = f"{job.got} of {count} gathered so far."
        raise
    finally:
        forget()
    if got >= count:
        return Verdict(True, f"Gathered {listed(data['items']) or f'{got} blocks'}.", data)
    return Verdict(False, f"Gathered {got} of {count} ({_listed(block_names)}): {why}", data, kind)


async def _work(job: _Job, radius: int) -> tuple[str, str]:
    """Mine until enough is there; otherwise why no more came, and the kind of failure."""
    body = job.body
    failures = 0
    while job.got < job.count:
        if not body.world.inventory.empty_slots and not body.world.me.creative and not _fits(job):
            return "the inventory is full; drop or store something first.", "full"
        cells = await _candidates(job, radius)
        if not cells:
            left_over = f" ({len(job.skipped)} could not be mined: {_reasons(job)})" if job.skipped else ""
            return f"none left within {radius} blocks{left_over}.", "target_lost"
        before = job.progress
        pos = await body.think(_first_clickable(job, cells)) or cells[0]
        try:
            if _clickable(job, pos):
                await dig(body, pos, force=True)
            else:
                await _go_to_some(job, cells)
            await _pick_up(job)
        except ActFailed as failure:
            if failure.kind == "wrong_tool":
                return failure.message, failure.kind
            job.skip(pos, failure.message)
        if job.progress != before:
            failures = 0
            continue
        failures += 1
        if failures >= _FAILURES:
            return f"{failures} tries in a row led to nothing; the last: {_reasons(job)}", "target_lost"
    return "", ""


# -- which block -----------------------------------------------------------------------------------------


async def _candidates(job: _Job, radius: int) -> list[BlockPos]:
    """Wanted blocks not given up yet, the nearest first."""
    body = job.body
    limit = MAX_CANDIDATES + len(job.skipped)
    found = await body.think(body.world.search_blocks(job.states, body.eye, radius, limit))
    cells = [(x, y, z) for x, y, z, _ in found]
    return [pos for pos in cells if pos not in job.skipped and body.block(*pos) in job.states]


def _first_clickable(job: _Job, cells: list[BlockPos]) -> Generator[None, None, BlockPos | None]:
    """The first that can be mined from where the body stands; for `think`."""
    for pos in cells:
        if distance_to_cell(job.body.eye, pos) > block_reach(job.body):
            return None
        yield
        if _clickable(job, pos):
            return pos
    return None


def _clickable(job: _Job, pos: BlockPos) -> bool:
    """Whether a block can be mined from here and its drop fetched: no deeper than a step down, not
    underfoot."""
    body = job.body
    x, y, z = body.feet
    deep = pos[1] < y - 1 and not body.world.me.creative
    return not deep and pos != (x, y - 1, z) and visible(body, pos) is not None


async def _go_to_some(job: _Job, cells: list[BlockPos]) -> None:
    """Walk, and dig, to whichever of the blocks is cheapest to get to, until one can be mined from here.

    The goal is to stand where the block is: what is in the way falls, the block itself at last. Raises
    ActFailed.
    """
    body = job.body
    places = [cell for x, y, z in cells for cell in ((x, y, z), (x, y - 1, z))]
    goal = goals.Cells(places, f"one of {len(cells)} blocks")
    start = body.feet

    def nothing_in_reach() -> bool:
        if body.feet == start or body.ticks % _LOOK_TICKS:
            return True
        near = [pos for pos in cells if distance_to_cell(body.eye, pos) <= block_reach(body) - 1.0]
        return not any(body.block(*pos) in job.states and _clickable(job, pos) for pos in near[:_NEAR_CELLS])

    for may_place in (False, True):
        way = walk.go_to(body, goal, may_dig=True, may_place=may_place)
        verdict = await run_while(way, nothing_in_reach)
        if verdict is None or verdict.ok:
            return
        if verdict.kind != "no_path" or may_place:
            for pos in cells[1:]:
                job.skip(pos, verdict.message)
            raise ActFailed(verdict.message, verdict.kind, verdict.data)


# -- what falls out of it --------------------------------------------------------------------------------


async def _pick_up(job: _Job) -> None:
    """Collect what lies around of what is wanted."""
    body = job.body
    if body.world.me.creative:
        return

    def ours(item: Entity) -> bool:
        return item.kind == ITEM and (item.stack is None or short(item.stack.name) in job.items)

    got = job.got
    x, y, z = body.position
    await until(
        lambda: job.got > got or any(map(ours, body.world.entities.near(x, y, z, _COLLECT_RADIUS))),
        _DROP_TICKS,
    )
    await collect(body, radius=_COLLECT_RADIUS, wanted=ours, may_dig=True)


def _fits(job: _Job) -> bool:
    """Whether one more item of the wanted kinds can be carried though no slot is free."""
    body = job.body
    room = (
        GAME.item(name).stack_size - stack.count
        for name in job.items
        for slot in body.world.inventory.find(GAME.item(name).id)
        if (stack := body.world.inventory[slot]) is not None
    )
    return any(space > 0 for space in room)


def _states_of(names: Collection[str]) -> frozenset[int]:
    states: set[int] = set()
    unknown = []
    for name in names:
        try:
            block = GAME.block(name)
        except UnknownName as error:
            unknown.append(str(error))
            continue
        states.update(range(block.min_state, block.max_state + 1))
    if not states:
        raise ActFailed(" ".join(unknown) or "No block was named.", "bad_target")
    return frozenset(states)


def _harvestable(body: Body, states: frozenset[int]) -> frozenset[int]:
    """The states that drop something with the best tool carried."""
    by_block: dict[int, bool] = {}
    kept = set()
    for state in states:
        block = GAME.block_of(state)
        if block.id not in by_block:
            by_block[block.id] = can_harvest(state, best_tool(body, state).stack)
        if by_block[block.id]:
            kept.add(state)
    return frozenset(kept)


def _drops_of(states: frozenset[int]) -> frozenset[str]:
    """Names of the items that blocks in these states can give."""
    blocks = {GAME.block_of(state).id: GAME.block_of(state) for state in states}
    names: set[str] = set()
    for block in blocks.values():
        names.update(short(GAME.item_by_id(item).name) for item in block.drops)
        names.update(short(GAME.item_by_id(each.item_id).name) for each in GAME.loot(block.name))
    return frozenset(names)


def _reasons(job: _Job) -> str:
    reasons = Counter(job.skipped.values())
    return reasons.most_common(1)[0][0]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(short(name) for name in names)
