"""Text components in every form to what a player reads."""

from __future__ import annotations

from typing import Any

import pytest

from protocol.nbt import Nbt
from protocol.text import parse_json, plain_text, translation_keys


@pytest.mark.parametrize(
    ("component", "text"),
    [
        ("plain", "plain"),
        ("", ""),
        ({"text": "a", "color": "red", "extra": ["b", {"text": "c", "bold": True}]}, "abc"),
        ([{"text": "list "}, "root"], "list root"),
        ({"text": "§cold §lsigns§r gone§"}, "old signs gone"),
        ({"translate": "chat.type.text", "with": ["Ann", {"text": "hi"}]}, "<Ann> hi"),
        (
            {"translate": "death.attack.player", "with": ["A", {"text": "B", "extra": ["!"]}]},
            "A was slain by B!",
        ),
        ({"translate": "no.such.key"}, "no.such.key"),
        ({"translate": "no.such.key", "fallback": "Hello %s"}, "Hello "),
        (
            {"translate": "no.such.key", "fallback": "%2$s and %1$s and %s", "with": ["a", "b"]},
            "b and a and a",
        ),
        ({"translate": "no.such.key", "fallback": "100%% of %s", "with": ["it"]}, "100% of it"),
        ({"translate": "no.such.key", "fallback": "raw %d %s", "with": ["it"]}, "raw %d %s"),
        ({"translate": "no.such.key", "fallback": "open %", "with": ["it"]}, "open %"),
        ({"score": {"name": "x", "objective": "y", "value": "12"}}, "12"),
        ({"score": {"name": "x", "objective": "y"}}, ""),
        ({"selector": "@a", "separator": ", "}, "@a"),
        ({"keybind": "key.jump"}, "Jump"),
        ({"keybind": "key.unknown"}, "key.unknown"),
        ({"nbt": "Health", "entity": "@s"}, "Health"),
        ({"translate": "commands.give.success.single", "with": [3, "x", True]}, "Gave 3 x to true"),
        ({"": "bare"}, "bare"),
        ([{"": "mixed "}, {"text": "list"}], "mixed list"),
        ({"text": 5}, "5"),
        (7, "7"),
        (None, ""),
        ({"extra": ["only extra"]}, "only extra"),
        ({"translate": None, "with": 3}, ""),
        ({"text": "a", "extra": "not a list"}, "a"),
    ],
)
def test_a_component_reads_as_a_player_would_read_it(component: Any, text: str) -> None:
    assert plain_text(component) == text


def test_a_component_from_nbt_reads_the_same() -> None:
    component = {"translate": "chat.type.text", "with": ["Ann", {"text": "hi", "extra": [{"text": "!"}]}]}
    assert plain_text(Nbt.of(component)) == "<Ann> hi!"
    assert plain_text(Nbt.of("bare")) == "bare"
    assert plain_text(Nbt.of(["a", {"text": "b"}])) == "ab"
    assert plain_text(Nbt(b"\x08\x00\x05ab")) == ""


def test_text_that_travels_as_json_may_be_no_json() -> None:
    assert parse_json('{"text":"a"}') == {"text": "a"}
    assert parse_json('"a"') == "a"
    assert parse_json("just words") == "just words"
    assert parse_json("[" * 100_000) == "[" * 100_000


def test_a_component_that_multiplies_itself_stays_small() -> None:
    component: Any = "x"
    for _ in range(40):
        component = {"translate": "no.such.key", "fallback": "%1$s%1$s%1$s", "with": [component]}
    assert len(plain_text(component)) < 10_000


def test_a_component_that_nests_without_end_is_cut() -> None:
    component: Any = {"text": "x"}
    for _ in range(5000):
        component = {"text": "x", "extra": [component]}
    assert plain_text(component).startswith("xxx")


def test_translation_keys_are_found_wherever_they_are() -> None:
    component = {"text": "", "extra": [{"translate": "outer", "with": [{"translate": "inner"}]}, "x"]}
    assert list(translation_keys(component)) == ["outer", "inner"]
    assert list(translation_keys(Nbt.of({"translate": "a"}))) == ["a"]
    assert list(translation_keys("words")) == []
