"""Tools from outside: Python files in a folder, and distributions with the entry point ``numen.tools``.

A file or a distribution adds every tool that its module holds at the top. One that can't be loaded is named
and skipped: a broken plugin must not keep a companion from living.
"""

from __future__ import annotations

import importlib.util
import logging
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any

from numen.tool import Adaptable, DuplicateTool, FunctionTool, NumenTool, ToolRegistry

log = logging.getLogger(__name__)

GROUP = "numen.tools"


@dataclass
class Loaded:
    """What was added: the origin of each tool by name, and what could not be loaded and why."""

    origins: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def load(registry: ToolRegistry, folder: Path | None) -> Loaded:
    """Add the tools of `folder`'s files (by name) and of installed distributions to `registry`."""
    loaded = Loaded()
    for path in sorted(folder.glob("*.py")) if folder is not None and folder.is_dir() else ():
        _add(registry, loaded, str(path), lambda path=path: module_of(path))  # type: ignore[misc]
    for entry in sorted(metadata.entry_points(group=GROUP), key=lambda each: each.name):
        owner = entry.dist.name if entry.dist else entry.value
        _add(registry, loaded, f"{owner} ({entry.name})", entry.load)
    return loaded


def tools_in(found: Any) -> Iterator[NumenTool]:
    """The tools of a module, in order of definition; or what a plain list or a function gives."""
    if isinstance(found, ModuleType):
        own = found.__name__
        for value in vars(found).values():
            if isinstance(value, FunctionTool):
                if value.function.__module__ == own:  # not those it only imports
                    yield value
            elif isinstance(value, (NumenTool, Adaptable)) and not isinstance(value, type):
                yield from tools_in(value)
    elif isinstance(found, Adaptable):
        yield found.as_numen_tool()
    elif callable(found) and not isinstance(found, NumenTool):
        yield from tools_in(found())
    elif isinstance(found, (list, tuple)):
        for each in found:
            yield from tools_in(each) if isinstance(each, Adaptable) else (each,)
    else:
        yield found


def _add(registry: ToolRegistry, loaded: Loaded, origin: str, get: Callable[[], Any]) -> None:
    try:
        tools = list(tools_in(get()))
    except Exception as error:  # whatever a stranger's module does while it is imported
        log.debug("the tools of %s can't be loaded", origin, exc_info=True)
        loaded.problems.append(f"{origin}: not loaded: {type(error).__name__}: {error}")
        return
    if not tools:
        loaded.problems.append(f"{origin}: holds no tool; a tool is a typed function under @tool")
    for tool in tools:
        try:
            registry.register(tool, foreign=True)
        except DuplicateTool as error:
            loaded.problems.append(f"{origin}: {error}")
        except (TypeError, ValueError, AttributeError) as error:
            loaded.problems.append(f"{origin}: {tool!r} is no tool: {error}")
        else:
            loaded.origins[tool.name] = origin


def module_of(path: Path, package: str = "numen_user_tools") -> ModuleType:
    """Import a file as a module of `package`. Raises whatever the file does."""
    name = f"{package}.{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
