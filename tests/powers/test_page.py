"""The page on powers says what the configuration takes."""

from __future__ import annotations

from pathlib import Path

import yaml

from numen.config import parse
from numen.config.powers import WHO_RULES

PAGE = Path(__file__).parents[2] / "docs/server-powers.md"
EXAMPLE = Path(__file__).parents[2] / "config/numen/numen.example.yaml"


def test_the_settings_of_the_page_are_settings() -> None:
    text = PAGE.read_text("utf-8")
    shown = text.partition("```yaml\n")[2].partition("```")[0]
    config = parse(yaml.safe_load(shown), environment={"RCON_PASSWORD": "x"})
    assert config.powers.granted == {"commands", "reload", "scripts", "instant"}
    assert config.rcon is not None
    assert all(f"`{each}`" in text for each in WHO_RULES)


def test_the_example_shows_them_as_they_are() -> None:
    lines = EXAMPLE.read_text("utf-8").split("# powers:\n")[1].split("\n# The server's remote console")
    powers = "powers:\n" + "\n".join(each.removeprefix("# ") for each in lines[0].splitlines())
    rcon = next(each for each in lines[1].splitlines() if each.startswith("# rcon:")).removeprefix("# ")
    config = parse(yaml.safe_load(f"{powers}\n{rcon}"), environment={"RCON_PASSWORD": "x"})
    assert config.powers.blocked == WHO_RULES
    assert config.powers.for_ == ("Alex",)
