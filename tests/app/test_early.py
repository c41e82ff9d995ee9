"""Connections that begin while the rest of the program is being loaded."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from numen import early
from numen.config import Config, load
from numen.sandbox.server import start_sandbox
from protocol.connection import ConnectFailed


def _config(folder: Path, port: int) -> Config:
    file = folder / "numen.yaml"
    file.write_text(
        f"server: {{host: 127.0.0.1, port: {port}}}\nllm: {{provider: rehearsal}}\n"
        f"companions: [{{name: Ada}}, {{name: Bob}}]\ndata: {folder / 'data'}\n"
    )
    return load(file)


async def test_each_companion_is_connected_before_the_rest_goes_on(tmp_path: Path) -> None:
    sandbox = await start_sandbox(port=0, world="flat")
    try:

        async def rest(entrances: early.Entrances) -> list[str]:
            made = [await entrances[name].connect() for name in ("Ada", "Bob")]
            for each in made:
                each.close()
            return [each.username for each in made]

        assert await early.run(_config(tmp_path, sandbox.port), rest) == ["Ada", "Bob"]
    finally:
        await sandbox.stop()


async def test_a_connection_that_nobody_takes_is_closed(tmp_path: Path) -> None:
    sandbox = await start_sandbox(port=0, world="flat")
    try:

        async def rest(entrances: early.Entrances) -> None:
            while len(sandbox.players) < 2:
                await asyncio.sleep(0)

        await early.run(_config(tmp_path, sandbox.port), rest)
        while sandbox.players:
            await asyncio.sleep(0)
    finally:
        await sandbox.stop()


async def test_a_server_that_is_not_there_is_told_to_who_takes_the_connection(tmp_path: Path) -> None:
    sandbox = await start_sandbox(port=0, world="flat")
    port = sandbox.port
    await sandbox.stop()

    async def rest(entrances: early.Entrances) -> None:
        with pytest.raises(ConnectFailed):
            await entrances["Ada"].connect()

    await early.run(_config(tmp_path, port), rest)
