"""Reading arguments one at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from numen.tool import BadArguments, ToolArgs
from numen.tool.args import NameKind

BLOCKS = ("minecraft:stone", "minecraft:oak_log")


def known_blocks(kind: NameKind, name: str) -> str:
    full = name if ":" in name else f"minecraft:{name}"
    if full not in BLOCKS:
        raise LookupError(f"no {kind} is called {name}; near: minecraft:oak_log")
    return full


@pytest.mark.parametrize(
    ("read", "expected"),
    [
        (lambda a: a.require_int("seven"), 7),
        (lambda a: a.require_int("text7"), 7),
        (lambda a: a.require_int("seven_point_nought"), 7),
        (lambda a: a.require_int("seven", 1, 5), 5),
        (lambda a: a.require_int("seven", 9, 12), 9),
        (lambda a: a.optional_int("missing"), None),
        (lambda a: a.optional_int("null", 4), 4),
        (lambda a: a.optional_int("seven", 4, 1, 5), 5),
        (lambda a: a.require_float("text2.5"), 2.5),
        (lambda a: a.require_float("text2.5", 3.0, 4.0), 3.0),
        (lambda a: a.optional_float("null", 1.5), 1.5),
        (lambda a: a.require_bool("yes"), True),
        (lambda a: a.require_bool("text_false"), False),
        (lambda a: a.optional_bool("missing", True), True),
        (lambda a: a.require_str("word"), "North"),
        (lambda a: a.require_str("word", ("north", "south")), "north"),
        (lambda a: a.require_str("seven"), "7"),
        (lambda a: a.optional_str("blank", "x"), "x"),
        (lambda a: a.require_list("list"), [1, 2]),
        (lambda a: a.require_list("word"), ["North"]),
        (lambda a: a.optional_list("missing"), None),
        (lambda a: a.require_pos(), (1.5, 64.0, -2.5)),
        (lambda a: a.require_block_pos(), (1, 64, -3)),
        (lambda a: a.optional_pos("a", "b", "c"), None),
        (lambda a: a.require_item("item"), "minecraft:oak_log"),
        (lambda a: a.optional_entity("null"), None),
    ],
)
def test_what_a_model_sends_is_taken(read: Callable[[ToolArgs], Any], expected: Any) -> None:
    args = ToolArgs(
        {
            "seven": 7,
            "text7": " 7 ",
            "seven_point_nought": "7.0",
            "text2.5": "2.5",
            "null": None,
            "yes": True,
            "text_false": "False",
            "word": "North",
            "blank": "  ",
            "list": [1, 2],
            "x": 1.5,
            "y": "64",
            "z": -2.5,
            "item": "oak log",
        }
    )

    assert read(args) == expected


@pytest.mark.parametrize(
    ("read", "message"),
    [
        (lambda a: a.require_int("count"), "argument 'count' is missing; a whole number was expected"),
        (lambda a: a.require_int("word"), "argument 'word' is 'many'; a whole number was expected"),
        (lambda a: a.require_int("half"), "argument 'half' is 2.5; a whole number was expected"),
        (lambda a: a.require_int("yes"), "argument 'yes' is true; a whole number was expected"),
        (lambda a: a.require_float("nan"), "argument 'nan' is 'nan'; a number was expected"),
        (lambda a: a.require_bool("word"), "argument 'word' is 'many'; true or false was expected"),
        (lambda a: a.require_str("list"), "argument 'list' is a list; text was expected"),
        (
            lambda a: a.require_str("word", ("one", "two")),
            "argument 'word' is 'many'; one of one, two was expected",
        ),
        (lambda a: a.require_list("empty"), "argument 'empty' is missing or empty"),
        (lambda a: a.optional_list("object"), "argument 'object' is an object; a list was expected"),
        (lambda a: a.require_pos(), "a position needs all of x, y, z or none; 'y' is missing"),
        (lambda a: a.optional_pos("x", "b", "c"), "'b' and 'c' is missing"),
        (
            lambda a: a.require_block("word"),
            "argument 'word': no block is called many; near: minecraft:oak_log",
        ),
        (lambda a: a.require_block("half"), "argument 'half' is 2.5; a block id as text was expected"),
    ],
)
def test_a_fault_names_the_argument_and_what_was_expected(
    read: Callable[[ToolArgs], Any], message: str
) -> None:
    args = ToolArgs(
        {
            "word": "many",
            "half": 2.5,
            "yes": True,
            "nan": "nan",
            "list": [],
            "empty": [],
            "object": {},
            "x": 1,
            "y": None,
            "z": 2,
        },
        known_blocks,
    )

    with pytest.raises(BadArguments) as caught:
        read(args)

    assert message in str(caught.value)


def test_unknown_names_in_a_list_are_dropped_and_only_an_empty_rest_is_an_error() -> None:
    args = ToolArgs({"some": ["stone", "moon", "stone"], "none": ["moon"], "one": "oak_log"}, known_blocks)

    assert args.name_set("block", "some") == ("minecraft:stone",)
    assert args.name_set("block", "one") == ("minecraft:oak_log",)
    assert args.name_set("block", "absent", required=False) == ()
    with pytest.raises(BadArguments, match="no block is called moon"):
        args.name_set("block", "none")
