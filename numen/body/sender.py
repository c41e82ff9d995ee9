"""What the server was last told about the body's movement, and the packets that tell it more.

protocol 767: position when it moved more than 2e-4 or nothing was sent for 20 ticks, rotation when it
changed, else on_ground alone when that changed. One movement packet a tick, after sprint and sneak, as the
vanilla client does it.
"""

from __future__ import annotations

import logging
import math
from typing import Final

from numen.rules.physics import PlayerState
from protocol.link import Link

log = logging.getLogger(__name__)

#: entity_action numbers (player command, protocol 767).
START_SNEAKING: Final = 0
STOP_SNEAKING: Final = 1
LEAVE_BED: Final = 2
START_SPRINTING: Final = 3
STOP_SPRINTING: Final = 4

_MOVED_SQUARED: Final = 2e-4 * 2e-4
_REMIND_TICKS: Final = 20
#: How far from the middle of a block a body of 0.6 may stand and still be over it, by a thousandth at least.
_OVER: Final = 0.5 + 0.3 - 0.001


class Sender:
    """The one place that knows what was last sent. `reset()` after a login, a respawn or a change of
    dimension."""

    def __init__(self, link: Link) -> None:
        self.link = link
        #: The hotbar slot the server counts with; None when it may be another than ours.
        self.held: int | None = 0
        self.reset()

    def reset(self) -> None:
        """Forget everything about movement: the server has a new player entity."""
        self._x = self._y = self._z = math.nan
        self._yaw = self._pitch = math.nan
        self._on_ground = False
        self._silent_for = 0
        self._sprinting = False
        self._sneaking = False
        self._echoed = False

    @property
    def sneaking(self) -> bool:
        """Whether the server believes that the sneak key is down."""
        return self._sneaking

    @property
    def position(self) -> tuple[float, float, float]:
        """The position that was last sent; NaN before the first."""
        return self._x, self._y, self._z

    def look_is(self, yaw: float, pitch: float) -> bool:
        """Whether the server has been told this look."""
        return yaw == self._yaw and pitch == self._pitch

    def echo(self, teleport_id: int, state: PlayerState) -> None:
        """Confirm a teleport and repeat the pose it led to. It is this tick's movement packet."""
        self.link.send("teleport_confirm", teleportId=teleport_id)
        self.link.send(
            "position_look", x=state.x, y=state.y, z=state.z, yaw=state.yaw, pitch=state.pitch, onGround=False
        )
        self._remember(state)
        self._on_ground = False
        self._echoed = True

    def tick(self, state: PlayerState, *, entity_id: int) -> None:
        """Tell the server what changed since the last tick. `entity_id` is the body's own."""
        if state.sprinting != self._sprinting:
            self._sprinting = state.sprinting
            self._command(entity_id, START_SPRINTING if state.sprinting else STOP_SPRINTING)
        if state.sneaking != self._sneaking:
            self._sneaking = state.sneaking
            self._command(entity_id, START_SNEAKING if state.sneaking else STOP_SNEAKING)
        if self._echoed:
            self._echoed = False
            return
        self._move(state)

    def hold(self, slot: int) -> None:
        """Select hotbar slot 0-8 when the server doesn't know it yet."""
        if slot != self.held:
            self.held = slot
            self.link.send("held_item_slot", slotId=slot)

    def told_held(self, slot: int) -> None:
        """The server said which hotbar slot is selected."""
        self.held = slot

    def _command(self, entity_id: int, action: int) -> None:
        self.link.send("entity_action", entityId=entity_id, actionId=action, jumpBoost=0)

    def _move(self, state: PlayerState) -> None:
        self._silent_for += 1
        dx, dy, dz = state.x - self._x, state.y - self._y, state.z - self._z
        # a NaN (nothing sent yet) compares as moved
        moved = not dx * dx + dy * dy + dz * dz <= _MOVED_SQUARED or self._silent_for >= _REMIND_TICKS
        turned = state.yaw != self._yaw or state.pitch != self._pitch
        ground = _stands(state)
        if moved and turned:
            self.link.send(
                "position_look",
                x=state.x,
                y=state.y,
                z=state.z,
                yaw=state.yaw,
                pitch=state.pitch,
                onGround=ground,
            )
        elif moved:
            self.link.send("position", x=state.x, y=state.y, z=state.z, onGround=ground)
        elif turned:
            self.link.send("look", yaw=state.yaw, pitch=state.pitch, onGround=ground)
        elif ground != self._on_ground:
            self.link.send("flying", onGround=ground)
        self._on_ground = ground
        if moved:
            self._x, self._y, self._z = state.x, state.y, state.z
            self._silent_for = 0
        if turned:
            self._yaw, self._pitch = state.yaw, state.pitch

    def _remember(self, state: PlayerState) -> None:
        self._x, self._y, self._z = state.x, state.y, state.z
        self._yaw, self._pitch = state.yaw, state.pitch
        self._silent_for = 0


def _stands(state: PlayerState) -> bool:
    """Whether to say "on the ground".

    A step falls first and goes sideways then, so in the tick that leaves an edge the game counts a player as
    standing on a block that is no longer under it. Servers that look at blocks take that for a lie, and none
    counts a fall otherwise for it.
    """
    if not state.on_ground or state.support is None:
        return state.on_ground
    x, _, z = state.support
    return abs(state.x - x - 0.5) < _OVER and abs(state.z - z - 0.5) < _OVER
