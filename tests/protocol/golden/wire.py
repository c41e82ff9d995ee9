"""The wire in hexadecimal: the words the golden tables are written in. Nothing of ours has a hand in it.

Spaces between bytes mean nothing. `plain` takes what the codec decoded and opens its NBT, so that a table
can say what is in a tag.
"""

from __future__ import annotations

import struct
from typing import Any

from protocol.nbt import Nbt


def text(value: str) -> str:
    """A string shorter than 128 bytes: its length, then UTF-8."""
    data = value.encode()
    return f"{len(data):02x} {data.hex()} "


def f32(*values: float) -> str:
    return struct.pack(f">{len(values)}f", *values).hex() + " "


def f64(*values: float) -> str:
    return struct.pack(f">{len(values)}d", *values).hex() + " "


def i64(value: int) -> str:
    return struct.pack(">q", value).hex() + " "


def nbt(value: Any) -> str:
    """A tag without a root name: a text, a TAG_Int, a list of texts or a compound of these."""
    kind, payload = _tag(value)
    return kind + payload + " "


def _tag(value: Any) -> tuple[str, str]:
    if isinstance(value, str):
        return "08", f"{len(value.encode()):04x}" + value.encode().hex()
    if isinstance(value, int):
        return "03", f"{value:08x}"
    if isinstance(value, list):
        return "09", f"08{len(value):08x}" + "".join(_tag(item)[1] for item in value)
    out = ""
    for name, item in value.items():
        kind, payload = _tag(item)
        out += kind + f"{len(name):04x}" + name.encode().hex() + payload
    return "0a", out + "00"


def stack(item: int, count: int = 1) -> dict[str, Any]:
    """A stack without components, as the codec has it."""
    return {
        "itemCount": count,
        "itemId": item,
        "addedComponentCount": 0,
        "removedComponentCount": 0,
        "components": [],
        "removeComponents": [],
    }


def plain(value: Any) -> Any:
    """The same with every tag opened."""
    if isinstance(value, Nbt):
        return value.value
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value
