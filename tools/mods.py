"""Which mods the server has and which commands it offers, as far as a player can see.

Names and descriptions in it are the server's words, so both tools are marked untrusted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from numen.body.body import Body
from numen.tool import ToolContext, ToolFailure, ToolRegistry, tool
from numen.web.bounds import capped
from protocol.command_usage import roots
from protocol.neoforge import NeoForge
from tools.jars import JarMod, ModsFolder
from tools.support import body_of

MAX_MODS: Final = 300
MAX_COMMANDS: Final = 500
#: Namespaces that are no mod's.
NO_MODS: Final = frozenset(
    {"", "minecraft", "neoforge", "forge", "fml", "c", "brigadier", "bukkit", "spigot", "paper"}
)
_NAMESPACE: Final = re.compile(r"[a-z0-9_.-]{1,64}")


@tool(untrusted=True)
async def list_mods(context: ToolContext) -> str:
    """List the server's mods and how each is known. Without access to the server's folder this is what the
    server shows a player, which may not be all."""
    folder = context.services.get(ModsFolder)
    jars = await folder.read() if isinstance(folder, ModsFolder) else ()
    body = context.anchor()
    seen = seen_by_player(body) if isinstance(body, Body) else {}
    if not jars and not isinstance(body, Body):
        raise ToolFailure("I am not on a server just now; try again when I am.")
    lines = mod_lines(jars, seen)
    brand = getattr(body.link, "server_brand", None) if isinstance(body, Body) else None
    head = [f"server: {_clean(brand)}"] if brand else []
    if isinstance(folder, ModsFolder):
        head.append("The mods folder was read: ids with a version are certain.")
    else:
        head.append(
            "The server's folder is not known here: these are the mods that show themselves to players."
        )
    if not lines:
        lines = ["No mods show themselves."]
    elif len(lines) > MAX_MODS:
        lines = [*lines[:MAX_MODS], f"… and {len(lines) - MAX_MODS} more"]
    return capped("\n".join([*head, *lines]))


@tool(untrusted=True)
async def list_commands(context: ToolContext, mod_id: str | None = None) -> str:
    """List the commands that I may use on this server, with how they are written. A player who is no operator
    is shown few of them.

    Args:
        mod_id: Only the commands of this mod, as list_mods names it.
    """
    tree = command_tree(body_of(context))
    if tree is None:
        raise ToolFailure("The server has not told its commands yet; try again in a few seconds.")
    commands = roots(tree)
    head = f"{len(commands)} commands that this server lets me use:"
    if mod_id is not None and mod_id.strip():
        folder = context.services.get(ModsFolder)
        jars = await folder.read() if isinstance(folder, ModsFolder) else ()
        known = next((each for each in jars if each.id.casefold() == mod_id.strip().casefold()), None)
        aliases = aliases_of(mod_id, known.name if known else "")
        commands = {name: usage for name, usage in commands.items() if belongs(name, aliases)}
        if not commands:
            return f"None of the commands that I may use here shows that it belongs to {_clean(mod_id)}."
        head = f"{len(commands)} commands that look like those of {_clean(mod_id)}:"
    lines = [f"- {_clean(usage)}" for usage in list(commands.values())[:MAX_COMMANDS]]
    if len(commands) > MAX_COMMANDS:
        lines.append(f"… and {len(commands) - MAX_COMMANDS} more")
    return capped("\n".join([head, *lines]))


def command_tree(body: Body) -> Mapping[str, Any] | None:
    """The command tree that the server sent last, None before it did."""
    latest = getattr(body.link, "latest", None)
    return latest("declare_commands") if latest is not None else None


def seen_by_player(body: Body) -> dict[str, list[str]]:
    """Mod id → how this connection shows that it is there, the surest sign first."""
    found: dict[str, list[str]] = {}
    neoforge = getattr(body.link, "neoforge", None)
    if isinstance(neoforge, NeoForge):
        agreed = {*neoforge.agreed["configuration"], *neoforge.agreed["play"]}
        _note(found, agreed, "channel agreed on")
        _note(found, neoforge.announced, "channel announced")
        _note(found, neoforge.mods, "NeoForge registries or channels")
    tree = command_tree(body)
    if tree is not None:
        _note(found, (name for name in roots(tree) if ":" in name), "commands (a hint)")
    return found


def mod_lines(jars: Iterable[JarMod], seen: Mapping[str, list[str]]) -> list[str]:
    """One line for each mod by id, with every source it is known from."""
    files = {mod.id: mod for mod in jars}
    lines = []
    for mod_id in sorted({*files, *seen}):
        mod, signs = files.get(mod_id), list(seen.get(mod_id, ()))
        title = mod_id
        if mod is not None:
            title = " ".join(
                each for each in (mod_id, mod.version, f"({mod.name})" if mod.name else "") if each
            )
            signs.insert(0, f"mods folder, {mod.jar}")
        lines.append(f"- {_clean(title)} [{_clean('; '.join(signs))}]")
    return lines


def aliases_of(mod_id: str, name: str = "") -> list[str]:
    """What the names of a mod's commands may begin with: its id, and words of 3 letters or more."""
    normal = re.sub(r"[^a-z0-9]+", "_", mod_id.strip().casefold()).strip("_")
    words = [word for word in re.findall(r"[a-z0-9]+", name.casefold()) if len(word) >= 3]
    plain = mod_id.strip().casefold()
    return list(dict.fromkeys(each for each in (plain, normal, normal.replace("_", ""), *words) if each))


def belongs(command: str, aliases: Iterable[str]) -> bool:
    """Whether a command's name shows that it is of the mod with these aliases."""
    name = command.casefold()
    return any(
        name == alias
        or name.startswith(tuple(alias + sign for sign in " :_-"))
        or f":{alias}" in name
        or (len(alias) >= 5 and alias in name)
        for alias in aliases
    )


def _note(found: dict[str, list[str]], names: Iterable[str], sign: str) -> None:
    for name in names:
        mod_id = name.partition(":")[0].casefold()
        if mod_id in NO_MODS or not _NAMESPACE.fullmatch(mod_id):
            continue
        signs = found.setdefault(mod_id, [])
        if sign not in signs:
            signs.append(sign)


def _clean(text: object) -> str:
    """One line without control characters: a server can call its commands what it likes."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in str(text)).split())[:300]


def register(registry: ToolRegistry) -> None:
    """Add the tools that look at what the server is made of."""
    registry.register(list_mods)
    registry.register(list_commands)
