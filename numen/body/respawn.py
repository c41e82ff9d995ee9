"""Coming back after a death."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from numen.body.body import Body

#: client_command number (protocol 767).
PERFORM_RESPAWN: Final = 0

#: The vanilla death screen arms its button after a second.
DELAY_TICKS: Final = 20
RETRY_TICKS: Final = 100


class Respawn:
    """Asks the server for a new life some time after a death, and again while it doesn't answer."""

    def __init__(self, body: Body) -> None:
        self._body = body
        #: Ask without being told to.
        self.automatic = True
        #: Ticks between the death and the first request.
        self.delay = DELAY_TICKS
        self._dead_for = 0

    def tick(self) -> None:
        """Count the ticks of a death."""
        if self._body.world.me.alive:
            self._dead_for = 0
            return
        self._dead_for += 1
        waited = self._dead_for - self.delay
        if self.automatic and waited >= 0 and waited % RETRY_TICKS == 0:
            self.request()

    def request(self) -> bool:
        """Ask for a respawn now. False when the body is alive or not in a game."""
        if self._body.world.me.alive or not self._body.online:
            return False
        self._body.link.send("client_command", actionId=PERFORM_RESPAWN)
        return True
