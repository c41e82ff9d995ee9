"""A server's remote console as vanilla has it, over a real socket: one request a read, fragments, no end."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

FRAGMENT = 4096


@dataclass
class ConsoleServer:
    """Answers commands with what `answer` makes of them; None says nothing at all, "!" hangs up."""

    answer: Callable[[str], str | None] = lambda command: ""
    password: str = "s3cret"
    knows_sentinel: bool = True
    port: int = 0
    asked: list[str] = field(default_factory=list)
    logins: int = 0
    _writers: list[asyncio.StreamWriter] = field(default_factory=list)

    def hang_up(self) -> None:
        """Close every connection, as a restart does."""
        for each in self._writers:
            each.close()
        self._writers.clear()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.append(writer)
        known = False
        while True:
            data = await reader.read(1460)
            if len(data) < 10 or struct.unpack_from("<i", data)[0] != len(data) - 4:
                writer.close()
                return
            number, kind = struct.unpack_from("<ii", data, 4)
            text = data[12:-2].decode()
            if kind == 3:
                known = text == self.password
                self.logins += known
                self._send(writer, number if known else -1, 2, "")
            elif kind == 2 and known:
                self.asked.append(text)
                said = self.answer(text)
                if said == "!":
                    writer.close()
                    return
                if said is not None:
                    for at in range(0, max(1, len(said)), FRAGMENT):
                        self._send(writer, number, 0, said[at : at + FRAGMENT])
            elif self.knows_sentinel:
                self._send(writer, number if known else -1, 0, f"Unknown request {kind:x}")

    @staticmethod
    def _send(writer: asyncio.StreamWriter, number: int, kind: int, text: str) -> None:
        payload = text.encode()
        writer.write(struct.pack("<iii", len(payload) + 10, number, kind) + payload + b"\0\0")


@asynccontextmanager
async def console(
    answer: Callable[[str], str | None] = lambda command: "", *, knows_sentinel: bool = True
) -> AsyncIterator[ConsoleServer]:
    """A console that listens while this lasts."""
    made = ConsoleServer(answer, knows_sentinel=knows_sentinel)
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    made.port = server.sockets[0].getsockname()[1]
    try:
        yield made
    finally:
        server.close()
        made.hang_up()
