"""The gate before powers: what a model may only do with its person's leave.

A tool with a `power` can change more than a body could: run a server's commands, write its scripts. Whether
it runs is decided here, outside the model, from three things that no model can write: what the configuration
grants to this person, whose words the conversation holds, and what the person answers when asked.

A conversation is *tainted* once words of others have come into it: chat of strangers, a page of the web, a
sign. From then on whatever the model wants may be a stranger's wish, so the person is asked about each call.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Collection, Mapping
from typing import Any, Final, Literal, Protocol

from numen.tool.contract import parse_arguments
from numen.tool.result import ToolFailure

log = logging.getLogger(__name__)

Confirm = Literal["always", "tainted", "never"]

#: Of a long call the person is shown the beginning and the end: no tail may hide behind a long head.
HEAD: Final = 240
TAIL: Final = 80

#: Stands in a result that holds words of others though its tool needs not; the conversation is tainted by it.
HEARSAY: Final = "(may hold words of others)"


class Asker(Protocol):
    """Whoever can put a yes-or-no question to the person. Silence is a no."""

    async def confirm(self, text: str) -> bool: ...


class Trust:
    """What one conversation with one person may do."""

    def __init__(
        self,
        granted: Collection[str] = (),
        *,
        confirm: Confirm = "tainted",
        asker: Asker | None = None,
        language: str = "en",
    ) -> None:
        """`granted` are the powers that this person has; `confirm` says when he is asked about a call."""
        self.granted = frozenset(granted)
        self.confirm: Confirm = confirm
        self._asker = asker
        self._chinese = language.startswith("zh")
        self._sources: dict[str, None] = {}

    @property
    def tainted(self) -> str | None:
        """Whose words other than the person's are in the conversation; None for nobody's."""
        return ", ".join(self._sources) or None

    def taint(self, source: str) -> None:
        """Words of `source` (``what Eve says in chat``) have come into the conversation."""
        self._sources.setdefault(source)

    def clear(self) -> None:
        """The conversation begins anew and holds nobody's words."""
        self._sources.clear()

    async def admit(self, power: str, tool: str, shown: str) -> None:
        """Let a call of `tool` pass; `shown` are its arguments, for the person. Raises ToolFailure."""
        if power not in self.granted:
            raise ToolFailure(
                f"{tool} is a power over the server ({power}) that is not granted to the person you serve; "
                "only the configuration can grant it, so tell them instead of trying again"
            )
        if self.confirm == "never" or (self.confirm == "tainted" and self.tainted is None):
            return
        log.info("asking before %s, as the conversation holds %s", tool, self.tainted or "nothing foreign")
        if self._asker is None or not await self._asker.confirm(self._question(tool, shown)):
            raise ToolFailure(
                f"the person you serve did not agree to this call of {tool}; do not try it again unless asked"
            )

    def _question(self, tool: str, shown: str) -> str:
        line = " ".join(shown.split())
        if len(line) > HEAD + TAIL:
            left_out = len(line) - HEAD - TAIL
            line = f"{line[:HEAD]} […{left_out}…] {line[-TAIL:]}"
        return f"允许 {tool} {line}？" if self._chinese else f"Allow {tool} {line}?"


def power_of(tool: object) -> str | None:
    """The power that a tool needs; None for all that a body does."""
    power = getattr(tool, "power", None)
    return power if isinstance(power, str) and power else None


def trust_of(services: Mapping[type[Any], Any]) -> Trust:
    """The trust of the conversation that has these services; without one, a trust that grants nothing."""
    trust = services.get(Trust)
    return trust if isinstance(trust, Trust) else Trust()


async def admit(tool: object, name: str, raw_args: str, services: Mapping[type[Any], Any]) -> None:
    """Let a call pass the gate. Raises ToolFailure; without a `Trust` no power is granted.

    Raises BadArguments for arguments that can't be read, as nobody could tell what is agreed to.
    """
    power = power_of(tool)
    if power is not None:
        await trust_of(services).admit(power, name, _shown(parse_arguments(raw_args)))


def _shown(arguments: Mapping[str, Any]) -> str:
    """The arguments as the tool reads them: no escape, no doubled key and no JSON in JSON hides what runs."""
    text = json.dumps(arguments, ensure_ascii=False)
    return "".join(sign if sign.isprintable() else "�" for sign in text)


def taint_by(name: str, services: Mapping[type[Any], Any]) -> None:
    """Note that what that tool returns, other people's words, comes into the conversation."""
    trust_of(services).taint(f"what {name} returned")
