"""A server's status, as the multiplayer screen shows it, asked without logging in."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from protocol import codec
from protocol.addresses import DEFAULT_PORT, locate
from protocol.framing import FrameSplitter, FramingError, join
from protocol.refusals import GAME_VERSION, PROTOCOL_VERSION
from protocol.text import plain_text


class StatusError(ConnectionError):
    """The server told no status. Its text is one plain sentence."""


@dataclass(frozen=True)
class ServerStatus:
    """What a server says about itself."""

    #: The name of its version, for people; its protocol number decides.
    version: str = GAME_VERSION
    protocol: int = PROTOCOL_VERSION
    players: int = 0
    max_players: int = 20
    #: Names of some of those who are in.
    sample: tuple[str, ...] = ()
    description: str = ""
    #: The way to the server and back, in milliseconds; None when it answered no ping.
    latency_ms: float | None = None
    #: Everything it said, as it came.
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def is_modded(self) -> bool:
        """It says that it runs NeoForge."""
        return self.raw.get("isModded") is True

    @classmethod
    def from_json(cls, data: Mapping[str, Any], latency_ms: float | None = None) -> ServerStatus:
        """Read what a server sent. Whatever is missing or odd takes its default."""
        version = _mapping(data.get("version"))
        players = _mapping(data.get("players"))
        sample = players.get("sample")
        names = [_mapping(each).get("name") for each in sample] if isinstance(sample, list) else []
        return cls(
            version=str(version.get("name", "?")),
            protocol=_number(version.get("protocol"), -1),
            players=_number(players.get("online"), 0),
            max_players=_number(players.get("max"), 0),
            sample=tuple(name for name in names if isinstance(name, str)),
            description=plain_text(data.get("description", "")),
            latency_ms=latency_ms,
            raw=data,
        )

    def to_json(self) -> dict[str, Any]:
        """What a server sends."""
        return {
            **self.raw,
            "version": {"name": self.version, "protocol": self.protocol},
            "players": {
                "online": self.players,
                "max": self.max_players,
                "sample": [{"name": name, "id": str(_NOBODY)} for name in self.sample],
            },
            "description": {"text": self.description},
        }


_NOBODY = "00000000-0000-0000-0000-000000000000"


async def fetch_status(host: str, port: int = DEFAULT_PORT, *, timeout_s: float = 5.0) -> ServerStatus:
    """Ask a server for its status. Raises StatusError with a sentence that says what was wrong."""
    try:
        host, port = await locate(host, port)
    except UnicodeError as error:
        raise StatusError(f"There is no host called {host!r}.") from error
    return await ask_status(host, port, timeout_s=timeout_s)


async def ask_status(host: str, port: int, *, timeout_s: float = 5.0) -> ServerStatus:
    """As `fetch_status`, of a host that was located already."""
    where = f"{host}:{port}"
    try:
        async with asyncio.timeout(timeout_s):
            reader, writer = await asyncio.open_connection(host, port, happy_eyeballs_delay=0.25)
            try:
                return await _ask(_Exchange(reader, writer), host, port)
            finally:
                writer.close()
    except TimeoutError as error:
        raise StatusError(f"{where} gave no status within {timeout_s:g} s.") from error
    except socket.gaierror as error:
        raise StatusError(f"There is no host called {host!r}.") from error
    except ConnectionRefusedError as error:
        raise StatusError(f"Nothing answers at {where}.") from error
    except OSError as error:
        raise StatusError(f"{where} can't be reached: {error.strerror or error}.") from error
    except (codec.CodecError, FramingError, ValueError, RecursionError, EOFError) as error:
        raise StatusError(f"What answers at {where} is no Minecraft server: {error}.") from error


async def _ask(exchange: _Exchange, host: str, port: int) -> ServerStatus:
    exchange.send(
        "handshaking",
        "set_protocol",
        {"protocolVersion": PROTOCOL_VERSION, "serverHost": host, "serverPort": port, "nextState": 1},
    )
    exchange.send("status", "ping_start", {})
    data = json.loads((await exchange.receive("server_info"))["response"])
    if not isinstance(data, Mapping):
        raise EOFError("its status is no object")
    began = time.perf_counter()
    exchange.send("status", "ping", {"time": int(time.time() * 1000)})
    try:
        await exchange.receive("ping")
    except (EOFError, OSError):
        return ServerStatus.from_json(data)  # some servers hang up instead of answering
    return ServerStatus.from_json(data, (time.perf_counter() - began) * 1000)


class _Exchange:
    """Packets over a plain stream."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._splitter = FrameSplitter()
        self._packets = iter(())

    def send(self, state: str, name: str, fields: Mapping[str, Any]) -> None:
        self._writer.write(join(codec.encode(state, "toServer", name, fields)))

    async def receive(self, name: str) -> dict[str, Any]:
        while True:
            for payload in self._splitter.packets():
                packet = codec.decode("status", "toClient", payload)
                if packet.name == name:
                    return packet.fields
            data = await self._reader.read(65536)
            if not data:
                raise EOFError("it hung up")
            self._splitter.feed(data)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _number(value: Any, default: int) -> int:
    return int(value) if isinstance(value, (int, float)) else default
