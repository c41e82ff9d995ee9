"""Walking a route, a tick at a time.

Every tick: has a later cell of the route been reached; is the body still where the route can be walked from;
has something on the way changed; then dig, place or open what the present step needs, or press the keys that
lead on.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from numen.body.acts import ActFailed, ActStopped, next_tick
from numen.body.path import flags, foresee, goals, moves, works
from numen.body.path.context import Context, Tools
from numen.body.path.drive import CREEP, DROPS, LEAPS, SPRINT, WALK, Ahead, Gait, drive
from numen.body.path.foresee import cell_of
from numen.body.path.frame import Cell
from numen.body.path.goals import Goal
from numen.body.path.ground import HIGH, WIDE, Ground
from numen.body.path.moves.kinds import Kind
from numen.body.path.plan import Outcome
from numen.body.path.route import Route, Step
from numen.body.thinking import Thought
from numen.rules import blocks
from numen.rules.physics import PlayerState

if TYPE_CHECKING:
    from numen.body.body import Body

#: A step may take this much longer than thought, digging aside.
_OVERTIME: Final = 100
#: This far from the route is astray at once, or after so many ticks.
_ASTRAY: Final = 3.0
_ASIDE: Final = 2.0
_ASIDE_TICKS: Final = 40
#: No progress to speak of for so long: something is in the way that nobody knows of.
_STUCK_TICKS: Final = 40
_STUCK_BLOCKS: Final = 0.3
#: Ticks to find the spot to leap from.
_RUN_UP_TICKS: Final = 30
#: A jump often helps before that.
_NUDGE_TICKS: Final = 15
#: Steps ahead that are looked at: for one already reached, for changes of the terrain.
_SKIP: Final = 8
_WATCHED: Final = 20
#: How far a run-up or a landing may reach beyond a step, steps.
_STRAIGHT: Final = 4
#: Waiting for chunks on the way.
_UNLOADED_TICKS: Final = 100
#: Near enough to the middle of a cell to turn.
_TURN_WITHIN: Final = 0.35
#: The rest of a partial route is planned when so much of it is left, ticks.
_PLAN_AHEAD: Final = 150.0
#: A stopped walk still lands, ticks.
_LANDING_TICKS: Final = 30

EndKind = Literal["end", "goal", "astray", "stuck", "changed", "refused", "unloaded", "dismissed"]


@dataclass(frozen=True)
class Ending:
    """How a walk along a route came to its end: `goal` and `end` are good, else `message` says why."""

    kind: EndKind
    message: str = ""
    #: What can't be dug, placed or opened.
    cell: Cell | None = None
    failure: ActFailed | None = None


class Walker:
    """Walks one route. `plan_on(cell)` plans the rest of a partial route from its end; `dismiss()` is asked
    every tick whether the walk has become pointless."""

    def __init__(
        self,
        body: Body,
        route: Route,
        goal: Goal,
        context: Context,
        *,
        plan_on: Callable[[Cell], Generator[None, None, Outcome]] | None = None,
        dismiss: Callable[[], bool] | None = None,
    ) -> None:
        self.body = body
        self.route = route
        self.goal = goal
        self.context = context
        #: The present step, and one ahead that was found to be impossible.
        self.index = 0
        self.broken = 0
        #: Blocks dug and placed on the way.
        self.dug = 0
        self.placed = 0
        self._ground = Ground.of(body.world)
        self._plan_on = plan_on
        self._dismiss = dismiss
        self._thought: Thought[Outcome] | None = None
        self._gait: Gait | None = None
        self._step_ticks = 0
        self._aside_ticks = 0
        # ticks of walking; those during which a reflex has the body don't count
        self._clock = 0
        self._anchor: tuple[tuple[float, float, float], int] = (body.position, 0)
        self._watched: dict[Cell, int] = {}
        self._dirty = False
        self._last_cell: Cell | None = None

    # -- the walk ----------------------------------------------------------------------------------------

    async def walk(self) -> Ending:
        """Walk until the route or the goal is reached, or until it can't be followed any more. The keys are
        released in every case."""
        stop_listening = self.body.world.events.on("block_changed", self._block_changed)
        self._watch()
        try:
            return await self._walk()
        except ActStopped:
            await self._land()
            raise
        finally:
            stop_listening()
            if self._thought is not None:
                self._thought.cancel()
            self.body.controls.release()

    async def _walk(self) -> Ending:
        while True:
            if self._dismiss is not None and self._dismiss():
                return Ending("dismissed")
            self._advance()
            state = self._state
            if self._met(state):
                return Ending("goal")
            if self.index >= len(self.route.steps):
                return await self._settle()
            step = self.route.steps[self.index]
            ending = self._misfortune(state, step) or await self._unloaded(step)
            if ending is None and self._needs_hands(step) and self._in_place(state, step):
                ending = await self._prepare(step)
                if ending is None and self.route.steps[self.index : self.index + 1] == (step,):
                    self._restart_clock()
                    state = self._state
            if ending is not None:
                return ending
            self._look_ahead()
            gait = self._choose_gait(state, step)
            if gait is not None:
                self._press(state, step, gait)
            elif self._step_ticks < _RUN_UP_TICKS and not self._near_middle(state, step.src):
                # a leap that fails from here may succeed from the middle of the cell
                self._press(state, Step(Kind.WALK, step.src, step.src, 1.0), CREEP)
            else:
                return Ending("refused", "I can't make that jump.", step.dst)
            self._step_ticks += 1
            self._clock += 1
            await next_tick()

    @property
    def _state(self) -> PlayerState:
        state = self.body.state
        if state is None:
            raise ActFailed("I am nowhere just now.", "target_lost")
        return state

    def _press(self, state: PlayerState, step: Step, gait: Gait) -> None:
        stance = step.src == step.dst
        keys = drive(state, step, Ahead() if stance else self._ahead(self.index), gait)
        controls = self.body.controls
        controls.turn(keys.yaw, keys.pitch)
        controls.forward = keys.inputs.forward
        controls.strafe = keys.inputs.strafe
        stuck_for = self._clock - self._anchor[1]
        controls.jump = keys.inputs.jump or (stuck_for > _NUDGE_TICKS and not keys.inputs.sneak)
        controls.sneak = keys.inputs.sneak
        controls.sprint = keys.inputs.sprint and self.context.sprints

    def _ahead(self, index: int) -> Ahead:
        steps = self.route.steps
        step = steps[index]
        after = steps[index + 1] if index + 1 < len(steps) else None
        if after is not None and self._needs_hands(after):
            after = None
        straight = []
        for other in steps[index + 1 : index + 1 + _STRAIGHT]:
            if other.heading != step.heading or abs(other.rise) > 1 or self._needs_hands(other):
                break
            straight.append(other)
        return Ahead(after, tuple(straight))

    def _choose_gait(self, state: PlayerState, step: Step) -> Gait | None:
        """How to take the step; risky ones are tried in the mind first. None: the leap can't be made."""
        if self._gait is not None:
            return self._gait
        plain = WALK if self._is_beside_danger(step) or not self.context.sprints else SPRINT
        drops = step.kind in (Kind.FALL, Kind.DESCEND) or (step.kind is Kind.DIAGONAL and step.rise < 0)
        if step.kind is not Kind.LEAP and not drops:
            self._gait = plain
            return plain
        if not state.on_ground:
            return plain
        ahead = self._ahead(self.index)
        if step.kind is Kind.LEAP:
            self._gait = foresee.choose(state, step, ahead, LEAPS, self.body)
            return self._gait
        gaits = DROPS if plain is SPRINT else DROPS[1:]
        self._gait = foresee.choose(state, step, ahead, gaits, self.body) or CREEP
        return self._gait

    # -- where it is -------------------------------------------------------------------------------------

    def _advance(self) -> None:
        """Go on to the step after the last one whose end has been reached."""
        state = self._state
        steps = self.route.steps
        here = cell_of(state)
        for index in range(min(self.index + _SKIP, len(steps)) - 1, self.index - 1, -1):
            step = steps[index]
            if not self._is_at(state, here, step):
                continue
            if any(self._needs_hands(each) for each in steps[self.index + 1 : index + 1]):
                continue
            if index == self.index and not self._may_turn(state, index):
                return
            self.index = index + 1
            self._restart_clock()
            self._watch()
            return
        self._rejoin(state, here)

    def _rejoin(self, state: PlayerState, here: Cell) -> None:
        """A body that has come off the route by a block goes on from where it is, when a step leads back from
        there."""
        steps = self.route.steps
        if self.index >= len(steps) or not state.on_ground:
            return
        if any(here in (step.src, step.dst) for step in steps[self.index : self.index + 1]):
            return
        code = self._code(here)
        if code is None:
            return
        edges = {
            (here[0] + edge.dx, here[1] + edge.dy, here[2] + edge.dz): edge
            for edge in moves.edges(code, self.context.sprints)
        }
        for index in range(min(self.index + 2, len(steps) - 1), self.index - 1, -1):
            edge = edges.get(steps[index].dst)
            if edge is None or any(self._needs_hands(step) for step in steps[self.index : index + 1]):
                continue
            step = Step(edge.kind, here, steps[index].dst, edge.ticks)
            self.route = Route(here, (step, *steps[index + 1 :]), self.route.arrives)
            self.index = 0
            self._restart_clock()
            self._watch()
            return

    def _code(self, cell: Cell) -> int | None:
        """The code of the stand at a cell, None where a body can't rest."""
        x, y, z = cell
        corner = (x & ~(WIDE - 1), y & ~(HIGH - 1), z & ~(WIDE - 1))
        return self._ground.block(*corner, self.context.max_drop, self.context.leaps).code_at(x, y, z)

    def _is_at(self, state: PlayerState, here: Cell, step: Step) -> bool:
        if here != step.dst:
            return False
        if self._needs_hands(step):
            return False
        return self._holds(state, here) or step.kind in (Kind.CLIMB, Kind.SWIM)

    def _holds(self, state: PlayerState, here: Cell) -> bool:
        """Whether the body stands, swims or hangs on rungs."""
        return state.on_ground or state.in_water or blocks.is_climbable(self.body.block(*here))

    def _may_turn(self, state: PlayerState, index: int) -> bool:
        """Whether the step is done: at once when the way leads straight on, else in the middle of its last
        cell."""
        step = self.route.steps[index]
        if self._ahead(index).through(step) or step.kind in (Kind.CLIMB, Kind.SWIM):
            return True
        return self._near_middle(state, step.dst)

    def _near_middle(self, state: PlayerState, cell: Cell) -> bool:
        x, z = cell[0] + 0.5 - state.x, cell[2] + 0.5 - state.z
        return max(abs(x), abs(z)) < _TURN_WITHIN and math.hypot(state.vx, state.vz) < 0.16

    def _met(self, state: PlayerState) -> bool:
        """Whether the goal is met on the way. Only whoever stands, swims or hangs has arrived."""
        here = cell_of(state)
        if here == self._last_cell or not self._holds(state, here):
            return False
        self._last_cell = here
        last = self.index >= len(self.route.steps) - 1
        return not (last and self.route.arrives) and goals.contains(self.goal, here)

    async def _settle(self) -> Ending:
        """The last step is done: come to rest in its cell."""
        end = self.route.end
        stance = Step(Kind.WALK, end, end, 1.0)
        for _ in range(_LANDING_TICKS):
            state = self._state
            slide = (state.x + state.vx * 1.2, state.z + state.vz * 1.2)
            inside = all(
                abs(at - cell - 0.5) < 0.45 for at, cell in zip(slide, (end[0], end[2]), strict=True)
            )
            if inside and (state.on_ground or state.in_water or math.hypot(state.vx, state.vz) < 0.05):
                break
            keys = drive(state, stance, Ahead(), WALK)
            controls = self.body.controls
            controls.turn(keys.yaw, keys.pitch)
            controls.forward, controls.sprint, controls.jump = keys.inputs.forward, False, keys.inputs.jump
            controls.sneak = keys.inputs.sneak
            await next_tick()
        here = cell_of(self._state)
        return Ending("goal" if goals.contains(self.goal, here) else "end")

    async def _land(self) -> None:
        """A walk that is stopped in mid-air still lands where it was going."""
        for _ in range(_LANDING_TICKS):
            state = self.body.state
            if state is None or state.on_ground or state.in_water or self.index >= len(self.route.steps):
                return
            self._press(state, self.route.steps[self.index], self._gait or WALK)
            await next_tick()

    # -- what may go wrong -------------------------------------------------------------------------------

    def _misfortune(self, state: PlayerState, step: Step) -> Ending | None:
        away = self._distance(state)
        self._aside_ticks = self._aside_ticks + 1 if away > _ASIDE else 0
        if away > _ASTRAY or self._aside_ticks > _ASIDE_TICKS:
            return Ending("astray", "I have come off the way.")
        if state.on_ground and cell_of(state)[1] < min(step.src[1], step.dst[1]) - 1:
            return Ending("astray", "I have fallen off the way.")
        if self._step_ticks > step.ticks + _OVERTIME:
            return Ending("stuck", "A step takes far too long.", step.dst)
        (x, y, z), since = self._anchor
        if math.dist((x, y, z), (state.x, state.y, state.z)) > _STUCK_BLOCKS:
            self._anchor = ((state.x, state.y, state.z), self._clock)
        elif self._clock - since > _STUCK_TICKS:
            return Ending("stuck", "I don't get any further.", step.dst)
        if self._dirty:
            self._dirty = False
            broken = self._first_broken()
            if broken is not None:
                self.broken = broken
                return Ending("changed", "The way has changed.", self.route.steps[broken].dst)
        return None

    def _restart_clock(self) -> None:
        self._gait = None
        self._step_ticks = 0
        self._anchor = (self.body.position, self._clock)

    def _distance(self, state: PlayerState) -> float:
        """From the body to the present step or one of its neighbours."""
        steps = self.route.steps[max(0, self.index - 1) : self.index + 3]
        return min(_distance_to(state, step) for step in steps)

    async def _unloaded(self, step: Step) -> Ending | None:
        """Never walk into the unknown: wait a while for it to be sent."""
        x, y, z = step.dst
        if self.body.world.block(x, y, z) >= 0:
            return None
        self.body.controls.release()
        for _ in range(_UNLOADED_TICKS):
            await next_tick()
            if self.body.world.block(x, y, z) >= 0:
                self._restart_clock()
                return None
        return Ending("unloaded", "The way leads into chunks that the server hasn't sent.", step.dst)

    def _is_beside_danger(self, step: Step) -> bool:
        table = flags.tables().walking
        for x, y, z in (step.src, step.dst):
            for dx, dz in moves.SIDES:
                for dy in (0, -1):
                    state = self.body.block(x + dx, y + dy, z + dz)
                    if 0 <= state < len(table) and int(table[state]) & (flags.DANGER | flags.LAVA):
                        return True
        return False

    # -- changes of the terrain --------------------------------------------------------------------------

    def _watch(self) -> None:
        """Remember which cells matter for the steps ahead."""
        self._watched = {}
        for index in range(self.index, min(self.index + _WATCHED, len(self.route.steps))):
            step = self.route.steps[index]
            x, y, z = step.dst
            for cell in (*step.body_cells, (x, y - 1, z)):
                self._watched.setdefault(cell, index)

    def _block_changed(self, x: int, y: int, z: int, old: int, new: int) -> None:
        if (x, y, z) in self._watched:
            self._dirty = True

    def _first_broken(self) -> int | None:
        """Which of the steps ahead is the first that can't be taken any more."""
        for index in range(self.index, min(self.index + _WATCHED, len(self.route.steps))):
            step = self.route.steps[index]
            if not self._needs_hands(step) and not step.clear and not self._still_possible(step):
                return index
        return None

    def _still_possible(self, step: Step) -> bool:
        x, y, z = step.src
        code = self._code(step.src)
        if code is None:
            return step.kind is Kind.WALK  # a stance that never was a proper one
        offset = (step.dst[0] - x, step.dst[1] - y, step.dst[2] - z)
        if offset[1] < -3:
            return True
        return any((edge.dx, edge.dy, edge.dz) == offset for edge in moves.edges(code, self.context.sprints))

    # -- the hands ---------------------------------------------------------------------------------------

    def _needs_hands(self, step: Step) -> bool:
        """Whether something has to be dug, set or opened before the step can be taken."""
        if step.kind is Kind.DOOR:
            return works.door_in_the_way(self.body, step)
        if any(not works.is_clear(self.body, cell) for cell in step.clear):
            return True
        return step.place is not None and not works.carries(self.body, step.place)

    def is_rest(self, step: Step) -> bool:
        """Whether the end of a step is a place to stand in as the terrain is now."""
        return self._code(step.dst) is not None

    def _in_place(self, state: PlayerState, step: Step) -> bool:
        """Whether the body stands where the step begins, so that its hands can get to work."""
        return cell_of(state) == step.src and (state.on_ground or state.in_water)

    async def _prepare(self, step: Step) -> Ending | None:
        cell = step.dst
        try:
            if step.kind is Kind.DOOR:
                await works.open_doors(self.body, step)
            for cell in step.clear:
                self._check_tools(cell)
                self.dug += await works.dig_free(self.body, cell)
            if step.place is not None and not works.carries(self.body, step.place):
                cell = step.place
                if step.kind is Kind.BRIDGE:
                    await works.bridge(self.body, step)
                elif step.kind is Kind.PILLAR:
                    await works.pillar(self.body, step)
                else:
                    await works.halt(self.body)
                    await works.set_block(self.body, step.place)
                self.placed += 1
        except ActFailed as failure:
            return Ending("refused", failure.message, cell, failure)
        return None

    def _check_tools(self, cell: Cell) -> None:
        """A tool may have worn out since the route was planned. Raises ActFailed when the rest can't dig the
        cell."""
        tools = self.context.dig_ticks
        state = self.body.block(*cell)
        if not isinstance(tools, Tools) or works.is_clear(self.body, cell) or tools(state) is None:
            return
        if Tools.of(self.body, wasteful=tools.wasteful)(state) is None:
            raise ActFailed("The tool for the way has worn out.", "wrong_tool")

    # -- the rest of a long way --------------------------------------------------------------------------

    def _look_ahead(self) -> None:
        """Plan the rest of a partial route while there is still some of it to walk."""
        if self._plan_on is None or self.route.arrives:
            return
        if self._thought is None:
            if self.route.ticks_from(self.index) < _PLAN_AHEAD:
                self._thought = self.body.background.start(self._plan_on(self.route.end))
            return
        if self._thought.done:
            outcome = self._thought.result()
            self._plan_on = None if outcome.route is None else self._plan_on
            self._thought = None
            if outcome.route is not None and outcome.route.steps and outcome.route.start == self.route.end:
                rest = Route(self.route.steps[self.index].src, self.route.steps[self.index :], arrives=False)
                self.route, self.index = rest.joined(outcome.route), 0
                self._watch()


def _distance_to(state: PlayerState, step: Step) -> float:
    """From the body to the straight line of a step."""
    ax, ay, az = step.src[0] + 0.5, float(step.src[1]), step.src[2] + 0.5
    bx, by, bz = step.dst[0] + 0.5, float(step.dst[1]), step.dst[2] + 0.5
    dx, dz = bx - ax, bz - az
    length = dx * dx + dz * dz
    share = 0.0 if not length else max(0.0, min(1.0, ((state.x - ax) * dx + (state.z - az) * dz) / length))
    low, high = sorted((ay, by))
    dy = max(low - state.y, state.y - high - 1.3, 0.0)
    return math.hypot(state.x - ax - share * dx, dy, state.z - az - share * dz)
