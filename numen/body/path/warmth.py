"""What the first search would otherwise have to wait for."""

from __future__ import annotations

from numen.body.path import flags


def warm_up() -> None:
    """Compute the tables that searches stand on; about a tenth of a second, once a process."""
    flags.tables()
