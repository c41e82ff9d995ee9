"""Which addresses a tool may connect to.

A URL in a declaration, an argument or a redirect must not reach into the owner's own network: routers, other
machines, the services of this one, the metadata of a cloud. Names are judged by what they resolve to at the
moment of connecting, all of it, so that a name cannot change its meaning between the check and the use.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Lookup = Callable[[str, int], Awaitable[Sequence[str]]]
"""(host, port) → every address of the host as text. Raises OSError when there is none."""

NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")
"""IPv4 addresses as a translating network shows them (RFC 6052)."""

PUBLIC_KIND: Final = "a public address"

#: What the ipaddress module of some Python version counts as global though it is not for us.
_SPECIAL: Final[tuple[tuple[Network, str], ...]] = (
    # What clouds tell their machines about themselves, keys included: Azure, Alibaba, AWS, Google.
    (ipaddress.ip_network("168.63.129.16/32"), "the metadata of a cloud"),
    (ipaddress.ip_network("100.100.100.200/32"), "the metadata of a cloud"),
    (ipaddress.ip_network("fd00:ec2::254/128"), "the metadata of a cloud"),
    (ipaddress.ip_network("fd20:ce::254/128"), "the metadata of a cloud"),
    (ipaddress.ip_network("100.64.0.0/10"), "an address within a provider's network"),
    (ipaddress.ip_network("192.0.0.0/24"), "no public address"),
    (ipaddress.ip_network("192.88.99.0/24"), "no public address"),
    (ipaddress.ip_network("64:ff9b:1::/48"), "no public address"),
    (ipaddress.ip_network("100::/64"), "no public address"),
    (ipaddress.ip_network("2001::/32"), "a tunnel"),
    (ipaddress.ip_network("5f00::/16"), "no public address"),
    (ipaddress.ip_network("3fff::/20"), "no public address"),
)
_NEIGHBOURS: Final = frozenset(
    {"this machine itself", "a private address", "an address within a provider's network"}
)
_ISATAP: Final = frozenset({0x00005EFE, 0x02005EFE})


class ForbiddenAddress(Exception):
    """A host that must not be connected to, and why."""

    def __init__(self, host: str, address: Address) -> None:
        self.host = host
        self.address = address
        shown = host if host == str(address) else f"{host} ({address})"
        super().__init__(
            f"{shown} is {kind_of(address)}; tools reach public addresses only, unless others are allowed"
        )


def kind_of(address: Address) -> str:
    """What an address is, in words; "a public address" is the only one that may be reached."""
    for network, kind in _SPECIAL:
        if address in network:
            return kind
    inner = embedded(address)
    if inner is not None:
        return kind_of(inner)
    if address.is_unspecified:
        return "the unspecified address"
    if address.is_loopback:
        return "this machine itself"
    if address.is_link_local:
        return "a link-local address"
    if address.is_multicast:
        return "a multicast address"
    if address.is_private or (isinstance(address, ipaddress.IPv6Address) and address.is_site_local):
        return "a private address"
    if address.is_reserved or not address.is_global:
        return "no public address"
    return PUBLIC_KIND


def is_public(address: Address) -> bool:
    return kind_of(address) == PUBLIC_KIND


def embedded(address: Address) -> Address | None:
    """The IPv4 address that an IPv6 one stands for, when it is such a one."""
    if not isinstance(address, ipaddress.IPv6Address):
        return None
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address in NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    if address.sixtofour is not None:
        return address.sixtofour
    if (int(address) >> 32) & 0xFFFFFFFF in _ISATAP:  # RFC 5214
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return None


@dataclass(frozen=True, slots=True)
class Reach:
    """Which addresses beyond the public ones may be connected to.

    `neighbours` are this machine and the private networks; never multicast, link-local or a cloud's metadata.
    `named` hosts, networks and `host:port` pairs may be reached whatever they are. `everything` asks nothing.
    """

    neighbours: bool = False
    named: frozenset[str] = frozenset()
    everything: bool = False

    @classmethod
    def to(cls, entries: Iterable[str]) -> Reach:
        """Public addresses and those that `entries` name: a host, a network, or either one with a port."""
        return cls(named=frozenset(each.strip().lower() for each in entries if each.strip()))

    def allows(self, host: str, port: int, address: Address) -> bool:
        """Whether `host`, which is `address`, may be connected to on `port`."""
        if self.everything or is_public(address):
            return True
        if self.neighbours and kind_of(address) in _NEIGHBOURS:
            return True
        plain = host.lower().rstrip(".").strip("[]")
        return any(_names(entry, plain, port, address) for entry in self.named)


PUBLIC: Final = Reach()
ANYWHERE: Final = Reach(everything=True)


async def system_lookup(host: str, port: int) -> list[str]:
    """What the system's own resolver says."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    return [str(where[0]) for *_, where in found]


async def resolve(
    host: str, port: int, *, reach: Reach = PUBLIC, lookup: Lookup = system_lookup
) -> list[Address]:
    """Every address of `host`, in the order the resolver prefers them.

    Raises ForbiddenAddress when even one of them must not be reached, OSError when there is none.
    """
    addresses: dict[Address, None] = {}
    for found in await lookup(host, port):
        # A zone (`fe80::1%eth0`) says through which card; what the address is does not depend on it.
        addresses[ipaddress.ip_address(found.partition("%")[0])] = None
    for address in addresses:
        if not reach.allows(host, port, address):
            raise ForbiddenAddress(host, address)
    if not addresses:
        raise OSError(f"{host} has no address")
    return list(addresses)


def literal(host: str) -> Address | None:
    """The address written as a host, None for a name."""
    try:
        return ipaddress.ip_address(host.strip("[]").partition("%")[0])
    except ValueError:
        return None


def _names(entry: str, host: str, port: int, address: Address) -> bool:
    name, colon, number = entry.rpartition(":")
    with_port = bool(colon) and number.isdigit() and ("]" in name or ":" not in name)
    if with_port and int(number) != port:
        return False
    name = (name if with_port else entry).strip("[]")
    if name == host:
        return True
    try:
        return address in ipaddress.ip_network(name, strict=False)
    except ValueError:
        return False
