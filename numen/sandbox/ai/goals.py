"""Goals that share a creature's controls, after vanilla 1.21.1's `GoalSelector`.

A goal holds the controls it names (move, look, jump, target). One that wants to start must be able to take
over every holder of its controls: the holder has a larger number (is less urgent) and lets itself be
interrupted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from numen.sandbox.entities.mob import Mob

MOVE, LOOK, JUMP, TARGET = "move", "look", "jump", "target"


class Goal:
    """Something a creature may be doing."""

    controls: ClassVar[frozenset[str]] = frozenset()
    interruptible = True

    def can_start(self, mob: Mob) -> bool:
        raise NotImplementedError

    def can_go_on(self, mob: Mob) -> bool:
        return self.can_start(mob)

    def start(self, mob: Mob) -> None:
        """Called when it takes over."""

    def stop(self, mob: Mob) -> None:
        """Called when it ends or is taken over."""

    def tick(self, mob: Mob) -> None:
        """Called every tick while it runs."""


class Goals:
    """The goals of one creature with their priorities; the smaller number is the more urgent."""

    def __init__(self, goals: list[tuple[int, Goal]]) -> None:
        self._goals = sorted(goals, key=lambda entry: entry[0])
        self._running: list[tuple[int, Goal]] = []

    @property
    def running(self) -> list[Goal]:
        return [goal for _, goal in self._running]

    def clear(self) -> None:
        """Want nothing any more."""
        self._goals.clear()
        self._running.clear()

    def tick(self, mob: Mob) -> None:
        """End what can't go on, start what may (every second tick, as the game does), run what runs."""
        if (mob.age + mob.id) % 2 == 0:
            for entry in list(self._running):
                if not entry[1].can_go_on(mob):
                    self._end(entry, mob)
            for entry in self._goals:
                if entry not in self._running and self._may_take_over(entry) and entry[1].can_start(mob):
                    for holder in self._holders(entry[1]):
                        self._end(holder, mob)
                    self._running.append(entry)
                    entry[1].start(mob)
        for _, goal in list(self._running):
            goal.tick(mob)

    def _holders(self, goal: Goal) -> list[tuple[int, Goal]]:
        return [entry for entry in self._running if entry[1].controls & goal.controls]

    def _may_take_over(self, entry: tuple[int, Goal]) -> bool:
        priority, goal = entry
        return all(holder.interruptible and priority < other for other, holder in self._holders(goal))

    def _end(self, entry: tuple[int, Goal], mob: Mob) -> None:
        self._running.remove(entry)
        entry[1].stop(mob)
