"""Async tests run on the reactor's own loop, with a limit: an endless wait is a failure, not a hang."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any

import pytest

from protocol import reactor

reactor.install()

LIMIT_S = 30.0


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = pyfuncitem._fixtureinfo.argnames
    arguments: dict[str, Any] = {name: pyfuncitem.funcargs[name] for name in names}
    marker = pyfuncitem.get_closest_marker("timeout")
    limit = float(marker.args[0]) - 2 if marker and marker.args else LIMIT_S

    async def bounded() -> None:
        await asyncio.wait_for(pyfuncitem.obj(**arguments), limit)

    reactor.run(bounded())
    return True
