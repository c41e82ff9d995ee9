"""What a server would say in the packet fields that a test does not care about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from numen.testing.link import LOGIN

#: The part that `login` and `respawn` share.
SPAWN_INFO: Final[dict[str, Any]] = LOGIN["worldState"]

NO_LIGHT: Final[dict[str, Any]] = {
    "skyLightMask": [],
    "blockLightMask": [],
    "emptySkyLightMask": [],
    "emptyBlockLightMask": [],
    "skyLight": [],
    "blockLight": [],
}

EMPTY: Final[dict[str, Any]] = {"itemCount": 0}

_MOVED: Final = {"dX": 0, "dY": 0, "dZ": 0, "onGround": True}
_LOOK: Final = {"yaw": 0, "pitch": 0}

#: Fields by packet (play, to the client). A test's own fields go over them.
DEFAULTS: Final[dict[str, dict[str, Any]]] = {
    "login": LOGIN,
    "respawn": {"worldState": SPAWN_INFO, "copyMetadata": 0},
    "map_chunk": {"heightmaps": {}, "blockEntities": [], **NO_LIGHT},
    "update_light": NO_LIGHT,
    "spawn_entity": {
        "objectUUID": UUID(int=0),
        "pitch": 0,
        "yaw": 0,
        "headPitch": 0,
        "objectData": 0,
        "velocity": {"x": 0, "y": 0, "z": 0},
    },
    "rel_entity_move": _MOVED,
    "entity_move_look": {**_MOVED, **_LOOK},
    "entity_look": {**_LOOK, "onGround": True},
    "entity_teleport": {**_LOOK, "onGround": True},
    "entity_effect": {"amplifier": 0, "duration": 200, "flags": 2},
    "damage_event": {"sourceTypeId": 0, "sourceCauseId": 0, "sourceDirectId": 0, "sourcePosition": None},
    "explosion": {
        "radius": 3.0,
        "affectedBlockOffsets": [],
        "playerMotionX": 0.0,
        "playerMotionY": 0.0,
        "playerMotionZ": 0.0,
        "block_interaction_type": 1,
        "small_explosion_particle": {"type": "explosion"},
        "large_explosion_particle": {"type": "explosion_emitter"},
        "sound": {"soundId": 0},
    },
    "position": {"yaw": 0.0, "pitch": 0.0, "flags": (), "teleportId": 1},
    "update_health": {"food": 20, "foodSaturation": 5.0},
    "experience": {"experienceBar": 0.0, "level": 0, "totalExperience": 0},
    "abilities": {"flags": 0, "flyingSpeed": 0.05, "walkingSpeed": 0.1},
    "window_items": {"stateId": 1, "carriedItem": EMPTY},
    "set_slot": {"stateId": 1, "item": EMPTY},
    "system_chat": {"isActionBar": False},
    "profileless_chat": {"type": {"chatType": 0}, "target": None},
    "player_chat": {
        "senderUuid": UUID(int=0),
        "index": 0,
        "signature": None,
        "timestamp": 0,
        "salt": 0,
        "previousMessages": [],
        "unsignedChatContent": None,
        "filterType": 0,
        "type": {"chatType": 0},
        "networkTargetName": None,
    },
    "set_ticking_state": {"tick_rate": 20.0, "is_frozen": False},
}


def filled(packet: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """`fields` over the packet's defaults; for login and respawn also inside ``worldState``."""
    result = {**DEFAULTS.get(packet, {}), **fields}
    if "worldState" in result:
        result["worldState"] = {**SPAWN_INFO, **result["worldState"]}
    return result


def slot(item_id: int, count: int = 1) -> dict[str, Any]:
    """A plain item stack as packets carry it."""
    return {
        "itemCount": count,
        "itemId": item_id,
        "addedComponentCount": 0,
        "removedComponentCount": 0,
        "components": [],
        "removeComponents": [],
    }
