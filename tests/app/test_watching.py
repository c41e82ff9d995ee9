"""The live stream as a bridge has it: the example, run as it stands."""

from __future__ import annotations

import asyncio
from pathlib import Path

import examples.watch
from numen.api import Fleet, Numen, NumenGateway
from numen.testing.endpoint import calls, says
from tests.app.test_companion import flat_world, living


async def test_the_example_writes_down_what_happens(tmp_path: Path) -> None:
    sandbox = await flat_world()
    async with living(tmp_path, sandbox, calls(("get_self_status", {})), says("All is well.")) as life:
        fleet = Fleet()
        numen = Numen(fleet, NumenGateway(fleet), tmp_path / "bridge", life.companion.live_bus)
        watching = asyncio.ensure_future(examples.watch.start(numen))
        await asyncio.sleep(0)
        life.companion.hear("how are you?")
        file = tmp_path / "bridge/live.txt"
        await life.until(lambda: file.exists() and file.read_text("utf-8").endswith("\n"))
        assert file.read_text("utf-8") == "[Numen for its owner] (checking itself) All is well.\n"
        watching.cancel()
        await asyncio.wait([watching])
    await sandbox.stop()
