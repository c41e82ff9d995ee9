"""The rest of what clients send: settings, poses, the held slot, respawning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numen.sandbox import sleep

if TYPE_CHECKING:
    from numen.sandbox.player import Player

#: `client_command` actions, `entity_action` actions (protocol 767).
RESPAWN = 0
SNEAK, UNSNEAK, LEAVE_BED, SPRINT, UNSPRINT = range(5)


def _chunks_received(player: Player, fields: dict[str, Any]) -> None:
    player.view.answered(fields["chunksPerTick"])


def _client_command(player: Player, fields: dict[str, Any]) -> None:
    if fields["actionId"] == RESPAWN and player.dead:
        player.server.respawn(player)


def _entity_action(player: Player, fields: dict[str, Any]) -> None:
    action = fields["actionId"]
    if action in (SNEAK, UNSNEAK):
        player.sneaking = action == SNEAK
        player.metadata_changed = True
    elif action in (SPRINT, UNSPRINT):
        player.sprinting = action == SPRINT
        player.metadata_changed = True
    elif action == LEAVE_BED:
        sleep.get_up(player)


def _held_slot(player: Player, fields: dict[str, Any]) -> None:
    slot = fields["slotId"]
    if not 0 <= slot <= 8:
        player.note("bad_slot", slot=slot)
        return
    player.hold(slot)


def _settings(player: Player, fields: dict[str, Any]) -> None:
    player.set_view_distance(fields["viewDistance"])


def _abilities(player: Player, fields: dict[str, Any]) -> None:
    player.flying = bool(fields["flags"] & 2) and player.may_fly


def _swing(player: Player, fields: dict[str, Any]) -> None:
    player.tracked.tell("animation", entityId=player.id, animation=0 if fields["hand"] == 0 else 3)


def _ping(player: Player, fields: dict[str, Any]) -> None:
    player.send("ping_response", id=fields["id"])


HANDLERS = {
    "chunk_batch_received": _chunks_received,
    "client_command": _client_command,
    "entity_action": _entity_action,
    "held_item_slot": _held_slot,
    "settings": _settings,
    "abilities": _abilities,
    "arm_animation": _swing,
    "ping_request": _ping,
}
