"""Doors, trapdoors and fence gates: they open by hand unless they are of iron."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numen.sandbox.blocks.breaking import vanish
from numen.sandbox.blocks.hooks import Behaviour, behave
from protocol.game import GAME, Block

if TYPE_CHECKING:
    from numen.sandbox.player import Player
    from numen.sandbox.world import World

BlockPos = tuple[int, int, int]

#: Hinges that only redstone moves.
_HARD = frozenset({"minecraft:iron_door", "minecraft:iron_trapdoor"})


class Hinged(Behaviour):
    """Opens and closes by hand."""

    def use(self, player: Player, at: BlockPos, state: int) -> bool:
        if GAME.block_of(state).name in _HARD:
            return False
        self.swing(player.world, at, state)
        return True

    def swing(self, world: World, at: BlockPos, state: int) -> None:
        is_open = GAME.properties(state)["open"] == "true"
        world.set_block(*at, GAME.with_properties(state, open=not is_open))


class Door(Hinged):
    """Two halves that move and go together."""

    def swing(self, world: World, at: BlockPos, state: int) -> None:
        super().swing(world, at, state)
        other = self._other_half(at, state)
        beyond = world.block(*other)
        if GAME.block_of(beyond).id == GAME.block_of(state).id:
            is_open = GAME.properties(state)["open"] == "true"
            world.set_block(*other, GAME.with_properties(beyond, open=not is_open))

    def placed(self, player: Player, at: BlockPos, state: int) -> None:
        x, y, z = at
        player.world.set_block(x, y + 1, z, GAME.with_properties(state, half="upper"))

    def neighbour_changed(self, world: World, at: BlockPos, state: int) -> None:
        other = self._other_half(at, state)
        lower = GAME.properties(state)["half"] == "lower"
        alone = GAME.block_of(world.block(*other)).id != GAME.block_of(state).id
        # a lower half that has just been put down is whole once its upper one follows in the same moment
        if alone and not (lower and world.is_being_placed(at)):
            vanish(world, at)

    def _other_half(self, at: BlockPos, state: int) -> BlockPos:
        x, y, z = at
        return (x, y + 1, z) if GAME.properties(state)["half"] == "lower" else (x, y - 1, z)


def register() -> None:
    """Put them into the table."""

    def ends(*endings: str) -> list[Block]:
        return [block for block in GAME.blocks if block.name.endswith(endings)]

    behave([block.name for block in ends("_trapdoor", "_fence_gate")], Hinged())
    behave([block.name for block in ends("_door")], Door())
