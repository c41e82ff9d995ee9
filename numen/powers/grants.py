"""Who has which powers, as the configuration says it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from numen.session import Person
from numen.tool.trust import Confirm


@dataclass(frozen=True, slots=True)
class Grants:
    """The powers that are on, for the owner and for those who are named, by name or UUID."""

    powers: frozenset[str] = frozenset()
    confirm: Confirm = "tainted"
    others: Collection[str] = ()

    def of(self, person: Person, *, owner: bool) -> frozenset[str]:
        """What that person's companion may do for him."""
        known = {person.name.casefold(), str(person.uuid)} if not person.is_console else set()
        named = any(each.casefold() in known for each in self.others)
        return self.powers if owner or named else frozenset()
