"""The body's own state as the server told it: health, hunger, experience, effects, where it put us."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from numen.world.attributes import SPRINTING, Attributes
from numen.world.names import effect_name
from numen.world.players import GAME_MODES, game_mode
from protocol.registries import Registries
from protocol.text import plain_text

if TYPE_CHECKING:
    from numen.world.events import Events
    from protocol.link import Link

NOBODY: Final = UUID(int=0)
MAX_AIR: Final = 300
INFINITE: Final = -1

# entity metadata of a player, by index (protocol 767)
_FLAGS, _AIR, _FROZEN, _BED, _ABSORPTION = 0, 1, 7, 14, 15
_ON_FIRE, _GLIDING = 0x01, 0x80

#: The game_state_change reason that brings a new game mode (protocol 767).
_CHANGE_GAME_MODE: Final = 3

_KEEP_ATTRIBUTES, _KEEP_METADATA = 1, 2


@dataclass
class Effect:
    """A status effect. `level` counts from 1; `remaining` in ticks, -1 for one without end."""

    name: str
    level: int
    remaining: int
    ambient: bool = False

    @property
    def infinite(self) -> bool:
        return self.remaining == INFINITE


@dataclass
class Abilities:
    """The speeds are as sent; `walking_speed` only widens the view, the attribute is what counts."""

    invulnerable: bool = False
    flying: bool = False
    may_fly: bool = False
    instant_build: bool = False
    flying_speed: float = 0.05
    walking_speed: float = 0.1


class Myself:
    """`x, y, z, yaw, pitch` are where the server last put us; the body writes its own steps over them."""

    def __init__(self, events: Events) -> None:
        self._events = events
        self._registries = Registries()
        self.name = ""
        self.uuid = NOBODY
        self._reset()

    def _reset(self) -> None:
        self.entity_id = -1
        self.hardcore = False
        self.game_mode = GAME_MODES[0]
        #: Name of the dimension, ``minecraft:overworld``; empty before the login.
        self.dimension = ""
        #: Whether the server has ever said where we are.
        self.placed = False
        self.x = self.y = self.z = 0.0
        self.yaw = self.pitch = 0.0
        self.alive = True
        self.health = 20.0
        self.food = 20
        self.saturation = 5.0
        self.xp_level = 0
        #: How full the bar is, 0-1.
        self.xp_bar = 0.0
        self.xp_total = 0
        self.abilities = Abilities()
        self.attributes = Attributes()
        #: By name, as ``minecraft:speed``.
        self.effects: dict[str, Effect] = {}
        self.held_slot = 0
        self.vehicle_id: int | None = None
        #: Item id -> ticks until it may be used again.
        self.cooldowns: dict[int, int] = {}
        #: What other packets tell about us as an entity, by index.
        self.metadata: dict[int, Any] = {}
        #: Where we last died: dimension name and cell.
        self.death_place: tuple[str, tuple[int, int, int]] | None = None
        self.permission_level = 0

    # --- what follows from it --------------------------------------------------------------------------

    @property
    def pos(self) -> tuple[float, float, float]:
        return self.x, self.y, self.z

    @property
    def max_health(self) -> float:
        return self.attributes.value("max_health")

    @property
    def speed(self) -> float:
        """Walking speed attribute without the sprint bonus, which physics adds itself."""
        return self.attributes.value("movement_speed", without=(SPRINTING,))

    @property
    def air(self) -> int:
        """Ticks of breath left, 300 when full; 0 and below hurts."""
        return int(self.metadata.get(_AIR, MAX_AIR))

    @property
    def absorption(self) -> float:
        return float(self.metadata.get(_ABSORPTION, 0.0))

    @property
    def on_fire(self) -> bool:
        return bool(self._flags & _ON_FIRE)

    @property
    def gliding(self) -> bool:
        """Flying with elytra."""
        return bool(self._flags & _GLIDING)

    @property
    def frozen_ticks(self) -> int:
        """Ticks in powder snow; 140 hurts."""
        return int(self.metadata.get(_FROZEN, 0))

    @property
    def sleeping(self) -> bool:
        return self.metadata.get(_BED) is not None

    @property
    def creative(self) -> bool:
        return self.game_mode == "creative"

    @property
    def _flags(self) -> int:
        return int(self.metadata.get(_FLAGS, 0))

    def effect_level(self, name: str) -> int:
        """The level of an effect, 0 without it; ``speed`` and ``minecraft:speed`` are the same."""
        effect = self.effects.get(name if ":" in name else f"minecraft:{name}")
        return 0 if effect is None else effect.level

    def tick(self) -> None:
        """One game tick: effects and cooldowns run down. An effect ends only when the server says so."""
        for effect in self.effects.values():
            if effect.remaining > 0:
                effect.remaining -= 1
        if self.cooldowns:
            self.cooldowns = {item: left - 1 for item, left in self.cooldowns.items() if left > 1}

    # --- what the server says --------------------------------------------------------------------------

    def attach(self, link: Link) -> None:
        self.name, self.uuid = link.username, link.uuid
        self._registries = link.registries
        link.subscribe("position", self._on_position)
        link.subscribe("update_health", self._on_health)
        link.subscribe("death_combat_event", self._on_death)
        link.subscribe("experience", self._on_experience)
        link.subscribe("abilities", self._on_abilities)
        link.subscribe("held_item_slot", self._on_held_slot)
        link.subscribe("game_state_change", self._on_game_state)
        link.subscribe("entity_effect", self._on_effect)
        link.subscribe("remove_entity_effect", self._on_effect_end)
        link.subscribe("set_cooldown", self._on_cooldown)
        link.subscribe("vehicle_move", self._on_vehicle_move)

    def logged_in(self, fields: dict[str, Any]) -> None:
        """A login packet: a new life on a new server."""
        self._reset()
        self.entity_id = fields["entityId"]
        self.hardcore = bool(fields["isHardcore"])
        self._spawn(fields["worldState"])

    def respawned(self, fields: dict[str, Any]) -> None:
        """A respawn packet: keep what its bits say (1 attribute modifiers, 2 metadata), begin the rest anew.

        What the server tells again by itself (health, experience, inventory) stays as last told.
        """
        kept = fields["copyMetadata"]
        if not kept & _KEEP_ATTRIBUTES:
            self.attributes.drop_modifiers()
        if not kept & _KEEP_METADATA:
            self.metadata.clear()
        if not self.alive:
            self.alive = True
            self.health = self.max_health
        self.effects.clear()
        self.cooldowns.clear()
        self.vehicle_id = None
        self._spawn(fields["worldState"])

    def _spawn(self, state: dict[str, Any]) -> None:
        self.dimension = state["name"]
        self._set_game_mode(game_mode(state["gamemode"]))
        death = state.get("death")
        if death is not None:
            self.death_place = (death["dimensionName"], death["location"])
        self.placed = False

    def moved(self, x: float, y: float, z: float, yaw: float, pitch: float) -> None:
        """The body's own step, so that distances and relative teleports are measured from where it is."""
        self.x, self.y, self.z, self.yaw, self.pitch = x, y, z, yaw, pitch

    def _on_position(self, fields: dict[str, Any]) -> None:
        relative = frozenset(fields["flags"])
        self.x = fields["x"] + (self.x if "x" in relative else 0.0)
        self.y = fields["y"] + (self.y if "y" in relative else 0.0)
        self.z = fields["z"] + (self.z if "z" in relative else 0.0)
        self.yaw = fields["yaw"] + (self.yaw if "yaw" in relative else 0.0)
        pitch = fields["pitch"] + (self.pitch if "pitch" in relative else 0.0)
        self.pitch = min(max(pitch, -90.0), 90.0)
        self.placed = True
        self._events.emit(
            "teleported", fields["teleportId"], self.x, self.y, self.z, self.yaw, self.pitch, relative
        )

    def _on_health(self, fields: dict[str, Any]) -> None:
        health, food = self.health, self.food
        # Some servers send what is not a number for what they don't keep.
        self.health = _known(fields["health"], health)
        self.saturation = _known(fields["foodSaturation"], self.saturation)
        self.food = fields["food"]
        if self.health != health:
            self._events.emit("health", health, self.health)
        if self.food != food:
            self._events.emit("food", food, self.food)
        if self.health <= 0.0:
            self._die("")
        else:
            self.alive = True

    def _on_death(self, fields: dict[str, Any]) -> None:
        if fields["playerId"] == self.entity_id:
            self._die(plain_text(fields["message"]))

    def _die(self, message: str) -> None:
        if self.alive:
            self.alive = False
            self._events.emit("death", message)

    def _on_experience(self, fields: dict[str, Any]) -> None:
        old = self.xp_level
        self.xp_bar = fields["experienceBar"]
        self.xp_level = fields["level"]
        self.xp_total = fields["totalExperience"]
        self._events.emit("experience", old, self.xp_level)

    def _on_abilities(self, fields: dict[str, Any]) -> None:
        flags = fields["flags"]
        self.abilities = Abilities(
            invulnerable=bool(flags & 1),
            flying=bool(flags & 2),
            may_fly=bool(flags & 4),
            instant_build=bool(flags & 8),
            flying_speed=fields["flyingSpeed"],
            walking_speed=fields["walkingSpeed"],
        )
        self._events.emit("abilities")

    def _on_held_slot(self, fields: dict[str, Any]) -> None:
        if 0 <= fields["slot"] <= 8:
            self.held_slot = fields["slot"]
            self._events.emit("held_slot", self.held_slot)

    def _on_game_state(self, fields: dict[str, Any]) -> None:
        if fields["reason"] == _CHANGE_GAME_MODE:
            self._set_game_mode(game_mode(fields["gameMode"]))

    def _set_game_mode(self, new: str) -> None:
        old, self.game_mode = self.game_mode, new
        if old != new:
            self._events.emit("game_mode", old, new)

    def _on_effect(self, fields: dict[str, Any]) -> None:
        if fields["entityId"] != self.entity_id:
            return
        name = effect_name(self._registries, fields["effectId"])
        self.effects[name] = Effect(
            name, fields["amplifier"] + 1, max(fields["duration"], INFINITE), bool(fields["flags"] & 1)
        )
        self._events.emit("effects", name)

    def _on_effect_end(self, fields: dict[str, Any]) -> None:
        if fields["entityId"] != self.entity_id:
            return
        name = effect_name(self._registries, fields["effectId"])
        if self.effects.pop(name, None) is not None:
            self._events.emit("effects", name)

    def _on_cooldown(self, fields: dict[str, Any]) -> None:
        item, ticks = fields["itemID"], fields["cooldownTicks"]
        if ticks > 0:
            self.cooldowns[item] = ticks
        else:
            self.cooldowns.pop(item, None)
        self._events.emit("cooldown", item, ticks)

    def _on_vehicle_move(self, fields: dict[str, Any]) -> None:
        self._events.emit(
            "vehicle_moved", fields["x"], fields["y"], fields["z"], fields["yaw"], fields["pitch"]
        )


def _known(told: float, otherwise: float) -> float:
    return told if math.isfinite(told) else otherwise
