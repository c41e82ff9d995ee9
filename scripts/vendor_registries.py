"""Makes protocol/data/synced_registries.nbt.z: vanilla's synchronized registries, as a server sends them.

    python scripts/vendor_registries.py package

`package` is the same unpacked npm package that vendor_data.py takes. The file is one NBT compound under zlib:
registry -> entry -> data, in the order that gives the entries their numbers.
"""

from __future__ import annotations

import sys
import zlib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from protocol import nbt  # noqa: E402
from scripts.vendor_data import TARGET, Source  # noqa: E402


def tag(node: dict[str, Any]) -> Any:
    """A tag as minecraft-data writes it ({"type", "value"}) with the wrapper classes of protocol.nbt."""
    return _value(node["type"], node["value"])


def _value(kind: str, value: Any) -> Any:
    if kind == "compound":
        return {name: tag(item) for name, item in value.items()}
    if kind == "list":
        return [_value(value["type"], item) for item in value["value"]]
    if kind == "long":
        high, low = value
        unsigned = (high & 0xFFFFFFFF) << 32 | low & 0xFFFFFFFF
        return nbt.Long(unsigned - (1 << 64) if unsigned >> 63 else unsigned)
    return SCALARS[kind](value)


SCALARS = {
    "byte": nbt.Byte,
    "short": nbt.Short,
    "int": nbt.Int,
    "float": nbt.Float,
    "double": nbt.Double,
    "string": str,
    "intArray": nbt.IntArray,
}


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    codec = Source(Path(sys.argv[1])).read("loginPacket")["dimensionCodec"]
    content = {
        registry: {entry["key"]: tag(entry["value"]) for entry in packet["entries"]}
        for registry, packet in codec.items()
    }
    data = zlib.compress(nbt.dumps(content), 9)
    (TARGET / "synced_registries.nbt.z").write_bytes(data)
    print(f"registries {len(data):8} bytes")


if __name__ == "__main__":
    main()
