"""What the body wants its legs and head to do in the coming physics step."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass

from numen.rules.physics import Inputs

_F32 = struct.Struct("<f")


def float32(value: float) -> float:
    """`value` as the 32-bit float that travels; the server turns with exactly that."""
    return float(_F32.unpack(_F32.pack(value))[0])


def angles(eye: tuple[float, float, float], point: tuple[float, float, float]) -> tuple[float, float]:
    """Yaw and pitch in degrees to look from `eye` at `point`. Yaw 0 is +z, 90 is -x; pitch 90 is straight
    down."""
    dx, dy, dz = (point[i] - eye[i] for i in range(3))
    flat = math.hypot(dx, dz)
    yaw = math.degrees(math.atan2(-dx, dz)) if flat > 1e-9 else 0.0
    return yaw, -math.degrees(math.atan2(dy, flat))


@dataclass(slots=True)
class Controls:
    """Keys and look. Keys stay down until released; whoever presses one in an act releases it in a
    `finally`."""

    forward: float = 0.0
    strafe: float = 0.0
    jump: bool = False
    sneak: bool = False
    sprint: bool = False
    #: Degrees, as on the wire.
    yaw: float = 0.0
    pitch: float = 0.0

    def release(self) -> None:
        """Let go of every key. The head stays as it is."""
        self.forward = self.strafe = 0.0
        self.jump = self.sneak = self.sprint = False

    def turn(self, yaw: float, pitch: float) -> None:
        """Face `yaw`, `pitch`; the yaw goes the short way round, without a jump of a whole turn."""
        short = (yaw - self.yaw + 180.0) % 360.0 - 180.0
        self.yaw = float32(self.yaw + short)
        self.pitch = float32(max(-90.0, min(90.0, pitch)))

    def inputs(self) -> Inputs:
        """The keys as the physics wants them."""
        return Inputs(
            forward=self.forward, strafe=self.strafe, jump=self.jump, sneak=self.sneak, sprint=self.sprint
        )
