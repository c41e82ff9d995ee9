"""What can be chosen when a practice server starts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal
from uuid import UUID

from protocol.endpoint import offline_uuid

GameMode = Literal["survival", "creative", "adventure", "spectator"]
GAME_MODES: tuple[GameMode, ...] = ("survival", "creative", "adventure", "spectator")

Difficulty = Literal["peaceful", "easy", "normal", "hard"]
DIFFICULTIES: tuple[Difficulty, ...] = ("peaceful", "easy", "normal", "hard")


@dataclass(frozen=True)
class SandboxOptions:
    """The defaults are a mild survival day for one companion and its owner."""

    #: "hills" or "flat", see `numen.sandbox.worldgen`.
    world: str = "hills"
    #: Columns sent around a player, 2 to 16; a client that asks for fewer gets fewer.
    view_distance: int = 6
    #: Packets of at least this many bytes are compressed; below 0 none is, and the client is not told of any.
    compression_threshold: int = 256
    game_mode: GameMode = "survival"
    difficulty: Difficulty = "normal"
    #: Time of day at the start in ticks: 0 sunrise, 1000 morning, 6000 noon, 13000 night falls.
    day_time: int = 1000
    #: Whether the sun moves.
    daylight_cycle: bool = True
    #: Whether pigs live on the grass and zombies come at night. `/summon` works either way.
    mobs: bool = True
    #: Names that may use commands; None lets everybody.
    operators: frozenset[str] | None = None
    #: UUIDs of those whose name is that of an account; who renames comes by another name with the same one.
    accounts: Mapping[str, UUID] = field(default_factory=dict)
    #: Whether the server's own clock ticks it; without, `Sandbox.tick()` is called by hand.
    auto_tick: bool = True
    max_players: int = 20
    motd: str = "A practice yard for companions"

    def uuid_of(self, name: str) -> UUID:
        """The account's, or what an offline server makes of a name."""
        return self.accounts.get(name) or offline_uuid(name)

    def is_operator(self, name: str) -> bool:
        return self.operators is None or name in self.operators
