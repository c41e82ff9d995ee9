"""Which addresses a tool may connect to.

A URL in a declaration or an argument must not reach into the owner's own network: routers, other machines,
the services of this one, the metadata of a cloud. Names are judged by what they resolve to at the moment of
connecting, all of it, so that a name cannot change its meaning between the check and the use.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
"""IPv4 addresses as a translating network shows them (RFC 6052)."""


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
    return "a public address"


def is_public(address: Address) -> bool:
    return kind_of(address) == "a public address"


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
    if address.teredo is not None:
        return address.teredo[1]
    return None


async def resolve(host: str, port: int, *, allow_private: bool) -> list[Address]:
    """Every address of `host`, in the order the system prefers them.

    Raises ForbiddenAddress when even one of them must not be reached, OSError when there is none.
    """
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    addresses: dict[Address, None] = {}
    for *_, where in found:
        # A zone (`fe80::1%eth0`) says through which card; what the address is does not depend on it.
        addresses[ipaddress.ip_address(str(where[0]).partition("%")[0])] = None
    if not allow_private:
        for address in addresses:
            if not is_public(address):
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
