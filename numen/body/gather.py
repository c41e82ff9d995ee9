"""Mining a number of items: find the nearest block that gives them, go there, break it, pick up what falls.

The count is of new items in the inventory, not of blocks broken: a drop that fell into lava was not gathered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Generator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from numen.body import sight, walk
from numen.body.acts import ActFailed, ActStopped, Verdict, until
from numen.body.approach import go_where_visible
from numen.body.digging import dig
from numen.body.inventory import short
from numen.body.path import goals
from numen.body.pickup import ITEM, carried, collect, gained, listed
from numen.body.prediction import BlockPos
from numen.body.reach import block_reach, cannot_click, describe, visible
from numen.body.sight import FACE_NORMALS
from numen.body.tools import best_tool, tool_hint
from numen.rules import blocks
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
#: Blocks dug away in front of a buried one, and how much nearer than its reach the body goes to it.
_BLOCKERS: Final = 6
_MARGIN: Final = 0.3
#: Failures in a row after which the job ends with what it has.
_FAILURES: Final = 12


@dataclass
class _Job:
    """One order and how far it is."""

    count: int
    items: frozenset[str]
    before: Counter[str]
    broken: int = 0
    skipped: dict[BlockPos, str] = field(default_factory=dict)

    def got(self, body: Body) -> int:
        """New items so far; in creative mode, where nothing drops, the blocks broken."""
        if body.world.me.creative:
            return self.broken
        return sum(gained(self.before, carried(body)).get(name, 0) for name in self.items)

    def data(self, body: Body) -> dict[str, Any]:
        new = gained(self.before, carried(body))
        return {
            "gathered": self.got(body),
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

    Blocks that the tools carried can't harvest are left alone unless `force`. Those that can't be reached are
    skipped. data: gathered, wanted, items (name -> count), blocks_broken, skipped.
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
    job = _Job(count, _drops_of(usable), carried(body))
    try:
        why = await _work(body, job, usable, radius)
    except ActStopped as stop:
        stop.data.update(job.data(body))
        stop.so_far = f"{job.got(body)} of {count} gathered so far."
        raise
    data = job.data(body)
    got = job.got(body)
    if got >= count:
        return Verdict(True, f"Gathered {listed(data['items']) or f'{got} blocks'}.", data)
    message = f"Gathered {got} of {count} ({_listed(block_names)}): {why}"
    return Verdict(False, message, data, "target_lost")


async def _work(body: Body, job: _Job, states: frozenset[int], radius: int) -> str:
    """Mine until enough is there; otherwise why no more came."""
    failures = 0
    while job.got(body) < job.count:
        if not body.world.inventory.empty_slots and not body.world.me.creative and not _fits(body, job):
            return "the inventory is full; drop or store something first."
        pos = await _next(body, job, states, radius)
        if pos is None:
            unreachable = f" ({len(job.skipped)} could not be mined: {_reasons(job)})" if job.skipped else ""
            return f"none left within {radius} blocks{unreachable}."
        try:
            await _mine_one(body, job, pos, states)
            failures = 0
        except ActFailed as failure:
            job.skipped[pos] = failure.message
            if failure.kind == "wrong_tool":
                return failure.message
            failures += 1
            if failures >= _FAILURES:
                return f"{failures} in a row could not be mined; the last one: {failure.message}"
    return ""


async def _mine_one(body: Body, job: _Job, pos: BlockPos, states: frozenset[int]) -> None:
    await _come_to(body, job, pos)
    if body.block(*pos) not in states:
        raise ActFailed(f"The block at {describe(pos)} is gone.", "bad_target")
    verdict = await dig(body, pos, force=True)
    job.broken += 1
    if not body.world.me.creative and (verdict.data["drops"] or job.items):
        await _pick_up(body, job, pos)


async def _come_to(body: Body, job: _Job, pos: BlockPos) -> None:
    """Get the block into sight and reach: from where the body stands, from another place, or by digging to
    it."""
    if visible(body, pos) is not None:
        return
    try:
        await go_where_visible(body, pos)
        return
    except ActFailed as failure:
        if failure.kind not in ("occluded", "out_of_reach"):
            raise
    x, y, z = pos
    if distance_to_cell(body.eye, pos) > block_reach(body) - _MARGIN:
        arrived = await walk.go_to(body, goals.InReach(x, y, z), may_dig=True)
        if not arrived.ok:
            raise ActFailed(arrived.message, arrived.kind or "no_path")
    for _ in range(_BLOCKERS):
        if visible(body, pos) is not None:
            return
        blocker = sight.in_the_way(body, body.eye, pos)
        if blocker is None:
            break
        _check_blocker(body, blocker)
        await dig(body, blocker, force=True)
    if visible(body, pos) is None:
        raise cannot_click(body, pos)


def _check_blocker(body: Body, pos: BlockPos) -> None:
    """Only plain terrain is dug away, and nothing that holds back water or lava."""
    state = body.block(*pos)
    name = sight.block_name(state)
    if blocks.is_usable(state) or blocks.is_falling(state):
        raise ActFailed(f"{name} at {describe(pos)} is in the way and is not dug away.", "occluded")
    x, y, z = pos
    for dx, dy, dz in FACE_NORMALS:
        beside = body.block(x + dx, y + dy, z + dz)
        if dy >= 0 and (blocks.is_water(beside) or blocks.is_lava(beside)):
            raise ActFailed(f"{name} at {describe(pos)} holds back {sight.block_name(beside)}.", "occluded")


async def _pick_up(body: Body, job: _Job, pos: BlockPos) -> None:
    """Collect what fell here, unless the next block is in sight and its drops can be fetched together."""
    middle = (pos[0] + 0.5, pos[1] + 0.5, pos[2] + 0.5)

    def ours(item: Entity) -> bool:
        return (
            item.kind == ITEM
            and (item.stack is None or short(item.stack.name) in job.items)
            and item.distance_to(*middle) <= _COLLECT_RADIUS
        )

    got = job.got(body)
    await until(lambda: job.got(body) > got or any(ours(each) for each in body.world.entities), _DROP_TICKS)
    await collect(body, radius=_COLLECT_RADIUS + 4, wanted=ours)


async def _next(body: Body, job: _Job, states: frozenset[int], radius: int) -> BlockPos | None:
    """The nearest block not tried yet; one that can be clicked from here wins over one that is only near."""
    search = body.world.search_blocks(states, body.eye, radius, MAX_CANDIDATES + len(job.skipped))
    cells = [(each[0], each[1], each[2]) for each in await body.think(search)]
    found = [pos for pos in cells if pos not in job.skipped and body.block(*pos) in states]
    clickable = await body.think(_first_clickable(body, found))
    return clickable or (found[0] if found else None)


def _first_clickable(body: Body, cells: list[BlockPos]) -> Generator[None, None, BlockPos | None]:
    eye, reach = body.eye, block_reach(body)
    for pos in cells:
        if distance_to_cell(eye, pos) <= reach and not _underfoot(body, pos):
            yield
            if visible(body, pos) is not None:
                return pos
    return None


def _underfoot(body: Body, pos: BlockPos) -> bool:
    x, y, z = body.feet
    return pos == (x, y - 1, z)


def _fits(body: Body, job: _Job) -> bool:
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
