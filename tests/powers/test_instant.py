"""Code at once over MineClawd's bridge, and commands sent anew, on a server that has both."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

from numen.powers.instant import BRIDGE, MAX_CODE, bridge_command
from numen.sandbox import commands
from numen.sandbox.text import plain, translated
from tests.powers.test_commands import grant, runner
from tests.tools.playing import playing
from tools.server import ServerPowers


def decoded(argument: str) -> str:
    return base64.urlsafe_b64decode(argument + "=" * (-len(argument) % 4)).decode()


def test_code_travels_as_base64_for_urls_without_padding() -> None:
    code = "player.tell('¿qué?>>>')"
    root, argument = bridge_command(code).split(" ")
    assert (root, decoded(argument)) == (BRIDGE, code)
    assert not set("+/=") & set(argument)
    assert len(bridge_command("x" * MAX_CODE)) <= 32_767


async def test_javascript_runs_over_the_bridge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []

    def evaluate(player: Any, words: list[str]) -> None:
        ran.append(decoded(words[0]))
        bad = "throw" in ran[-1]
        player.tell(plain("Error: no" if bad else "42", "red" if bad else None))

    monkeypatch.setitem(commands.COMMANDS, BRIDGE, (f"{BRIDGE} <code>", evaluate))
    async with playing(tmp_path) as here:
        trust = grant(here, ServerPowers(runner()), "instant", "commands")
        trust.confirm = "never"
        done = await here.call("apply-instant-server-script", code="6 * 7")
        assert done["text"] == "ran by: the KubeJS bridge\noutput: 42"
        failed = await here.call("apply-instant-server-script", code="throw 'no'")
        assert failed["success"] is False
        assert "Error: no" in failed["message"]
        assert ran == ["6 * 7", "throw 'no'"]
        assert trust.tainted is not None
        past = await here.call("execute-command", command=bridge_command("6 * 7"))
        assert "never run" in past["message"], "the bridge has its own tool and its own power"
        large = await here.call("apply-instant-server-script", code="x" * (MAX_CODE + 1))
        assert "bytes" in large["message"]


async def test_commands_are_sent_anew_by_a_reload(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def reload(player: Any, words: list[str]) -> None:
        player.tell(translated("commands.reload.success"))
        player.send("declare_commands", **commands.command_tree())

    monkeypatch.setitem(commands.COMMANDS, "reload", ("reload", reload))
    async with playing(tmp_path) as here:
        grant(here, ServerPowers(runner()), "reload")
        said = (await here.call("sync-command-tree"))["text"]
        assert f"here came {len(commands.COMMANDS)} commands" in said
        assert "all 1 players" in said
        monkeypatch.delitem(commands.COMMANDS, "reload")
        failed = await here.call("sync-command-tree")
        assert failed["success"] is False
        assert "Unknown or incomplete command" in failed["message"]


async def test_a_failure_in_a_red_wrapper_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrapped(player: Any, words: list[str]) -> None:
        inner = translated("commands.setblock.failed")
        player.tell({"text": "", "extra": [inner], "color": words[0]})

    monkeypatch.setitem(commands.COMMANDS, "wrap", ("wrap <colour>", wrapped))
    async with playing(tmp_path) as here:
        grant(here, ServerPowers(runner()), "commands").confirm = "never"
        for colour in ("red", "white"):
            failed = await here.call("execute-command", command=f"wrap {colour}")
            assert "result: failed\noutput: Could not set the block" in failed["message"]
