"""The door for words: what somebody says reaches a companion as its owner's."""

from __future__ import annotations

from uuid import UUID

from numen.doors.fleet import Fleet


class NumenGateway:
    """Hands words to companions. A bridge to a chat room needs nothing else."""

    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet

    def enqueue(self, uuid: UUID | str, text: str) -> bool:
        """Give `text` to the companion of that uuid, exactly as it is; the engine only wraps it in `<query>`.

        From any thread. True when it is in the companion's inbox and on disk; False for blank text, for a
        uuid that nobody here has, and when it could not be kept. There is no reply: the companion answers in
        the game, when it comes to it.
        """
        if not isinstance(text, str) or not text.strip():
            return False
        return self._fleet.on_loop(lambda: self._hand_over(uuid, text), otherwise=False)

    def _hand_over(self, uuid: UUID | str, text: str) -> bool:
        resident = self._fleet.find(uuid)
        return resident is not None and resident.mind.hear(text)
