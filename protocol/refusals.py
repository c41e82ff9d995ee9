"""Why a server sent us away, as one plain sentence with the next step, and as a kind that code can decide on.

Kinds: ``version``, ``whitelist``, ``banned``, ``full``, ``name_taken``, ``online_account``, ``auth_down``,
``neoforge``, ``shutdown``, ``duplicate``, ``idle``, ``spam``, ``chat``, ``resource_pack``, ``timeout``, and
``kicked`` for everything else.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from protocol.link import Disconnect
from protocol.nbt import Nbt, NbtError
from protocol.text import plain_text, translation_keys

GAME_VERSION = "1.21.1"
PROTOCOL_VERSION = 767

_KINDS = {
    "multiplayer.disconnect.incompatible": "version",
    "multiplayer.disconnect.outdated_client": "version",
    "multiplayer.disconnect.outdated_server": "version",
    "multiplayer.disconnect.not_whitelisted": "whitelist",
    "multiplayer.disconnect.banned": "banned",
    "multiplayer.disconnect.banned.reason": "banned",
    "multiplayer.disconnect.banned_ip.reason": "banned",
    "multiplayer.disconnect.ip_banned": "banned",
    "multiplayer.disconnect.server_full": "full",
    "multiplayer.disconnect.name_taken": "name_taken",
    "multiplayer.disconnect.unverified_username": "online_account",
    "multiplayer.disconnect.server_shutdown": "shutdown",
    "multiplayer.disconnect.duplicate_login": "duplicate",
    "multiplayer.disconnect.idling": "idle",
    "multiplayer.disconnect.slow_login": "timeout",
    "multiplayer.requiredTexturePrompt.disconnect": "resource_pack",
    "multiplayer.disconnect.chat_validation_failed": "chat",
    "multiplayer.disconnect.out_of_order_chat": "chat",
    "multiplayer.disconnect.too_many_pending_chats": "chat",
    "multiplayer.disconnect.unsigned_chat": "chat",
    "multiplayer.disconnect.missing_public_key": "chat",
    "multiplayer.disconnect.expired_public_key": "chat",
    "multiplayer.disconnect.invalid_public_key_signature": "chat",
    "multiplayer.disconnect.authservers_down": "auth_down",
    "multiplayer.disconnect.invalid_session": "auth_down",
    "disconnect.timeout": "timeout",
    "disconnect.spam": "spam",
    "disconnect.exceeded_packet_rate": "spam",
}

_NEXT_STEPS = {
    "version": f"Numen plays Minecraft {GAME_VERSION}.",
    "whitelist": "An operator can let it in with /whitelist add {username}.",
    "full": "Try again when somebody has left.",
    "name_taken": "Choose another name for the companion.",
    "online_account": "It wants a Minecraft account; an offline companion needs online-mode=false there.",
    "resource_pack": "It insists on its resource pack; resource_packs: accept lets the companion in.",
    "auth_down": "The session service may be down for a moment, or the login has expired.",
    "neoforge": "It has mods that every player must have.",
}


def refused(component: Any, *, state: str, username: str, with_account: bool = False) -> Disconnect:
    """The server's own words for ending the connection in `state`. `with_account`: we have one, so a server
    that can't verify it has another trouble than our having none."""
    text = " ".join(plain_text(component).split()) or "no reason given"
    kind = "kicked"
    for key in translation_keys(component):
        if key in _KINDS:
            kind = _KINDS[key]
            break
        if key.startswith(("neoforge.network.negotiation.", "fml.")):
            kind = "neoforge"
            break
    if kind == "online_account" and with_account:
        kind = "auth_down"
    opening = "The server kicked the companion" if state == "play" else "The server refused the companion"
    sentence = f"{opening}: {text}"
    if sentence[-1] not in ".!?。":
        sentence += "."
    if kind in _NEXT_STEPS:
        sentence = f"{sentence} {_NEXT_STEPS[kind].format(username=username)}"
    details = {"kind": kind, "text": text, "username": username, **_translation(component)}
    return Disconnect(sentence, by_server=True, component=component, state=state, details=details)


def _translation(component: Any) -> dict[str, Any]:
    """The translation the reason consists of, for those who look at keys: its key and what fills it."""
    if isinstance(component, Nbt):
        try:
            component = component.value
        except NbtError:
            return {}
    if not isinstance(component, Mapping) or not isinstance(component.get("translate"), str):
        return {}
    arguments = component.get("with")
    filled = [plain_text(each) for each in arguments] if isinstance(arguments, list) else []
    return {"key": component["translate"], "with": filled}


def other_version(name: str, number: int, address: str) -> Disconnect:
    """The server's status says it speaks another protocol than ours."""
    sentence = (
        f"The server at {address} runs Minecraft {name} (protocol {number}); "
        f"Numen plays {GAME_VERSION} (protocol {PROTOCOL_VERSION})."
    )
    details = {"kind": "version", "version": name, "protocol": number, "address": address}
    return Disconnect(sentence, by_server=True, state="login", details=details)
