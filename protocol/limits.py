"""What a packet may cost whoever reads it.

- Every length and count is checked against the bytes that are left before anything is read or made.
- A packet makes at most `values` units of Python values. A unit is at most 50 bytes of memory and 100 ns of
  work: a number is 1 (in a list of varints 4, of varlongs 6), a string 3, a UUID 8, a dict in a list 4 and
  its fields, a tag of NBT 8. So an ordinary packet stays below 16 MiB and 50 ms, however it is made.
- Packets that bring whole registries on joining, or a column of terrain, may make eight times as many: big
  packs of mods need it. The costliest that can be made, a column of 100,000 block entities, takes some
  0.2 s and 26 MiB.
- A packet has at most `size` bytes. Framing lets nothing above 8 MiB pass, but NeoForge joins the parts of
  what is larger.
- Tags nest at most 512 deep (`protocol.nbt.MAX_DEPTH`), items within items as deep as Python's stack allows;
  both end in a DecodeError.
- NBT is not parsed until someone looks, and what then comes of it was counted already.

What exceeds a limit is refused with DecodeError like any broken packet, and only that packet is lost.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Limits(NamedTuple):
    """The most bytes a packet may have, and the most units of values."""

    size: int
    values: int


ORDINARY: Final = Limits(2 << 20, 200_000)
BULK: Final = Limits(32 << 20, 1_600_000)
#: Packets for which the limits of `BULK` hold.
BULK_PACKETS: Final = frozenset(
    {
        *("registry_data", "tags", "custom_payload", "login_plugin_request"),
        *("declare_recipes", "unlock_recipes", "declare_commands", "advancements", "map_chunk"),
    }
)


def limits_of(packet: str) -> Limits:
    """The limits of a packet by its name."""
    return BULK if packet in BULK_PACKETS else ORDINARY
