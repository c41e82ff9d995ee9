"""Bridges that live in `numen run`: Python files in a folder, and distributions with the entry point
``numen.bridges``.

A bridge is a module with ``async def start(numen: Numen)``, or (as an entry point) that function itself. It
runs from before the first login until the run ends, and is cancelled then. One that can't be loaded or that
fails is named and skipped: a broken bridge must not keep a companion from living.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any

from numen.doors import Numen
from numen.plugins import module_of

log = logging.getLogger(__name__)

GROUP = "numen.bridges"
#: How long bridges have to put things in order when the run ends, in seconds.
FAREWELL_S = 5.0

Start = Callable[[Numen], Awaitable[None]]


@dataclass(frozen=True)
class Bridge:
    """A bridge that could be loaded: its name, and what begins it."""

    name: str
    start: Start


def found(folder: Path | None, on_problem: Callable[[str], None]) -> Iterator[Bridge]:
    """The bridges of `folder`'s files (by name) and of installed distributions.

    `on_problem` gets one sentence for each that can't be loaded.
    """
    for path in sorted(folder.glob("*.py")) if folder is not None and folder.is_dir() else ():
        get = partial(module_of, path, "numen_user_bridges")
        yield from _loaded(path.stem, str(path), get, on_problem)
    for entry in sorted(metadata.entry_points(group=GROUP), key=lambda each: each.name):
        owner = entry.dist.name if entry.dist else entry.value
        yield from _loaded(entry.name, f"{owner} ({entry.name})", entry.load, on_problem)


@asynccontextmanager
async def running(
    folder: Path | None, numen: Numen, on_problem: Callable[[str], None] = log.warning
) -> AsyncIterator[None]:
    """While this lasts, the bridges run. Nothing waits for them until the end."""
    tasks = [
        asyncio.ensure_future(_kept(each, replace(numen, folder=numen.folder / each.name), on_problem))
        for each in found(folder, on_problem)
    ]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        if tasks:
            _, stubborn = await asyncio.wait(tasks, timeout=FAREWELL_S)
            if stubborn:
                on_problem(f"{len(stubborn)} of the bridges did not end within {FAREWELL_S:g} s")


def _loaded(
    name: str, origin: str, get: Callable[[], Any], on_problem: Callable[[str], None]
) -> Iterator[Bridge]:
    try:
        module = get()
    except Exception as error:  # whatever a stranger's module does while it is imported
        log.debug("the bridge %s can't be loaded", origin, exc_info=True)
        on_problem(f"{origin}: not loaded: {type(error).__name__}: {error}")
        return
    start = getattr(module, "start", None) if isinstance(module, ModuleType) else module
    if inspect.iscoroutinefunction(start):
        yield Bridge(name, start)
    else:
        on_problem(f"{origin}: is no bridge; a bridge has `async def start(numen)`")


async def _kept(bridge: Bridge, numen: Numen, on_problem: Callable[[str], None]) -> None:
    try:
        await bridge.start(numen)
    except Exception as error:
        log.debug("the bridge %s failed", bridge.name, exc_info=True)
        on_problem(f"the bridge {bridge.name} has failed and is over: {type(error).__name__}: {error}")
