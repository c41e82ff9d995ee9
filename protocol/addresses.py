"""From what a person typed to addresses to knock at.

A server's name may have an SRV record, ``_minecraft._tcp.<name>``, that leads to another host and port. As in
the game it counts only where no port but the usual one was given, and where it leads is what the handshake
names (vanilla 1.21.1).
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import socket
from collections.abc import Awaitable, Callable
from typing import Any, Final, NamedTuple

log = logging.getLogger(__name__)

DEFAULT_PORT: Final = 25565
#: Seconds for each of two tries to ask for an SRV record. Most servers have none, and everyone waits for it.
SRV_TIMEOUTS_S: Final = (1, 2)

#: Names that no name server knows anything about.
_LOCAL: Final = (".localhost", ".local", ".invalid")


class SrvRecord(NamedTuple):
    """Where a service is found. Lower priority first, then higher weight."""

    priority: int
    weight: int
    port: int
    target: str


SrvLookup = Callable[[str], Awaitable[list[SrvRecord]]]


def tidy(host: str) -> str:
    """The host as it goes over the wire: no blanks, no last dot, international names in their ASCII form.

    Raises UnicodeError for what can't be a host's name.
    """
    host = host.strip().rstrip(".")
    return host if host.isascii() else host.encode("idna").decode("ascii")


async def locate(host: str, port: int, lookup: SrvLookup | None = None) -> tuple[str, int]:
    """The host and port behind a name: those of its SRV record, or the same again. Never raises OSError;
    UnicodeError for what can't be a host's name."""
    host = tidy(host)
    if port != DEFAULT_PORT or "." not in host or host.lower().endswith(_LOCAL) or _is_address(host):
        return host, port
    try:
        records = await (lookup or ask_srv)(f"_minecraft._tcp.{host}")
    except Exception as error:
        log.debug("no SRV record for %s: %s", host, error)
        return host, port
    records = [each for each in records if each.target.rstrip(".")]
    if not records:
        return host, port
    best = min(records, key=lambda record: (record.priority, -record.weight))
    return best.target.rstrip("."), best.port


async def ask_srv(name: str, resolver: Any = None) -> list[SrvRecord]:
    """Ask the system's name servers, or a `resolver` of twisted.names, for SRV records. Raises whatever the
    resolver does, also when there are none."""
    from twisted.names import client, dns

    deferred = (resolver or client.getResolver()).lookupService(name, timeout=SRV_TIMEOUTS_S)
    answers, _, _ = await deferred.asFuture(asyncio.get_running_loop())
    records = [answer.payload for answer in answers if answer.type == dns.SRV]
    return [SrvRecord(each.priority, each.weight, each.port, str(each.target)) for each in records]


async def resolve(host: str, port: int) -> list[str]:
    """The addresses of a host, in the order to try them: the two families take turns, so that a dead one
    costs one try and not many. Raises OSError for a name nobody knows."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    by_family: dict[int, list[str]] = {}
    for family, *_, address in found:
        by_family.setdefault(family, []).append(str(address[0]))
    families = list(by_family.values())
    longest = max(map(len, families), default=0)
    turns = [family[turn] for turn in range(longest) for family in families if turn < len(family)]
    return list(dict.fromkeys(turns))


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
