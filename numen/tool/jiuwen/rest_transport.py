"""The road a RestfulApi's requests take: every connection checked where it is made, proxies from outside.

Loaded with the first call, since it needs httpx.
"""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Mapping
from urllib.parse import urlsplit
from urllib.request import getproxies_environment

from numen.web.addresses import literal
from numen.web.transport import CheckedTransport, TimedOut

__all__ = ["CheckedTransport", "TimedOut", "exempt", "proxy_for"]


def proxy_for(url: str, environment: Mapping[str, str] | None = None) -> str | None:
    """The proxy that `http_proxy` or `https_proxy` names for `url`, unless `no_proxy` exempts its host.

    Either case will do; without a scheme the proxy speaks plain HTTP.
    """
    found = _proxies(os.environ if environment is None else environment)
    parts = urlsplit(url)
    proxy = found.get(parts.scheme)
    if not proxy or exempt(parts.hostname or "", found.get("no", "")):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


def exempt(host: str, no_proxy: str) -> bool:
    """Whether `no_proxy` names `host`: by itself, by a `.suffix`, an address, a network, or `*` for all."""
    address = literal(host)
    for entry in (each.strip().lower() for each in no_proxy.split(",")):
        if not entry:
            continue
        if entry == "*" or entry == host.lower():
            return True
        if entry.startswith(".") and (host.lower().endswith(entry) or host.lower() == entry[1:]):
            return True
        if address is not None and _within(address, entry):
            return True
    return False


def _within(address: ipaddress.IPv4Address | ipaddress.IPv6Address, network: str) -> bool:
    try:
        return address in ipaddress.ip_network(network.strip("[]"), strict=False)
    except ValueError:
        return False


def _proxies(environment: Mapping[str, str]) -> dict[str, str]:
    if environment is os.environ:
        return getproxies_environment()
    found: dict[str, str] = {}
    for upper in (True, False):  # the lower-case spelling wins
        for key, value in environment.items():
            if key.lower().endswith("_proxy") and key.isupper() == upper and value:
                found[key.lower().removesuffix("_proxy")] = value
    return found
