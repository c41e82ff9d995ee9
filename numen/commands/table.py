"""The one table of commands. Each is a function of a `Call`; whatever it has to say goes to who gave it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from numen.agent import Halt, Mind, Refused
from numen.agent import words as engine_words
from numen.agent.commands import Command, CommandName
from numen.agent.questions import Questions
from numen.commands import things
from numen.commands.settings import KEYS as SETTINGS
from numen.commands.settings import PROVIDERS, SECRETS, BadValue, Settings, key_of
from numen.commands.texts import say
from numen.commands.words import Order
from numen.session import Head, Person, SessionError
from numen.session.player_settings import BROADCASTS, PlayerSettings
from numen.session.souls import Souls

if TYPE_CHECKING:
    from numen.companion import Companion

log = logging.getLogger(__name__)

#: Sessions and assets in one listing.
SHOWN: Final = 8

Source = Literal["chat", "whisper", "console"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who gives a command, from where, and how he is answered: `tell` takes one line."""

    person: Person
    source: Source
    tell: Callable[[str], None]

    @property
    def private(self) -> bool:
        """Nobody else reads what was written."""
        return self.source != "chat"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One command of one person to one companion."""

    caller: Caller
    companion: Companion
    mind: Mind
    key: str
    """The person's key in the data folder."""
    settings: Settings
    players: PlayerSettings
    souls: Souls
    data: Path
    later: set[asyncio.Task[None]]
    """Where commands that take a while are kept until they have ended."""

    @property
    def language(self) -> str:
        return self.mind.language

    def say(self, key: str, /, **facts: object) -> None:
        self.caller.tell(say(key, self.language, **facts))

    def questions(self) -> Questions:
        return self.mind.context.service(Questions)


def carry_out(call: Call, order: Order) -> None:
    """Carry `order` out. What can't be done is told, and nothing is raised."""
    try:
        COMMANDS[order.name](call, order.text)
    except Refused as refusal:
        call.caller.tell(engine_words.say(refusal.key, call.language, **refusal.facts))
    except (OSError, SessionError) as error:
        log.warning("the command %s failed: %s", order.name, error)
        call.say("cannot_write", detail=error)


def _prompt(call: Call, text: str) -> None:
    if not text:
        call.say("prompt_how")
    elif not call.mind.hear(text):
        call.say("not_kept")


def _engine(name: CommandName) -> Callable[[Call, str], None]:
    """A command to the engine: goals, and the length of the conversation."""

    def order(call: Call, text: str) -> None:
        call.mind.order(Command(name, text))

    return order


def _stop(call: Call, _text: str) -> None:
    was_busy = call.mind.busy or call.companion.works_for(call.key)
    call.questions().skip()
    call.mind.halt(Halt.OWNER_STOP)
    call.say("stopped" if was_busy else "nothing_to_stop")


def _retry(call: Call, text: str) -> None:
    call.mind.retry(text)
    call.say("retried")


def _choose(call: Call, text: str) -> None:
    taken = call.questions().choose(text)
    if taken.told:
        call.caller.tell(taken.told)
    if taken.passed_on:
        call.mind.hear(taken.passed_on)


# -- sessions and souls


def _new(call: Call, _text: str) -> None:
    call.say("session_new", token=call.mind.new_session().token)


def _sessions(call: Call, text: str) -> None:
    word, _, ref = text.partition(" ")
    ref = ref.strip()
    match word.casefold():
        case "" | "list" | "列表":
            _list_sessions(call)
        case "new" | "新建":
            _new(call, "")
        case "resume" | "继续" if ref:
            head = call.mind.switch_session(ref)
            call.say("session_resumed", token=head.token, title=head.title)
        case "remove" | "删除" if ref:
            head = call.mind.remove_session(ref)
            active = _active(call)
            call.say(
                "session_removed", token=head.token, title=head.title, active=active.token if active else "-"
            )
        case "repair" | "修复":
            head, count = call.mind.repair_session(ref or None)
            call.say("session_repaired", token=head.token, count=count)
        case _:
            call.say("sessions_how")


def _active(call: Call) -> Head | None:
    return call.mind.sessions.active if call.mind.sessions is not None else None


def _list_sessions(call: Call) -> None:
    heads = call.mind.sessions.all() if call.mind.sessions is not None else []
    if not heads:
        call.say("sessions_none")
        return
    active = _active(call)
    for line in things.session_lines(heads[:SHOWN], active.id if active else "", call.language):
        call.caller.tell(line)
    if len(heads) > SHOWN:
        call.say("sessions_more", count=len(heads) - SHOWN)


def _persona(call: Call, text: str) -> None:
    if text:
        call.say("soul_chosen", soul=call.mind.switch_soul(text))
    else:
        call.say("souls", soul=call.mind.soul, names=", ".join(call.souls.names()))


# -- settings


def _config(call: Call, text: str) -> None:
    word, _, value = text.partition(" ")
    value = value.strip()
    if not word:
        for line in (
            say("config_keys", call.language, keys=", ".join(SETTINGS)),
            say(
                "config_how",
                call.language,
                settable=", ".join((*call.settings.settable, "broadcast-requests-to")),
            ),
        ):
            call.caller.tell(line)
        return
    key = key_of(word)
    if key is None:
        call.say("config_unknown", key=word[:40], keys=", ".join(SETTINGS))
    elif value:
        _set(call, key, value)
    elif key in SECRETS and not call.caller.private:
        call.say("config_private")
    else:
        shown = (
            call.players.broadcast(call.key)
            if key == "broadcast-requests-to"
            else call.settings.shown(key, call.mind)
        )
        call.say("config_line", key=key, value=shown)


def _set(call: Call, key: str, value: str) -> None:
    place = call.settings.place(key)
    if key in SECRETS:
        call.say("config_secret", place=place)
    elif key == "broadcast-requests-to":
        target = BROADCASTS.get(value.casefold())
        if call.caller.source == "console":
            call.say("player_only")
        elif target is None:
            call.say("config_bad", key=key, values="self, all, ops")
        else:
            call.players.set_broadcast(call.key, target)
            call.say("config_kept", key=key, value=target)
    elif key == "provider" and value.casefold() not in PROVIDERS:
        call.say("config_bad", key=key, values=", ".join(PROVIDERS))
    else:
        try:
            call.settings.set(key, value, call.mind)
        except KeyError:
            call.say("config_file_only", key=key, place=place)
        except BadValue as error:
            call.say("config_bad", key=key, values=error)
        else:
            call.say("config_set", key=key, value=call.settings.shown(key, call.mind))


def _touch(call: Call, text: str) -> None:
    match text.casefold():
        case "" | "toggle":
            on = not call.players.assistive_touch(call.key)
        case "on" | "true":
            on = True
        case "off" | "false":
            on = False
        case _:
            call.say("touch_how")
            return
    call.players.set_assistive_touch(call.key, on)
    call.say("touch_on" if on else "touch_off")


# -- the rest


def _more(call: Call, _text: str) -> None:
    name = None if call.caller.source == "console" else call.caller.person.name
    if not call.companion.voice.more(name, private=call.caller.source == "whisper"):
        call.say("no_more")


def _help(call: Call, _text: str) -> None:
    call.say("help")


COMMANDS: Final[Mapping[str, Callable[[Call, str], None]]] = {
    "prompt": _prompt,
    "config": _config,
    "sessions": _sessions,
    "new": _new,
    "assets": things.assets,
    "history": things.history,
    "stop": _stop,
    "retry": _retry,
    "persona": _persona,
    "choose": _choose,
    "assistivetouch": _touch,
    "more": _more,
    "help": _help,
    "goal": _engine("goal"),
    "compact": _engine("compact"),
    "clear": _engine("clear"),
}
