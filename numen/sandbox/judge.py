"""What players did that the game would not let them do: counted by kind, the latest kept with their facts.

Some kinds are refusals (the server put things right); others are only noted, because the game itself does
not look but an honest client never does it:

refused: moved_too_quickly, moved_wrongly, floating, not_finite, dig_too_fast, dig_reach, place_reach,
place_refused, attack_reach, attack_bad_target, click_wrong_window, click_bad_slot, bad_slot, not_operator,
bad_chat noted: fast_step, high_jump, false_ground, false_air, too_many_moves, bad_teleport_confirm, resync
"""

from __future__ import annotations

import logging
from collections import Counter, deque
from dataclasses import dataclass
from typing import Any

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Violation:
    """One thing a player should not have done."""

    kind: str
    player: str
    #: The world's age in ticks.
    age: int
    facts: dict[str, Any]


class Judge:
    """Counts violations. `counts["dig_too_fast"]` is 0 while nobody digs too fast."""

    def __init__(self, keep: int = 200) -> None:
        self.counts: Counter[str] = Counter()
        self.latest: deque[Violation] = deque(maxlen=keep)

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    def note(self, player: str, age: int, kind: str, /, **facts: Any) -> None:
        """Count one violation; `age` is the world's."""
        self.counts[kind] += 1
        self.latest.append(Violation(kind, player, age, facts))
        log.debug("%s: %s %s", player, kind, facts)
