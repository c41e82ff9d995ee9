"""One tick of a player, its steps in order. Nothing else decides the order.

vanilla 1.21.1: `Entity.baseTick`, `LocalPlayer.aiStep`, `LivingEntity.aiStep`, `Player.travel`,
`Player.updatePlayerPose`.
"""

from __future__ import annotations

from math import floor

from numen.rules.f32 import f32, turn
from numen.rules.physics import fluid, swim, touch
from numen.rules.physics.air import move_in_air
from numen.rules.physics.collide import EPSILON, Near, Who
from numen.rules.physics.matter import FULL, WATER, matter
from numen.rules.physics.state import HALF_WIDTH, HEIGHTS, BlockView, Inputs, PlayerState, Pose

_STILL = 0.003
_INPUT_DAMPING = f32(0.98)
_USING_ITEM = f32(0.2)
_JUMP_BOOST = f32(0.1)
_SPRINT_JUMP = 0.2
#: Ticks between two jumps of a held key.
JUMP_DELAY = 10
#: A player with this much food or less can't sprint.
SPRINT_FOOD = 6
_FORWARD_ENOUGH = 0.8


def step(state: PlayerState, inputs: Inputs, view: BlockView) -> PlayerState:
    """The state after one tick of `inputs`; `state` stays as it was."""
    s = state.copy()
    near = _look_around(s, inputs, view)

    # The surroundings at the start of the tick.
    under_water = s.eyes_in_water
    s.in_powder_snow = False
    fluid.update(s, near)
    fluid.update_eyes(s, near)
    _update_swimming(s, under_water, near)
    if s.in_lava:
        s.fall_distance = f32(s.fall_distance * 0.5)

    # The keys.
    fits = _fits(s, s.pose, near)
    _update_crouching(s, fits, near)
    strafe, forward = _read_keys(s, inputs)
    near.who.descending = inputs.sneak
    if not fits:
        _push_out_of_blocks(s, near)
    _update_sprinting(s, inputs, forward, under_water)
    if s.flying:
        s.vy += (int(inputs.jump) - int(inputs.sneak)) * f32(f32(s.traits.flying_speed) * 3.0)
    elif s.in_water and inputs.sneak:
        swim.dive(s)

    # The move.
    if s.jump_delay > 0:
        s.jump_delay -= 1
    s.vx = 0.0 if abs(s.vx) < _STILL else s.vx
    s.vy = 0.0 if abs(s.vy) < _STILL else s.vy
    s.vz = 0.0 if abs(s.vz) < _STILL else s.vz
    _jump(s, inputs.jump, near)
    _travel(s, f32(strafe * _INPUT_DAMPING), f32(forward * _INPUT_DAMPING), inputs.jump, near)
    _update_pose(s, fits, near)
    return s


def _look_around(s: PlayerState, inputs: Inputs, view: BlockView) -> Near:
    # Reads what this tick will most likely ask for in one go; `Near` reads more where the guess was short.
    near = Near(view, matter(), Who(s.y, s.sneaking, s.fall_distance, s.traits.walks_on_powder_snow))
    reach = HALF_WIDTH + (abs(s.vx) + abs(s.vz)) + 0.1
    down = 0.1 - s.vy if s.vy < 0.0 else 0.1
    up = HEIGHTS["standing"] + max(s.vy, 0.6 if inputs.jump and s.on_ground else 0.0)
    near.survey(s.x - reach, s.y - down, s.z - reach, s.x + reach, s.y + up, s.z + reach)
    return near


def _fits(s: PlayerState, pose: Pose, near: Near) -> bool:
    x, y, z = s.x, s.y, s.z
    half = HALF_WIDTH - EPSILON
    return near.is_free(x - half, y + EPSILON, z - half, x + half, y + HEIGHTS[pose] - EPSILON, z + half)


def _update_swimming(s: PlayerState, under_water: bool, near: Near) -> None:
    if s.flying:
        s.swimming = False
    elif s.swimming:
        s.swimming = s.sprinting and s.in_water
    else:
        s.swimming = (
            s.sprinting
            and under_water
            and s.in_water
            and bool(near.matter.mask(near.block(floor(s.x), floor(s.y), floor(s.z))) & WATER)
        )


def _update_crouching(s: PlayerState, fits: bool, near: Near) -> None:
    # `sneaking` still holds the key of the tick before: crouching starts and ends one tick late.
    if s.flying or s.swimming:
        s.crouching = False
    elif s.sneaking:
        s.crouching = (fits and s.pose != "swimming") or _fits(s, "crouching", near)
    elif s.pose == "standing" and fits:
        s.crouching = False
    else:
        s.crouching = not _fits(s, "standing", near) and _fits(s, "crouching", near)


def _read_keys(s: PlayerState, inputs: Inputs) -> tuple[float, float]:
    strafe, forward = inputs.strafe, inputs.forward
    crawling = s.pose == "swimming" and not s.in_water
    if s.crouching or crawling:
        slow = f32(s.traits.sneaking_speed)
        strafe, forward = f32(strafe * slow), f32(forward * slow)
    if s.using_item:
        strafe, forward = f32(strafe * _USING_ITEM), f32(forward * _USING_ITEM)
    s.sneaking = inputs.sneak
    return strafe, forward


def _push_out_of_blocks(s: PlayerState, near: Near) -> None:
    # Four points of the box; each that is inside a full block moves the body to the nearest open side.
    reach = f32(0.6) * 0.35
    for dx, dz in ((-reach, reach), (-reach, -reach), (reach, -reach), (reach, reach)):
        px, pz = s.x + dx, s.z + dz
        cx, cz = floor(px), floor(pz)
        if not _suffocates(s, cx, cz, near):
            continue
        sides = (
            (px - cx, -1, 0),
            (1.0 - (px - cx), 1, 0),
            (pz - cz, 0, -1),
            (1.0 - (pz - cz), 0, 1),
        )
        open_sides = [side for side in sides if not _suffocates(s, cx + side[1], cz + side[2], near)]
        if open_sides:
            _, sx, sz = min(open_sides, key=lambda side: side[0])
            if sx:
                s.vx = 0.1 * sx
            else:
                s.vz = 0.1 * sz


def _suffocates(s: PlayerState, x: int, z: int, near: Near) -> bool:
    mask = near.matter.mask
    rows = range(floor(s.y + EPSILON), floor(s.y + s.height - EPSILON) + 1)
    return any(mask(near.block(x, y, z)) & FULL for y in rows)


def _update_sprinting(s: PlayerState, inputs: Inputs, forward: float, under_water: bool) -> None:
    fed = s.food > SPRINT_FOOD
    pushes = forward > 1.0e-5
    if not s.sprinting and inputs.sprint and (not s.in_water or under_water):
        enough = pushes if under_water else forward >= _FORWARD_ENOUGH
        s.sprinting = enough and fed and not s.using_item and not s.traits.blindness
    if not s.sprinting:
        return
    if not inputs.sprint:
        s.sprinting = False
    elif s.swimming:
        if (not s.on_ground and not inputs.sneak and not (pushes and fed)) or not s.in_water:
            s.sprinting = False
    elif (
        not (pushes and fed)
        or (s.horizontal_collision and not s.minor_collision)
        or (s.in_water and not under_water)
    ):
        s.sprinting = False


def _jump(s: PlayerState, jumping: bool, near: Near) -> None:
    if not jumping or s.flying:
        s.jump_delay = 0
        return
    depth = s.lava_height if s.in_lava else s.water_height
    wet = s.in_water and depth > 0.0
    shallow = s.on_ground and depth <= swim.jump_depth(s)
    if (wet or s.in_lava) and not shallow:
        swim.rise(s)
    elif s.on_ground and s.jump_delay == 0:
        _jump_from_ground(s, near)
        s.jump_delay = JUMP_DELAY


def _jump_from_ground(s: PlayerState, near: Near) -> None:
    power = f32(f32(s.traits.jump_strength) * touch.jump_factor(s, near))
    if s.traits.jump_boost:
        power = f32(power + f32(_JUMP_BOOST * s.traits.jump_boost))
    if power <= 1.0e-5:
        return
    s.vy = power
    if s.sprinting:
        sine, cosine = turn(s.yaw)
        s.vx -= sine * _SPRINT_JUMP
        s.vz += cosine * _SPRINT_JUMP


def _travel(s: PlayerState, strafe: float, forward: float, jumping: bool, near: Near) -> None:
    traits = s.traits
    if traits.slow_falling or traits.levitation:
        s.fall_distance = 0.0
    if s.swimming:
        swim.steer_by_look(s, near, -turn(s.pitch)[0], jumping)
    gravity = traits.gravity
    if traits.slow_falling and s.vy <= 0.0:
        gravity = min(gravity, 0.01)
    if s.flying:
        before = s.vy
        move_in_air(s, near, strafe, forward, jumping, gravity)
        s.vy = before * 0.6
        s.fall_distance = 0.0
    elif s.in_water:
        swim.move_in_water(s, near, strafe, forward, gravity)
    elif s.in_lava:
        swim.move_in_lava(s, near, strafe, forward, gravity)
    else:
        move_in_air(s, near, strafe, forward, jumping, gravity)


def _update_pose(s: PlayerState, fitted: bool, near: Near) -> None:
    wanted: Pose = "swimming" if s.swimming else "crouching" if s.sneaking and not s.flying else "standing"
    # A smaller box inside one that was free is free.
    if fitted and HEIGHTS[wanted] <= HEIGHTS[s.pose]:
        s.pose = wanted
    elif not _fits(s, "swimming", near):
        return
    elif _fits(s, wanted, near):
        s.pose = wanted
    else:
        s.pose = "crouching" if _fits(s, "crouching", near) else "swimming"
