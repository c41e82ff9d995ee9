"""Tables that take too long to make between two ticks, made before the first one.

Each of them costs some hundredths of a second, once a process.
"""

from __future__ import annotations

import gc

from numen.body.path import flags
from numen.rules import f32
from numen.rules.physics import matter


def warm_up_to_move() -> None:
    """Make the tables that each tick of physics reads. Safe on any thread, and cheap the second time.

    What has been made until then lives as long as the process: the garbage collector need not go through it
    again and again, which would take longer than a tick has.
    """
    f32.sines()
    matter()
    gc.freeze()


def warm_up_to_search() -> None:
    """Make the tables that searches read, which a body can move without. As safe and as cheap."""
    flags.tables()


def warm_up() -> None:
    """Make all of them."""
    warm_up_to_move()
    warm_up_to_search()
