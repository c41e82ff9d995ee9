"""From an address to a connection in play.

`connect` finds the server, logs in and gives a `Connection` that is in play. What can go wrong on the way
ends in one plain sentence.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from protocol import reactor

reactor.install()

from twisted.internet import error  # noqa: E402
from twisted.internet import reactor as twisted_reactor  # noqa: E402

from protocol.addresses import DEFAULT_PORT, locate, resolve  # noqa: E402
from protocol.client import ConnectFailed, Connection, ConnectionFactory  # noqa: E402
from protocol.link import Disconnect  # noqa: E402
from protocol.options import ConnectionOptions, KnownPack  # noqa: E402
from protocol.refusals import PROTOCOL_VERSION, other_version  # noqa: E402
from protocol.status import StatusError, ask_status  # noqa: E402

__all__ = [
    "DEFAULT_PORT",
    "ConnectFailed",
    "Connection",
    "ConnectionFactory",
    "ConnectionOptions",
    "KnownPack",
    "connect",
    "onward",
]

#: Seconds an address has before the next one is tried beside it.
HEAD_START_S: Final = 0.25
#: Servers that may send us on before we are in play.
MAX_HOPS: Final = 4
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
        raise ConnectFailed(Disconnect(text, details={"kind": "username", "name": username}))
    for _ in range(MAX_HOPS):
        try:
            return await _connect_once(host, port, username, options, attach)
        except ConnectFailed as failure:
            further = onward(failure.disconnect, options)
            if further is None:
                raise
            host, port, options = further
            await asyncio.sleep(TRANSFER_GRACE_S)
    text = f"The servers send the companion on and on, at last to {host}:{port}."
    details = {"kind": "transfer", "at_last": f"{host}:{port}"}
    raise ConnectFailed(Disconnect(text, by_server=True, details=details))


def onward(why: Disconnect, options: ConnectionOptions) -> tuple[str, int, ConnectionOptions] | None:
    """Where a connection goes on that the server ended with a transfer: host, port, and options that carry
    the cookies. None for every other end, and where `options.follow_transfer` says no.

    `connect` follows transfers before play by itself. Whoever follows one from play waits TRANSFER_GRACE_S
    first.
    """
    target = why.details.get("transfer")
    if target is None or not options.follow_transfer(*target):
        return None
    return *target, replace(options, cookies=why.details["cookies"], transferred=True)


async def _connect_once(
    host: str,
    port: int,
    username: str,
    options: ConnectionOptions,
    attach: Callable[[Connection], None] | None,
) -> Connection:
    try:
        host, port = await locate(host, port)
        addresses = await resolve(host, port)
    except (OSError, UnicodeError) as error:
        details = {"kind": "unknown_host", "host": host, "cause": str(error)}
        raise ConnectFailed(Disconnect(f"There is no host called {host!r}.", details=details)) from error
    if options.status_first:
        await _refuse_other_version(host, port, options.connect_timeout_s)
    factory = ConnectionFactory(host, port, username, options, attach)
    try:
        await _dial(addresses, port, factory, options.connect_timeout_s)
        return await factory.outcome
    except asyncio.CancelledError:
        if factory.connection is not None:
            factory.connection.close("cancelled")
        raise
    except ConnectFailed as failure:
        raise await _explained(failure, host, port, options.login_timeout_s) from None


async def _dial(addresses: list[str], port: int, factory: ConnectionFactory, timeout_s: float) -> None:
    """Knock at each address a moment after the one before it, until one opens or all have failed."""
    connectors = []
    try:
        for address in addresses:
            factory.news.clear()
            connectors.append(twisted_reactor.connectTCP(address, port, factory, timeout=timeout_s))
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(factory.news.wait(), HEAD_START_S)
            if factory.connection is not None:
                return
        while factory.connection is None and len(factory.unreachable) < len(connectors):
            factory.news.clear()
            await factory.news.wait()
        if factory.connection is None:
            factory.failed(_unreachable(factory.host, port, factory.unreachable))
    finally:
        for connector in connectors:
            if connector.state == "connecting":
                connector.stopConnecting()


async def _refuse_other_version(host: str, port: int, timeout_s: float) -> None:
    """Look at the server's status. One that gives none may still let us in."""
    try:
        status = await ask_status(host, port, timeout_s=timeout_s)
    except StatusError:
        return
    if status.protocol != PROTOCOL_VERSION and status.protocol > 0:
        raise ConnectFailed(other_version(status.version, status.protocol, f"{host}:{port}"))


async def _explained(failure: ConnectFailed, host: str, port: int, patience_s: float) -> ConnectFailed:
    """A login that ended without a clear word may be one between two versions: ask the server's status."""
    why = failure.disconnect
    unclear = ("kicked", "lost", "timeout", "version", "framing")
    if why.state == "login" and why.details.get("kind") in unclear:
        try:
            await _refuse_other_version(host, port, min(3.0, patience_s))
        except ConnectFailed as clearer:
            return clearer
    return failure


def _unreachable(host: str, port: int, reasons: list[Any]) -> Disconnect:
    """Why no socket connected: of several reasons the one that says most."""
    refused = [each for each in reasons if each.check(error.ConnectionRefusedError)]
    late = [each for each in reasons if each.check(error.TimeoutError)]
    cause = (refused or late or reasons)[0].getErrorMessage()
    if refused:
        text = f"Nothing answers at {host}:{port}: is the server running, and is that its port?"
    elif late:
        text = f"{host}:{port} does not answer: is the address right, and does a firewall stand between?"
    else:
        text = f"{host}:{port} can't be reached: {cause}"
    kind = "timeout" if late and not refused else "unreachable"
    return Disconnect(text, details={"kind": kind, "cause": cause, "address": f"{host}:{port}"})
