"""Moving through water and lava."""

from __future__ import annotations

from math import floor

from numen.rules.f32 import f32
from numen.rules.physics.collide import Near
from numen.rules.physics.fluid import wets
from numen.rules.physics.matter import LAVA, WATER
from numen.rules.physics.move import accelerate, move, walking_speed
from numen.rules.physics.state import EYES, PlayerState
from numen.rules.physics.touch import is_on_climbable

_JUMP_DEPTH = 0.4
_RISE = f32(0.04)
_DRAG = f32(0.8)
_DRAG_SPRINTING = f32(0.9)
_DRAG_DOLPHIN = f32(0.96)
_DRAG_GROUND = f32(0.54600006)
_ACCELERATION = f32(0.02)
_CLIMB_OUT = f32(0.3)
_STEP_OUT = f32(0.6)


def rise(s: PlayerState) -> None:
    """One tick of holding jump in a fluid."""
    s.vy += _RISE


def dive(s: PlayerState) -> None:
    """One tick of holding sneak in water."""
    s.vy -= _RISE


def steer_by_look(s: PlayerState, near: Near, look_y: float, jumping: bool) -> None:
    """A swimming player goes where it looks; upwards only while there is fluid over it."""
    if look_y > 0.0 and not jumping:
        above = near.block(floor(s.x), floor(s.y + 1.0 - 0.1), floor(s.z))
        if not near.matter.mask(above) & (WATER | LAVA):
            return
    s.vy += (look_y - s.vy) * (0.085 if look_y < -0.2 else 0.06)


def move_in_water(s: PlayerState, near: Near, strafe: float, forward: float, gravity: float) -> None:
    """One tick of moving through water."""
    before = s.y
    sinking = s.vy <= 0.0
    drag = _DRAG_SPRINTING if s.sprinting else _DRAG
    acceleration = _ACCELERATION
    efficiency = f32(s.traits.water_movement_efficiency)
    if not s.on_ground:
        efficiency = f32(efficiency * 0.5)
    if efficiency > 0.0:
        drag = f32(drag + f32(f32(_DRAG_GROUND - drag) * efficiency))
        acceleration = f32(acceleration + f32(f32(walking_speed(s) - acceleration) * efficiency))
    if s.traits.dolphins_grace:
        drag = _DRAG_DOLPHIN
    accelerate(s, strafe, forward, acceleration)
    move(s, near, strafe, forward)
    if s.horizontal_collision and is_on_climbable(s, near):
        s.vy = 0.2
    s.vx, s.vy, s.vz = s.vx * drag, s.vy * _DRAG, s.vz * drag
    _sink(s, gravity, sinking)
    _leave(s, near, before)


def move_in_lava(s: PlayerState, near: Near, strafe: float, forward: float, gravity: float) -> None:
    """One tick of moving through lava."""
    before = s.y
    sinking = s.vy <= 0.0
    accelerate(s, strafe, forward, _ACCELERATION)
    move(s, near, strafe, forward)
    if s.lava_height <= jump_depth(s):
        s.vx, s.vy, s.vz = s.vx * 0.5, s.vy * _DRAG, s.vz * 0.5
        _sink(s, gravity, sinking)
    else:
        s.vx, s.vy, s.vz = s.vx * 0.5, s.vy * 0.5, s.vz * 0.5
    if gravity != 0.0:
        s.vy -= gravity / 4.0
    _leave(s, near, before)


def jump_depth(s: PlayerState) -> float:
    """Depth up to which a body with its feet on the ground jumps instead of swimming up."""
    return 0.0 if EYES[s.pose] < _JUMP_DEPTH else _JUMP_DEPTH


def _sink(s: PlayerState, gravity: float, sinking: bool) -> None:
    if gravity == 0.0 or s.sprinting:
        return
    fallen = s.vy - gravity / 16.0
    s.vy = -0.003 if sinking and abs(s.vy - 0.005) >= 0.003 and abs(fallen) < 0.003 else fallen


def _leave(s: PlayerState, near: Near, before: float) -> None:
    # Pushing against a bank with room 0.6 above lifts the body out.
    if not s.horizontal_collision:
        return
    up = s.vy + _STEP_OUT - s.y + before
    x0, y0, z0, x1, y1, z1 = s.box
    box = (x0 + s.vx, y0 + up, z0 + s.vz, x1 + s.vx, y1 + up, z1 + s.vz)
    if near.is_free(*box) and not wets(near, box):
        s.vy = _CLIMB_OUT
