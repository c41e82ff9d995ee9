"""What numen.yaml says about the way onto a server, and the commands that help to find it."""

from __future__ import annotations

import asyncio
import io
from pathlib import Path
from typing import Any

import pytest

from numen.companion import Away, Joined
from numen.config import ConfigError, parse
from numen.console import Console
from numen.doctor import learn
from numen.early import account_file, account_of, entrance_of, options_of
from numen.login import log_in
from numen.messages import Language
from numen.testing.link import LOGIN
from protocol.connection import ConnectFailed
from protocol.neoforge_payloads import Channel
from tests.app.test_companion import flat_world, living
from tests.protocol.account_services import CLIENT_ID, account_services
from tests.protocol.test_neoforge_learn import MODS, forge


class Lines(Console):
    """A console whose lines stay."""

    def __init__(self, language: Language = "en") -> None:
        self.written = io.StringIO()
        super().__init__(language, out=self.written, colour=False)

    @property
    def lines(self) -> list[str]:
        return self.written.getvalue().splitlines()


def config_of(folder: Path, **sections: Any) -> Any:
    return parse({"data": str(folder), **sections}, environment={})


def test_every_key_of_the_server_reaches_the_connection(tmp_path: Path) -> None:
    channel = {"id": "create:main", "version": "6.0.4", "flow": "clientbound", "phase": "play"}
    server = config_of(
        tmp_path,
        server={
            "view_distance": 7,
            "status_first": True,
            "resource_packs": "decline",
            "transfer": "refuse",
            "neoforge": {"posture": "neoforge", "channels": [channel], "block_states": {"create:basin": 4}},
        },
    ).server
    options = options_of(server)
    assert (options.view_distance, options.status_first, options.resource_packs) == (7, True, "decline")
    assert (options.posture, options.channels) == (
        "neoforge",
        (Channel("create:main", "6.0.4", "clientbound", "play"),),
    )
    assert options.block_states == {"create:basin": 4}
    assert not options.follow_transfer("other", 25565)


@pytest.mark.parametrize(
    ("section", "mistake"),
    [
        (
            {"neoforge": {"posture": "forge"}},
            "server.neoforge.posture: expected 'auto', 'vanilla' or 'neoforge'",
        ),
        ({"neoforge": {"channels": [{"id": "Main"}]}}, "server.neoforge.channels"),
        ({"resource_packs": "yes"}, "server.resource_packs: expected 'accept', 'download' or 'decline'"),
        ({"transfer": True}, "server.transfer: expected 'follow' or 'refuse'"),
        ({"neoforge": {"chanels": []}}, "known here: posture, channels, block_states"),
    ],
)
def test_a_mistake_in_them_is_named(section: dict[str, Any], mistake: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as failure:
        config_of(tmp_path, server=section)
    assert mistake in str(failure.value)


async def test_the_doctor_finds_channels_that_let_the_companion_in(tmp_path: Path) -> None:
    import yaml

    console = Lines()
    async with forge(MODS) as server:
        server.factory.on_play = lambda connection: connection.send("login", **LOGIN)
        place = {"host": "127.0.0.1", "port": server.port}
        finding, lines = await learn(config_of(tmp_path, server=place), "en", console.note)
        assert finding.outcome == "good"
        assert "5 channels" in finding.text
        assert any("do not fit yet" in line for line in console.lines)

        found = yaml.safe_load(lines)["server"]["neoforge"]
        config = config_of(tmp_path, server={**place, "neoforge": found})
        connection = await entrance_of(config, config.companions[0], config.server).connect()
        assert connection.state == "play"
        connection.close()


async def test_the_doctor_says_when_nothing_is_insisted_on(tmp_path: Path) -> None:
    sandbox = await flat_world()
    finding, lines = await learn(config_of(tmp_path, server={"port": sandbox.port}), "en", print)
    assert (finding.outcome, lines) == ("good", "")
    await sandbox.stop()


async def test_an_account_is_logged_in_by_a_code_and_joins_under_its_own_name(tmp_path: Path) -> None:
    config = config_of(tmp_path, account={"client_id": CLIENT_ID}, server={"port": 1})
    who = config.companions[0]
    console = Lines()
    async with account_services() as (services, addresses):
        services.pending = services.interval_s = 0
        with pytest.raises(ConnectFailed, match="log in again with `numen login`"):
            await entrance_of(config, who, config.server).connect()
        assert await log_in(config, None, console, addresses) == 0
    account = account_of(config, who, config.account)
    await account.log_in()  # by what was kept: the services are gone
    assert any("enter" in line for line in console.lines)
    assert console.lines[-1].endswith(f"Numen will join as {account.name}.")
    assert account_file(config, who).stat().st_mode & 0o777 == 0o600


async def test_a_login_that_fails_is_told_in_a_sentence(tmp_path: Path) -> None:
    config = config_of(tmp_path, account={"client_id": CLIENT_ID}, language="zh")
    console = Lines("zh")
    async with account_services() as (services, addresses):
        services.instead["/oauth/devicecode"] = [(400, {"error": "invalid_client"})]
        code = await log_in(config, "numen", console, addresses)
    assert code == 1
    assert "微软不认识这个 client id" in console.lines[-1]
    with pytest.raises(ConfigError, match="account"):
        await log_in(config_of(tmp_path), None, console)
    with pytest.raises(ConfigError, match="Alex"):
        await log_in(config, "Alex", console)


async def test_a_server_that_sends_the_companion_on_is_followed(tmp_path: Path) -> None:
    here, there = await flat_world(), await flat_world()
    async with living(tmp_path, here) as life:
        assert life.companion.address.endswith(str(here.port))
        here.player("Numen").send("transfer", host="127.0.0.1", port=there.port)
        await life.until(lambda: life.seen(Joined) == 2)
        assert life.companion.address.endswith(str(there.port))
        assert life.companion.here
        assert [each.name for each in there.players] == ["Numen"]
        assert not life.seen(Away)
    await asyncio.gather(here.stop(), there.stop())
