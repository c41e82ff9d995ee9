"""The body on flying-squid: no chunk batches, one teleport id for all, a malformed packet, and no judge."""

from __future__ import annotations

import math

import pytest

from numen.body import digging, pickup, placing, walk
from tests.e2e.players import joined
from tests.e2e.servers import flying_squid

pytestmark = [pytest.mark.node, pytest.mark.timeout(120)]


@pytest.mark.parametrize("generator", ["superflat", "diamond_square"])
async def test_forty_blocks_are_walked(generator: str) -> None:
    async with flying_squid(generator=generator) as server, joined(server.port) as player:
        start = player.body.position
        await player.do(walk.go_to(player.body, player.ahead(40)))
        assert math.dist(start, player.body.position) > 35


async def test_a_block_is_dug_picked_up_and_placed() -> None:
    async with flying_squid() as server, joined(server.port) as player:
        x, y, z = player.body.feet
        await player.do(digging.dig(player.body, (x + 1, y - 1, z)))
        await player.do(pickup.collect(player.body))
        assert player.count("dirt") == 1
        cell = player.room_beside()
        await player.do(placing.place(player.body, "dirt", cell))
        assert player.block_name(*cell) == "dirt"
        assert player.count("dirt") == 0
