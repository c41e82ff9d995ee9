"""Using what is in hand on a block: first the block's own use, then placing. Every way out is acknowledged.

The order is vanilla 1.21.1's: reach, the point that was hit, build height, the block's own use unless the
player sneaks with something in hand, then the item. The client has guessed already what will come of it; so
the cells are told in any case, and the slot too when nothing was placed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numen.rules import placement, reach
from numen.rules.directions import FACES, neighbour
from numen.rules.items import ItemStack
from numen.sandbox import blocks, space
from numen.sandbox.columns import MAX_Y, MIN_Y
from numen.sandbox.entities.living import Living
from numen.sandbox.text import translated
from protocol.game import GAME

if TYPE_CHECKING:
    from numen.sandbox.player import Player

BlockPos = tuple[int, int, int]
Point = tuple[float, float, float]

#: How far from the middle of a block a point on it can be, on each axis.
FARTHEST_POINT = 1.0000001


def _place(player: Player, fields: dict[str, Any]) -> None:
    at: BlockPos = fields["location"]
    face, hand = fields["direction"], fields["hand"]
    player.acknowledge(fields["sequence"])
    if face not in range(6) or hand not in (0, 1):
        return
    used = _use_on(player, at, face, (fields["cursorX"], fields["cursorY"], fields["cursorZ"]), hand)
    player.show_cell(at)
    player.show_cell(neighbour(at, FACES[face]))
    if not used:
        player.show_hand(hand)


def _use_on(player: Player, at: BlockPos, face: int, point: Point, hand: int) -> bool:
    """Whether the click did something."""
    if player.dead or player.movement.awaits_confirmation:
        return False
    if not player.can_touch(at):
        player.note("place_reach", at=at, distance=round(reach.distance_to_cell(player.eye, at), 3))
        return False
    if any(not abs(each - 0.5) < FARTHEST_POINT for each in point):
        player.note("place_refused", reason="the point is not on the block", point=point)
        return False
    if not MIN_Y <= at[1] < MAX_Y:
        player.tell(translated("build.tooHigh", MAX_Y - 1), colour="red")
        return False
    state = player.world.block(*at)
    stack = player.inventory.in_hand(hand)
    empty = all(player.inventory.in_hand(each) is None for each in (0, 1))
    if (empty or not player.sneaking) and hand == 0 and blocks.use(player, at, state):
        return True
    if stack is None or player.game_mode in ("adventure", "spectator"):
        return False
    return _put(player, at, face, point, hand, stack)


def _put(player: Player, at: BlockPos, face: int, point: Point, hand: int, stack: ItemStack) -> bool:
    """Place a block. False when it can't be placed there."""
    if stack.item is None or GAME.block_for_item(stack.item) is None or stack.name.endswith("_bucket"):
        return False
    world = player.world
    placed = placement.place(
        stack.item, at, face, point, player.yaw, player.pitch, world, sneaking=player.sneaking
    )
    if placed is None:
        player.note("place_refused", item=stack.name, at=at, reason="no room or no hold for it there")
        return False
    cells = [(placed.pos, placed.state), *placed.others]
    if not all(MIN_Y <= cell[1] < MAX_Y for cell, _ in cells):
        player.tell(translated("build.tooHigh", MAX_Y - 1), colour="red")
        return False
    if any(_somebody_in(player, cell, state) for cell, state in cells):
        player.note("place_refused", item=stack.name, at=placed.pos, reason="somebody is in the way")
        return False
    world.place(player, cells)
    if not player.creative:
        player.inventory.use_up(hand)
    return True


def _somebody_in(player: Player, cell: BlockPos, state: int) -> bool:
    """Whether a body stands where the block's boxes would be."""
    x, y, z = cell
    boxes = [
        (x + box[0], y + box[1], z + box[2], x + box[3], y + box[4], z + box[5]) for box in GAME.shape(state)
    ]
    return any(
        space.overlap(box, entity.box)
        for entity in player.world.near(x + 0.5, y + 0.5, z + 0.5, 4.0)
        if isinstance(entity, Living) and not entity.dead
        for box in boxes
    )


HANDLERS = {"block_place": _place}
