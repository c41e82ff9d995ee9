"""The body: one player, and the one place that says in which order a tick happens."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from numen.body.acts import Reflex, TaskSlot, next_tick
from numen.body.controls import Controls, angles
from numen.body.prediction import BlockPos, Guess, Point, Prediction
from numen.body.respawn import Respawn
from numen.body.sender import Sender
from numen.body.sight import boxes_at, boxes_meet
from numen.body.talk import Talk
from numen.body.thinking import AtOnce, Background
from numen.body.traits import traits_of
from numen.rules.combat import cooldown_ticks
from numen.rules.physics import PlayerState, step
from protocol.link import Disconnect, PlayerLink

if TYPE_CHECKING:
    from numen.world import World

log = logging.getLogger(__name__)

T = TypeVar("T")


class Body:
    """A player driven by `tick()`, twenty times a second.

    `world` must already be attached to `link`, so that a listener of the body finds the world up to date.
    Searches run where `background` says: at once (the default, right for simulations) or in slices on the
    event loop.
    """

    def __init__(self, world: World, link: PlayerLink, background: Background | None = None) -> None:
        self.world = world
        self.link = link
        self.background: Background = background or AtOnce()
        #: Ticks so far; the time base of acts.
        self.ticks = 0
        self.controls = Controls()
        self.tasks = TaskSlot()
        #: Asked in this order, each tick, for something more urgent than the task.
        self.reflexes: list[Reflex] = []
        #: Position, velocity and pose of the physics; None until the server has said where the body is.
        self.state: PlayerState | None = None
        self.prediction = Prediction(world.block, self._rolled_back)
        self.sender = Sender(link)
        self.talk = Talk(self)
        self.respawn = Respawn(self)
        #: Set by the act that eats, draws or blocks: it slows the legs.
        self.using_item = False
        #: Ticks before which the next block is not begun, and the next blow not struck.
        self.dig_pause_until = 0
        self.attack_ready_at = 0
        self._connected = True
        self._listen()
        self.attach(link)

    # -- where it is -------------------------------------------------------------------------------------

    @property
    def position(self) -> Point:
        """Feet. Raises NowhereYet before the first teleport."""
        state = self._somewhere()
        return state.x, state.y, state.z

    @property
    def feet(self) -> BlockPos:
        """The cell the feet are in. A foot resting on a block lower than a full one counts as in its cell."""
        x, y, z = self.position
        return math.floor(x), math.floor(y + 1e-6), math.floor(z)

    @property
    def eye(self) -> Point:
        """Where it looks from, at the height of the present pose."""
        state = self._somewhere()
        return state.x, state.eye_y, state.z

    @property
    def online(self) -> bool:
        """The connection stands and is in the play state."""
        return self._connected and self.link.state == "play"

    @property
    def ready(self) -> bool:
        """It is alive in a loaded place, so it may move and act."""
        return self.online and self.state is not None and self.world.me.alive and self._ground_known()

    def block(self, x: int, y: int, z: int) -> int:
        """The state the body counts with: its own guess where the server hasn't answered yet, else the
        world's."""
        return self.prediction.block(x, y, z)

    # -- what it can do at once --------------------------------------------------------------------------

    def look_at(self, point: Point) -> None:
        """Turn the head to `point`. The server hears of it at the end of the tick."""
        self.controls.turn(*angles(self.eye, point))

    def look_sent(self) -> bool:
        """Whether the server knows where the head is turned."""
        return self.sender.look_is(self.controls.yaw, self.controls.pitch)

    def swing(self, hand: int = 0) -> None:
        """Swing an arm: 0 the main hand, 1 the other."""
        self.link.send("arm_animation", hand=hand)

    def next_sequence(self) -> int:
        """The number for the next dig, place or use packet."""
        return self.prediction.next_sequence(self.ticks)

    def guess(self, pos: BlockPos, state: int, sequence: int) -> None:
        """Expect `pos` to become `state`, until the server has settled `sequence`."""
        self.prediction.guess(pos, state, sequence, self.position, self.ticks)

    def rest_arm(self) -> None:
        """The next blow has to wait for the full cooldown of what is in the hand: after a blow, after a
        change."""
        self.attack_ready_at = self.ticks + math.ceil(cooldown_ticks(self.world.inventory.held))

    async def think(self, work: Generator[Any, Any, T]) -> T:
        """Run a long search, a generator that yields every few hundred steps, while the ticks go on."""
        thought = self.background.start(work)
        try:
            while not thought.done:
                await next_tick()
        finally:
            thought.cancel()
        return thought.result()

    @contextmanager
    def watching(self, kind: str) -> Iterator[list[tuple[Any, ...]]]:
        """Collects the arguments of each world event `kind` while the block runs."""
        seen: list[tuple[Any, ...]] = []

        def note(*arguments: Any) -> None:
            seen.append(arguments)

        end = self.world.events.on(kind, note)
        try:
            yield seen
        finally:
            end()

    # -- the tick ----------------------------------------------------------------------------------------

    def tick(self) -> None:
        """One twentieth of a second: acts, then physics, then what the server has to know of it."""
        self.ticks += 1
        if not self.online:
            return
        self.prediction.tick(self.ticks)
        self.talk.tick()
        self.respawn.tick()
        if not self.ready:
            return
        self.sender.hold(self.world.me.held_slot)
        self._ask_reflexes()
        self.tasks.tick(self.ticks)
        self._move()

    def attach(self, link: PlayerLink) -> None:
        """Live on over `link`: a first connection or a later one. The world has to be attached to it
        before."""
        self.link = link
        self._connected = True
        self.sender.link = link
        self.prediction.reset()
        self._elsewhere()
        link.on_closed(lambda why: self._closed(link, why))

    def _ask_reflexes(self) -> None:
        if self.tasks.reflex is not None:
            return
        for reflex in self.reflexes:
            act = reflex.bid(self)
            if act is not None:
                self.controls.release()
                self.tasks.interrupt(reflex.name, act)
                return

    def _move(self) -> None:
        state = self.state
        me = self.world.me
        if state is None or me.vehicle_id is not None:
            return
        state.yaw, state.pitch = self.controls.yaw, self.controls.pitch
        state.food = me.food
        state.flying = me.abilities.flying
        state.using_item = self.using_item
        state.traits = traits_of(self.world)
        moved = step(state, self.controls.inputs(), self)
        if not all(map(math.isfinite, (moved.x, moved.y, moved.z, moved.vx, moved.vy, moved.vz))):
            log.error("the physics led nowhere from %s; standing still for this tick", state)
            return
        self.state = moved
        me.moved(moved.x, moved.y, moved.z, moved.yaw, moved.pitch)
        self.sender.tick(moved, entity_id=me.entity_id)

    # -- what the server does to it ----------------------------------------------------------------------

    def _listen(self) -> None:
        on: Callable[[str, Callable[..., None]], Any] = self.world.events.on
        on("spawned", self._spawned)
        on("respawned", self._respawned)
        on("teleported", self._teleported)
        on("velocity", self._velocity)
        on("pushed", self._pushed)
        on("death", self._died)
        on("held_slot", self.sender.told_held)
        on("block_changed", lambda x, y, z, old, new: self.prediction.told((x, y, z)))
        on("chunk_loaded", self.prediction.told_chunk)
        on("block_ack", lambda sequence: self.prediction.acknowledged(sequence, self.ticks))

    def _spawned(self) -> None:
        self._elsewhere()
        self.prediction.reset()
        self.sender.told_held(0)  # where a new player begins; a server that restores another says so

    def _respawned(self) -> None:
        self._elsewhere()
        self.sender.held = None  # a death empties the hand on the server without a word

    def _elsewhere(self) -> None:
        """A new player entity in a world that has yet to arrive: hold still until told where."""
        self.state = None
        self.controls.release()
        self.using_item = False
        self.sender.reset()
        self.prediction.forget()

    def _teleported(
        self,
        teleport_id: int,
        x: float,
        y: float,
        z: float,
        yaw: float,
        pitch: float,
        relative: frozenset[str],
    ) -> None:
        old = self.state
        state = PlayerState(x=x, y=y, z=z)
        if old is not None:
            state = old
            state.x, state.y, state.z = x, y, z
            state.on_ground = False
            state.vx = old.vx if "x" in relative else 0.0
            state.vy = old.vy if "y" in relative else 0.0
            state.vz = old.vz if "z" in relative else 0.0
            state.fall_distance = 0.0
        self.controls.yaw, self.controls.pitch = yaw, pitch
        state.yaw, state.pitch = yaw, pitch
        self.state = state
        self.sender.echo(teleport_id, state)

    def _velocity(self, vx: float, vy: float, vz: float) -> None:
        if self.state is not None:
            self.state.vx, self.state.vy, self.state.vz = vx, vy, vz

    def _pushed(self, vx: float, vy: float, vz: float) -> None:
        if self.state is not None:
            self.state.vx += vx
            self.state.vy += vy
            self.state.vz += vz

    def _died(self, message: str) -> None:
        self.controls.release()
        self.tasks.fail(f"Died: {message}" if message else "Died.", "died")

    def _closed(self, link: PlayerLink, why: Disconnect) -> None:
        if link is not self.link:
            return
        self._connected = False
        self.controls.release()
        self.tasks.fail(f"The connection ended: {why.reason}", "disconnected")

    def _rolled_back(self, pos: BlockPos, guess: Guess) -> None:
        """The server kept its block. A body that is inside it by now steps back to where it stood."""
        state = self.state
        if state is None:
            return
        boxes = boxes_at(self.world.block(*pos), pos)
        if any(boxes_meet(box, state.box) for box in boxes):
            state.x, state.y, state.z = guess.stood_at

    # -- small things ------------------------------------------------------------------------------------

    def _somewhere(self) -> PlayerState:
        if self.state is None:
            raise NowhereYet
        return self.state

    def _ground_known(self) -> bool:
        assert self.state is not None
        return self.world.chunks.is_loaded(math.floor(self.state.x) >> 4, math.floor(self.state.z) >> 4)


class NowhereYet(RuntimeError):
    """The server hasn't said yet where the body is."""

    def __init__(self) -> None:
        super().__init__("the server hasn't said yet where the body is")
