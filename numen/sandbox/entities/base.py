"""What all entities share: identity, place, velocity, a box that collides, and what the wire says of them."""

from __future__ import annotations

import math
import uuid
from typing import TYPE_CHECKING, Any

from numen.sandbox import space
from numen.sandbox.space import Box
from protocol.game import GAME

if TYPE_CHECKING:
    from numen.sandbox.world import World


class Entity:
    """One entity. Positions are of the middle of the feet; velocities in blocks a tick.

    `tick` moves it; the tracker tells players what changed. Subclasses set the class attributes below.
    """

    #: Name of the entity type.
    kind = "minecraft:item"
    #: Players nearer than this are told of it, in blocks.
    tracking_range = 80.0
    #: Position updates come every so many ticks, or when `impulse` asks for one.
    update_interval = 3
    #: Whether velocities are told as they change.
    tells_velocity = True
    gravity = 0.08
    step_height = 0.0

    def __init__(self, world: World, x: float, y: float, z: float) -> None:
        self.world = world
        self.id = world.next_entity_id()
        self.uuid = uuid.UUID(int=world.random.getrandbits(128), version=4)
        self.type = GAME.entity(self.kind)
        self.width = self.type.width
        self.height = self.type.height
        self.x, self.y, self.z = x, y, z
        self.vx = self.vy = self.vz = 0.0
        self.yaw = self.pitch = 0.0
        self.head_yaw = 0.0
        self.on_ground = False
        self.horizontal_collision = False
        self.age = 0
        self.removed = False
        #: Set when players must hear of its movement this tick.
        self.impulse = False
        #: Set when its velocity was changed from outside and players must hear of it, the player itself too.
        self.pushed = False
        self.metadata_changed = False

    # --- what the wire says -----------------------------------------------------------------------------

    #: The number in the spawn packet that depends on the kind (the state of a falling block).
    object_data = 0

    def spawn_packet(self, told: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """Name and fields of the packet that makes it appear; `told` are those of `spawn_entity`."""
        return "spawn_entity", told

    def metadata(self) -> list[dict[str, Any]]:
        """Entries of the metadata packet that differ from the type's defaults."""
        return []

    def equipment(self) -> list[dict[str, Any]]:
        """Entries of the equipment packet: what hands and body wear."""
        return []

    def named(self) -> Any:
        """What chat calls it, as a text component."""
        return {"translate": f"entity.minecraft.{self.kind.removeprefix('minecraft:')}"}

    def hear(self, packet: str, **fields: Any) -> None:
        """Be told what viewers are told of it; only players have somebody to tell."""

    # --- space ------------------------------------------------------------------------------------------

    @property
    def box(self) -> Box:
        return space.box_at(self.x, self.y, self.z, self.width, self.height)

    @property
    def cell(self) -> tuple[int, int, int]:
        """The cell of its feet."""
        return (math.floor(self.x), math.floor(self.y), math.floor(self.z))

    @property
    def eye_y(self) -> float:
        return self.y + self.height * 0.85

    def distance_to(self, x: float, y: float, z: float) -> float:
        """From its feet, in blocks."""
        return float(((self.x - x) ** 2 + (self.y - y) ** 2 + (self.z - z) ** 2) ** 0.5)

    def move(self, dx: float, dy: float, dz: float) -> None:
        """Move as far as the blocks let it; velocities into walls and ground end."""
        gx, gy, gz = space.slide(
            self.world, self.box, dx, dy, dz, step_height=self.step_height, on_ground=self.on_ground
        )
        self.x += gx
        self.y += gy
        self.z += gz
        blocked_x, blocked_z = abs(gx - dx) > 1e-5, abs(gz - dz) > 1e-5
        self.horizontal_collision = blocked_x or blocked_z
        self.on_ground = gy != dy and dy < 0.0
        if blocked_x:
            self.vx = 0.0
        if blocked_z:
            self.vz = 0.0
        if gy != dy:
            self.vy = 0.0

    # --- life -------------------------------------------------------------------------------------------

    def tick(self) -> None:
        """One game tick."""
        self.age += 1
        if self.y < -128:
            self.remove()

    def kill(self) -> None:
        """End it, as /kill does."""
        self.remove()

    def remove(self) -> None:
        """Take it out of the world; players are told at the end of the tick."""
        self.removed = True
        self.world.entities.pop(self.id, None)
