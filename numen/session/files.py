"""Small JSON files that are written whole or not at all, and never lost when they are damaged."""

from __future__ import annotations

import json
import logging
import os
import tempfile
from pathlib import Path
from typing import Any

log = logging.getLogger(__name__)


def write_text(path: Path, text: str) -> None:
    """Put `text` in the place of what `path` held, in one stroke.

    Raises OSError, leaving the file as it was.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # A name of its own: two writers must not share a half-written file.
    handle, fresh = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".new", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="replace", newline="\n") as file:
            file.write(text)
        os.replace(fresh, path)
    except BaseException:
        Path(fresh).unlink(missing_ok=True)
        raise


def write_json(path: Path, value: Any) -> None:
    """`value` as a JSON file that people can read. Raises OSError."""
    write_text(path, json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def parse_json(path: Path) -> Any:
    """What a JSON file holds. Raises OSError, and ValueError for what is no JSON or is nested without end."""
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except RecursionError:
        raise ValueError("it is nested too deep") from None


def read_json(path: Path, otherwise: dict[str, Any]) -> dict[str, Any]:
    """The object in a JSON file; `otherwise` when there is none.

    A damaged file is set aside, with a warning.
    """
    try:
        value = parse_json(path)
    except FileNotFoundError:
        return otherwise
    except OSError as error:
        log.warning("%s cannot be read: %s", path, error)
        return otherwise
    except ValueError:
        value = None
    if isinstance(value, dict):
        return value
    set_aside(path)
    return otherwise


def set_aside(path: Path) -> Path | None:
    """Move a damaged file to `<name>.damaged` (`.damaged-2` …); where to, or None if it cannot be."""
    number, aside = 1, path.with_name(f"{path.name}.damaged")
    while aside.exists():
        number += 1
        aside = path.with_name(f"{path.name}.damaged-{number}")
    try:
        path.rename(aside)
    except OSError as error:
        log.warning("%s is damaged and cannot be set aside: %s", path, error)
        return None
    log.warning("%s is damaged and was moved to %s", path, aside.name)
    return aside
