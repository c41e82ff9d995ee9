"""JSON schemas for tool parameters:

the dialect endpoints take, leniency before a check, plain words after it.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from numen.tool.contract import BadArguments

MAX_FAULTS = 4
"""Faults told in one message; a model mends a few at a time better than a page of them."""


def openai_dialect(schema: Mapping[str, Any]) -> dict[str, Any]:
    """`schema` as pydantic writes it, made plain: references inlined, titles gone, "or null" left out.

    Null means "not given" to us, and several endpoints refuse a union with null.
    """
    plain = _simplify(schema, _definitions(schema), (), nulls=False)
    out = {"type": "object", "properties": plain.get("properties", {})}
    if plain.get("required"):
        out["required"] = plain["required"]
    return out


def card_dialect(schema: Mapping[str, Any]) -> dict[str, Any]:
    """`schema` as pydantic writes it, for a card: as for an endpoint, but "or null" is `nullable: true`.

    Everything else that stands beside the properties is kept.
    """
    out: dict[str, Any] = _simplify(schema, _definitions(schema), (), nulls=True)
    return {"type": "object", "properties": {}, **out}


def _definitions(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**schema.get("definitions", {}), **schema.get("$defs", {})}


def _simplify(node: Any, definitions: Mapping[str, Any], trail: tuple[str, ...], *, nulls: bool) -> Any:
    if isinstance(node, list):
        return [_simplify(each, definitions, trail, nulls=nulls) for each in node]
    if not isinstance(node, Mapping):
        return node
    reference = node.get("$ref")
    if isinstance(reference, str):
        key = reference.rsplit("/", 1)[-1]
        if key in trail:
            return {"type": "object"}  # a type that contains itself: the depth ends here
        inlined = _simplify(definitions.get(key, {}), definitions, (*trail, key), nulls=nulls)
        rest = _simplify({k: v for k, v in node.items() if k != "$ref"}, definitions, trail, nulls=nulls)
        return {**inlined, **rest}
    out: dict[str, Any] = {}
    for key, value in node.items():
        if key in ("$defs", "definitions", "title"):
            continue
        if not nulls and (key == "nullable" or (key == "default" and value is None)):
            continue
        if key == "properties":
            out[key] = {
                name: _simplify(each, definitions, trail, nulls=nulls) for name, each in value.items()
            }
        elif key in ("default", "enum", "examples"):
            out[key] = value
        elif key == "const":
            out["enum"] = [value]  # fewer endpoints know `const`
        elif key == "prefixItems":
            # Few endpoints know fixed places; length and the types of all places are told instead.
            out["items"] = _any_of([_simplify(each, definitions, trail, nulls=nulls) for each in value])
        else:
            out[key] = _simplify(value, definitions, trail, nulls=nulls)
    branches = out.get("anyOf")
    if isinstance(branches, list):
        kept = [each for each in branches if not (isinstance(each, Mapping) and each.get("type") == "null")]
        if nulls and len(kept) < len(branches):
            out["nullable"] = True
        if len(kept) == 1 and isinstance(kept[0], Mapping):
            del out["anyOf"]
            out = {**kept[0], **out}
        else:
            out["anyOf"] = kept
    return out


def _any_of(schemas: list[Any]) -> Any:
    different = [each for index, each in enumerate(schemas) if each not in schemas[:index]]
    return different[0] if len(different) == 1 else {"anyOf": different}


def lenient(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """`arguments` with what models get wrong in harmless ways put right.

    Nulls are dropped; a bare value or a JSON text where a list is due becomes a list; numbers are clamped
    into the declared range; a whole number written `3.0` or `"3"` becomes 3. Raises BadArguments for a name
    that is not declared but nearly is, since ignoring that would do something else than was meant.
    """
    properties: Mapping[str, Any] = schema.get("properties", {})
    out: dict[str, Any] = {}
    for key, value in arguments.items():
        if value is None:
            continue
        declared = properties.get(key)
        if declared is None:
            near = difflib.get_close_matches(key, [each for each in properties if each not in arguments], n=1)
            if near:
                raise BadArguments(f"there is no argument {key!r}; did you mean {near[0]!r}?")
            continue
        out[key] = _fit(value, declared)
    return out


def mended(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """`arguments` with the same harmless mistakes put right, and everything undeclared kept as it is."""
    properties: Mapping[str, Any] = schema.get("properties", {})
    return {
        key: _fit(value, properties[key]) if value is not None and _is_map(properties.get(key)) else value
        for key, value in arguments.items()
    }


def _is_map(value: Any) -> bool:
    return isinstance(value, Mapping)


def _fit(value: Any, declared: Mapping[str, Any]) -> Any:
    kind = declared.get("type")
    items = declared.get("items")
    items = items if isinstance(items, Mapping) else {}
    if kind == "array":
        if isinstance(value, str) and value.strip().startswith("["):
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                value = [value]
        if isinstance(value, str) and "," in value and items.get("type") == "string":
            value = [each.strip() for each in value.split(",") if each.strip()]
        if not isinstance(value, (list, Mapping)):
            value = [value]
        return [_fit(each, items) for each in value] if isinstance(value, list) else value
    if kind in ("integer", "number"):
        return _fit_number(value, declared, whole=kind == "integer")
    if kind == "object" and isinstance(value, str) and value.strip().startswith("{"):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    choices = declared.get("enum")
    if isinstance(choices, list) and isinstance(value, str) and value not in choices:
        for choice in choices:
            if isinstance(choice, str) and choice.casefold() == value.strip().casefold():
                return choice
    return value


def _fit_number(value: Any, declared: Mapping[str, Any], *, whole: bool) -> Any:
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        try:
            value = float(value.strip())
        except ValueError:
            return value
    if not isinstance(value, (int, float)) or value != value or value in (float("inf"), float("-inf")):
        return str(value)
    low, high = declared.get("minimum"), declared.get("maximum")
    if low is not None and value < low:
        value = low
    if high is not None and value > high:
        value = high
    return int(value) if whole and value == int(value) else value


def explain_fault(faults: Sequence[Mapping[str, Any]], schema: Mapping[str, Any]) -> str:
    """One sentence a fault, from pydantic's list: which argument, what it was, what was expected."""
    told: dict[str, str] = {}
    properties: Mapping[str, Any] = schema.get("properties", {})
    for fault in faults:
        where = fault.get("loc", ())
        key = str(where[0]) if where else ""
        if key in told:
            continue
        expected = expectation(properties.get(key, {}))
        if fault.get("type") == "missing" and len(where) == 1:
            told[key] = f"argument {key!r} is missing; {expected} was expected"
        elif fault.get("type") in ("value_error", "assertion_error"):
            # Raised by a check of the tool's own, in its own words.
            told[key] = (
                f"argument {key!r}: {str(fault.get('msg', '')).partition(', ')[2] or fault.get('msg')}"
            )
        else:
            path = "".join(f"[{each}]" if isinstance(each, int) else f".{each}" for each in where[1:])
            shown = json.dumps(fault.get("input"), ensure_ascii=False, default=str)
            shown = shown if len(shown) <= 60 else shown[:59] + "…"
            told[key] = f"argument {key + path!r} is {shown}; {expected} was expected"
    lines = list(told.values())
    more = f"; and {len(lines) - MAX_FAULTS} more" if len(lines) > MAX_FAULTS else ""
    return "; ".join(lines[:MAX_FAULTS]) + more


def expectation(declared: Mapping[str, Any]) -> str:
    """What a parameter takes, in words."""
    if "enum" in declared:
        return "one of " + ", ".join(str(each) for each in declared["enum"])
    if "anyOf" in declared:
        return " or ".join(expectation(each) for each in declared["anyOf"])
    kind = declared.get("type")
    if kind == "array":
        inner = {"string": "texts", "integer": "whole numbers", "number": "numbers", "object": "objects"}
        of = inner.get(str(declared.get("items", {}).get("type")), "values")
        return f"a list of {of}" + (" with at least one entry" if declared.get("minItems") else "")
    words = {
        "integer": "a whole number",
        "number": "a number",
        "boolean": "true or false",
        "string": "text",
        "object": "an object",
    }
    word = words.get(str(kind), "a value")
    low, high = declared.get("minimum"), declared.get("maximum")
    if low is not None and high is not None:
        word += f" from {low} to {high}"
    return word
