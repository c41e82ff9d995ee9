"""What has reached a mind and was not yet told to the model.

The owner's words and the world's events are kept on disk as they come, and leave all together, as one user
message, when the conversation is at a point where one may stand.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from numen.session import Record, Session

LIMIT = 200
"""Events kept at most; beyond it the oldest go, and it is said how many."""

OLD_S = 600.0
"""From this age on, an item says how old it is."""


class Delivery(enum.Enum):
    """When an event reaches the model."""

    STEER = "steer"
    """At the next request, and it wakes an idle mind."""
    FOLLOW_UP = "follow_up"
    """When the turn under way has ended; it wakes an idle mind."""
    AMBIENT = "ambient"
    """Along with whatever wakes the mind next; costs no request of its own."""


DELIVERIES: Mapping[str, Delivery] = {
    "task_finished": Delivery.STEER,
    "death": Delivery.STEER,
    "respawned": Delivery.STEER,
    "hungry": Delivery.STEER,
    "inventory_full": Delivery.STEER,
    "attacked": Delivery.STEER,
    "timer": Delivery.STEER,
    "woke": Delivery.STEER,
    "principal": Delivery.STEER,  # a person speaking through a bridge
    "goal": Delivery.FOLLOW_UP,
    "stop": Delivery.AMBIENT,
    "reconnected": Delivery.AMBIENT,
    "disconnected": Delivery.AMBIENT,
    "dimension_changed": Delivery.AMBIENT,
    "chat": Delivery.AMBIENT,
    "reflex": Delivery.AMBIENT,
    "owner_hurt": Delivery.AMBIENT,
}
"""How each kind of event is delivered; others are ambient."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened. `text` says it in a sentence; `attrs` are short facts beside it."""

    kind: str
    text: str
    attrs: Mapping[str, Any] = field(default_factory=dict)
    delivery: Delivery | None = None
    """Overrides the table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """An entry of the inbox. `at` is in seconds since 1970."""

    id: str
    at: float
    source: Literal["owner", "event"]
    text: str
    kind: str = ""
    attrs: Mapping[str, str] = field(default_factory=dict)
    delivery: Delivery = Delivery.STEER

    def told(self, now: float) -> str:
        """The item as the model reads it."""
        age = age_note(now - self.at)
        if self.source == "owner":
            head = f'<query age="{age}">' if age else "<query>"
            return f"{head}{self.text}</query>"
        attrs = {"kind": self.kind, **self.attrs, **({"age": age} if age else {})}
        written = " ".join(f'{key}="{value}"' for key, value in attrs.items())
        return f"<event {written}>{self.text}</event>"

    def to_record(self) -> dict[str, Any]:
        record: dict[str, Any] = {
            "type": "heard",
            "id": self.id,
            "at": round(self.at, 3),
            "source": self.source,
            "text": self.text,
        }
        if self.source == "event":
            record |= {"kind": self.kind, "attrs": dict(self.attrs), "delivery": self.delivery.value}
        return record


def item_from(record: Record) -> Item | None:
    """The item a record holds, or None when it is not whole."""
    source, text, at = record.get("source"), record.get("text"), record.get("at")
    if source not in ("owner", "event") or not isinstance(text, str) or not isinstance(at, (int, float)):
        return None
    attrs = record.get("attrs")
    try:
        delivery = Delivery(record.get("delivery", Delivery.STEER.value))
    except ValueError:
        delivery = Delivery.AMBIENT
    return Item(
        id=str(record.get("id")),
        at=float(at),
        source="owner" if source == "owner" else "event",
        text=text,
        kind=str(record.get("kind", "")),
        attrs={str(key): str(value) for key, value in attrs.items()} if isinstance(attrs, Mapping) else {},
        delivery=delivery,
    )


@dataclass(frozen=True, slots=True)
class Drained:
    """One user message made of the inbox, and the items it takes out."""

    text: str
    ids: tuple[str, ...]
    items: tuple[Item, ...]

    @property
    def has_words(self) -> bool:
        """Some of it is the owner's."""
        return any(item.source == "owner" for item in self.items)

    @property
    def words(self) -> str:
        """The owner's words in it, together."""
        return "\n".join(item.text for item in self.items if item.source == "owner")

    @property
    def foreign(self) -> tuple[str, ...]:
        """Who else has said something in it."""
        names = {item.attrs.get("from", "somebody"): None for item in self.items if item.kind == "chat"}
        return tuple(names)


class Inbox:
    """The waiting items of one companion, oldest first."""

    def __init__(
        self,
        session: Session,
        pending: Iterable[Record],
        *,
        now: Callable[[], float],
        new_id: Callable[[], str],
    ) -> None:
        self._session = session
        self._now = now
        self._new_id = new_id
        self._items = [item for item in map(item_from, pending) if item is not None]
        self._from_before = {item.id for item in self._items}
        self._forgotten = 0

    def hear(self, text: str) -> None:
        """Keep the owner's words, exactly as they are."""
        self._push(Item(id=self._new_id(), at=self._now(), source="owner", text=text))

    def notify(self, event: Event) -> None:
        """Keep an event. Its text cannot pass for a tag of ours."""
        self._push(
            Item(
                id=self._new_id(),
                at=self._now(),
                source="event",
                text=_harmless(event.text),
                kind=_attribute(event.kind),
                attrs={_attribute(key): _attribute(value) for key, value in event.attrs.items()},
                delivery=event.delivery or DELIVERIES.get(event.kind, Delivery.AMBIENT),
            )
        )

    def __len__(self) -> int:
        return len(self._items)

    @property
    def has_words(self) -> bool:
        """The owner has said something since the start that the model does not know yet."""
        return any(item.source == "owner" for item in self._items if item.id not in self._from_before)

    @property
    def said(self) -> str:
        """The person's words that wait, together."""
        return "\n".join(item.text for item in self._items if item.source == "owner")

    @property
    def wakes(self) -> bool:
        """Something here is worth a turn of its own.

        What waited since before a restart is not: it rides along.
        """
        fresh = (item for item in self._items if item.id not in self._from_before)
        return any(item.delivery is not Delivery.AMBIENT for item in fresh)

    def drain(self, situation: Callable[[], str], *, follow_ups: bool) -> Drained | None:
        """One user message of all that is due: the situation, events as they came, the owner's words last.

        None when nothing is due. The items stay until `taken` says that the message is on disk.
        """
        due = [item for item in self._items if follow_ups or item.delivery is not Delivery.FOLLOW_UP]
        if not due:
            return None
        now = self._now()
        state = situation().strip()
        lines = [state] if state else []
        if self._forgotten:
            lines.append(f'<event kind="dropped">{self._forgotten} older events were dropped</event>')
        lines += [item.told(now) for item in due if item.source == "event"]
        lines += [item.told(now) for item in due if item.source == "owner"]
        return Drained("\n".join(lines), tuple(item.id for item in due), tuple(due))

    def taken(self, ids: Iterable[str]) -> None:
        gone = set(ids)
        self._items = [item for item in self._items if item.id not in gone]
        self._forgotten = 0

    def put_back(self, items: Iterable[Item]) -> None:
        """The message that told these items was withdrawn: its events wait and wake nobody; words go."""
        events = [item for item in items if item.source == "event"]
        self._items = [*events, *self._items]
        self._from_before |= {item.id for item in events}

    def let_rest(self) -> None:
        """What waits now wakes nobody any more; it rides along with what comes next."""
        self._from_before = {item.id for item in self._items}

    def drop_words(self) -> int:
        """Forget the owner's waiting words; events are facts and stay. Returns how many went."""
        ids = [item.id for item in self._items if item.source == "owner"]
        if ids:
            self._session.append({"type": "dropped", "ids": ids, "why": "stop"})
            self._items = [item for item in self._items if item.source != "owner"]
        return len(ids)

    def _push(self, item: Item) -> None:
        self._session.append(item.to_record())
        self._items.append(item)
        events = [each for each in self._items if each.source == "event"]
        if len(events) > LIMIT:
            oldest = events[0]
            self._session.append({"type": "dropped", "ids": [oldest.id], "why": "full"})
            self._items.remove(oldest)
            self._forgotten += 1


def age_note(seconds: float) -> str:
    """How old something is, in the largest whole unit; "" while it is young."""
    if seconds < OLD_S:
        return ""
    for unit, length in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        count = int(seconds // length)
        if count:
            return f"{count} {unit}{'s' if count > 1 else ''}"
    return ""


def _harmless(text: str) -> str:
    return text.replace("<", "(").replace(">", ")")


def _attribute(value: Any) -> str:
    return _harmless(" ".join(str(value).split())).replace('"', "'")
