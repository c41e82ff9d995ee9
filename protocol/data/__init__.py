"""The game's data for 1.21.1, made by scripts/vendor_data.py from PrismarineJS's minecraft-data (see NOTICE).

Each table is one compact JSON file under zlib; nothing is read before someone asks for it.
"""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

_HERE = Path(__file__).parent


def load_bytes(table: str) -> bytes:
    """The JSON text of one table."""
    return zlib.decompress((_HERE / f"{table}.json.z").read_bytes())


def load(table: str) -> Any:
    """One table, parsed. Not kept: whoever asks holds what it needs."""
    return json.loads(load_bytes(table))
