"""Which parts of a command are messages, by the tree a server sends."""

from __future__ import annotations

from typing import Any

import pytest

from protocol import codec
from protocol.command_tree import signed_arguments


class Tree:
    """Builds the fields of `declare_commands` node by node, and sends them through the codec once."""

    def __init__(self) -> None:
        self.nodes: list[dict[str, Any]] = [self.node(0, None)]

    def node(
        self, kind: int, data: dict[str, Any] | None, *, runs: bool = False, to: int | None = None
    ) -> Any:
        flags = {
            "has_custom_suggestions": 0,
            "has_redirect_node": int(to is not None),
            "has_command": int(runs),
            "command_node_type": kind,
        }
        return {"flags": flags, "children": [], "redirectNode": to, "extraNodeData": data}

    def add(self, parent: int, node: dict[str, Any]) -> int:
        self.nodes.append(node)
        self.nodes[parent]["children"].append(len(self.nodes) - 1)
        return len(self.nodes) - 1

    def literal(self, parent: int, name: str, *, runs: bool = False, to: int | None = None) -> int:
        return self.add(parent, self.node(1, {"name": name}, runs=runs, to=to))

    def argument(
        self,
        parent: int,
        name: str,
        parser: str,
        properties: Any = None,
        *,
        runs: bool = False,
        to: int | None = None,
    ) -> int:
        data = {"name": name, "parser": parser, "properties": properties, "suggestionType": None}
        return self.add(parent, self.node(2, data, runs=runs, to=to))

    def fields(self) -> dict[str, Any]:
        data = codec.encode("play", "toClient", "declare_commands", {"nodes": self.nodes, "rootIndex": 0})
        return codec.decode("play", "toClient", data).fields


ONE = {"onlyAllowPlayers": 0, "onlyAllowEntities": 1}
MANY = {"onlyAllowPlayers": 1, "onlyAllowEntities": 0}


def vanilla() -> dict[str, Any]:
    """The commands of vanilla 1.21.1 that matter here, as an operator is told them."""
    tree = Tree()
    msg = tree.literal(0, "msg")
    targets = tree.argument(msg, "targets", "minecraft:entity", MANY)
    tree.argument(targets, "message", "minecraft:message", runs=True)
    for name in ("tell", "w"):
        tree.literal(0, name, to=msg)
    for name in ("say", "me"):
        tree.argument(tree.literal(0, name), "action", "minecraft:message", runs=True)
    kick = tree.argument(tree.literal(0, "kick"), "targets", "minecraft:game_profile", runs=True)
    tree.argument(kick, "reason", "minecraft:message", runs=True)
    tp = tree.literal(0, "tp")
    tree.argument(tp, "location", "minecraft:vec3", runs=True)
    who = tree.argument(tp, "targets", "minecraft:entity", MANY, runs=True)
    tree.argument(who, "location", "minecraft:vec3", runs=True)
    execute = tree.literal(0, "execute")
    tree.literal(execute, "run", to=0)
    tree.argument(tree.literal(execute, "as"), "targets", "minecraft:entity", MANY, to=execute)
    give = tree.argument(tree.literal(0, "give"), "targets", "minecraft:entity", MANY)
    item = tree.argument(give, "item", "minecraft:item_stack", runs=True)
    limits = {"flags": {"max_present": 0, "min_present": 1}, "min": 1, "max": None}
    tree.argument(item, "count", "brigadier:integer", limits, runs=True)
    mail = tree.literal(0, "mail")
    box = tree.argument(mail, "box", "brigadier:string", "QUOTABLE_PHRASE")
    near = tree.argument(box, "place", "minecraft:block_pos")
    loud = tree.argument(near, "loud", "brigadier:bool")
    tree.argument(loud, "message", "minecraft:message", runs=True)
    greedy = tree.literal(0, "note")
    tree.argument(greedy, "text", "brigadier:string", "GREEDY_PHRASE", runs=True)
    return tree.fields()


TREE = vanilla()


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("msg Ann hello there", [("message", "hello there")]),
        ("w Ann hi", [("message", "hi")]),
        ('tell @a[name="A b",distance=..5] come here', [("message", "come here")]),
        ("me waves", [("action", "waves")]),
        ("say hi @p and  two blanks", [("action", "hi @p and  two blanks")]),
        ("kick Ann", []),
        ("kick Ann be nice", [("reason", "be nice")]),
        ('mail "my box" ~ ~1 -3.5 true read it', [("message", "read it")]),
        ("mail box 1 2 3 false read", [("message", "read")]),
    ],
)
def test_messages_are_found(command: str, found: list[tuple[str, str]]) -> None:
    assert signed_arguments(TREE, command) == found


@pytest.mark.parametrize(
    "command",
    [
        *("", "msg", "msg Ann", "msg Ann ", "unknown hello", "msgAnn hi"),
        # not what the argument before the message takes
        *("msg @z hi", "msg @a[name=x hi", 'msg "Ann" hi', "mail box 1 2 true hi", "mail box 1 2 3 maybe hi"),
        # commands without messages
        *("tp 1 2 3", "tp Ann 1 2 3", 'give @s stone[lore=["a b"]] 3', "note anything at all"),
        # another command to the server
        *("execute run say hi", "execute as @a run msg Ann hi"),
    ],
)
def test_where_there_is_no_message_or_a_doubt_nothing_is_found(command: str) -> None:
    assert signed_arguments(TREE, command) == []


def test_a_tree_that_points_nowhere_finds_nothing() -> None:
    tree = {"nodes": TREE["nodes"][:1], "rootIndex": 0}
    assert signed_arguments(tree, "msg Ann hi") == []
    assert signed_arguments({"nodes": [], "rootIndex": 5}, "msg Ann hi") == []


def test_a_tree_that_goes_in_circles_ends() -> None:
    tree = Tree()
    again = tree.literal(0, "a")
    tree.nodes[again]["children"] = [again] * 40
    assert signed_arguments(tree.fields(), "a " * 2000) == []
