"""How fast packets are read and written, beside npm minecraft-protocol where it is installed.

.venv/bin/python -m tests.bench.bench_codec
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from protocol import codec
from protocol.schema import DIRECTIONS, STATES
from tests.bench import node
from tests.protocol.captures import packets


def item(number: int, components: int = 0) -> dict[str, Any]:
    """A stack with some components."""
    kinds: list[dict[str, Any]] = [
        {"type": "damage", "data": 12},
        {"type": "custom_name", "data": {"text": "Old Faithful"}},
        {"type": "enchantments", "data": {"enchantments": [{"id": 5, "level": 3}], "showTooltip": True}},
        {"type": "repair_cost", "data": 3},
        {"type": "unbreakable", "data": True},
    ]
    return {
        "itemCount": 1,
        "itemId": number,
        "addedComponentCount": components,
        "removedComponentCount": 0,
        "components": kinds[:components],
        "removeComponents": [],
    }


def samples() -> dict[str, bytes]:
    """Clientbound play packets by name, id and body."""
    made: dict[str, dict[str, Any]] = {
        "entity_teleport": {
            "entityId": 1234,
            "x": 21.5,
            "y": 75.0,
            "z": 25.25,
            "yaw": 3,
            "pitch": -4,
            "onGround": True,
        },
        "rel_entity_move": {"entityId": 1234, "dX": 100, "dY": -3, "dZ": 7, "onGround": True},
        "entity_move_look": {
            "entityId": 1234,
            "dX": 100,
            "dY": -3,
            "dZ": 7,
            "yaw": 3,
            "pitch": -4,
            "onGround": True,
        },
        "entity_velocity": {"entityId": 1234, "velocity": {"x": 100, "y": -3, "z": 7}},
        "entity_head_rotation": {"entityId": 1234, "headYaw": 64},
        "update_health": {"health": 20.0, "food": 20, "foodSaturation": 5.0},
        "entity_metadata": {
            "entityId": 1234,
            "metadata": [
                {"key": 0, "type": "byte", "value": 0},
                {"key": 1, "type": "int", "value": 300},
                {"key": 4, "type": "boolean", "value": False},
                {"key": 6, "type": "pose", "value": 0},
                {"key": 9, "type": "float", "value": 10.0},
            ],
        },
        "set_slot": {"windowId": 0, "stateId": 4, "slot": 36, "item": item(800, 5)},
        "window_items": {
            "windowId": 0,
            "stateId": 4,
            "carriedItem": {"itemCount": 0},
            "items": [item(number, number % 3) for number in range(46)],
        },
        "multi_block_change": {
            "chunkCoordinates": {"x": 1, "z": -2, "y": 4},
            "records": [(number * 37) << 12 | number for number in range(40)],
        },
        "system_chat": {"content": {"text": "bot1 joined the game"}, "isActionBar": False},
    }
    found = {name: codec.encode("play", "toClient", name, fields) for name, fields in made.items()}
    found["map_chunk"] = next(packets("hills", only="map_chunk")).payload
    return found


def per_second(work: Callable[[], Any]) -> float:
    """Runs a second in the best of thirty short rounds: what else the machine does spoils only some."""
    best = 0.0
    for _ in range(30):
        count, spent, start = 0, 0.0, time.perf_counter()
        while spent < 0.02:
            for _ in range(20):
                work()
            count += 20
            spent = time.perf_counter() - start
        best = max(best, count / spent)
    return best


def main() -> None:
    found = samples()
    theirs = node.run("bench_codec.js", ({"name": name, "hex": data.hex()} for name, data in found.items()))
    heads = ("bytes", "read", "decode", "write", "node read", "node write")
    print(f"{'thousands a second':22}" + "".join(f"{head:>11}" for head in heads))
    for name, payload in found.items():
        read, write = codec.reader("play", "toClient", name), codec.writer("play", "toClient", name)
        fields = codec.decode("play", "toClient", payload).fields
        ours = (
            per_second(lambda read=read, payload=payload: read(payload, 1)),  # type: ignore[misc]
            per_second(lambda payload=payload: codec.decode("play", "toClient", payload)),  # type: ignore[misc]
            per_second(lambda write=write, fields=fields: write(fields)),  # type: ignore[misc]
        )
        columns = "".join(f"{value / 1000:11.1f}" for value in ours)
        if theirs is not None:
            columns += f"{theirs[name][0] / 1000:11.1f}{theirs[name][1] / 1000:11.1f}"
        print(f"{name:22}{len(payload):11}{columns}")
    print(f"\nfresh codec, all {count_all()} packets compiled both ways: {compile_all() * 1000:.0f} ms")
    if theirs is None:
        print("Node or its packages are missing; see tests/node/package.json and NUMEN_NODE_MODULES.")


def count_all() -> int:
    """How many packets the schema has."""
    return sum(len(codec.packet_names(state, direction)) for state in STATES for direction in DIRECTIONS)


def compile_all() -> float:
    """Seconds to read the schema and compile everything in it."""
    start = time.perf_counter()
    fresh = codec.Codec()
    for state, direction in fresh.schema.packets:
        for name in fresh.packet_names(state, direction):
            fresh.reader(state, direction, name)
            fresh.writer(state, direction, name)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
