"""Water and lava: how deep a body stands in them and where their currents push it."""

from __future__ import annotations

from math import ceil, floor, sqrt

from numen.rules.f32 import f32
from numen.rules.physics.collide import Near
from numen.rules.physics.matter import FULL, LAVA, WATER, Box, Matter
from numen.rules.physics.state import EYES, HALF_WIDTH, BlockView, PlayerState
from numen.rules.states import name_of

WATER_CURRENT = 0.014
LAVA_CURRENT = 0.0023333333333333335
LAVA_CURRENT_ULTRAWARM = 0.007
#: Shallower than this a current pushes in proportion to the depth.
_FULL_PUSH_DEPTH = 0.4

_FALL_OVER = f32(0.8888889)
#: A current moves a body at rest by at least this much, or the 0.003 threshold would hold it.
_LEAST_PUSH = 0.0045000000000000005
_SIDES = ((0, -1), (1, 0), (0, 1), (-1, 0))


def update(s: PlayerState, near: Near) -> None:
    """Depths at the present place, and the push of the currents there. Part of the start of a tick."""
    touch_water(s, near)
    if near.any & LAVA:
        strength = LAVA_CURRENT_ULTRAWARM if s.traits.ultrawarm else LAVA_CURRENT
        s.lava_height = max(_immerse(s, near, LAVA, strength), 0.0)
    else:
        s.lava_height = 0.0
    s.in_lava = s.lava_height > 0.0


def touch_water(s: PlayerState, near: Near) -> None:
    """Depth in water and its push; any water ends a fall."""
    depth = _immerse(s, near, WATER, WATER_CURRENT) if near.any & WATER else -1.0
    s.in_water = depth >= 0.0
    s.water_height = max(depth, 0.0)
    if s.in_water:
        s.fall_distance = 0.0


def _immerse(s: PlayerState, near: Near, kind: int, strength: float) -> float:
    # The depth, or -1 when no fluid of the kind reaches the feet; also adds the current to the velocity.
    half = HALF_WIDTH - 0.001
    low = s.y + 0.001
    x0, x1 = floor(s.x - half), ceil(s.x + half)
    y0, y1 = floor(low), ceil(s.y + s.height - 0.001)
    z0, z1 = floor(s.z - half), ceil(s.z + half)
    matter = near.matter
    depth = -1.0
    px = py = pz = 0.0
    count = 0
    for cx, cy, cz, state, mask in near.cells:
        if not mask & kind or not (x0 <= cx < x1 and y0 <= cy < y1 and z0 <= cz < z1):
            continue
        surface = f32(cy + fluid_height(near, matter, state, cx, cy, cz))
        if surface < low:
            continue
        depth = max(depth, surface - low, 0.0)
        if not s.flying:
            fx, fy, fz = flow(near, matter, state, cx, cy, cz)
            if depth < _FULL_PUSH_DEPTH:
                fx, fy, fz = fx * depth, fy * depth, fz * depth
            px, py, pz = px + fx, py + fy, pz + fz
            count += 1
    if px or py or pz:
        share = 1.0 / count
        px, py, pz = px * share * strength, py * share * strength, pz * share * strength
        if abs(s.vx) < 0.003 and abs(s.vz) < 0.003 and sqrt(px * px + py * py + pz * pz) < _LEAST_PUSH:
            px, py, pz = _unit(px, py, pz)
            px, py, pz = px * _LEAST_PUSH, py * _LEAST_PUSH, pz * _LEAST_PUSH
        s.vx, s.vy, s.vz = s.vx + px, s.vy + py, s.vz + pz
    return depth


def fluid_height(view: BlockView, matter: Matter, state: int, x: int, y: int, z: int) -> float:
    """Height of a fluid in its cell, 0..1: 1 where the same fluid stands above, else amount/9, float32."""
    kind = matter.mask(state) & (WATER | LAVA)
    if matter.mask(view.block(x, y + 1, z)) & kind:
        return 1.0
    return f32(matter.fluids[state][0] / 9.0)


def flow(view: BlockView, matter: Matter, state: int, x: int, y: int, z: int) -> tuple[float, float, float]:
    """The direction in which a fluid runs: a unit vector, or zero where it is still.

    vanilla 1.21.1 `FlowingFluid.getFlow`: from high to low neighbours, over edges, and down along walls.
    """
    kind = matter.mask(state) & (WATER | LAVA)
    amount, falling = matter.fluids[state]
    own = f32(amount / 9.0)
    fx = fz = 0.0
    for dx, dz in _SIDES:
        beside = view.block(x + dx, y, z + dz)
        mask = matter.mask(beside)
        if mask & (WATER | LAVA):
            if not mask & kind:
                continue
            difference = f32(own - f32(matter.fluids[beside][0] / 9.0))
        elif matter.is_dam(beside):
            continue
        else:
            below = view.block(x + dx, y - 1, z + dz)
            if not matter.mask(below) & kind:
                continue
            difference = f32(own - f32(f32(matter.fluids[below][0] / 9.0) - _FALL_OVER))
        fx += dx * difference
        fz += dz * difference
    fy = 0.0
    if falling and any(
        _is_wall(matter, view.block(x + dx, y + up, z + dz), kind) for dx, dz in _SIDES for up in (0, 1)
    ):
        fx, _, fz = _unit(fx, 0.0, fz)
        fy = -6.0
    return _unit(fx, fy, fz)


def _is_wall(matter: Matter, state: int, kind: int) -> bool:
    mask = matter.mask(state)
    if mask & kind or not mask & FULL:
        return False
    return name_of(state) not in ("ice", "frosted_ice")


def _unit(x: float, y: float, z: float) -> tuple[float, float, float]:
    length = sqrt(x * x + y * y + z * z)
    if length < 1.0e-4:
        return 0.0, 0.0, 0.0
    return x / length, y / length, z / length


def update_eyes(s: PlayerState, near: Near) -> None:
    """Whether the eyes are under water."""
    s.eyes_in_water = False
    if not near.any & WATER:
        return
    eye = s.y + EYES[s.pose]
    x, y, z = floor(s.x), floor(eye), floor(s.z)
    state = near.block(x, y, z)
    if near.matter.mask(state) & WATER:
        s.eyes_in_water = f32(y) + fluid_height(near, near.matter, state, x, y, z) > eye


def wets(near: Near, box: Box) -> bool:
    """True when the cells touched by a box hold any fluid; the box must have been surveyed."""
    x0, y0, z0, x1, y1, z1 = box
    return bool(near.any & (WATER | LAVA)) and any(
        mask & (WATER | LAVA)
        and floor(x0) <= cx < ceil(x1)
        and floor(y0) <= cy < ceil(y1)
        and floor(z0) <= cz < ceil(z1)
        for cx, cy, cz, _, mask in near.cells
    )
