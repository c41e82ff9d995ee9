"""What is said: who said it, to whom, in plain text.

Three packets bring talk: a player's signed message, a message in a player's name without his signature, and a
system message. Servers that turn everything into system messages are read by patterns, so that a companion
hears its owner there too.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Literal
from uuid import UUID

from protocol.nbt import Nbt, NbtError
from protocol.registries import CHAT_TYPE
from protocol.text import plain_text, translation_keys

if TYPE_CHECKING:
    from numen.world.events import Events
    from numen.world.myself import Myself
    from numen.world.players import Players
    from protocol.link import Link

Kind = Literal["chat", "whisper", "whisper_sent", "say", "emote", "team", "system"]

#: How many lines are remembered.
KEPT_LINES: Final = 200

#: Chat types of the registry, by name without their namespace; others count as chat (vanilla 1.21.1).
_KINDS: Final[dict[str, Kind]] = {
    "chat": "chat",
    "say_command": "say",
    "emote_command": "emote",
    "msg_command_incoming": "whisper",
    "msg_command_outgoing": "whisper_sent",
    "team_msg_command_incoming": "team",
    "team_msg_command_outgoing": "team",
}
#: Translations that are talk though they come as system messages; their arguments are a name and the words.
_TRANSLATED: Final[dict[str, Kind]] = {
    "chat.type.text": "chat",
    "chat.type.announcement": "say",
    "chat.type.emote": "emote",
    "commands.message.display.incoming": "whisper",
    "commands.message.display.outgoing": "whisper_sent",
}


@dataclass(frozen=True)
class Pattern:
    """How some server writes a player's words into a system message.

    `regex` is matched against the whole plain line and names the groups ``name`` and ``text``. A `loose`
    pattern counts only when the name is a player of the tab list, as it would match other sentences too.
    """

    regex: re.Pattern[str]
    kind: Kind = "chat"
    loose: bool = False


def pattern(regex: str, kind: Kind = "chat", *, loose: bool = False) -> Pattern:
    """A Pattern from its regular expression; ``NAME`` in it stands for an account name.

    Raises re.error for a broken expression and ValueError when it lacks a group.
    """
    compiled = re.compile(regex.replace("NAME", r"(?P<name>[A-Za-z0-9_.*]{1,17})"), re.DOTALL)
    missing = {"name", "text"} - set(compiled.groupindex)
    if missing:
        raise ValueError(f"the chat pattern {regex!r} has no group called {' or '.join(sorted(missing))}")
    return Pattern(compiled, kind, loose)


#: Tried in this order.
PATTERNS: Final = (
    pattern(r"<(?:[^<>]{0,40}\s)?NAME> (?P<text>.+)"),
    pattern(r"NAME whispers to you: (?P<text>.+)", "whisper"),
    pattern(r"You whisper to NAME: (?P<text>.+)", "whisper_sent"),
    pattern(r"NAME whispers: (?P<text>.+)", "whisper"),
    pattern(r"\[(?:[^\[\]]{0,20}\s)?NAME -> (?:me|you)\] (?P<text>.+)", "whisper"),
    pattern(r"\[(?:me|you) -> (?:[^\[\]]{0,20}\s)?NAME\] (?P<text>.+)", "whisper_sent"),
    pattern(r"(?:\[[^\[\]]{1,30}\]\s*)*NAME\s?(?:[:»>›]|->)\s(?P<text>.+)", loose=True),
    pattern(r"(?:\S{1,20}\s)?NAME\s?(?:[:»>›]|->)\s(?P<text>.+)", loose=True),
)


@dataclass(frozen=True)
class ChatLine:
    """One line. `text` is what was said, without the sender; `display` what a player reads on his screen."""

    text: str
    kind: Kind
    sender: str | None = None
    sender_uuid: UUID | None = None
    display: str = ""
    #: World tick at which it came.
    at: int = 0
    #: The body's own words coming back.
    own: bool = False
    #: Translation key of a system message, as ``multiplayer.player.joined`` or ``death.attack.mob``.
    key: str | None = None
    #: The name of the chat type the server used.
    chat_type: str | None = None
    #: The recipient's or the team's name where the type has one.
    target: str | None = None
    #: Keys of all translations in a system message, outermost first: a failure wraps its own in a red line.
    keys: tuple[str, ...] = ()
    #: The colour of a system message as a whole.
    colour: str | None = None


@dataclass
class ChatLog:
    """The last lines, oldest first. Iterating gives ChatLine."""

    events: Events
    me: Myself
    players: Players
    now: Callable[[], int]
    #: Tried on system messages; put a server's own in front.
    patterns: tuple[Pattern, ...] = PATTERNS
    lines: deque[ChatLine] = field(default_factory=lambda: deque(maxlen=KEPT_LINES))
    #: The last text above the hotbar.
    action_bar: str = ""
    #: Players' words come as system messages only here, so nobody's words can be trusted to be his.
    system_only: bool = False
    _chat_types: Callable[[int], tuple[str | None, Any]] = lambda number: (None, None)

    def __iter__(self) -> Iterator[ChatLine]:
        return iter(tuple(self.lines))

    def __len__(self) -> int:
        return len(self.lines)

    def recent(self, count: int = 20, kind: Kind | None = None) -> list[ChatLine]:
        """The last `count` lines, of one kind where given, oldest first."""
        found = [line for line in self.lines if kind is None or line.kind == kind]
        return found[-count:]

    def attach(self, link: Link) -> None:
        registries = link.registries

        def chat_type(number: int) -> tuple[str | None, Any]:
            return registries.name_of(CHAT_TYPE, number), registries.entry(CHAT_TYPE, number)

        self._chat_types = chat_type
        link.subscribe("player_chat", self._on_player)
        link.subscribe("profileless_chat", self._on_profileless)
        link.subscribe("system_chat", self._on_system)
        link.subscribe("action_bar", lambda fields: self._above_hotbar(fields["text"]))

    # --- packets ---------------------------------------------------------------------------------------

    def _on_player(self, fields: dict[str, Any]) -> None:
        # What the server makes of a message (a filter, a format) counts more than what was signed.
        unsigned = fields["unsignedChatContent"]
        text = fields["plainMessage"] if unsigned is None else plain_text(unsigned)
        uuid = fields["senderUuid"]
        known = self.players.get(uuid)
        shown = plain_text(fields["networkName"])
        self.system_only = False
        self._said(
            fields["type"], text, known.name if known else shown, shown, uuid, fields["networkTargetName"]
        )

    def _on_profileless(self, fields: dict[str, Any]) -> None:
        shown = plain_text(fields["name"])
        known = self.players.by_name(shown)
        uuid = known.uuid if known else None
        self._said(fields["type"], plain_text(fields["message"]), shown, shown, uuid, fields["target"])

    def _said(
        self, holder: Mapping[str, Any], text: str, name: str, shown: str, uuid: UUID | None, target: Any
    ) -> None:
        type_name, data = self._chat_type(holder)
        kind = _KINDS.get((type_name or "").removeprefix("minecraft:"), "chat")
        recipient = None if target is None else plain_text(target)
        sender, sender_uuid = name, uuid
        own = uuid == self.me.uuid if uuid is not None else name == self.me.name
        if kind == "whisper_sent":
            sender, sender_uuid, own = self.me.name, self.me.uuid, True
        self._add(
            ChatLine(
                text=text,
                kind=kind,
                sender=sender,
                sender_uuid=sender_uuid,
                display=_decorate(data, shown, text, recipient),
                at=self.now(),
                own=own,
                chat_type=type_name,
                target=recipient,
            )
        )

    def _chat_type(self, holder: Mapping[str, Any]) -> tuple[str | None, Any]:
        """Name and data of a chat type that came by number or inline."""
        if "chatType" in holder:
            return self._chat_types(holder["chatType"])
        chat = holder["data"]["chat"]
        return None, {"chat": {"translation_key": chat["translationKey"], "parameters": chat["parameters"]}}

    def _on_system(self, fields: dict[str, Any]) -> None:
        if fields["isActionBar"]:
            self._above_hotbar(fields["content"])
            return
        component = fields["content"]
        text = plain_text(component)
        line = self._from_translation(component, text) or self._from_pattern(component, text)
        if line is None:
            key = _translation(component)
            line = ChatLine(
                *(text, "system"),
                display=text,
                at=self.now(),
                key=key[0] if key else None,
                keys=tuple(islice(translation_keys(component), 16)),
                colour=_colour(component),
            )
        elif not line.own:
            self.system_only = True
        self._add(line)

    def _from_translation(self, component: Any, display: str) -> ChatLine | None:
        found = _translation(component)
        if found is None or found[0] not in _TRANSLATED or len(found[1]) < 2:
            return None
        key, arguments = found
        return self._read_line(
            _TRANSLATED[key], plain_text(arguments[0]), plain_text(arguments[1]), display, key
        )

    def _from_pattern(self, component: Any, display: str) -> ChatLine | None:
        if _translation(component) is not None:
            return None  # the game's own sentences are known by their keys, their wording proves nothing
        for each in self.patterns:
            match = each.regex.fullmatch(display)
            if match and not (each.loose and self.players.by_name(match["name"]) is None):
                return self._read_line(each.kind, match["name"], match["text"], display, None)
        return None

    def _read_line(self, kind: Kind, name: str, text: str, display: str, key: str | None) -> ChatLine:
        known = self.players.by_name(name)
        sender, uuid, target = (known.name if known else name), (known.uuid if known else None), None
        own = uuid == self.me.uuid if uuid is not None else name == self.me.name
        if kind == "whisper_sent":
            sender, uuid, target, own = self.me.name, self.me.uuid, sender, True
        return ChatLine(text, kind, sender, uuid, display, self.now(), own, key, target=target)

    def _above_hotbar(self, component: Any) -> None:
        self.action_bar = plain_text(component)
        self.events.emit("action_bar", self.action_bar)

    def _add(self, line: ChatLine) -> None:
        self.lines.append(line)
        self.events.emit("chat", line)


def _colour(component: Any) -> str | None:
    if isinstance(component, Nbt):
        try:
            component = component.value
        except NbtError:
            return None
    colour = component.get("color") if isinstance(component, Mapping) else None
    return colour if isinstance(colour, str) else None


def _translation(component: Any) -> tuple[str, list[Any]] | None:
    """Key and arguments of a component that is one translation, else None."""
    if isinstance(component, Nbt):
        try:
            component = component.value
        except NbtError:
            return None
    if not isinstance(component, Mapping) or not isinstance(component.get("translate"), str):
        return None
    arguments = component.get("with")
    return component["translate"], arguments if isinstance(arguments, list) else []


def _decorate(data: Any, sender: str, text: str, target: str | None) -> str:
    """The line as a player sees it, by the chat type's own translation."""
    chat = data.get("chat") if isinstance(data, Mapping) else None
    if not isinstance(chat, Mapping):
        return f"<{sender}> {text}"
    values = {"sender": sender, "content": text, "target": target or ""}
    given = [values.get(str(each), "") for each in chat.get("parameters", ())]
    return plain_text({"translate": str(chat.get("translation_key", "")), "with": given})
