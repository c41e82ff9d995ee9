"""One move of the body: velocity from input, collision, and what follows from having moved.

vanilla 1.21.1 `Entity.moveRelative` and `Entity.move`.
"""

from __future__ import annotations

from math import acos, floor, sqrt

from numen.rules.f32 import f32, turn
from numen.rules.physics import touch
from numen.rules.physics.collide import Near, back_off_from_edge, collide, supporting_cell
from numen.rules.physics.fluid import touch_water
from numen.rules.physics.matter import CLIMB, INSIDE, WATER
from numen.rules.physics.state import PlayerState

#: Moves that differ by less than this were not stopped.
_SAME = f32(1.0e-5)
_GRAZING = f32(0.13962634)
_SPRINT_MODIFIER = 1.0 + f32(0.3)


def walking_speed(s: PlayerState) -> float:
    """The movement speed attribute with the sprint modifier, float32."""
    speed = s.traits.movement_speed
    return f32(speed * _SPRINT_MODIFIER) if s.sprinting else f32(speed)


def accelerate(s: PlayerState, strafe: float, forward: float, amount: float) -> None:
    """Add the input, turned by the yaw, times `amount` blocks per tick; longer than 1 it counts as 1."""
    square = strafe * strafe + forward * forward
    if square < 1.0e-7:
        return
    if square > 1.0:
        length = sqrt(square)
        strafe, forward = strafe / length, forward / length
    strafe, forward = strafe * amount, forward * amount
    sine, cosine = turn(s.yaw)
    s.vx += strafe * cosine - forward * sine
    s.vz += forward * cosine + strafe * sine


def move(s: PlayerState, near: Near, strafe: float = 0.0, forward: float = 0.0) -> None:
    """Move by the velocity as far as blocks let, then settle ground, fall, landing and touched blocks.

    `strafe` and `forward` are this tick's scaled input: a wall hit at a grazing angle does not end a sprint.
    """
    wx, wy, wz = s.vx, s.vy, s.vz
    if s.stuck is not None:
        wx, wy, wz = wx * s.stuck[0], wy * s.stuck[1], wz * s.stuck[2]
        s.stuck = None
        s.vx = s.vy = s.vz = 0.0
    box = s.box
    if s.sneaking and not s.flying and wy <= 0.0 and (wx or wz):
        wx, wz = back_off_from_edge(near, box, wx, wz, s.traits.step_height, s.on_ground, s.fall_distance)
    gx, gy, gz = collide(near, box, wx, wy, wz, s.traits.step_height, s.on_ground)
    travelled = gx * gx + gy * gy + gz * gz
    if travelled > 1.0e-7:
        if s.fall_distance != 0.0 and travelled >= 1.0 and _passes_cushion(s, near, gx, gy, gz):
            s.fall_distance = 0.0
        s.x, s.y, s.z = s.x + gx, s.y + gy, s.z + gz

    stopped_x, stopped_z = abs(wx - gx) >= _SAME, abs(wz - gz) >= _SAME
    s.horizontal_collision = stopped_x or stopped_z
    s.vertical_collision = wy != gy
    s.minor_collision = s.horizontal_collision and _is_grazing(s, strafe, forward, gx, gz)
    _settle(s, near, wy < 0.0 and wy != gy, gx, gz)

    if not s.in_water and near.any & WATER:
        touch_water(s, near)
    s.landed_from = 0.0
    if s.on_ground:
        s.landed_from, s.fall_distance = s.fall_distance, 0.0
    elif gy < 0.0:
        s.fall_distance = f32(s.fall_distance - f32(gy))

    if stopped_x:
        s.vx = 0.0
    if stopped_z:
        s.vz = 0.0
    if s.vertical_collision:
        touch.land(s, near)
    if s.on_ground:
        touch.step_on(s, near)
    touch.be_inside(s, near)
    factor = touch.speed_factor(s, near)
    if factor != 1.0:
        s.vx, s.vz = s.vx * factor, s.vz * factor


def _settle(s: PlayerState, near: Near, landed: bool, gx: float, gz: float) -> None:
    # A player that walked off an edge in the tick of landing still stands on the block it came from, once.
    if not landed:
        s.on_ground, s.support = False, None
        return
    hovered = s.on_ground and s.support is None
    s.on_ground = True
    x0, y0, z0, x1, y1, z1 = s.box
    s.support = supporting_cell(near, (x0, y0, z0, x1, y1, z1), s.x, s.y, s.z)
    if s.support is None and not hovered:
        s.support = supporting_cell(near, (x0 - gx, y0, z0 - gz, x1 - gx, y1, z1 - gz), s.x, s.y, s.z)


def _passes_cushion(s: PlayerState, near: Near, gx: float, gy: float, gz: float) -> bool:
    # Falling more than a block a tick can jump over water, webs and ladders, which would have ended the fall.
    if not near.any & (WATER | CLIMB | INSIDE):
        return False
    rows = max(1, abs(floor(s.y + gy) - floor(s.y)))
    for i in range(rows + 1):
        part = i / rows
        state = near.block(floor(s.x + gx * part), floor(s.y + gy * part), floor(s.z + gz * part))
        if near.matter.mask(state) & WATER or state in near.matter.cushions:
            return True
    return False


def _is_grazing(s: PlayerState, strafe: float, forward: float, gx: float, gz: float) -> bool:
    sine, cosine = turn(s.yaw)
    ix, iz = strafe * cosine - forward * sine, forward * cosine + strafe * sine
    wanted, got = ix * ix + iz * iz, gx * gx + gz * gz
    if wanted < _SAME or got < _SAME:
        return False
    turned = (ix * gx + iz * gz) / sqrt(wanted * got)
    return acos(max(-1.0, min(1.0, turned))) < _GRAZING
