"""Blocks that open a menu: crafting table, chest, barrel, furnaces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numen.sandbox import menus
from numen.sandbox.blocks.entity import BlockEntity, Chest
from numen.sandbox.blocks.furnace import BlastFurnace, Furnace, Smoker
from numen.sandbox.blocks.hooks import Behaviour, behave
from numen.sandbox.text import translated
from protocol.game import GAME

if TYPE_CHECKING:
    from numen.sandbox.player import Player
    from numen.sandbox.world import World

BlockPos = tuple[int, int, int]


def entity_at(world: World, at: BlockPos, kind: type[BlockEntity]) -> BlockEntity:
    """What a cell holds; made at the first look."""
    entity = world.block_entities.get(at)
    if entity is None:
        entity = kind(world, at)
        world.put_block_entity(entity)
    return entity


class CraftingTable(Behaviour):
    def use(self, player: Player, at: BlockPos, state: int) -> bool:
        player.open_menu(menus.CraftingMenu(player, at))
        return True


class Container(Behaviour):
    """A chest or barrel. A chest under a whole block stays shut."""

    def __init__(self, title: str, needs_room: bool) -> None:
        self._title = translated(title)
        self._needs_room = needs_room

    def use(self, player: Player, at: BlockPos, state: int) -> bool:
        x, y, z = at
        world = player.world
        if self._needs_room and _full(world.block(x, y + 1, z)):
            return True
        chest = entity_at(world, at, Chest)
        player.open_menu(menus.ChestMenu(player, chest, self._title))
        return True

    def placed(self, player: Player, at: BlockPos, state: int) -> None:
        entity_at(player.world, at, Chest)


class Oven(Behaviour):
    """A furnace, blast furnace or smoker."""

    def __init__(self, kind: type[Furnace], menu: str, title: str) -> None:
        self._kind = kind
        self._menu = menu
        self._title = translated(title)

    def use(self, player: Player, at: BlockPos, state: int) -> bool:
        furnace = entity_at(player.world, at, self._kind)
        assert isinstance(furnace, Furnace)
        player.open_menu(menus.FurnaceMenu(player, furnace, self._menu, self._title))
        return True

    def placed(self, player: Player, at: BlockPos, state: int) -> None:
        entity_at(player.world, at, self._kind)


def _full(state: int) -> bool:
    return GAME.shape(state) == ((0.0, 0.0, 0.0, 1.0, 1.0, 1.0),) and not GAME.block_of(state).transparent


def register() -> None:
    """Put them into the table."""
    behave(["crafting_table"], CraftingTable())
    behave(["chest"], Container("container.chest", True))
    behave(["barrel"], Container("container.barrel", False))
    behave(["furnace"], Oven(Furnace, "furnace", "container.furnace"))
    behave(["blast_furnace"], Oven(BlastFurnace, "blast_furnace", "container.blast_furnace"))
    behave(["smoker"], Oven(Smoker, "smoker", "container.smoker"))
