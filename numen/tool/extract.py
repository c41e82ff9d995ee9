"""Reads a function: what it is for, what it takes, and the schemas and checks that follow from its types.

`@tool` and the cards of the openJiuwen layer both come from here, so a type means the same to either. Strict
reading refuses at once what a model could not be told well; lenient reading takes any function.
"""

from __future__ import annotations

import inspect
import logging
import math
import re
import types
import typing
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model

from numen.tool.contract import ToolContext
from numen.tool.schema import card_dialect, openai_dialect

log = logging.getLogger(__name__)

SECTION = re.compile(
    r"^(args|arguments|parameters|params|returns?|raises|yields?|examples?|notes?):\s*$", re.IGNORECASE
)
PARAMETER_SECTIONS = frozenset({"args", "arguments", "parameters", "params"})
RESULT_SECTIONS = frozenset({"return", "returns"})
ENTRY = re.compile(r"^(\*{0,2}\w+)\s*(?:\([^)]*\))?:\s*(.*)$")
SPHINX = re.compile(r"^:(?:param|parameter|arg)\s+(?:[^:]*\s)?(\*{0,2}\w+):\s*(.*)$")
SPHINX_OTHER = re.compile(r"^:\w+[^:]*:")
WORD_LINE = re.compile(r"^\w+:(\s|$)")

WITHOUT_PARAMETERS: Mapping[str, Any] = types.MappingProxyType({"type": "object", "properties": {}})


class Docstring(NamedTuple):
    """What a docstring says: its first paragraph, all its prose, and a text for each parameter."""

    first: str
    prose: str
    whole: str
    parameters: dict[str, str]


class Extracted:
    """What a function takes, read from its signature and docstring.

    `context` is the parameter typed ToolContext, which the caller fills; `owner` tells that the first one is
    `self` or `cls`; `open` that it takes more than it declares.
    """

    def __init__(self, function: Callable[..., Any], name: str, *, strict: bool) -> None:
        """Raises TypeError, when `strict`, for an untyped parameter or one that cannot be passed by name."""
        self.name = name
        self.signature = inspect.signature(function)
        self.docstring = read_docstring(function)
        self.context: str | None = None
        self.owner = False
        self.open = False
        self._strict = strict
        self._fields: dict[str, tuple[Any, Any]] = {}
        hints = get_type_hints(function, include_extras=True)
        for index, parameter in enumerate(self.signature.parameters.values()):
            if index == 0 and parameter.name in ("self", "cls") and parameter.name not in hints:
                self.owner = True
                continue
            self._add(parameter, hints)

    def _add(self, parameter: inspect.Parameter, hints: Mapping[str, Any]) -> None:
        variadic = parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        if self._strict and (variadic or parameter.kind is parameter.POSITIONAL_ONLY):
            raise TypeError(f"{self.name}: parameter {parameter.name} cannot be passed by name")
        if variadic:
            self.open = True
            return
        if self._strict and parameter.name not in hints:
            raise TypeError(f"{self.name}: parameter {parameter.name} has no type")
        hint = hints.get(parameter.name, Any)
        if hint is ToolContext:
            self.context = parameter.name
            return
        default = parameter.default
        if default is parameter.empty:
            # Null means "not given" to a model, so what takes None may be left out.
            default = None if _takes_none(hint) else ...
        text = self.docstring.parameters.get(parameter.name)
        self._fields[parameter.name] = (hint, Field(default, alias=parameter.name, description=text))

    @property
    def names(self) -> list[str]:
        """The parameters a caller may give, in order."""
        return list(self._fields)

    # Building a pydantic model takes milliseconds, and a companion has dozens of tools: not before it is
    # needed. Its fields are numbered, since a parameter may be called `copy`, `schema` or `_x`.
    @cached_property
    def _model(self) -> type[BaseModel]:
        config = ConfigDict(
            extra="ignore", coerce_numbers_to_str=True, arbitrary_types_allowed=not self._strict
        )
        fields: dict[str, Any] = {f"p{index}": field for index, field in enumerate(self._fields.values())}
        return create_model(self.name, __config__=config, **fields)

    @cached_property
    def _raw_schema(self) -> dict[str, Any]:
        return self._model.model_json_schema(schema_generator=_generator())

    @cached_property
    def parameter_schema(self) -> Mapping[str, Any]:
        """The schema for endpoints: as small as can be."""
        return openai_dialect(self._raw_schema)

    @cached_property
    def card_schema(self) -> dict[str, Any]:
        """The schema for cards: closed unless the function takes anything, and every parameter described."""
        schema = card_dialect(self._raw_schema)
        properties = schema.get("properties", {})
        for key, declared in properties.items():
            declared.setdefault("description", humanise(key))
        out: dict[str, Any] = {"type": "object", "title": humanise(self.name), "properties": properties}
        if schema.get("required"):
            out["required"] = schema["required"]
        out["additionalProperties"] = self.open
        return out

    def convert(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """`arguments` as the types of the parameters, defaults included.

        Those it does not declare are kept only where it takes them. Raises pydantic's ValidationError.
        """
        properties = self.card_schema["properties"]
        given = {
            key: value
            for key, value in arguments.items()
            if value is not None or _keeps_null(properties.get(key, {}))
        }
        model = self._model.model_validate(given)
        out = {key: getattr(model, f"p{index}") for index, key in enumerate(self._fields)}
        if self.open:
            out.update((key, value) for key, value in arguments.items() if key not in self._fields)
        return out


def humanise(name: str) -> str:
    """`maxItemCount`, `max_item_count` → `max item count`."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return " ".join(re.split(r"[\s_\-]+", apart)).strip().lower()


def spread(signature: inspect.Signature, values: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """(positional, named) arguments for a call with `values`.

    A value named like `*args` is spread over it; what the function has no place for is left out.
    """
    left = dict(values)
    positional: list[Any] = []
    named: dict[str, Any] = {}
    parameters = signature.parameters.values()
    several = next((each for each in parameters if each.kind is each.VAR_POSITIONAL), None)
    extra = left.pop(several.name, None) if several is not None else None
    for parameter in parameters:
        by_place = parameter.kind is parameter.POSITIONAL_ONLY or (
            extra and parameter.kind is parameter.POSITIONAL_OR_KEYWORD
        )
        if by_place:
            if parameter.name in left:
                positional.append(left.pop(parameter.name))
            elif parameter.default is not parameter.empty:
                positional.append(parameter.default)
        elif parameter.kind is parameter.VAR_POSITIONAL:
            positional.extend(extra if isinstance(extra, (list, tuple)) else [extra] if extra else [])
        elif parameter.kind is parameter.VAR_KEYWORD:
            named.update(left)
        elif parameter.name in left:
            named[parameter.name] = left.pop(parameter.name)
    return positional, named


def read_docstring(function: Callable[..., Any]) -> Docstring:
    """A docstring taken apart: sections like `Args:`, and `:param x:` lines anywhere."""
    text = inspect.getdoc(function) or ""
    prose: list[str] = []
    first: list[str] = []
    first_ended = False
    entries: dict[str, str] = {}
    section = current = ""
    indent = math.inf
    for line in text.splitlines():
        stripped = line.strip()
        heading = SECTION.match(stripped) if not line.startswith((" ", "\t")) else None
        if heading:
            section, current, indent, first_ended = heading.group(1).lower(), "", math.inf, True
            continue
        sphinx = SPHINX.match(stripped)
        if sphinx:
            current, first_ended = sphinx.group(1).lstrip("*"), True
            entries[current] = sphinx.group(2).strip()
            continue
        if SPHINX_OTHER.match(stripped):
            current, first_ended = "", True
            continue
        if section in PARAMETER_SECTIONS:
            depth = len(line) - len(line.lstrip())
            entry = ENTRY.match(stripped) if depth <= indent else None
            if entry and depth > 0:
                indent = depth
                current = entry.group(1).lstrip("*")
                entries[current] = entry.group(2).strip()
            elif current and stripped:
                entries[current] = f"{entries[current]} {stripped}".strip()
        elif current and stripped and line.startswith((" ", "\t")):
            entries[current] = f"{entries[current]} {stripped}".strip()
        elif section in RESULT_SECTIONS or not section:
            prose.append(line)
            first_ended = first_ended or (bool(first) and (not stripped or bool(WORD_LINE.match(stripped))))
            if not first_ended and stripped:
                first.append(stripped)
    return Docstring(" ".join(first), _joined(prose), _joined([text]), entries)


def _joined(lines: list[str]) -> str:
    return " ".join(" ".join(lines).split())


def _takes_none(hint: Any) -> bool:
    if get_origin(hint) is typing.Annotated:
        return _takes_none(get_args(hint)[0])
    union = get_origin(hint) in (typing.Union, types.UnionType)
    return hint is None or hint is type(None) or (union and any(_takes_none(each) for each in get_args(hint)))


def _keeps_null(declared: Mapping[str, Any]) -> bool:
    return (
        declared.get("nullable") is True
        or declared.get("type") == "null"
        or not (declared.keys() & {"type", "enum", "anyOf", "oneOf", "allOf", "$ref"})
    )


def _generator() -> type[Any]:
    """pydantic's schema writer, with a word for every type: what JSON cannot describe is an object."""
    from pydantic.json_schema import GenerateJsonSchema

    class Generator(GenerateJsonSchema):
        # A default that JSON cannot write stays the function's own affair.
        ignored_warning_kinds = GenerateJsonSchema.ignored_warning_kinds | {"non-serializable-default"}

        def decimal_schema(self, schema: Any) -> dict[str, Any]:
            return {"type": "number"}

        def handle_invalid_for_json_schema(self, schema: Any, error_info: str) -> dict[str, Any]:
            return {"type": "object"}

    return Generator
