"""One question at a time to one person, with choices, for sixty seconds.

Whoever asks waits here and nowhere else; the body and the other minds go on. A number, the text of a choice,
or words of one's own answer it; a newer question takes its place, a stop ends it. What comes too late is told
to the person and given on as words, so that nothing is lost; a confirmation that comes too late confirms
nothing.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from numen.agent import words

log = logging.getLogger(__name__)

TIMEOUT_S: Final = 60.0
LONGEST_QUESTION: Final = 400
LONGEST_OPTION: Final = 160
MOST_OPTIONS: Final = 5
OTHER: Final = "Other"
#: So long after its end an answer is still known for one that came late.
LATE_S: Final = 300.0
#: A yes this soon may have been typed for the question that stood there before.
TOO_SOON_S: Final = 2.0

_OTHER_WORDS: Final = frozenset(
    (
        *("other", "others", "otheroption", "otheroptions", "somethingelse", "custom", "customanswer"),
        *(
            "customresponse",
            "typemyown",
            "其他",
            "其它",
            "其他选项",
            "其它选项",
            "别的",
            "自定义",
            "自定义回答",
        ),
    )
)
_SKIP_WORDS: Final = frozenset(
    (
        "skip",
        "skipquestion",
        "skipthis",
        "skipthisquestion",
        "pass",
        "跳过",
        "跳过问题",
        "跳过此问题",
        "略过",
        "忽略",
    )
)
_CANCEL_WORDS: Final = frozenset(("cancel", "取消"))
_YES: Final = ("Yes", "是")
_NO: Final = ("No", "否")
_YES_WORDS: Final = frozenset(("yes", "y", "是", "是的", "好", "好的", "确认"))
_NO_WORDS: Final = frozenset(("no", "n", "否", "不", "不要", "不行", "别"))

Kind = Literal["choice", "confirmation"]


class NoOptions(ValueError):
    """Nothing was left to choose from."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked. The last option of a choice is `Other`; a confirmation has yes and no."""

    id: str
    text: str
    options: tuple[str, ...]
    expires_at: float
    """In seconds since 1970."""
    kind: Kind = "choice"

    @property
    def choices(self) -> tuple[str, ...]:
        """The options that are answers by themselves."""
        return self.options[:-1] if self.kind == "choice" else self.options


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of a line that a person wrote.

    `told` is for the person; `passed_on`, if not empty, is what the mind shall hear as the person's words.
    """

    told: str = ""
    passed_on: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionAsked:
    """A question is put before a person, or shown again. `person` is None for whoever is at the console."""

    companion: str
    person: str | None
    question: Question
    kind: Literal["question_asked"] = "question_asked"


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionClosed:
    """It is over; `result` is what the asker got."""

    companion: str
    person: str | None
    question: Question
    result: str
    kind: Literal["question_closed"] = "question_closed"


@dataclass(slots=True)
class _Open:
    question: Question
    answer: asyncio.Future[str]
    typing: bool = False
    settled_at: float = 0.0
    """From when on an answer is surely meant for this question."""


def clean_question(text: str) -> str:
    """One line of at most 400 characters."""
    return _line(text)[:LONGEST_QUESTION].rstrip()


def clean_options(options: Sequence[object]) -> tuple[str, ...]:
    """At most five different ones, none of which means Other or Skip, and `Other` behind them.

    Raises NoOptions when none is left.
    """
    kept: dict[str, str] = {}
    for each in options:
        option = _line(str(each))[:LONGEST_OPTION].rstrip() if each is not None else ""
        if option and _folded(option) not in _OTHER_WORDS | _SKIP_WORDS:
            kept.setdefault(option.casefold(), option)
    if not kept:
        raise NoOptions("give 1 to 5 options that can be chosen; Other and Skip are added by themselves")
    return (*list(kept.values())[:MOST_OPTIONS], OTHER)


class Questions:
    """The pending question of one person, if there is one. All methods belong to the event loop's thread."""

    def __init__(
        self,
        *,
        language: str = "en",
        now: Callable[[], float] = time.time,
        call_later: Callable[[float, Callable[[], None]], Any] | None = None,
        new_id: Callable[[], str] = lambda: uuid.uuid4().hex[:8],
    ) -> None:
        """`call_later` replaces the loop's own clock; it returns something with `cancel()`, or None."""
        self.language = language
        self._now = now
        self._call_later = call_later
        self._new_id = new_id
        self._open: _Open | None = None
        self._last: Question | None = None
        """The newest question that has ended without an answer."""
        self._shown: list[Callable[[Question], None]] = []
        self._closed: list[Callable[[Question, str], None]] = []

    @property
    def pending(self) -> Question | None:
        return self._open.question if self._open else None

    @property
    def typing(self) -> bool:
        """The person chose Other: the next line is the answer, whatever it says."""
        return self._open is not None and self._open.typing

    def on_asked(self, show: Callable[[Question], None]) -> None:
        """Have `show` put each question before the person. It must not block."""
        self._shown.append(show)

    def on_closed(self, told: Callable[[Question, str], None]) -> None:
        """Tell `told` of each question that has ended, with the result that the asker got."""
        self._closed.append(told)

    # -- asking

    async def ask(self, question: str, options: Sequence[object]) -> str:
        """Ask, and wait for what comes of it.

        `User selected option N: <text>`, `User provided custom response: <text>` or `SKIPPED: <reason>`.
        Raises NoOptions.
        """
        kept, text = clean_options(options), clean_question(question)
        if not text:
            raise NoOptions("the question is empty")
        return await self._wait(text, kept, "choice")

    async def confirm(self, text: str) -> bool:
        """Ask for a plain yes. Anything else, silence and a stop included, is a no."""
        chinese = self.language.startswith("zh")
        options = (_YES[chinese], _NO[chinese])
        result = await self._wait(clean_question(text), options, "confirmation")
        return result.startswith("User selected option 1: ")

    async def _wait(self, text: str, options: tuple[str, ...], kind: Kind) -> str:
        self.skip("Replaced by a newer question.")
        question = Question(self._new_id(), text, options, self._now() + TIMEOUT_S, kind)
        loop = asyncio.get_running_loop()
        opened = self._open = _Open(question, loop.create_future())
        if self._last is not None:
            opened.settled_at = self._now() + TOO_SOON_S
        self._last = None
        later = self._call_later or loop.call_later
        timer = later(TIMEOUT_S, lambda: self._time_up(opened))
        for show in list(self._shown):
            try:
                show(question)
            except Exception:
                log.exception("question %s could not be shown", question.id)
        try:
            return await opened.answer
        except asyncio.CancelledError:
            self._end(opened, "SKIPPED: Request stopped.", answered=False)
            raise
        finally:
            if timer is not None:
                timer.cancel()

    def _time_up(self, opened: _Open) -> None:
        self._end(opened, f"SKIPPED: No answer within {TIMEOUT_S:.0f} seconds.", answered=False)

    def _end(self, opened: _Open, result: str, *, answered: bool) -> None:
        if self._open is not opened:
            return
        self._open = None
        self._last = None if answered else opened.question
        if not opened.answer.done():
            opened.answer.set_result(result)
        for told in list(self._closed):
            try:
                told(opened.question, result)
            except Exception:
                log.exception("the end of question %s could not be told", opened.question.id)

    # -- answering

    def skip(self, reason: str = "Request stopped.") -> bool:
        """End the pending question without an answer; False when there is none."""
        if self._open is None:
            return False
        self._end(self._open, f"SKIPPED: {reason}", answered=False)
        return True

    def hear(self, line: str) -> Taken | None:
        """A line that the person wrote to the companion. None when it answers nothing and is just words."""
        opened, text = self._open, _line(line)
        if opened is None:
            return self._late(text)
        if opened.typing:
            return self._custom(opened, text)
        if not text:
            return None
        return self._choice(opened, text) or self._custom(opened, text)

    def choose(self, argument: str) -> Taken:
        """The `choose` command: a number, `other`, `skip`, `cancel`, or words; nothing shows it again."""
        opened, text = self._open, _line(argument)
        if opened is None:
            late = self._late(text) if text else None
            return late or Taken(self._say("nothing_asked"))
        if not text:
            for show in list(self._shown):
                show(opened.question)
            return Taken()
        if _folded(text) in _CANCEL_WORDS:
            was, opened.typing = opened.typing, False
            return Taken(
                self._say("typing_ended" if was else "choose_how", count=len(opened.question.options))
            )
        return self._choice(opened, text) or Taken(
            self._say("choose_how", count=len(opened.question.options))
        )

    def _choice(self, opened: _Open, text: str) -> Taken | None:
        """`text` as a choice of the open question."""
        question, folded = opened.question, _folded(text)
        index = _index(question, text)
        if index is not None and index < len(question.choices):
            if question.kind == "confirmation" and index == 0 and self._now() < opened.settled_at:
                return Taken(self._say("choose_how", count=len(question.options)))
            chosen = question.options[index]
            self._end(opened, f"User selected option {index + 1}: {chosen}", answered=True)
            return Taken(self._say("chosen", option=chosen))
        if folded in _SKIP_WORDS:
            self._end(opened, "SKIPPED: User skipped the question.", answered=True)
            return Taken(self._say("skipped"))
        if question.kind == "choice" and (index is not None or folded in _OTHER_WORDS):
            opened.typing = True
            return Taken(self._say("type_answer"))
        if index is None and re.fullmatch(r"\d{1,2}[.)]?", text):
            return Taken(self._say("choose_how", count=len(question.options)))
        return None

    def _custom(self, opened: _Open, text: str) -> Taken:
        if opened.question.kind == "confirmation":
            # What is no plain yes is a no, and is heard as what it says.
            self._end(opened, f"User selected option 2: {opened.question.options[1]}", answered=True)
            return Taken(self._say("not_confirmed"), passed_on=text)
        if not text:
            return Taken(self._say("type_answer"))
        self._end(opened, f"User provided custom response: {text}", answered=True)
        return Taken(self._say("chosen", option=text))

    def _late(self, text: str) -> Taken | None:
        """`text` as an answer to the question that has just ended without one."""
        question = self._last
        if question is None or not text or self._now() > question.expires_at + LATE_S:
            return None
        index = _index(question, text)
        if index is None or index >= len(question.choices):
            return None
        self._last = None
        if question.kind == "confirmation":
            return Taken(self._say("late_confirmation"))
        chosen = question.options[index]
        said = self._say("late_said", question=question.text, option=chosen)
        return Taken(self._say("late", option=chosen), passed_on=said)

    def _say(self, key: str, **facts: object) -> str:
        return words.say(key, self.language, **facts)


def lines_of(question: Question, language: str) -> list[str]:
    """The question as numbered lines for a chat or a console: itself, the choices, how to answer."""
    numbered = [f"{number}. {option}" for number, option in enumerate(question.options, 1)]
    if question.kind == "choice":
        numbered[-1] = f"{len(numbered)}. {words.say('other', language)}"
    hint = "confirm_how" if question.kind == "confirmation" else "answer_how"
    told = words.say(hint, language, seconds=round(TIMEOUT_S), count=len(question.options))
    return [question.text, *numbered, told]


def _index(question: Question, text: str) -> int | None:
    """Which option `text` names, by number or by its words; from 0."""
    number = re.fullmatch(r"#?\s*(\d{1,2})\s*[.):。、]?", text)
    if number is not None:
        index = int(number[1]) - 1
        return index if 0 <= index < len(question.options) else None
    folded = text.casefold()
    if question.kind == "confirmation":
        plain = _folded(text)
        if plain in _YES_WORDS or plain in _NO_WORDS:
            return 0 if plain in _YES_WORDS else 1
    same = [index for index, each in enumerate(question.options) if each.casefold() == folded]
    return same[0] if same else None


def _line(text: str) -> str:
    """`text` in one line, without control characters."""
    return " ".join("".join(each if each.isprintable() else " " for each in text).split())


def _folded(text: str) -> str:
    """`text` without case, blanks and punctuation."""
    return "".join(each for each in text.casefold() if each.isalnum())
