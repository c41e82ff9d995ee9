"""What a person tells the engine rather than the model: goals, and the length of the conversation."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, assert_never

from numen.agent import words
from numen.agent.asking import Asker
from numen.agent.commands import Command
from numen.agent.events import EndingKind
from numen.agent.goals import GoalState, Review
from numen.agent.inbox import Event
from numen.agent.loop import Superseded
from numen.agent.telling import Teller

if TYPE_CHECKING:
    from numen.agent.mind import Mind

log = logging.getLogger(__name__)


class Orders:
    """The orders to one mind, carried out in the order they came."""

    def __init__(self, mind: Mind) -> None:
        self._mind = mind
        self._waiting: list[Command] = []
        self.own_turn = False
        """The next turn is one that the goal asks for by itself."""

    def take(self, order: Command) -> None:
        self._waiting.append(order)
        self.carry_out()

    def drop(self) -> None:
        """Forget what waits: the owner said stop."""
        self._waiting.clear()

    def carry_out(self) -> None:
        """Carry out what waits; what changes the conversation does so until the turn has ended."""
        mind = self._mind
        while self._waiting and (not mind.busy or self._waiting[0].name == "goal"):
            order = self._waiting.pop(0)
            try:
                self._obey(order)
            except OSError as error:
                mind.say("no_log", detail=error)

    def _obey(self, order: Command) -> None:
        mind = self._mind
        match order.name:
            case "goal":
                self._goal_order(order.text)
            case "compact":
                mind.begin(self._compact)
            case "clear":
                mind.begin_anew()
                mind.say("cleared")
            case _:
                assert_never(order.name)

    # -- the goal

    async def review_goal(self, teller: Teller, check: Callable[[], None], *, idle: bool) -> None:
        """A turn has ended: see what becomes of the goal, unless something else comes first."""
        mind, goals = self._mind, self._mind.goals
        goals.cost(tokens=teller.fresh_tokens)
        if goals.active is None or mind.job_running() or mind.inbox.wakes:
            return
        before = teller.fresh_tokens
        review = await goals.review(mind.provider, mind.history.messages, idle=idle, on_usage=teller.usage)
        check()
        goals.cost(tokens=teller.fresh_tokens - before)
        match review:
            case Review("continue", reason):
                self.go_on(reason)
            case Review("done" | "stuck" | "spent" as state, reason):
                goals.change(state, reason)
                self._say_goal()

    def go_on(self, reason: str = "") -> None:
        """Give the goal a turn of its own."""
        self._mind.goals.cost(turns=1)
        self.own_turn = True
        text = f"Your goal is not reached yet; go on with it. {reason}".strip()
        self._mind.keep(Event(kind="goal", text=text))

    def change_goal(self, state: GoalState) -> None:
        """Pause the goal, as far as there is one under way."""
        try:
            if self._mind.goals.active:
                self._mind.goals.change(state)
        except OSError:
            log.exception("the goal of %s could not be kept", self._mind.persona.companion)

    def _say_goal(self) -> None:
        goal = self._mind.goals.goal
        if goal is None:
            self._mind.say("goal_none")
            return
        facts = {"text": goal.text, "turns": goal.turns, "tokens": goal.tokens, "reason": goal.reason}
        self._mind.say(f"goal_{goal.state}", **facts)

    def _goal_order(self, text: str) -> None:
        mind = self._mind
        match text.casefold():
            case "" | "status" | "状态":
                self._say_goal()
            case "help" | "帮助":
                mind.say("goal_help")
            case "pause" | "off" | "暂停":
                self.change_goal("paused")
                self._say_goal()
            case "clear" | "清除":
                mind.goals.clear()
                mind.say("goal_cleared")
            case "resume" | "on" | "继续":
                if mind.goals.resume() is None:
                    self._say_goal()
                    return
                self.go_on()
                mind.wake()
            case _:
                mind.hear(words.say("goal_set", mind.language, text=mind.goals.set(text).text))

    # -- the length of the conversation

    async def _compact(self, teller: Teller, current: Callable[[], bool]) -> EndingKind:
        mind = self._mind

        def check() -> None:
            if not current():
                raise Superseded

        asker = Asker(
            provider=mind.provider,
            context=mind.chat,
            system=mind.system(),
            tools=await mind.catalogue.specs(),
            teller=teller,
            check=check,
        )
        sizes = await asker.compact()
        if sizes is None:
            mind.say("not_compacted")
            return "failed"
        mind.say("compacted", before=sizes[0], after=sizes[1])
        return "answered"
