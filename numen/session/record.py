"""What a conversation log holds, and what can be read back from it.

Every record is a JSON object with a `type`. Those this house writes:

    heard      {id, at, source: "owner" | "event", …}   something reached the inbox
    message    {message: {role, …}, drains?: [id, …]}   a message of the conversation; a user message takes
                                                        the named items out of the inbox in the same stroke
    dropped    {ids: [id, …], why}                      inbox items that will never be told
    withdrawn  {ids: [id, …]}                           the last message, a user's, is taken back; events that
                                                        it told wait again, words are dropped
    compact    {messages: [{role, …}, …], …}            everything before is replaced by these messages
    note       {…}                                      kept for people; never part of the conversation

Records of other types are kept and passed over.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

Record = Mapping[str, Any]


class Session(Protocol):
    """A place where records outlive the process."""

    def records(self) -> list[Record]:
        """All records, oldest first."""
        ...

    def append(self, record: Record) -> None:
        """Keep `record`. When this returns, killing the process loses nothing."""
        ...

    def clear(self) -> None:
        """Begin anew; what was there is set aside, not destroyed."""
        ...

    def close(self) -> None: ...


@dataclass(slots=True)
class Restored:
    """A conversation as it stood when the last record was written."""

    messages: list[Mapping[str, Any]] = field(default_factory=list)
    pending: list[Record] = field(default_factory=list)
    """Inbox items not yet told, oldest first."""


def restore(records: Iterable[Record]) -> Restored:
    """Replay `records`."""
    messages: list[Mapping[str, Any]] = []
    pending: dict[str, Record] = {}
    told: dict[str, Record] = {}  # by the last message
    for record in records:
        match record.get("type"):
            case "heard":
                pending[str(record.get("id"))] = record
            case "message":
                message = record.get("message")
                if isinstance(message, Mapping):
                    messages.append(message)
                told = _take_out(pending, record.get("drains"))
            case "dropped":
                _take_out(pending, record.get("ids"))
            case "withdrawn":
                if messages and messages[-1].get("role") == "user":
                    messages.pop()
                    back = {key: each for key, each in told.items() if each.get("source") == "event"}
                    pending = {**back, **pending}
            case "compact":
                kept = record.get("messages")
                messages = (
                    [each for each in kept if isinstance(each, Mapping)] if isinstance(kept, list) else []
                )
            case _:
                pass
    return Restored(messages, list(pending.values()))


def _take_out(pending: dict[str, Record], ids: Any) -> dict[str, Record]:
    taken = {str(each): pending.pop(str(each), None) for each in (ids if isinstance(ids, list) else ())}
    return {key: record for key, record in taken.items() if record is not None}
