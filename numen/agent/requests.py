"""What a person has asked for: the request under way, and the one that failed and can be sent again."""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

KEPT_S: Final = 30 * 60.0
"""How long a failed request can be sent again."""


class Refused(Exception):
    """Something that cannot be done just now. `key` names the sentence in `numen.agent.words`."""

    def __init__(self, key: str, **facts: object) -> None:
        super().__init__(key)
        self.key = key
        self.facts = facts


@dataclass(frozen=True, slots=True)
class FailedRequest:
    """A request that the endpoint has failed. Kept in memory only."""

    token: str
    words: str
    session: str
    at: float
    """In seconds since 1970."""
    withdrawn: bool
    """Its words were taken out of the conversation again."""


class Requests:
    """The requests of one person to one companion: one at a time, and the last that failed."""

    def __init__(
        self,
        *,
        now: Callable[[], float],
        new_id: Callable[[], str] = lambda: str(uuid.uuid4()),
        new_token: Callable[[], str] = lambda: secrets.token_hex(4),
    ) -> None:
        self.id: str | None = None
        """Of the turn under way."""
        self.failed: FailedRequest | None = None
        self._words: list[str] = []
        self._now = now
        self._new_id = new_id
        self._new_token = new_token

    @property
    def words(self) -> str:
        """What the person has said that the turn under way answers."""
        return "\n".join(self._words)

    def begin(self) -> str:
        """A turn begins; its id."""
        self._words = []
        self.id = self._new_id()
        return self.id

    def heard(self, words: str) -> None:
        """The turn was told these words of the person."""
        if words:
            self._words.append(words)

    def end(self) -> None:
        self.id = None

    def succeed(self) -> None:
        """It was answered: nothing is left to be sent again."""
        self.failed = None

    def fail(self, session: str, *, withdrawn: bool) -> str:
        """The endpoint has failed the turn; the token with which its request can be sent again.

        A turn that no words began leaves the token of the request before it as it is, "" where there is none.
        """
        if self.words:
            self.failed = FailedRequest(self._new_token(), self.words, session, self._now(), withdrawn)
        return self.failed.token if self.failed is not None else ""

    def take(self, token: str, session: str) -> FailedRequest:
        """The failed request of that token, which can be taken once.

        Raises Refused: `retry_none`; `retry_wrong` (whoever guesses has one guess); `retry_late`;
        `retry_elsewhere`, when another session is active, and then the token stays good.
        """
        failed = self.failed
        if failed is None:
            raise Refused("retry_none")
        if token.strip().lower() != failed.token:
            self.failed = None
            raise Refused("retry_wrong")
        if self._now() - failed.at > KEPT_S:
            self.failed = None
            raise Refused("retry_late")
        if failed.session != session:
            raise Refused("retry_elsewhere", session=failed.session)
        self.failed = None
        return failed
