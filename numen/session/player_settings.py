"""What each player has set for himself: who hears of his requests, and whether he is told of tools at work.

One file, as MineClawd has it: `{"requestBroadcastTargets": {uuid: "all" | "ops"}, "assistiveTouchEnabled":
{uuid: false}}`. What is as it comes is not written down.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal

from numen.session.files import read_json, write_json

Broadcast = Literal["self", "all", "ops"]

BROADCASTS: Final[Mapping[str, Broadcast]] = {
    **dict.fromkeys(("self", "me", "only-me", "private"), "self"),
    **dict.fromkeys(("all", "everyone", "public"), "all"),
    **dict.fromkeys(("ops", "op", "operators"), "ops"),
}
"""Every word for who hears of a request."""

_TARGETS: Final = "requestBroadcastTargets"
_TOUCH: Final = "assistiveTouchEnabled"


class PlayerSettings:
    """The settings of all players, under the key that a person has everywhere (a UUID where it is known)."""

    def __init__(self, data: Path) -> None:
        """`data` is the data folder; the file need not exist."""
        self._file = data / "player-settings.json"

    def broadcast(self, key: str) -> Broadcast:
        """Who is told what that player asks for; himself alone, unless he has set it otherwise."""
        value = self._entries(_TARGETS).get(key)
        return BROADCASTS.get(str(value).casefold(), "self")

    def set_broadcast(self, key: str, target: Broadcast) -> None:
        """Raises OSError when it can't be kept."""
        self._put(_TARGETS, key, target, usual="self")

    def assistive_touch(self, key: str) -> bool:
        """Whether that player is told of tools at work; yes, unless he has turned it off."""
        return self._entries(_TOUCH).get(key) is not False

    def set_assistive_touch(self, key: str, on: bool) -> None:
        """Raises OSError when it can't be kept."""
        self._put(_TOUCH, key, on, usual=True)

    def _entries(self, section: str) -> dict[str, Any]:
        # Read anew each time: companions of other processes may have the same folder.
        entries = read_json(self._file, {}).get(section)
        return entries if isinstance(entries, dict) else {}

    def _put(self, section: str, key: str, value: object, *, usual: object) -> None:
        entries = {each: kept for each, kept in self._entries(section).items() if each != key}
        if value != usual:
            entries[key] = value
        write_json(self._file, {**read_json(self._file, {}), section: entries})
