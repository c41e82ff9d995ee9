"""What our codec writes, read and written again by npm minecraft-protocol: nobody here wrote that one."""

from __future__ import annotations

import pytest

from protocol import codec
from tests.bench import node
from tests.protocol.any_fields import AnyFields, Seeded

_NOT_THERE = "a recipe kind of long ago, number 11 there, moves this one's number"
_INLINE = "leaves the byte before an inline entry unwritten"

#: What it reads or writes otherwise, and why. Nothing of this is sent to it.
AVOIDED = {
    # read otherwise, being wrong for 1.21.1
    "food": "has no details of an effect, and no bool before what is left over",
    "potion_contents": "has a name, as from 1.21.2 on",
    "can_place_on": "has no bools before the ends of a range and before a tag",
    "can_break": "likewise",
    "written_book_content": "has no bool before a filtered page",
    "optional_global_pos": "has a string for a dimension and a cell",
    "painting_variant": "has a title and an author, as from 1.21.2 on",
    "dust_color_transition": "has the scale between the colours",
    **dict.fromkeys(
        (
            *("minecraft:crafting_special_shielddecoration", "minecraft:crafting_special_shulkerboxcoloring"),
            *("minecraft:crafting_special_suspiciousstew", "minecraft:crafting_special_repairitem"),
            *("minecraft:smelting", "minecraft:blasting", "minecraft:smoking", "minecraft:campfire_cooking"),
            *("minecraft:stonecutting", "minecraft:smithing_transform", "minecraft:smithing_trim"),
            "minecraft:crafting_decorated_pot",
        ),
        _NOT_THERE,
    ),
    "custom": "knows no ingredients of NeoForge's",
    # written otherwise
    "long": "a varlong has 32 bits",
    **dict.fromkeys(
        ("soundId", "chatType", "songId", "patternId", "materialId", "instrumentId", "variantId"), _INLINE
    ),
}
#: Packets whose size it gets wrong.
MISREAD = {"trade_list": "takes the window's number for one byte"}
#: Packets it reads and writes otherwise.
MISWRITTEN = {
    "multi_block_change": "a varlong has 32 bits",
    "initialize_world_border": "likewise",
    "world_border_lerp_size": "likewise",
    "update_structure_block": "likewise",
}


def disagreements(examples: int) -> tuple[int, list[str]]:
    """How many packets were compared, so many of each kind, and where the two don't agree."""
    sent = []
    for (state, direction), table in codec.VANILLA.schema.packets.items():
        for name, type_ in table.values():
            if name in MISREAD:
                continue
            for seed in range(examples):
                fields = AnyFields(codec.VANILLA.schema, Seeded(seed), frozenset(AVOIDED)).packet(type_)
                sent.append((state, direction, name, codec.encode(state, direction, name, fields)))
    back = node.run(
        "echo_packets.js",
        ({"state": state, "direction": direction, "hex": data.hex()} for state, direction, _, data in sent),
    )
    found = []
    for (state, direction, name, data), answer in zip(sent, back, strict=True):
        if (answer.get("name"), answer.get("size")) != (name, len(data)):
            found.append(f"{state} {direction} {name}: {data.hex()} is read as {answer}")
        elif answer["hex"] != data.hex() and name not in MISWRITTEN:
            found.append(f"{state} {direction} {name}: {data.hex()} is written as {answer['hex']}")
    return len(sent), found


@pytest.mark.node
@pytest.mark.skipif(node.modules() is None, reason="Node or the packages of tests/node are missing")
def test_minecraft_protocol_reads_and_writes_the_same_bytes() -> None:
    compared, found = disagreements(20)
    assert compared == 20 * 222
    assert found == []
