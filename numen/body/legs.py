"""A few steps in a straight line, for what is too near or too lively for a path: a drop, a pig that runs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from numen.body import sight
from numen.body.acts import next_tick
from numen.body.controls import angles
from numen.body.prediction import Point
from numen.rules.states import name_of

if TYPE_CHECKING:
    from numen.body.body import Body

#: Ticks without getting nearer after which a wall is a wall.
_STUCK_TICKS: Final = 12
_MAX_DROP: Final = 3
#: What a tick on ordinary ground leaves of the speed (vanilla 1.21.1: slipperiness 0.6 x 0.91).
_GRIP: Final = 0.546
_HURTS: Final = frozenset(
    f"minecraft:{name}"
    for name in (
        *(
            "lava",
            "fire",
            "soul_fire",
            "cactus",
            "magma_block",
            "sweet_berry_bush",
            "wither_rose",
            "campfire",
        ),
        *("soul_campfire", "powder_snow", "cobweb", "nether_portal", "end_portal"),
    )
)


async def walk_straight(
    body: Body,
    target: Callable[[], Point | None],
    near_enough: Callable[[], bool],
    ticks: int,
    *,
    sprint: bool = False,
) -> bool:
    """Walk towards `target()` until `near_enough()`, for at most `ticks` ticks; it jumps when it bumps.

    False when it got stuck, when the target is gone, when time is up or when the next step leads over a drop
    or into something that hurts. The keys are released either way.
    """
    best, best_at = math.inf, body.ticks
    try:
        for _ in range(ticks):
            if near_enough():
                return True
            point = target()
            if point is None:
                return False
            x, y, z = body.position
            flat = math.hypot(point[0] - x, point[2] - z)
            if flat < best - 0.05:
                best, best_at = flat, body.ticks
            elif body.ticks - best_at > _STUCK_TICKS:
                return False
            yaw, _ = angles((x, y, z), point)
            if not safe_ahead(body, yaw):
                return False
            controls = body.controls
            controls.turn(yaw, 0.0)
            controls.forward = 1.0 if flat > _coasting(body) + 0.03 else 0.0
            controls.sprint = sprint and flat > 3.0
            state = body.state
            assert state is not None
            controls.jump = (state.horizontal_collision and state.on_ground) or state.in_water
            await next_tick()
        return near_enough()
    finally:
        body.controls.release()


def _coasting(body: Body) -> float:
    """How far the body still slides on ordinary ground without a key."""
    state = body.state
    return math.hypot(state.vx, state.vz) / (1.0 - _GRIP) if state is not None else 0.0


def safe_ahead(body: Body, yaw: float, distance: float = 0.9) -> bool:
    """Whether the ground a step ahead holds: no drop deeper than three blocks, nothing that hurts."""
    x, y, z = body.position
    radians = math.radians(yaw)
    ax, az = math.floor(x - math.sin(radians) * distance), math.floor(z + math.cos(radians) * distance)
    top = math.floor(y + 1e-6)
    for cell_y in range(top + 1, top - _MAX_DROP - 2, -1):
        state = body.block(ax, cell_y, az)
        name = name_of(state)
        if state < 0 or name in _HURTS:
            return False
        if cell_y <= top and (sight.solid_boxes(state) or name == "water"):
            return True
    return False
