"""Our corrections of the packet schema: each is needed, and each still fits the data."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from protocol import codec
from protocol.codec import Codec
from protocol.patches import PATCHES, Patch
from protocol.schema import load
from tests.protocol.golden import test_components, test_entities, test_packets, test_recipes


def golden() -> Iterator[Any]:
    """Every check of the golden tables: call it with a codec."""
    tables: Any = (
        (test_components.check, test_components.COMPONENTS),
        (test_entities.check_metadata, test_entities.METADATA),
        (test_entities.check_particle, test_entities.PARTICLES),
        (test_recipes.check, test_recipes.RECIPES),
        (test_packets.check, test_packets.PACKETS),
    )
    for check, table in tables:
        for row in table:
            yield partial(check, row=row)
    yield test_entities.check_attributes
    yield test_packets.check_listed


@pytest.mark.parametrize(
    "patch", [patch for patch in PATCHES if not patch.path.startswith("-/")], ids=lambda patch: patch.path
)
def test_without_it_a_golden_row_fails(patch: Patch) -> None:
    without = Codec([other for other in PATCHES if other is not patch])
    assert not all(_passes(without, check) for check in golden())


def _passes(codec: Codec, check: Any) -> bool:
    try:
        check(codec)
    except (AssertionError, ValueError, LookupError):
        return False
    return True


def test_packets_that_only_servers_send_are_not_among_the_clients() -> None:
    assert "server_links" not in codec.packet_names("configuration", "toServer")
    assert "custom_report_details" not in codec.packet_names("configuration", "toServer")
    assert "legacy_server_list_ping" not in codec.packet_names("handshaking", "toServer")


def test_a_patch_that_leads_nowhere_is_told() -> None:
    # The data must not change under the patches without anyone noticing.
    with pytest.raises(LookupError):
        load([*PATCHES, Patch("SlotComponent/data/no_such_component", "varint", "a test")])
    assert all(patch.reason for patch in PATCHES)
