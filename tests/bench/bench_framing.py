"""How many packets a second go through the transport, beside what quarry does by itself, in the same run.

    python -m tests.bench.bench_framing

30-byte packets below a compression threshold of 256, as most packets of a session are, in reads of 64 KiB.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable
from typing import Any

from protocol import codec
from protocol.connection import Connection, ConnectionFactory, ConnectionOptions
from protocol.framing import FrameSplitter, join

# isort: split
from quarry.data.packets import default_protocol_version, packet_idents
from quarry.net.auth import OfflineProfile
from quarry.net.client import ClientFactory, ClientProtocol
from twisted.internet.address import IPv4Address
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport

PACKETS = 100_000
READ = 65536
ADDRESS = IPv4Address("TCP", "127.0.0.1", 25565)


def stream(packet: bytes) -> list[bytes]:
    """Many times the same packet, in reads."""
    data = join(packet, 256) * PACKETS
    return [data[start : start + READ] for start in range(0, len(data), READ)]


def per_second(run: Callable[[], None], rounds: int = 5) -> float:
    """The best of some rounds, in packets a second."""
    best = 0.0
    for _ in range(rounds):
        began = time.perf_counter()
        run()
        best = max(best, PACKETS / (time.perf_counter() - began))
    return best


class NullTransport(StringTransport):
    """Takes bytes and keeps none."""

    def write(self, data: bytes) -> None:
        pass


def in_play(*subscriptions: tuple[str, Callable[[dict[str, Any]], None]]) -> Connection:
    """A client connection that is in play, without a server."""
    factory = ConnectionFactory("localhost", 25565, "Bench", ConnectionOptions(), clock=Clock())
    connection = factory.buildProtocol(ADDRESS)
    connection.makeConnection(NullTransport())
    connection.switch_protocol_mode("configuration")
    connection.set_compression(256)
    for packet, handler in subscriptions:
        connection.subscribe(packet, handler)
    connection.handle_configuration_finish_configuration({})
    return connection


class QuarryClient(ClientProtocol):
    """quarry as it comes, at the last version it knows."""

    protocol_mode = "play"
    compression_threshold = 256

    def connection_made(self) -> None:
        pass


def quarry_client() -> Any:
    factory = ClientFactory(OfflineProfile("Bench"))
    factory.log_level = logging.WARNING
    client = QuarryClient(factory, ADDRESS)
    client.ticker.stop()
    client.makeConnection(NullTransport())
    return client


def main() -> None:
    teleport = codec.encode(
        "play",
        "toClient",
        "entity_teleport",
        {"entityId": 200, "x": 1.5, "y": 64.0, "z": -3.25, "yaw": 0, "pitch": 0, "onGround": True},
    )
    reads = stream(teleport)
    old_id = packet_idents[(default_protocol_version, "play", "downstream", "entity_teleport")]
    old_reads = stream(bytes((old_id,)) + teleport[1:])
    rows: list[tuple[str, float]] = []

    def split_only() -> None:
        splitter = FrameSplitter()
        splitter.threshold = 256
        for read in reads:
            splitter.feed(read)
            for _ in splitter.packets():
                pass

    def receive(client: Any, reads: list[bytes] = reads) -> Callable[[], None]:
        def run() -> None:
            for read in reads:
                client.dataReceived(read)

        return run

    rows.append(("split, every packet handed out", per_second(split_only)))
    ignored = in_play(("update_health", print))
    rows.append(("receive: split, id, not subscribed", per_second(receive(ignored))))
    count = [0]

    def handler(fields: dict[str, Any]) -> None:
        count[0] += 1

    handled = in_play(("entity_teleport", handler))
    rows.append(("receive: split, id, decoded, handled", per_second(receive(handled))))
    rows.append(("quarry: split, id, no handler", per_second(receive(quarry_client(), old_reads))))

    sender = in_play()
    move = {"x": 1.5, "y": 64.0, "z": -3.25, "yaw": 0.0, "pitch": 0.0, "onGround": True}

    def send() -> None:
        for _ in range(PACKETS):
            sender.send("position_look", **move)

    rows.append(("send: gate, encode, join, write", per_second(send)))
    theirs = quarry_client()
    body = os.urandom(33)

    def quarry_send() -> None:
        for _ in range(PACKETS):
            theirs.send_packet("player_position_and_look", body)

    rows.append(("quarry: send, encoded already", per_second(quarry_send)))
    for name, rate in rows:
        print(f"{name:40} {rate:12,.0f} packets/s")


if __name__ == "__main__":
    main()
