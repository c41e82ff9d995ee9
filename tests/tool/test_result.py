"""What a result looks like as JSON."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest

from numen.tool import TaskResult
from numen.tool.result import dump, render


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (TaskResult.ok("done"), {"success": True, "message": "done"}),
        (TaskResult.ok("dug", {"count": 3}), {"success": True, "message": "dug", "data": {"count": 3}}),
        (TaskResult.ok("dug", {}), {"success": True, "message": "dug"}),
        (TaskResult.fail("no path"), {"success": False, "message": "no path"}),
        (TaskResult.timeout("late"), {"success": False, "message": "late", "timed_out": True}),
        (TaskResult.cancelled("stop"), {"success": False, "message": "stop", "interrupted": True}),
        (
            TaskResult.accepted("t3", "mine", "mining"),
            {"success": True, "message": "mining", "data": {"task_id": "t3", "task": "mine", "async": True}},
        ),
    ],
)
def test_flags_only_when_true_and_data_only_when_there_is_any(
    result: TaskResult, expected: dict[str, Any]
) -> None:
    assert json.loads(result.to_json()) == expected


def test_data_keeps_scalars_nests_maps_and_lists_and_turns_the_rest_into_text() -> None:
    mark = uuid.UUID(int=7)
    data: dict[Any, Any] = {
        "n": 1,
        "f": 2.5,
        "yes": True,
        "none": None,
        "text": "石头",
        "list": [1, {"a": (2, 3)}],
        "set": {"b", "a"},
        "id": mark,
        "bytes": b"x",
        3: "key",
    }

    assert json.loads(TaskResult.ok("m", data).to_json())["data"] == {
        "n": 1,
        "f": 2.5,
        "yes": True,
        "none": None,
        "text": "石头",
        "list": [1, {"a": [2, 3]}],
        "set": ["a", "b"],
        "id": str(mark),
        "bytes": "b'x'",
        "3": "key",
    }


def test_numbers_json_does_not_know_become_text() -> None:
    assert json.loads(dump({"a": float("nan"), "b": float("inf")})) == {"a": "nan", "b": "inf"}


def test_a_tool_may_return_text_a_map_or_nothing() -> None:
    assert render("plain text") == "plain text"
    assert json.loads(render({"hp": 20})) == {"hp": 20}
    assert json.loads(render(None)) == {"success": True, "message": "done"}
    assert json.loads(render("  ")) == {"success": True, "message": "done"}
