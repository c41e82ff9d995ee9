"""Tools from a folder: found, named with their origin, and harmless when broken."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from numen import plugins
from numen.tool import ToolRegistry

GOOD = '''
from numen.api import ToolContext, tool

@tool
def shout(context: ToolContext, text: str) -> str:
    """Shout a text.

    Args:
        text: What to shout.
    """
    return text.upper()
'''


def test_the_tools_of_a_file_are_added_with_their_origin(tmp_path: Path) -> None:
    (tmp_path / "voice.py").write_text(GOOD, encoding="utf-8")
    registry = ToolRegistry()
    loaded = plugins.load(registry, tmp_path)

    assert registry.resolve("shout").name == "shout"
    assert loaded.origins == {"shout": str(tmp_path / "voice.py")}
    assert loaded.problems == []


def test_a_broken_file_is_named_and_the_others_are_loaded(tmp_path: Path) -> None:
    (tmp_path / "a_broken.py").write_text("import no_such_module\n", encoding="utf-8")
    (tmp_path / "b_untyped.py").write_text(
        'from numen.api import tool\n@tool\ndef odd(x):\n    "Odd."\n', encoding="utf-8"
    )
    (tmp_path / "c_empty.py").write_text("from numen.api import tool\n", encoding="utf-8")
    (tmp_path / "voice.py").write_text(GOOD, encoding="utf-8")
    registry = ToolRegistry()
    loaded = plugins.load(registry, tmp_path)

    assert list(loaded.origins) == ["shout"]
    told = "\n".join(loaded.problems)
    assert "no_such_module" in told
    assert "parameter x has no type" in told
    assert "c_empty.py: holds no tool" in told


def test_a_name_that_is_taken_stays_with_the_first(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text(GOOD, encoding="utf-8")
    (tmp_path / "two.py").write_text(GOOD.replace("upper", "lower"), encoding="utf-8")
    registry = ToolRegistry()
    loaded = plugins.load(registry, tmp_path)

    assert loaded.origins == {"shout": str(tmp_path / "one.py")}


def test_the_command_lists_them(tmp_path: Path) -> None:
    folder = tmp_path / "config/numen/tools"
    folder.mkdir(parents=True)
    (folder / "voice.py").write_text(GOOD, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "numen", "tools"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(Path(__file__).parents[2]), "PATH": ""},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert "Shout a text." in done.stdout
    assert "voice.py" in done.stdout
