"""Running code on the server at once: by MineClawd's bridge into KubeJS, else as a data pack's function."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path
from typing import Final

from numen.powers.commands import CommandRefused, CommandRunner
from numen.powers.scripts import ScriptFolder

#: The command of MineClawd's bridge: it decodes its argument and evaluates it on the server.
BRIDGE: Final = "_exec_kubejs_internal_mc"
#: Bytes of code that fit, encoded, into the packet of commands (protocol 767).
MAX_CODE: Final = 24_000
PACK: Final = Path("datapacks/numen")
#: Data packs of 1.21 and 1.21.1.
PACK_FORMAT: Final = 48
NAMESPACE: Final = "numen"
FUNCTIONS: Final = f"data/{NAMESPACE}/function"
#: What vanilla 1.21.1 says of a function that it has not loaded (yet).
UNKNOWN_FUNCTION: Final = "Unknown function"


def bridge_command(code: str) -> str:
    """The command that evaluates `code`: base64 for URLs, without padding."""
    return f"{BRIDGE} {base64.urlsafe_b64encode(code.encode()).decode().rstrip('=')}"


def function_lines(code: str, runner: CommandRunner) -> list[str]:
    """The commands of a function, each checked. Raises CommandRefused.

    vanilla 1.21.1 joins a line that ends in a backslash with the next one, and fills macros in lines that
    begin with a dollar sign: then what runs is not what was checked, so there are neither.
    """
    lines = [each.strip() for each in code.splitlines()]
    for each in lines:
        if each.endswith("\\"):
            raise CommandRefused("a line can't go on in the next one here; write each command in one line")
        if each.startswith("$"):
            raise CommandRefused("there are no macros here; write each command as it shall run")
    return [runner.check(each) for each in lines if each and not each.startswith("#")]


def looks_like_commands(code: str, known: frozenset[str]) -> bool:
    """Whether every line begins with a command of the server. `known` are the names that it has told."""
    lines = [each.strip() for each in code.splitlines()]
    roots = [
        each.removeprefix("/").split()[0] for each in lines if each.strip("/") and not each.startswith("#")
    ]
    return bool(roots) and all(each in known for each in roots)


def write_function(server: Path, lines: list[str]) -> str:
    """Put a function into a data pack of the server's world, in place of the one before; returns its name.

    The name tells what is in it: a server that has not finished its reload does not know the name, where it
    would run the old lines under an old one. Raises ScriptError and OSError.
    """
    pack = ScriptFolder(server, Path(level_name(server)) / PACK)
    description = "What the companion runs at once"
    meta = {"pack": {"pack_format": PACK_FORMAT, "description": description}}
    pack.write("pack.mcmeta", json.dumps(meta))
    text = "\n".join(lines) + "\n"
    name = f"instant_{hashlib.sha256(text.encode()).hexdigest()[:12]}"
    fresh, _ = pack.write(f"{FUNCTIONS}/{name}.mcfunction", text)
    for old in pack.list()[0]:
        if old.path.startswith(f"{FUNCTIONS}/instant_") and old.path != fresh:
            pack.delete(old.path)
    return f"{NAMESPACE}:{name}"


def level_name(server: Path) -> str:
    """The folder of the server's world, as its server.properties names it."""
    try:
        text = (server / "server.properties").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return "world"
    found = re.search(r"^level-name=(.+)$", text, re.MULTILINE)
    name = found.group(1).strip() if found is not None else "world"
    return name if re.fullmatch(r"[\w .-]+", name) and name.strip(". ") else "world"
