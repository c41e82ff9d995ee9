"""How a turn ends: what is said of it, what is written down, and what is tried again."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, assert_never

from numen.agent import words
from numen.agent.events import EndingKind
from numen.agent.loop import Ending, NoAnswer, Said, Stuck, Waiting
from numen.agent.patience import Patience
from numen.agent.requests import Requests
from numen.agent.telling import Teller
from numen.llm import AssistantMessage, EndpointError, UserMessage

if TYPE_CHECKING:
    from numen.agent.mind import Mind

log = logging.getLogger(__name__)


class Endings:
    """The ends of one mind's turns, and the request that can be sent again."""

    def __init__(self, mind: Mind, requests: Requests, patience: Patience) -> None:
        self._mind = mind
        self.requests = requests
        self.patience = patience

    def conclude(self, ending: Ending, teller: Teller) -> EndingKind:
        """The model has come to an end."""
        mind = self._mind
        self.patience.forget()
        match ending:
            case Said():
                self.requests.succeed()
                teller.answered(ending.text)
                mind.speak(ending.text)
                mind.entitle(self.requests.words, ending.text)
                return "answered"
            case Waiting():
                self.requests.succeed()
                return "waiting"
            case NoAnswer():
                text = words.say("only_thoughts" if ending.cut_off else "no_answer", mind.language)
                teller.failed("NoAnswer", text)
                mind.speak(text)
                return "failed"
            case Stuck():
                text = self._question(ending)
                mind.record(AssistantMessage(content=text))
                teller.answered(text)
                mind.speak(text)
                mind.latch()
                return "stuck"
            case _:
                assert_never(ending)

    def _question(self, stuck: Stuck) -> str:
        mind, circle = self._mind, stuck.circle
        if circle is None:
            return words.say("many_rounds", mind.language, rounds=mind.limits.rounds_per_turn)
        key = "stuck" if circle.failing else "in_circles"
        return words.say(key, mind.language, tool=circle.tool, times=circle.times, message=stuck.message)

    def give_up(self, error: EndpointError, teller: Teller) -> None:
        """The endpoint failed. What may pass is tried again later; what will not waits for the person."""
        mind = self._mind
        text = error.sentence(mind.language)
        delay: float | None = None
        withdrawn = False
        if error.transient:
            delay = self.patience.wait(error, self._try_again)
            text = f"{text} {words.say('retry', mind.language, seconds=round(delay))}"
        else:
            mind.latch()
            withdrawn = self._withdraw()
        token = self.requests.fail(mind.session_id, withdrawn=withdrawn)
        log.warning("%s: %s", teller.companion, error)
        teller.failed(type(error).__name__, text, delay, token=token)
        if self.patience.is_news(type(error).__name__):
            mind.speak(text)

    def _withdraw(self) -> bool:
        """Take the words that nobody answered out of the conversation, if they are the very last of it.

        The next request then does not carry what the endpoint has refused; the events among them are facts
        and wait again.
        """
        mind, drained = self._mind, self._mind.last_drained
        if drained is None or not drained.has_words:
            return False
        last = mind.history.messages[-1:]
        if last != (UserMessage(content=drained.text),):
            return False
        try:
            mind.history.withdraw(drained.ids)
        except OSError:
            log.exception("the log of %s cannot be written", mind.persona.companion)
            return False
        mind.inbox.put_back(drained.items)
        return True

    def retry(self, token: str) -> None:
        """Send the failed request again. Raises Refused."""
        mind = self._mind
        failed = self.requests.take(token, mind.session_id)
        self.patience.cancel()
        self.patience.forget()
        if failed.withdrawn or not mind.history.wants_answer:
            mind.hear(failed.words)
        else:
            mind.wake(force=True, words=failed.words)

    def complain(self, key: str, kind: str, detail: str, teller: Teller) -> None:
        """Something of ours broke."""
        mind = self._mind
        text = words.say(key, mind.language, detail=detail)
        mind.latch()
        teller.failed(kind, text, runtime=True)
        mind.answer_open_calls("the turn broke off")
        mind.speak(text)

    def _try_again(self) -> None:
        mind = self._mind
        if mind.goals.active and not mind.history.wants_answer and not mind.job_running():
            mind.orders.go_on()  # it was the judge that could not be had
        mind.consider(force=mind.history.wants_answer)
