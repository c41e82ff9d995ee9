"""Collects the tools that a class declares with `@tool`."""

from __future__ import annotations

from typing import Any

from numen.tool.decorator import FunctionTool
from numen.tool.jiuwen.function import LocalFunction


def scan(holder: Any) -> list[LocalFunction]:
    """The `@tool` methods of an object, in the order they are written; of a class, those alone that need
    no object.

    Those of base classes come first, and an overridden one stands where the first did. `id` and `name` of
    each are the name of the tool.
    """
    kind = holder if isinstance(holder, type) else type(holder)
    found: dict[str, FunctionTool] = {}
    for each in reversed(kind.__mro__):
        for attribute, value in vars(each).items():
            declared = value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
            if isinstance(declared, FunctionTool):
                of_class = isinstance(value, classmethod)
                found[attribute] = declared.__get__(kind, type(kind)) if of_class else declared
            elif attribute in found:
                del found[attribute]  # a subclass put something else there
    if holder is kind:
        return [declared.local for declared in found.values() if not declared.takes_owner]
    return [declared.__get__(holder, kind).local for declared in found.values()]
