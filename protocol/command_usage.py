"""What a server's command tree offers, in lines a person reads: ``/give <targets> <item> [<count>]``.

The tree is the fields of `declare_commands`; a server sends each player only what he may use.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

#: Longer usages end in an ellipsis: a list of all that ``execute`` takes helps nobody.
MAX_USAGE: Final = 160
#: How far a single line of choices is followed.
_MAX_STEPS: Final = 24
_ARGUMENT: Final = 2


def root_names(tree: Mapping[str, Any] | None) -> frozenset[str] | None:
    """The first words of the commands in a tree; None where the server has told none."""
    if tree is None:
        return None
    try:
        nodes = tree["nodes"]
        return frozenset(
            str(nodes[child]["extraNodeData"]["name"]) for child in nodes[tree["rootIndex"]]["children"]
        )
    except (IndexError, KeyError, TypeError):
        return frozenset()


def roots(tree: Mapping[str, Any]) -> dict[str, str]:
    """Name → usage (with slash and name) of every command, by name without regard to case. Empty for a tree
    that points nowhere."""
    try:
        nodes = tree["nodes"]
        found = {
            str(nodes[child]["extraNodeData"]["name"]): child
            for child in nodes[tree["rootIndex"]]["children"]
        }
    except (IndexError, KeyError, TypeError):
        return {}
    names = sorted(found, key=lambda name: (name.casefold(), name))
    return {name: _usage_of(nodes, tree["rootIndex"], found[name], name) for name in names}


def _usage_of(nodes: Sequence[Mapping[str, Any]], root: int, node: int, name: str) -> str:
    try:
        text = f"/{name}{_rest(nodes, root, node, _MAX_STEPS)}"
    except (IndexError, KeyError, TypeError):
        return f"/{name}"
    return text if len(text) <= MAX_USAGE else text[: MAX_USAGE - 1] + "…"


def _rest(nodes: Sequence[Mapping[str, Any]], root: int, at: int, steps: int) -> str:
    """What may follow a node, with the blank before it; "" at an end."""
    node = nodes[at]
    if node["flags"]["has_redirect_node"]:
        target = node["redirectNode"]
        if target == root:
            return " …"
        return f" → {_shown(nodes[target])}" if nodes[target].get("extraNodeData") else " …"
    children = [nodes[child] for child in node["children"]]
    if not children or steps <= 0:
        return ""
    optional = bool(node["flags"]["has_command"])
    if len(children) == 1:
        inner = _shown(children[0]) + _rest(nodes, root, node["children"][0], steps - 1)
        return f" [{inner}]" if optional else f" {inner}"
    choices = "|".join(dict.fromkeys(_shown(child) for child in children))
    return f" [{choices}]" if optional else f" ({choices})"


def _shown(node: Mapping[str, Any]) -> str:
    name = str(node["extraNodeData"]["name"])
    return f"<{name}>" if node["flags"]["command_node_type"] == _ARGUMENT else name
