"""Vanilla 1.21.1's synchronized registries: what its server sends, and what a client may fill gaps from.

The data is protocol/data/synced_registries.nbt.z, made by scripts/vendor_registries.py. Tags are not part of
it.
"""

from __future__ import annotations

import functools
import zlib
from collections.abc import Mapping
from importlib.resources import files

from protocol import nbt
from protocol.nbt import Nbt

#: The data pack whose content this is, as servers and clients name it to each other.
VANILLA_PACK = ("minecraft", "core", "1.21.1")


@functools.cache
def _all() -> dict[str, dict[str, Nbt]]:
    packed = files("protocol").joinpath("data/synced_registries.nbt.z").read_bytes()
    content = nbt.loads(zlib.decompress(packed), typed=True)
    return {
        registry: {key: Nbt.of(value) for key, value in entries.items()}
        for registry, entries in content.items()
    }


def vanilla_registry_data() -> list[tuple[str, list[tuple[str, Nbt]]]]:
    """Every registry with its entries, ready for `registry_data` packets: [(registry, [(key, data)])]."""
    return [(registry, list(entries.items())) for registry, entries in _all().items()]


def vanilla_entries(registry: str) -> Mapping[str, Nbt]:
    """One registry's entries in order; empty for a registry that vanilla does not send."""
    return _all().get(registry, {})
