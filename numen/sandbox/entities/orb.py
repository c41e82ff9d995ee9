"""Experience: orbs that drift to who is near, and the levels they make (vanilla 1.21.1 `ExperienceOrb`)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from numen.rules import experience
from numen.sandbox import space
from numen.sandbox.entities.base import Entity

if TYPE_CHECKING:
    from numen.sandbox.player import Player
    from numen.sandbox.world import World

ATTRACTED = 8.0
LIFETIME = 6000


class Orb(Entity):
    kind = "minecraft:experience_orb"
    tracking_range = 96.0
    update_interval = 20
    gravity = 0.03

    def __init__(self, world: World, x: float, y: float, z: float, points: int) -> None:
        super().__init__(world, x, y, z)
        self.points = points

    def spawn_packet(self, told: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        place = {key: told[key] for key in ("entityId", "x", "y", "z")}
        return "spawn_entity_experience_orb", {**place, "count": self.points}

    def tick(self) -> None:
        super().tick()
        self.vy -= self.gravity
        near = min(
            (player for player in self.world.players if not player.dead and player.game_mode != "spectator"),
            key=lambda player: player.distance_to(self.x, self.y, self.z),
            default=None,
        )
        if near is not None:
            self._drift(near)
        self.move(self.vx, self.vy, self.vz)
        drag = 0.98 * (space.friction_below(self.world, self.x, self.y, self.z) if self.on_ground else 1.0)
        self.vx *= drag
        self.vz *= drag
        self.vy *= 0.98
        if (
            near is not None
            and space.overlap(space.grown(near.box, 1.0, 0.5, 1.0), self.box)
            and self.age > 2
        ):
            near.learn(self.points)
            self.world.tracker.of(self).tell(
                "collect", collectedEntityId=self.id, collectorEntityId=near.id, pickupItemCount=1
            )
            self.remove()
        elif self.age >= LIFETIME:
            self.remove()

    def _drift(self, player: Player) -> None:
        dx, dy, dz = player.x - self.x, player.y + player.height / 2 - self.y, player.z - self.z
        far = math.sqrt(dx * dx + dy * dy + dz * dz)
        if 0 < far < ATTRACTED:
            pull = (1 - far / ATTRACTED) ** 2 * 0.1 / far
            self.vx += dx * pull
            self.vy += dy * pull
            self.vz += dz * pull


def drop_points(world: World, at: tuple[float, float, float], points: int) -> None:
    """Let points fall as orbs."""
    for size in experience.orbs(points):
        orb = Orb(world, *at, size)
        orb.vx, orb.vy, orb.vz = (world.random.uniform(-0.2, 0.2), 0.2, world.random.uniform(-0.2, 0.2))
        world.add(orb)
