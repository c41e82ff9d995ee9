"""A reload's errors, found in logs that grow, are turned over, or are full of other news."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from numen.powers.commands import CommandRefused, CommandRunner
from numen.powers.instant import PACK_FORMAT, function_lines, level_name, looks_like_commands
from numen.powers.rcon import Rcon
from numen.powers.reload import (
    KUBEJS_LOGS,
    MAX_DELTA,
    MAX_LINES,
    Mark,
    errors_in,
    errors_since,
    mark,
    report,
)
from tests.powers.console import console
from tests.powers.test_commands import grant, runner
from tests.tools.playing import playing
from tools.server import ServerPowers

HEAD = "[12:00:00] [Server thread/ERROR] [KubeJS Server/]: "
ERROR = f"{HEAD}server_scripts:mineclawd/welcome.js#3: ReferenceError: plyer is not defined"


ENDED = "[12:00:10] [Server thread/INFO] [minecraft/AdvancementTree]: Loaded 1399 advancements\n"


async def new_errors(server: Path, before: Mark) -> list[str]:
    """The complaints that stand in the logs just now."""
    return (await errors_since(server, before, limit_s=0)).errors


def server_in(folder: Path) -> Path:
    (folder / "logs").mkdir(parents=True)
    (folder / "logs/latest.log").write_text(f"{ERROR} (an old one)\n")
    return folder


def add(server: Path, text: str, log: str = "logs/latest.log") -> None:
    (server / log).parent.mkdir(parents=True, exist_ok=True)
    with open(server / log, "a", encoding="utf-8") as file:
        file.write(text)


def test_lines_that_complain_of_scripts_are_told_once_with_their_stack() -> None:
    text = "\n".join(
        (
            "[12:00:00] [Server thread/INFO] [minecraft/]: Reloading ResourceManager",
            "[12:00:00] [Server thread/ERROR] [minecraft/]: Failed to load a recipe of some mod",
            ERROR,
            "    at dev.latvian.mods.rhino (welcome.js:3)",
            ERROR,
            "[12:00:01] [Server thread/INFO] [KubeJS Server/]: Loaded 3/3 KubeJS scripts with 0 errors",
            "    at nothing.of.ours (x.java:1)",
        )
    )
    assert errors_in(text) == [
        "server_scripts:mineclawd/welcome.js#3: ReferenceError: plyer is not defined",
        "    at dev.latvian.mods.rhino (welcome.js:3)",
    ]
    assert len(errors_in("\n".join(f"kubejs error {number}" for number in range(500)))) == MAX_LINES


async def test_only_what_is_new_counts(tmp_path: Path) -> None:
    server = server_in(tmp_path)
    before = mark(server)
    assert await new_errors(server, before) == []
    add(server, f"{ERROR}\n")
    add(server, "kubejs error in a log that was not there\n", "logs/kubejs/server.log")
    assert len(await new_errors(server, before)) == 2


async def test_a_log_that_was_turned_over_is_read_from_its_beginning(tmp_path: Path) -> None:
    server = server_in(tmp_path)
    log = server / "logs/latest.log"
    before = mark(server)
    log.write_text("kubejs error 1\n")  # cut short
    assert await new_errors(server, before) == ["kubejs error 1"]
    before = mark(server)
    log.rename(server / "logs/old.log")  # another file, and longer
    add(server, "kubejs error 2\n" + "news\n" * 1000)
    assert await new_errors(server, before) == ["kubejs error 2"]


async def test_of_much_news_the_last_is_read(tmp_path: Path) -> None:
    server = server_in(tmp_path)
    before = mark(server)
    add(
        server, "kubejs error early\n" + "n" * 99 + "\n" + "news\n" * (MAX_DELTA // 5) + "kubejs error late\n"
    )
    assert await new_errors(server, before) == ["kubejs error late"]


async def test_a_reload_goes_on_after_its_command_and_all_its_errors_are_waited_for(tmp_path: Path) -> None:
    server = server_in(tmp_path)
    before = mark(server)
    add(server, "[12:00:00] [Server thread/INFO]: [Rcon: Reloading!]\n")
    looking = asyncio.ensure_future(errors_since(server, before, pause_s=0.001, silence_s=0, grace_s=0))
    await asyncio.sleep(0)
    add(server, f"{ERROR}\n")
    await asyncio.sleep(0.02)
    assert not looking.done()
    add(server, f"[12:00:09] [ERROR] {ERROR.removeprefix(HEAD)}\n", KUBEJS_LOGS[0])
    add(server, "[12:00:09] [ERROR] ! Error in 'ServerEvents.recipes'\n", KUBEJS_LOGS[0])
    add(server, ENDED)
    found = await looking
    assert found.ended
    assert found.errors == [ERROR.removeprefix(HEAD), "! Error in 'ServerEvents.recipes'"]
    assert "may be more" not in report("looks done", "", found)


async def test_a_reload_whose_end_is_not_told_is_reported_with_that_doubt(tmp_path: Path) -> None:
    server = server_in(tmp_path)
    before = mark(server)
    add(server, f"{ERROR}\n")
    found = await errors_since(server, before, pause_s=0.001, limit_s=0.01)
    assert not found.ended
    assert "there may be more errors" in report("looks done", "", found)


# -- the tools


def powers_at(port: int, server: Path | None) -> ServerPowers:
    return ServerPowers(CommandRunner(Rcon("127.0.0.1", port, lambda: "s3cret")), server)


async def test_a_reload_reports_the_errors_of_scripts(tmp_path: Path) -> None:
    server = server_in(tmp_path / "server")

    def answer(command: str) -> str:
        if (server / "kubejs/server_scripts/mineclawd/welcome.js").exists():
            add(server, f"{ERROR}\n")
        add(server, ENDED)
        return "Reloading!"

    async with playing(tmp_path) as here, console(answer) as rcon:
        powers = powers_at(rcon.port, server)
        trust = grant(here, powers, "reload", "scripts", "commands")
        trust.confirm = "never"
        clean = (await here.call("reload-game"))["text"]
        assert "command output: Reloading!" in clean
        assert "kubejs errors: none" in clean
        wrote = await here.call("write-server-script", path="welcome.js", content="plyer.tell('hi')")
        assert "wrote welcome.js, 16 bytes" in wrote["text"]
        broken = await here.call("execute-command", command="/reload")
        assert broken["success"] is False
        assert "ReferenceError: plyer is not defined" in broken["message"]
        assert "an old one" not in broken["message"]
        assert "plyer.tell" in (await here.call("read-server-script", path="welcome.js"))["text"]
        assert "- welcome.js (16 bytes" in (await here.call("list-server-scripts"))["text"]
        assert "deleted" in (await here.call("delete-server-script", path="welcome.js"))["text"]
        refused = await here.call("write-server-script", path="../../../ops.json", content="[]")
        assert refused["success"] is False
        assert rcon.asked == ["reload", "reload"]
        assert powers.runner.rcon is not None
        powers.runner.rcon.close()


async def test_without_the_servers_folder_the_tools_say_so(tmp_path: Path) -> None:
    async with playing(tmp_path) as here:
        grant(here, ServerPowers(runner()), "scripts", "instant").confirm = "never"
        for tool, arguments in (
            ("list-server-scripts", {}),
            ("write-server-script", {"path": "x.js", "content": ""}),
            ("apply-instant-server-script", {"code": "time set day"}),
        ):
            said = await here.call(tool, **arguments)
            assert "the server's folder is not known" in said["message"]
        script = await here.call("apply-instant-server-script", code="server.tell('hi')")
        assert "no bridge into KubeJS" in script["message"]


async def test_commands_at_once_run_as_a_data_packs_function(tmp_path: Path) -> None:
    server = tmp_path / "server"
    server.mkdir()
    (server / "server.properties").write_text("motd=x\nlevel-name=my world\n")

    def answer(command: str) -> str:
        unknown = command.startswith("function") and len(rcon.asked) == 2
        return "Unknown function numen:instant_0" if unknown else "Executed 2 commands"

    async with playing(tmp_path) as here, console(answer) as rcon:
        powers = powers_at(rcon.port, server)
        grant(here, powers, "instant").confirm = "never"
        said = await here.call(
            "apply-instant-server-script", code="# morning\n/time set day\nsetblock 0 64 0 stone"
        )
        assert "function of 2 commands" in said["text"]
        pack = server / "my world/datapacks/numen"
        (function,) = (pack / "data/numen/function").iterdir()
        assert function.read_text() == "time set day\nsetblock 0 64 0 stone\n"
        assert f'"pack_format": {PACK_FORMAT}' in (pack / "pack.mcmeta").read_text()
        assert rcon.asked == ["reload", *[f"function numen:{function.stem}"] * 2]
        await here.call("apply-instant-server-script", code="time set night")
        (other,) = function.parent.iterdir()
        assert other.stem != function.stem, "a server that has not reloaded must not run the old lines"
        refused = await here.call("apply-instant-server-script", code="time set day\nexecute run mclawd stop")
        assert "never run" in refused["message"]
        assert powers.runner.rcon is not None
        powers.runner.rcon.close()


def test_a_world_is_named_by_the_servers_properties(tmp_path: Path) -> None:
    assert level_name(tmp_path) == "world"
    (tmp_path / "server.properties").write_text("level-name=../../etc\n")
    assert level_name(tmp_path) == "world"
    assert not looks_like_commands("let x = 1", frozenset({"time"}))


@pytest.mark.parametrize(
    "code",
    ["execute run white\\\nlist add Eve", "say a\\  \nsay b", "$op $(who)", "time set day\n  $say $(x)"],
)
def test_a_function_holds_only_lines_that_run_as_they_were_checked(code: str) -> None:
    with pytest.raises(CommandRefused):
        function_lines(code, runner(None, "whitelist", "op"))
