"""Somebody else's client lives on the practice server: mineflayer 4.39, which nobody here wrote a line of."""

from __future__ import annotations

import json
from typing import Any

import pytest

from numen.sandbox import start_sandbox
from tests.e2e.servers import node_process, require_node

STEPS = (
    *("login", "columns", "stand", "chat", "walk", "wood", "planks", "table", "place", "sticks", "pickaxe"),
    *("stone", "wear", "furnace", "chest", "fight", "eat", "cheat", "death", "end"),
)


@pytest.mark.node
@pytest.mark.slow
@pytest.mark.timeout(240)
async def test_mineflayer_lives_its_first_minutes_on_the_practice_server() -> None:
    require_node()
    sandbox = await start_sandbox(seed=1, mobs=False)
    try:
        async with node_process("sandbox_probe.js", sandbox.port, "Probe") as process:
            out, _ = await process.communicate()
    finally:
        await sandbox.stop()
    lines: list[dict[str, Any]] = [json.loads(line) for line in out.splitlines() if line.startswith(b"{")]
    assert [line for line in lines if not line["ok"]] == []
    assert tuple(line["step"] for line in lines) == STEPS
    # The one thing it did that the game forbids is the one it was told to do.
    assert dict(sandbox.judge.counts) == {"moved_too_quickly": 1}
