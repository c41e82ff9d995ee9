"""A goal that the companion works at by itself, turn after turn, until it is reached.

Whenever a turn has ended and nothing else is under way, a judge (the same model, asked without tools) reads
what has happened and says whether the goal is reached, to be gone on with, or out of reach. Going on is
another turn. A budget of turns and tokens bounds it, and a turn that did nothing ends it: a goal must not run
up a bill while nobody looks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from numen.agent.compaction import answer_to, transcript
from numen.llm import Message, Provider, Request, Usage, UserMessage, spoken
from numen.session import Record, Session

GoalState = Literal["active", "paused", "done", "stuck", "spent"]
Judgement = Literal["done", "continue", "stuck"]

SHOWN = 40
"""The latest messages that the judge reads."""
ROOM = 8_000
"""Tokens of them at most."""

SYSTEM = """\
You judge whether a companion in Minecraft has reached its goal. Believe results of tools, not what the
companion says of itself. Answer with one word first, then a colon and one sentence why, in the language of
the goal:
done: the goal is reached, and a result shows it.
continue: it is not reached yet, and something sensible is left to do; say what.
stuck: it cannot go on without its owner, or it keeps failing; say what is missing.
"""

WORD = re.compile(r"\b(done|continue|stuck)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """A goal as it stands."""

    text: str
    state: GoalState = "active"
    turns: int = 0
    """Turns that it has been given by itself."""
    tokens: int = 0
    """Tokens that its turns and judgements have cost."""
    reason: str = ""
    """Why the state is what it is."""

    def to_record(self) -> dict[str, Any]:
        return {
            "type": "goal",
            "text": self.text,
            "state": self.state,
            "turns": self.turns,
            "tokens": self.tokens,
            "reason": self.reason,
        }

    def told(self) -> str:
        """The line that reminds the model of it; its owner's words, so it cannot get lost on the way."""
        return f"<goal>{self.text}</goal>" if self.state == "active" else ""


def goal_from(records: Iterable[Record]) -> Goal | None:
    """The goal as it was last recorded; one that was active waits now for its owner to resume it."""
    found: Goal | None = None
    for record in records:
        if record.get("type") != "goal":
            continue
        text, state = record.get("text"), record.get("state")
        if not isinstance(text, str) or not text:
            found = None
            continue
        known = _STATES.get(str(state), "paused")
        turns, tokens = record.get("turns"), record.get("tokens")
        found = Goal(
            text=text,
            state=known,
            turns=turns if isinstance(turns, int) else 0,
            tokens=tokens if isinstance(tokens, int) else 0,
            reason=str(record.get("reason", "")),
        )
    return replace(found, state="paused") if found is not None and found.state == "active" else found


_STATES: dict[str, GoalState] = {each: each for each in get_args(GoalState)}


async def judge(
    provider: Provider, goal: Goal, messages: Sequence[Message]
) -> tuple[Judgement, str, Usage | None]:
    """(verdict, reason, cost). An answer that names no verdict goes on; the budget bounds it.

    Raises EndpointError.
    """
    shown = transcript(messages[-SHOWN:], ROOM)
    question = f"{shown}\n\nThe goal: {goal.text}\n\nIs it reached? done, continue or stuck?"
    request = Request(system=SYSTEM, messages=(UserMessage(content=question),))
    answer = await answer_to(provider, request)
    verdict, reason = read_verdict(spoken(answer.message.content))
    return verdict, reason, answer.usage


def read_verdict(text: str) -> tuple[Judgement, str]:
    """The verdict in an answer, and why."""
    text = text.strip(" \n\t\"'*`{}[]")
    first = WORD.match(text)
    words = {first.group(1).lower()} if first else {each.lower() for each in WORD.findall(text)}
    # "Not done, continue" names two: then the budget is trusted more than the reading.
    verdict: Judgement = "done" if words == {"done"} else "stuck" if words == {"stuck"} else "continue"
    reason = text[first.end() :].lstrip(" \n\t\"'*`:：,，.。-–—") if first else text
    return verdict, " ".join(reason.split())[:300]


@dataclass(frozen=True, slots=True)
class Review:
    """What is to happen with a goal, and why."""

    verdict: Judgement | Literal["spent"]
    reason: str


class Goals:
    """The goal of one companion, kept in its log."""

    def __init__(self, session: Session, records: Iterable[Record], *, turns: int, tokens: int) -> None:
        """`turns` and `tokens` bound what one goal may cost before its owner is asked."""
        self._session = session
        self._turns = turns
        self._tokens = tokens
        self.goal = goal_from(records)

    @property
    def active(self) -> Goal | None:
        return self.goal if self.goal is not None and self.goal.state == "active" else None

    @property
    def is_spent(self) -> bool:
        """The budget of the active goal is used up."""
        goal = self.active
        return goal is not None and (goal.turns >= self._turns or goal.tokens >= self._tokens)

    def set(self, text: str) -> Goal:
        """A new goal in the place of the old. Raises OSError when it cannot be kept."""
        return self._keep(Goal(text=text))

    def resume(self) -> Goal | None:
        """Take the goal up again, with a fresh budget."""
        return self._keep(Goal(text=self.goal.text)) if self.goal is not None else None

    def change(self, state: GoalState, reason: str = "") -> None:
        """The goal is paused, reached, out of reach or too dear."""
        if self.goal is not None:
            self._keep(replace(self.goal, state=state, reason=reason))

    def cost(self, *, tokens: int = 0, turns: int = 0) -> None:
        """A turn of the goal's own, or tokens that went into it."""
        if self.active is not None and (tokens or turns):
            self._keep(
                replace(self.active, tokens=self.active.tokens + tokens, turns=self.active.turns + turns)
            )

    async def review(
        self,
        provider: Provider,
        messages: Sequence[Message],
        *,
        idle: bool,
        on_usage: Callable[[Usage], None],
    ) -> Review | None:
        """What becomes of the active goal now that a turn has ended; None when there is none.

        `idle`: the turn was the goal's own and ran no tool. Raises EndpointError when nobody can judge.
        """
        goal = self.active
        if goal is None:
            return None
        if self.is_spent:
            return Review("spent", "")
        if idle:
            return Review("stuck", "")
        verdict, reason, usage = await judge(provider, goal, messages)
        if usage is not None:
            on_usage(usage)
        return Review(verdict, reason)

    def clear(self) -> None:
        if self.goal is not None:
            self._session.append({"type": "goal", "text": "", "state": "done"})
            self.goal = None

    def _keep(self, goal: Goal) -> Goal:
        self._session.append(goal.to_record())
        self.goal = goal
        return goal
