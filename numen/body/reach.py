"""How far the hands go, and turning to a block so that a click meets it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from numen.body import sight
from numen.body.acts import ActFailed, next_tick
from numen.body.prediction import BlockPos, Point
from numen.body.sight import Hit
from numen.rules.reach import distance_to_cell

if TYPE_CHECKING:
    from numen.body.body import Body

#: Turning again and again to a block while the body is carried along is given up after this many ticks.
_TURNS: Final = 6


def block_reach(body: Body) -> float:
    """From the eye to a point on a block, in blocks; 4.5 unless an attribute says otherwise."""
    return body.world.me.attributes.value("block_interaction_range")


def entity_reach(body: Body) -> float:
    """From the eye to an entity's box, in blocks; 3 unless an attribute says otherwise."""
    return body.world.me.attributes.value("entity_interaction_range")


def describe(pos: BlockPos) -> str:
    """A cell for a sentence: ``(12, 64, -3)``."""
    return f"({pos[0]}, {pos[1]}, {pos[2]})"


def visible(body: Body, pos: BlockPos, face: int | None = None) -> Hit | None:
    """A point on the block (on one face of it) that can be clicked from here, or None."""
    return sight.spot_on(body, body.eye, pos, block_reach(body), face)


def looked_at(body: Body, pos: BlockPos) -> Hit | None:
    """Where the present look meets the block at `pos`, None when it meets something else first."""
    eye, reach = body.eye, block_reach(body)
    dx, dy, dz = direction(body.controls.yaw, body.controls.pitch)
    end = (eye[0] + dx * reach, eye[1] + dy * reach, eye[2] + dz * reach)
    hit = sight.first_hit(body, eye, end, target=pos)
    return hit if hit is not None and hit.pos == pos else None


def direction(yaw: float, pitch: float) -> Point:
    """The unit vector of a look in degrees."""
    yaw, pitch = math.radians(yaw), math.radians(pitch)
    return -math.sin(yaw) * math.cos(pitch), -math.sin(pitch), math.cos(yaw) * math.cos(pitch)


async def face_block(body: Body, pos: BlockPos, face: int | None = None) -> Hit:
    """Turn to the block, wait until the server knows, and return where the look meets it.

    Raises ActFailed (out_of_reach, occluded) when the block, or that face of it, can't be clicked from here.
    """
    for _ in range(_TURNS):
        hit = visible(body, pos, face)
        if hit is None:
            raise cannot_click(body, pos)
        body.look_at(hit.point)
        if not body.look_sent():
            await next_tick()
        seen = looked_at(body, pos)
        if seen is not None and (face is None or seen.face == face):
            return seen
        if body.block(*pos) != body.world.block(*pos) or not sight.aim_boxes(body.block(*pos)):
            raise ActFailed(f"The block at {describe(pos)} is gone.", "bad_target")
    raise ActFailed(f"Could not keep looking at {describe(pos)}; stand still first.", "occluded")


def cannot_click(body: Body, pos: BlockPos) -> ActFailed:
    """Why the block at `pos` can't be clicked from here, with what to try."""
    name = sight.block_name(body.block(*pos))
    distance = distance_to_cell(body.eye, pos)
    reach = block_reach(body)
    if distance > reach:
        return ActFailed(
            f"{name} at {describe(pos)} is {distance:.1f} blocks away, the reach is {reach:.1f}; go nearer.",
            "out_of_reach",
            {"distance": round(distance, 1)},
        )
    blocker = sight.in_the_way(body, body.eye, pos)
    if blocker is None:
        return ActFailed(f"No side of {name} at {describe(pos)} can be seen from here.", "occluded")
    between = sight.block_name(body.block(*blocker))
    return ActFailed(
        f"{between} at {describe(blocker)} is in the way of {name} at {describe(pos)}; "
        "go to another side or remove it.",
        "occluded",
        {"blocked_by": between, "x": blocker[0], "y": blocker[1], "z": blocker[2]},
    )
