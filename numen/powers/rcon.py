"""A server's remote console (RCON), over which a command runs at level 4 and its output comes back whole.

Rules of vanilla 1.21.1: a packet is ``int32 length, int32 id, int32 type, payload, 0, 0`` (little-endian, the
length without itself). The server reads a request of at most 1,460 bytes, and one at a time: two that arrive
together close the connection. Output comes in fragments of at most 4,096 characters of which none says that
it is the last; so a second request follows the first fragment, and its answer marks the end.
"""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Callable
from typing import Final

#: Bytes of a request's payload: the server's buffer without length, id, type and the two zeros.
MAX_REQUEST: Final = 1446
#: Characters of one fragment of an answer; in UTF-8 each may take three bytes.
FRAGMENT: Final = 4096
#: Bytes of a packet from the server that are believed.
MAX_PACKET: Final = 3 * FRAGMENT + 64
#: Bytes of an answer that are kept; what follows is read and dropped.
MAX_ANSWER: Final = 1024 * 1024

LOGIN: Final = 3
COMMAND: Final = 2
#: A request of a type that no server knows: it answers that it does not.
SENTINEL: Final = 0


class RconError(Exception):
    """The console could not be used. `sent` tells that the command may have run all the same."""

    def __init__(self, message: str, *, sent: bool = False) -> None:
        super().__init__(message)
        self.sent = sent


class WrongPassword(RconError):
    """The console does not take the password."""


class Rcon:
    """A console that is connected to when it is first used, and again after the connection was lost.

    Commands run one after another.
    """

    def __init__(
        self,
        host: str,
        port: int,
        password: Callable[[], str],
        *,
        timeout_s: float = 10.0,
        quiet_s: float = 1.0,
    ) -> None:
        """`password` is asked for at each login. A command may take `timeout_s`; an answer counts as whole
        when for `quiet_s` nothing has followed, at a server that does not answer the sentinel."""
        self.address = f"{host}:{port}"
        self._host, self._port = host, port
        self._password = password
        self._timeout_s, self._quiet_s = timeout_s, quiet_s
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._turn = asyncio.Lock()
        self._last_id = 0

    async def run(self, command: str) -> str:
        """Run a command (without its slash) and return all its output.

        Raises RconError: for a command that is too long, a console that is not there or refuses the
        password, and when no answer comes in time.
        """
        payload = command.encode()
        if len(payload) > MAX_REQUEST:
            raise RconError(f"the console takes {MAX_REQUEST} bytes, the command has {len(payload)}")
        if b"\0" in payload:
            raise RconError("a command can't hold a zero character")
        async with self._turn:
            reader, writer = await self._connected()
            whole = False
            try:
                async with asyncio.timeout(self._timeout_s):
                    answer = await self._ask(reader, writer, payload)
                whole = True
            except TimeoutError:
                raise RconError(
                    f"{self.address} gave no answer within {self._timeout_s:g} s", sent=True
                ) from None
            except (OSError, EOFError) as error:
                raise RconError(f"the console at {self.address} went away: {error}", sent=True) from None
            finally:
                if not whole:  # the rest of an answer must not pass for the next one
                    self.close()
            return answer

    def close(self) -> None:
        """Let go of the connection; the next command makes another."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None

    async def _connected(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self._streams is not None and self._streams[0].at_eof():
            self.close()
        if self._streams is None:
            try:
                async with asyncio.timeout(self._timeout_s):
                    self._streams = await asyncio.open_connection(self._host, self._port)
                    await self._log_in(*self._streams)
            except TimeoutError:
                self.close()
                raise RconError(f"the console at {self.address} does not answer") from None
            except (OSError, EOFError) as error:
                self.close()
                raise RconError(f"the console at {self.address} can't be reached: {error}") from None
            except BaseException:
                self.close()
                raise
        return self._streams

    async def _log_in(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        password = self._password().encode()
        if not password or len(password) > MAX_REQUEST:
            raise WrongPassword(f"there is no usable password for the console at {self.address}")
        mine = await self._send(writer, LOGIN, password)
        while True:
            number, kind, _ = await _receive(reader)
            if number == -1:
                raise WrongPassword(f"the console at {self.address} does not take the password")
            if number == mine and kind == COMMAND:  # others send an empty answer first
                return

    async def _ask(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, payload: bytes) -> str:
        mine = await self._send(writer, COMMAND, payload)
        parts, size = [], 0
        end: int | None = None
        while True:
            try:
                async with asyncio.timeout(self._quiet_s if end is not None else None):
                    number, _, data = await _receive(reader)
            except TimeoutError:
                break
            if number == -1:
                raise WrongPassword(f"the console at {self.address} has forgotten who we are", sent=False)
            if number == end:
                break
            if number != mine:
                continue  # the end of an answer that came late
            if size < MAX_ANSWER:
                parts.append(data)
                size += len(data)
            if end is None:
                end = await self._send(writer, SENTINEL, b"")
        return b"".join(parts)[:MAX_ANSWER].decode("utf-8", "replace")

    async def _send(self, writer: asyncio.StreamWriter, kind: int, payload: bytes) -> int:
        self._last_id = self._last_id % 0x7FFF_FFFF + 1
        writer.write(struct.pack("<iii", len(payload) + 10, self._last_id, kind) + payload + b"\0\0")
        await writer.drain()
        return self._last_id


async def _receive(reader: asyncio.StreamReader) -> tuple[int, int, bytes]:
    """Id, type and payload of the next packet. Raises EOFError, OSError and RconError."""
    (length,) = struct.unpack("<i", await reader.readexactly(4))
    if not 10 <= length <= MAX_PACKET:
        raise RconError(f"that is no console: it sent a packet of {length} bytes", sent=True)
    body = await reader.readexactly(length)
    number, kind = struct.unpack_from("<ii", body)
    return number, kind, body[8:-2]
