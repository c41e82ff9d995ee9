"""What blocks do to a body that stands on them, falls on them or is inside them."""

from __future__ import annotations

from math import floor

from numen.rules.f32 import f32
from numen.rules.physics.collide import EPSILON, Near
from numen.rules.physics.matter import CLIMB, DEFAULT_FRICTION, GROUND, INSIDE, WATER
from numen.rules.physics.state import HALF_WIDTH, PlayerState
from numen.rules.states import name_of
from protocol.game import GAME

#: How far below the feet the block is that decides slipperiness, speed and jump: just over half a block.
_BELOW = f32(0.500001)
#: How far below the feet the block is that one steps on and lands on.
_UNDER_FOOT = f32(0.2)

_BUSH = (f32(0.8), 0.75, f32(0.8))
_WEB = (0.25, f32(0.05), 0.25)
_WEB_WEAVING = (0.5, 0.25, 0.5)
_SNOW = (f32(0.9), 1.5, f32(0.9))


def _cell_below(s: PlayerState, depth: float) -> tuple[int, int, int]:
    if s.support is not None:
        return s.support[0], floor(s.y - depth), s.support[2]
    return floor(s.x), floor(s.y - depth), floor(s.z)


def friction(s: PlayerState, near: Near) -> float:
    """Slipperiness of the ground, float32: 0.6 for most blocks and for air."""
    if not near.any & GROUND:
        return DEFAULT_FRICTION
    return near.matter.friction.get(near.block(*_cell_below(s, _BELOW)), DEFAULT_FRICTION)


def jump_factor(s: PlayerState, near: Near) -> float:
    """What a jump's strength is multiplied with: the block at the feet, else the one below."""
    if not near.any & GROUND:
        return 1.0
    table = near.matter.jump_factor
    here = table.get(near.block(floor(s.x), floor(s.y), floor(s.z)), 1.0)
    return here if here != 1.0 else table.get(near.block(*_cell_below(s, _BELOW)), 1.0)


def speed_factor(s: PlayerState, near: Near) -> float:
    """What the horizontal velocity is multiplied with after a move, float32."""
    if s.flying or not near.any & GROUND:
        return 1.0
    here = near.block(floor(s.x), floor(s.y), floor(s.z))
    factor = near.matter.speed_factor.get(here, 1.0)
    if factor == 1.0 and not near.matter.mask(here) & WATER:
        factor = near.matter.speed_factor.get(near.block(*_cell_below(s, _BELOW)), 1.0)
    efficiency = f32(s.traits.movement_efficiency)
    return f32(factor + f32(efficiency * f32(1.0 - factor)))


def is_on_climbable(s: PlayerState, near: Near) -> bool:
    """True when the feet are in a ladder, vine or scaffold, or in an open trapdoor right over its ladder."""
    if not near.any & CLIMB:
        return False
    x, y, z = floor(s.x), floor(s.y), floor(s.z)
    state = near.block(x, y, z)
    if not near.matter.mask(state) & CLIMB:
        return False
    if not near.matter.special[state].endswith("_trapdoor"):
        return True
    below = near.block(x, y - 1, z)
    if near.matter.special.get(below) != "ladder":
        return False
    return GAME.properties(below)["facing"] == GAME.properties(state)["facing"]


def is_in_scaffolding(s: PlayerState, near: Near) -> bool:
    """True when the feet are in a scaffold, on which sneaking goes down."""
    return near.matter.special.get(near.block(floor(s.x), floor(s.y), floor(s.z))) == "scaffolding"


def is_on_powder_snow(s: PlayerState, near: Near) -> bool:
    """True for boots in powder snow, which climb it."""
    if not s.traits.walks_on_powder_snow or not near.any & INSIDE:
        return False
    return near.matter.special.get(near.block(floor(s.x), floor(s.y), floor(s.z))) == "powder_snow"


def land(s: PlayerState, near: Near) -> None:
    """A vertical move was stopped: most blocks take the speed, slime and beds return it unless one sneaks."""
    if near.any & GROUND and not s.sneaking:
        bounce = near.matter.bounce.get(_stepped_on(s, near))
        if bounce is not None:
            if s.vy < 0.0:
                s.vy = -s.vy * bounce
            return
    s.vy = 0.0


def step_on(s: PlayerState, near: Near) -> None:
    """Walking on slime is slow."""
    if not near.any & GROUND or s.sneaking:
        return
    speed = abs(s.vy)
    if speed < 0.1 and near.matter.bounce.get(_stepped_on(s, near)) == 1.0:
        drag = 0.4 + speed * 0.2
        s.vx, s.vz = s.vx * drag, s.vz * drag


def _stepped_on(s: PlayerState, near: Near) -> int:
    if s.support is not None:
        carrier = near.block(*s.support)
        if carrier in near.matter.posts:
            return carrier
    return near.block(*_cell_below(s, _UNDER_FOOT))


def be_inside(s: PlayerState, near: Near) -> None:
    """Webs, bushes and snow hold, bubbles carry, honey walls slow the fall."""
    if not near.any & INSIDE:
        return
    half = HALF_WIDTH - EPSILON
    x0, x1 = floor(s.x - half), floor(s.x + half)
    y0, y1 = floor(s.y + EPSILON), floor(s.y + s.height - EPSILON)
    z0, z1 = floor(s.z - half), floor(s.z + half)
    for cx, cy, cz, state, mask in near.cells:
        if not mask & INSIDE or not (x0 <= cx <= x1 and y0 <= cy <= y1 and z0 <= cz <= z1):
            continue
        match near.matter.special[state]:
            case "cobweb":
                s.fall_distance = 0.0
                s.stuck = _WEB_WEAVING if s.traits.weaving else _WEB
            case "sweet_berry_bush":
                s.fall_distance = 0.0
                s.stuck = _BUSH
            case "powder_snow":
                s.in_powder_snow = True
                feet = near.block(floor(s.x), floor(s.y), floor(s.z))
                if near.matter.special.get(feet) == "powder_snow":
                    s.fall_distance = 0.0
                    s.stuck = _SNOW
            case "bubble_column":
                _ride_bubbles(s, near, state, cx, cy, cz)
            case "honey_block":
                _slide_down_honey(s, cx, cy, cz)


def _ride_bubbles(s: PlayerState, near: Near, state: int, x: int, y: int, z: int) -> None:
    down = GAME.properties(state)["drag"] == "true"
    if name_of(near.block(x, y + 1, z)).endswith("air"):
        s.vy = max(-0.9, s.vy - 0.03) if down else min(1.8, s.vy + 0.1)
    else:
        s.vy = max(-0.3, s.vy - 0.03) if down else min(0.7, s.vy + 0.06)
        s.fall_distance = 0.0


def _slide_down_honey(s: PlayerState, x: int, y: int, z: int) -> None:
    if s.on_ground or s.y > y + 0.9375 - EPSILON or s.vy >= -0.08:
        return
    reach = 0.4375 + HALF_WIDTH
    if abs(x + 0.5 - s.x) + EPSILON <= reach and abs(z + 0.5 - s.z) + EPSILON <= reach:
        return
    if s.vy < -0.13:
        slowed = -0.05 / s.vy
        s.vx, s.vz = s.vx * slowed, s.vz * slowed
    s.vy = -0.05
    s.fall_distance = 0.0
