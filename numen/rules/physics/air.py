"""Walking, falling, climbing and flying: everything outside fluids."""

from __future__ import annotations

from functools import lru_cache

from numen.rules.f32 import f32
from numen.rules.physics import touch
from numen.rules.physics.collide import Near
from numen.rules.physics.move import accelerate, move, walking_speed
from numen.rules.physics.state import PlayerState

_DRAG = f32(0.91)
_DRAG_Y = f32(0.98)
_GRIP = f32(0.21600002)
_AIR_SPEED = f32(0.02)
_AIR_SPEED_SPRINTING = f32(0.025999999)
_CLIMB_LIMIT = f32(0.15)
_CLIMB_SPEED = 0.2


@lru_cache(maxsize=256)
def _ground_acceleration(speed: float, slip: float) -> float:
    return f32(speed * f32(_GRIP / f32(f32(slip * slip) * slip)))


@lru_cache(maxsize=16)
def _ground_drag(slip: float) -> float:
    return f32(slip * _DRAG)


def move_in_air(
    s: PlayerState, near: Near, strafe: float, forward: float, jumping: bool, gravity: float
) -> None:
    """One tick on the ground, in the air or on a ladder."""
    slip = touch.friction(s, near)
    drag = _ground_drag(slip) if s.on_ground else _DRAG
    if s.on_ground:
        speed = _ground_acceleration(walking_speed(s), slip)
    elif s.flying:
        speed = f32(s.traits.flying_speed)
        speed = f32(speed * 2.0) if s.sprinting else speed
    else:
        speed = _AIR_SPEED_SPRINTING if s.sprinting else _AIR_SPEED
    accelerate(s, strafe, forward, speed)
    if touch.is_on_climbable(s, near):
        _hold_on(s, near)
    move(s, near, strafe, forward)
    if (s.horizontal_collision or jumping) and (
        touch.is_on_climbable(s, near) or touch.is_on_powder_snow(s, near)
    ):
        s.vy = _CLIMB_SPEED
    if s.traits.levitation:
        s.vy += (0.05 * s.traits.levitation - s.vy) * 0.2
    else:
        s.vy -= gravity
    s.vx, s.vy, s.vz = s.vx * drag, s.vy * _DRAG_Y, s.vz * drag


def _hold_on(s: PlayerState, near: Near) -> None:
    s.fall_distance = 0.0
    s.vx = max(-_CLIMB_LIMIT, min(_CLIMB_LIMIT, s.vx))
    s.vz = max(-_CLIMB_LIMIT, min(_CLIMB_LIMIT, s.vz))
    s.vy = max(-_CLIMB_LIMIT, s.vy)
    if s.vy < 0.0 and s.sneaking and not s.flying and not touch.is_in_scaffolding(s, near):
        s.vy = 0.0
