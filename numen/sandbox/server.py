"""The practice server: who may come in, how they begin, and the clock.

sandbox = await start_sandbox(seed=1)
...connect to 127.0.0.1, sandbox.port...
await sandbox.stop()
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any
from uuid import UUID

from numen.rules.physics.matter import matter
from numen.sandbox import chunk_packets, warmup
from numen.sandbox import tick as tick_order
from numen.sandbox.commands import command_tree
from numen.sandbox.entities.tracker import Tracker
from numen.sandbox.judge import Judge
from numen.sandbox.options import DIFFICULTIES, GAME_MODES, Difficulty, SandboxOptions
from numen.sandbox.player import Player
from numen.sandbox.text import plain, translated
from numen.sandbox.world import World
from numen.sandbox.worldgen import generator_for
from protocol.registries import CHAT_TYPE, DAMAGE_TYPE, DIMENSION_TYPE, Registries
from protocol.server import Server, ServerConnection, ServerOptions, serve
from protocol.status import ServerStatus

log = logging.getLogger(__name__)

TICK_S = 0.05
#: A clock that is this many ticks late starts anew instead of running after itself.
LATE_TICKS = 10
#: Columns sent and made between two ticks stop this long before the next one is due.
MARGIN_S = 0.012
DIMENSION = "minecraft:overworld"


class Sandbox:
    """A running practice server. Without `start` it has no port and lives on `join` and `tick`."""

    def __init__(self, seed: int = 0, options: SandboxOptions | None = None) -> None:
        self.options = options or SandboxOptions()
        registries = Registries()
        self._dimension = registries.id_of(DIMENSION_TYPE, DIMENSION) or 0
        self._registries = registries
        self.world = World(
            generator_for(self.options.world, seed),
            seed,
            day_time=self.options.day_time,
            difficulty=self.options.difficulty,
        )
        self.world.tracker = Tracker(self.world)
        self.world.damage_type = lambda kind: registries.id_of(DAMAGE_TYPE, kind) or 0
        self.judge = Judge()
        #: Called with (player, line) for every line of chat.
        self.on_chat: list[Callable[[Player, str], None]] = []
        self._ahead = self._preparations()
        self._server: Server | None = None
        self._clock: asyncio.Task[None] | None = None
        # The table of what cells mean to bodies takes a moment: not in somebody's first step.
        matter()

    # --- life -------------------------------------------------------------------------------------------

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> None:
        """Listen, and begin to tick unless the options say otherwise. Raises OSError when the port is
        taken.
        """
        self._server = await serve(
            host, port, on_play=self.join, status=self.status, options=self.connection_options()
        )
        if self.options.auto_tick:
            self._clock = asyncio.get_running_loop().create_task(self._run(), name="sandbox clock")

    async def stop(self) -> None:
        """Send everybody away and let go of the port."""
        if self._clock is not None:
            self._clock.cancel()
            await asyncio.gather(self._clock, return_exceptions=True)
            self._clock = None
        if self._server is not None:
            await self._server.close(translated("multiplayer.disconnect.server_shutdown"))
            self._server = None

    @property
    def port(self) -> int:
        """The port it listens on. Raises RuntimeError before `start`."""
        if self._server is None:
            raise RuntimeError("the practice server is not listening")
        return self._server.port

    @property
    def players(self) -> list[Player]:
        return self.world.players

    def player(self, name: str) -> Player:
        """The player with this name. Raises KeyError when nobody here has it."""
        for player in self.players:
            if player.name == name:
                return player
        raise KeyError(name)

    def tick(self, count: int = 1) -> None:
        """Let `count` ticks pass at once, columns included."""
        for _ in range(count):
            tick_order.run(self)
            while self._work():
                pass

    def _around_spawn(self) -> list[tuple[int, int]]:
        """The columns in sight of the spawn, farthest first."""
        x, z, reach = self.world.spawn[0] >> 4, self.world.spawn[2] >> 4, self.options.view_distance
        sides = range(-reach, reach + 1)
        return sorted(
            ((x + dx, z + dz) for dx in sides for dz in sides),
            key=lambda at: -((at[0] - x) ** 2 + (at[1] - z) ** 2),
        )

    def _work(self) -> bool:
        """A small piece of work on columns for each player who waits for some. False when nobody does."""
        worked = False
        for player in self.players:
            worked |= player.view.work()
        return worked

    def _work_ahead(self) -> bool:
        """A small piece of what can be done before anybody needs it. False when all is done."""
        return next(self._ahead, False)

    def _preparations(self) -> Iterator[bool]:
        """What is slow the first time, and the columns around the spawn. Yields True after each piece."""
        for _ in warmup.steps(self.world):
            yield True
        for column in reversed(self._around_spawn()):
            while not chunk_packets.prepare(self.world, *column):
                yield True
            yield True

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        due = loop.time()
        while True:
            try:
                tick_order.run(self)
            except Exception:
                log.exception("a tick failed")
            due += TICK_S
            if loop.time() - due > LATE_TICKS * TICK_S:
                due = loop.time()
            # What is left of the tick goes into columns, one at a time, so that nobody else on the loop
            # waits long.
            while loop.time() < due - MARGIN_S and (self._work() or self._work_ahead()):
                await asyncio.sleep(0)
            await asyncio.sleep(max(0.0, due - loop.time()))

    # --- coming and going -------------------------------------------------------------------------------

    def connection_options(self) -> ServerOptions:
        """How connections are to be handled before play."""
        return ServerOptions(
            threshold=self.options.compression_threshold,
            brand="numen-sandbox",
            refuse=self._refuse,
            identify=self.options.uuid_of,
        )

    def status(self) -> ServerStatus:
        """What the multiplayer screen shows."""
        return ServerStatus(
            players=len(self.players),
            max_players=self.options.max_players,
            sample=tuple(player.name for player in self.players[:12]),
            description=self.options.motd,
        )

    def _refuse(self, name: str, uuid: UUID) -> Any:
        if len(self.players) >= self.options.max_players:
            return translated("multiplayer.disconnect.server_full")
        for player in self.players:
            if player.uuid == uuid:
                player.kick(translated("multiplayer.disconnect.duplicate_login"))
        return None

    def join(self, connection: ServerConnection) -> None:
        """Let a connection that came to play into the world. This is `serve`'s `on_play`."""
        player = Player(self, connection)
        connection.on_closed(lambda why: self._left(player))
        self._introduce(player)
        self.world.players.append(player)
        self.world.add(player)
        everybody = [self._listing(each) for each in self.players]
        player.send("player_info", action=_ADD, data=everybody)
        for other in self.players:
            if other is not player:
                other.send("player_info", action=_ADD, data=[self._listing(player)])
        player.appear()
        self.world.announce(
            "system_chat",
            content=translated("multiplayer.player.joined", plain(player.name)) | {"color": "yellow"},
            isActionBar=False,
        )

    def _left(self, player: Player) -> None:
        if player not in self.players:
            return
        self.players.remove(player)
        player.close_menu(told=False)
        player.remove()
        self.world.tracker.forget_viewer(player)
        self.world.announce("player_remove", players=[player.uuid])
        self.world.announce(
            "system_chat",
            content=translated("multiplayer.player.left", plain(player.name)) | {"color": "yellow"},
            isActionBar=False,
        )

    def _introduce(self, player: Player) -> None:
        """What a client is told of the world before it stands in it, in the game's order."""
        options, world = self.options, self.world
        player.send(
            "login",
            entityId=player.id,
            isHardcore=False,
            worldNames=[DIMENSION],
            maxPlayers=options.max_players,
            viewDistance=options.view_distance,
            simulationDistance=options.view_distance,
            reducedDebugInfo=False,
            enableRespawnScreen=True,
            doLimitedCrafting=False,
            worldState=self._spawn_info(player),
            enforcesSecureChat=False,
        )
        player.send("difficulty", difficulty=DIFFICULTIES.index(world.difficulty), difficultyLocked=False)
        player.send_abilities()
        player.send("held_item_slot", slot=player.inventory.held_slot)
        player.send("entity_status", entityId=player.id, entityStatus=28 if player.operator else 24)
        player.send("declare_commands", **command_tree(operator=player.operator))
        player.send("server_data", motd=plain(options.motd), iconBytes=None)
        player.send(
            "initialize_world_border",
            x=0.0,
            z=0.0,
            oldDiameter=5.9999968e7,
            newDiameter=5.9999968e7,
            speed=0,
            portalTeleportBoundary=29999984,
            warningBlocks=5,
            warningTime=15,
        )
        player.send("update_time", age=world.age, time=self._told_time())
        player.send("spawn_position", location=world.spawn, angle=0.0)

    def _spawn_info(self, player: Player) -> dict[str, Any]:
        return {
            "dimension": self._dimension,
            "name": DIMENSION,
            "hashedSeed": self.world.seed * 0x9E3779B97F4A7C15 % 2**63,
            "gamemode": player.game_mode,
            "previousGamemode": -1,
            "isDebug": False,
            "isFlat": self.world.generator.flat,
            "death": None
            if player.died_at is None
            else {"dimensionName": DIMENSION, "location": player.died_at},
            "portalCooldown": 0,
        }

    def respawn(self, player: Player) -> None:
        """Bring a dead player back at the world's spawn, with nothing."""
        player.revive()
        player.send("respawn", worldState=self._spawn_info(player), copyMetadata=0)
        self.world.tracker.forget_viewer(player)
        self.world.tracker.forget(player)
        player.view.clear()
        player.send("spawn_position", location=self.world.spawn, angle=0.0)
        player.send_abilities()
        self.world.add(player)
        player.appear()

    # --- telling ----------------------------------------------------------------------------------------

    def chat_type(self, kind: str) -> int:
        """The number of a kind of chat ("chat", "msg_command_incoming") in the registry."""
        return self._registries.id_of(CHAT_TYPE, kind) or 0

    def _listing(self, player: Player) -> dict[str, Any]:
        return {
            "uuid": player.uuid,
            "player": {"name": player.name, "properties": []},
            "gamemode": GAME_MODES.index(player.game_mode),
            "listed": 1,
            "latency": player.latency,
        }

    def announce_game_mode(self, player: Player) -> None:
        """Tell everybody's tab list about a player's game mode."""
        entry = {"uuid": player.uuid, "gamemode": GAME_MODES.index(player.game_mode)}
        self.world.announce("player_info", action=("update_game_mode",), data=[entry])

    def announce_latencies(self) -> None:
        """Refresh the tab list's bars."""
        if self.players:
            data = [{"uuid": player.uuid, "latency": player.latency} for player in self.players]
            self.world.announce("player_info", action=("update_latency",), data=data)

    def announce_time(self) -> None:
        self.world.announce("update_time", age=self.world.age, time=self._told_time())

    def _told_time(self) -> int:
        """A negative time of day tells clients that the sun stands still."""
        time = self.world.day_time
        return time if self.options.daylight_cycle else -(time or 24000)

    def set_difficulty(self, difficulty: Difficulty) -> None:
        self.world.difficulty = difficulty
        self.world.announce("difficulty", difficulty=DIFFICULTIES.index(difficulty), difficultyLocked=False)

    def heard(self, player: Player, line: str) -> None:
        """Somebody said something."""
        for listener in list(self.on_chat):
            listener(player, line)


_ADD = ("add_player", "update_game_mode", "update_listed", "update_latency")


async def start_sandbox(
    host: str = "127.0.0.1",
    port: int = 0,
    *,
    seed: int = 0,
    options: SandboxOptions | None = None,
    **changes: Any,
) -> Sandbox:
    """Start a practice server; port 0 takes a free one. `changes` are fields of `SandboxOptions`.

    Raises OSError when the port can't be had.
    """
    sandbox = Sandbox(seed, replace(options or SandboxOptions(), **changes))
    await sandbox.start(host, port)
    return sandbox
