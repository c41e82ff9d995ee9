"""What is written is read, for every kind of packet with generated values: by us, and with --node by npm
minecraft-protocol too.

.venv/bin/python -m tests.protocol.roundtrip --examples 200 --node
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings

from protocol import codec
from protocol.schema import DIRECTIONS, STATES
from tests.protocol.strategies import packets
from tests.protocol.test_against_node import disagreements

Kind = tuple[str, str, str]
EVERY_KIND: list[Kind] = [
    (state, direction, name)
    for state in STATES
    for direction in DIRECTIONS
    for name in codec.packet_names(state, direction)
]


def check(kind: Kind, fields: dict[str, Any]) -> None:
    """Assert that fields come back from bytes, and bytes from fields."""
    payload = codec.encode(*kind, fields)
    packet = codec.decode(*kind[:2], payload)
    assert packet.name == kind[2]
    assert packet.fields == fields
    assert codec.encode(*kind, packet.fields) == payload


def run(kind: Kind, examples: int) -> int:
    """Check one kind with so many generated packets; how many there were (one where there are no fields)."""
    tried = 0

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.explicit, Phase.generate, Phase.shrink),
    )
    @given(packets(*kind))
    def holds(fields: dict[str, Any]) -> None:
        nonlocal tried
        tried += 1
        check(kind, fields)

    holds()
    return tried


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--examples", type=int, default=200, help="packets tried of each kind")
    parser.add_argument("--only", default="", help="kinds whose state/direction/name contains this")
    parser.add_argument("--node", action="store_true", help="let minecraft-protocol read them as well")
    options = parser.parse_args()
    start, total, failed = time.perf_counter(), 0, 0
    for kind in EVERY_KIND:
        if options.only not in "/".join(kind):
            continue
        try:
            total += run(kind, options.examples)
        except Exception as error:
            failed += 1
            print(f"{'/'.join(kind)}: {type(error).__name__}: {error}")
            print("\n".join(f"    {note}" for note in getattr(error, "__notes__", ())))
    print(f"{total} packets in {time.perf_counter() - start:.0f} s; {failed} kinds failed")
    if options.node:
        compared, found = disagreements(options.examples)
        failed += len(found)
        print(*found, f"minecraft-protocol read {compared} packets; {len(found)} otherwise than we", sep="\n")
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
