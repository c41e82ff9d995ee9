"""A bridge from a line of text on a socket: `echo "Ann come here" | nc 127.0.0.1 27003` tells Ann to come."""

import asyncio
from pathlib import Path

from numen.api import Numen


async def start(numen: Numen) -> None:
    """Listen until the run ends. The port is in `port.txt` of the bridge's own folder, 27003 without it."""

    async def carry(lines: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        async for line in lines:
            name, _, words = line.decode("utf-8", "replace").strip().partition(" ")
            uuid = numen.uuid_of(name)
            taken = uuid is not None and numen.gateway.enqueue(uuid, f"[line] {words}")
            back.write(b"taken\n" if taken else b"nobody took that\n")
        back.close()

    server = await asyncio.start_server(carry, "127.0.0.1", _port(numen.files() / "port.txt"))
    async with server:
        await server.serve_forever()  # cancelled when the run ends


def _port(file: Path) -> int:
    return int(file.read_text()) if file.exists() else 27003
