"""Reading commands, their settings, and what each player has set for himself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from numen.commands.settings import ALIASES, BOOLEANS, KEYS, MODES, PROVIDERS, key_of, masked
from numen.commands.table import COMMANDS
from numen.commands.texts import SENTENCES, say
from numen.commands.words import NAMES, Order, addressed, read
from numen.session.player_settings import BROADCASTS, PlayerSettings


@pytest.mark.parametrize(
    ("line", "order"),
    [
        ("/mclawd build me a house", Order("prompt", "build me a house")),
        ("!mclawd build me a house", Order("prompt", "build me a house")),
        ("mclawd build", Order("prompt", "build")),
        ("/mineclawd prompt  build it ", Order("prompt", "build it")),
        ("/mineclawd config", Order("config")),
        ("/mineclawd config api-key", Order("config", "api-key")),
        ("/mineclawd config model gpt-5", Order("config", "model gpt-5")),
        ("/mineclawd sessions", Order("sessions")),
        ("/mclawd sessions list", Order("sessions", "list")),
        ("/mineclawd sessions new", Order("sessions", "new")),
        ("/mclawd new", Order("new")),
        ("/mclawd sessions resume ab12-a-title", Order("sessions", "resume ab12-a-title")),
        ("/mclawd sessions remove ab12", Order("sessions", "remove ab12")),
        ("/mclawd sessions repair", Order("sessions", "repair")),
        ("/mclawd assets", Order("assets")),
        ("/mclawd assets teleport pig", Order("assets", "teleport pig")),
        ("/mclawd assets give sword", Order("assets", "give sword")),
        ("/mclawd assets remove-record pig", Order("assets", "remove-record pig")),
        ("/mclawd history", Order("history")),
        ("/mclawd stop", Order("stop")),
        ("/mclawd retry 0a1b2c3d", Order("retry", "0a1b2c3d")),
        ("/mclawd persona", Order("persona")),
        ("/mclawd persona yuki", Order("persona", "yuki")),
        ("/mclawd assistivetouch off", Order("assistivetouch", "off")),
        ("/mclawd choose", Order("choose")),
        ("/mclawd choose 2", Order("choose", "2")),
        ("choose other", Order("choose", "other")),
        ("选择 2", Order("choose", "2")),
        ("!new", Order("new")),
        ("！会话", Order("sessions")),
        ("/goal a house", Order("goal", "a house")),
        ("  !goal status ", Order("goal", "status")),
        ("/GOAL", Order("goal")),
        ("/目标 盖房子", Order("goal", "盖房子")),
        ("/compact", Order("compact")),
        ("/clear", Order("clear")),
        ("mclawd", Order("help")),
        ("MCLAWD Stop", Order("stop")),
        ("/mclawd stopping is hard", Order("prompt", "stopping is hard")),
    ],
)
def test_each_command_in_its_forms(line: str, order: Order) -> None:
    assert read(line) == order


@pytest.mark.parametrize(
    "line",
    [
        "build a house",
        "/gamemode creative",
        "!wow",
        "sessions",
        "new house",
        "choosey",
        "mclawdette",
        "stop",
        "goal!",
    ],
)
def test_other_lines_are_words(line: str) -> None:
    assert read(line) is None


def test_every_name_has_a_command() -> None:
    assert set(NAMES.values()) == set(COMMANDS)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("@Numen 2", "2"),
        ("@numen, come", "come"),
        ("Numen: come here", "come here"),
        ("Numen，过来", "过来"),
        ("@Other come", ""),
        ("come here", None),
        ("Numen is nice", None),
    ],
)
def test_who_is_meant(line: str, words: str | None) -> None:
    assert addressed(line, "Numen") == words


def test_keys_take_aliases_and_underscores() -> None:
    assert key_of("openai_api_key") == "api-key"
    assert key_of("KEY") == "api-key"
    assert key_of("tavily-key") == "tavily-api-key"
    assert key_of("broadcast") == "broadcast-requests-to"
    assert key_of("nonsense") is None
    assert set(ALIASES.values()) <= set(KEYS)


def test_words_for_values() -> None:
    assert {PROVIDERS[each] for each in ("open-ai", "openai")} == {"openai"}
    assert {PROVIDERS[each] for each in ("vertex", "vertexai", "vertex-ai", "google-vertex-ai")} == {"vertex"}
    assert [BOOLEANS[each] for each in ("true", "1", "yes", "on", "false", "0", "no", "off")] == [
        True
    ] * 4 + [False] * 4
    assert [MODES[each] for each in ("auto", "on", "disable")] == ["AUTO", "ENABLED", "DISABLED"]
    assert [BROADCASTS[each] for each in ("me", "everyone", "operators")] == ["self", "all", "ops"]


@pytest.mark.parametrize(
    ("secret", "shown"),
    [("", "<empty>"), ("abc", "******"), ("abcdef", "******"), ("sk-12345678", "****5678")],
)
def test_secrets_are_masked(secret: str, shown: str) -> None:
    assert masked(secret) == shown


def test_player_settings_keep_only_what_is_not_as_it_comes(tmp_path: Path) -> None:
    settings = PlayerSettings(tmp_path)
    settings.set_broadcast("steve", "all")
    settings.set_broadcast("alex", "self")
    settings.set_assistive_touch("alex", False)
    settings.set_assistive_touch("steve", True)
    file = tmp_path / "player-settings.json"
    assert json.loads(file.read_text()) == {
        "requestBroadcastTargets": {"steve": "all"},
        "assistiveTouchEnabled": {"alex": False},
    }
    again = PlayerSettings(tmp_path)
    assert [again.broadcast(each) for each in ("steve", "alex")] == ["all", "self"]
    assert [again.assistive_touch(each) for each in ("steve", "alex")] == [True, False]
    again.set_broadcast("steve", "self")
    assert json.loads(file.read_text())["requestBroadcastTargets"] == {}


def test_a_damaged_player_settings_file_is_set_aside(tmp_path: Path) -> None:
    (tmp_path / "player-settings.json").write_text("{")
    assert PlayerSettings(tmp_path).broadcast("steve") == "self"
    assert list(tmp_path.glob("player-settings.json.damaged*"))


def test_both_languages_say_the_same_facts() -> None:
    import re

    for english, chinese in SENTENCES.values():
        assert set(re.findall(r"{(\w+)", english)) == set(re.findall(r"{(\w+)", chinese))
    assert say("stopped", "zh") == "已停下。"
