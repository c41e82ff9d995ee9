"""What the rooms above need of a connection, and nothing of how it is made.

The client connection, the sandbox's connection and the in-memory link of the test kit all have this shape.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol
from uuid import UUID

if TYPE_CHECKING:
    from protocol.registries import Registries

State = Literal["handshaking", "status", "login", "configuration", "play"]
Direction = Literal["toClient", "toServer"]
Fields = Mapping[str, Any]
Handler = Callable[[dict[str, Any]], None]


class WrongState(RuntimeError):
    """A packet was about to be sent that the connection's current state does not have."""

    def __init__(self, packet: str, state: str) -> None:
        super().__init__(f"{packet} can't be sent in state {state}")
        self.packet = packet
        self.state = state


@dataclass(frozen=True)
class Disconnect:
    """Why a connection ended: one plain sentence, and what stands behind it."""

    reason: str
    by_server: bool = False
    #: The text component as it came, when the server gave one.
    component: Any = None
    #: Where it happened: the connection's state at that moment.
    state: str = ""
    details: dict[str, Any] = field(default_factory=dict)


class Link(Protocol):
    """One end of a game connection."""

    state: State
    username: str
    uuid: UUID
    registries: Registries

    def subscribe(self, packet: str, handler: Handler) -> None:
        """Call `handler` with the fields of each `packet` of the play state, in order of subscription."""

    def send(self, packet: str, /, **fields: Any) -> None:
        """Encode and send. Raises WrongState where the current state has no such packet."""

    def on_closed(self, callback: Callable[[Disconnect], None]) -> None:
        """Call back once when the connection has ended, at once when it already has."""

    def close(self, reason: str = "") -> None:
        """End the connection."""


class Speech(Protocol):
    """Saying things, signed and acknowledged as the server wants it."""

    def say(self, message: str) -> None:
        """Say something: at most 256 UTF-16 units, without § and control characters."""

    def command(self, command: str) -> None:
        """Run a command, without its slash."""

    def why_not(self, message: str) -> str | None:
        """Why the server would not take this message, or command with its slash; None when it would."""


class PlayerLink(Link, Protocol):
    """The player's end of a connection."""

    @property
    def chat(self) -> Speech:
        """What is said goes through here."""

    def latest(self, packet: str) -> dict[str, Any] | None:
        """The fields of the latest `packet` of a kind that is kept, `declare_commands` above all; or None."""
