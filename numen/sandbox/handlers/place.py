"""Using what is in hand on a block: first the block's own use, then placing. Every way out is acknowledged.

The order is vanilla 1.21.1's: reach, the point that was hit, build height, the block's own use unless the
player sneaks with something in hand, then the item. A refusal is put right in three packets: the cells, the
slot, the acknowledgement.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    pass

HANDLERS: dict[str, Any] = {}
