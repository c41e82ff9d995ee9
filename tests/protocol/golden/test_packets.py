"""Packets whose layout public tables have had wrong, and those a player leans on, object beside bytes.

The rules are those of protocol 767; in each table bytes stand in the order of the fields.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from protocol import codec
from protocol.codec import Codec
from tests.protocol.golden.wire import f32, f64, i64, nbt, plain, stack, text

#: The cell (-20, -1, 1): x in 26 bits, z in 26, y in 12.
CELL = "fffffb0000001fff "
ANN = "00112233445566778899aabbccddeeff "
ANN_UUID = UUID("00112233-4455-6677-8899-aabbccddeeff")

#: Where a player is: dimension type 1, its name, hashed seed, creative, no game mode before, not debug, flat.
SPAWN = "01" + text("minecraft:the_nether") + i64(-2) + "01 ff 00 01"
SPAWN_FIELDS = {
    "dimension": 1,
    "name": "minecraft:the_nether",
    "hashedSeed": -2,
    "gamemode": "creative",
    "previousGamemode": -1,
    "isDebug": False,
    "isFlat": True,
}

#: name, direction, bytes from the id on, fields
PACKETS: list[tuple[str, str, str, dict[str, Any]]] = [
    # --- windows
    (
        "set_slot",  # window -1: the cursor
        "toClient",
        "15 ff 8001 ffff 00",
        {"windowId": -1, "stateId": 128, "slot": -1, "item": {"itemCount": 0}},
    ),
    (
        "set_slot",  # window -2: the player's inventory by its own numbers
        "toClient",
        "15 fe 00 0028 01 2a 00 00",
        {"windowId": -2, "stateId": 0, "slot": 40, "item": stack(42)},
    ),
    (
        "window_items",
        "toClient",
        "13 03 07 02 00 01 2a 00 00 05 2b 00 00",
        {"windowId": 3, "stateId": 7, "items": [{"itemCount": 0}, stack(42)], "carriedItem": stack(43, 5)},
    ),
    (
        "open_horse_window",  # a donkey's five columns of inventory
        "toClient",
        "23 04 05 0000012c",
        {"windowId": 4, "nbSlots": 5, "entityId": 300},
    ),
    (
        "open_window",
        "toClient",
        "33 04 02" + nbt({"translate": "container.chest"}),
        {"windowId": 4, "inventoryType": 2, "windowTitle": {"translate": "container.chest"}},
    ),
    (
        "trade_list",  # the window is a varint; a price has no count of removed components
        "toClient",
        "2d 8001 01"
        + ("2a 0c 01 03 05")
        + ("01 2b 00 00")
        + ("01 2c 01 00")
        + ("00 00000002 0000000c 00000001 ffffffff" + f32(0.05) + "00000003")
        + "02 46 01 00",
        {
            "windowId": 128,
            "trades": [
                {
                    "inputItem1": {
                        "itemId": 42,
                        "itemCount": 12,
                        "addedComponentCount": 1,
                        "components": [{"type": "damage", "data": 5}],
                    },
                    "outputItem": stack(43),
                    "inputItem2": {
                        "itemId": 44,
                        "itemCount": 1,
                        "addedComponentCount": 0,
                        "components": [],
                    },
                    "tradeDisabled": False,
                    "nbTradeUses": 2,
                    "maximumNbTradeUses": 12,
                    "xp": 1,
                    "specialPrice": -1,
                    "priceMultiplier": 0.05000000074505806,
                    "demand": 3,
                }
            ],
            "villagerLevel": 2,
            "experience": 70,
            "isRegularVillager": True,
            "canRestock": False,
        },
    ),
    (
        "window_click",
        "toServer",
        "0e 00 05 0024 00 01 02" + "0024 00" + "0009 02 2a 00 00" + "00",
        {
            "windowId": 0,
            "stateId": 5,
            "slot": 36,
            "mouseButton": 0,
            "mode": 1,
            "changedSlots": [
                {"location": 36, "item": {"itemCount": 0}},
                {"location": 9, "item": stack(42, 2)},
            ],
            "cursorItem": {"itemCount": 0},
        },
    ),
    # --- where one is
    (
        "respawn",
        "toClient",
        "47" + SPAWN + "01" + text("minecraft:overworld") + CELL + "14 03",
        {
            "worldState": {
                **SPAWN_FIELDS,
                "death": {"dimensionName": "minecraft:overworld", "location": (-20, -1, 1)},
                "portalCooldown": 20,
            },
            "copyMetadata": 3,
        },
    ),
    (
        "login",
        "toClient",
        "2b 0000012c 00 02"
        + text("minecraft:overworld")
        + text("a:b")
        + "14 0a 08 00 01 00"
        + SPAWN
        + "00 00 01",
        {
            "entityId": 300,
            "isHardcore": False,
            "worldNames": ["minecraft:overworld", "a:b"],
            "maxPlayers": 20,
            "viewDistance": 10,
            "simulationDistance": 8,
            "reducedDebugInfo": False,
            "enableRespawnScreen": True,
            "doLimitedCrafting": False,
            "worldState": {**SPAWN_FIELDS, "death": None, "portalCooldown": 0},
            "enforcesSecureChat": True,
        },
    ),
    (
        "position",
        "toClient",
        "40" + f64(1.5, -64, 0.25) + f32(90, -45) + "18 ac02",
        {
            "x": 1.5,
            "y": -64.0,
            "z": 0.25,
            "yaw": 90.0,
            "pitch": -45.0,
            "flags": frozenset({"yaw", "pitch"}),
            "teleportId": 300,
        },
    ),
    (
        "unload_chunk",  # z first
        "toClient",
        "21 ffffffff 00000002",
        {"chunkZ": -1, "chunkX": 2},
    ),
    # --- players and chat
    (
        "player_info",  # everything at once, for one player
        "toClient",
        "3e 3f 01"
        + ANN
        + text("Ann")
        + ("01" + text("textures") + text("e30") + "01" + text("sig"))
        + ("01" + ANN + i64(1 << 40) + "02 abcd 01 ef")
        + "03 01 2a 01"
        + nbt("Annie"),
        {
            "action": frozenset(
                {
                    "add_player",
                    "initialize_chat",
                    "update_game_mode",
                    "update_listed",
                    "update_latency",
                    "update_display_name",
                }
            ),
            "data": [
                {
                    "uuid": ANN_UUID,
                    "player": {
                        "name": "Ann",
                        "properties": [{"name": "textures", "value": "e30", "signature": "sig"}],
                    },
                    "chatSession": {
                        "uuid": ANN_UUID,
                        "publicKey": {
                            "expireTime": 1 << 40,
                            "keyBytes": b"\xab\xcd",
                            "keySignature": b"\xef",
                        },
                    },
                    "gamemode": 3,
                    "listed": True,
                    "latency": 42,
                    "displayName": "Annie",
                }
            ],
        },
    ),
    (
        "player_info",  # only that she is not listed
        "toClient",
        "3e 08 01" + ANN + "00",
        {
            "action": frozenset({"update_listed"}),
            "data": [
                {
                    "uuid": ANN_UUID,
                    "player": None,
                    "chatSession": None,
                    "gamemode": None,
                    "listed": False,
                    "latency": None,
                    "displayName": None,
                }
            ],
        },
    ),
    (
        "player_chat",  # signed, two messages seen before: one by number, one in full
        "toClient",
        "39"
        + ANN
        + "05 01"
        + "11" * 256
        + text("hi")
        + i64(1_700_000_000_000)
        + i64(-1)
        + ("02 05 00" + "22" * 256)
        + "00 00 01"
        + nbt("Ann")
        + "00",
        {
            "senderUuid": ANN_UUID,
            "index": 5,
            "signature": b"\x11" * 256,
            "plainMessage": "hi",
            "timestamp": 1_700_000_000_000,
            "salt": -1,
            "previousMessages": [{"id": 5, "signature": None}, {"id": 0, "signature": b"\x22" * 256}],
            "unsignedChatContent": None,
            "filterType": 0,
            "filterTypeMask": None,
            "type": {"chatType": 0},
            "networkName": "Ann",
            "networkTargetName": None,
        },
    ),
    (
        "profileless_chat",  # the chat type inline: how chat looks, how it is read aloud
        "toClient",
        "1e"
        + nbt("hi")
        + ("00" + text("chat.type.text") + "02 01 00" + nbt({}) + text("narrate") + "01 02" + nbt({}))
        + nbt("Ann")
        + ("01" + nbt("Bob")),
        {
            "message": "hi",
            "type": {
                "data": {
                    "chat": {
                        "translationKey": "chat.type.text",
                        "parameters": ["sender", "content"],
                        "style": {},
                    },
                    "narration": {"translationKey": "narrate", "parameters": ["target"], "style": {}},
                }
            },
            "name": "Ann",
            "target": "Bob",
        },
    ),
    (
        "chat_message",
        "toServer",
        "06" + text("hi") + i64(1_700_000_000_000) + i64(7) + "00 00 000000",
        {
            "message": "hi",
            "timestamp": 1_700_000_000_000,
            "salt": 7,
            "signature": None,
            "offset": 0,
            "acknowledged": b"\0\0\0",
        },
    ),
    # --- the world
    (
        "multi_block_change",  # x 22 bits, z 22, y 20; a record is state << 12 | x << 8 | z << 4 | y, 64 bits
        "toClient",
        "49 fffff800000fffff 02 a322 808080808020",
        {"chunkCoordinates": {"x": -2, "z": 0, "y": -1}, "records": [1 << 12 | 0x123, 1 << 40]},
    ),
    (
        "initialize_world_border",  # milliseconds have 64 bits
        "toClient",
        "25" + f64(0, 0, 100, 50) + "8080808080808001" + "f086a70e 05 0f",
        {
            "x": 0.0,
            "z": 0.0,
            "oldDiameter": 100.0,
            "newDiameter": 50.0,
            "speed": 1 << 49,
            "portalTeleportBoundary": 29_999_984,
            "warningBlocks": 5,
            "warningTime": 15,
        },
    ),
    (
        "world_border_lerp_size",
        "toClient",
        "4e" + f64(100, 50) + "ffffffffffffffffff01",
        {"oldDiameter": 100.0, "newDiameter": 50.0, "speed": -1},
    ),
    (
        "explosion",  # two cells go, the player is pushed, two particles, a sound of its own
        "toClient",
        "20"
        + f64(1, 2, 3)
        + f32(4)
        + "02 ff0000 000102"
        + f32(0.5, 0, -0.5)
        + "01 16 15"
        + ("00" + text("boom") + "00"),
        {
            "x": 1.0,
            "y": 2.0,
            "z": 3.0,
            "radius": 4.0,
            "affectedBlockOffsets": [{"x": -1, "y": 0, "z": 0}, {"x": 0, "y": 1, "z": 2}],
            "playerMotionX": 0.5,
            "playerMotionY": 0.0,
            "playerMotionZ": -0.5,
            "block_interaction_type": 1,
            "small_explosion_particle": {"type": "explosion", "data": None},
            "large_explosion_particle": {"type": "explosion_emitter", "data": None},
            "sound": {"data": {"soundName": "boom", "fixedRange": None}},
        },
    ),
    (
        "sound_effect",
        "toClient",
        "68 0b 04 00000008 00000010 fffffff8" + f32(1, 0.5) + i64(-3),
        {
            "sound": {"soundId": 10},
            "soundCategory": "block",
            "x": 8,
            "y": 16,
            "z": -8,
            "volume": 1.0,
            "pitch": 0.5,
            "seed": -3,
        },
    ),
    (
        "update_light",  # masks are longs, and each section's light 2048 bytes
        "toClient",
        "2a 05 ffffffff0f"
        + ("01" + i64(2))
        + "00 00"
        + ("01" + i64(-1))
        + ("01 8010" + "5a" * 2048)
        + "01 01 ef",
        {
            "chunkX": 5,
            "chunkZ": -1,
            "skyLightMask": [2],
            "blockLightMask": [],
            "emptySkyLightMask": [],
            "emptyBlockLightMask": [-1],
            "skyLight": [b"\x5a" * 2048],
            "blockLight": [b"\xef"],
        },
    ),
    (
        "map_chunk",  # one block entity: x and z share a byte
        "toClient",
        "27 00000001 ffffffff"
        + nbt({})
        + "03 010203"
        + ("01 a3 ffc0 07" + nbt({"id": "x"}))
        + "00 00 00 00"
        + "01 01 ef 01 02 abcd",
        {
            "x": 1,
            "z": -1,
            "heightmaps": {},
            "chunkData": b"\1\2\3",
            "blockEntities": [{"x": 10, "z": 3, "y": -64, "type": 7, "nbtData": {"id": "x"}}],
            "skyLightMask": [],
            "blockLightMask": [],
            "emptySkyLightMask": [],
            "emptyBlockLightMask": [],
            "skyLight": [b"\xef"],
            "blockLight": [b"\xab\xcd"],
        },
    ),
    (
        "update_structure_block",  # its seed has 64 bits
        "toServer",
        "34"
        + CELL
        + "02 01"
        + text("a:b")
        + "00 01 ff 10 10 10 00 03"
        + text("")
        + f32(1)
        + "8080808080808001 05",
        {
            "location": (-20, -1, 1),
            "action": 2,
            "mode": 1,
            "name": "a:b",
            "offset_x": 0,
            "offset_y": 1,
            "offset_z": -1,
            "size_x": 16,
            "size_y": 16,
            "size_z": 16,
            "mirror": 0,
            "rotation": 3,
            "metadata": "",
            "integrity": 1.0,
            "seed": 1 << 49,
            "flags": 5,
        },
    ),
    # --- hands
    (
        "block_dig",
        "toServer",
        "24 02" + CELL + "01 07",
        {"status": 2, "location": (-20, -1, 1), "face": 1, "sequence": 7},
    ),
    (
        "block_place",
        "toServer",
        "38 00" + CELL + "01" + f32(0.5, 1, 0.25) + "00 08",
        {
            "hand": 0,
            "location": (-20, -1, 1),
            "direction": 1,
            "cursorX": 0.5,
            "cursorY": 1.0,
            "cursorZ": 0.25,
            "insideBlock": False,
            "sequence": 8,
        },
    ),
    (
        "use_item",  # yaw is called x, pitch y
        "toServer",
        "39 01 09" + f32(90, -45),
        {"hand": 1, "sequence": 9, "rotation": {"x": 90.0, "y": -45.0}},
    ),
    (
        "use_entity",  # attack: no hand
        "toServer",
        "16 ac02 01 00",
        {"target": 300, "mouse": 1, "x": None, "y": None, "z": None, "hand": None, "sneaking": False},
    ),
    (
        "use_entity",  # at a point: with a hand
        "toServer",
        "16 ac02 02" + f32(0.5, 1.5, 0) + "01 01",
        {"target": 300, "mouse": 2, "x": 0.5, "y": 1.5, "z": 0.0, "hand": 1, "sneaking": True},
    ),
    # --- scores and bars
    (
        "scoreboard_score",  # fixed text for a number
        "toClient",
        "61" + text("Ann") + text("kills") + "05 00 01 02" + nbt("five"),
        {
            "itemName": "Ann",
            "scoreName": "kills",
            "value": 5,
            "display_name": None,
            "number_format": 2,
            "styling": "five",
        },
    ),
    (
        "teams",
        "toClient",
        "60"
        + text("red")
        + "00"
        + nbt("Red")
        + "01"
        + text("always")
        + text("never")
        + "0c"
        + nbt("[")
        + nbt("]")
        + ("02" + text("Ann") + text("Bob")),
        {
            "team": "red",
            "mode": 0,
            "name": "Red",
            "friendlyFire": 1,
            "nameTagVisibility": "always",
            "collisionRule": "never",
            "formatting": 12,
            "prefix": "[",
            "suffix": "]",
            "players": ["Ann", "Bob"],
        },
    ),
    (
        "boss_bar",
        "toClient",
        "0a" + ANN + "00" + nbt("Wither") + f32(0.5) + "05 01 02",
        {
            "entityUUID": ANN_UUID,
            "action": 0,
            "title": "Wither",
            "health": 0.5,
            "color": 5,
            "dividers": 1,
            "flags": 2,
        },
    ),
    (
        "map",  # one marker with a name, and a patch of 1 by 2
        "toClient",
        "2c 07 00 01" + ("01 01 06 0a f6 08 01" + nbt("home")) + "01 02 03 04 02 2233",
        {
            "itemDamage": 7,
            "scale": 0,
            "locked": True,
            "icons": [{"type": 6, "x": 10, "z": -10, "direction": 8, "displayName": "home"}],
            "columns": 1,
            "rows": 2,
            "x": 3,
            "y": 4,
            "data": b"\x22\x33",
        },
    ),
]


def check(codec: Codec, row: tuple[str, str, str, dict[str, Any]]) -> None:
    """Assert that the codec reads and writes a row of the table."""
    name, direction, data, fields = row
    payload = bytes.fromhex(data)
    packet = codec.decode("play", direction, payload)
    assert (packet.name, plain(packet.fields)) == (name, fields)
    assert codec.encode("play", direction, name, fields) == payload


@pytest.mark.parametrize("row", PACKETS, ids=lambda row: row[0])
def test_packet(row: tuple[str, str, str, dict[str, Any]]) -> None:
    check(codec.VANILLA, row)


def check_listed(codec: Codec) -> None:
    """Assert that whether a player is listed comes as a bool, which a table can't tell from a number."""
    fields = codec.decode("play", "toClient", bytes.fromhex("3e 08 01" + ANN + "01")).fields
    assert fields["data"][0]["listed"] is True


def test_whether_a_player_is_listed_is_a_bool() -> None:
    check_listed(codec.VANILLA)
