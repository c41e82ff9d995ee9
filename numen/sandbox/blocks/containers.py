"""Blocks that open a menu: crafting table, chest, barrel, furnaces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numen.rules.blocks import is_full_cube
from numen.rules.directions import CLOCKWISE, COUNTERCLOCKWISE, neighbour
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
        world = player.world
        cells = self.cells(at, state)
        if self._needs_room and any(_full(world.block(x, y + 1, z)) for x, y, z in cells):
            return True
        chests = [entity_at(world, cell, Chest) for cell in cells]
        title = self._title if len(chests) == 1 else translated("container.chestDouble")
        player.open_menu(menus.ChestMenu(player, chests, title))
        return True

    def cells(self, at: BlockPos, state: int) -> list[BlockPos]:
        """The cells whose slots belong together, in the order in which they are shown: the right half
        first.
        """
        half = GAME.properties(state).get("type", "single")
        if half == "single":
            return [at]
        other = beside(at, state)
        return [at, other] if half == "right" else [other, at]

    def neighbour_changed(self, world: World, at: BlockPos, state: int) -> None:
        """Half a double chest is a chest."""
        if GAME.properties(state).get("type", "single") == "single" or world.is_being_placed(at):
            return
        if GAME.block_of(world.block(*beside(at, state))).id != GAME.block_of(state).id:
            world.set_block(*at, GAME.with_properties(state, type="single"))

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


def beside(at: BlockPos, state: int) -> BlockPos:
    """The cell of a double chest's other half."""
    properties = GAME.properties(state)
    turn = CLOCKWISE if properties["type"] == "left" else COUNTERCLOCKWISE
    return neighbour(at, turn[properties["facing"]])


def _full(state: int) -> bool:
    return is_full_cube(state) and not GAME.block_of(state).transparent


def register() -> None:
    """Put them into the table."""
    behave(["crafting_table"], CraftingTable())
    behave(["chest"], Container("container.chest", True))
    behave(["barrel"], Container("container.barrel", False))
    behave(["furnace"], Oven(Furnace, "furnace", "container.furnace"))
    behave(["blast_furnace"], Oven(BlastFurnace, "blast_furnace", "container.blast_furnace"))
    behave(["smoker"], Oven(Smoker, "smoker", "container.smoker"))
