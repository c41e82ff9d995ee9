"""Tables that take too long to make between two ticks, made before the first one.

Each of them costs some hundredths of a second, once a process.
"""

from __future__ import annotations

import gc

from numen.body.path import flags
from numen.rules import blocks, f32
from numen.rules.physics import matter


def warm_up() -> None:
    """Make the tables that physics and path search read. Safe on any thread, and cheap the second time.

    What has been made until then lives as long as the process: the garbage collector need not go through it
    again and again, which would take longer than a tick has.
    """
    f32.sines()
    matter()
    blocks.table()
    flags.tables()
    gc.collect()
    gc.freeze()
