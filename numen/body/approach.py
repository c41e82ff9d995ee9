"""Getting near enough to touch something, by whatever way there is."""

from __future__ import annotations

import math
from collections.abc import Generator
from typing import TYPE_CHECKING, Final

from numen.body import sight, walk
from numen.body.acts import ActFailed, Verdict
from numen.body.containers import stand_still
from numen.body.path import goals
from numen.body.path.context import Context
from numen.body.path.ground import Ground
from numen.body.path.plan import find
from numen.body.path.search import Limits
from numen.body.prediction import BlockPos, Point
from numen.body.reach import block_reach, cannot_click, describe, visible
from numen.rules import blocks
from numen.rules.physics import EYES
from numen.rules.reach import distance_to_cell

if TYPE_CHECKING:
    from numen.body.body import Body

_EYE: Final = EYES["standing"]
#: A body stops a little off the middle of the cell it walked to.
_MARGIN: Final = 0.35
#: A body that can't get this many blocks away is boxed in; nodes of the search that finds out.
_ROOM: Final = 6.0
_ROOM_NODES: Final = 3000


async def go_near(body: Body, point: Point, distance: float, *, may_dig: bool = False) -> bool:
    """Walk until the feet's cell is within `distance` blocks of a point's. False when there is no way."""
    x, y, z = (math.floor(value) for value in point)
    verdict = await walk.go_to(body, goals.Near(x, y, z, distance), may_dig=may_dig)
    return verdict.ok


async def boxed_in(body: Body) -> bool:
    """Whether the body, as after digging down, can get nowhere on foot without changing the terrain."""
    x, y, z = body.position
    search = find(
        Ground.of(body.world),
        body.feet,
        goals.Away([(x, y, z)], _ROOM),
        Context.of(body),
        Limits(nodes=_ROOM_NODES),
    )
    return not (await body.think(search)).arrives


async def climb_out(body: Body, home: BlockPos) -> Verdict:
    """Get from a pit back to `home`, where the body came from: by steps cut into its side, else by a
    pillar."""
    goal = goals.Near(*home, 2.0)
    verdict = await walk.go_to(body, goal, may_dig=True)
    return verdict if verdict.ok else await walk.go_to(body, goal, may_dig=True, may_place=True)


async def go_where_visible(body: Body, pos: BlockPos, face: int | None = None) -> Verdict:
    """Stand where the block at `pos` (or that face of it) can be clicked. Raises ActFailed when there is no
    place."""
    if visible(body, pos, face) is not None:
        return Verdict(True, "In reach.")
    stances = await body.think(stances_for(body, pos, face))
    if not stances:
        reason = cannot_click(body, pos)
        raise ActFailed(
            f"There is no place to stand from which {describe(pos)} can be clicked. {reason.message}",
            reason.kind,
            reason.data,
        )
    verdict = await walk.go_to(body, goals.Cells(stances, f"in reach of {describe(pos)}"))
    if not verdict.ok:
        raise ActFailed(verdict.message, verdict.kind, verdict.data)
    await stand_still(body)
    if visible(body, pos, face) is None:
        raise cannot_click(body, pos)
    return verdict


def stances_for(
    body: Body, pos: BlockPos, face: int | None = None, limit: int = 24
) -> Generator[None, None, list[BlockPos]]:
    """Cells a body can stand in and click the block at `pos` from, the nearest to the body first; for
    `think`."""
    reach = block_reach(body) - _MARGIN
    span = math.ceil(reach)
    here = body.position
    near = sorted(
        (
            (x, y, z)
            for x in range(pos[0] - span, pos[0] + span + 1)
            for z in range(pos[2] - span, pos[2] + span + 1)
            for y in range(pos[1] - span - 1, pos[1] + span)
            if distance_to_cell((x + 0.5, y + _EYE, z + 0.5), pos) <= reach
        ),
        key=lambda cell: math.dist(cell, here),
    )
    found: list[BlockPos] = []
    for cell in near:
        if cell != pos and standable(body, cell):
            yield
            eye = (cell[0] + 0.5, cell[1] + _EYE, cell[2] + 0.5)
            if sight.spot_on(body, eye, pos, reach, face) is not None:
                found.append(cell)
                if len(found) == limit:
                    break
    return found


def standable(body: Body, cell: BlockPos) -> bool:
    """Whether a body can stand with its feet in `cell`: two free cells over something that carries."""
    x, y, z = cell
    return (
        blocks.is_passable(body.block(x, y, z))
        and blocks.is_passable(body.block(x, y + 1, z))
        and not blocks.is_passable(body.block(x, y - 1, z))
        and not blocks.is_dangerous(body.block(x, y, z))
        and not blocks.is_dangerous(body.block(x, y - 1, z))
    )
