"""How a body moves along one step: from where it is and where the step leads to the keys of one tick.

Everything here is a pure function of the player's state, so that the same code drives the body and its
foresight. No position is ever set; only keys and the direction of the look are chosen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from numen.body.path.moves.kinds import Kind
from numen.body.path.route import Step
from numen.rules.physics import Inputs, PlayerState

#: Half the width of a body, and what a body on the ground still slides when the keys are let go: velocities
#: keep 0.546 of themselves each tick (vanilla 1.21.1), so 0.546 / (1 - 0.546) of the last one.
_HALF: Final = 0.3
_SLIDE: Final = 1.2
#: In the air they keep 0.91.
_AIR_KEEP: Final = 0.91
#: Close enough to the middle of a cell.
_MIDDLE: Final = 0.12


@dataclass(frozen=True)
class Gait:
    """How boldly a step is taken."""

    sprint: bool = True
    #: Ground speed above which the key is let go, blocks a tick.
    speed: float = 1.0
    #: Blocks before (after, when negative) the edge of a gap at which to jump.
    lead: float = 0.0
    #: Come to rest at the end of the step, even where the way leads straight on.
    halts: bool = False


SPRINT: Final = Gait()
WALK: Final = Gait(sprint=False)
CREEP: Final = Gait(sprint=False, speed=0.05, halts=True)
#: Tried in this order before a fall.
DROPS: Final = (
    SPRINT,
    WALK,
    Gait(sprint=False, halts=True),
    Gait(sprint=False, speed=0.1, halts=True),
    CREEP,
)
#: Tried in this order before a leap.
LEAPS: Final = tuple(Gait(sprint, lead=lead) for sprint in (False, True) for lead in (-0.2, 0.0, 0.25))


@dataclass(frozen=True)
class Keys:
    """What to do in one tick: where to look, which keys to hold."""

    yaw: float
    inputs: Inputs
    pitch: float = 0.0


@dataclass(frozen=True)
class Ahead:
    """What of the rest of the route matters for a step: the step after it, and the steps that lead straight
    on over ground that rises and falls by no more than a block."""

    after: Step | None = None
    straight: tuple[Step, ...] = ()

    def through(self, step: Step) -> bool:
        """Whether the body may run on at the end of the step."""
        if self.after is None or self.after.kind not in _RUNNING:
            return False
        (ax, az), (bx, bz) = step.heading, self.after.heading
        return ax * bx + az * bz > 0


_RUNNING: Final = frozenset({Kind.WALK, Kind.DIAGONAL, Kind.ASCEND, Kind.DESCEND, Kind.HOP, Kind.SWIM})


def drive(s: PlayerState, step: Step, ahead: Ahead, gait: Gait = SPRINT) -> Keys:
    """The keys for this tick of a step."""
    kind = step.kind
    if kind is Kind.CLIMB:
        return _climb(s, step)
    if s.in_water or kind in (Kind.SWIM, Kind.CLIMB_OUT):
        return _swim(s, step, gait)
    if kind in (Kind.DIG_DOWN, Kind.PILLAR):
        return _keep_middle(s, step.src[0] + 0.5, step.src[2] + 0.5)
    if kind is Kind.LEAP:
        return _leap(s, step, ahead, gait)
    if kind in (Kind.ASCEND, Kind.HOP) or (step.rise > 0 and kind is not Kind.WALK):
        return _jump_up(s, step, ahead, gait)
    return _go(s, step, ahead, gait)


def _go(s: PlayerState, step: Step, ahead: Ahead, gait: Gait) -> Keys:
    """Over level ground, or down."""
    x, z = step.dst[0] + 0.5, step.dst[2] + 0.5
    if not s.on_ground:
        return _steer_in_air(s, step, ahead, gait, x, z)
    if ahead.through(step) and not gait.halts:
        return Keys(_yaw(s, x, z), Inputs(forward=_press(s, gait), sprint=gait.sprint))
    return _stop_at(s, x, z, gait, falls=s.y > step.dst[1] + 0.6)


def _press(s: PlayerState, gait: Gait) -> int:
    return 1 if math.hypot(s.vx, s.vz) < gait.speed else 0


def _stop_at(s: PlayerState, x: float, z: float, gait: Gait, *, falls: bool) -> Keys:
    """Walk so that the body comes to rest at a point; one that is to fall there must not sneak, or the edge
    holds it."""
    dx, dz = x - s.x - s.vx * _SLIDE, z - s.z - s.vz * _SLIDE
    if math.hypot(dx, dz) < _MIDDLE:
        return Keys(_yaw(s, x, z), Inputs())
    yaw = math.degrees(math.atan2(-dx, dz))
    far = math.hypot(dx, dz)
    sneak = far < 0.25 and not falls
    return Keys(yaw, Inputs(forward=_press(s, gait), sprint=gait.sprint and far > 1.5, sneak=sneak))


def _steer_in_air(s: PlayerState, step: Step, ahead: Ahead, gait: Gait, x: float, z: float) -> Keys:
    """Fall towards a point: forward as long as the flight falls short of it, back when it carries too far."""
    if ahead.through(step) and ahead.after is not None and not gait.halts:
        if (x - s.x) * s.vx + (z - s.z) * s.vz <= 0:
            x, z = ahead.after.dst[0] + 0.5, ahead.after.dst[2] + 0.5
        return Keys(_yaw(s, x, z), Inputs(forward=1, sprint=s.sprinting))
    ticks = _ticks_to_fall(s.y - step.dst[1], s.vy)
    carry = _AIR_KEEP * (1 - _AIR_KEEP**ticks) / (1 - _AIR_KEEP)
    dx, dz = x - s.x - s.vx * carry, z - s.z - s.vz * carry
    if math.hypot(dx, dz) < _MIDDLE:
        return Keys(_yaw(s, x, z), Inputs())
    return Keys(math.degrees(math.atan2(-dx, dz)), Inputs(forward=1))


def _ticks_to_fall(height: float, vy: float) -> int:
    ticks = 0
    while height > 0 and ticks < 60:
        height += vy
        vy = (vy - 0.08) * 0.98
        ticks += 1
    return ticks


def _jump_up(s: PlayerState, step: Step, ahead: Ahead, gait: Gait) -> Keys:
    """Onto a block one higher, or onto something low."""
    x, z = step.dst[0] + 0.5, step.dst[2] + 0.5
    yaw = _yaw(s, x, z)
    hx, hz = step.heading
    if not s.on_ground:
        if s.y < step.dst[1] - 0.05 and s.vy > -0.1 and step.kind is not Kind.HOP:
            return Keys(yaw, Inputs(forward=1, sprint=s.sprinting))
        return _steer_in_air(s, step, ahead, gait, x, z)
    if s.y > step.dst[1] - 0.05 and step.kind is not Kind.HOP:
        return _go(s, step, ahead, gait)
    runs = gait.sprint and ahead.through(step) and len(ahead.straight) >= 2
    # the gap between the front of the body and the side of the block to jump onto
    gap = max(abs(x - s.x) - 0.5 - _HALF if hx else 0.0, abs(z - s.z) - 0.5 - _HALF if hz else 0.0)
    aside = abs((x - s.x) * hz - (z - s.z) * hx) / math.hypot(hx, hz)
    jump = gap < (0.7 if runs else 0.35) and aside < 0.45
    return Keys(yaw, Inputs(forward=1, jump=jump, sprint=runs))


def _leap(s: PlayerState, step: Step, ahead: Ahead, gait: Gait) -> Keys:
    """Over a gap: run, jump at its edge, land in the middle of the cell beyond."""
    x, z = step.dst[0] + 0.5, step.dst[2] + 0.5
    yaw = _yaw(s, x, z)
    if not s.on_ground:
        return _steer_in_air(s, step, ahead, gait, x, z)
    hx, hz = step.heading
    past = (s.x - step.src[0] - 0.5) * hx + (s.z - step.src[2] - 0.5) * hz
    jump = past >= 0.5 - gait.lead and past < 1.0
    return Keys(yaw, Inputs(forward=1, jump=jump, sprint=gait.sprint))


def _swim(s: PlayerState, step: Step, gait: Gait) -> Keys:
    x, y, z = step.dst[0] + 0.5, step.dst[1], step.dst[2] + 0.5
    flat = math.hypot(x - s.x, z - s.z)
    up = step.kind is Kind.CLIMB_OUT or s.y < y + 0.3
    down = not up and s.y > y + 0.8 and not s.on_ground
    forward = 1 if flat > 0.2 or step.kind is Kind.CLIMB_OUT else 0
    yaw = _yaw(s, x, z) if flat > 0.05 else s.yaw
    return Keys(yaw, Inputs(forward=forward, jump=up and s.in_water, sneak=down))


def _climb(s: PlayerState, step: Step) -> Keys:
    """Up and down rungs; the body keeps to the middle of the shaft."""
    x, z = step.dst[0] + 0.5, step.dst[2] + 0.5
    keys = _keep_middle(s, x, z)
    return Keys(keys.yaw, Inputs(forward=keys.inputs.forward, jump=step.rise > 0))


def _keep_middle(s: PlayerState, x: float, z: float) -> Keys:
    dx, dz = x - s.x - s.vx * _SLIDE, z - s.z - s.vz * _SLIDE
    if math.hypot(dx, dz) < _MIDDLE:
        return Keys(s.yaw, Inputs())
    # Sneaking keeps the body on its column. When the column is gone, the body is to fall into its place.
    carried = s.support is None or (s.support[0] + 0.5, s.support[2] + 0.5) == (x, z)
    return Keys(math.degrees(math.atan2(-dx, dz)), Inputs(forward=1, sneak=s.on_ground and carried))


def _yaw(s: PlayerState, x: float, z: float) -> float:
    return math.degrees(math.atan2(s.x - x, z - s.z))
