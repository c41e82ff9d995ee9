"""`numen doctor`: what it finds, and that it says what to do."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from numen.config import Config, LlmConfig, ServerConfig
from numen.doctor import PROBE, examine
from numen.sandbox.server import start_sandbox
from numen.testing.endpoint import ScriptedEndpoint, calls, refuses, says
from protocol.server import serve
from protocol.status import ServerStatus


async def outcomes(config: Config, language: str = "en") -> list[tuple[str, str]]:
    return [(each.outcome, each.text) async for each in examine(config, "zh" if language == "zh" else "en")]


def endpoint_config(url: str, port: int | None = None) -> Config:
    llm = LlmConfig(provider="custom", model="test", base_url=url)
    return Config(llm=llm, server=None if port is None else ServerConfig(port=port))


async def test_a_good_server_and_an_endpoint_that_calls_tools() -> None:
    sandbox = await start_sandbox(world="flat")
    async with ScriptedEndpoint(calls((PROBE.name, {"word": "numen"}))) as endpoint:
        found = await outcomes(endpoint_config(endpoint.url, sandbox.port))
    await sandbox.stop()

    server, llm = found[1], found[2]
    assert server[0] == "good"
    assert "1.21.1" in server[1]
    assert llm == ("good", "custom test answers and calls tools.")


async def test_an_endpoint_that_only_talks() -> None:
    async with ScriptedEndpoint(says("Hello!")) as endpoint:
        found = await outcomes(endpoint_config(endpoint.url))

    assert found[2][0] == "bad"
    assert "supports tools" in found[2][1]


async def test_a_refused_key_is_told_as_such() -> None:
    async with ScriptedEndpoint(refuses(401, "bad key")) as endpoint:
        found = await outcomes(endpoint_config(endpoint.url))

    assert found[2][0] == "bad"
    assert "api_key" in found[2][1]


async def test_an_endpoint_that_can_not_be_asked_is_never_called_right() -> None:
    for settings, words in (
        ({"provider": "opneai", "base_url": "http://127.0.0.1:9/v1"}, "did you mean openai?"),
        ({"provider": "nobody-we-know"}, "llm.base_url is missing"),
        ({"provider": "openai", "base_url": "htp:/foo"}, "must start with http:// or https://"),
    ):
        llm = LlmConfig.model_validate({"model": "test", **settings})
        found = await outcomes(Config(llm=llm, source=Path("numen.yaml")))
        bad = [text for outcome, text in found if outcome == "bad"]
        assert [words in text for text in bad] == [True], found
        assert not any("no mistakes" in text for _, text in found)


async def test_nobody_at_the_address() -> None:
    sandbox = await start_sandbox(world="flat")
    port = sandbox.port
    await sandbox.stop()
    found = await outcomes(Config(server=ServerConfig(port=port)))

    assert found[1][0] == "bad"
    assert str(port) in found[1][1]


async def test_another_version_is_named_beside_ours() -> None:
    server = await serve(
        "127.0.0.1",
        0,
        on_play=lambda connection: None,
        status=lambda: ServerStatus(version="1.20.4", protocol=765),
    )
    found = await outcomes(Config(server=ServerConfig(port=server.port)))
    chinese = await outcomes(Config(server=ServerConfig(port=server.port)), "zh")
    await server.close()

    assert found[1][0] == "bad"
    assert "1.20.4" in found[1][1]
    assert "1.21.1" in found[1][1]
    assert "1.20.4" in chinese[1][1]


def test_the_command_exits_with_1_when_something_is_wrong(tmp_path: Path) -> None:
    file = tmp_path / "numen.yaml"
    file.write_text("server: {host: 127.0.0.1, port: 1}\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "numen", "doctor", "-c", str(file)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={"PATH": "", "LANG": "C.UTF-8"},
        cwd=Path(__file__).parents[2],
    )

    assert done.returncode == 1
    assert "✗" in done.stdout
    assert "Traceback" not in done.stderr


def test_a_wrong_configuration_exits_with_2_and_names_the_key(tmp_path: Path) -> None:
    file = tmp_path / "numen.yaml"
    file.write_text("server: {prot: 1}\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "numen", "doctor", "-c", str(file)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=Path(__file__).parents[2],
    )

    assert done.returncode == 2
    assert "server.prot" in done.stderr
    assert "Traceback" not in done.stderr
