"""The entities around the body: where they are, what is known of them, who rides whom.

Positions are the server's, exactly: relative moves are counted in 1/4096 block from the last exact position,
as vanilla does, and nothing here smooths them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from numen.rules.items import ItemStack
from numen.world.attributes import Attributes
from numen.world.myself import NOBODY
from numen.world.names import entity_type, stack_of
from protocol.game import GAME, EntityType
from protocol.registries import DAMAGE_TYPE, Registries
from protocol.text import plain_text

if TYPE_CHECKING:
    from numen.world.events import Events
    from numen.world.myself import Myself
    from numen.world.players import PlayerInfo, Players
    from protocol.link import Link

#: Steps of a block in which relative moves are counted.
_GRAIN: Final = 4096
_DEGREES: Final = 360.0 / 256.0
#: Velocities travel as 1/8000 block a tick.
_SPEED: Final = 1.0 / 8000.0

# metadata indexes that mean the same for every entity that has them (protocol 767)
_FLAGS, _CUSTOM_NAME, _POSE, _ITEM, _HEALTH = 0, 2, 6, 8, 9

FLAG_NAMES: Final = {
    0x01: "on_fire",
    0x02: "sneaking",
    0x08: "sprinting",
    0x10: "swimming",
    0x20: "invisible",
    0x40: "glowing",
    0x80: "gliding",
}
POSES: Final = (
    *(
        "standing",
        "gliding",
        "sleeping",
        "swimming",
        "spinning",
        "sneaking",
        "long_jumping",
        "dying",
        "croaking",
    ),
    *(
        "using_tongue",
        "sitting",
        "roaring",
        "sniffing",
        "emerging",
        "digging",
        "sliding",
        "shooting",
        "inhaling",
    ),
)
EQUIPMENT: Final = ("main_hand", "off_hand", "feet", "legs", "chest", "head", "body")

#: Height of a player by pose where it is not 1.8 (vanilla 1.21.1).
_PLAYER_HEIGHTS: Final = {
    "sneaking": 1.5,
    "swimming": 0.6,
    "gliding": 0.6,
    "spinning": 0.6,
    "sleeping": 0.2,
    "dying": 0.2,
}
#: How much of its size a young one has, where that is not half (vanilla 1.21.1).
_BABY_SCALES: Final = {"minecraft:camel": 0.45, "minecraft:turtle": 0.3, "minecraft:armadillo": 0.6}
#: Fiercer than their type says.
_CATEGORIES: Final = {
    f"minecraft:{name}": "hostile"
    for name in ("ender_dragon", "ghast", "hoglin", "magma_cube", "phantom", "shulker", "slime")
}
_STATUS_DIES: Final = 3


class Entity:
    """One entity. Positions in blocks (feet), velocities in blocks a tick, angles in degrees.

    `x, y, z` are the server's exact position. `metadata` holds what was told beside, by index; see `told`.
    """

    __slots__ = (
        "_attributes",
        "_custom_name",
        "added_at",
        "count",
        "data",
        "dying",
        "equipment",
        "head_yaw",
        "health",
        "height",
        "hurt_at",
        "hurt_by",
        "id",
        "metadata",
        "moved_at",
        "on_ground",
        "passengers",
        "pitch",
        "player_name",
        "removed",
        "stack",
        "type",
        "uuid",
        "vehicle_id",
        "vx",
        "vy",
        "vz",
        "width",
        "x",
        "y",
        "yaw",
        "z",
    )

    def __init__(self, entity_id: int, uuid: UUID, kind: EntityType, x: float, y: float, z: float) -> None:
        self.id = entity_id
        self.uuid = uuid
        self.type = kind
        self.x, self.y, self.z = x, y, z
        self.vx = self.vy = self.vz = 0.0
        self.yaw = self.pitch = self.head_yaw = 0.0
        self.on_ground = False
        self.width = kind.width
        self.height = kind.height
        #: Health points, None while the server has not told them.
        self.health: float | None = None
        #: The stack that lies here, hangs in this frame or flies, None for other entities.
        self.stack: ItemStack | None = None
        #: Experience points of an orb.
        self.count = 0
        #: What the spawn packet says beside: the shooter of an arrow, the state of a falling block, …
        self.data = 0
        self.metadata: dict[int, Any] = {}
        self.equipment: dict[str, ItemStack] = {}
        self.vehicle_id: int | None = None
        self.passengers: tuple[int, ...] = ()
        #: Account name of a player.
        self.player_name: str | None = None
        self.added_at = 0
        self.moved_at = 0
        #: World tick at which it was last hurt, None if never, and by which entity.
        self.hurt_at: int | None = None
        self.hurt_by: int | None = None
        self.dying = False
        #: Whether the server has taken it away; what you hold is then only a memory.
        self.removed = False
        self._custom_name: str | None = None
        self._attributes: Attributes | None = None

    def __repr__(self) -> str:
        called = f" {self.name!r}" if self.name else ""
        return f"<{self.kind} {self.id}{called} at {self.x:.2f} {self.y:.2f} {self.z:.2f}>"

    @property
    def kind(self) -> str:
        """``minecraft:pig``."""
        return self.type.name

    @property
    def category(self) -> str:
        """hostile, animal, passive, water_creature, ambient, mob, living, player, projectile or other."""
        return _CATEGORIES.get(self.type.name, self.type.type)

    @property
    def pos(self) -> tuple[float, float, float]:
        return self.x, self.y, self.z

    def told(self, meaning: str, otherwise: Any = None) -> Any:
        """Metadata by meaning: ``told("baby")``, ``told("is_charging")``, ``told("villager_data")``.

        The words are those of `protocol.game.EntityType.metadata_keys`. `otherwise` where this kind of entity
        has no such thing or the server has not told it.
        """
        keys = self.type.metadata_keys
        return self.metadata.get(keys.index(meaning), otherwise) if meaning in keys else otherwise

    @property
    def name(self) -> str | None:
        """The player's account name, else the name tag, else None."""
        return self.player_name or self._custom_name

    @property
    def custom_name(self) -> str | None:
        """What stands on its name tag."""
        return self._custom_name

    @property
    def is_player(self) -> bool:
        return self.kind == "minecraft:player"

    @property
    def alive(self) -> bool:
        """Still there and, as far as told, not dying."""
        return not (self.removed or self.dying or (self.health is not None and self.health <= 0.0))

    @property
    def flags(self) -> frozenset[str]:
        """Of on_fire, sneaking, sprinting, swimming, invisible, glowing, gliding: what holds."""
        bits = int(self.metadata.get(_FLAGS, 0)) & 0xFF
        return frozenset(name for bit, name in FLAG_NAMES.items() if bits & bit)

    @property
    def pose(self) -> str:
        number = self.metadata.get(_POSE, 0)
        return POSES[number] if isinstance(number, int) and 0 <= number < len(POSES) else str(number)

    @property
    def baby(self) -> bool:
        return self.told("baby") is True

    @property
    def eye_height(self) -> float:
        """Height of the eyes above the feet; exact for players, close for the rest."""
        if self.is_player:
            return {"sneaking": 1.27, "standing": 1.62}.get(self.pose, 0.4)
        return self.height * 0.85

    @property
    def attributes(self) -> Attributes:
        """What was told about its attributes; a mob's speed and health are rarely told before they change."""
        if self._attributes is None:
            self._attributes = Attributes()
        return self._attributes

    @property
    def max_health(self) -> float | None:
        told = self._attributes.get("max_health") if self._attributes else None
        return None if told is None else told.value

    def distance_to(self, x: float, y: float, z: float) -> float:
        """Blocks between its feet and the point."""
        return math.dist((self.x, self.y, self.z), (x, y, z))

    def box(self) -> tuple[float, float, float, float, float, float]:
        """Its bounding box: least x, y, z, greatest x, y, z."""
        half = self.width / 2
        return self.x - half, self.y, self.z - half, self.x + half, self.y + self.height, self.z + half


class Entities:
    """All entities that the server shows us, ourselves not among them. Iterating gives Entity."""

    def __init__(self, events: Events, me: Myself, players: Players, now: Callable[[], int]) -> None:
        self._events = events
        self._me = me
        self._players = players
        self._now = now
        self._registries = Registries()
        self._by_id: dict[int, Entity] = {}
        events.on("player_joined", self._named)

    def attach(self, link: Link) -> None:
        self._registries = link.registries
        link.subscribe("spawn_entity", self._on_spawn)
        link.subscribe("spawn_entity_experience_orb", self._on_spawn_orb)
        link.subscribe("entity_destroy", self._on_destroy)
        link.subscribe("rel_entity_move", self._on_move)
        link.subscribe("entity_move_look", self._on_move_look)
        link.subscribe("entity_look", self._on_look)
        link.subscribe("entity_teleport", self._on_teleport)
        link.subscribe("entity_head_rotation", self._on_head)
        link.subscribe("entity_velocity", self._on_velocity)
        link.subscribe("entity_metadata", self._on_metadata)
        link.subscribe("entity_equipment", self._on_equipment)
        link.subscribe("entity_update_attributes", self._on_attributes)
        link.subscribe("set_passengers", self._on_passengers)
        link.subscribe("entity_status", self._on_status)
        link.subscribe("animation", self._on_animation)
        link.subscribe("damage_event", self._on_damage)
        link.subscribe("collect", self._on_collect)
        link.subscribe("explosion", self._on_explosion)

    def clear(self) -> None:
        """Another dimension: nobody we knew is here."""
        gone = list(self._by_id.values())
        self._by_id.clear()
        for entity in gone:
            entity.removed = True
        for entity in gone:
            self._events.emit("entity_removed", entity)

    # --- looking ---------------------------------------------------------------------------------------

    def __iter__(self) -> Iterator[Entity]:
        return iter(list(self._by_id.values()))

    def __len__(self) -> int:
        return len(self._by_id)

    def __contains__(self, entity_id: object) -> bool:
        return entity_id in self._by_id

    def get(self, entity_id: int) -> Entity | None:
        return self._by_id.get(entity_id)

    def by_uuid(self, uuid: UUID) -> Entity | None:
        return next((entity for entity in self._by_id.values() if entity.uuid == uuid), None)

    def player(self, name: str) -> Entity | None:
        """The player of that account name, if he is in sight of the server's tracking."""
        wanted = name.casefold()
        for entity in self._by_id.values():
            if entity.player_name is not None and entity.player_name.casefold() == wanted:
                return entity
        return None

    def near(
        self, x: float, y: float, z: float, radius: float, kinds: Iterable[str] | None = None
    ) -> list[Entity]:
        """Entities whose feet are within `radius` blocks, nearest first; only of `kinds` where given."""
        wanted = None if kinds is None else frozenset(kinds)
        limit = radius * radius
        found: list[tuple[float, int, Entity]] = []
        for entity in self._by_id.values():
            if wanted is not None and entity.kind not in wanted:
                continue
            squared = (entity.x - x) ** 2 + (entity.y - y) ** 2 + (entity.z - z) ** 2
            if squared <= limit:
                found.append((squared, entity.id, entity))
        found.sort()
        return [entity for _, _, entity in found]

    # --- coming and going ------------------------------------------------------------------------------

    def _on_spawn(self, fields: dict[str, Any]) -> None:
        kind = entity_type(self._registries, fields["type"])
        entity = Entity(fields["entityId"], fields["objectUUID"], kind, fields["x"], fields["y"], fields["z"])
        entity.yaw, entity.pitch = fields["yaw"] * _DEGREES, fields["pitch"] * _DEGREES
        entity.head_yaw = fields["headPitch"] * _DEGREES  # a head's yaw, whatever the schema calls it
        entity.data = fields["objectData"]
        velocity = fields["velocity"]
        entity.vx, entity.vy, entity.vz = (
            velocity["x"] * _SPEED,
            velocity["y"] * _SPEED,
            velocity["z"] * _SPEED,
        )
        if entity.is_player:
            info = self._players.get(entity.uuid)
            entity.player_name = info.name if info else None
        self._add(entity)

    def _on_spawn_orb(self, fields: dict[str, Any]) -> None:
        kind = GAME.entity("experience_orb")
        entity = Entity(fields["entityId"], NOBODY, kind, fields["x"], fields["y"], fields["z"])
        entity.count = fields["count"]
        self._add(entity)

    def _add(self, entity: Entity) -> None:
        entity.added_at = entity.moved_at = self._now()
        earlier = self._by_id.get(entity.id)
        if earlier is not None:
            self._remove(earlier)
        self._by_id[entity.id] = entity
        self._events.emit("entity_added", entity)

    def _on_destroy(self, fields: dict[str, Any]) -> None:
        for entity_id in fields["entityIds"]:
            entity = self._by_id.get(entity_id)
            if entity is not None:
                self._remove(entity)
            if entity_id == self._me.vehicle_id:
                self._mount(None)

    def _remove(self, entity: Entity) -> None:
        del self._by_id[entity.id]
        entity.removed = True
        for passenger in entity.passengers:
            rider = self._by_id.get(passenger)
            if rider is not None:
                rider.vehicle_id = None
        self._events.emit("entity_removed", entity)

    def _named(self, player: PlayerInfo) -> None:
        for entity in self._by_id.values():
            if entity.uuid == player.uuid:
                entity.player_name = player.name

    # --- moving ----------------------------------------------------------------------------------------

    def _on_move(self, fields: dict[str, Any]) -> None:
        entity = self._by_id.get(fields["entityId"])
        if entity is not None:
            self._move_by(entity, fields["dX"], fields["dY"], fields["dZ"])
            entity.on_ground = fields["onGround"]
            self._events.emit("entity_moved", entity)

    def _on_move_look(self, fields: dict[str, Any]) -> None:
        entity = self._by_id.get(fields["entityId"])
        if entity is not None:
            self._move_by(entity, fields["dX"], fields["dY"], fields["dZ"])
            entity.yaw, entity.pitch = fields["yaw"] * _DEGREES, fields["pitch"] * _DEGREES
            entity.on_ground = fields["onGround"]
            self._events.emit("entity_moved", entity)

    def _on_look(self, fields: dict[str, Any]) -> None:
        entity = self._by_id.get(fields["entityId"])
        if entity is not None:
            entity.yaw, entity.pitch = fields["yaw"] * _DEGREES, fields["pitch"] * _DEGREES
            entity.on_ground = fields["onGround"]
            self._events.emit("entity_moved", entity)

    def _on_teleport(self, fields: dict[str, Any]) -> None:
        entity = self._by_id.get(fields["entityId"])
        if entity is None:
            return
        entity.x, entity.y, entity.z = fields["x"], fields["y"], fields["z"]
        entity.yaw, entity.pitch = fields["yaw"] * _DEGREES, fields["pitch"] * _DEGREES
        entity.on_ground = fields["onGround"]
        entity.moved_at = self._now()
        self._carry(entity)
        self._events.emit("entity_moved", entity)

    def _on_head(self, fields: dict[str, Any]) -> None:
        entity = self._by_id.get(fields["entityId"])
        if entity is not None:
            entity.head_yaw = fields["headYaw"] * _DEGREES

    def _move_by(self, entity: Entity, dx: int, dy: int, dz: int) -> None:
        # An axis that does not move keeps its exact position; one that moves lands on the grain.
        if dx:
            entity.x = (math.floor(entity.x * _GRAIN + 0.5) + dx) / _GRAIN
        if dy:
            entity.y = (math.floor(entity.y * _GRAIN + 0.5) + dy) / _GRAIN
        if dz:
            entity.z = (math.floor(entity.z * _GRAIN + 0.5) + dz) / _GRAIN
        entity.moved_at = self._now()
        if entity.passengers:
            self._carry(entity)

    def _carry(self, vehicle: Entity) -> None:
        """Riders go where their vehicle goes: the server tells their own position only when they get off."""
        for passenger in vehicle.passengers:
            rider = self._by_id.get(passenger)
            if rider is not None and rider is not vehicle:
                rider.x, rider.y, rider.z = vehicle.x, vehicle.y + vehicle.height * 0.75, vehicle.z
                rider.moved_at = vehicle.moved_at

    def _on_velocity(self, fields: dict[str, Any]) -> None:
        velocity = fields["velocity"]
        vx, vy, vz = velocity["x"] * _SPEED, velocity["y"] * _SPEED, velocity["z"] * _SPEED
        entity = self._by_id.get(fields["entityId"])
        if entity is not None:
            entity.vx, entity.vy, entity.vz = vx, vy, vz
        elif fields["entityId"] == self._me.entity_id:
            self._events.emit("velocity", vx, vy, vz)

    def _on_explosion(self, fields: dict[str, Any]) -> None:
        push = fields["playerMotionX"], fields["playerMotionY"], fields["playerMotionZ"]
        if any(push):
            self._events.emit("pushed", *push)

    def _on_passengers(self, fields: dict[str, Any]) -> None:
        vehicle_id, riders = fields["entityId"], tuple(fields["passengers"])
        vehicle = self._by_id.get(vehicle_id)
        if vehicle is not None:
            for passenger in vehicle.passengers:
                rider = self._by_id.get(passenger)
                if rider is not None and passenger not in riders:
                    rider.vehicle_id = None
            vehicle.passengers = riders
        for passenger in riders:
            rider = self._by_id.get(passenger)
            if rider is not None:
                rider.vehicle_id = vehicle_id
        if vehicle is not None:
            self._carry(vehicle)
        if self._me.entity_id in riders:
            self._mount(vehicle_id)
        elif self._me.vehicle_id == vehicle_id:
            self._mount(None)

    def _mount(self, vehicle_id: int | None) -> None:
        if self._me.vehicle_id != vehicle_id:
            self._me.vehicle_id = vehicle_id
            self._events.emit("mounted", vehicle_id)

    # --- what they are like ----------------------------------------------------------------------------

    def _on_metadata(self, fields: dict[str, Any]) -> None:
        entity = self._by_id.get(fields["entityId"])
        if entity is None:
            if fields["entityId"] == self._me.entity_id:
                self._me.metadata.update((entry["key"], entry["value"]) for entry in fields["metadata"])
            return
        for entry in fields["metadata"]:
            key, value, type_ = entry["key"], entry["value"], entry["type"]
            entity.metadata[key] = value
            if key == _HEALTH and type_ == "float":
                entity.health = value
            elif key == _ITEM and type_ == "item_stack":
                entity.stack = stack_of(self._registries, value)
            elif key == _CUSTOM_NAME:
                entity._custom_name = None if value is None else plain_text(value) or None
        _resize(entity)
        self._events.emit("entity_metadata", entity)

    def _on_equipment(self, fields: dict[str, Any]) -> None:
        entity = self._by_id.get(fields["entityId"])
        if entity is None:
            return
        for worn in fields["equipments"]:
            number = worn["slot"] & 0x7F
            if number >= len(EQUIPMENT):
                continue
            stack = stack_of(self._registries, worn["item"])
            if stack is None:
                entity.equipment.pop(EQUIPMENT[number], None)
            else:
                entity.equipment[EQUIPMENT[number]] = stack
        self._events.emit("entity_equipment", entity)

    def _on_attributes(self, fields: dict[str, Any]) -> None:
        if fields["entityId"] == self._me.entity_id:
            self._me.attributes.update(fields["properties"])
            return
        entity = self._by_id.get(fields["entityId"])
        if entity is not None:
            entity.attributes.update(fields["properties"])
            _resize(entity)

    # --- what happens to them --------------------------------------------------------------------------

    def _on_status(self, fields: dict[str, Any]) -> None:
        entity_id, status = fields["entityId"], fields["entityStatus"]
        entity = self._by_id.get(entity_id)
        if entity is not None and status == _STATUS_DIES:
            entity.dying = True
        elif entity_id == self._me.entity_id and 24 <= status <= 28:
            self._me.permission_level = status - 24
        self._events.emit("entity_event", entity_id, status)

    def _on_animation(self, fields: dict[str, Any]) -> None:
        self._events.emit("entity_animation", fields["entityId"], fields["animation"])

    def _on_damage(self, fields: dict[str, Any]) -> None:
        # Entity ids travel plus one here, so that 0 can mean nobody.
        cause = fields["sourceCauseId"] - 1 if fields["sourceCauseId"] > 0 else None
        direct = fields["sourceDirectId"] - 1 if fields["sourceDirectId"] > 0 else None
        entity = self._by_id.get(fields["entityId"])
        if entity is not None:
            entity.hurt_at, entity.hurt_by = self._now(), cause
        number = fields["sourceTypeId"]
        kind = self._registries.name_of(DAMAGE_TYPE, number) or f"damage_{number}"
        self._events.emit("damage", fields["entityId"], kind, cause, direct)

    def _on_collect(self, fields: dict[str, Any]) -> None:
        self._events.emit(
            "collected", fields["collectedEntityId"], fields["collectorEntityId"], fields["pickupItemCount"]
        )


def _resize(entity: Entity) -> None:
    """Width and height from kind, age, pose, slime size and the scale attribute."""
    width, height = entity.type.width, entity.type.height
    if entity.is_player:
        height = _PLAYER_HEIGHTS.get(entity.pose, height)
    size = entity.told("size")
    scale = 1.0
    if isinstance(size, int):
        scale = 1.0 + 0.15 * size if entity.kind == "minecraft:phantom" else float(max(size, 1))
    elif entity.baby:
        scale = _BABY_SCALES.get(entity.kind, 0.5)
    if entity._attributes is not None:
        scale *= entity._attributes.value("scale")
    entity.width, entity.height = width * scale, height * scale
