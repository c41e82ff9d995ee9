"""The six directions, by name and by number on the wire, and where a look points."""

from __future__ import annotations

from math import floor

from numen.rules.f32 import turn

#: By face number (protocol 767): down, up, north, south, west, east.
FACES = ("down", "up", "north", "south", "west", "east")
VECTORS: dict[str, tuple[int, int, int]] = {
    "down": (0, -1, 0),
    "up": (0, 1, 0),
    "north": (0, 0, -1),
    "south": (0, 0, 1),
    "west": (-1, 0, 0),
    "east": (1, 0, 0),
}
OPPOSITE = {"down": "up", "up": "down", "north": "south", "south": "north", "west": "east", "east": "west"}
#: Seen from above.
CLOCKWISE = {"north": "east", "east": "south", "south": "west", "west": "north"}
COUNTERCLOCKWISE = {new: old for old, new in CLOCKWISE.items()}
HORIZONTAL = ("north", "south", "west", "east")
_BY_YAW = ("south", "west", "north", "east")


def axis_of(direction: str) -> str:
    """ "x", "y" or "z"."""
    return "y" if direction in ("down", "up") else "z" if direction in ("north", "south") else "x"


def neighbour(pos: tuple[int, int, int], direction: str) -> tuple[int, int, int]:
    """The next cell in a direction."""
    dx, dy, dz = VECTORS[direction]
    return pos[0] + dx, pos[1] + dy, pos[2] + dz


def heading(yaw: float) -> str:
    """The horizontal direction that a yaw in degrees comes nearest to."""
    return _BY_YAW[floor(yaw / 90.0 + 0.5) & 3]


def looking(yaw: float, pitch: float) -> list[str]:
    """All six directions, the one looked into first. vanilla 1.21.1 `Direction.orderedByNearest`."""
    sine_pitch, cosine_pitch = turn(pitch)
    sine_yaw, cosine_yaw = turn(-yaw)
    x = "east" if sine_yaw > 0.0 else "west"
    y = "up" if sine_pitch < 0.0 else "down"
    z = "south" if cosine_yaw > 0.0 else "north"
    along_x, along_z = abs(sine_yaw), abs(cosine_yaw)
    up = abs(sine_pitch)
    if along_x > along_z:
        if up > along_x * cosine_pitch:
            first = [y, x, z]
        else:
            first = [x, z, y] if along_z * cosine_pitch > up else [x, y, z]
    elif up > along_z * cosine_pitch:
        first = [y, z, x]
    else:
        first = [z, x, y] if along_x * cosine_pitch > up else [z, y, x]
    return first + [OPPOSITE[direction] for direction in reversed(first)]
