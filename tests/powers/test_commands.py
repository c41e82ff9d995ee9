"""Commands: which are never run, which way they go, and what is made of the answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from numen.config import parse
from numen.powers.commands import (
    CommandRefused,
    CommandRunner,
    innermost,
    is_failure,
    judged,
    over_console,
    roots_in,
)
from numen.powers.rcon import Rcon
from numen.tool import Trust
from numen.world.chat import ChatLine
from tests.powers.console import console
from tests.tools.playing import Playing, playing
from tools.server import ServerPowers, register


def runner(port: int | None = None, *blocked: str) -> CommandRunner:
    rcon = Rcon("127.0.0.1", port, lambda: "s3cret") if port is not None else None
    return CommandRunner(rcon, frozenset(blocked))


@pytest.mark.parametrize(
    "line",
    [
        *("", "/", "  / "),
        *("mineclawd prompt hi", "/mclawd stop", "MineClawd config", "_exec_kubejs_internal_mc YQ"),
        *("op Eve", "minecraft:op Eve", "execute as @a run op Eve", "/execute if entity @p run  OP Eve"),
        "execute as Eve run execute at @s run return run mclawd prompt hi",
        *("say §4red", "say two\nlines", "say \r x", "say \0", "say \x7f", "say \ud800"),
        "say " + "x" * 32_768,
    ],
)
def test_what_is_never_sent(line: str) -> None:
    with pytest.raises(CommandRefused):
        runner(None, "op").check(line)


def test_what_a_line_comes_down_to() -> None:
    assert roots_in("execute as @a run minecraft:Say hi") == ["execute", "say"]
    assert [innermost(each) for each in ("reload", "execute run reload", "say hi", "")] == [
        *("reload", "reload", "say", "")
    ]
    assert runner(None, "op").check(" /say run to the hills ") == "say run to the hills"


@pytest.mark.parametrize(
    ("key", "failed"),
    [
        *(("commands.setblock.failed", True), ("commands.give.failed.toomanyitems", True)),
        *(("command.unknown.command", True), ("argument.entity.notfound.player", True)),
        *(("parsing.int.expected", True), ("commands.time.set", False), ("commands.setblock.success", False)),
    ],
)
def test_failures_are_known_by_their_keys(key: str, failed: bool) -> None:
    assert is_failure(key) is failed


def test_what_was_heard_is_judged_and_the_doubt_told() -> None:
    def line(text: str, key: str | None = None, colour: str | None = None) -> ChatLine:
        return ChatLine(text, "system", key=key, keys=(key,) if key else (), colour=colour)

    done = judged("time set day", [line("Set the time to 1000", "commands.time.set")])
    assert (done.ok, done.clean) == (True, True)
    assert "judged by what the server said" in done.lines()
    wrapped = judged("setblock 0 0 0 stone", [line("Could not set the block", "commands.setblock.failed")])
    assert not wrapped.ok
    assert not judged("home", [line("You have no home", colour="red")]).ok
    silent = judged("kill @e", [])
    assert silent.ok
    assert "may as well have failed" in silent.lines()
    foreign = judged("data get block 0 0 0", [line("<Eve> do as I say")])
    assert not foreign.clean
    assert "need not be its answer" in foreign.doubt


@pytest.mark.parametrize(
    ("output", "ok"),
    [
        ("Set the time to 1000", True),
        ("There are 0 of a max of 20 players online: ", True),
        ("", True),
        ("Unknown or incomplete command, see below for errorfoo<--[HERE]", False),
        ("No player was found", False),
        ("Could not set the block", False),
        ("An unexpected error occurred trying to execute that command", False),
    ],
)
def test_the_consoles_words_are_judged_too(output: str, ok: bool) -> None:
    ran = over_console("x", output)
    assert ran.ok is ok
    assert "no result number" in ran.lines()


# -- in a practice world


def grant(here: Playing, powers: ServerPowers, *names: str) -> Trust:
    """Turn powers on, as the configuration does."""
    mind = here.companion.mind
    register(here.companion.registry, names)
    trust = mind.context.service(Trust)
    trust.granted = frozenset(names)
    services = mind.context.services
    assert isinstance(services, dict)
    services[ServerPowers] = powers
    return trust


async def test_as_an_operator_it_runs_commands_itself(tmp_path: Path) -> None:
    async with playing(tmp_path) as here:
        trust = grant(here, ServerPowers(runner(None, "op")), "commands")
        done = await here.call("execute-command", command="/time set night")
        lines = done["text"].split("\n")
        assert lines[0] == "command: time set night"
        assert lines[1].startswith("result: looks done (judged by what the server said")
        assert lines[2].startswith("output: ")
        assert not here.companion.world.time.is_day
        assert trust.tainted is None, "the game's own words are nobody's"
        trust.confirm = "never"
        for command, said in (
            *(("nonsense", "Unknown"), ("time set never", "result: failed"), ("op Eve", "never run")),
            *(("reload", "power of its own"), ("execute run reload", "power of its own")),
        ):
            failed = await here.call("execute-command", command=command)
            assert failed["success"] is False
            assert said in failed["message"]
        await here.call("execute-command", command="list")
        assert trust.tainted == "what the server said to a command"


async def test_who_is_no_operator_is_told_so(tmp_path: Path) -> None:
    async with playing(tmp_path, operators=frozenset()) as here:
        grant(here, ServerPowers(runner()), "commands")
        failed = await here.call("execute-command", command="time set day")
        assert failed["success"] is False
        assert "result: failed" in failed["message"]


async def test_the_console_goes_first_and_long_commands_as_chat(tmp_path: Path) -> None:
    async with playing(tmp_path) as here, console(lambda command: f"ran {command}") as server:
        run = runner(server.port)
        assert run.rcon is not None
        grant(here, ServerPowers(run), "commands")
        assert "output: ran seed" in (await here.call("execute-command", command="seed"))["text"]
        long = await here.call("execute-command", command="nonsense " + "x" * 1500)
        assert "failed" in str(long), "what the console can't take goes as chat"
        assert server.asked == ["seed"]
        server.password = "changed"
        run.rcon.close()
        after = await here.call("execute-command", command="time set day")
        assert "judged by what the server said" in after["text"], (
            "a console that is shut is no reason to fail"
        )
        run.rcon.close()


async def test_without_a_grant_the_tool_is_there_for_nobody(tmp_path: Path) -> None:
    async with playing(tmp_path) as here:
        grant(here, ServerPowers(runner()), "commands").granted = frozenset()
        assert "execute-command" not in [each.name for each in await here.companion.mind.catalogue.specs()]
        failed = await here.call("execute-command", command="time set day")
        assert "not granted" in failed["message"]


def test_the_yaml_says_which_tools_there_are(tmp_path: Path) -> None:
    from numen.app import toolset

    for powers, names in (
        ({}, set()),
        ({"commands": True}, {"execute-command"}),
        ({"reload": True}, {"reload-game", "sync-command-tree"}),
        ({"instant": True}, {"apply-instant-server-script"}),
    ):
        registry, _ = toolset(parse({"powers": powers, "tools": str(tmp_path)}, environment={}))
        assert {each.name for each in registry if getattr(each, "power", None)} == names


async def test_what_a_model_says_is_never_a_command(tmp_path: Path) -> None:
    async with playing(tmp_path) as here:
        heard = here.companion.world.chat
        for text in ("§r/time set night", "\x01/time set night", f"{'so ' * 85}/time set night"):
            assert (await here.call("say", text=text))["success"]
        await here.until(lambda: sum(each.own and each.text == "time set night" for each in heard) == 3)
        assert here.companion.world.time.is_day
