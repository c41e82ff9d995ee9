"""Makes the inputs of a call fit the schema of its card: nulls, defaults, checks.

The order is fixed: nulls out (when asked for), defaults in, then the check (unless skipped). So a key that is
there with null is not filled by its default unless nulls went first.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from numen.tool.jiuwen.errors import JiuwenError, StatusCode, fault
from numen.tool.jiuwen.threads import load

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

MAX_FAULTS = 4
MAX_SHOWN = 160
"""Signs of one fault that are told; a value of a page does not help to mend it."""

_MAPS_OF_SCHEMAS = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
_LISTS_OF_SCHEMAS = frozenset({"anyOf", "oneOf", "allOf", "prefixItems"})
_SCHEMAS = frozenset(
    {"items", "additionalProperties", "contains", "not", "if", "then", "else", "unevaluatedProperties"}
)
_PATTERNS = frozenset({"pattern", "patternProperties"})


async def format_with_schema(
    data: Mapping[str, Any] | None,
    schema: Mapping[str, Any],
    *,
    skip_none_value: bool = False,
    skip_validate: bool = False,
    trusted: bool = True,
) -> dict[str, Any]:
    """`data` as the tool shall get it; the argument is left as it is.

    A schema that is not `trusted` has its regular expressions left out of the check: one of them could hold
    up the loop for minutes, and whoever sent it checks for itself. Raises SCHEMA_FORMAT_INVALID for anything
    but a map, SCHEMA_VALIDATE_INVALID for one that does not fit.
    """
    if data is None:
        raise fault(StatusCode.SCHEMA_FORMAT_INVALID, reason="data is null", data=None)
    if not isinstance(data, Mapping):
        raise fault(
            StatusCode.SCHEMA_FORMAT_INVALID,
            reason=f"data is a {type(data).__name__}, a map was expected",
            data=data,
        )
    formatted = dict((drop_nulls(data) or {}) if skip_none_value else data)
    fill_defaults(formatted, schema)
    if not skip_validate and schema:
        await load("jsonschema")
        try:
            reason = faults_of(formatted, schema, trusted=trusted)
        except Exception as error:
            raise fault(
                StatusCode.SCHEMA_VALIDATE_INVALID,
                reason=f"the schema itself cannot be used: {_short(str(error))}",
                data=formatted,
                cause=error,
            ) from error
        if reason:
            raise fault(StatusCode.SCHEMA_VALIDATE_INVALID, reason=reason, data=formatted)
    return formatted


def is_schema_fault(error: BaseException | None) -> bool:
    """Whether a failure, or what caused it, lies in the inputs."""
    while error is not None:
        if isinstance(error, JiuwenError) and error.status in (
            StatusCode.SCHEMA_FORMAT_INVALID,
            StatusCode.SCHEMA_VALIDATE_INVALID,
        ):
            return True
        error = error.__cause__
    return False


def drop_nulls(value: Any) -> Any:
    """`value` without nulls at any depth.

    A map or list in which nothing else was is null itself; one that was empty stays.
    """
    if isinstance(value, Mapping):
        cleaned = {key: drop_nulls(item) for key, item in value.items()}
        kept = {key: item for key, item in cleaned.items() if item is not None}
        return None if value and not kept else kept
    if isinstance(value, list):
        items = [each for each in map(drop_nulls, value) if each is not None]
        return None if value and not items else items
    return value


def fill_defaults(data: dict[str, Any], schema: Mapping[str, Any]) -> None:
    """Put the declared default of every missing top-level key into `data`, as a copy of its own."""
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        return
    for key, declared in properties.items():
        if key not in data and isinstance(declared, Mapping) and "default" in declared:
            data[key] = copy.deepcopy(declared["default"])


def faults_of(data: Mapping[str, Any], schema: Mapping[str, Any], *, trusted: bool = True) -> str:
    """What is wrong with `data`, in one line; "" when it fits. jsonschema must be loaded.

    Null is fine for a top-level key that is not required, and wherever the schema says `nullable`.
    """
    from jsonschema import Draft202012Validator
    from referencing.jsonschema import EMPTY_REGISTRY

    required = schema.get("required") or ()
    shown = {key: value for key, value in data.items() if value is not None or key in required}
    # A registry of its own: the default one would fetch a remote `$ref` from wherever the schema says.
    validator = Draft202012Validator(_standard(schema, trusted=trusted), registry=EMPTY_REGISTRY)
    told: dict[str, None] = {}
    for error in sorted(validator.iter_errors(shown), key=lambda each: [str(e) for e in each.absolute_path]):
        told.update(dict.fromkeys(_sentences(error)))
    lines = list(told)
    more = [f"and {len(lines) - MAX_FAULTS} more"] if len(lines) > MAX_FAULTS else []
    return "; ".join([*lines[:MAX_FAULTS], *more])


def _sentences(error: ValidationError) -> Iterator[str]:
    where = "".join(f"[{each}]" if isinstance(each, int) else f".{each}" for each in error.absolute_path)[1:]
    within = f" in {where}" if where else ""
    instance: Any = error.instance
    if error.validator == "required":
        missing: Any = error.validator_value
        for key in missing:
            if key not in instance:
                yield f"Missing required field: {key}{within}"
    elif error.validator == "additionalProperties" and error.validator_value is False:
        properties = error.schema.get("properties", {}) if isinstance(error.schema, Mapping) else {}
        for key in instance:
            if key not in properties:
                yield f"Unexpected keyword argument: {key}{within}"
    else:
        yield _short(f"{where}: {error.message}" if where else error.message)


def _short(text: str) -> str:
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"


def _standard(node: Any, *, trusted: bool) -> Any:
    """A schema in the words of JSON Schema 2020-12: `nullable` said by types, patterns out when untrusted."""
    if not isinstance(node, Mapping):
        return node

    def deeper(each: Any) -> Any:
        return _standard(each, trusted=trusted)

    out: dict[str, Any] = {}
    for key, value in node.items():
        if key == "nullable" or (key in _PATTERNS and not trusted):
            continue
        out[key] = _descend(key, value, deeper)
    if node.get("nullable") is True:
        return _with_null(out)
    return out


def _descend(key: str, value: Any, deeper: Callable[[Any], Any]) -> Any:
    if key in _MAPS_OF_SCHEMAS and isinstance(value, Mapping):
        return {name: deeper(each) for name, each in value.items()}
    if key in _LISTS_OF_SCHEMAS and isinstance(value, list):
        return [deeper(each) for each in value]
    if key in _SCHEMAS:
        return [deeper(each) for each in value] if isinstance(value, list) else deeper(value)
    return value


def _with_null(schema: dict[str, Any]) -> dict[str, Any]:
    kind = schema.get("type")
    if isinstance(kind, str):
        schema["type"] = [kind, "null"]
    elif isinstance(kind, list):
        schema["type"] = [*kind, "null"]
    elif not schema.keys() & {"anyOf", "enum"}:
        return {"anyOf": [schema, {"type": "null"}]}
    if "anyOf" in schema:
        schema["anyOf"] = [*schema["anyOf"], {"type": "null"}]
    if "enum" in schema:
        schema["enum"] = [*schema["enum"], None]
    return schema
