"""Digging: the server counts progress itself and breaks nothing before it is due.

vanilla 1.21.1 `ServerPlayerGameMode`: a block that one tick breaks goes at the start; a "finished" counts
when the server's own progress has reached 0.7; one that comes sooner leaves the block standing until the
server's count is full. Every packet is acknowledged, whatever came of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numen.rules import digging as rules
from numen.rules import reach
from numen.sandbox.blocks.breaking import break_by
from numen.sandbox.columns import MAX_Y
from numen.sandbox.inventory import OFFHAND
from protocol.game import GAME

if TYPE_CHECKING:
    from numen.sandbox.player import Player

BlockPos = tuple[int, int, int]

#: `block_dig` statuses (protocol 767).
START, CANCEL, FINISH, DROP_STACK, DROP_ONE, RELEASE, SWAP = range(7)


class Digging:
    """What one player is digging, as the server counts it."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self._ticks = 0
        self._at: BlockPos | None = None
        self._started = 0
        #: A block whose "finished" came too soon: the server goes on by itself.
        self._late: tuple[BlockPos, int] | None = None
        self._stage = -1

    def progress(self, at: BlockPos) -> float:
        """The part of a block that a tick of this player's digging breaks."""
        player = self._player
        return rules.progress(
            player.world.block(*at),
            player.inventory.held,
            on_ground=player.on_ground,
            eyes_in_water=player.survival.eyes_in_water,
        )

    def start(self, at: BlockPos) -> None:
        player = self._player
        state = player.world.block(*at)
        if player.creative:
            break_by(player, at)
            return
        if player.game_mode != "survival" or state == 0:
            player.show_cell(at)
            return
        share = self.progress(at)
        if share >= 1.0:
            break_by(player, at)
            return
        if self._at is not None and self._at != at:
            player.show_cell(self._at)
            self._show(self._at, -1)
        self._at = at
        self._started = self._ticks
        self._show(at, int(share * 10))

    def finish(self, at: BlockPos) -> None:
        player = self._player
        if at != self._at:
            player.show_cell(at)
            return
        if player.world.block(*at) == 0:
            self.stop()
            return
        done = self.progress(at) * (self._ticks - self._started + 1)
        if done >= rules.SERVER_SHARE:
            self.stop()
            break_by(player, at)
            return
        player.note("dig_too_fast", block=GAME.block_of(player.world.block(*at)).name, done=round(done, 3))
        player.show_cell(at)
        if self._late is None:
            self._late = (at, self._started)
            self._at = None

    def cancel(self, at: BlockPos) -> None:
        self._show(self._at or at, -1)
        self._at = None

    def stop(self) -> None:
        """Forget what was being dug."""
        if self._at is not None:
            self._show(self._at, -1)
        self._at = None
        self._late = None

    def tick(self) -> None:
        """Count on."""
        self._ticks += 1
        if self._late is not None:
            at, started = self._late
            if self._player.world.block(*at) == 0:
                self._late = None
            elif self._advance(at, started) >= 1.0:
                self._late = None
                self._show(at, -1)
                break_by(self._player, at)
        elif self._at is not None:
            if self._player.world.block(*self._at) == 0:
                self.stop()
            else:
                self._advance(self._at, self._started)

    def _advance(self, at: BlockPos, started: int) -> float:
        done = self.progress(at) * (self._ticks - started + 1)
        self._show(at, int(done * 10))
        return done

    def _show(self, at: BlockPos, stage: int) -> None:
        """Let the others see the cracks: stage 0 to 9, -1 for none."""
        if stage == self._stage:
            return
        self._stage = stage
        player = self._player
        player.world.tell_viewers(
            at[0],
            at[2],
            "block_break_animation",
            but=player,
            entityId=player.id,
            location=at,
            destroyStage=max(-1, min(9, stage)),
        )


def _dig(player: Player, fields: dict[str, Any]) -> None:
    status = fields["status"]
    if status in (START, CANCEL, FINISH):
        _dig_block(player, status, fields["location"])
        player.acknowledge(fields["sequence"])
    elif status in (DROP_STACK, DROP_ONE):
        player.drop_held(status == DROP_STACK)
    elif status == RELEASE:
        player.using.stop()
    elif status == SWAP and player.game_mode != "spectator":
        slots, hand = player.inventory.slots, player.inventory.hand
        slots[hand], slots[OFFHAND] = slots[OFFHAND], slots[hand]
        player.using.stop()


def _dig_block(player: Player, status: int, at: BlockPos) -> None:
    if player.dead or player.movement.awaits_confirmation:
        player.show_cell(at)
        return
    if not player.can_touch(at) or at[1] >= MAX_Y:
        if status != CANCEL:
            player.note("dig_reach", at=at, distance=round(reach.distance_to_cell(player.eye, at), 3))
            player.show_cell(at)
        return
    if status == START:
        player.digging.start(at)
    elif status == FINISH:
        player.digging.finish(at)
    else:
        player.digging.cancel(at)


HANDLERS = {"block_dig": _dig}
