"""The recorded sessions of tests/data/captures as packets. What is in them, their README says."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).parent.parent / "data" / "captures"
SESSIONS = ("hills", "flying-squid")


class Recorded(NamedTuple):
    """One packet of a session; `reading` is what minecraft-protocol makes of it, where that was recorded."""

    state: str
    direction: str
    name: str
    payload: bytes
    reading: Any


def packets(session: str, only: str | None = None) -> Iterator[Recorded]:
    """The packets of a session in order, all or those of one name."""
    with gzip.open(FOLDER / f"{session}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            if only is not None and f'"{only}"' not in line:
                continue
            one = json.loads(line)
            if only is None or one["name"] == only:
                direction = "toClient" if one["dir"] == "s2c" else "toServer"
                payload = bytes.fromhex(one["hex"])
                yield Recorded(one["state"], direction, one["name"], payload, one.get("data"))


@cache
def one_of_each() -> tuple[Recorded, ...]:
    """The longest packet under 4 KiB of each kind in any session."""
    found: dict[tuple[str, str, str], Recorded] = {}
    for session in SESSIONS:
        for packet in packets(session):
            key = packet[:3]
            if len(packet.payload) < 4096 and len(packet.payload) > len(found.get(key, packet).payload) - 1:
                found[key] = packet
    return tuple(found.values())


def expected_chunks(session: str) -> list[dict[str, Any]]:
    """What prismarine-chunk makes of each `map_chunk` of a session, in order."""
    with gzip.open(FOLDER / f"{session}.chunks-expected.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]
