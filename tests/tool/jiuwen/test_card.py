"""Cards and what endpoints are told of them."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pytest
from pydantic import BaseModel

from numen.tool.jiuwen import McpToolCard, ToolCard, ToolInfo

SCHEMA = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}


def test_a_card_keeps_what_it_is_given() -> None:
    card = ToolCard("id1", "add", "Adds.", SCHEMA, {"where": "here"})

    assert (card.id, card.name, card.description) == ("id1", "add", "Adds.")
    assert card.input_params is SCHEMA
    assert card.properties == {"where": "here"}


def test_what_is_left_out_has_its_default() -> None:
    card = ToolCard()

    assert (card.name, card.description, card.input_params, card.properties) == ("", "", {}, {})
    assert (card.parallel_safe, card.stateless, card.idempotent) == (True, False, False)
    assert card.exposure == "direct"


def test_an_absent_id_is_random_and_without_dashes() -> None:
    one, other = ToolCard(), ToolCard(id=None)  # type: ignore[arg-type]

    assert len(one.id) == 32
    assert set(one.id) <= set("0123456789abcdef")
    assert one.id != other.id


def test_null_texts_are_empty_and_null_maps_are_empty_maps() -> None:
    card = ToolCard("a", None, None, None, None)  # type: ignore[arg-type]

    assert (card.name, card.description, card.input_params, card.properties) == ("", "", {}, {})


def test_two_cards_do_not_share_a_default_map() -> None:
    one, other = ToolCard(), ToolCard()
    one.properties["a"] = 1

    assert other.properties == {}


def test_a_mutable_map_is_kept_by_reference_and_a_read_only_one_copied() -> None:
    mutable: dict[str, Any] = {}
    card = ToolCard(properties=mutable)
    mutable["later"] = 1
    assert card.properties == {"later": 1}

    card.properties = MappingProxyType({"a": 1})  # type: ignore[assignment]
    card.properties["b"] = 2
    assert card.properties == {"a": 1, "b": 2}


def test_the_builder_sets_every_field() -> None:
    card = (
        ToolCard.builder()
        .id("id1")
        .name("add")
        .description("Adds.")
        .input_params(SCHEMA)
        .properties({"a": 1})
        .parallel_safe(False)
        .stateless(True)
        .idempotent(True)
        .build()
    )

    assert card == ToolCard(
        "id1", "add", "Adds.", SCHEMA, {"a": 1}, parallel_safe=False, stateless=True, idempotent=True
    )


@pytest.mark.parametrize("blank", [None, ""])
def test_a_built_card_never_has_an_empty_id(blank: str | None) -> None:
    assert ToolCard.builder().id(blank).name("x").build().id


def test_the_builder_of_a_more_special_card_makes_one() -> None:
    card = McpToolCard.builder().name("add").extra(server_name="calc", server_id="s1").build()

    assert isinstance(card, McpToolCard)
    assert (card.server_name, card.server_id) == ("calc", "s1")


def test_a_pydantic_model_becomes_its_schema_with_references_inlined() -> None:
    class Inner(BaseModel):
        n: int | None = None

    class Outer(BaseModel):
        inner: Inner

    card = ToolCard.builder().input_params(Outer).build()

    assert card.input_params["properties"]["inner"]["properties"] == {
        "n": {"type": "integer", "nullable": True, "default": None}
    }
    assert card.input_params["required"] == ["inner"]


def test_cards_are_equal_when_they_declare_the_same() -> None:
    one, other = ToolCard("a", "x", "d", {"type": "object"}), ToolCard("a", "x", "d", {"type": "object"})

    assert one == other
    assert hash(one) == hash(other)


@pytest.mark.parametrize(
    "change",
    [
        {"id": "b"},
        {"name": "y"},
        {"description": "e"},
        {"input_params": {"type": "object"}},
        {"properties": {"p": 1}},
        {"parallel_safe": False},
        {"stateless": True},
        {"idempotent": True},
    ],
)
def test_a_difference_in_any_declared_field_makes_them_unequal(change: dict[str, Any]) -> None:
    card = ToolCard("a", "x", "d")

    assert card.altered(**change) != card
    assert card == ToolCard("a", "x", "d")


def test_a_card_of_another_class_is_never_equal() -> None:
    assert McpToolCard("a", "x") != ToolCard("a", "x")
    assert McpToolCard("a", "x", server_name="s") != McpToolCard("a", "x", server_name="t")


def test_the_text_form_shows_id_and_name_only() -> None:
    assert repr(ToolCard("a", "x", "secret words", {"k": "v"})) == "ToolCard(id='a', name='x')"


def test_tool_info_is_the_flat_function_shape() -> None:
    info = ToolCard("a", "add", "Adds.", SCHEMA).tool_info()

    assert info == ToolInfo("function", "add", "Adds.", SCHEMA)
    assert info.to_dict() == {
        "type": "function",
        "name": "add",
        "description": "Adds.",
        "parameters": SCHEMA,
    }


def test_tool_info_has_its_own_defaults_and_is_compared_by_value() -> None:
    assert ToolInfo().to_dict() == {"type": "function", "name": "", "description": "", "parameters": {}}
    assert ToolInfo(name="a") == ToolInfo(name="a")
    assert hash(ToolInfo(name="a")) == hash(ToolInfo(name="a"))
    assert ToolInfo(name="a") != ToolInfo(name="b")
    assert ToolInfo(name="", description="") == ToolCard("only-an-id").tool_info()


def test_the_info_of_an_mcp_tool_names_its_server() -> None:
    info = McpToolCard("a", "add", server_name="calc").tool_info()

    assert info.to_dict()["server_name"] == "calc"
    assert McpToolCard().server_id == ""
