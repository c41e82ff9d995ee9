"""numen.yaml: what is taken, and how a mistake is told."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from numen import config
from numen.config import ConfigError


def write(folder: Path, text: str) -> Path:
    file = folder / "numen.yaml"
    file.write_text(text, encoding="utf-8")
    return file


SIX_LINES = """
server: {host: 127.0.0.1, port: 25565}
llm: {provider: deepseek, model: deepseek-chat, api_key: "${DEEPSEEK_API_KEY}"}
companions:
  - {name: Numen, owner: Steve}
"""


def test_the_six_lines_of_the_readme_are_enough(tmp_path: Path) -> None:
    loaded = config.load(write(tmp_path, SIX_LINES), environment={"DEEPSEEK_API_KEY": "sk-1"})

    assert loaded.server is not None
    assert (loaded.server.host, loaded.server.port) == ("127.0.0.1", 25565)
    assert loaded.llm.key() == "sk-1"
    assert [(each.name, each.owner) for each in loaded.companions] == [("Numen", "Steve")]


def test_nothing_written_means_sandbox_and_rehearsal(tmp_path: Path) -> None:
    loaded = config.load(write(tmp_path, "# nothing\n"), environment={})

    assert loaded.server is None
    assert loaded.llm.is_rehearsal


def test_a_missing_variable_is_named_with_its_key(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        config.load(write(tmp_path, SIX_LINES), environment={})

    assert "llm.api_key" in str(caught.value)
    assert "DEEPSEEK_API_KEY is not set" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("server: {hots: x}", "server.hots: there is no such key; known here: host, port"),
        ("server: {port: 70000}", "server.port: expected less than or equal to 65535"),
        ("companions: [{name: 'a b'}]", "companions[0].name: expected 3 to 16 letters"),
        ("companions: [{owner: Steve}]", "companions[0].name: is missing"),
        ("companions: []", "name at least one companion"),
        ("companions: [{name: Abc}, {name: abc}]", "two companions have the same name"),
        ("llm: {api_key: a, api_key_file: b}", "llm: give api_key or api_key_file, not both"),
        ("server: [", "line 1, column 10"),
        ("- a", "expected keys such as server"),
        ("source: x", "source: there is no such key"),
    ],
)
def test_a_mistake_names_file_key_and_what_was_expected(tmp_path: Path, text: str, told: str) -> None:
    file = write(tmp_path, text)

    with pytest.raises(ConfigError) as caught:
        config.load(file, environment={})

    assert told in str(caught.value)
    assert str(file) in str(caught.value)


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        config.load(write(tmp_path, "server: {port: 0}\nllm: {temperature: 9}\n"), environment={})

    assert len(caught.value.problems) == 2


def test_a_secret_never_shows(tmp_path: Path) -> None:
    loaded = config.load(write(tmp_path, 'llm: {api_key: "sk-secret"}'), environment={})

    assert "sk-secret" not in repr(loaded)
    with pytest.raises(ConfigError) as caught:
        config.load(write(tmp_path, 'llm: {api_key: ["sk-secret"]}'), environment={})
    assert "sk-secret" not in str(caught.value)


@pytest.mark.skipif(os.name != "posix", reason="file modes are a POSIX matter")
def test_a_key_file_that_others_can_read_is_refused(tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("sk-file\n", encoding="utf-8")
    loaded = config.load(write(tmp_path, f"llm: {{api_key_file: {key}}}"), environment={})

    key.chmod(0o644)
    with pytest.raises(ConfigError, match="chmod 600"):
        loaded.llm.key()
    key.chmod(0o600)
    assert loaded.llm.key() == "sk-file"


def test_a_missing_file_says_where_to_start(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is no such file"):
        config.load(tmp_path / "none.yaml", environment={})


def test_the_file_we_ship_is_valid() -> None:
    loaded = config.load(Path(__file__).parents[2] / "config/numen/numen.example.yaml", environment={})

    assert loaded.server is None
