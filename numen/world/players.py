"""The tab list: who is on the server, by uuid and by name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from protocol.text import plain_text

if TYPE_CHECKING:
    from numen.world.events import Events
    from protocol.link import Link

#: Game modes by number (protocol 767); other numbers can't come from a vanilla server.
GAME_MODES: Final = ("survival", "creative", "adventure", "spectator")


def game_mode(value: Any) -> str:
    """The name of a game mode that came as number or name; "survival" when it is neither."""
    if isinstance(value, str):
        return value
    number = int(value)
    return GAME_MODES[number] if 0 <= number < len(GAME_MODES) else GAME_MODES[0]


class PlayerInfo:
    """One line of the tab list. `latency` in milliseconds; `display_name` only where the server set one."""

    __slots__ = ("display_name", "game_mode", "latency", "listed", "name", "uuid")

    def __init__(self, uuid: UUID, name: str) -> None:
        self.uuid = uuid
        self.name = name
        self.latency = 0
        self.game_mode = GAME_MODES[0]
        self.listed = True
        self.display_name: str | None = None

    def __repr__(self) -> str:
        return f"PlayerInfo({self.name!r}, {self.uuid})"


class Players:
    """The players the server lists, hidden ones included. Iterating gives PlayerInfo."""

    def __init__(self, events: Events) -> None:
        self._events = events
        self._by_uuid: dict[UUID, PlayerInfo] = {}

    def attach(self, link: Link) -> None:
        link.subscribe("player_info", self._on_info)
        link.subscribe("player_remove", self._on_remove)

    def clear(self) -> None:
        self._by_uuid.clear()

    def __iter__(self) -> Iterator[PlayerInfo]:
        return iter(list(self._by_uuid.values()))

    def __len__(self) -> int:
        return len(self._by_uuid)

    def __contains__(self, uuid: object) -> bool:
        return uuid in self._by_uuid

    def __getitem__(self, uuid: UUID) -> PlayerInfo:
        return self._by_uuid[uuid]

    def get(self, uuid: UUID) -> PlayerInfo | None:
        return self._by_uuid.get(uuid)

    def by_name(self, name: str) -> PlayerInfo | None:
        """The player of that account name; capitals don't matter, as in the game's commands."""
        wanted = name.casefold()
        for player in self._by_uuid.values():
            if player.name.casefold() == wanted:
                return player
        return None

    def _on_info(self, fields: dict[str, Any]) -> None:
        actions = fields["action"]
        joined: list[PlayerInfo] = []
        for entry in fields["data"]:
            uuid = entry["uuid"]
            player = self._by_uuid.get(uuid)
            if "add_player" in actions:
                name = entry["player"]["name"]
                if player is None:
                    player = self._by_uuid[uuid] = PlayerInfo(uuid, name)
                    joined.append(player)
                player.name = name
            if player is None:
                continue  # an update about somebody who was never added
            if "update_game_mode" in actions:
                player.game_mode = game_mode(entry["gamemode"])
            if "update_listed" in actions:
                player.listed = bool(entry["listed"])
            if "update_latency" in actions:
                player.latency = entry["latency"]
            if "update_display_name" in actions:
                shown = entry.get("displayName")
                player.display_name = None if shown is None else plain_text(shown)
        for player in joined:
            self._events.emit("player_joined", player)

    def _on_remove(self, fields: dict[str, Any]) -> None:
        gone = [self._by_uuid.pop(uuid) for uuid in fields["players"] if uuid in self._by_uuid]
        for player in gone:
            self._events.emit("player_left", player)
