"""Movement: the client moves, the server checks (vanilla 1.21.1 `ServerGamePacketListenerImpl`).

A move that is too long for the time is put back; so is one that the server's own replay of it, with
collisions, can't follow by more than a quarter of a block sideways, or that ends inside a block. While a
teleport waits for its confirmation, moves are ignored. Who floats for more than 80 ticks is sent away.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from numen.sandbox import space
from numen.sandbox.text import translated

if TYPE_CHECKING:
    from numen.sandbox.player import Player

#: Squared blocks a move may be longer than the velocity the server gave, times the packets of the tick.
TOO_QUICK = 100.0
#: Squared blocks the replay may stay behind.
TOO_WRONG = 0.0625
MAX_FLOATING_TICKS = 80
#: Ticks after which an unconfirmed teleport is sent again.
TELEPORT_AGAIN = 20
BORDER = 3.0e7


class Movement:
    """One player's moves as the server judges them."""

    def __init__(self, player: Player) -> None:
        self._player = player
        #: Where the tick began, and where the last good move of it ended.
        self._start = (player.x, player.y, player.z)
        self._packets = 0
        self._recent: list[int] = []
        self._floating = False
        self._floating_ticks = 0
        self._hovered = False
        self._teleport_id = 0
        #: The place the client has not yet confirmed, with the tick it was told.
        self._awaited: tuple[float, float, float] | None = None
        self._told_at = 0

    @property
    def awaits_confirmation(self) -> bool:
        """Whether a teleport is on its way: until then the client's hands and feet don't count."""
        return self._awaited is not None

    def teleport(
        self, x: float, y: float, z: float, yaw: float | None = None, pitch: float | None = None
    ) -> None:
        """Put the player somewhere; the client is told and has to confirm."""
        player = self._player
        player.x, player.y, player.z = x, y, z
        if yaw is not None:
            player.yaw = player.head_yaw = yaw
        if pitch is not None:
            player.pitch = pitch
        self._teleport_id = self._teleport_id % 0x7FFFFFFF + 1
        self._awaited = (x, y, z)
        self._told_at = player.world.age
        self._start = (x, y, z)
        player.impulse = True
        player.view.move_to(x, z)
        player.send(
            "position",
            x=x,
            y=y,
            z=z,
            yaw=player.yaw,
            pitch=player.pitch,
            flags=(),
            teleportId=self._teleport_id,
        )

    def confirm(self, teleport_id: int) -> None:
        """The client says it has gone where it was put."""
        player = self._player
        if teleport_id != self._teleport_id or self._awaited is None:
            player.note("bad_teleport_confirm", got=teleport_id, expected=self._teleport_id)
            return
        player.x, player.y, player.z = self._awaited
        self._start = self._awaited
        self._awaited = None

    def tick(self) -> None:
        """Once a tick, after the packets: floating is counted, and a new measure begins."""
        player = self._player
        self._start = (player.x, player.y, player.z)
        self._packets = 0
        if self._floating and not player.dead:
            self._floating_ticks += 1
            if self._floating_ticks > MAX_FLOATING_TICKS:
                player.note("floating", y=player.y)
                player.kick(translated("multiplayer.disconnect.flying"))
        else:
            self._floating = False
            self._floating_ticks = 0

    def moved(self, x: float, y: float, z: float, yaw: float, pitch: float, on_ground: bool) -> None:
        """The client says it is at (x, y, z) now."""
        player = self._player
        if not all(map(math.isfinite, (x, y, z, yaw, pitch))):
            player.note("not_finite")
            player.kick(translated("multiplayer.disconnect.invalid_player_movement"))
            return
        if player.dead or player.bed is not None:
            return
        if self._awaited is not None:
            if player.world.age - self._told_at > TELEPORT_AGAIN:
                self.teleport(*self._awaited)
            return
        x, z = max(-BORDER, min(BORDER, x)), max(-BORDER, min(BORDER, z))
        yaw = (yaw + 180) % 360 - 180
        pitch = max(-90.0, min(90.0, pitch))
        if self._too_quick(x, y, z):
            return
        self._note_odd_moves(x, y, z, on_ground)
        self._replay(x, y, z, yaw, pitch, on_ground)

    def _too_quick(self, x: float, y: float, z: float) -> bool:
        player = self._player
        self._packets += 1
        packets = self._packets if self._packets <= 5 else 1
        x0, y0, z0 = self._start
        length = (x - x0) ** 2 + (y - y0) ** 2 + (z - z0) ** 2
        given = player.vx**2 + player.vy**2 + player.vz**2
        if length - given <= TOO_QUICK * packets:
            return False
        player.note("moved_too_quickly", by=round(math.sqrt(length), 3), packets=self._packets)
        self.teleport(player.x, player.y, player.z)
        return True

    def _replay(self, x: float, y: float, z: float, yaw: float, pitch: float, on_ground: bool) -> None:
        player = self._player
        old = (player.x, player.y, player.z)
        box = player.box
        dx, dy, dz = x - old[0], y - old[1], z - old[2]
        if player.on_ground and not on_ground and dy > 0:
            player.jumped()
        step = player.step_height
        ghost = player.game_mode == "spectator"
        gx, gy, gz = (
            (dx, dy, dz)
            if ghost
            else space.slide(player.world, box, dx, dy, dz, step_height=step, on_ground=player.on_ground)
        )
        stood = gy != dy and dy < 0
        behind = (dx - gx) ** 2 + (dz - gz) ** 2
        wrong = behind > TOO_WRONG and player.game_mode not in ("creative", "spectator")
        target = space.box_at(x, y, z, player.width, player.height)
        stuck = wrong and not space.is_free(player.world, space.grown(box, -1e-7, -1e-7, -1e-7))
        if not ghost and ((wrong and not stuck) or self._enters_block(box, target)):
            player.note(
                "moved_wrongly",
                behind=round(math.sqrt(behind), 3),
                to=(round(x, 3), round(y, 3), round(z, 3)),
            )
            self.teleport(*old, yaw, pitch)
            player.fall(0.0, on_ground)
            return
        player.x, player.y, player.z = x, y, z
        player.yaw, player.pitch, player.head_yaw = yaw, pitch, yaw
        player.on_ground = on_ground
        self._floating = dy >= -0.03125 and not stood and not player.may_fly and self._nothing_around(target)
        if (dx, dz) != (0.0, 0.0):
            player.view.move_to(x, z)
        player.walked(dx, dy, dz)
        player.fall(dy, on_ground)

    def _enters_block(self, old: space.Box, new: space.Box) -> bool:
        """Whether the new box is in a block's box that the old one was not in."""
        near = space.around(self._player.world, new[1], fall_distance=self._player.fall_distance)
        inside = space.grown(old, -1e-5, -1e-5, -1e-5)
        return any(
            not space.overlap(inside, found[:6])
            for found in near.boxes(*space.grown(new, -1e-5, -1e-5, -1e-5))
        )

    def _nothing_around(self, box: space.Box) -> bool:
        x0, y0, z0, x1, y1, z1 = space.grown(box, 0.0625, 0.0625, 0.0625)
        block = self._player.world.block
        return not any(
            block(x, y, z)
            for x in range(math.floor(x0), math.floor(x1) + 1)
            for y in range(math.floor(y0 - 0.55), math.floor(y1) + 1)
            for z in range(math.floor(z0), math.floor(z1) + 1)
        )

    def _note_odd_moves(self, x: float, y: float, z: float, on_ground: bool) -> None:
        """What the game lets pass but an honest client on foot never does."""
        player = self._player
        age = player.world.age
        self._recent = [tick for tick in self._recent if age - tick < 40]
        self._recent.append(age)
        if len(self._recent) > 46:
            player.note("too_many_moves", in_40_ticks=len(self._recent))
            self._recent.clear()
        if player.may_fly:
            return
        dx, dy, dz = x - player.x, y - player.y, z - player.z
        if dx * dx + dz * dz > 0.75**2 and player.was_pushed_ticks_ago > 20:
            player.note("fast_step", by=round(math.hypot(dx, dz), 3))
        if dy > 0.61 and player.was_pushed_ticks_ago > 20:
            player.note("high_jump", by=round(dy, 3))
        # Who walks over an edge is on ground for the tick in which he does: his feet were stopped before.
        supported = self._supported(x, y, z) or self._supported(player.x, y, player.z)
        if on_ground and not supported:
            player.note("false_ground", at=(round(x, 3), round(y, 3), round(z, 3)))
        floats = not on_ground and dy == 0.0 and (dx != 0.0 or dz != 0.0) and self._supported(x, y, z)
        # One such tick follows every teleport: the body has not yet begun to press down.
        if floats and self._hovered:
            player.note("false_air", at=(round(x, 3), round(y, 3), round(z, 3)))
        self._hovered = floats

    def _supported(self, x: float, y: float, z: float) -> bool:
        below = space.box_at(x, y - 0.01, z, self._player.width, 0.01)
        return not space.is_free(self._player.world, below)


def _position(player: Player, fields: dict[str, Any]) -> None:
    player.movement.moved(
        fields["x"],
        fields["y"],
        fields["z"],
        fields.get("yaw", player.yaw),
        fields.get("pitch", player.pitch),
        fields["onGround"],
    )


def _look(player: Player, fields: dict[str, Any]) -> None:
    player.movement.moved(player.x, player.y, player.z, fields["yaw"], fields["pitch"], fields["onGround"])


def _flying(player: Player, fields: dict[str, Any]) -> None:
    player.movement.moved(player.x, player.y, player.z, player.yaw, player.pitch, fields["onGround"])


def _confirm(player: Player, fields: dict[str, Any]) -> None:
    player.movement.confirm(fields["teleportId"])


HANDLERS = {
    "position": _position,
    "position_look": _position,
    "look": _look,
    "flying": _flying,
    "teleport_confirm": _confirm,
}
