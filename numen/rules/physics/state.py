"""What the physics knows of a player, what drives it, and what it may ask of the world."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from numen.rules.f32 import f32

#: What `BlockView.block` answers for a cell whose chunk is not loaded. It counts as a full, solid block.
UNLOADED = -1

Pose = Literal["standing", "crouching", "swimming"]

WIDTH = f32(0.6)
HALF_WIDTH = f32(WIDTH / 2)
HEIGHTS: dict[Pose, float] = {"standing": f32(1.8), "crouching": f32(1.5), "swimming": f32(0.6)}
EYES: dict[Pose, float] = {"standing": f32(1.62), "crouching": f32(1.27), "swimming": f32(0.4)}


class BlockView(Protocol):
    """The world as the rules see it."""

    def block(self, x: int, y: int, z: int, /) -> int:
        """The state id of a cell; `UNLOADED` where the chunk is missing, air outside the build height."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """The keys held during one tick.

    `forward` and `strafe` are -1, 0 or 1; a positive strafe goes left, as in the game. `sprint` is the wish
    to sprint: letting go of it ends the sprint at once (the game's own client keeps sprinting until forward
    is let go, which a server can't tell apart).
    """

    forward: float = 0
    strafe: float = 0
    jump: bool = False
    sneak: bool = False
    sprint: bool = False


@dataclass(frozen=True, slots=True)
class Traits:
    """What decides how a player moves and is not changed by moving: attributes, effects, boots, dimension.

    Attributes are final values with all modifiers except the one for sprinting, which the physics adds
    itself. Effect levels count from 1; 0 means the effect is absent.
    """

    movement_speed: float = f32(0.1)
    jump_strength: float = f32(0.42)
    gravity: float = 0.08
    step_height: float = 0.6
    sneaking_speed: float = 0.3
    water_movement_efficiency: float = 0.0
    movement_efficiency: float = 0.0
    flying_speed: float = f32(0.05)
    jump_boost: int = 0
    levitation: int = 0
    slow_falling: bool = False
    dolphins_grace: bool = False
    blindness: bool = False
    weaving: bool = False
    #: Leather boots carry over powder snow.
    walks_on_powder_snow: bool = False
    #: Lava flows fast where the dimension is ultrawarm (the nether).
    ultrawarm: bool = False


DEFAULT_TRAITS = Traits()


@dataclass(slots=True)
class PlayerState:
    """A player between two ticks.

    Positions and velocities are float64, in blocks and blocks per tick; (x, y, z) is the middle of the feet.
    Yaw and pitch are in degrees as on the wire. The body sets position, rotation, velocity, `flying`, `food`,
    `using_item` and `traits`; all else follows from `step`.
    """

    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    vx: float = 0.0
    vy: float = 0.0
    vz: float = 0.0
    yaw: float = 0.0
    pitch: float = 0.0
    on_ground: bool = False
    horizontal_collision: bool = False
    #: The last move was stopped by a wall at a grazing angle, which does not end a sprint.
    minor_collision: bool = False
    vertical_collision: bool = False
    #: The sneak key of the last tick: what the server is told.
    sneaking: bool = False
    #: Walking slowly: the sneak key takes effect one tick late, and a low ceiling crouches a player by
    #: itself.
    crouching: bool = False
    sprinting: bool = False
    swimming: bool = False
    flying: bool = False
    pose: Pose = "standing"
    in_water: bool = False
    in_lava: bool = False
    #: Height of the fluid over the feet, in blocks.
    water_height: float = 0.0
    lava_height: float = 0.0
    eyes_in_water: bool = False
    in_powder_snow: bool = False
    #: Blocks fallen since the last footing, float32.
    fall_distance: float = 0.0
    #: The fall distance with which this tick's landing ended, else 0.
    landed_from: float = 0.0
    #: Ticks until a held jump key jumps again.
    jump_delay: int = 0
    #: What the next move is multiplied with, when a web, bush or snow holds the player.
    stuck: tuple[float, float, float] | None = None
    #: The cell that carries the player while on ground: of those under the feet the nearest to the middle.
    support: tuple[int, int, int] | None = None
    food: int = 20
    using_item: bool = False
    traits: Traits = DEFAULT_TRAITS

    @property
    def height(self) -> float:
        """Height of the collision box in blocks."""
        return HEIGHTS[self.pose]

    @property
    def eye_y(self) -> float:
        """Height of the eyes in world coordinates."""
        return self.y + EYES[self.pose]

    @property
    def box(self) -> tuple[float, float, float, float, float, float]:
        """The collision box as (x0, y0, z0, x1, y1, z1)."""
        x, y, z = self.x, self.y, self.z
        return (x - HALF_WIDTH, y, z - HALF_WIDTH, x + HALF_WIDTH, y + HEIGHTS[self.pose], z + HALF_WIDTH)

    def copy(self) -> PlayerState:
        """An independent copy; a plain call is several times faster than `dataclasses.replace`."""
        return PlayerState(
            self.x,
            self.y,
            self.z,
            self.vx,
            self.vy,
            self.vz,
            self.yaw,
            self.pitch,
            self.on_ground,
            self.horizontal_collision,
            self.minor_collision,
            self.vertical_collision,
            self.sneaking,
            self.crouching,
            self.sprinting,
            self.swimming,
            self.flying,
            self.pose,
            self.in_water,
            self.in_lava,
            self.water_height,
            self.lava_height,
            self.eyes_in_water,
            self.in_powder_snow,
            self.fall_distance,
            self.landed_from,
            self.jump_delay,
            self.stuck,
            self.support,
            self.food,
            self.using_item,
            self.traits,
        )
