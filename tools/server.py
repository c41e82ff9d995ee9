"""Powers over the server: commands, reloads, scripts. Each passes the gate of `numen.tool.trust`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from numen.body.body import Body
from numen.powers import reload as reloading
from numen.powers.commands import CommandRefused, CommandRunner, Ran, innermost
from numen.powers.instant import (
    BRIDGE,
    MAX_CODE,
    UNKNOWN_FUNCTION,
    bridge_command,
    function_lines,
    looks_like_commands,
    write_function,
)
from numen.powers.rcon import RconError
from numen.powers.scripts import MAX_READ, ScriptError, ScriptFolder
from numen.tool import ToolContext, ToolFailure, ToolRegistry, tool
from numen.tool.trust import trust_of
from protocol.command_usage import root_names
from tools.reading import hearsay

T = TypeVar("T")

#: How long a server may take to send its commands anew after a reload, in seconds.
TREE_S = 5.0
#: How often a function is tried that a server, still at its reload, does not know yet, and the pause between.
FUNCTION_TRIES = 8
FUNCTION_PAUSE_S = 1.0
#: Where words of others come from.
LOGS = "the server's logs"
ANSWERS = "what the server said to a command"


@dataclass(frozen=True, slots=True)
class ServerPowers:
    """What the powers of one companion work with. `folder` is the server's own, where it is known."""

    runner: CommandRunner
    folder: Path | None = None


@tool(name="execute-command", power="commands")
async def execute_command(context: ToolContext, command: str) -> str:
    """Run a command of the server and read what it says. Whether it worked is judged by that.

    Args:
        command: One command, such as "time set day"; a slash in front may be left out.
    """
    powers = context.service(ServerPowers)
    if innermost(command.strip().removeprefix("/")) == "reload":
        if "reload" not in trust_of(context.services).granted:
            raise ToolFailure("reload is a power of its own (reload), which is not granted here")
        return await _reload(context)
    ran = await _run(context, powers, command)
    return _told(context, ran, ran.lines())


@tool(name="reload-game", power="reload")
async def reload_game(context: ToolContext) -> str:
    """Reload data packs and server scripts, and report the errors of scripts that are new in the logs."""
    return await _reload(context)


async def _reload(context: ToolContext) -> str:
    powers = context.service(ServerPowers)
    folder = powers.folder
    before = await asyncio.to_thread(reloading.mark, folder) if folder is not None else {}
    ran = await _run(context, powers, "reload", own=True)
    found = await reloading.errors_since(folder, before) if folder is not None and ran.ok else None
    answer = "looks done" if ran.ok else "failed"
    text = reloading.report(f"{answer} ({ran.doubt})" if ran.doubt else answer, ran.output, found)
    errors = found.errors if found is not None else []
    if errors:
        text = f"{text}\n{hearsay(context, LOGS)}"
    else:
        text = _told(context, ran, text)
    if errors or not ran.ok:
        raise ToolFailure(text)
    return text


@tool(name="sync-command-tree", power="reload")
async def sync_command_tree(context: ToolContext) -> str:
    """Have the server send its commands anew to everybody who is online. A player can't do that, so
    the server is told to reload."""
    body = _present(context)
    before = body.link.latest("declare_commands")
    ran = await _run(context, context.service(ServerPowers), "reload", own=True)
    if not ran.ok:
        raise ToolFailure(_told(context, ran, f"the reload that sends the commands failed\n{ran.lines()}"))
    try:
        async with asyncio.timeout(TREE_S):
            while body.online and body.link.latest("declare_commands") is before:
                await asyncio.sleep(0.05)
    except TimeoutError:
        raise ToolFailure(
            f"after /reload the server has sent no commands anew within {TREE_S:g} s; who is online may "
            "still have the old ones"
        ) from None
    count = len(root_names(body.link.latest("declare_commands")) or ())
    players = sum(1 for _ in body.world.players)
    return (
        f"sent anew by /reload, which reaches all {players} players online; here came {count} commands. "
        "What the others were sent can't be seen from here."
    )


# -- scripts ---------------------------------------------------------------------------------------------


@tool(name="list-server-scripts", power="scripts", untrusted=True)
async def list_server_scripts(context: ToolContext) -> str:
    """List the server scripts of this companion, with their sizes."""
    scripts = _scripts(context)
    found, more = await _files(scripts.list)
    lines = [
        f"- {each.path} ({each.size} bytes, {datetime.fromtimestamp(each.changed):%Y-%m-%d %H:%M})"
        for each in found
    ]
    if more:
        lines.append("… and more")
    return "\n".join([f"{len(found)} scripts:" if found else "There are no scripts yet.", *lines])


@tool(name="read-server-script", power="scripts", untrusted=True)
async def read_server_script(context: ToolContext, path: str) -> str:
    """Read a server script.

    Args:
        path: Its path, as list-server-scripts names it.
    """
    scripts = _scripts(context)
    text, cut = await _files(lambda: scripts.read(path))
    warning = f"\nWARNING: only the first {MAX_READ} characters are shown" if cut else ""
    return f"script: {path}\n----- BEGIN -----\n{text}\n----- END -----{warning}"


@tool(name="write-server-script", power="scripts")
async def write_server_script(context: ToolContext, path: str, content: str) -> str:
    """Write a server script (KubeJS JavaScript); one of the same path is replaced. It takes effect with
    reload-game.

    Args:
        path: Where it goes, such as "welcome.js".
        content: The whole script.
    """
    scripts = _scripts(context)
    shown, size = await _files(lambda: scripts.write(path, content))
    hint = (
        ""
        if (scripts.server / "kubejs").is_dir() and await _has_kubejs(scripts.server)
        else ("\nNo KubeJS was found in the mods folder; without it the script does nothing.")
    )
    return f"wrote {shown}, {size} bytes{hint}"


@tool(name="delete-server-script", power="scripts")
async def delete_server_script(context: ToolContext, path: str) -> str:
    """Delete a server script.

    Args:
        path: Its path, as list-server-scripts names it.
    """
    scripts = _scripts(context)
    return f"deleted {await _files(lambda: scripts.delete(path))}"


async def _has_kubejs(server: Path) -> bool:
    return await asyncio.to_thread(lambda: any((server / "mods").glob("[Kk]ube*.jar")))


# -- at once ---------------------------------------------------------------------------------------------


@tool(name="apply-instant-server-script", power="instant", untrusted=True)
async def apply_instant_server_script(context: ToolContext, code: str) -> str:
    """Run code on the server at once: JavaScript where MineClawd's bridge into KubeJS is there, else lines of
    commands as a function of a data pack.

    Args:
        code: JavaScript, or one command a line.
    """
    powers, body = context.service(ServerPowers), _present(context)
    known = root_names(body.link.latest("declare_commands")) or frozenset()
    if len(code.encode("utf-8", "replace")) > MAX_CODE:
        raise ToolFailure(f"code run at once may have {MAX_CODE} bytes; write a script and reload instead")
    if BRIDGE in known:
        ran = await _run(context, powers, bridge_command(code), own=True)
        if not ran.ok:
            raise ToolFailure(f"ran by: the KubeJS bridge\n{ran.output}")
        return f"ran by: the KubeJS bridge\noutput: {ran.output or '(none)'}"
    if not looks_like_commands(code, known | {"function", "execute"}):
        raise ToolFailure(
            "not available: this server shows no bridge into KubeJS, so JavaScript can't be run at once. "
            "Write it with write-server-script and reload-game, or give lines of commands."
        )
    if powers.folder is None:
        raise ToolFailure(
            "not available: commands run at once as a function of a data pack, and the server's folder is "
            "not known here (server.folder in the YAML). Use execute-command for each."
        )
    folder = powers.folder
    try:
        lines = function_lines(code, powers.runner)
    except CommandRefused as refused:
        raise ToolFailure(str(refused)) from None
    function = await _files(lambda: write_function(folder, lines))
    before = await asyncio.to_thread(reloading.mark, folder)
    reloaded = await _run(context, powers, "reload", own=True)
    if not reloaded.ok:
        raise ToolFailure(f"ran by: a data pack's function, for which the reload failed\n{reloaded.lines()}")
    await reloading.errors_since(folder, before)  # until the reload has ended
    for left in range(FUNCTION_TRIES, 0, -1):
        ran = await _run(context, powers, f"function {function}", own=True)
        if UNKNOWN_FUNCTION not in ran.output or left == 1:
            break
        await asyncio.sleep(FUNCTION_PAUSE_S)
    told = f"{reloaded.lines()}\n{ran.lines()}"
    if not ran.ok:
        raise ToolFailure(f"ran by: a data pack's function, which failed\n{told}")
    return f"ran by: a data pack's function of {len(lines)} commands\n{told}"


# -- what they share -------------------------------------------------------------------------------------


def _present(context: ToolContext) -> Body:
    body = context.anchor()
    if not isinstance(body, Body) or not body.online:
        raise ToolFailure("I am not on a server just now; try again when I am.")
    return body


async def _run(context: ToolContext, powers: ServerPowers, line: str, *, own: bool = False) -> Ran:
    body = context.anchor()
    try:
        return await powers.runner.run(body if isinstance(body, Body) else None, line, own=own)
    except CommandRefused as refused:
        raise ToolFailure(str(refused)) from None
    except RconError as error:
        may = "; the command may have run all the same, so look before you repeat it" if error.sent else ""
        raise ToolFailure(f"{error}{may}") from None


def _told(context: ToolContext, ran: Ran, text: str) -> str:
    """What is told of a command: as a failure where it failed; marked where words of others can be in it."""
    if not ran.clean and ran.output:
        text = f"{text}\n{hearsay(context, ANSWERS)}"
    if not ran.ok:
        raise ToolFailure(text)
    return text


def _scripts(context: ToolContext) -> ScriptFolder:
    folder = context.service(ServerPowers).folder
    if folder is None:
        raise ToolFailure(
            "not available: the server's folder is not known here (server.folder in the YAML), and scripts "
            "are files in it"
        )
    return ScriptFolder(folder)


async def _files(work: Callable[[], T]) -> T:
    try:
        return await asyncio.to_thread(work)
    except ScriptError as error:
        raise ToolFailure(str(error)) from None
    except OSError as error:
        raise ToolFailure(f"the file system refused: {error.strerror or error}") from None


def register(registry: ToolRegistry, powers: Collection[str]) -> None:
    """Add the tools of the powers that are turned on."""
    for each in (
        execute_command,
        apply_instant_server_script,
        list_server_scripts,
        read_server_script,
        write_server_script,
        delete_server_script,
        reload_game,
        sync_command_tree,
    ):
        if each.power in powers:
            registry.register(each)
