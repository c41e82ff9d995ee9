"""Tells players of entities: who comes into sight, how they move, what changes about them, who goes.

The rules are vanilla 1.21.1's `ServerEntity`: relative moves of 1/4096 block, a full position every 400
updates, when the ground is reached or left and when a move is longer than 8 blocks; angles in 1/256 turns;
a velocity when it changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numen.sandbox.entities.base import Entity

if TYPE_CHECKING:
    from numen.sandbox.player import Player
    from numen.sandbox.world import World

#: Updates after which a full position is sent, whatever happens.
FULL_EVERY = 400


def angle_byte(degrees: float) -> int:
    """Degrees as a signed byte of 1/256 turns."""
    number = int(degrees * 256 / 360 // 1) & 255
    return number - 256 if number > 127 else number


def velocity_of(entity: Entity) -> dict[str, int]:
    """Velocity in 1/8000 block a tick, at most 3.9 blocks."""
    return {
        axis: int(max(-3.9, min(3.9, value)) * 8000)
        for axis, value in (("x", entity.vx), ("y", entity.vy), ("z", entity.vz))
    }


class Tracked:
    """One entity as its viewers know it."""

    def __init__(self, entity: Entity) -> None:
        self.entity = entity
        self.viewers: set[Player] = set()
        self._told = (entity.x, entity.y, entity.z)
        self._told_angles = (angle_byte(entity.yaw), angle_byte(entity.pitch))
        self._told_head = angle_byte(entity.head_yaw)
        self._told_velocity = (entity.vx, entity.vy, entity.vz)
        self._told_ground = entity.on_ground
        self._since_full = 0
        self._ticks = 0

    def update_viewers(self, players: list[Player]) -> None:
        """Show the entity to players it came near to, hide it from those it left."""
        entity = self.entity
        for player in players:
            if player is entity:
                continue
            far = (player.x - entity.x) ** 2 + (player.z - entity.z) ** 2
            sees = (
                far <= entity.tracking_range**2
                and player.view.has((int(entity.x // 16), int(entity.z // 16)))
                and not entity.removed
            )
            if sees and player not in self.viewers:
                self.viewers.add(player)
                self.show(player)
            elif not sees and player in self.viewers:
                self.hide(player)

    def show(self, player: Player) -> None:
        """The packets that make the entity exist for a player."""
        entity = self.entity
        x, y, z = self._told
        packet, fields = entity.spawn_packet(
            {
                "entityId": entity.id,
                "objectUUID": entity.uuid,
                "type": entity.type.id,
                "x": x,
                "y": y,
                "z": z,
                "pitch": self._told_angles[1],
                "yaw": self._told_angles[0],
                "headPitch": self._told_head,
                "objectData": entity.object_data,
                "velocity": velocity_of(entity),
            }
        )
        player.send(packet, **fields)
        metadata = entity.metadata()
        if metadata:
            player.send("entity_metadata", entityId=entity.id, metadata=metadata)
        equipment = entity.equipment()
        if equipment:
            player.send("entity_equipment", entityId=entity.id, equipments=equipment)

    def hide(self, player: Player) -> None:
        self.viewers.discard(player)
        player.send("entity_destroy", entityIds=[self.entity.id])

    def tell(self, packet: str, **fields: Any) -> None:
        """Send a packet to all viewers."""
        for player in self.viewers:
            player.send(packet, **fields)

    def tell_with_self(self, packet: str, **fields: Any) -> None:
        """Send a packet to all viewers, and to the entity itself where it is a player."""
        self.tell(packet, **fields)
        self.entity.hear(packet, **fields)

    def send_changes(self) -> None:
        """Tell the viewers what changed since they were told last."""
        entity = self.entity
        if entity.metadata_changed:
            entity.metadata_changed = False
            self.tell_with_self("entity_metadata", entityId=entity.id, metadata=entity.metadata())
        if self._ticks % entity.update_interval == 0 or entity.impulse:
            self._send_movement()
            entity.impulse = False
        self._ticks += 1
        if entity.pushed:
            entity.pushed = False
            self._told_velocity = (entity.vx, entity.vy, entity.vz)
            self.tell_with_self("entity_velocity", entityId=entity.id, velocity=velocity_of(entity))

    def _send_movement(self) -> None:
        entity = self.entity
        self._since_full += 1
        steps = [
            round(now * 4096) - round(told * 4096)
            for now, told in zip((entity.x, entity.y, entity.z), self._told, strict=True)
        ]
        moved = any(steps) or self._ticks % 60 == 0
        angles = (angle_byte(entity.yaw), angle_byte(entity.pitch))
        turned = angles != self._told_angles
        common = {"entityId": entity.id, "onGround": entity.on_ground}
        turn = {"yaw": angles[0], "pitch": angles[1]}
        far = any(not -32768 <= step <= 32767 for step in steps)
        if far or self._since_full > FULL_EVERY or self._told_ground != entity.on_ground:
            self._since_full = 0
            self._told_ground = entity.on_ground
            moved = turned = True
            self.tell("entity_teleport", x=entity.x, y=entity.y, z=entity.z, **turn, **common)
        elif moved:
            step = {"dX": steps[0], "dY": steps[1], "dZ": steps[2]}
            if turned:
                self.tell("entity_move_look", **step, **turn, **common)
            else:
                self.tell("rel_entity_move", **step, **common)
        elif turned:
            self.tell("entity_look", **turn, **common)
        if entity.tells_velocity and self._ticks > 0:
            velocity = (entity.vx, entity.vy, entity.vz)
            change = sum((new - old) ** 2 for new, old in zip(velocity, self._told_velocity, strict=True))
            if change > 1e-7 or (change > 0 and not any(velocity)):
                self._told_velocity = velocity
                self.tell("entity_velocity", entityId=entity.id, velocity=velocity_of(entity))
        if moved:
            self._told = (entity.x, entity.y, entity.z)
        if turned:
            self._told_angles = angles
        head = angle_byte(entity.head_yaw)
        if head != self._told_head:
            self._told_head = head
            self.tell("entity_head_rotation", entityId=entity.id, headYaw=head)


class Tracker:
    """All entities of a world as players know them."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._tracked: dict[int, Tracked] = {}

    def of(self, entity: Entity) -> Tracked:
        """How players know an entity; a new one has no viewers yet."""
        tracked = self._tracked.get(entity.id)
        if tracked is None:
            tracked = self._tracked[entity.id] = Tracked(entity)
        return tracked

    def forget_viewer(self, player: Player) -> None:
        """A player lost sight of everything: he left, or his client's world was emptied."""
        for tracked in self._tracked.values():
            tracked.viewers.discard(player)

    def forget(self, entity: Entity) -> None:
        """Take an entity out of everybody's sight; it appears anew when it is still in the world."""
        tracked = self._tracked.pop(entity.id, None)
        if tracked is not None:
            for player in list(tracked.viewers):
                tracked.hide(player)

    def tick(self) -> None:
        """At the end of a tick: appearances, then changes, then goodbyes."""
        players = self._world.players
        for entity in list(self._world.entities.values()):
            tracked = self.of(entity)
            tracked.update_viewers(players)
            tracked.send_changes()
        for number in [n for n in self._tracked if n not in self._world.entities]:
            self.forget(self._tracked[number].entity)
