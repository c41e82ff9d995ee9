"""Single-precision arithmetic and the game's sine table.

The game mixes floats and doubles, and the sums differ in the seventh digit. A formula is bit-exact only when
each float operation is rounded, so the rules round where the game does and nowhere else.
"""

from __future__ import annotations

import math
from array import array
from functools import cache, lru_cache
from struct import Struct

import numpy as np

_FLOAT = Struct("f")
_pack, _unpack = _FLOAT.pack, _FLOAT.unpack


def f32(value: float) -> float:
    """The float32 nearest to `value`, as a double."""
    result: float = _unpack(_pack(value))[0]
    return result


@cache
def sines() -> array[float]:
    """The table: the sine of each 65,536th of a turn."""
    # 65,536 steps a turn: the resolution of every rotation in the game. numpy only rounds, all at once; its
    # own sine may differ in the last digit.
    doubles = np.fromiter((math.sin(i * math.pi * 2.0 / 65536.0) for i in range(65536)), np.float64, 65536)
    return array("d", doubles.astype(np.float32).astype(np.float64).tobytes())


_STEPS_PER_RADIAN = f32(10430.378)
_QUARTER = 16384.0
RADIANS_PER_DEGREE = f32(math.pi / 180.0)


def sin(radians: float) -> float:
    """The table's sine of a float32 angle in radians."""
    return sines()[int(f32(radians * _STEPS_PER_RADIAN)) & 65535]


def cos(radians: float) -> float:
    """The table's cosine of a float32 angle in radians."""
    return sines()[int(f32(f32(radians * _STEPS_PER_RADIAN) + _QUARTER)) & 65535]


@lru_cache(maxsize=4096)
def turn(degrees: float) -> tuple[float, float]:
    """Sine and cosine of an angle in degrees, as the game computes them from a yaw or a pitch."""
    radians = f32(f32(degrees) * RADIANS_PER_DEGREE)
    return sin(radians), cos(radians)
