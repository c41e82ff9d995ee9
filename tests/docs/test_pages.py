"""The pages on bridges, bodies, skills and models show what is run elsewhere, or run here as they stand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from numen.commands.table import COMMANDS
from numen.config import parse
from skills import SkillShelf

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def fences(page: str, language: str) -> list[str]:
    text = (ROOT / "docs" / page).read_text("utf-8")
    return [body for found, body in FENCE.findall(text) if found == language]


@pytest.mark.parametrize(
    ("page", "examples"),
    [
        ("build-a-bridge.md", ["bridge.py", "owner_and_hand.py"]),
        ("drive-a-body.md", ["drive_bodies.py"]),
        ("people-and-sessions.md", ["watch.py"]),
    ],
)
def test_a_page_shows_the_examples_that_the_tests_run(page: str, examples: list[str]) -> None:
    assert fences(page, "python") == [(ROOT / "examples" / each).read_text("utf-8") for each in examples]


def test_the_skill_of_the_page_is_one(tmp_path: Path) -> None:
    (tmp_path / "wheat.md").write_text(fences("write-a-skill.md", "markdown")[0], "utf-8")
    shelf = SkillShelf(tmp_path, bundled=tmp_path / "none")

    assert [each.name for each in shelf.listed()] == ["wheat_farm"]
    assert shelf.problems() == []
    assert "9 bread" in shelf.wrapped("wheat_farm")


def test_the_settings_of_the_page_on_models_are_settings() -> None:
    found = fences("models.md", "yaml")
    for text in found:
        config = parse(yaml.safe_load(text), environment={"DEEPSEEK_API_KEY": "k"})
        assert not config.llm.is_rehearsal
    assert len(found) == 3


def test_the_people_of_the_page_are_people() -> None:
    (text,) = fences("people-and-sessions.md", "yaml")
    (companion,) = parse(yaml.safe_load(text), environment={}).companions
    assert len(companion.users) == 2


def test_the_commands_of_the_page_are_all_there_are() -> None:
    text = (ROOT / "docs/people-and-sessions.md").read_text("utf-8")
    table = "\n".join(line for line in text.splitlines() if line.startswith("| `"))
    shown = set(re.findall(r"`([a-z]+)[^`]*`", table.replace("\\|", "/")))
    assert shown >= set(COMMANDS) - {"prompt", "more", "help"}


def test_the_servers_of_the_page_and_of_the_example_file_are_servers() -> None:
    (page,) = fences("mcp-servers.md", "yaml")
    example = (ROOT / "config/numen/numen.example.yaml").read_text("utf-8")
    commented = example[example.index("# mcp:") :].split("\n\n")[0]
    for text in (page, re.sub("^# ", "", commented, flags=re.MULTILINE)):
        config = parse(yaml.safe_load(text), environment={"MAPS_TOKEN": "k"})
        transports = [each.for_client(name).client_type for name, each in config.mcp.items()]
        assert transports[:2] == ["stdio", "streamable-http"]


@pytest.mark.parametrize(
    "page", ["mcp-servers.md", "build-a-bridge.md", "drive-a-body.md", "write-a-skill.md", "models.md"]
)
def test_it_is_a_page(page: str) -> None:
    assert len((ROOT / "docs" / page).read_text("utf-8").splitlines()) < 100
