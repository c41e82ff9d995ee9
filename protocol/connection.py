"""From an address to a connection in play.

`connect` finds the server, logs in and gives a `Connection` that is in play. What can go wrong on the way
ends in one plain sentence.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from protocol import reactor

reactor.install()

from twisted.internet import reactor as twisted_reactor  # noqa: E402

from protocol.client import ConnectFailed, Connection, ConnectionFactory  # noqa: E402
from protocol.link import Disconnect  # noqa: E402
from protocol.options import ConnectionOptions, KnownPack  # noqa: E402
from protocol.refusals import PROTOCOL_VERSION, other_version  # noqa: E402
from protocol.status import StatusError, fetch_status, resolve  # noqa: E402

__all__ = [
    "ConnectFailed",
    "Connection",
    "ConnectionFactory",
    "ConnectionOptions",
    "KnownPack",
    "connect",
]

DEFAULT_PORT: Final = 25565
#: Seconds between leaving a server and turning up where it sent us: the player must be gone there first.
TRANSFER_GRACE_S: Final = 0.25


async def connect(
    host: str,
    port: int = DEFAULT_PORT,
    username: str = "Numen",
    *,
    options: ConnectionOptions | None = None,
    attach: Callable[[Connection], None] | None = None,
) -> Connection:
    """Log into a server and return the connection once it is in play (the `login` packet of play has come).

    `attach` is called with the connection before its first packet, for those who want to see everything; play
    packets up to the first subscription are kept anyway. Raises ConnectFailed, with a sentence for people and
    ``details["kind"]`` for code: ``unknown_host``, ``unreachable``, ``timeout``, ``version``, ``username``,
    ``lost``, ``framing``, ``transfer`` or a kind of `protocol.refusals`.
    """
    options = options or ConnectionOptions()
    if not 1 <= len(username) <= 16 or not all("!" <= char <= "~" for char in username):
        text = f"{username!r} can't be a player's name: 1 to 16 letters, digits or signs, no spaces."
        raise ConnectFailed(Disconnect(text, details={"kind": "username"}))
    for _ in range(4):
        try:
            return await _connect_once(host, port, username, options, attach)
        except ConnectFailed as failure:
            target = failure.disconnect.details.get("transfer")
            if target is None or not options.follow_transfer(*target):
                raise
            host, port = target
            await asyncio.sleep(TRANSFER_GRACE_S)
            options = replace(options, cookies=failure.disconnect.details["cookies"], transferred=True)
    text = f"The servers send the companion on and on, at last to {host}:{port}."
    raise ConnectFailed(Disconnect(text, by_server=True, details={"kind": "transfer"}))


async def _connect_once(
    host: str,
    port: int,
    username: str,
    options: ConnectionOptions,
    attach: Callable[[Connection], None] | None,
) -> Connection:
    try:
        addresses = await resolve(host, port)
    except OSError as error:
        details = {"kind": "unknown_host", "cause": str(error)}
        raise ConnectFailed(Disconnect(f"There is no host called {host!r}.", details=details)) from error
    failure: ConnectFailed | None = None
    for address in addresses:
        factory = ConnectionFactory(host, port, username, options, attach)
        connector = twisted_reactor.connectTCP(address, port, factory, timeout=options.connect_timeout_s)
        try:
            return await factory.outcome
        except asyncio.CancelledError:
            connector.disconnect()
            raise
        except ConnectFailed as error:
            failure = error
            if error.disconnect.state:
                break  # this address answered; what it said stands
    assert failure is not None
    raise await _explained(failure, host, port, options.login_timeout_s)


async def _explained(failure: ConnectFailed, host: str, port: int, patience_s: float) -> ConnectFailed:
    """A login that ended without a clear word may be one between two versions: ask the server's status."""
    why = failure.disconnect
    if why.state == "login" and why.details.get("kind") in (
        "kicked",
        "lost",
        "timeout",
        "version",
        "framing",
    ):
        try:
            status = await fetch_status(host, port, timeout_s=min(3.0, patience_s))
        except StatusError:
            return failure
        if status.protocol != PROTOCOL_VERSION and status.protocol > 0:
            return ConnectFailed(other_version(status.version, status.protocol, f"{host}:{port}"))
    return failure
