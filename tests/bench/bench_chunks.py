"""How fast chunk columns are taken in, looked at and written, beside prismarine-chunk where it is installed.

.venv/bin/python -m tests.bench.bench_chunks
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from protocol import codec
from protocol.chunks import ChunkData, encode_chunk
from tests.bench import node
from tests.protocol.captures import SESSIONS, packets


def per_second(work: Callable[[Any], Any], items: Sequence[Any]) -> float:
    """Items a second of the best of five rounds over all of them."""
    best = float("inf")
    for _ in range(5):
        start = time.perf_counter()
        for one in items:
            work(one)
        best = min(best, time.perf_counter() - start)
    return len(items) / best


def main() -> None:
    print(f"{'columns a second':34}" + "".join(f"{session:>14}" for session in SESSIONS))
    rows: dict[str, list[float]] = {}
    for session in SESSIONS:
        payloads = [packet.payload for packet in packets(session, only="map_chunk")]
        decoded = [codec.decode("play", "toClient", payload).fields for payload in payloads]
        columns = [ChunkData(fields) for fields in decoded]
        arrays = [(column.states(), column.biomes()) for column in columns[:100]]
        theirs = node.run("bench_chunks.js", ({"hex": payload.hex()} for payload in payloads))

        def eager(fields: dict[str, Any]) -> None:
            ChunkData(fields).states()

        figures = {
            "packet to fields": per_second(lambda data: codec.decode("play", "toClient", data), payloads),
            "fields to column, lazy": per_second(ChunkData, decoded),
            "fields to column, all decoded": per_second(eager, decoded),
            "packet to all decoded": per_second(
                lambda data: eager(codec.decode("play", "toClient", data).fields), payloads
            ),
            "states to bytes": per_second(lambda pair: encode_chunk(*pair), arrays),
            "KiB a packet": sum(map(len, payloads)) / len(payloads) / 1024,
        }
        if theirs is not None:
            figures |= {
                "node: packet to fields": theirs["parse"],
                "node: fields to column": theirs["load"],
                "node: packet to column": 1 / (1 / theirs["parse"] + 1 / theirs["load"]),
            }
        for name, value in figures.items():
            rows.setdefault(name, []).append(value)
    for name, values in rows.items():
        print(f"{name:34}" + "".join(f"{value:14,.0f}" for value in values))

    chunk = ChunkData(codec.decode("play", "toClient", payloads[0]).fields)
    cells = [(number * 7 & 15, number * 5 % 384 - 64, number * 3 & 15) for number in range(20_000)]
    print(f"{'blocks looked up a second':34}{per_second(lambda cell: chunk.block(*cell), cells):14,.0f}")


if __name__ == "__main__":
    main()
