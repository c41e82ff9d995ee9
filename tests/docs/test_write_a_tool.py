"""The page on writing tools: each of its programs is put into a folder and run."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from numen import plugins
from numen.tool import Dispatcher, ToolContext, ToolRegistry
from numen.tool.hooks import clear_callback_framework

PAGE = Path(__file__).parents[2] / "docs" / "write-a-tool.md"
FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)

PROGRAMS = FENCE.findall(PAGE.read_text(encoding="utf-8"))


def load(tmp_path: Path) -> ToolRegistry:
    for number, program in enumerate(PROGRAMS[:3]):
        (tmp_path / f"tool_{number}.py").write_text(program, encoding="utf-8")
    registry = ToolRegistry()
    loaded = plugins.load(registry, tmp_path)
    assert loaded.problems == []
    return registry


async def call(registry: ToolRegistry, name: str, raw: str, body: object | None = None) -> Any:
    ctx = ToolContext(companion="Numen", find_anchor=lambda: body)
    return json.loads((await Dispatcher(registry).run("c1", name, raw, ctx)).content)


async def test_all_three_ways_give_a_tool_that_works(tmp_path: Path) -> None:
    registry = load(tmp_path)

    assert [each.name for each in registry] == ["bow", "measure", "average", "weather"]
    assert (await call(registry, "bow", '{"times": 9}', object()))["message"] == "bowed 5 times"
    assert "no body to bow with" in (await call(registry, "bow", "{}"))["message"]
    assert (await call(registry, "measure", '{"low": "3", "high": 64}'))["data"] == {"distance": 61}
    assert await call(registry, "average", '{"data": [1, 2, 6]}') == 3.0
    assert registry.resolve("weather").parameter_schema["properties"] == {"place": {"type": "string"}}


async def test_a_callback_may_stop_a_call(tmp_path: Path) -> None:
    registry = load(tmp_path)
    try:
        exec(compile(PROGRAMS[3], str(PAGE), "exec"), {})
        refused = await call(registry, "measure", '{"low": 3, "high": 64}')
        allowed = await call(registry, "average", '{"data": [1, 2, 6]}')
    finally:
        clear_callback_framework()

    assert "measuring is forbidden here" in refused["message"]
    assert allowed == 3.0


def test_it_is_a_page() -> None:
    assert len(PAGE.read_text(encoding="utf-8").splitlines()) < 100
