"""Inputs made to fit a schema: nulls, defaults, checks."""

from __future__ import annotations

from typing import Any

import pytest

from numen.tool.jiuwen import JiuwenError, StatusCode
from numen.tool.jiuwen.formatting import drop_nulls, format_with_schema

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "minLength": 2, "maxLength": 8},
        "mode": {"type": "string", "default": "text"},
        "lines": {"type": "integer", "minimum": 1, "maximum": 10},
        "ratio": {"type": "number"},
        "deep": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 2},
        "extra": {"type": "object"},
    },
    "required": ["path"],
}


async def shape(data: Any, schema: dict[str, Any] = SCHEMA, **options: Any) -> dict[str, Any]:
    return await format_with_schema(data, schema, **options)


async def refusal(data: Any, schema: dict[str, Any] = SCHEMA, **options: Any) -> str:
    with pytest.raises(JiuwenError) as caught:
        await shape(data, schema, **options)
    assert caught.value.status is StatusCode.SCHEMA_VALIDATE_INVALID
    return str(caught.value.params["reason"])


@pytest.mark.parametrize(("data", "reason"), [(None, "data is null"), ([1], "data is a list")])
async def test_anything_but_a_map_has_no_form(data: Any, reason: str) -> None:
    with pytest.raises(JiuwenError, match=reason) as caught:
        await shape(data)

    assert caught.value.status is StatusCode.SCHEMA_FORMAT_INVALID


async def test_missing_keys_get_their_default_and_the_argument_is_left_alone() -> None:
    data = {"path": "readme.md"[:8]}

    assert await shape(data) == {"path": "readme.m", "mode": "text"}
    assert data == {"path": "readme.m"}


async def test_defaults_that_can_change_are_copied() -> None:
    schema = {"properties": {"tags": {"default": []}, "more": {"default": {"a": []}}}}

    first = await shape({}, schema)
    first["tags"].append(1)
    first["more"]["a"].append(1)

    assert await shape({}, schema) == {"tags": [], "more": {"a": []}}


async def test_a_key_with_null_keeps_it_unless_nulls_go_first() -> None:
    assert (await shape({"path": "aa", "mode": None}))["mode"] is None
    assert (await shape({"path": "aa", "mode": None}, skip_none_value=True))["mode"] == "text"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"a": None, "b": 1}, {"b": 1}),
        ({"a": {"b": None}}, None),
        ({"a": [None, {"b": None}]}, None),
        ({"a": [None, 1], "b": []}, {"a": [1], "b": []}),
        ({"a": {}}, {"a": {}}),
        ({}, {}),
        ([None], None),
        (0, 0),
    ],
)
def test_nulls_go_at_every_depth_and_take_what_they_empty_with_them(value: Any, expected: Any) -> None:
    assert drop_nulls(value) == expected


async def test_a_map_of_nothing_but_nulls_is_an_empty_one() -> None:
    assert await shape({"a": None}, {}, skip_none_value=True) == {}


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ({}, "Missing required field: path"),
        ({"path": 3}, "path: 3 is not of type 'string'"),
        ({"path": None}, "path: None is not of type 'string'"),
        ({"path": "a"}, "path: 'a' is too short"),
        ({"path": "123456789"}, "path: '123456789' is too long"),
        ({"path": "aa", "lines": 0}, "lines: 0 is less than the minimum of 1"),
        ({"path": "aa", "lines": 11}, "lines: 11 is greater than the maximum of 10"),
        ({"path": "aa", "lines": True}, "lines: True is not of type 'integer'"),
        ({"path": "aa", "lines": 1.5}, "lines: 1.5 is not of type 'integer'"),
        ({"path": "aa", "ratio": "1"}, "ratio: '1' is not of type 'number'"),
        ({"path": "aa", "deep": 1}, "deep: 1 is not of type 'boolean'"),
        ({"path": "aa", "tags": "x"}, "tags: 'x' is not of type 'array'"),
        ({"path": "aa", "tags": []}, "tags: [] should be non-empty"),
        ({"path": "aa", "tags": ["a", "b", "c"]}, "tags: ['a', 'b', 'c'] is too long"),
        ({"path": "aa", "tags": ["a", 2]}, "tags[1]: 2 is not of type 'string'"),
        ({"path": "aa", "extra": []}, "extra: [] is not of type 'object'"),
    ],
)
async def test_what_does_not_fit_is_named(data: dict[str, Any], reason: str) -> None:
    assert reason in await refusal(data)


async def test_null_is_fine_where_nothing_is_required() -> None:
    data = {"path": "aa", "lines": None, "tags": None}

    assert await shape(data) == {**data, "mode": "text"}


async def test_every_fault_is_told_up_to_four() -> None:
    schema = {"properties": {}, "required": ["a", "b", "c", "d", "e", "f"]}

    reason = await refusal({}, schema)

    assert reason.count("Missing required field") == 4
    assert reason.endswith("and 2 more")


async def test_undeclared_keys_are_kept_unless_the_schema_is_closed() -> None:
    assert (await shape({"path": "aa", "more": 1}))["more"] == 1
    assert (await shape({"path": "aa", "more": 1}, {**SCHEMA, "additionalProperties": True}))["more"] == 1

    closed = {**SCHEMA, "additionalProperties": False}
    assert await refusal({"path": "aa", "more": 1}, closed) == "Unexpected keyword argument: more"


async def test_nested_schemas_enums_and_nullable_are_checked_too() -> None:
    schema = {
        "properties": {
            "at": {
                "type": "object",
                "properties": {"x": {"type": "integer", "nullable": True}, "kind": {"enum": ["a", "b"]}},
                "required": ["x"],
            }
        }
    }

    assert await shape({"at": {"x": None}}, schema) == {"at": {"x": None}}
    assert await refusal({"at": {}}, schema) == "Missing required field: x in at"
    assert "at.kind: 'c' is not one of ['a', 'b']" in await refusal({"at": {"x": 1, "kind": "c"}}, schema)


async def test_skipping_the_check_still_fills_defaults() -> None:
    assert await shape({"lines": "many"}, skip_validate=True) == {"lines": "many", "mode": "text"}


async def test_a_schema_that_is_none_is_a_fault_and_not_a_crash() -> None:
    assert "the schema itself cannot be used" in await refusal({"a": 1}, {"type": "nonsense"})


async def test_a_schema_of_strangers_fetches_nothing_and_runs_no_pattern() -> None:
    remote = {"properties": {"a": {"$ref": "http://127.0.0.1:9/schema.json"}}}
    assert "the schema itself cannot be used" in await refusal({"a": 1}, remote)

    slow = {"properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}}
    assert await shape({"a": "a" * 40 + "!"}, slow, trusted=False) == {"a": "a" * 40 + "!"}
    assert "does not match" in await refusal({"a": "b"}, slow)


async def test_a_long_value_is_not_told_whole() -> None:
    assert len(await refusal({"path": "aa", "lines": "x" * 9000})) < 300
