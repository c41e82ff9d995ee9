"""Runs the Node half of a benchmark, where Node and its packages are there.

The packages of tests/node/package.json are looked for in the folder that NUMEN_NODE_MODULES names, and else
in tests/node/node_modules.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

SCRIPTS = Path(__file__).parents[1] / "node"


def modules() -> Path | None:
    """The folder of installed packages, or None where Node or the packages are missing."""
    folder = Path(os.environ.get("NUMEN_NODE_MODULES") or SCRIPTS / "node_modules")
    return folder if shutil.which("node") and (folder / "minecraft-protocol").is_dir() else None


def run(script: str, lines: Iterable[Any]) -> Any:
    """What a script of tests/node prints for these lines of input, or None where it can't run."""
    folder = modules()
    if folder is None:
        return None
    done = subprocess.run(
        ["node", str(SCRIPTS / script)],
        input="\n".join(map(json.dumps, lines)),
        capture_output=True,
        text=True,
        env={**os.environ, "NODE_PATH": str(folder)},
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])
