"""Going places on foot: one walk to a goal, and staying near somebody.

A walk has arrived when the feet are in a cell of its goal, and not before.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from numen.body.acts import ActFailed, ActStopped, Verdict, next_tick, until
from numen.body.path import costs, goals
from numen.body.path.context import Avoid, Context
from numen.body.path.executor import Ending, Walker
from numen.body.path.foresee import cell_of
from numen.body.path.frame import Cell
from numen.body.path.goals import Goal
from numen.body.path.ground import Ground
from numen.body.path.plan import Outcome, find
from numen.body.path.route import Route
from numen.body.path.search import Limits
from numen.body.thinking import AtOnce

if TYPE_CHECKING:
    from numen.body.body import Body
    from numen.world.entities import Entity

#: A search of a body: nodes for the same answer everywhere, milliseconds so that nobody waits.
LIMITS: Final = Limits(nodes=100_000, ms=1000.0)

#: New routes without coming nearer to the goal before a walk gives up.
_PATIENCE: Final = 6
#: Ticks nearer that count as progress.
_NEARER: Final = 4.0
#: Steps of the old route that a patch may lead back to.
_PATCH_STEPS: Final = 20
_PATCH_LIMITS: Final = Limits(nodes=10_000, ms=200.0)
_GROUND_TICKS: Final = 60
#: Reasons that more chunks may change, and how long to wait for the next one.
_MORE_TERRAIN: Final = ("unloaded", "too_far")
_TERRAIN_TICKS: Final = 100
#: Degrees a tick that the head turns meanwhile.
_GLANCE: Final = 9.0

#: Following sets out when the gap is this much wider than wished.
_SLACK: Final = 2.0
#: Whoever is followed may move this far before the way to them is planned anew.
_DRIFT: Final = 2.5


async def go_to(
    body: Body,
    goal: Goal,
    *,
    may_dig: bool = False,
    may_place: bool = False,
    wasteful: bool = False,
    avoid: tuple[Avoid, ...] = (),
) -> Verdict:
    """Walk to a goal. With `may_dig` and `may_place` the terrain is changed where there is no fair way on
    foot: dug with the tools carried (`wasteful`: also where that drops nothing), bridged and climbed with
    blocks that can be spared.

    data: final_x, final_y, final_z, and where they are not 0 blocks_dug and blocks_placed. A failure (kind
    no_path, stuck, refused) says why: data has reason, and distance from the goal.
    """
    walk = _Walk(body, goal, may_dig=may_dig, may_place=may_place, wasteful=wasteful, avoid=avoid)
    try:
        return await walk.run()
    except ActStopped as stop:
        stop.data |= walk.where()
        stop.so_far = walk.so_far()
        raise


async def follow(
    body: Body,
    whom: int | Callable[[], Entity | None],
    *,
    distance: float = 3.0,
    may_dig: bool = False,
    may_place: bool = False,
) -> Verdict:
    """Stay near an entity (its id, or a function that finds it) until stopped; it never ends by itself.

    It sets out when the gap is wider than `distance` + 2 and comes up to `distance`. While there is nobody to
    follow, or no way to them, it stands and waits.
    """

    def target() -> Entity | None:
        return whom() if callable(whom) else body.world.entities.get(whom)

    blocked_at: Cell | None = None
    while True:
        entity = target()
        if entity is None or _gap(body, entity) <= distance + _SLACK:
            blocked_at = None
            await next_tick()
            continue
        cell = _cell(entity)
        if cell == blocked_at:
            await next_tick()
            continue

        def pointless(cell: Cell = cell) -> bool:
            now = target()
            return now is None or math.dist(_cell(now), cell) > _DRIFT

        walk = _Walk(
            body, goals.Near(*cell, distance), may_dig=may_dig, may_place=may_place, dismiss=pointless
        )
        try:
            verdict = await walk.run()
        except ActFailed:
            verdict = None
        if verdict is None or (not verdict.ok and verdict.kind != "dismissed"):
            blocked_at = cell
            await next_tick()


def _gap(body: Body, entity: Entity) -> float:
    return math.dist(body.position, (entity.x, entity.y, entity.z))


def _cell(entity: Entity) -> Cell:
    return math.floor(entity.x), math.floor(entity.y + 0.01), math.floor(entity.z)


class _Walk:
    """One walk to one goal: plan, walk, and plan anew whenever the walk can't be finished as planned."""

    def __init__(
        self,
        body: Body,
        goal: Goal,
        *,
        may_dig: bool = False,
        may_place: bool = False,
        wasteful: bool = False,
        avoid: tuple[Avoid, ...] = (),
        dismiss: Callable[[], bool] | None = None,
    ) -> None:
        self._body = body
        self._goal = goal
        self._dismiss = dismiss
        self._options: dict[str, Any] = {
            "may_dig": may_dig,
            "may_place": may_place,
            "wasteful": wasteful,
            "avoid": avoid,
        }
        self._ground = Ground.of(body.world)
        # where searches run to their end at once, their answers must not depend on the machine's speed
        self._timed = not isinstance(body.background, AtOnce)
        #: Cells that the server, or something nobody foresaw, keeps us from changing or entering.
        self._closed: set[Cell] = set()
        self._shut: list[Avoid] = []
        self._leaps = True
        self._nearest = math.inf
        self._patience = _PATIENCE
        self._dug = 0
        self._placed = 0
        self._last: Ending | None = None

    async def run(self) -> Verdict:
        body = self._body
        while True:
            await until(lambda: self._footing() is not None, _GROUND_TICKS)
            start = self._footing() or cell_of_body(body)
            if goals.contains(self._goal, start):
                return self._arrived()
            if self._dismiss is not None and self._dismiss():
                return Verdict(False, "No longer needed.", self.where(), "dismissed")
            outcome = await body.think(self._find(start))
            if outcome.route is None or not outcome.route.steps:
                if outcome.reason in _MORE_TERRAIN and await self._more_terrain():
                    continue
                return self._failed(outcome)
            ending = await self._follow(outcome.route)
            if ending.kind == "goal":
                return self._arrived()
            if ending.kind == "dismissed":
                return Verdict(False, "No longer needed.", self.where(), "dismissed")
            self._learn(ending)
            if not self._still_hopeful():
                return self._gave_up(ending)

    async def _more_terrain(self) -> bool:
        """Look around and wait a while for chunks, as after joining or in a place just come to. True when one
        came."""
        body = self._body
        known = len(body.world.chunks.columns)
        for _ in range(_TERRAIN_TICKS):
            if len(body.world.chunks.columns) > known:
                return True
            # there are servers that send no more before they have seen the player move its head
            body.controls.turn(body.controls.yaw + _GLANCE, body.controls.pitch)
            await next_tick()
        return False

    def _find(self, start: Cell) -> Generator[None, None, Outcome]:
        return find(self._ground, start, self._goal, self._context(), self._limits(LIMITS))

    def _limits(self, limits: Limits) -> Limits:
        return limits if self._timed else replace(limits, ms=None)

    def _context(self) -> Context:
        context = Context.of(self._body, untouchable=frozenset(self._closed), **self._options)
        return replace(context, leaps=self._leaps, avoid=(*context.avoid, *self._shut))

    async def _follow(self, route: Route) -> Ending:
        """Walk a route; where the terrain changed on the way, find a way around and back to it."""
        while True:
            walker = Walker(
                self._body, route, self._goal, self._context(), plan_on=self._find, dismiss=self._dismiss
            )
            try:
                ending = await walker.walk()
            finally:
                self._dug += walker.dug
                self._placed += walker.placed
            if ending.kind != "changed":
                return ending
            patched = await self._patch(walker)
            if patched is None:
                return ending
            route = patched

    async def _patch(self, walker: Walker) -> Route | None:
        """A way from here back to a later step of a route, followed by the rest of it."""
        start = self._footing()
        if start is None:
            return None
        steps = walker.route.steps[walker.broken : walker.broken + _PATCH_STEPS]
        cells = [step.dst for step in steps if walker.is_rest(step)]
        if not cells:
            return None
        context = replace(self._context(), may_dig=False, may_place=False)
        outcome = await self._body.think(
            find(self._ground, start, goals.Cells(cells), context, self._limits(_PATCH_LIMITS))
        )
        if not outcome.arrives or outcome.route is None:
            return None
        rest = [i for i, step in enumerate(walker.route.steps) if step.dst == outcome.route.end]
        if not rest:
            return None
        tail = walker.route.steps[rest[-1] + 1 :]
        return outcome.route.joined(Route(outcome.route.end, tail, walker.route.arrives))

    def _footing(self) -> Cell | None:
        """The cell a search can start from; None while the body is in the air."""
        state = self._body.state
        if state is None or not (state.on_ground or state.in_water or abs(state.vy) < 0.16):
            return None
        return cell_of_body(self._body)

    def _learn(self, ending: Ending) -> None:
        """Remember what stood in the way, so that the next route leads around it."""
        self._last = ending
        if ending.cell is None or (ending.failure is not None and ending.failure.kind == "wrong_tool"):
            return
        if ending.kind == "refused":
            self._closed.add(ending.cell)
            if ending.failure is None:
                self._leaps = False
            elif ending.failure.kind == "refused":
                self._close(ending.cell)
        elif ending.kind == "stuck" and self._patience < _PATIENCE - 1:
            self._close(ending.cell)

    def _close(self, cell: Cell) -> None:
        x, y, z = cell
        self._shut.append(Avoid(x + 0.5, y + 0.9, z + 0.5, 0.6))

    def _still_hopeful(self) -> bool:
        """A walk may go on as long as it comes nearer to its goal, and a few times more."""
        left = goals.estimate_at(self._goal, cell_of_body(self._body)) / costs.UNIT
        if left < self._nearest - _NEARER:
            self._nearest = left
            self._patience = _PATIENCE
            return True
        self._patience -= 1
        return self._patience > 0

    # -- verdicts ----------------------------------------------------------------------------------------

    def where(self) -> dict[str, Any]:
        """Where the body is, and what it did to the terrain."""
        data: dict[str, Any] = {}
        if self._body.state is not None:
            x, y, z = self._body.position
            data = {"final_x": round(x, 2), "final_y": round(y, 2), "final_z": round(z, 2)}
        if self._dug:
            data["blocks_dug"] = self._dug
        if self._placed:
            data["blocks_placed"] = self._placed
        return data

    def so_far(self) -> str:
        if self._body.state is None:
            return ""
        x, y, z = cell_of_body(self._body)
        return f"I am at ({x}, {y}, {z}), {self._distance():.0f} blocks from {self._goal}."

    def _distance(self) -> float:
        return goals.distance(self._goal, cell_of_body(self._body))

    def _arrived(self) -> Verdict:
        x, y, z = cell_of_body(self._body)
        work = [
            text
            for count, text in (
                (self._dug, f"dug {self._dug}"),
                (self._placed, f"placed {self._placed}"),
            )
            if count
        ]
        changes = f" On the way I {' and '.join(work)} blocks." if work else ""
        return Verdict(True, f"Arrived at ({x}, {y}, {z}).{changes}", self.where())

    def _failed(self, outcome: Outcome) -> Verdict:
        data = (
            self.where() | outcome.data | {"reason": outcome.reason, "distance": round(self._distance(), 1)}
        )
        kind = {"no_blocks": "no_material", "needs_tool": "wrong_tool"}.get(outcome.reason, "no_path")
        return Verdict(False, outcome.message or f"There is no way to {self._goal}.", data, kind)

    def _gave_up(self, ending: Ending) -> Verdict:
        data = self.where() | {"reason": ending.kind, "distance": round(self._distance(), 1)}
        message = f"I could not get any nearer to {self._goal}. {ending.message} {self.so_far()}"
        return Verdict(False, message, data, "stuck")


def cell_of_body(body: Body) -> Cell:
    """The cell of the feet."""
    state = body.state
    if state is None:
        raise ActFailed("The server hasn't said yet where I am.", "target_lost")
    return cell_of(state)
