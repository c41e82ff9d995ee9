"""Names, order and suggestions."""

from __future__ import annotations

import pytest

from numen.tool import DuplicateTool, FunctionTool, ToolRegistry, UnknownTool, tool


def named(name: str, text: str = "Does it.") -> FunctionTool:
    def function() -> None: ...

    function.__doc__ = text
    return tool(name=name)(function)


def test_order_is_that_of_registration_and_all_is_a_copy() -> None:
    registry = ToolRegistry()
    for name in ("mine", "craft", "attack"):
        registry.register(named(name))

    listed = registry.all()
    listed.clear()

    assert [each.name for each in registry] == ["mine", "craft", "attack"]


def test_a_duplicate_name_raises_and_leaves_the_old_tool() -> None:
    registry = ToolRegistry()
    old = named("mine")
    registry.register(old)

    with pytest.raises(DuplicateTool, match="mine"):
        registry.register(named("mine", "Something else."))

    assert registry.resolve("mine") is old
    assert len(registry) == 1


def test_the_same_declaration_twice_is_accepted() -> None:
    def dig() -> None:
        """Dig."""

    registry = ToolRegistry()
    registry.register(tool(dig))
    registry.register(tool(dig))

    assert len(registry) == 1


@pytest.mark.parametrize("asked", ["look_around", "Look_Around", "LOOK-AROUND", " look_around "])
def test_resolve_ignores_case_and_hyphens_when_there_is_no_exact_name(asked: str) -> None:
    registry = ToolRegistry()
    registry.register(named("Look_Around"))

    assert registry.resolve(asked).name == "Look_Around"


def test_an_exact_name_wins_over_a_folded_one() -> None:
    registry = ToolRegistry()
    registry.register(named("Mine"))
    registry.register(named("mine"))

    assert registry.resolve("mine").name == "mine"
    assert registry.resolve("MINE").name == "Mine"


def test_an_unknown_name_suggests_the_nearest_and_lists_the_rest() -> None:
    registry = ToolRegistry()
    registry.register(named("collect_items"))
    registry.register(named("craft"))

    with pytest.raises(UnknownTool) as caught:
        registry.resolve("colect_item")

    assert caught.value.nearest == "collect_items"
    assert "did you mean collect_items?" in str(caught.value)
    assert "craft" in str(caught.value)


def test_a_removed_tool_is_gone_under_every_spelling() -> None:
    registry = ToolRegistry()
    registry.register(named("mcp_maps_find"))

    assert registry.remove("mcp_maps_find")
    assert not registry.remove("mcp_maps_find")
    with pytest.raises(UnknownTool):
        registry.resolve("MCP_maps_find")


@pytest.mark.parametrize("name", ["", "two words", "9lives", "x" * 65, "点"])
def test_names_no_endpoint_would_take_are_refused(name: str) -> None:
    class Odd:
        description = "Odd."
        parameter_schema = {"type": "object", "properties": {}}  # noqa: RUF012

        def __init__(self) -> None:
            self.name = name

        def invoke(self, call: object) -> None: ...

    with pytest.raises(ValueError, match="no tool name"):
        ToolRegistry().register(Odd())
