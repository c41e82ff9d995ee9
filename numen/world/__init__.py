"""What the server told us: chunks, entities, players, inventory, time, chat."""

from numen.world.chat import ChatLine, ChatLog
from numen.world.chunks import UNLOADED, BlockEntity, Chunks, Light
from numen.world.entities import Entities, Entity
from numen.world.environment import Dimension
from numen.world.events import KINDS, Events, UnknownEvent
from numen.world.inventory import Inventory
from numen.world.menus import Menu, Menus, Trade
from numen.world.myself import Effect, Myself
from numen.world.players import PlayerInfo, Players
from numen.world.store import Worlds
from numen.world.world import World

__all__ = [
    "KINDS",
    "UNLOADED",
    "BlockEntity",
    "ChatLine",
    "ChatLog",
    "Chunks",
    "Dimension",
    "Effect",
    "Entities",
    "Entity",
    "Events",
    "Inventory",
    "Light",
    "Menu",
    "Menus",
    "Myself",
    "PlayerInfo",
    "Players",
    "Trade",
    "UnknownEvent",
    "World",
    "Worlds",
]
