"""Somebody else's client lives on the practice server: mineflayer 4.39, which nobody here wrote a line of."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from numen.sandbox import start_sandbox

SCRIPTS = Path(__file__).parent.parent / "node"
PACKAGES = Path(os.environ.get("NUMEN_NODE_MODULES") or SCRIPTS / "node_modules")
STEPS = (
    *("login", "columns", "stand", "chat", "walk", "wood", "planks", "table", "place", "sticks", "pickaxe"),
    *("stone", "wear", "furnace", "chest", "fight", "eat", "cheat", "death", "end"),
)


def node() -> str:
    """The Node program; skips the test without it or its packages, or fails where they are required."""
    program = shutil.which("node")
    reason = ""
    if program is None:
        reason = "Node is not installed, so mineflayer can't visit the practice server."
    elif not (PACKAGES / "mineflayer").is_dir():
        reason = f"mineflayer is not in {PACKAGES}; run `make node` to fetch it."
    if reason:
        if os.environ.get("NUMEN_REQUIRE_NODE") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    assert program is not None
    return program


@pytest.mark.node
@pytest.mark.slow
@pytest.mark.timeout(240)
async def test_mineflayer_lives_its_first_minutes_on_the_practice_server() -> None:
    program = node()
    sandbox = await start_sandbox(seed=1, mobs=False)
    try:
        process = await asyncio.create_subprocess_exec(
            program,
            str(SCRIPTS / "sandbox_probe.js"),
            str(sandbox.port),
            "Probe",
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, "NUMEN_NODE_MODULES": str(PACKAGES.resolve())},
        )
        out, _ = await process.communicate()
    finally:
        await sandbox.stop()
    lines: list[dict[str, Any]] = [json.loads(line) for line in out.splitlines() if line.startswith(b"{")]
    assert [line for line in lines if not line["ok"]] == []
    assert tuple(line["step"] for line in lines) == STEPS
    # The one thing it did that the game forbids is the one it was told to do.
    assert dict(sandbox.judge.counts) == {"moved_too_quickly": 1}
