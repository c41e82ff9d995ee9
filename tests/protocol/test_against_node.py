"""What our codec writes, read and written again by npm minecraft-protocol: nobody here wrote that one."""

from __future__ import annotations

import pytest

from protocol import codec
from tests.bench import node
from tests.protocol.random_fields import RandomFields

#: Where it differs from us, and why. Everything else comes back byte for byte.
DIFFERS = {
    "trade_list": "takes the window's number for one byte; and item components",
    "declare_recipes": "item components",
    "advancements": "item components",
    "set_slot": "item components",
    "window_items": "item components",
    "entity_equipment": "item components",
    "window_click": "item components",
    "set_creative_slot": "item components",
    "entity_metadata": "an inline painting is longer there; a varlong has 32 bits; and item components",
    "world_particles": "the scale of dust that changes colour; and item components",
    "explosion": "leaves the byte before an inline sound unwritten; and particles",
    "sound_effect": "leaves the byte before an inline sound unwritten",
    "entity_sound_effect": "leaves the byte before an inline sound unwritten",
    "player_chat": "leaves the byte before an inline chat type unwritten",
    "profileless_chat": "leaves the byte before an inline chat type unwritten",
    "multi_block_change": "a record has 32 bits there",
    "initialize_world_border": "a varlong has 32 bits there",
    "world_border_lerp_size": "a varlong has 32 bits there",
    "update_structure_block": "a varlong has 32 bits there",
}


@pytest.mark.node
@pytest.mark.skipif(node.modules() is None, reason="Node or the packages of tests/node are missing")
def test_minecraft_protocol_reads_and_writes_the_same_bytes() -> None:
    sent = []
    for (state, direction), table in codec.VANILLA.schema.packets.items():
        for name, type_ in table.values():
            for seed in range(10):
                fields = RandomFields(codec.VANILLA.schema, seed).packet(type_)
                sent.append((state, direction, name, codec.encode(state, direction, name, fields)))
    back = node.run(
        "echo_packets.js",
        ({"state": state, "direction": direction, "hex": data.hex()} for state, direction, _, data in sent),
    )
    same = 0
    for (_, _, name, data), answer in zip(sent, back, strict=True):
        if answer == {"name": name, "size": len(data), "hex": data.hex()}:
            same += 1
        else:
            assert name in DIFFERS, (name, data.hex(), answer)
    assert same > 0.97 * len(sent)
