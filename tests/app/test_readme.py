"""The two READMEs stay true: the same commands in both, and each of them is run by CI or right here."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from numen import config

ROOT = Path(__file__).parents[2]
READMES = ("README.md", "README.zh-CN.md")
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

#: Lines of .ci/run that stand for a command of the README.
RUN_BY_CI = {"make run": "make run </dev/null", "make test": "make test ||", "make check": "make check"}
#: Commands that tests elsewhere run whole: name the test.
RUN_BY_TESTS = {
    ".venv/bin/numen run": "tests/e2e/test_run.py",
    ".venv/bin/numen doctor": "tests/app/test_doctor.py",
    "make bench": "tests/bench/test_bench_starts.py",
}
LISTINGS = (".venv/bin/numen tools", ".venv/bin/numen skills")
RUN_HERE = (*LISTINGS, ".venv/bin/numen sessions", ".venv/bin/numen persona")


def fences(readme: str, language: str) -> list[str]:
    text = (ROOT / readme).read_text(encoding="utf-8")
    return [body for found, body in FENCE.findall(text) if found == language]


def commands(readme: str) -> list[str]:
    return [line.strip() for body in fences(readme, "sh") for line in body.splitlines() if line.strip()]


def test_both_languages_show_the_same_code() -> None:
    for language in ("sh", "yaml", "python", "markdown"):
        assert fences(READMES[0], language) == fences(READMES[1], language)


def test_every_command_is_run_somewhere() -> None:
    ci = (ROOT / ".ci/run").read_text(encoding="utf-8").splitlines()
    for command in commands(READMES[0]):
        if command in RUN_BY_CI:
            assert any(line.startswith(RUN_BY_CI[command]) for line in ci)
        elif command in RUN_BY_TESTS:
            assert (ROOT / RUN_BY_TESTS[command]).exists(), command
        else:
            assert command in RUN_HERE


@pytest.mark.parametrize("command", RUN_HERE)
def test_the_listing_commands_work(command: str) -> None:
    arguments = command.split()[1:]
    done = subprocess.run(
        [sys.executable, "-m", "numen", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) >= (5 if command in LISTINGS else 1)


def test_the_settings_shown_are_valid() -> None:
    import yaml

    for text in fences(READMES[0], "yaml"):
        config.parse(yaml.safe_load(text), environment={"DEEPSEEK_API_KEY": "x"})


def test_the_tool_shown_is_a_tool() -> None:
    from numen.tool import FunctionTool

    for text in fences(READMES[0], "python"):
        names: dict[str, object] = {"__name__": "readme"}
        exec(compile(text, "README.md", "exec"), names)

        made = [each for each in names.values() if isinstance(each, FunctionTool)]
        assert [each.name for each in made] == ["count_stacks"]


def test_no_word_about_other_places() -> None:
    """The project speaks of itself: no path of some machine, no folder beside it."""
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    forbidden = re.compile("|".join(["/" + "work/", r"\.\./" + "shared", "/" + "tmp/ref", "/" + "root/"]))
    for name in listed:
        if name.endswith((".gz", ".xz", ".bin", "package-lock.json")):
            continue
        text = (ROOT / name).read_text(encoding="utf-8", errors="replace")
        assert not forbidden.search(text), name
