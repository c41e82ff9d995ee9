"""The world as one client has been told it."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from numen.world.chat import ChatLog
from numen.world.chunks import BlockEntity, Chunks, Light
from numen.world.entities import Entities
from numen.world.environment import Dimension, Environment, Time, Weather
from numen.world.events import Events
from numen.world.inventory import Inventory
from numen.world.menus import Menu, Menus
from numen.world.myself import Myself
from numen.world.names import block_name
from numen.world.players import Players
from numen.world.search import Found, Wanted, search_blocks
from numen.world.store import Worlds
from protocol.game import GAME
from protocol.registries import Registries

if TYPE_CHECKING:
    from numen.rules.items import ItemStack
    from protocol.link import Disconnect, Link


class World:
    """Everything the server told, by part: `me`, `chunks`, `entities`, `players`, `menus`, `environment`,
    `chat`.

        world = World()
        world.attach(link)                              # before play begins, so that nothing is missed
        world.events.on("chat", lambda line: ...)
        world.block(0, 63, 0)                           # a state id, UNLOADED where no chunk is

    Bodies of one process that pass the same `shared` and name the same `server` keep each chunk once.
    `tick()` is called twenty times a second by whoever owns the clock.
    """

    def __init__(self, *, server: str = "", shared: Worlds | None = None) -> None:
        self.events = Events()
        self.ticks = 0
        self.registries = Registries()
        self.me = Myself(self.events)
        self.players = Players(self.events)
        self.entities = Entities(self.events, self.me, self.players, self._now)
        self.environment = Environment(self.events)
        self.menus = Menus(self.events, self.me)
        self.chat = ChatLog(self.events, self.me, self.players, self._now)
        self.chunks = Chunks(self.events, shared if shared is not None else Worlds(), server)
        self.link: Link | None = None
        #: ``world.block(x, y, z) -> int``: the state id of a cell, UNLOADED without its chunk, 0 (air) above
        #: and below the build height. The same function for as long as the world lives.
        self.block = self.chunks.block

    def attach(self, link: Link, *, server: str | None = None) -> None:
        """Follow `link` from now on; what an earlier link told is forgotten when this one logs in. `server`
        names another server than the one before."""
        self.link = link
        if server is not None:
            self.chunks.server = server
        self.registries = link.registries
        link.subscribe("login", self._on_login)
        link.subscribe("respawn", self._on_respawn)
        for part in (
            *(self.me, self.players, self.chunks, self.entities),
            *(self.environment, self.menus, self.chat),
        ):
            part.attach(link)
        link.subscribe("acknowledge_player_digging", self._on_ack)
        link.subscribe("open_sign_entity", self._on_sign_editor)
        link.on_closed(lambda why: self._on_closed(link, why))

    def tick(self) -> None:
        """One game tick: the clock of the world goes on, effects and cooldowns run down."""
        self.ticks += 1
        self.environment.tick()
        self.me.tick()

    def _now(self) -> int:
        return self.ticks

    # --- short ways ------------------------------------------------------------------------------------

    @property
    def dimension(self) -> Dimension:
        return self.environment.dimension

    @property
    def time(self) -> Time:
        return self.environment.time

    @property
    def weather(self) -> Weather:
        return self.environment.weather

    @property
    def inventory(self) -> Inventory:
        """The player's own 46 slots."""
        return self.menus.inventory

    @property
    def menu(self) -> Menu | None:
        """The open container, or None."""
        return self.menus.open

    @property
    def cursor(self) -> ItemStack | None:
        """The stack on the mouse cursor."""
        return self.menus.cursor

    def find_blocks(
        self, states: Wanted, center: tuple[float, float, float], radius: float, limit: int = 64
    ) -> list[Found]:
        """Up to `limit` cells whose state is wanted, nearest first, as (x, y, z, state).

        `states` is a set of state ids or a function from state id to bool. Distances are from `center` to the
        middle of a cell, in blocks. Only chunks that the server has sent are searched. All at once: a large
        radius takes long, see `search_blocks`.
        """
        search = self.search_blocks(states, center, radius, limit)
        while True:
            try:
                next(search)
            except StopIteration as end:
                found: list[Found] = end.value
                return found

    def search_blocks(
        self, states: Wanted, center: tuple[float, float, float], radius: float, limit: int = 64
    ) -> Generator[None, None, list[Found]]:
        """As `find_blocks`, in slices: the generator yields after every millisecond or so and returns the
        list.

        found = await body.think(world.search_blocks(ores, body.position, 64))
        """
        return search_blocks(self.chunks, states, center, radius, limit)

    def biome_at(self, x: int, y: int, z: int) -> str | None:
        """The biome's name, None where no chunk is."""
        number = self.chunks.biome(x, y, z)
        return None if number is None else self.registries.name_of("minecraft:worldgen/biome", number)

    def light_at(self, x: int, y: int, z: int) -> Light | None:
        """Block light and sky light of a cell, 0-15 each; None where the server told none."""
        return self.chunks.light(x, y, z)

    def block_entity(self, x: int, y: int, z: int) -> BlockEntity | None:
        """What the server told about the chest, sign, … in a cell, or None."""
        return self.chunks.block_entity(x, y, z)

    def block_name(self, x: int, y: int, z: int) -> str | None:
        """What stands in a cell: ``minecraft:stone``, or ``unknown:26690`` for a state of a mod that nothing
        tells more about. None where no chunk is."""
        state = self.block(x, y, z)
        if state < 0:
            return None
        found = self.block_entity(x, y, z) if state >= GAME.state_count else None
        return block_name(self.registries, state, None if found is None else found[0])

    # --- packets that concern more than one part -------------------------------------------------------

    def _on_login(self, fields: dict[str, Any]) -> None:
        dimension = self._dimension(fields["worldState"])
        self.chunks.enter(dimension, view_distance=fields["viewDistance"])
        self.entities.clear()
        self.menus.clear()
        self.players.clear()
        self.environment.clear()
        self.environment.enter(dimension)
        self.environment.view_distance = fields["viewDistance"]
        self.environment.simulation_distance = fields["simulationDistance"]
        self.me.logged_in(fields)
        self.events.emit("spawned")

    def _on_respawn(self, fields: dict[str, Any]) -> None:
        old, new = self.dimension, self._dimension(fields["worldState"])
        # A respawn in the same dimension leaves chunks and entities alone (vanilla 1.21.1): what is out of
        # sight by then is taken away by the usual packets.
        if new != old:
            self.chunks.enter(new)
            self.entities.clear()
            self.environment.enter(new)
        self.menus.close()
        self.me.respawned(fields)
        self.events.emit("respawned")
        if new.name != old.name:
            self.events.emit("dimension_changed", old.name, new.name)

    def _dimension(self, state: dict[str, Any]) -> Dimension:
        return Dimension(state["name"], self.registries.dimension_type(state["dimension"]))

    def _on_ack(self, fields: dict[str, Any]) -> None:
        self.events.emit("block_ack", fields["sequenceId"])

    def _on_sign_editor(self, fields: dict[str, Any]) -> None:
        self.events.emit("sign_editor", *fields["location"], bool(fields["isFrontText"]))

    def _on_closed(self, link: Link, why: Disconnect) -> None:
        if link is not self.link:
            return
        self.link = None
        self.chunks.leave()
        self.entities.clear()
        self.menus.close()
        self.events.emit("disconnected", why.reason)
