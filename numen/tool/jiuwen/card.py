"""Cards: what a tool declares about itself, apart from the code that runs it."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Literal, Self, TypeVar

from pydantic import BaseModel

from numen.tool.schema import card_dialect

Exposure = Literal["direct", "deferred"]
"""`direct`: in every prompt. `deferred`: found through a search for tools."""

C = TypeVar("C", bound="ToolCard")


def new_id() -> str:
    return uuid.uuid4().hex


@dataclass(frozen=True)
class ToolInfo:
    """What an endpoint is told about a tool: the flat function shape of OpenAI."""

    type: str = "function"
    name: str = ""
    description: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __hash__(self) -> int:
        return hash((type(self), self.type, self.name, self.description))

    def to_dict(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if not key.startswith("_")}


@dataclass(frozen=True)
class McpToolInfo(ToolInfo):
    """A tool of an MCP server, with the server's name."""

    server_name: str = ""

    __hash__ = ToolInfo.__hash__


@dataclass(eq=False, repr=False)
class ToolCard:
    """The declaration of a tool.

    `input_params` is a JSON schema of type object; a pydantic model in its place becomes its schema.
    `parallel_safe`: may run beside other calls. `stateless`: one instance may be shared under its bare id.
    `idempotent`: doing it twice is doing it once, so it may be retried; all others never are.

    An absent id is a new random one; absent texts and maps are empty. Two cards are equal when they declare
    the same, so that registering a declaration again can be told from a conflict.
    """

    id: str = field(default_factory=new_id)
    name: str = ""
    description: str = ""
    input_params: dict[str, Any] = field(default_factory=dict)
    properties: dict[str, Any] = field(default_factory=dict)
    parallel_safe: bool = field(default=True, kw_only=True)
    stateless: bool = field(default=False, kw_only=True)
    idempotent: bool = field(default=False, kw_only=True)
    exposure: Exposure = field(default="direct", kw_only=True)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "id" and value is None:
            value = new_id()
        elif name in ("name", "description") and value is None:
            value = ""
        elif name == "input_params":
            value = _schema_of(value)
        elif name in _MAPS:
            value = _own(value)
        super().__setattr__(name, value)

    @classmethod
    def builder(cls) -> CardBuilder[Self]:
        return CardBuilder(cls)

    def altered(self, **fields: Any) -> Self:
        """A copy that differs in `fields`; this card stays as it is."""
        return replace(self, **fields)

    def tool_info(self) -> ToolInfo:
        return ToolInfo(name=self.name, description=self.description, parameters=self.input_params)

    def declaration(self) -> tuple[Any, ...]:
        """Everything that makes two cards the same or not."""
        return (
            self.id,
            self.name,
            self.description,
            self.input_params,
            self.properties,
            self.parallel_safe,
            self.stateless,
            self.idempotent,
        )

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self) or not isinstance(other, ToolCard):
            return NotImplemented
        return self.declaration() == other.declaration()

    def __hash__(self) -> int:
        # Maps have no hash; what is left tells nearly all cards apart.
        return hash((type(self), self.id, self.name, self.description))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(id={self.id!r}, name={self.name!r})"


@dataclass(eq=False, repr=False)
class McpToolCard(ToolCard):
    """A tool of an MCP server; `name` is the server's own word for it."""

    server_name: str = field(default="", kw_only=True)
    server_id: str = field(default="", kw_only=True)

    def tool_info(self) -> McpToolInfo:
        return McpToolInfo(
            name=self.name,
            description=self.description,
            parameters=self.input_params,
            server_name=self.server_name,
        )

    def declaration(self) -> tuple[Any, ...]:
        return (*super().declaration(), self.server_name, self.server_id)


class CardBuilder(Generic[C]):
    """Collects the fields of a card: `ToolCard.builder().name("add").idempotent(True).build()`."""

    def __init__(self, kind: type[C]) -> None:
        self._kind = kind
        self._fields: dict[str, Any] = {}

    def id(self, value: str | None) -> Self:
        return self.extra(id=value)

    def name(self, value: str | None) -> Self:
        return self.extra(name=value)

    def description(self, value: str | None) -> Self:
        return self.extra(description=value)

    def input_params(self, value: Mapping[str, Any] | type[BaseModel] | None) -> Self:
        return self.extra(input_params=value)

    def properties(self, value: Mapping[str, Any] | None) -> Self:
        return self.extra(properties=value)

    def parallel_safe(self, value: bool) -> Self:
        return self.extra(parallel_safe=value)

    def stateless(self, value: bool) -> Self:
        return self.extra(stateless=value)

    def idempotent(self, value: bool) -> Self:
        return self.extra(idempotent=value)

    def extra(self, **fields: Any) -> Self:
        """Fields of a more special card, such as `url` or `server_name`."""
        self._fields.update(fields)
        return self

    def build(self) -> C:
        if not self._fields.get("id"):
            self._fields.pop("id", None)
        return self._kind(**self._fields)


_MAPS = frozenset({"properties", "headers", "queries", "paths"})


def _own(value: Mapping[str, Any] | None) -> dict[str, Any]:
    """A map the card may keep: a dict by reference, so that its owner can go on filling it."""
    if value is None:
        return {}
    return value if isinstance(value, dict) else dict(value)


def _schema_of(value: Mapping[str, Any] | type[BaseModel] | None) -> dict[str, Any]:
    if isinstance(value, type) and issubclass(value, BaseModel):
        return card_dialect(value.model_json_schema())
    return _own(value)
