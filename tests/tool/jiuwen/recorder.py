"""A callback framework that writes down what it hears, and answers transforms from a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from numen.tool.hooks import UNCHANGED

SCOPE = "_framework:"


class Recorder:
    """`heard` is [(event without its scope, payload)], transforms among them as `transform <event>`."""

    def __init__(
        self,
        transforms: Mapping[str, Callable[[Mapping[str, Any]], Any]] | None = None,
        raises: Mapping[str, Exception] | None = None,
    ) -> None:
        self.heard: list[tuple[str, Mapping[str, Any]]] = []
        self._transforms = transforms or {}
        self._raises = raises or {}

    async def trigger(self, event: str, payload: Mapping[str, Any]) -> list[Any]:
        assert event.startswith(SCOPE)
        name = event.removeprefix(SCOPE)
        self.heard.append((name, dict(payload)))
        if name in self._raises:
            raise self._raises[name]
        return []

    async def transform(self, event: str, payload: Mapping[str, Any]) -> Any:
        name = event.removeprefix(SCOPE)
        self.heard.append((f"transform {name}", dict(payload)))
        answer = self._transforms.get(name)
        return UNCHANGED if answer is None else answer(payload)

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.heard]

    def events(self) -> list[str]:
        """The names without the transforms."""
        return [name for name in self.names if not name.startswith("transform ")]

    def payload(self, name: str) -> Mapping[str, Any]:
        """The payload of the only event of that name."""
        (found,) = [payload for each, payload in self.heard if each == name]
        return found

    def payloads(self, name: str) -> list[Mapping[str, Any]]:
        return [payload for each, payload in self.heard if each == name]
