"""What `numen run` hands to a bridge: the way to everybody who lives in the process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID

from numen.agent import Event
from numen.agent.live import LiveBus
from numen.doors.actuator import NumenActuator
from numen.doors.fleet import Fleet
from numen.doors.gateway import NumenGateway


@dataclass(frozen=True, slots=True)
class Numen:
    """A run of `numen`, as a bridge sees it."""

    fleet: Fleet
    gateway: NumenGateway
    folder: Path
    """Where this bridge may keep files of its own; made with the first call of `files`."""
    live: LiveBus = field(default_factory=LiveBus)
    """What all companions say and do, while it happens: `live.subscribe()`."""

    def actuator(
        self, owner: UUID | None = None, *, on_event: Callable[[UUID, Event], None] | None = None
    ) -> NumenActuator:
        """An outside brain of its own; see NumenActuator."""
        return NumenActuator(self.fleet, owner, on_event=on_event)

    def uuid_of(self, name: str) -> UUID | None:
        """The companion of that name, in any case; None while it does not live here.

        Ask each time: before its first login a companion has the uuid that an offline server would give it.
        """
        wanted = name.casefold()
        return next((each.uuid for each in self.fleet.all() if each.name.casefold() == wanted), None)

    def files(self) -> Path:
        """The folder for this bridge's own files, there from now on."""
        self.folder.mkdir(parents=True, exist_ok=True)
        return self.folder
