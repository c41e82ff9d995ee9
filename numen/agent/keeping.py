"""What is kept of a conversation beside its log: the session's file, written each round, and its title."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

from numen.agent.compaction import answer_to
from numen.llm import EndpointError, Message, Provider, Request, UserMessage, spoken, to_record
from numen.session import Head, SessionStore, titles

log = logging.getLogger(__name__)


class Keeper:
    """Writes for one mind. It writes on a thread, the newest state only, and never two at a time."""

    def __init__(self, sessions: SessionStore, titler: Provider | None) -> None:
        """`titler` is the model that names sessions; without it their first words do."""
        self.sessions = sessions
        self._titler = titler
        self._due: tuple[Head, tuple[Message, ...]] | None = None
        self._writing: asyncio.Task[None] | None = None
        self._naming: set[asyncio.Task[None]] = set()

    def save(self, messages: tuple[Message, ...]) -> None:
        """Have the active session's file written soon."""
        head = self.sessions.active
        if head is None:
            return
        self._due = (head, messages)
        if self._writing is None or self._writing.done():
            self._writing = asyncio.get_running_loop().create_task(self._write())

    def save_now(self, messages: tuple[Message, ...]) -> None:
        """Write the active session's file before this returns: it is about to be left."""
        self._due = None
        self._put(self.sessions.active, messages)

    def entitle(self, prompt: str, answer: str, messages: tuple[Message, ...]) -> None:
        """Give the active session a title after its first answer. Nobody waits for it."""
        head = self.sessions.active
        if head is None or head.title_generated or self._naming:
            return
        task = asyncio.get_running_loop().create_task(self._name(head, prompt, answer, messages))
        self._naming.add(task)
        task.add_done_callback(self._naming.discard)

    async def close(self) -> None:
        """Let what is being written end; a title that is still asked for is given up."""
        for task in (*self._naming, self._writing):
            if task is not None and not task.done():
                if task is not self._writing:
                    task.cancel()
                await asyncio.wait({task}, timeout=5)

    async def _write(self) -> None:
        while self._due is not None:
            (head, messages), self._due = self._due, None
            await asyncio.to_thread(self._put, head, messages)

    def _put(self, head: Head | None, messages: tuple[Message, ...]) -> None:
        try:
            self.sessions.save(records_of(messages), head)
        except OSError as error:
            # The log has everything; the file is written again with the next round.
            log.warning("the session file in %s cannot be written: %s", self.sessions.folder, error)

    async def _name(self, head: Head, prompt: str, answer: str, messages: tuple[Message, ...]) -> None:
        title = ""
        if self._titler is not None:
            question = UserMessage(content=titles.title_request(prompt, answer))
            try:
                asked = await answer_to(
                    self._titler, Request(system=titles.INSTRUCTION, messages=(question,))
                )
                title = titles.title_from_model(spoken(asked.message.content))
            except EndpointError as error:
                log.info("no title for the session %s: %s", head.id, error)
        try:
            self.sessions.entitle(head, title or titles.fallback_title(prompt, answer), records_of(messages))
        except OSError as error:
            log.warning("the title of the session %s cannot be kept: %s", head.id, error)


def records_of(messages: Sequence[Message]) -> list[dict[str, object]]:
    return [to_record(each) for each in messages]
