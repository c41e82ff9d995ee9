"""Write requirements.lock and requirements-dev.lock from what is installed in this environment.

Usage: python scripts/lock.py    (in a virtual environment that has `pip install -e .[dev]`)
"""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
NAME = "numen"


def closure(requirements: list[Requirement]) -> dict[str, str]:
    """Name → version of `requirements` and all that they need, as installed."""
    found: dict[str, str] = {}
    todo = [(each, "") for each in requirements]
    while todo:
        requirement, extra = todo.pop()
        if requirement.marker and not requirement.marker.evaluate({**default_environment(), "extra": extra}):
            continue
        name = canonicalize_name(requirement.name)
        if name in found and not requirement.extras:
            continue
        distribution = metadata.distribution(name)
        found[name] = distribution.version
        for text in distribution.requires or []:
            todo.extend((Requirement(text), each) for each in ("", *requirement.extras))
    return found


def write(path: Path, pins: dict[str, str], head: str) -> None:
    lines = [f"{name}=={version}" for name, version in sorted(pins.items())]
    path.write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")


def main() -> None:
    own = [Requirement(text) for text in metadata.distribution(NAME).requires or []]
    runtime = closure([each for each in own if not each.marker or "extra" not in str(each.marker)])
    everything = closure([Requirement(str(each).split(";")[0]) for each in own])
    dev = {name: version for name, version in everything.items() if name not in runtime}
    write(ROOT / "requirements.lock", runtime, "# written by scripts/lock.py: what numen runs with")
    write(
        ROOT / "requirements-dev.lock",
        dev,
        "# written by scripts/lock.py: what its tests and checks need\n-r requirements.lock",
    )


if __name__ == "__main__":
    main()
