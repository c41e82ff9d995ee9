"""The section `mcp` of numen.yaml: what is taken, and what `numen tools` shows of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from numen import config
from numen.config import ConfigError, parse
from numen.doctor import examine

SERVERS = Path(__file__).parents[1] / "tool" / "jiuwen" / "servers"
SHOUT = {"command": sys.executable, "args": [str(SERVERS / "old_server.py")]}


def written(folder: Path, **settings: Any) -> Path:
    file = folder / "numen.yaml"
    own = {"skills": str(folder / "skills"), "tools": str(folder / "tools"), "data": str(folder / "data")}
    file.write_text(yaml.safe_dump({**own, **settings}), encoding="utf-8")
    return file


def test_a_server_is_a_command_or_an_address() -> None:
    loaded = parse(
        {
            "mcp": {
                "maps": {"command": "maps", "args": ["-v", 7], "env": {"KEY": "${KEY}"}, "call_timeout_s": 5},
                "weather": {"url": "https://w.example/mcp", "headers": {"Authorization": "Bearer ${KEY}"}},
                "old": {"url": "http://127.0.0.1:1/sse", "transport": "sse", "enabled": False},
            }
        },
        environment={"KEY": "s3cret"},
    )

    maps, weather, old = (each.for_client(name) for name, each in loaded.mcp.items())
    assert (maps.client_type, maps.params) == (
        "stdio",
        {"command": "maps", "args": ["-v", "7"], "env": {"KEY": "s3cret"}},
    )
    assert (maps.call_timeout_s, maps.connect_timeout_s) == (5, 30)
    assert (weather.client_type, weather.server_path) == ("streamable-http", "https://w.example/mcp")
    assert weather.auth_headers == {"Authorization": "Bearer s3cret"}
    assert (old.client_type, loaded.mcp["old"].enabled) == ("sse", False)
    assert "s3cret" not in repr(loaded)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("mcp: {a: {}}", "mcp.a: give either command (a program to start) or url (where a server runs)"),
        ("mcp: {a: {command: x, url: 'http://h'}}", "mcp.a: give either command"),
        ("mcp: {a: {command: x, headers: {a: b}}}", "mcp.a: headers does not go with command"),
        ("mcp: {a: {url: 'http://h', args: [x]}}", "mcp.a: args does not go with url"),
        ("mcp: {a: {url: 'ftp://h'}}", "mcp.a: url: expected an address such as http://127.0.0.1:8000/mcp"),
        ("mcp: {a: {url: 'http://h', transport: pigeon}}", "mcp.a.transport: expected 'http'"),
        ("mcp: {a: {comand: x}}", "mcp.a.comand: there is no such key; known here: command, args, env"),
        ("mcp: {'a b': {command: x}}", "mcp.a b: expected 1 to 32 letters, digits, _ or - as a name"),
        ("companions: [{name: Abc, llm: {modell: x}}]", "known here: provider, model"),
    ],
)
def test_a_mistake_in_it_is_told(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "numen.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        config.load(file, environment={})
    assert told in str(caught.value)


def test_numen_tools_lists_them_and_names_a_server_that_does_not_answer(tmp_path: Path) -> None:
    dying = {**SHOUT, "args": [*SHOUT["args"], "dying"]}
    off = {**SHOUT, "enabled": False}
    file = written(tmp_path, mcp={"crier": SHOUT, "broken": dying, "off": off})

    listed = subprocess.run(
        [sys.executable, "-m", "numen", "tools", "-c", str(file)], capture_output=True, text=True, timeout=25
    )

    err = listed.stderr
    assert listed.returncode == 0, err
    (line,) = [each for each in listed.stdout.splitlines() if each.startswith("mcp_")]
    assert line.startswith("mcp_crier_shout")
    assert line.endswith("[mcp server crier]")
    assert "mcp server broken cannot be reached" in err
    assert "no key in this house" in err
    assert "off" not in err


async def test_the_doctor_looks_at_each(tmp_path: Path) -> None:
    dying = {**SHOUT, "args": [*SHOUT["args"], "dying"]}
    loaded = config.load(written(tmp_path, mcp={"crier": SHOUT, "broken": dying}), environment={})
    found = [(each.outcome, each.text) async for each in examine(loaded, "en")]

    assert ("good", "The MCP server crier lends 1 tools.") in found
    (bad,) = [text for outcome, text in found if outcome == "bad" and "broken" in text]
    assert bad.startswith("The mcp server broken cannot be reached")
    assert "no key in this house" in bad
